"""Pages of a report: a cursor is the place of a page's last row, and belongs to the question that it came with."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from tokensync.emulator.endpoints import cursors
from tokensync.emulator.limits import ROWS_OF_ANALYTICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.emulator.analytics.reports import Position, Row


def page(rows: Sequence[Row], question: str, cursor: str | None) -> dict[str, Any]:
    """The rows after the cursor, as many as a page has. ``cursor`` in the answer is empty where there are no rows."""
    after = None if cursor is None else _read(cursor, question)
    left = rows if after is None else [row for row in rows if row.position > after]
    shown = left[:ROWS_OF_ANALYTICS]
    return {
        "rows": [row.members for row in shown],
        "next_page": len(left) > len(shown),
        "cursor": _written(shown[-1].position, question) if shown else "",
    }


def _written(position: Position, question: str) -> str:
    return cursors.written(zlib.crc32(question.encode()), *position)


def _read(cursor: str, question: str) -> Position:
    of_question, number, key = cursors.read(cursor, 3)
    if of_question != zlib.crc32(question.encode()) or type(number) is not int or type(key) is not str:
        raise cursors.refused()
    return number, key
