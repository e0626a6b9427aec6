"""Allow one apply at a time for each file, across processes."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from tokensync.disk import append_descriptor, content_of, make_folder, remove_file, replace_file
from tokensync.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Owner(Struct, frozen=True):
    """The process that holds a lock. ``since`` is in Unix seconds."""

    pid: int
    host: str
    since: float


@contextmanager
def locked(path: str, what: str, *, now: Callable[[], float] = time.time) -> Iterator[None]:
    """Hold the lock at ``path`` in a block. The system releases it when the process dies.

    ``what`` names the locked object in messages. Raises ConflictError with the owner and age of the lock if another
    process holds it.
    """
    import platform

    make_folder(os.path.dirname(path))
    owner = f"{path}.owner"  # not the lock itself: on Windows a locked file cannot be read
    descriptor = append_descriptor(path)
    try:
        try:
            _lock(descriptor)
        except (BlockingIOError, PermissionError):  # Windows has the latter
            raise ConflictError(_held(owner, what, now())) from None

        try:
            replace_file(owner, msgspec.json.encode(Owner(os.getpid(), platform.node(), now())))
            yield
        finally:
            with suppress(OSError):
                remove_file(owner)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed. Raises BlockingIOError or PermissionError if another process has it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _held(owner: str, what: str, now: float) -> str:
    try:
        found = msgspec.json.decode(content_of(owner) or b"", type=Owner)
    except (msgspec.DecodeError, UnicodeDecodeError):  # it is just being written or removed
        return f"{what}: another process is applying a plan to it; wait until it ends"
    age = max(0, int(now - found.since))
    who = f"process {found.pid} on {found.host[:60]}"
    return f"{what}: {who} has been applying a plan to it for {age} s; wait until it ends"
