"""Patterns for paths, as configurations of JavaScript tools write them: ``tokens/**/*.{json,json5}``."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

_MOST_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]*)\}")


def matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern without braces; ``**`` stands for any number of folders."""
    steps = path.split("/")
    reached = {0}  # the numbers of steps of the path that the pattern can have matched
    for each in pattern.split("/"):
        if each == "**":
            reached = set(range(min(reached), len(steps) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(steps) and fnmatchcase(steps[at], each)}
        if not reached:
            return False
    return len(steps) in reached


def alternatives(pattern: str) -> list[str]:
    """Return the patterns without braces that a pattern stands for: ``a.{json,yml}`` for two."""
    pending, found = [pattern], list[str]()
    while pending and len(found) + len(pending) < _MOST_ALTERNATIVES:
        each = pending.pop(0)
        braces = _BRACES.search(each)
        if braces is None:
            found.append(each)
        else:
            pending += (each[: braces.start()] + one + each[braces.end() :] for one in braces[1].split(","))
    return found


def is_pattern(text: str) -> bool:
    """Return whether a text is a pattern, and not the path of one file."""
    return any(each in text for each in "*?[")
