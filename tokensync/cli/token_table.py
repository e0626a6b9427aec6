"""The tokens as tables: with type, value and CSS name, or with their names on every platform."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tokensync.cli.table import Swatch
from tokensync.commands.tokens import shown as shown_value
from tokensync.tokens import DEFAULT_THEME, Color
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.table import Cell
    from tokensync.commands.tokens import Row
    from tokensync.tokens import Resolved, TokenGraph

_HEADER = ("COLLECTION", "TOKEN", "TYPE", "VALUE", "CSS")


def token_table(rows: Sequence[Row], graph: TokenGraph, *, in_colour: bool) -> list[tuple[Cell, ...]]:
    """Return the rows of the table. In colour, a swatch stands before each colour where the terminal can."""
    with_swatches = in_colour and os.environ.get("COLORTERM") in ("truecolor", "24bit")
    resolver = graph.resolver(DEFAULT_THEME)
    of_files = len({row.token.key.file for row in rows}) > 1
    lines: list[tuple[Cell, ...]] = [("FILE", *_HEADER) if of_files else _HEADER]
    for row in rows:
        key = row.token.key
        value = resolver(key)
        text = shown_value(row.token, value)
        cells = (key.collection, "/".join(names(key.path)), row.token.public_type, text, row.names.get("css", ""))
        lines.append((key.file, *cells) if of_files else cells)
    if with_swatches:
        column = _HEADER.index("VALUE") + of_files
        swatches = [None, *(_swatch(resolver(row.token.key)) for row in rows)]
        lines = [(*line[:column], swatch, *line[column:]) for line, swatch in zip(lines, swatches, strict=True)]
    return lines


def name_table(rows: Sequence[Row]) -> list[tuple[Cell, ...]]:
    """Return the rows of a table with the names of each token on every platform that the rows know."""
    of_files = len({row.token.key.file for row in rows}) > 1
    platforms = list(dict.fromkeys(platform for row in rows for platform in row.names))
    lines: list[tuple[Cell, ...]] = [
        (*(("FILE",) if of_files else ()), "COLLECTION", "TOKEN", *(each.upper() for each in platforms))
    ]
    for row in rows:
        key = row.token.key
        texts = (key.collection, "/".join(names(key.path)), *(row.names.get(each, "") for each in platforms))
        lines.append((key.file, *texts) if of_files else texts)
    return lines


def _swatch(value: Resolved) -> Swatch | None:
    if not isinstance(value, Color):
        return None
    return Swatch(*(int(min(max(each, 0.0), 1.0) * 255 + 0.5) for each in (value.red, value.green, value.blue)))
