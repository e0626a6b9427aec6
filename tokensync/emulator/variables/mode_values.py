"""VariableModeValue: a variable's value in one mode, its own or an extended collection's override."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.emulator.variables import graph, shared_fonts, states
from tokensync.emulator.variables.mode_ids import owner
from tokensync.emulator.variables.values import stored

if TYPE_CHECKING:
    from tokensync.emulator.variables.change import Change
    from tokensync.emulator.variables.draft import Collection, Draft, Variable


def apply(draft: Draft, change: Change) -> None:
    """Set one value; a rule that it breaks is a Refusal.

    A remote variable can be overridden by a local collection that extends its own: that changes the local one only.
    """
    variable = draft.known_variable(change, "variableId")
    mode = draft.real(change.required_text("modeId"))
    if "value" not in change.members:
        raise change.refusal("value", "is required")
    shared_fonts.check(draft, variable)
    value = change.members["value"]
    extension = _extension(draft, change, variable, mode)
    if extension is None:
        _check_own_mode(draft, change, variable, mode)
        if value is None:
            raise change.refusal("value", "null removes an override, and this mode is not of an extended collection")
    elif value is None:
        _remove_override(draft, extension, variable, mode)
        return
    kept = stored(draft, change, variable.type, value)
    for target in graph.targets(kept):
        if graph.leads_to(draft.connection, draft.file.number, target, variable.id):
            why = "an alias cannot point to the variable itself" if target == variable.id else "aliases form a cycle"
            raise change.refusal("value", why)
    if extension is None:
        variable.values[mode] = kept
        variable.is_touched = True
    else:
        extension.overrides.setdefault(variable.id, {})[mode] = kept
        extension.is_touched = True
    graph.record(draft.connection, draft.file.number, variable.id, mode, kept)


def _extension(draft: Draft, change: Change, variable: Variable, mode: str) -> Collection | None:
    """Return the extended collection whose mode this is; None when the id is not of the form of an extended mode's."""
    id_ = owner(mode)
    if id_ is None:
        return None
    extension = draft.collection(id_)
    if extension is None or extension.state != states.LIVE or mode not in extension.mode_ids:
        raise change.refusal("modeId", f"mode {mode!r} not found")
    if extension.root != variable.collection:
        raise change.refusal("modeId", f"mode {mode!r} is of a collection that does not have variable {variable.id!r}")
    return extension


def _check_own_mode(draft: Draft, change: Change, variable: Variable, mode: str) -> None:
    draft.local_variable(change, "variableId")
    collection = draft.collection(variable.collection)
    if collection is None or mode not in collection.mode_ids:
        raise change.refusal("modeId", f"mode {mode!r} is not of the collection of variable {variable.id!r}")


def _remove_override(draft: Draft, extension: Collection, variable: Variable, mode: str) -> None:
    """The parent's value counts again; nothing happens when there was no override."""
    values = extension.overrides.get(variable.id, {})
    if mode in values:
        del values[mode]
        if not values:
            del extension.overrides[variable.id]
        extension.is_touched = True
        graph.record(draft.connection, draft.file.number, variable.id, mode, None)
