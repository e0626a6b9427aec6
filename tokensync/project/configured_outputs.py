"""The outputs that a project configures: requests, themes, names, and a digest of everything each is made from."""

from __future__ import annotations

import os
from functools import cache
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokensync import resources
from tokensync.errors import UsageError, stop_on_errors
from tokensync.problems import Problem, problem
from tokensync.project.manifest import Output, digest_of
from tokensync.project.outputs import Outputs
from tokensync.settings import NamingConfig, OutputConfig
from tokensync.targets import DEFAULTS, NAMES, naming_of
from tokensync.tokens import Theme
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.boundary import Boundary
    from tokensync.generate import OutputRequest
    from tokensync.problems import Problem
    from tokensync.project.configuration import Project
    from tokensync.tokens import Collection, FamilyKey, TokenGraph, TokenKey


class Target(NamedTuple):
    """An output, and what is configured for it."""

    output: Output
    config: OutputConfig


class Targets(NamedTuple):
    """The outputs to make, and the project's other ones, which stay as they are."""

    made: tuple[Target, ...]
    others: tuple[Target, ...]

    def outputs(self, boundary: Boundary) -> Outputs:
        """Return the same, as the writer wants them."""
        return Outputs(tuple(each.output for each in self.made), tuple(each.output for each in self.others), boundary)

    def files(self) -> tuple[str, ...]:
        """Return the design files whose tokens the outputs to make declare; none means all of the project's."""
        declared = [each.config.files for each in self.made]
        return () if () in declared else tuple(sorted({name for names in declared for name in names}))


def targets_of_snapshot(platforms: Sequence[str], source: str) -> Targets:
    """Return a folder a platform, the default ones unless some are named; ``source`` is the digest of the responses."""
    shipped = _shipped()
    made = platforms or DEFAULTS
    every = [
        Target(
            Output(each, each, digest_of((shipped, source.encode(), each.encode()))),
            OutputConfig(platform=each, path=each),
        )
        for each in NAMES
    ]
    return _split(every, [each in made for each in NAMES])


def request_of(config: OutputConfig, graph: TokenGraph, project: Project | None) -> OutputRequest:
    """Return what is asked of the generator for an output; without a project its platform's defaults."""
    from tokensync.generate import OutputRequest, Selection
    from tokensync.project.configuration import typed_options

    if project is None:
        return OutputRequest(platform=config.platform)
    include, exclude = config.include, config.exclude
    return OutputRequest(
        platform=config.platform,
        files=config.files,
        include=Selection(include.collections, include.paths, include.themes),
        exclude=Selection(exclude.collections, exclude.paths, exclude.themes),
        include_hidden=config.hidden,
        only_published=config.published,
        themes=configured_themes(graph, project.config.themes, project.source),
        templates=project.path(config.templates) if config.templates else None,
        naming=config.naming,
        unsupported=config.unsupported,
        options=typed_options(config.platform, config.options),
    )


def targets_of_project(
    project: Project, files: Sequence[str], platforms: Sequence[str], source: str, *, elsewhere: bool
) -> Targets:
    """Return the configured outputs; made are those of these platforms that declare tokens of these files (none: all).

    With ``elsewhere`` they go to a folder a platform instead, and a platform without a configured output gets one.
    Raises UsageError when nothing is left to make, and for templates that are not there; and ProblemsError for folders
    that a checkout may not choose.
    """
    project.check_paths("templates", *(() if elsewhere else ("path",)))
    configured = list(project.config.outputs)
    if elsewhere:
        missing = platforms or (() if configured else DEFAULTS)
        present = {each.platform for each in configured}
        configured += [OutputConfig(platform=each, path=each) for each in missing if each not in present]
    paths = ["" if path == "." else path for path in (normpath(each.path) for each in configured)]
    for index, each in enumerate(configured):
        _check_templates(project, index, each.templates)
    if elsewhere:
        paths = _below_platforms(configured, paths)
    shipped = _shipped()
    every = [
        Target(Output(config.platform, path, _input(project, config, shipped, source)), config)
        for path, config in zip(paths, configured, strict=True)
    ]
    split = _split(
        every,
        [
            (not platforms or each.platform in platforms)
            and (not files or not each.files or not set(files).isdisjoint(each.files))
            for each in configured
        ],
    )
    if not split.made:
        raise UsageError(_nothing_to_make(project, files, platforms))
    return split


