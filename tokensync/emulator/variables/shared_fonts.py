"""String variables that text in a font shared by the organization is bound to: no request can update them (rule 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.emulator.endpoints.refusal import invalid

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.variables.draft import Draft, Variable


def bind(connection: sqlite3.Connection, file: int, id_: str, *, bound: bool) -> None:
    """Bind such text to a variable, or none any more."""
    if bound:
        connection.execute("INSERT OR IGNORE INTO bound_to_shared_fonts VALUES (?, ?)", (file, id_))
    else:
        connection.execute("DELETE FROM bound_to_shared_fonts WHERE file = ? AND variable = ?", (file, id_))


def check(draft: Draft, variable: Variable) -> None:
    """Refuse a change of a variable that such text is bound to."""
    if variable.type != "STRING" or variable.is_new:
        return
    query = "SELECT 1 FROM bound_to_shared_fonts WHERE file = ? AND variable = ?"
    if draft.connection.execute(query, (draft.file.number, variable.id)).fetchone() is not None:
        what = "Some node properties bound to the following variables could not be updated"
        raise invalid(f"{what}: {variable.id}")
