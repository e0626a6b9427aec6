"""Allow one apply at a time for each file, across processes, containers and machines.

A lock is held twice: by the system, which releases it when the process dies, and by a record of the process. The
system's lock does not reach beyond a virtual machine's or network's file system. So what it grants still has to agree
with the record: a lock is taken over only if its owner is known to have ended.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated

import msgspec
from msgspec import Struct

from tokensync.system.disk import (
    append_descriptor,
    content_of,
    make_folder,
    open_file,
    remove_file,
    replace_file,
    shown_path,
)
from tokensync.system.errors import DECODE_ERRORS, ConflictError

_FIRST_NAMESPACE = "pid:[4026531836]"
"""The process namespace of a Linux machine itself; every container has another one."""


_RECORD = ".owner"


class Owner(Struct, frozen=True):
    """The process that holds a lock. ``since`` is in Unix seconds.

    The other members are of Linux, and empty elsewhere: the namespace of the process id, the digest of the machine's
    id, the id of the machine's start, and the start of the process in clock ticks after that.
    """

    pid: int
    host: str
    since: Annotated[float, msgspec.Meta(ge=0, le=253_402_300_799)]  # to the end of the year 9999
    namespace: str = ""
    machine: str = ""
    boot: str = ""
    started: str = ""


@contextmanager
def locked(path: str, what: str, *, now: Callable[[], float] = time.time) -> Iterator[None]:
    """Hold the lock at ``path`` in a block. The system releases it when the process dies.

    ``what`` names the locked object in messages. Raises ConflictError with the owner and age of the lock if another
    process holds it, or if it cannot be known that its owner has ended.
    """
    make_folder(os.path.dirname(path))
    record = f"{path}{_RECORD}"  # not the lock itself: on Windows a locked file cannot be read
    descriptor = append_descriptor(path)
    try:
        try:
            _acquire(descriptor)
        except (BlockingIOError, PermissionError):  # Windows has the latter
            raise ConflictError(_held(_owner(record), what, now())) from None
        except OSError as error:  # some network file systems have no locks
            raise OSError(error.errno, error.strerror, path) from None
        former = _owner(record)  # whom the record still names
        own = this_process(now())
        if former is not None:
            _refuse_unless_ended(former, own, record, what)
        try:
            replace_file(record, msgspec.json.encode(own))
            yield
        finally:
            with suppress(OSError):
                remove_file(record)
    finally:
        os.close(descriptor)


def lock_owners(folder: str) -> Iterator[tuple[str, Owner, bool | None]]:
    """Yield the locks in a folder that have an owner, with it, and whether it has ended; None if that is not known."""
    own = this_process(0.0)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for lock in (name.removesuffix(_RECORD) for name in names if name.endswith(_RECORD)):
        path = os.path.join(folder, lock)
        if (owner := _owner(path + _RECORD)) is not None:
            is_known = owner.host != own.host or owner.namespace or own.namespace
            yield shown_path(path), owner, _has_ended(owner, own) if is_known else not _is_held(path)


def _acquire(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_held(path: str) -> bool:
    """Return whether a process has the system's lock at ``path``; for a moment, this one has it if none does."""
    try:
        with open_file(path) as file:
            _acquire(file.fileno())
    except (BlockingIOError, PermissionError):
        return True
    except OSError:  # no such file, or no locks
        return False
    return False


def _owner(record: str) -> Owner | None:
    """Return the owner in a record; None if there is none, or if it is just being written or removed."""
    try:
        return msgspec.json.decode(content_of(record) or b"", type=Owner)
    except DECODE_ERRORS:
        return None


def _held(owner: Owner | None, what: str, now: float) -> str:
    if owner is None:
        return f"{what}: another process is applying a plan to it; wait until it ends"
    age = max(0, int(now - owner.since))
    who = f"process {owner.pid} on {owner.host[:60]}"
    return f"{what}: {who} has been applying a plan to it for {age} s; wait until it ends"


def _refuse_unless_ended(former: Owner, own: Owner, record: str, what: str) -> None:
    """Raise ConflictError unless the former owner is known to have ended."""
    match _has_ended(former, own):
        case True:
            return
        case False:
            raise ConflictError(_held(former, what, own.since))
    who = f"process {former.pid} on {former.host[:60]}, in another container or on another machine,"
    advice = f"wait until it ends, or if it has ended, delete {shown_path(record)}"
    raise ConflictError(f"{what}: {who} may still be applying a plan to it; {advice}")


def _has_ended(former: Owner, own: Owner) -> bool | None:
    """Return whether the former owner of a lock that the system has granted to this process has ended; None if unknown.

    A process id means nothing in another namespace, also if the host has the same name.
    """
    if former.host != own.host:
        return None
    if former.namespace == own.namespace == "":  # macOS and Windows: the system's lock is the proof
        return True
    if (former.boot, former.namespace) == (own.boot, own.namespace):
        started = _start_of(former.pid)
        return None if started is None else started != former.started
    was_restarted = former.boot != own.boot and (former.machine, former.namespace) == (own.machine, _FIRST_NAMESPACE)
    return True if was_restarted and own.machine and own.namespace == _FIRST_NAMESPACE else None


def this_process(now: float) -> Owner:
    """Return this process as the owner of a lock since ``now``."""
    import socket

    machine, namespace = _line_of("/etc/machine-id"), ""
    with suppress(OSError):
        namespace = os.readlink("/proc/self/ns/pid")
    return Owner(
        os.getpid(),
        socket.gethostname(),  # platform.node() starts cmd.exe on Windows up to Python 3.12
        now,
        namespace,
        hashlib.sha256(machine.encode()).hexdigest()[:16] if machine else "",
        _line_of("/proc/sys/kernel/random/boot_id"),
        _start_in(_line_of("/proc/self/stat")),
    )


def _start_of(pid: int) -> str | None:
    """Return the start of a process of this namespace, empty if there is none; None if it cannot be known."""
    with suppress(OSError):
        if os.readlink("/proc/self") == str(os.getpid()):  # else the processes there are those of another namespace
            return _start_in(_line_of(f"/proc/{pid}/stat"))
    return None


def _start_in(status: str) -> str:
    """Return the start in a line of ``/proc/PID/stat``: the 20th field after the name, which may contain anything."""
    return "".join(status.rpartition(")")[2].split()[19:20])


def _line_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""
