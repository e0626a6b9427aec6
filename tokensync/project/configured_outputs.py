"""The configured outputs of a project: generator requests, themes, names, and input digests."""

from __future__ import annotations

import itertools
import os
import re
from functools import cache
from posixpath import basename, dirname, normpath
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokensync.generate.targets import DEFAULTS, NAMES, naming_of
from tokensync.project.configuration import FILE_NAME, PYPROJECT, Project, locator
from tokensync.project.outputs import File, Output, Outputs, digest_of
from tokensync.settings import NamingConfig, OutputConfig, Selection
from tokensync.system import plugins, resources
from tokensync.system.errors import UsageError, stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import SimilarNames, counted, suggestion
from tokensync.tokens import Collection, FamilyKey, Theme, TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.target import OutputRequest
    from tokensync.system.boundary import Boundary


_COLOR_SET = re.compile(r"\.xcassets/(.+)\.colorset/Contents\.json$")


class Target(NamedTuple):
    """An output with its configuration."""

    output: Output
    config: OutputConfig


class Targets(NamedTuple):
    """The outputs to build, and the project's other outputs, which stay unchanged.

    ``config`` is the configuration's name in the manifest.
    """

    selected: tuple[Target, ...]
    others: tuple[Target, ...]
    config: str = ""

    def outputs(self, boundary: Boundary) -> Outputs:
        """Return the outputs without their settings."""
        selected, others = (tuple(target.output for target in targets) for targets in (self.selected, self.others))
        return Outputs(selected, others, boundary, self.config)

    def files(self) -> tuple[str, ...]:
        """Return the names of the design files in the outputs to build; empty means all files."""
        declared = [target.config.files for target in self.selected]
        return () if () in declared else tuple(sorted({name for names in declared for name in names}))


def targets_of_snapshot(platforms: Sequence[str]) -> Targets:
    """Return one output per platform (empty means the defaults)."""
    selected = platforms or DEFAULTS
    names = (*NAMES, *(name for name in dict.fromkeys(selected) if name not in NAMES))
    targets = [Target(Output(name, name, ""), OutputConfig(platform=name, path=name)) for name in names]
    return _split(targets, lambda output: output.platform in selected)


def request_of(config: OutputConfig, graph: TokenGraph, project: Project | None) -> OutputRequest:
    """Return the request to the generator for an output; without a project, the platform's defaults."""
    from tokensync.generate.target import OutputRequest
    from tokensync.project.configuration import typed_options

    if project is None:
        return OutputRequest(platform=config.platform)
    return OutputRequest(
        platform=config.platform,
        files=config.files,
        include=config.include,
        exclude=config.exclude,
        include_hidden=config.hidden,
        only_published=config.published,
        themes=configured_themes(graph, project),
        templates=project.path(config.templates) if config.templates else None,
        naming=config.naming,
        patterns=patterns_of(project),
        fonts=project.config.fonts,
        unsupported=config.unsupported,
        options=typed_options(config.platform, config.options),
    )


def targets_of_project(
    project: Project, files: Sequence[str], platforms: Sequence[str], source: str, *, elsewhere: bool
) -> Targets:
    """Return the configured outputs, and select those of these platforms and design files (empty means all).

    With ``elsewhere``, their paths are one folder per platform, and platforms without an output get one. Raises
    UsageError if no output is selected, and ProblemsError for paths outside the boundary.
    """
    project.check_paths("templates", *(() if elsewhere else ("path",)))
    configured = list(project.config.outputs)
    if elsewhere:
        missing = platforms or (() if configured else DEFAULTS)
        present = {output.platform for output in configured}
        configured += [OutputConfig(platform=each, path=each) for each in missing if each not in present]
    paths = ["" if path == "." else path for path in (normpath(output.path) for output in configured)]
    if elsewhere:
        paths = _below_platforms(configured, paths)
    targets = [
        Target(Output(config.platform, path, _input(project, config, source)), config)
        for path, config in zip(paths, configured, strict=True)
    ]
    split = _split(
        targets,
        lambda output: (
            (not platforms or output.platform in platforms)
            and (not files or not output.files or not set(files).isdisjoint(output.files))
        ),
    )
    if not split.selected:
        raise UsageError(_no_output_error(project, files, platforms))
    name = os.path.basename(project.source)
    return split._replace(config="" if name in (FILE_NAME, PYPROJECT) else name)


