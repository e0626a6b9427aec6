"""Build output files from the project's token files or from a saved response."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from tokensync.generate.target import OutputFile
from tokensync.project.code_references import undeclared
from tokensync.project.configuration import AS_DECLARED, Levels, Project
from tokensync.project.configured_outputs import (
    request_of,
    selection_problems,
    shared_assets,
    targets_of_project,
    targets_of_snapshot,
    theme_problems,
)
from tokensync.project.outputs import (
    MANIFEST,
    File,
    Written,
    is_current,
    manifest_problems,
    read_manifest,
    spelled_otherwise,
    stale_files,
    untracked_manifest,
    write_outputs,
)
from tokensync.project.sources import (
    Source,
    chosen_files,
    from_project,
    from_snapshot,
    project_digest,
    project_texts,
    strays,
    unlisted_modes,
)
from tokensync.system.boundary import Boundary, resolved_folder
from tokensync.system.disk import content_of
from tokensync.system.errors import stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.system.token_files import named_files

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from tokensync.generate.output import Resolution
    from tokensync.project.configured_outputs import Target, Targets
    from tokensync.system.stat_manifest import Recording
    from tokensync.tokens import TokenGraph


class Built(NamedTuple):
    """The result of a build: the folder, the numbers of local tokens and output files, and all problems.

    ``written`` is None if nothing was written: with ``check``, where ``stale`` lists the outdated paths, and if all
    outputs were current. The counts are 0 if nothing had to be generated to find that out. ``untracked`` is the path of
    the manifest if nothing is outdated, and git tracks outputs that it lists, but not the manifest itself.
    """

    folder: str
    tokens: int
    files: int
    written: Written | None
    stale: tuple[str, ...]
    problems: tuple[Problem, ...]
    untracked: str = ""


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
    levels: Levels = AS_DECLARED,
) -> Built:
    """Build from saved responses into ``css/``, ``android/`` and ``ios/`` under ``folder``; needs no configuration.

    ``platforms`` selects outputs; the others stay unchanged. ``check`` writes nothing. Raises UsageError for an
    unreadable file, and ProblemsError for an invalid response, for existing files that tokensync did not write, and,
    unless ``allow_outside``, for a folder that a link leads out of its git work tree.
    """
    boundary = _boundary_of(folder, allow_outside=allow_outside)
    source = from_snapshot(
        local, published, only_published=only_published, include_hidden=include_hidden, levels=levels
    )
    targets = targets_of_snapshot(platforms)
    built = build_source(source, targets, boundary.top, None, boundary, levels, check=check, force=force)
    return built._replace(folder=folder)


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
    records: bool = False,
) -> Built:
    """Build the configured outputs from the project's token files.

    ``platforms`` and ``files`` select the outputs of these platforms that declare tokens of these files; the others
    stay unchanged. ``folder`` redirects outputs to ``css/`` and so on under it. ``check`` writes nothing.
    ``skip_current`` generates nothing, and counts nothing, if all outputs are current. ``recording`` receives each path
    that this depends on, before its content is read. ``records`` is that of ``write_outputs``. Raises UsageError if no
    output is selected, and ProblemsError for unreadable token files and for files that tokensync did not write.
    """
    from tokensync.normalize.findings import renamed_modes
    from tokensync.project.lock import conflicts_of_lock

    chosen_files(project, files)
    root = folder or project.folder
    if recording:
        record_inputs(project, recording)
    texts = project_texts(project)
    digest = project_digest(texts)
    targets = targets_of_project(project, files, platforms, digest, elsewhere=folder is not None)
    boundary = project.boundary
    if folder:
        boundary = _boundary_of(folder, boundary.tokens, allow_outside=project.allow_outside)
        root = boundary.top
    if skip_current and is_current(root, targets.outputs(boundary), recording, records=records):
        others = [*strays(project, texts), *unlisted_modes(project, texts)]
        unread = project.levels.applied([*conflicts_of_lock(project.folder), *others])
        by_case = names_by_case(project, root) if folder is None else ()
        if recording and (unread or by_case):
            recording.discard()  # each run names them
        return Built(folder or root, 0, 0, None, (), (*unread, *by_case), untracked_manifest(root))
    if recording:
        recording.discard()
    source = from_project(project, required=targets.files(), texts=texts, digest=digest)
    source = source._replace(problems=(*source.problems, *renamed_modes(source.graph)))
    del texts  # frees the texts of a large folder
    if source.digest != digest:
        targets = targets_of_project(project, files, platforms, source.digest, elsewhere=folder is not None)
    built = build_source(
        source, targets, root, project, boundary, project.levels, check=check, force=force, records=records
    )
    by_case = names_by_case(project, root) if folder is None else ()
    return built._replace(folder=folder or root, problems=(*built.problems, *by_case))


def names_by_case(project: Project, folder: str) -> tuple[Problem, ...]:
    """Return the problems of ``spelled_otherwise`` for the outputs and tokens of a project in this folder."""
    listed = (output.path for output in read_manifest(project.folder).outputs)
    tokens = (f"{project.config.tokens}/{file.name}" for file in project.config.files)
    return project.levels.applied(spelled_otherwise(folder, (*listed, *tokens)))


def record_inputs(project: Project, recording: Recording) -> None:
    """Record what a build reads of a project, apart from its outputs."""
    from tokensync.generate.targets import NAMES
    from tokensync.project.accepted import ACCEPTED
    from tokensync.project.lock import LOCK

    if not all(output.platform in NAMES for output in project.config.outputs):
        recording.discard()  # the code of a plug-in's target decides, too
    recording.optional(os.path.join(project.folder, LOCK))
    recording.optional(os.path.join(project.folder, ACCEPTED))
    recording.listing(project.tokens_folder)
    for file in project.config.files:
        folder = os.path.join(project.tokens_folder, file.name)
        resolver = f"{folder}.resolver.json"
        recording.optional(resolver)
        if os.path.isdir(folder):
            recording.tree(folder, ".json")
        else:
            recording.absent(folder)
        for path in named_files(content_of(resolver) or b""):
            if not path.startswith(f"{file.name}/"):
                recording.optional(os.path.join(project.tokens_folder, *path.split("/")))
    for output in project.config.outputs:
        if output.templates:
            recording.tree(project.path(output.templates))


def _boundary_of(folder: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> Boundary:
    """Return the boundary of an output folder; refuse a folder that a link of the checkout leads elsewhere."""
    real = resolved_folder(folder, tokens, allow_outside=allow_outside)
    return Boundary(real, "the output folder", tokens, allow_outside)


def build_source(
    source: Source,
    targets: Targets,
    folder: str,
    project: Project | None,
    boundary: Boundary,
    levels: Levels,
    *,
    check: bool,
    force: bool = False,
    records: bool = False,
    find_current: Callable[[Sequence[File]], Container[str]] = lambda _: (),
) -> Built:
    """Build outputs from a graph. Raises ProblemsError as ``build_project`` does.

    ``find_current`` returns the paths of files that are known to be current, which are not read.
    """
    files, generation_problems = generate_all(source.graph, targets.selected, project)
    of_themes = theme_problems(source.graph, project) if project else ()
    unmatched = selection_problems(source.graph, targets.selected, project) if project else ()
    false_syntax = undeclared(source.graph, project.config.outputs, project) if project else ()
    shared = shared_assets(files, targets.selected, project) if project else ()
    of_outputs = (*of_themes, *unmatched, *false_syntax, *generation_problems, *shared)
    problems = levels.applied((*source.problems, *of_outputs, *manifest_problems(folder)))
    stop_on_errors(problems)
    declared = source.graph.table.origins.count("local")
    if check:
        stale = tuple(stale_files(folder, files, targets.outputs(boundary), find_current(files)))
        untracked = "" if stale else untracked_manifest(folder)
        return Built(folder, declared, len(files), None, stale, problems, untracked)
    written = write_outputs(folder, files, targets.outputs(boundary), force=force, records=records)
    problems += (found := levels.applied((*map(_left, written.left), *map(_refused, written.refused))))
    stop_on_errors(found)  # only of a strict build, whose outputs are right: it is about files that are not written
    return Built(folder, declared, len(files), written, (), problems, untracked_manifest(folder))


def _left(path: str) -> Problem:
    what = f"{MANIFEST} lists it, but it neither names tokensync nor was written here"
    return problem("output-left", path, what, "delete it if it is not needed")


def _refused(path: str) -> Problem:
    what = f"it lists {path!r:.200}, which is outside the permitted folders; the entry is dropped"
    advice = "if you permitted that path earlier, delete the file yourself; if not, find out who added the entry"
    return problem("manifest-path", MANIFEST, what, advice)


_MIN_TOKENS_FOR_WORKER = 4_000
"""Below this, generating takes about as long as a second process needs to start and return its files: 30 ms."""
_LENGTH = 8
"""Bytes of the length prefix."""


class Generated(NamedTuple):
    """The files and problems of one output."""

    files: tuple[OutputFile, ...]
    problems: tuple[Problem, ...]


class _Header(NamedTuple):
    """The path and size of each file of one output, and its problems."""

    files: list[tuple[str, int]]
    problems: tuple[Problem, ...]


class _Worker(NamedTuple):
    """The second process, and the read end of the pipe from it."""

    process: int
    pipe: int


def generate_all(
    graph: TokenGraph, targets: Sequence[Target], project: Project | None
) -> tuple[list[File], list[Problem]]:
    """Return every file with its path below the output root, and all problems, in the order of the outputs.

    Raises ProblemsError if a template cannot be rendered.
    """
    from tokensync.generate.output import Resolution

    resolution = Resolution(graph)
    try:
        share = targets[: len(targets) // 2] if _merits_second_process(graph, targets) else ()
        worker = _start(resolution, share, project) if share else None
        try:
            own = [_generated(resolution, target, project) for target in targets[len(share) :]]
        finally:
            received = _receive(worker) if worker else None
        if received is None:
            received = [_generated(resolution, target, project) for target in share]
    finally:
        if any(target.config.templates for target in targets):
            from tokensync.generate.naming import sandbox

            sandbox.close()
    files: list[File] = []
    outputs: dict[Problem, dict[str, None]] = {}
    for target, generated in zip(targets, received + own, strict=True):
        prefix = f"{target.output.path}/" if target.output.path else ""
        name = f"{target.output.platform}/{target.output.path}".rstrip("/")
        files += [File(f"{prefix}{path}", content, target.output) for path, content in generated.files]
        for finding in generated.problems:
            outputs.setdefault(finding, {})[name] = None
    return files, [finding._replace(outputs=(*of_finding,)) for finding, of_finding in outputs.items()]


def _merits_second_process(graph: TokenGraph, targets: Sequence[Target]) -> bool:
    """Return whether the graph is large, a second processor is available, and a fork is safe.

    A fork copies only the calling thread, and macOS does not support continuing after one. User templates already
    run in a process of their own.
    """
    return (
        len(graph.table.paths) >= _MIN_TOKENS_FOR_WORKER
        and len(targets) > 1
        and sys.platform == "linux"
        and len(os.sched_getaffinity(0)) > 1
        and threading.active_count() == 1
        and not any(target.config.templates for target in targets)
    )


def _generated(resolution: Resolution, target: Target, project: Project | None) -> Generated:
    from tokensync.generate.targets import generate

    return Generated(*generate(resolution.graph, request_of(target.config, resolution.graph, project), resolution))


def _start(resolution: Resolution, targets: Sequence[Target], project: Project | None) -> _Worker | None:
    """Start generating outputs in a second process; return None if the system refuses one."""
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
        return _Worker(process, reader)
    try:
        os.close(reader)
        _send(writer, [_generated(resolution, target, project) for target in targets])
    finally:
        os._exit(0)  # without the exit handlers, which belong to the parent


def _send(writer: int, outputs: Sequence[Generated]) -> None:
    """Write the headers to a pipe, then the bytes of every file without copying them."""
    headers = [_Header([(path, len(content)) for path, content in files], problems) for files, problems in outputs]
    with open(writer, "wb") as pipe:
        encoded = msgspec.msgpack.encode(headers)
        pipe.write(len(encoded).to_bytes(_LENGTH))
        pipe.write(encoded)
        pipe.writelines(content for files, _ in outputs for _, content in files)


def _receive(worker: _Worker) -> list[Generated] | None:
    """Return what the second process generated; None if it ended early."""
    try:
        with open(worker.pipe, "rb") as pipe:
            encoded = _read(pipe, int.from_bytes(_read(pipe, _LENGTH)))
            return [
                Generated(tuple([OutputFile(path, _read(pipe, size)) for path, size in files]), problems)
                for files, problems in msgspec.msgpack.decode(encoded, type=list[_Header])
            ]
    except EOFError:
        return None
    finally:
        with suppress(ChildProcessError):  # a parent process may ignore SIGCHLD
            os.waitpid(worker.process, 0)


def _read(pipe: BinaryIO, size: int) -> bytes:
    """Return exactly ``size`` bytes. Raises EOFError if fewer are left."""
    content = pipe.read(size)
    if len(content) < size:
        raise EOFError
    return content


INTERVAL = 0.3
"""Seconds between two polls."""


def watch(
    paths: Sequence[str],
    run: Callable[[], None],
    *,
    again: Callable[[], bool] = lambda: True,
    interval: float = INTERVAL,
) -> None:
    """Call ``run`` now and after each change of the files or folders, until ``again`` returns False."""
    previous: tuple[tuple[str, int, int], ...] | None = None
    while True:
        current = tuple(_states(paths))
        if current != previous:
            previous = current
            run()
            gc.collect()  # automatic collection is disabled, and a watch runs all day
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
        status = os.stat(path)
    except (FileNotFoundError, PermissionError):  # deleted since it was listed, not created yet, or held open
        return
    yield path, status.st_size, status.st_mtime_ns
