"""Generates the files of all outputs of a build, in two processes where that is worth it.

On Linux, a second process made by ``fork`` has the whole graph without a copy. It generates the first half of the
outputs of a large graph and sends their files through a pipe, while this process generates the others. Whatever goes
wrong there is not sent: this process then generates those outputs too, and meets the fault itself.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from tokensync.commands.manifest import File
from tokensync.commands.targets import request_of
from tokensync.generate.request import OutputFile
from tokensync.problems import Problem  # noqa: TC001  (msgspec reads the annotations)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.commands.targets import Target
    from tokensync.config import Project
    from tokensync.generate import Resolution
    from tokensync.tokens import TokenGraph

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