def _split(targets: Sequence[Target], selects: Callable[[OutputConfig], bool]) -> Targets:
    selected = tuple(target for target in targets if selects(target.config))
    return Targets(selected, tuple(target for target in targets if not selects(target.config)))


def _no_output_error(project: Project, files: Sequence[str], platforms: Sequence[str]) -> str:
    if not project.config.outputs:
        what = f"{project.source}: no outputs are configured"
        return f"{what}; add an [[outputs]] table with platform and path, or select a folder with -o DIR"
    options = [f"--platform {platform}" for platform in platforms] + [f"--file {file}" for file in files]
    what = f"{' '.join(options)}: no configured output matches"
    return f"{what}; add one to {project.source}, or select a folder with -o DIR"


def _below_platforms(outputs: Sequence[OutputConfig], paths: Sequence[str]) -> list[str]:
    """Return ``css`` and so on; for several outputs of one platform, ``css`` with the path of each."""
    platforms = [output.platform for output in outputs]
    own = [[step for step in path.split("/") if step not in ("", "..")] for path in paths]
    return [
        platform if platforms.count(platform) == 1 else "/".join((platform, *steps))
        for platform, steps in zip(platforms, own, strict=True)
    ]


def _input(project: Project, output: OutputConfig, source: str) -> str:
    config = project.config
    of_all = (config.themes, config.types, config.composites, config.fonts, patterns_of(project))
    settings = msgspec.json.encode((output, *of_all), order="sorted")
    parts = [*_template_parts(project, output)]
    if output.platform not in NAMES:  # the code of a plug-in decides about its outputs
        parts.append(plugins.digest("targets", output.platform))
    if decisive := project.levels.decisive():
        parts += (b"problems", msgspec.json.encode(sorted(decisive.items())))  # globs are in order
    return digest_of((resources.program_digest().encode(), source.encode(), settings, *parts))


def _template_parts(project: Project, output: OutputConfig) -> Iterator[bytes]:
    """Yield the paths and contents of custom templates, with the line ends that git may have converted as LF."""
    if output.templates:
        from tokensync.generate.naming import template_files

        for path, text in template_files(project.path(output.templates)):
            yield path.encode("utf-8", "surrogateescape")
            yield text.replace(b"\r\n", b"\n")


def configured_themes(graph: TokenGraph, project: Project) -> tuple[Theme, ...]:
    """Return the configured themes in their order.

    Collections are identified by handle, name or ``file/handle``, modes by context or name. Raises ProblemsError with
    all unknown collections and modes, unless they are not errors by the configured levels.
    """
    themes, problems = _themes(graph, project)
    stop_on_errors(problems)
    return themes


def theme_problems(graph: TokenGraph, project: Project) -> tuple[Problem, ...]:
    """Return the problems of the configured themes."""
    return _themes(graph, project)[1]


def _themes(graph: TokenGraph, project: Project) -> tuple[tuple[Theme, ...], tuple[Problem, ...]]:
    problems: list[Problem] = []
    where = cache(lambda: locator(project.text, project.source))
    themes = tuple(
        Theme(name, tuple(_choices(graph, choices, lambda *steps: where()(("themes", *steps)), name, problems)))
        for name, choices in project.config.themes.items()
    )
    return themes, project.levels.applied(problems)