def _split(targets: Sequence[Target], made: Sequence[bool]) -> Targets:
    pairs = tuple(zip(targets, made, strict=True))
    return Targets(
        tuple(target for target, is_made in pairs if is_made), tuple(target for target, is_made in pairs if not is_made)
    )


def _nothing_to_make(project: Project, files: Sequence[str], platforms: Sequence[str]) -> str:
    if not project.config.outputs:
        return (
            f"{project.source}: no output is configured; "
            "add an [[outputs]] table with platform and path, or say where to build to with -o DIR"
        )
    flags = [f"--platform {each}" for each in platforms] + [f"--file {each}" for each in files]
    return f"{' '.join(flags)}: no configured output is of these; add one to {project.source}, or build with -o DIR"


def _check_templates(project: Project, index: int, templates: str) -> None:
    """A folder that is misspelled would leave every template of the user's out without a word."""
    if templates and not os.path.isdir(project.path(templates)):
        raise UsageError(
            f"{project.source} (/outputs/{index}/templates): there is no folder {templates!r:.200}; "
            "name one from the configuration's folder, or leave the setting out"
        )


def _below_platforms(outputs: Sequence[OutputConfig], paths: Sequence[str]) -> list[str]:
    """``css`` and so on; of several outputs of one platform, each below that under its own path."""
    platforms = [each.platform for each in outputs]
    own = [[step for step in path.split("/") if step not in ("", "..")] for path in paths]
    return [
        platform if platforms.count(platform) == 1 else "/".join((platform, *steps))
        for platform, steps in zip(platforms, own, strict=True)
    ]


def _input(project: Project, output: OutputConfig, shipped: bytes, source: str) -> str:
    settings = msgspec.json.encode((output, project.config.themes), order="sorted")
    return digest_of((shipped, source.encode(), settings, *_template_parts(project, output)))


def _template_parts(project: Project, output: OutputConfig) -> Iterator[bytes]:
    """Names and contents of the user's own templates; line ends that git changed on checkout do not count."""
    if output.templates:
        from tokensync.naming.rendering import template_files

        for path, text in template_files(project.path(output.templates)):
            yield path.encode("utf-8", "surrogateescape")
            yield text.replace(b"\r\n", b"\n")


@cache
def _shipped() -> bytes:
    """Return the digest of tokensync's version, templates and rules, which decide the outputs.

    Schemas and the OpenAPI document in ``config/`` do not. A process that continues, such as a watch, keeps the
    templates and rules that it began with.
    """
    parts = (*_folder_parts(resources.path("templates")), *_folder_parts(resources.path("config"), only=".toml"))
    return digest_of((__version__.encode(), *parts)).encode()


