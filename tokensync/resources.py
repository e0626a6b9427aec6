"""Find the shipped files: the top-level folders ``templates``, ``config`` and ``examples``.

In a wheel they are in ``tokensync/_data``; in a checkout (and an editable install) beside the package.
"""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_SHIPPED = os.path.join(_PACKAGE, "_data")
ROOT = _SHIPPED if os.path.isdir(_SHIPPED) else os.path.dirname(_PACKAGE)
"""The folder that holds ``templates``, ``config`` and ``examples``."""


def path(*parts: str) -> str:
    """Return the absolute path of a shipped file or folder, for example ``path("templates", "css")``."""
    return os.path.join(ROOT, *parts)


def read_bytes(*parts: str) -> bytes:
    """Return the content of a shipped file."""
    with open(path(*parts), "rb") as file:
        return file.read()


def read_text(*parts: str) -> str:
    """Return the content of a shipped text file."""
    return read_bytes(*parts).decode("utf-8")
