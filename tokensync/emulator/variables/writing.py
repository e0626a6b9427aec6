"""POST variables: four arrays in their order, each change checked against the state so far, all or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.endpoints.refusal import invalid
from tokensync.emulator.variables import collections, mode_values, modes, variables
from tokensync.emulator.variables.change import changes
from tokensync.emulator.variables.deletion import sweep
from tokensync.emulator.variables.draft import Draft

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.filing.files import File
    from tokensync.emulator.state.identity import Identities
    from tokensync.emulator.variables.change import Change

_ARRAYS: Final[dict[str, Callable[[Draft, Change], None]]] = {
    "variableCollections": collections.apply,
    "variableModes": modes.apply,
    "variables": variables.apply,
    "variableModeValues": mode_values.apply,
}


def post(connection: sqlite3.Connection, file: File, identities: Identities, body: dict[str, Any]) -> dict[str, str]:
    """Carry out a request's changes and return its temporary ids with the real ids they became.

    A Refusal ends it; the caller's transaction then undoes what was stored.
    """
    if not any(array in body for array in _ARRAYS):
        raise invalid(f"Request body must have at least one of {', '.join(_ARRAYS)}")
    draft = Draft(connection, file, identities)
    for array, apply in _ARRAYS.items():
        for change in changes(body, array):
            apply(draft, change)
    draft.save()
    sweep(draft)
    return draft.real_ids
