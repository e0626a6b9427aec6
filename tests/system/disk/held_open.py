"""Faults of files that another program holds open: what Windows answers then, on every system."""

import errno
import os
import re
import sys
from contextlib import contextmanager

import pytest

from tokensync.system import disk

named = pytest.mark.skipif(sys.platform not in ("linux", "win32"), reason="finds the folder of a descriptor in /proc")
"""For tests with ``holding``."""
CALLS = {"replace": 1, "unlink": 0, "stat": 0, "open": 0}
"""The functions of ``os`` that such a file refuses, and their argument that names it."""


@pytest.fixture
def pauses(monkeypatch):
    """Return the pauses that were made, without waiting."""
    waited = []
    monkeypatch.setattr(disk.time, "sleep", waited.append)
    return waited


@pytest.fixture
def held(monkeypatch, pauses):
    """Return a function that holds the files with a name open for a number of attempts."""

    def hold(name, *, calls=tuple(CALLS), attempts=10**6, code=32):
        left = [attempts]
        for call in calls:
            monkeypatch.setattr(os, call, _refusing(getattr(os, call), CALLS[call], name, left, code))

    return hold


def _refusing(function, position, name, left, code):
    def refuse(*arguments, **options):
        path = os.fspath(arguments[position])
        if os.path.basename(path) == name and left[0]:
            left[0] -= 1
            raise _refusal(path, code)
        return function(*arguments, **options)

    return refuse


_TIME = re.compile(r"[0-9]{8}T[0-9]{6}Z")


def _refusal(path, code):
    error = PermissionError(errno.EACCES, "Access is denied", path)
    error.winerror = code
    return error


@contextmanager
def holding(folder, is_held, *, calls=("replace", "unlink"), code=32):
    """Refuse calls for files below a folder in a block: those for which ``is_held`` says so, given call and path.

    It is not asked about folders and temporary files. In the paths, a time of the run is ``TIME``.
    """
    functions = {name: getattr(os, name) for name in calls}
    sleep = disk.time.sleep
    disk.time.sleep = lambda seconds: None
    for name, function in functions.items():
        setattr(os, name, _asking(name, function, folder, is_held, code))
    try:
        yield
    finally:
        disk.time.sleep = sleep
        for name, function in functions.items():
            setattr(os, name, function)


def _asking(call, function, folder, is_held, code):
    def ask(*arguments, **options):
        path = arguments[CALLS[call]]
        if isinstance(path, str) and ".tokensync-" not in path:
            parent = options.get("dst_dir_fd" if call == "replace" else "dir_fd")
            whole = os.path.join(os.readlink(f"/proc/self/fd/{parent}") if parent is not None else os.getcwd(), path)
            is_near = os.path.splitdrive(whole)[0] == os.path.splitdrive(folder)[0]
            below = os.path.relpath(whole, folder).replace(os.sep, "/") if is_near else "../"
            can_be_held = os.path.isfile(whole) or (call == "replace" and not os.path.isdir(whole))
            if can_be_held and not below.startswith("../") and is_held(call, _TIME.sub("TIME", below)):
                raise _refusal(path, code)
        return function(*arguments, **options)

    return ask
