"""The interface of a target: its descriptor, the request, the tokens and themes it selects, and output files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tokensync.settings import FontConfig, NamingConfig, Selection, Unsupported
from tokensync.tokens import FamilyKey, Theme, Token, TokenGraph, inferred_themes
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from tokensync.generate.naming.rules import NamingRules
    from tokensync.tokens import Collection as Family
    from tokensync.tokens import Literal as LiteralValue
    from tokensync.tokens.resolver import TokenIndex

    Convert = Callable[[LiteralValue], str | None]
    """A function that returns a literal in the notation of a target; None if the target cannot express it."""

Options = TypeVar("Options", bound=Struct)


class OutputRequest(Struct, frozen=True, kw_only=True):
    """A request for one output.

    ``files`` names the design files to include (all when empty). ``templates`` is the folder of the user's templates,
    ``patterns`` are the configuration's patterns for code syntax, and ``fonts`` its fonts. Without ``themes``, they are
    inferred from the collections' modes. ``options`` is an instance of the target's options; None means its defaults.
    """

    platform: str
    files: tuple[str, ...] = ()
    include: Selection = Selection()
    exclude: Selection = Selection()
    include_hidden: bool = True
    only_published: bool = False
    themes: tuple[Theme, ...] = ()
    templates: str | None = None
    naming: NamingConfig = NamingConfig()
    patterns: Mapping[str, tuple[str, ...]] = {}
    fonts: tuple[FontConfig, ...] = ()
    unsupported: Unsupported = "warn"
    options: Struct | None = None


class Target(NamedTuple):
    """The descriptor of a target.

    ``name`` is the name of its module or package (``targets.renderer``). ``label`` describes its output in a few
    words, ``options`` is the type of ``[outputs.options]``, and ``naming`` has its naming rules: None when it uses
    the names of the target ``names_of``, or of targets that its options name. ``syntax`` is the code syntax
    platform that its names can be written back to. ``wide_colors`` are settings of its options of which each makes
    an output contain colours outside of sRGB exactly.
    """

    name: str
    label: str
    options: type[Struct]
    naming: NamingRules | None = None
    names_of: str = ""
    syntax: str = ""
    wide_colors: tuple[tuple[str, str], ...] = ()


def options_of(request: OutputRequest, type_: type[Options]) -> Options:
    """Return the request's options, or the defaults. Raises TypeError for the options of another platform."""
    if request.options is None:
        return type_()
    if not isinstance(request.options, type_):
        raise TypeError(f"{type(request.options).__name__} are not the options of {request.platform}")
    return request.options


class OutputFile(NamedTuple):
    """A file's path relative to the output's folder, with ``/``, and its content."""

    path: str
    content: bytes


def declared_tokens(graph: TokenGraph, request: OutputRequest) -> Iterable[Token]:
    """Return the local tokens that the request selects, in the graph's order."""
    return map(graph.columns.tokens.__getitem__, sorted(declared_indices(graph, request)))


def declared_indices(graph: TokenGraph, request: OutputRequest) -> list[TokenIndex]:
    """Return the local tokens that the request selects, in collection order."""
    table, families = graph.table, _picked_families(graph, request)
    of_families = (indices for family, indices in table.of_family.items() if family in families)
    selected = [index for indices in of_families for index in indices if table.origins[index] == "local"]
    if not request.include_hidden:
        selected = [index for index in selected if not table.hidden[index]]
    if request.only_published:
        selected = [index for index in selected if table.published[index]]
    if request.include.paths or request.exclude.paths:
        matches = _picker(request.include.paths, request.exclude.paths)
        selected = [index for index in selected if matches("/".join(names(table.paths[index])))]
    return selected


def declared_themes(graph: TokenGraph, request: OutputRequest) -> tuple[Theme, ...]:
    """Return the configured or inferred themes that the request selects, without the default theme."""
    themes = request.themes or inferred_themes(graph.collections.values())
    if request.include.themes or request.exclude.themes:
        matches = _picker(request.include.themes, request.exclude.themes)
        return tuple(theme for theme in themes if matches(theme.name))
    return tuple(themes)


def unmatched_globs(
    graph: TokenGraph, request: OutputRequest
) -> Iterator[tuple[tuple[Literal["include", "exclude"], str, int], str, Collection[str]]]:
    """Yield the globs of a request that match nothing in its files, with their place and the names that exist."""
    selections: tuple[tuple[Literal["include", "exclude"], Selection], ...] = (
        ("include", request.include),
        ("exclude", request.exclude),
    )
    everything = replace(request, include=Selection(), exclude=Selection())
    families = [
        collection
        for collection in graph.collections.values()
        if collection.origin == "local" and (not request.files or collection.file in request.files)
    ]
    handles = [family.handle for family in families]
    for part, selection in selections:
        for kind, globs in (
            ("collections", selection.collections),
            ("paths", selection.paths),
            ("themes", selection.themes),
        ):
            if not globs:
                continue
            if kind == "collections":
                known = {name: None for family in families for name in (family.name, family.handle)}
            elif kind == "paths":
                local = (token for token in graph.tokens.values() if token.origin == "local")
                tokens = (token for token in local if not request.files or token.key.file in request.files)
                known = {"/".join(names(token.key.path)): None for token in tokens}
            else:
                known = {theme.name: None for theme in declared_themes(graph, everything)}
            present = _with_present_names(globs, families) if kind == "collections" else globs
            for at, glob in enumerate(globs):
                if not any(map(matcher((present[at],), default=False), known)):
                    yield (part, kind, at), glob, handles if kind == "collections" else known


def _with_present_names(globs: tuple[str, ...], families: Iterable[Family]) -> tuple[str, ...]:
    """Return globs for collections with the handle in place of a former name, of a collection that was renamed."""
    from tokensync.normalize.mapping import slug

    known = [(family.handle, family.name) for family in families if family.origin == "local"]

    def present(glob: str) -> str:
        matches, former = matcher((glob,), default=False), slug(glob, "")
        is_former = not any(matches(name) for names_of in known for name in names_of)
        return former if is_former and any(former == handle for handle, _ in known) else glob

    return tuple(map(present, globs))


def _picked_families(graph: TokenGraph, request: OutputRequest) -> set[FamilyKey]:
    families = [each for each in graph.collections.values() if not request.files or each.file in request.files]
    included = matcher(_with_present_names(request.include.collections, families), default=True)
    excluded = matcher(_with_present_names(request.exclude.collections, families), default=False)
    return {
        family.key
        for family in families
        if (included(family.handle) or included(family.name)) and not (excluded(family.handle) or excluded(family.name))
    }


def _picker(include: tuple[str, ...], exclude: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a test for texts that match an included glob (or any text without one) and no excluded glob."""
    included, excluded = matcher(include, default=True), matcher(exclude, default=False)
    return lambda text: included(text) and not excluded(text)


def matcher(globs: tuple[str, ...], *, default: bool) -> Callable[[str], bool]:
    """Return a test for texts that match one of the globs; without globs it returns ``default``."""
    import re
    from fnmatch import translate

    if not globs:
        return lambda _: default
    pattern = re.compile("|".join(f"(?:{translate(glob)})" for glob in globs))
    return lambda text: pattern.match(text) is not None