def _choices(
    graph: TokenGraph, choices: Mapping[str, str], where: Callable[..., str], theme: str, problems: list[Problem]
) -> list[tuple[FamilyKey, int]]:
    from tokensync.normalize.mapping import slug

    chosen: list[tuple[FamilyKey, int]] = []
    local = [collection for collection in graph.collections.values() if collection.origin == "local"]
    for name, mode in choices.items():
        families = [collection for collection in local if is_named(collection, name)] or [
            collection for collection in local if collection.handle == slug(name, "")
        ]
        if not families:
            what = f"unknown collection {name!r}"
            remedy = suggestion(name, [collection.handle for collection in local])
            problems.append(problem("theme-unknown-collection", where(theme, name), what, remedy))
        for family in families:
            index = _mode_index(family, name, mode)
            if index is None:
                what = f"{name!r} has no mode {mode!r}"
                remedy = suggestion(mode, [mode.context for mode in family.modes])
                problems.append(problem("theme-unknown-mode", where(theme, name), what, remedy))
            else:
                chosen.append((family.key, index))
    return chosen


def is_named(family: Collection, name: str) -> bool:
    """Return whether the configuration's name of a collection is that of this family or of one of its extensions."""
    own = (family.handle, family.name, f"{family.file}/{family.handle}")
    return name in own or any(name in (extension.handle, extension.name) for extension in family.extensions)


def _mode_index(family: Collection, name: str, mode: str) -> int | None:
    """Return the index of a mode by context, or by name in the named collection (the root or an extension).

    If it was renamed on the platform, its former name counts, too: code keeps it as the context.
    """
    from tokensync.normalize.mapping import MODE, slug

    extension = next((each.handle for each in family.extensions if name in (each.handle, each.name)), family.handle)
    for index, each in enumerate(family.modes):
        if each.context == mode:
            return index
    for index, each in enumerate(family.modes):
        if each.collection == extension and mode in (each.name, each.slug):
            return index
    former = slug(mode, MODE)
    return next(
        (at for at, each in enumerate(family.modes) if (each.collection, each.slug) == (extension, former)), None
    )


def selection_problems(graph: TokenGraph, targets: Iterable[Target], project: Project) -> Iterator[Problem]:
    """Yield the globs of ``include`` and ``exclude`` that match nothing; for exclude, they are notes."""
    where = cache(lambda: locator(project.text, project.source))
    similar = SimilarNames()
    for target in targets:
        config = target.config
        if not config.include == config.exclude == Selection() and config in project.config.outputs:
            from tokensync.generate.target import unmatched_globs

            index = project.config.outputs.index(config)
            for (part, kind, at), glob, candidates in unmatched_globs(graph, request_of(config, graph, project)):
                if kind == "paths":
                    name = similar.nearest(glob, candidates)
                    to_do = f"use {name}, or remove it" if name else "correct it, or remove it"
                else:
                    to_do = suggestion(glob, [*candidates])
                found = problem(
                    "selection-unmatched",
                    where()(("outputs", index, part, kind, at)),
                    f"{glob!r:.80} matches no {'token' if kind == 'paths' else kind.removesuffix('s')}",
                    to_do,
                )
                yield found if part == "include" else found._replace(severity="note")


_FOLDERS_OF_TARGETS = ("", "Sources")
"""Folders of a Swift package, in which each folder is a target, and the top of a project, where apps' folders are."""


def shared_assets(files: Iterable[File], targets: Sequence[Target], project: Project) -> Iterator[Problem]:
    """Yield a problem for two ios outputs that one target may contain, and that have assets with equal names.

    Outputs with the same enum are in different targets: one would not compile them. Folders tell the rest.
    """
    catalogs = [target for target in targets if target.output.platform == "ios"]
    if len(catalogs) < 2:
        return
    assets: dict[Output, set[str]] = {target.output: set() for target in catalogs}
    namespaces = {target.output for target in catalogs if target.config.options.get("namespace")}
    for path, _, output in files:
        if output in assets and (match := _COLOR_SET.search(path)):
            assets[output].add(match[1] if output in namespaces else basename(match[1]))
    for first, second in itertools.combinations(catalogs, 2):
        paths = [f"/{normpath(target.config.path)}/".replace("/./", "/") for target in (first, second)]
        parent = dirname(paths[0][:-1])
        is_near = paths[1].startswith(paths[0]) or paths[0].startswith(paths[1])
        is_near = is_near or (parent == dirname(paths[1][:-1]) and basename(parent) not in _FOLDERS_OF_TARGETS)
        enums = [target.config.options.get("name", "Tokens") for target in (first, second)]
        names = assets[first.output] & assets[second.output]
        if is_near and enums[0] != enums[1] and names:
            where = f"{project.source} (/outputs/{project.config.outputs.index(second.config)})"
            example = f"names of {counted(len(names), 'colour')} of this output, such as {min(names)!r:.80}"
            what = f"the catalog of {first.config.path} has the {example}, and a target can have each name once"
            to_do = f'set naming = {{ prefix = "{enums[1].lower()}" }}, or ignore this if they are in different targets'
            yield problem("asset-shared", where, what, to_do)


