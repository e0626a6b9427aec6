"""Token graph to output files on disk: from the project's token files, or straight from a saved response."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from tokensync.boundary import Boundary, refuse_linked_folder
from tokensync.errors import stop_on_errors
from tokensync.generate.request import OutputFile
from tokensync.problems import Problem, problem
from tokensync.project.configured_outputs import request_of, targets_of_project, targets_of_snapshot
from tokensync.project.manifest import MANIFEST, File
from tokensync.project.outputs import Written, is_current, stale_files, write_outputs
from tokensync.project.sources import (
    Source,
    chosen_files,
    from_project,
    from_snapshot,
    project_digest,
    project_texts,
    snapshot_digest,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.generate import Resolution
    from tokensync.project.configuration import Project
    from tokensync.project.configured_outputs import Target, Targets
    from tokensync.stat_manifest import Recording
    from tokensync.tokens import TokenGraph


class Built(NamedTuple):
    """What a build did: the folder, the number of local tokens and of output files, and all problems.

    ``written`` is None where nothing was to be written: with ``check``, which gives ``stale`` the paths that are not
    current, and where all outputs were current. The counts are 0 where that was known without generating anything.
    """

    folder: str
    tokens: int
    files: int
    written: Written | None
    stale: tuple[str, ...]
    problems: tuple[Problem, ...]


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
    allow_outside: bool = False,
) -> Built:
    """Build from saved responses into ``css/``, ``android/`` and ``ios/`` under ``folder``; needs no configuration.

    ``platforms`` keeps to some of them and leaves the others as they are. Raises UsageError for a file that cannot be
    read, and ProblemsError for one that is not a response, for files in the way that are not ours, and, unless
    ``allow_outside``, for a folder that a link leads out of the git work tree it stands in.
    """
    boundary = _boundary_of(folder, allow_outside=allow_outside)
    if check:
        digest = snapshot_digest(local, published, only_published=only_published, include_hidden=include_hidden)
        if is_current(folder, targets_of_snapshot(platforms, digest).outputs(boundary)):
            return Built(folder, 0, 0, None, (), ())
    source = from_snapshot(local, published, only_published=only_published, include_hidden=include_hidden)
    targets = targets_of_snapshot(platforms, source.digest)
    return _build(source, targets, folder, None, boundary, check=check, force=force)


def build_project(
    project: Project,
    files: Sequence[str] = (),
    platforms: Sequence[str] = (),
    *,
    folder: str | None = None,
    check: bool = False,
    force: bool = False,
    skip_current: bool = False,
    recording: Recording | None = None,
) -> Built:
    """Build the configured outputs from the project's token files.

    ``platforms`` and ``files`` keep to the outputs of these platforms and those that declare tokens of these files; the
    others stay as they are. With ``folder`` outputs go to ``css/`` and so on under it instead. ``skip_current``
    generates nothing when all outputs are current, as ``check`` always does; ``recording`` is given each path that this
    depends on, before its content is read. Raises UsageError when no output is left to make, and ProblemsError for
    token files that cannot be read or files in the way.
    """
    chosen_files(project, files)
    root = folder or project.folder
    if recording:
        _record_inputs(project, recording)
    texts = project_texts(project)
    targets = targets_of_project(project, files, platforms, project_digest(texts), elsewhere=folder is not None)
    boundary = project.boundary
    if folder:
        boundary = _boundary_of(folder, boundary.tokens, allow_outside=project.allow_outside)
    if (check or skip_current) and is_current(root, targets.outputs(boundary), recording):
        return Built(root, 0, 0, None, (), ())
    if recording:
        recording.discard()
    source = from_project(project, required=targets.files(), texts=texts)
    del texts  # a large folder is not needed any more
    return _build(source, targets, root, project, boundary, check=check, force=force)


def _record_inputs(project: Project, recording: Recording) -> None:
    for file in project.config.files:
        folder = os.path.join(project.tokens_folder, file.name)
        recording.optional(f"{folder}.resolver.json")
        recording.tree(folder, ".json")
    for output in project.config.outputs:
        if output.templates:
            recording.tree(project.path(output.templates))


def _boundary_of(folder: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> Boundary:
    """Keep a build inside the folder that the user named, unless a link of the checkout leads it elsewhere."""
    refuse_linked_folder(folder, tokens, allow_outside=allow_outside)
    return Boundary(os.path.realpath(folder), "the output folder", tokens, allow_outside)


def _build(
    source: Source,
    targets: Targets,
    folder: str,
    project: Project | None,
    boundary: Boundary,
    *,
    check: bool,
    force: bool,
) -> Built:
    files, found = generate_all(source.graph, targets.made, project)
    problems = [*source.problems, *found]
    stop_on_errors(problems)
    declared = sum(token.origin == "local" for token in source.graph.tokens.values())
    if check:
        stale = tuple(stale_files(folder, files, targets.outputs(boundary)))
        return Built(folder, declared, len(files), None, stale, tuple(problems))
    written = write_outputs(folder, files, targets.outputs(boundary), force=force)
    problems += (_left(path) for path in written.left)
    problems += (_refused(path) for path in written.refused)
    return Built(folder, declared, len(files), written, (), tuple(problems))


def _left(path: str) -> Problem:
    what = f"{MANIFEST} lists it and no output makes it, but nothing shows that tokensync did"
    return problem("output-left", path, what, "remove it if it is of no use")


def _refused(path: str) -> Problem:
    what = f"it lists {path!r:.200}, where no output may be, and this entry is dropped"
    what_to_do = "if you allowed that place once, remove what is there yourself; if not, find out who wrote the entry"
    return problem("manifest-path", MANIFEST, what, what_to_do)


_FEWEST_TOKENS = 4_000
"""Generating fewer takes hardly longer than making a process and handing its files over: 30 ms."""
_LENGTH = 8
"""Bytes of the number that tells how long the contents are."""


class Generated(NamedTuple):
    """The files of one output, and what is odd about it."""

    files: tuple[OutputFile, ...]
    problems: tuple[Problem, ...]


class _Contents(NamedTuple):
    """What a generated output has: the path and the size of each file, and what is odd about it."""

    files: list[tuple[str, int]]
    problems: tuple[Problem, ...]


class _Second(NamedTuple):
    """The second process, and the end of the pipe that its files come from."""

    process: int
    pipe: int


def generate_all(
    graph: TokenGraph, targets: Sequence[Target], project: Project | None
) -> tuple[list[File], list[Problem]]:
    """Return every file with its path under the output root, and what is odd about the outputs, in their order.

    Raises ProblemsError when a template cannot be rendered.
    """
    from tokensync.generate import Resolution

    resolution = Resolution(graph)
    try:
        share = targets[: len(targets) // 2] if _are_worth_two_processes(graph, targets) else ()
        second = _begin(resolution, share, project) if share else None
        try:
            own = [_generated(resolution, each, project) for each in targets[len(share) :]]
        finally:
            received = _receive(second) if second else None
        if received is None:
            received = [_generated(resolution, each, project) for each in share]
    finally:
        if any(target.config.templates for target in targets):
            from tokensync.naming import sandbox

            sandbox.close()
    files: list[File] = []
    problems: list[Problem] = []
    for target, generated in zip(targets, received + own, strict=True):
        prefix = f"{target.output.path}/" if target.output.path else ""
        files += [File(f"{prefix}{path}", content, target.output) for path, content in generated.files]
        problems += generated.problems
    return files, problems


def _are_worth_two_processes(graph: TokenGraph, targets: Sequence[Target]) -> bool:
    """Return whether there is much to do, a processor more to do it, and nothing that forbids a fork.

    A fork takes only the thread along that asks for it, and programs on macOS may not go on after one. The users'
    templates have a process of their own already.
    """
    return (
        len(graph.tokens) >= _FEWEST_TOKENS
        and len(targets) > 1
        and sys.platform == "linux"
        and len(os.sched_getaffinity(0)) > 1
        and threading.active_count() == 1
        and not any(each.config.templates for each in targets)
    )


def _generated(resolution: Resolution, target: Target, project: Project | None) -> Generated:
    from tokensync.targets import generate

    return Generated(*generate(resolution.graph, request_of(target.config, resolution.graph, project), resolution))


def _begin(resolution: Resolution, targets: Sequence[Target], project: Project | None) -> _Second | None:
    """Generate outputs in a second process; return None where the system refuses one."""
    resolution.prepare()
    reader, writer = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        return None
    if process:
        os.close(writer)
        return _Second(process, reader)
    try:
        os.close(reader)
        _send(writer, [_generated(resolution, each, project) for each in targets])
    finally:
        os._exit(0)  # whatever happened; the first process's exit handlers are not this one's


def _send(writer: int, several: Sequence[Generated]) -> None:
    """Write what was generated to a pipe: what there is, and then the bytes of every file, not copied once more."""
    contents = [_Contents([(path, len(content)) for path, content in files], problems) for files, problems in several]
    with open(writer, "wb") as pipe:
        head = msgspec.msgpack.encode(contents)
        pipe.write(len(head).to_bytes(_LENGTH))
        pipe.write(head)
        pipe.writelines(content for files, _ in several for _, content in files)


def _receive(second: _Second) -> list[Generated] | None:
    """Return what the second process generated; None where it ended before it had sent everything."""
    try:
        with open(second.pipe, "rb") as pipe:
            head = _read(pipe, int.from_bytes(_read(pipe, _LENGTH)))
            return [
                Generated(tuple([OutputFile(path, _read(pipe, size)) for path, size in files]), problems)
                for files, problems in msgspec.msgpack.decode(head, type=list[_Contents])
            ]
    except EOFError:
        return None
    finally:
        with suppress(ChildProcessError):  # a parent of ours may have told the system to forget ended processes
            os.waitpid(second.process, 0)


def _read(pipe: BinaryIO, size: int) -> bytes:
    """Return so many bytes. Raises EOFError when fewer are left."""
    content = pipe.read(size)
    if len(content) < size:
        raise EOFError
    return content


INTERVAL = 0.3
"""Seconds between two looks."""


def watch(
    paths: Sequence[str],
    run: Callable[[], None],
    *,
    again: Callable[[], bool] = lambda: True,
    interval: float = INTERVAL,
) -> None:
    """Call ``run`` now and after each change of the files, or of files in the folders; until ``again`` says no."""
    seen: tuple[tuple[str, int, int], ...] | None = None
    while True:
        now = tuple(_states(paths))
        if now != seen:
            seen = now
            run()
            gc.collect()  # it is disabled, and a watch runs all day
        if not again():
            return
        time.sleep(interval)


def _states(paths: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    for path in paths:
        if os.path.isdir(path):
            for parent, folders, names in os.walk(path):
                folders.sort()
                for name in sorted(names):
                    yield from _state(os.path.join(parent, name))
        else:
            yield from _state(path)


def _state(path: str) -> Iterator[tuple[str, int, int]]:
    try:
        found = os.stat(path)
    except FileNotFoundError:  # gone between listing and looking, or not there yet
        return
    yield path, found.st_size, found.st_mtime_ns
