"""A target's descriptor, what is asked of a target, which tokens and themes that declares, and what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import Struct

from tokensync.settings import NamingConfig, Unsupported
from tokensync.tokens import Theme, inferred_themes
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tokensync.generate.resolution import Resolution
    from tokensync.naming import NamingRules
    from tokensync.problems import Problem
    from tokensync.tokens import FamilyKey, Token, TokenGraph

    Render = Callable[[Resolution, "OutputRequest"], tuple[Iterable["OutputFile"], list[Problem]]]
    """Returns the files of one output, and what is odd about them."""

Options = TypeVar("Options", bound=Struct)


class Selection(Struct, frozen=True):
    """Globs (``*`` crosses ``/``) that pick tokens by collection (handle or name) and by name (``a/b/c``), and themes.

    What is empty has no say.
    """

    collections: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


class OutputRequest(Struct, frozen=True, kw_only=True):
    """One output. ``files`` names the design files to declare (all when empty); ``templates`` is the user's folder.

    ``themes`` are the configured ones; without them they are inferred from the collections' modes. ``options`` is the
    struct of the target's options; None means its defaults.
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
    unsupported: Unsupported = "warn"
    options: Struct | None = None


class Target(NamedTuple):
    """A target's descriptor.

    ``name`` is that of its folder, whose module ``render`` has the function of the same name: see ``Render``.
    ``label`` says in a few words what an output of it is. ``options`` is the struct of ``[outputs.options]``.
    ``naming`` are the target's own rules for names, None where it takes the names of ``names_of``, or of whichever
    targets its options name. ``syntax`` is the platform of code syntax that its names can be written back as.
    """

    name: str
    label: str
    options: type[Struct]
    naming: NamingRules | None = None
    names_of: str = ""
    syntax: str = ""


def options_of(request: OutputRequest, type_: type[Options]) -> Options:
    """Return the request's options, or the defaults. Raises TypeError for another platform's."""
    if request.options is None:
        return type_()
    if not isinstance(request.options, type_):
        raise TypeError(f"{type(request.options).__name__} are no options of {request.platform}")
    return request.options


class OutputFile(NamedTuple):
    """A file's path below the output's own folder, with ``/``, and its whole content."""

    path: str
    content: bytes


def declared_tokens(graph: TokenGraph, request: OutputRequest) -> Iterable[Token]:
    """Yield the local tokens that the request picks, in the graph's order."""
    tokens: Iterable[Token] = (each for each in graph.tokens.values() if each.origin == "local")
    if request.files:
        tokens = (each for each in tokens if each.key.file in request.files)
    if not request.include_hidden:
        tokens = (each for each in tokens if not each.hidden)
    if request.only_published:
        tokens = (each for each in tokens if each.published)
    families = _picked_families(graph, request)
    if families is not None:
        tokens = (each for each in tokens if each.key[:2] in families)
    if request.include.paths or request.exclude.paths:
        picks = _picker(request.include.paths, request.exclude.paths)
        tokens = (each for each in tokens if picks("/".join(names(each.key.path))))
    return tokens


def declared_themes(graph: TokenGraph, request: OutputRequest) -> tuple[Theme, ...]:
    """Return the configured themes, else the inferred ones, that the request picks; without the default one."""
    themes = request.themes or inferred_themes(graph.collections.values())
    picks = _picker(request.include.themes, request.exclude.themes)
    return tuple(each for each in themes if picks(each.name))


def _picked_families(graph: TokenGraph, request: OutputRequest) -> set[FamilyKey] | None:
    included, excluded = request.include.collections, request.exclude.collections
    if not included and not excluded:
        return None
    wanted, refused = _picker(included, ()), _picker(excluded, ()) if excluded else _nothing
    return {
        key
        for key, family in graph.collections.items()
        if (wanted(family.handle) or wanted(family.name)) and not (refused(family.handle) or refused(family.name))
    }


def _picker(include: tuple[str, ...], exclude: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a test of texts: one of the included globs matches (or there are none), and no excluded one."""
    if not include and not exclude:
        return _anything
    wanted = _matcher(include) if include else _anything
    refused = _matcher(exclude) if exclude else _nothing
    return lambda text: wanted(text) and not refused(text)


def _matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    import re
    from fnmatch import translate

    pattern = re.compile("|".join(f"(?:{translate(each)})" for each in globs))
    return lambda text: pattern.match(text) is not None


def _anything(_: str) -> bool:
    return True


def _nothing(_: str) -> bool:
    return False
