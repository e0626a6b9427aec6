"""Layout of generated source code: line breaks in long expressions, and descriptions as comment lines."""

from __future__ import annotations

import re

WIDTH = 120
"""The longest line, in columns."""

_DEEPER = 4
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[()\[\],]')


def broken(expression: str, column: int, indent: int, *, trailing: str) -> str:
    """Return the expression, split into one line per argument when it does not fit on the line.

    ``column`` is where the expression begins and ``indent`` the indentation of its closing bracket. ``trailing``
    follows the last argument: a comma or nothing. An expression without arguments, such as a string, is not split.
    """
    if column + len(expression) <= WIDTH or "\n" in expression:
        return expression
    commas = _commas(expression)
    if not commas:
        return expression
    deeper = indent + _DEEPER
    arguments = [
        expression[start + 1 : end].strip()
        for start, end in zip(commas, (*commas[1:], len(expression) - 1), strict=True)
    ]
    lines = [f"{' ' * deeper}{broken(each, deeper, deeper, trailing=trailing)}" for each in arguments]
    opened, closed = expression[: commas[0] + 1], expression[-1]
    joined = ",\n".join(lines)
    return f"{opened}\n{joined}{trailing}\n{' ' * indent}{closed}"


def braced(expression: str, head: str, indent: int) -> str:
    """Return the inside of a Swift body's braces after ``head``: on the same line if it fits, else on its own lines."""
    if len(head) + len(expression) + len("{  }") <= WIDTH:
        return f" {expression} "
    deeper = indent + _DEEPER
    return f"\n{' ' * deeper}{broken(expression, deeper, deeper, trailing='')}\n{' ' * indent}"


def _commas(expression: str) -> list[int]:
    """Return the offset of the bracket pair that ends the expression, then those of the commas directly inside."""
    depth = end = 0
    offsets: list[int] = []
    for mark in _MARKS.finditer(expression):
        if mark[0] in "([":
            if depth == 0:
                offsets = [mark.start()]
            depth += 1
        elif mark[0] in ")]":
            depth -= 1
            end = mark.end()
        elif mark[0] == "," and depth == 1:
            offsets.append(mark.start())
    return offsets if offsets and depth == 0 and end == len(expression) and end > offsets[0] + 2 else []


def printable_lines(text: str) -> list[str]:
    """Return the lines of a text, with a space for each unprintable character; no lines for a blank text."""
    return ["".join(each if each.isprintable() else " " for each in line).strip() for line in text.strip().splitlines()]
