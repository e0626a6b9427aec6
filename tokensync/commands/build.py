"""Token graph to output files on disk: from the project's token files, or straight from a saved response."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync import __version__, resources
from tokensync.commands.digests import digest_of
from tokensync.commands.outputs import File, Written, is_current, stale_files, write_outputs
from tokensync.commands.sources import Source, from_project, from_snapshot
from tokensync.commands.themes import configured_themes
from tokensync.problems import errors_among, stop_on_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.config import OutputConfig, Project
    from tokensync.generate import OutputRequest
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph

PLATFORMS = ("css", "android", "ios")


class Built(NamedTuple):
    """What a build did: the folder, counts of files, counts of declared tokens, and all problems.

    With ``check`` nothing was written and ``stale`` holds the paths that are not current.
    """

    folder: str
    tokens: int
    files: int
    written: Written | None
    stale: tuple[str, ...]
    problems: tuple[Problem, ...]


class Target(NamedTuple):
    """A folder under the output root, and what to generate into it."""

    path: str
    request: OutputRequest


def build_snapshot(
    local: str,
    published: str | None,
    folder: str,
    platforms: Sequence[str] = (),
    *,
    check: bool = False,
    force: bool = False,
    only_published: bool = False,
    include_hidden: bool = True,
) -> Built:
    """Build from saved responses into ``css/``, ``android/`` and ``ios/`` under ``folder``; needs no configuration."""
    from tokensync.generate import OutputRequest

    source = from_snapshot(local, published, only_published=only_published, include_hidden=include_hidden)
    targets = tuple(Target(each, OutputRequest(platform=each)) for each in platforms or PLATFORMS)
    inputs = digest_of((*_shipped(), source.digest.encode(), repr(sorted(target.path for target in targets)).encode()))
    return _build(source, targets, folder, inputs, check=check, force=force)


def build_project(
    project: Project,
    files: Sequence[str] = (),
    platforms: Sequence[str] = (),
    *,
    folder: str | None = None,
    check: bool = False,
    force: bool = False,
) -> Built:
    """Build the configured outputs from the project's token files.

    ``platforms`` keeps outputs of these only; with ``folder`` they go to ``css/`` and so on under it instead.
    """
    source = from_project(project, files)
    wanted = [each for each in project.config.outputs if each.platform in (platforms or PLATFORMS)]
    targets = tuple(_target(project, source.graph, each, folder) for each in wanted)
    if not wanted:
        targets = _default_targets(project, source.graph, platforms)
    root = folder or project.folder
    inputs = digest_of((*_shipped(), source.digest.encode(), repr(project.config).encode(), *_own_templates(project)))
    return _build(source, targets, root, inputs, check=check, force=force)


def _build(source: Source, targets: Sequence[Target], folder: str, inputs: str, *, check: bool, force: bool) -> Built:
    if check and is_current(folder, inputs):
        return Built(folder, 0, 0, None, (), source.problems)
    problems = list(source.problems)
    files: list[File] = []
    for path, content, found in _generated(source.graph, targets):
        files.append(File(path, content))
        problems += found
    if errors_among(problems):
        stop_on_errors(problems)
    declared = sum(token.origin == "local" for token in source.graph.tokens.values())
    if check:
        return Built(folder, declared, len(files), None, tuple(stale_files(folder, files)), tuple(problems))
    written = write_outputs(folder, files, inputs, force=force)
    return Built(folder, declared, len(files), written, (), tuple(problems))


def _generated(graph: TokenGraph, targets: Sequence[Target]) -> Iterator[tuple[str, bytes, tuple[Problem, ...]]]:
    """Every file with its path under the output root; a target's problems come with its first file."""
    from tokensync.generate import Resolution, generate

    resolution = Resolution(graph)
    for target in targets:
        files, problems = generate(graph, target.request, resolution)
        prefix = f"{target.path}/" if target.path else ""
        for path, content in files:
            yield f"{prefix}{path}", content, problems
            problems = ()


def _target(project: Project, graph: TokenGraph, output: OutputConfig, folder: str | None) -> Target:
    from tokensync.generate import OutputRequest, Selection

    include, exclude = output.include, output.exclude
    request = OutputRequest(
        platform=output.platform,
        files=output.files,
        include=Selection(include.collections, include.paths, include.themes),
        exclude=Selection(exclude.collections, exclude.paths, exclude.themes),
        include_hidden=output.hidden,
        only_published=output.published,
        themes=configured_themes(graph, project.config.themes, project.source),
        templates=project.path(output.templates) if output.templates else None,
        options=tuple(sorted(output.options.items())),
    )
    return Target(output.platform if folder else os.path.normpath(output.path).replace(os.sep, "/"), request)


def _default_targets(project: Project, graph: TokenGraph, platforms: Sequence[str]) -> tuple[Target, ...]:
    from tokensync.generate import OutputRequest

    themes = configured_themes(graph, project.config.themes, project.source)
    return tuple(Target(each, OutputRequest(platform=each, themes=themes)) for each in platforms or PLATFORMS)


def _shipped() -> Iterator[bytes]:
    """What of tokensync itself decides the outputs: its version, templates and rules."""
    yield __version__.encode()
    for folder in ("templates", "config"):
        yield from _folder_parts(resources.path(folder))


def _own_templates(project: Project) -> Iterator[bytes]:
    for output in project.config.outputs:
        if output.templates:
            yield from _folder_parts(project.path(output.templates))


def _folder_parts(folder: str) -> Iterator[bytes]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            yield os.path.relpath(path, folder).replace(os.sep, "/").encode()
            with open(path, "rb") as file:
                yield file.read()