def _folder_parts(folder: str, *, only: str = "") -> Iterator[bytes]:
    """Yield names and contents of all files below a folder whose names end in ``only``, sorted."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(each for each in names if each.endswith(only)):
            path = os.path.join(parent, name)
            yield os.path.relpath(path, folder).replace(os.sep, "/").encode()
            with open(path, "rb") as file:
                yield file.read().replace(b"\r\n", b"\n")


def configured_themes(graph: TokenGraph, themes: Mapping[str, Mapping[str, str]], source: str) -> tuple[Theme, ...]:
    """Return the configured themes, in their order; none when none is configured.

    A collection is named by handle or name (``file/handle`` when several files have it), a mode by context or name.
    Raises ProblemsError that names every one that is not there.
    """
    problems: list[Problem] = []
    found = tuple(
        Theme(name, tuple(_choices(graph, choices, f"{source} (/themes/{name})", problems)))
        for name, choices in themes.items()
    )
    stop_on_errors(problems)
    return found


def _choices(
    graph: TokenGraph, choices: Mapping[str, str], where: str, problems: list[Problem]
) -> list[tuple[FamilyKey, int]]:
    chosen: list[tuple[FamilyKey, int]] = []
    for wanted, mode in choices.items():
        families = [each for each in graph.collections.values() if each.origin == "local" and _is_named(each, wanted)]
        if not families:
            known = ", ".join(each.handle for each in graph.collections.values() if each.origin == "local")
            what = f"no collection is called {wanted!r}"
            problems.append(problem("theme-unknown-collection", where, what, f"name one of: {known}"))
        for family in families:
            index = _mode_index(family, wanted, mode)
            if index is None:
                what = f"{wanted!r} has no mode {mode!r}"
                known = ", ".join(each.context for each in family.modes)
                problems.append(problem("theme-unknown-mode", where, what, f"name one of: {known}"))
            else:
                chosen.append((family.key, index))
    return chosen


def _is_named(family: Collection, wanted: str) -> bool:
    own = (family.handle, family.name, f"{family.file}/{family.handle}")
    return wanted in own or any(wanted in (each.handle, each.name) for each in family.extensions)


def _mode_index(family: Collection, wanted: str, mode: str) -> int | None:
    """By context, else by name within the collection that was named (the root or one of its extensions)."""
    extension = next((each.handle for each in family.extensions if wanted in (each.handle, each.name)), family.handle)
    for index, each in enumerate(family.modes):
        if each.context == mode:
            return index
    for index, each in enumerate(family.modes):
        if each.collection == extension and mode in (each.name, each.slug):
            return index
    return None


class Names(NamedTuple):
    """By platform the identifier of every local token; what was odd about them, each once."""

    identifiers: Mapping[str, Mapping[TokenKey, str]]
    problems: tuple[Problem, ...]


class Manner(NamedTuple):
    """How tokens are named on a platform: the user's templates folder, and the settings."""

    templates: str | None = None
    settings: NamingConfig = NamingConfig()


def manners_of(project: Project) -> dict[str, Manner]:
    """By platform the manner of the project's first output of it; a platform without one is not there.

    Raises ProblemsError for templates where no checkout may have them.
    """
    project.check_paths("templates")
    manners: dict[str, Manner] = {}
    for output in project.config.outputs:
        templates = project.path(output.templates) if output.templates else None
        manners.setdefault(output.platform, Manner(templates, output.naming))
    return manners


def names_on_platforms(
    graph: TokenGraph, manners: Mapping[str, Manner] | None = None, platforms: Iterable[str] = DEFAULTS
) -> Names:
    """Return the names of all local tokens as one output a platform would have them, in this manner or the
    default one.
    """
    from tokensync.naming import names_for

    live = [token for token in graph.tokens.values() if token.origin == "local"]
    identifiers: dict[str, Mapping[TokenKey, str]] = {}
    problems: list[Problem] = []
    for platform in platforms:
        manner = (manners or {}).get(platform, Manner())
        identifiers[platform], found = names_for(graph, live, naming_of(platform), *manner)
        problems += found
    return Names(identifiers, tuple(dict.fromkeys(problems)))


def references_on_platforms(graph: TokenGraph, names: Names) -> dict[TokenKey, dict[str, str]]:
    """Return how code refers to each token, by platform."""
    from tokensync.naming import references_for

    references: dict[TokenKey, dict[str, str]] = {}
    for platform, identifiers in names.identifiers.items():
        for key, reference in references_for(graph, identifiers, naming_of(platform)).items():
            references.setdefault(key, {})[platform] = reference
    return references
