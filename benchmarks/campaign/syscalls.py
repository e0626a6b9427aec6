"""Runs a function in a process whose system calls that write are counted; one of them fails, or ends the process.

Linux's seccomp hands each such call of the process, its threads and the programs that it starts to this process, which
decides (seccomp_unotify(2)). So SQLite's and git's own calls are reached, too. What a process writes to mapped memory
is no call; SQLite does so in its index of the log (``-shm``), which it makes anew.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

IS_POSSIBLE = sys.platform == "linux" and platform.machine() == "x86_64"

_BY_DESCRIPTOR = dict(
    zip(
        (1, 18, 20, 296, 40, 326, 74, 75, 77, 285, 91),
        "write pwrite writev pwritev sendfile copy_file_range fsync fdatasync ftruncate fallocate fchmod".split(),
        strict=True,
    )
)
_BY_PATH = dict(
    zip(
        (2, 85, 76, 82, 83, 84, 86, 87, 88, 90),
        "open creat truncate rename mkdir rmdir link unlink symlink chmod".split(),
        strict=True,
    )
)
_BY_FOLDER = dict(
    zip(
        (257, 258, 263, 264, 265, 266, 268, 316),
        "openat mkdirat unlinkat renameat linkat symlinkat fchmodat renameat2".split(),
        strict=True,
    )
)
"""Calls by their numbers: of an open file, of a path, and of a path in an open folder."""
_FLAGS = {"open": 1, "openat": 2}
"""The argument with the flags; without one of these, the call writes nothing."""
_WRITING = os.O_CREAT | os.O_TRUNC
FREES_SPACE = ("unlink", "unlinkat", "rmdir", "ftruncate", "truncate", "fchmod", "chmod", "fchmodat")
"""Calls that a full disk does not refuse."""
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ASK = 0x7FFF0000, 0x7FC00000
_RECEIVE, _SEND, _NOTIFICATION = 0xC0502100, 0xC0182101, 80
_SECCOMP, _FILTER, _NEW_LISTENER, _NO_NEW_PRIVILEGES = 317, 1, 8, 38
_LONGEST = 60.0
"""Seconds after which a process hangs."""


class Ended(NamedTuple):
    """How a process ended: its exit code, negative for a signal, and the calls that it made, with their paths."""

    code: int
    calls: tuple[str, ...]


def _listener() -> int:
    """Let another process decide about this process's writing calls; return the descriptor for that."""
    numbers = [*_BY_DESCRIPTOR, *_BY_PATH, *_BY_FOLDER]
    code = struct.pack("HBBI", _LOAD, 0, 0, 0)
    for index, number in enumerate(numbers):
        code += struct.pack("HBBI", _EQUAL, len(numbers) - index, 0, number)
    code += struct.pack("HBBI", _RETURN, 0, 0, _ALLOW) + struct.pack("HBBI", _RETURN, 0, 0, _ASK)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    descriptor: int = libc.syscall(_SECCOMP, _FILTER, _NEW_LISTENER, program)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return descriptor


def run(action: Callable[[], None], root: str, *, fault: str = "", at: int = 0, until: str = "") -> Ended:
    """Run an action in a fork, and count the calls that write below a folder.

    ``fault`` happens at the call of this number, from 1: "kill", "EIO", or "ENOSPC", which stays. A process that waits
    for somebody gets Ctrl-C when the file ``until`` has content.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        listener = _listener()
        socket.send_fds(theirs, [b"."], [listener])
        os.close(listener)
        theirs.close()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background processes ignore it
        with suppress(BaseException):
            action()
        os._exit(1)
    theirs.close()
    _, (listener,), _, _ = socket.recv_fds(ours, 1, 1)
    ours.close()
    calls: list[str] = []
    try:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        waited, is_interrupted = 0.0, False
        while waited < _LONGEST:
            events = poll.poll(50)
            if not events:
                waited += 0.05
                if until and not is_interrupted and os.path.getsize(until):
                    is_interrupted = True
                    os.kill(pid, signal.SIGINT)
                continue
            if not events[0][1] & select.POLLIN:  # the process and the programs that it started have ended
                break
            _decide(listener, pid, os.path.join(root, ""), calls, fault, at)
        else:
            os.kill(pid, signal.SIGKILL)
            calls.append("hangs")
        return Ended(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), tuple(calls))
    finally:
        os.close(listener)


def _decide(listener: int, pid: int, root: str, calls: list[str], fault: str, at: int) -> None:
    """Receive a call, and let it happen or not."""
    notification = bytearray(_NOTIFICATION)
    try:
        fcntl.ioctl(listener, _RECEIVE, notification)
    except OSError:  # the process was killed meanwhile
        return
    id_, caller, _, number, _, _, *arguments = struct.unpack_from("QIIiIQ6Q", notification)
    name, path = _call(caller, number, arguments)
    error = 0
    if path.startswith(root):
        calls.append(f"{name} {path[len(root) :]}")
        is_due = len(calls) == at or (fault == "ENOSPC" and 0 < at < len(calls))
        if is_due and fault == "kill":
            for process in {pid, caller}:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return
        if is_due and fault and not (fault == "ENOSPC" and name in FREES_SPACE):
            error = getattr(errno, fault)
    with suppress(OSError):
        fcntl.ioctl(listener, _SEND, bytearray(struct.pack("QqiI", id_, 0, -error, 0 if error else 1)))


def _call(caller: int, number: int, arguments: list[int]) -> tuple[str, str]:
    """Return the name of a call, and the path of its file; empty if it writes to none."""
    try:
        if number in _BY_DESCRIPTOR:
            of_descriptor = arguments[0] & 0xFFFFFFFF
            return _BY_DESCRIPTOR[number], os.readlink(f"/proc/{caller}/fd/{of_descriptor}")
        name = _BY_PATH.get(number) or _BY_FOLDER[number]
        if name in _FLAGS and not arguments[_FLAGS[name]] & _WRITING:
            return name, ""
        index = 2 if name == "symlinkat" else 1 if number in _BY_FOLDER or name == "symlink" else 0
        with open(f"/proc/{caller}/mem", "rb", 0) as memory:
            memory.seek(arguments[index])
            path = os.fsdecode(memory.read(4096).partition(b"\0")[0])
        folder = struct.unpack("i", struct.pack("I", arguments[index - 1] & 0xFFFFFFFF))[0]
        is_relative = number in _BY_FOLDER and folder >= 0
        top = os.readlink(f"/proc/{caller}/{f'fd/{folder}' if is_relative else 'cwd'}")
        return name, os.path.normpath(os.path.join(top, path))
    except OSError:  # the process was killed meanwhile
        return "", ""
