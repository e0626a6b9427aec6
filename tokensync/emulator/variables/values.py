"""Changes of values: what a value may be, and what a mode refers to."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from tokensync.emulator.endpoints import invalid
from tokensync.emulator.store import LIVE
from tokensync.emulator.variables import references
from tokensync.emulator.variables.change import owner
from tokensync.emulator.variables.references import ALIAS

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.variables.change import Change
    from tokensync.emulator.variables.draft import Collection, Draft, Variable


TYPES: Final = ("BOOLEAN", "FLOAT", "STRING", "COLOR")

_FLOAT32 = struct.Struct("<f")
_WHOLE_UP_TO: Final = 2.0**53


def default_value(type_: str) -> Any:
    """Return what a new variable holds in every mode."""
    defaults: dict[str, Any] = {"BOOLEAN": False, "FLOAT": 0, "STRING": "", "COLOR": {"r": 1, "g": 1, "b": 1, "a": 1}}
    return defaults.get(type_)


def stored(draft: Draft, change: Change, type_: str, value: Any) -> Any:
    """Return the value as the platform keeps it. One that does not fit the type is a Refusal."""
    if isinstance(value, dict) and value.get("type") == ALIAS:
        return _alias(draft, change, type_, value)
    if type_ == "BOOLEAN" and isinstance(value, bool):
        return value
    if type_ == "STRING" and isinstance(value, str):
        return value
    if type_ == "FLOAT" and _is_number(value):
        return _float32(change, value)
    if type_ == "COLOR" and isinstance(value, dict):
        if "color" in value or "opacity" in value:
            return _composed(draft, change, value)
        return _colour(change, value)
    raise change.refusal("value", f"does not match the type {type_} of the variable")


def _alias(draft: Draft, change: Change, type_: str, value: dict[str, Any]) -> dict[str, Any]:
    given = value.get("id")
    if not isinstance(given, str):
        raise change.refusal("value.id", "an alias needs the id of a variable")
    target = draft.known_variable(change, "value.id", given)
    if target.type != type_:
        raise change.refusal("value", f"the aliased variable {given!r} resolves to {target.type}, not {type_}")
    return {"type": ALIAS, "id": target.id}


def _composed(draft: Draft, change: Change, value: dict[str, Any]) -> dict[str, Any]:
    """Return a colour and an opacity from 0 to 100, at least one of them an alias."""
    if "color" not in value or "opacity" not in value:
        raise change.refusal("value", "a composed color needs both color and opacity")
    base, opacity = value["color"], value["opacity"]
    aliases = [isinstance(part, dict) and part.get("type") == ALIAS for part in (base, opacity)]
    if not any(aliases):
        raise change.refusal("value", "a composed color needs an alias for its color, its opacity or both")
    if aliases[0]:
        kept = _alias(draft, change, "COLOR", base)
    elif isinstance(base, dict):
        kept = _colour(change, base)
    else:
        raise change.refusal("value.color", "must be a color or an alias")
    if aliases[1]:
        return {"color": kept, "opacity": _alias(draft, change, "FLOAT", opacity)}
    if not _is_number(opacity) or not 0 <= opacity <= 100:
        raise change.refusal("value.opacity", "must be a number from 0 to 100 or an alias")
    return {"color": kept, "opacity": _float32(change, opacity)}


def _colour(change: Change, value: dict[str, Any]) -> dict[str, Any]:
    channels = {"a": 1, **value}
    kept = {}
    for name in ("r", "g", "b", "a"):
        channel = channels.get(name)
        if not _is_number(channel) or not 0 <= channel <= 1:
            raise change.refusal(f"value.{name}", "must be a number from 0 to 1")
        kept[name] = _float32(change, channel)
    return kept


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _float32(change: Change, value: float) -> float:
    """Return the nearest float32; whole ones as integers, as the platform writes them."""
    try:
        (kept,) = _FLOAT32.unpack(_FLOAT32.pack(value))
    except (OverflowError, struct.error):  # the latter is what an integer past any float gets
        kept = math.inf
    if not math.isfinite(kept):
        raise change.refusal("value", "is not a number that can be stored")
    if kept.is_integer() and abs(kept) <= _WHOLE_UP_TO:
        return int(kept)
    return float(kept)


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


def apply(draft: Draft, change: Change) -> None:
    """Set one value; a rule that it breaks is a Refusal.

    A remote variable can be overridden by a local collection that extends its own: that changes the local one only.
    """
    variable = draft.known_variable(change, "variableId")
    mode = draft.real(change.required_text("modeId"))
    if "value" not in change.members:
        raise change.refusal("value", "is required")
    check(draft, variable)
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
    for target in references.targets(kept):
        if references.leads_to(draft.connection, draft.file.number, target, variable.id):
            why = "an alias cannot point to the variable itself" if target == variable.id else "aliases form a cycle"
            raise change.refusal("value", why)
    if extension is None:
        variable.values[mode] = kept
        variable.is_touched = True
    else:
        extension.overrides.setdefault(variable.id, {})[mode] = kept
        extension.is_touched = True
    references.record(draft.connection, draft.file.number, variable.id, mode, kept)


def _extension(draft: Draft, change: Change, variable: Variable, mode: str) -> Collection | None:
    """Return the extended collection whose mode this is; None when the id is not of the form of an extended mode's."""
    id_ = owner(mode)
    if id_ is None:
        return None
    extension = draft.collection(id_)
    if extension is None or extension.state != LIVE or mode not in extension.mode_ids:
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
        references.record(draft.connection, draft.file.number, variable.id, mode, None)
