"""Paths: the names of a token's groups and its own, joined by dots.

A DTCG name holds no ``.``, ``{`` or ``}`` and does not start with ``$``; design files are less strict. What is not
allowed is percent-encoded, and so is a ``%`` that would read as such, which makes the spelling reversible.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEEDS_ENCODING = re.compile(r"[.{}]|^\$|%(?=[0-9A-Fa-f]{2})")
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
_EMPTY = "%00"


def path_of(names: Iterable[str]) -> str:
    """Return the path of these names, from the outermost group to the token."""
    return ".".join(encoded(name) for name in names)


def names(path: str) -> tuple[str, ...]:
    """Return the names that ``path_of`` was given."""
    if "%" not in path:
        return tuple(path.split("."))
    return tuple(decoded(segment) for segment in path.split("."))


def groups_around(path: str) -> Iterator[str]:
    """Yield the paths of a token's groups, from the innermost one.

    One at a time: kept together they are the square of the path, and a name may have thousands of slashes.
    """
    end = path.rfind(".")
    while end > 0:
        yield path[:end]
        end = path.rfind(".", 0, end)


def encoded(name: str) -> str:
    """Return one name as a legal DTCG name; an empty one, which the schema refuses, is ``%00``."""
    if name == "":
        return _EMPTY
    return _NEEDS_ENCODING.sub(lambda match: f"%{ord(match[0]):02X}", name)


def decoded(segment: str) -> str:
    """Return the name that ``encoded`` was given."""
    if segment == _EMPTY:
        return ""
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), segment)
