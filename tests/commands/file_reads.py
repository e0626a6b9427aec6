"""A record of the files that are read below a folder, by any code and program (Linux)."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IS_POSSIBLE = sys.platform == "linux"
_IN_ACCESS, _IN_OPEN, _IN_ISDIR = 0x1, 0x20, 0x40000000
_EVENT = struct.Struct("iIII")


@contextmanager
def read_files(folder: Path) -> Iterator[set[str]]:
    """Yield a set that has the paths of the files that were opened or read in the block, when it ends.

    It stays empty where ``IS_POSSIBLE`` is false.
    """
    if not IS_POSSIBLE:
        yield set()
        return
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert descriptor >= 0, os.strerror(ctypes.get_errno())
    found: set[str] = set()
    try:
        watched = {}
        for each in (folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())):
            watch = libc.inotify_add_watch(descriptor, os.fsencode(each), _IN_ACCESS | _IN_OPEN)
            assert watch >= 0, os.strerror(ctypes.get_errno())
            watched[watch] = each.relative_to(folder)
        yield found
        while events := _pending(descriptor):
            at = 0
            while at < len(events):
                watch, mask, _, length = _EVENT.unpack_from(events, at)
                name = events[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
                at += _EVENT.size + length
                if name and not mask & _IN_ISDIR:
                    found.add((watched[watch] / os.fsdecode(name)).as_posix())
    finally:
        os.close(descriptor)


def _pending(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return b""
