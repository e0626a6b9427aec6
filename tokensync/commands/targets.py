"""Which outputs a build makes, where they go, and the digest of everything that each is made from."""

from __future__ import annotations

import os
from functools import cache
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokensync import resources
from tokensync.commands.digests import digest_of
from tokensync.commands.manifest import Output
from tokensync.commands.outputs import Outputs
from tokensync.commands.themes import configured_themes
from tokensync.config import OutputConfig
from tokensync.errors import UsageError
from tokensync.targets import DEFAULTS, NAMES
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.boundary import Boundary
    from tokensync.config import Project
    from tokensync.generate import OutputRequest
    from tokensync.tokens import TokenGraph


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
    from tokensync.config import typed_options
    from tokensync.generate import OutputRequest, Selection

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
    project.refuse_strays("templates", *(() if elsewhere else ("path",)))
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
    """Return what of tokensync itself decides the outputs: the digest of its version, templates and rules.

    A process that runs on, as a watch does, goes on with the ones it began with.
    """
    parts = (part for folder in ("templates", "config") for part in _folder_parts(resources.path(folder)))
    return digest_of((__version__.encode(), *parts)).encode()


def _folder_parts(folder: str) -> Iterator[bytes]:
    """Names and contents of all files below, sorted."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            yield os.path.relpath(path, folder).replace(os.sep, "/").encode()
            with open(path, "rb") as file:
                yield file.read().replace(b"\r\n", b"\n")
