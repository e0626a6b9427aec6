"""Allow one apply at a time for each file, across processes."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from tokensync.disk import content_of, replace_file
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
    from filelock import FileLock, Timeout

    os.makedirs(os.path.dirname(path), exist_ok=True)
    lock = FileLock(path)
    owner = f"{path}.owner"  # not the lock itself: on Windows a locked file cannot be read
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ConflictError(_held(owner, what, now())) from None
    try:
        import platform

        replace_file(owner, msgspec.json.encode(Owner(os.getpid(), platform.node(), now())))
        yield
    finally:
        with suppress(OSError):
            os.unlink(owner)
        lock.release()


def _held(owner: str, what: str, now: float) -> str:
    try:
        found = msgspec.json.decode(content_of(owner) or b"", type=Owner)
    except (msgspec.DecodeError, UnicodeDecodeError):  # it is just being written or removed
        return f"{what}: another process is applying a plan to it; wait until it ends"
    age = max(0, int(now - found.since))
    who = f"process {found.pid} on {found.host[:60]}"
    return f"{what}: {who} has been applying a plan to it for {age} s; wait until it ends"
