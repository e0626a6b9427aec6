"""Token paths: the names of the groups and of the token, joined by dots.

A DTCG name contains no ``.``, ``{`` or ``}`` and does not start with ``$``; names in design files may. Such characters
are percent-encoded, and so is an ambiguous ``%``, which makes the encoding reversible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_NEEDS_ENCODING = re.compile(r"[.{}]|^\$|%(?=[0-9A-Fa-f]{2})")
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
_EMPTY = "%00"


def path_of(names: Iterable[str]) -> str:
    """Return the path of names, from the outermost group to the token."""
    return ".".join(encoded(name) for name in names)


def names(path: str) -> tuple[str, ...]:
    """Return the names of a path (the inverse of ``path_of``)."""
    if "%" not in path:
        return tuple(path.split("."))
    return tuple(decoded(segment) for segment in path.split("."))


def groups_around(path: str) -> Iterator[str]:
    """Yield the paths of a token's groups, from the innermost one.

    A list of all would grow quadratically, and a name may have thousands of slashes.
    """
    end = path.rfind(".")
    while end > 0:
        yield path[:end]
        end = path.rfind(".", 0, end)


def encoded(name: str) -> str:
    """Return a name as a valid DTCG name. An empty name, which the schema forbids, is ``%00``."""
    if name == "":
        return _EMPTY
    return _NEEDS_ENCODING.sub(lambda match: f"%{ord(match[0]):02X}", name)


def decoded(segment: str) -> str:
    """Return the name of an encoded segment (the inverse of ``encoded``)."""
    if segment == _EMPTY:
        return ""
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), segment)
