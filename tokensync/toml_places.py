"""Where something stands in a TOML text: line and column of a key or table, for problems in what people edit.

One pass over a text that a TOML parser has taken; what stands inside an array or inline table is as far as its key.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Steps = tuple[str | int, ...]
"""The names and indices that lead to a value; the n-th ``[[outputs]]`` is ``("outputs", n)``, from 0."""

_LEXEME = re.compile(
    r"""
    (?P<comment>\#[^\n]*) | (?P<space>[^\S\n]+)
    | (?P<text>\"{3}(?:[^\\]|\\.)*?\"{3,5} | '{3}.*?'{3,5} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*')
    | (?P<mark>[\[\]{}=.\n]) | (?P<bare>[^\s\#"'\[\]{}=.]+)
    """,
    re.DOTALL | re.VERBOSE,
)


def toml_places(text: str) -> dict[Steps, tuple[int, int]]:
    """Return the line and column, both from 1, of every table and of every key outside arrays and inline tables."""
    places: dict[Steps, tuple[int, int]] = {}
    table: Steps = ()
    lengths: dict[Steps, int] = {}
    for line, column, brackets, names in _statements(text):
        if brackets:
            table = _table(names, brackets == 2, lengths)
            steps = table
        else:
            steps = (*table, *names)
        for length in range(1, len(steps) + 1):
            places.setdefault(steps[:length], (line, column))
    return places


def nearest(places: Mapping[Steps, tuple[int, int]], steps: Steps) -> tuple[int, int] | None:
    """Return the place of a value, or of the nearest one around it that has one; None for the text as a whole."""
    for length in range(len(steps), 0, -1):
        if place := places.get(steps[:length]):
            return place
    return None


def _table(names: list[str], is_array: bool, lengths: dict[Steps, int]) -> Steps:
    """Return the steps of a table's header; within an array of tables it belongs to the last one so far."""
    steps: Steps = ()
    for name in names[:-1]:
        steps = (*steps, name)
        if steps in lengths:
            steps = (*steps, lengths[steps] - 1)
    steps = (*steps, names[-1])
    if is_array:
        lengths[steps] = lengths.get(steps, 0) + 1
        steps = (*steps, lengths[steps] - 1)
    return steps


def _statements(text: str) -> Iterator[tuple[int, int, int, list[str]]]:
    """Yield each header and each key: line, column, how many brackets it opens with (0 for a key), and its names."""
    line, line_start, depth = 1, 0, 0
    place = (0, 0)
    names: list[str] = []
    brackets, in_value = 0, False
    for lexeme in _LEXEME.finditer(text):
        kind, part = lexeme.lastgroup, lexeme[0]
        if part == "\n" and depth == 0:
            names, brackets, in_value = [], 0, False
        elif in_value:
            depth += (part in ("[", "{")) - (part in ("]", "}")) if kind == "mark" else 0
        elif kind in ("bare", "text") or part == "[":
            if not names and not brackets:
                place = (line, lexeme.start() - line_start + 1)
            if part == "[":
                brackets += 1
            else:
                names.append(_name(part))
        elif part in ("=", "]") and names:
            yield *place, brackets, names
            in_value = True
            depth = max(brackets - 1, 0)  # the second bracket of an array of tables closes after this
        if newlines := part.count("\n"):
            line += newlines
            line_start = lexeme.start() + part.rindex("\n") + 1


def _name(written: str) -> str:
    if written.startswith("'"):
        return written[1:-1]
    if written.startswith('"'):
        try:
            return str(json.loads(written))
        except ValueError:  # an escape that TOML has and JSON has not
            return written[1:-1]
    return written