class Names(NamedTuple):
    """The identifiers of all local tokens by platform, and the problems of naming without duplicates."""

    identifiers: Mapping[str, Mapping[TokenKey, str]]
    problems: tuple[Problem, ...]


class PlatformNaming(NamedTuple):
    """The naming on a platform: the folder of custom templates, the settings, and patterns for code syntax."""

    templates: str | None = None
    settings: NamingConfig = NamingConfig()
    patterns: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def patterns_of(project: Project) -> dict[str, tuple[str, ...]]:
    """Return the patterns for code syntax by the design tool's names for platforms; what is written has one, too."""
    from tokensync.generate.naming import PATH

    patterns: dict[str, tuple[str, ...]] = {}
    for platform, table in project.config.code_syntax.by_platform().items():
        written = () if not table.write or "*" in table.write else (table.write.replace("{resource}", "*"),)
        if own := (*table.read, *written):
            patterns[platform] = own
    for output in project.config.outputs:
        if output.platform == "ios" and output.options.get("nested") == "path":
            patterns["iOS"] = (*patterns.get("iOS", ()), f"{output.options.get('name', 'Tokens')}.{PATH}")
    return patterns


def naming_by_platform(project: Project) -> dict[str, PlatformNaming]:
    """Return the naming of the first output of each platform that has outputs.

    Raises ProblemsError for templates outside the boundary.
    """
    project.check_paths("templates")
    naming: dict[str, PlatformNaming] = {}
    for output in project.config.outputs:
        templates = project.path(output.templates) if output.templates else None
        naming.setdefault(output.platform, PlatformNaming(templates, output.naming, patterns_of(project)))
    return naming


def names_on_platforms(
    graph: TokenGraph, naming: Mapping[str, PlatformNaming] | None = None, platforms: Iterable[str] = DEFAULTS
) -> Names:
    """Return the names of all local tokens on each platform, with this naming or the default."""
    from tokensync.generate.naming import names_for

    live = [token for token in graph.tokens.values() if token.origin == "local"]
    identifiers: dict[str, Mapping[TokenKey, str]] = {}
    problems: list[Problem] = []
    for platform in platforms:
        settings = (naming or {}).get(platform, PlatformNaming())
        identifiers[platform], naming_problems = names_for(graph, live, naming_of(platform), *settings)
        problems += naming_problems
    return Names(identifiers, tuple(dict.fromkeys(problems)))


def named_on_platforms(
    graph: TokenGraph, naming: Mapping[str, PlatformNaming], platforms: Iterable[str]
) -> dict[TokenKey, dict[str, str]]:
    """Return what gives each local token its name on each platform."""
    from tokensync.generate.naming import Naming, in_order

    table = graph.table
    live = in_order((token for token in graph.tokens.values() if token.origin == "local"), graph)
    reasons: dict[TokenKey, dict[str, str]] = {token.key: {} for token in live}
    for platform in platforms:
        names = Naming(graph, naming_of(platform), *naming.get(platform, PlatformNaming()), [])
        for index, reason in names.reasons([table.indices[token.key] for token in live]).items():
            reasons[table.keys[index]][platform] = reason
    return reasons
