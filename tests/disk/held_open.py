"""Faults of files that another program holds open: what Windows answers then, on every system."""

import errno
import os

import pytest

from tokensync import disk

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
            error = PermissionError(errno.EACCES, "Access is denied", path)
            error.winerror = code
            raise error
        return function(*arguments, **options)

    return refuse
