"""One apply at a time a file: a lock that says who has it, and that does not outlive its process for long."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

import msgspec
from msgspec import Struct

from tokensync.disk import replace_file
from tokensync.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

_BIRTH = 10.0
"""Seconds after which a lock without an owner in it is that of a process that died while making it."""


class Owner(Struct, frozen=True):
    """Who has a lock. ``since`` is Unix seconds; ``mark`` tells two processes apart that got the same number."""

    pid: int
    host: str
    since: float
    mark: str


class FileLock:
    """A context that only one process at a time is in. ``what`` says what is locked, for messages.

    A lock whose process on this host is gone is taken over, and ``say`` is told. Raises ConflictError, with the owner
    and the age of the lock, when somebody else has it.
    """

    def __init__(
        self,
        path: str,
        what: str,
        *,
        say: Callable[[str], None] = lambda text: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._what = what
        self._say = say
        self._now = now
        self._owner = b""

    def __enter__(self) -> Self:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        self._owner = msgspec.json.encode(Owner(os.getpid(), _host(), self._now(), _mark()))
        if not _made(self._path, self._owner):
            self._take_over()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with suppress(OSError):
            if _read(self._path) == self._owner:
                os.unlink(self._path)

    def _take_over(self) -> None:
        """Only one process at a time may look whether the owner is gone, and put itself in its place."""
        with _gate(f"{self._path}.taking-over") as is_ours:
            if not is_ours:
                raise ConflictError(f"{self._what}: another process is just taking over its lock; try again")
            content = _read(self._path)
            if content is None:  # it was let go just now, and a third one may be as quick
                if not _made(self._path, self._owner):
                    raise ConflictError(self._held(None))
                return
            owner = _owner(content)
            if not self._is_gone(owner):
                raise ConflictError(self._held(owner))
            replace_file(self._path, self._owner)
        gone = "a process that died" if owner is None else f"process {owner.pid}, which is gone"
        self._say(f"{self._what}: taking over the lock of {gone}")

    def _is_gone(self, owner: Owner | None) -> bool:
        if owner is None:
            with suppress(OSError):
                return self._now() - os.stat(self._path).st_mtime > _BIRTH
            return True
        if owner.host != _host():
            return False
        if owner.pid == os.getpid():
            return owner.mark != _mark()
        return not is_running(owner.pid)

    def _held(self, owner: Owner | None) -> str:
        if owner is None:
            return f"{self._path}: {self._what} is just being locked by another process; try again"
        age = max(0, int(self._now() - owner.since))
        return (
            f"{self._what}: process {owner.pid} on {owner.host[:60]} has been applying a plan to it for {age} s; "
            f"wait for it, or remove {self._path} if it is not running any more"
        )


@contextmanager
def _gate(path: str) -> Iterator[bool]:
    """Whether nobody else is in this context. The system lets go of it when its process dies, wherever that is.

    The file stays: a gate that is removed could be passed by one who had it open and by one who makes it anew.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield _is_locked(descriptor)
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    """Lock a file that is open until it is closed; False when another process has locked it."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_running(pid: int) -> bool:
    """Return whether a process of this host is there; in doubt it is."""
    if os.name == "nt":
        return _is_running_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's
        return True
    return True


def _is_running_on_windows(pid: int) -> bool:
    """There, ``os.kill`` would end the process."""
    import ctypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined, unused-ignore]
    handle = kernel.OpenProcess(0x1000, False, pid)  # the right to ask little about it
    if not handle:
        return bool(ctypes.get_last_error() == 5)  # type: ignore[attr-defined, unused-ignore]  # there, but not ours
    code = ctypes.c_ulong()
    known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return not known or code.value == 259  # still active


def _made(path: str, content: bytes) -> bool:
    """Make a file that is not there yet; False when it is."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except FileExistsError:
        return False
    try:
        os.write(descriptor, content)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise
    finally:
        os.close(descriptor)
    return True


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _owner(content: bytes) -> Owner | None:
    try:
        return msgspec.json.decode(content, type=Owner)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _host() -> str:
    import platform

    return platform.node()


_MARK: list[str] = []


def _mark() -> str:
    """Return a random text of this process, made when it is first needed."""
    if not _MARK or _MARK[0].partition("-")[0] != str(os.getpid()):  # a fork is another process
        import secrets

        _MARK[:] = [f"{os.getpid()}-{secrets.token_hex(8)}"]
    return _MARK[0]
