"""Values of variables: aliases, validation, overrides in extended collections, and deletion of aliased variables."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from tokensync.emulator.endpoints import invalid
from tokensync.emulator.services.variables.draft import Change, Collection, Draft, Variable, extension_of
from tokensync.emulator.store import DELETED, LIVE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence


ALIAS = "VARIABLE_ALIAS"

_LEADS_TO = """
WITH RECURSIVE reached (id) AS (
    VALUES (?2)
    UNION SELECT target FROM reached JOIN aliases ON file = ?1 AND source = reached.id
)
SELECT 1 FROM reached WHERE id = ?3 LIMIT 1
"""
_REFERRED_TO = "SELECT 1 FROM aliases WHERE file = ? AND target = ? LIMIT 1"


def targets(value: Any) -> list[str]:
    """Return the ids that a value aliases, itself or in a nested value such as a composed color."""
    if isinstance(value, dict):
        if value.get("type") == ALIAS:
            return [value["id"]] if isinstance(value.get("id"), str) else []
        return [target for part in value.values() if isinstance(part, (dict, list)) for target in targets(part)]
    return [target for part in value for target in targets(part)] if isinstance(value, list) else []


def leads_to(connection: sqlite3.Connection, file: int, start: str, end: str) -> bool:
    """Return whether a chain of aliases, possibly empty, leads from one variable to another."""
    if start == end:
        return True
    if connection.execute(_REFERRED_TO, (file, end)).fetchone() is None:
        return False  # most variables have no references; skipping the search keeps large requests fast
    return connection.execute(_LEADS_TO, (file, start, end)).fetchone() is not None


def record(
    connection: sqlite3.Connection, file: int, source: str, mode: str, ends: Sequence[str] = (), replaces: bool = True
) -> None:
    """Record the targets of a variable's value for a mode.

    They replace those of the previous value unless that is known to have none, as in a new variable.
    """
    if replaces:
        connection.execute("DELETE FROM aliases WHERE file = ? AND source = ? AND mode = ?", (file, source, mode))
    for target in ends:
        connection.execute("INSERT OR IGNORE INTO aliases VALUES (?, ?, ?, ?)", (file, source, mode, target))


_UNREFERENCED: Final = """
SELECT id, collection FROM variables WHERE file = ?1 AND state = 1 AND NOT EXISTS (
    SELECT 1 FROM aliases WHERE aliases.file = ?1 AND target = variables.id AND source <> variables.id)
"""
_EMPTY_COLLECTIONS: Final = """
SELECT id FROM collections WHERE file = ?1 AND state = 1 AND NOT EXISTS (
    SELECT 1 FROM variables WHERE variables.file = ?1 AND collection = collections.id)
"""


def delete_variable(draft: Draft, variable: Variable) -> None:
    """Mark a live variable as deleted and release its name."""
    draft.names(variable.collection).release(variable.name)
    variable.state = DELETED
    variable.document["deletedButReferenced"] = True
    variable.is_changed = True


def delete_collection(draft: Draft, collection: Collection) -> None:
    """Delete a collection with its variables and extensions."""
    for extension in reversed(draft.extensions(collection)):
        _drop_extension(draft, extension)
    if collection.parent is not None:
        _drop_extension(draft, collection)
        return
    for variable in draft.variables_of(collection):
        if variable.state == LIVE:
            delete_variable(draft, variable)
    collection.state = DELETED
    collection.document["deletedButReferenced"] = True
    collection.is_changed = True


def sweep(draft: Draft) -> None:
    """Drop the deleted variables and collections without references, once the changes are stored.

    Dropping a variable removes its own references, so it may make others unreferenced.
    """
    dropped: dict[str, set[str]] = {}
    file = draft.file.number
    while rows := draft.connection.execute(_UNREFERENCED, (file,)).fetchall():
        for id_, collection in rows:
            draft.drop_variable(id_)
            draft.connection.execute("DELETE FROM aliases WHERE file = ? AND source = ?", (file, id_))
            dropped.setdefault(collection, set()).add(id_)
    for id_, variables in dropped.items():
        _remove_from_collection(draft, draft.collection(id_), variables)
    draft.save()
    for (id_,) in draft.connection.execute(_EMPTY_COLLECTIONS, (file,)).fetchall():
        collection = draft.collection(id_)
        if collection is not None:
            draft.drop_collection(collection)


def _remove_from_collection(draft: Draft, collection: Collection | None, variables: set[str]) -> None:
    """Remove variables from the lists and overrides of their collection and its extensions."""
    if collection is None:
        return
    for each in (collection, *draft.extensions(collection)):
        for member in ("variableIds", "inheritedVariableIds"):
            if member in each.document:
                each.document[member] = [id_ for id_ in each.document[member] if id_ not in variables]
        if each.parent is not None:
            for id_ in variables & each.overrides.keys():
                del each.overrides[id_]
        each.is_changed = True


def _drop_extension(draft: Draft, collection: Collection) -> None:
    for variable, values in collection.overrides.items():
        for mode in values:
            record(draft.connection, draft.file.number, variable, mode)
    draft.drop_collection(collection)


TYPES: Final = ("BOOLEAN", "FLOAT", "STRING", "COLOR")

_FLOAT32 = struct.Struct("<f")
_WHOLE_UP_TO: Final = 2.0**53


def default_value(type_: str) -> Any:
    """Return the initial value of a variable in every mode."""
    defaults: dict[str, Any] = {"BOOLEAN": False, "FLOAT": 0, "STRING": "", "COLOR": {"r": 1, "g": 1, "b": 1, "a": 1}}
    return defaults.get(type_)


def normalized(draft: Draft, change: Change, type_: str, value: Any) -> Any:
    """Return a value as the platform stores it; refuse one that does not match the type."""
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
        return _color(change, value)
    raise change.refusal("value", f"does not match the type {type_} of the variable")


def _alias(draft: Draft, change: Change, type_: str, value: dict[str, Any]) -> dict[str, Any]:
    id_ = value.get("id")
    if not isinstance(id_, str):
        raise change.refusal("value.id", "an alias needs the id of a variable")
    target = draft.require_variable(change, "value.id", id_)
    if target.type != type_:
        raise change.refusal("value", f"the aliased variable {id_!r} resolves to {target.type}, not {type_}")
    return {"type": ALIAS, "id": target.id}


def _composed(draft: Draft, change: Change, value: dict[str, Any]) -> dict[str, Any]:
    """Return a color with an opacity from 0 to 100, of which at least one is an alias."""
    if "color" not in value or "opacity" not in value:
        raise change.refusal("value", "a composed color needs both color and opacity")
    base, opacity = value["color"], value["opacity"]
    aliases = [isinstance(part, dict) and part.get("type") == ALIAS for part in (base, opacity)]
    if not any(aliases):
        raise change.refusal("value", "a composed color needs an alias for its color, its opacity or both")
    if aliases[0]:
        color = _alias(draft, change, "COLOR", base)
    elif isinstance(base, dict):
        color = _color(change, base)
    else:
        raise change.refusal("value.color", "must be a color or an alias")
    if aliases[1]:
        return {"color": color, "opacity": _alias(draft, change, "FLOAT", opacity)}
    if not _is_number(opacity) or not 0 <= opacity <= 100:
        raise change.refusal("value.opacity", "must be a number from 0 to 100 or an alias")
    return {"color": color, "opacity": _float32(change, opacity)}


def _color(change: Change, value: dict[str, Any]) -> dict[str, Any]:
    channels = {"a": 1, **value}
    color = {}
    for name in ("r", "g", "b", "a"):
        channel = channels.get(name)
        if not _is_number(channel) or not 0 <= channel <= 1:
            raise change.refusal(f"value.{name}", "must be a number from 0 to 1")
        color[name] = _float32(change, channel)
    return color


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _float32(change: Change, value: float) -> float:
    """Return the nearest float32; like the platform, write whole numbers as integers."""
    try:
        (number,) = _FLOAT32.unpack(_FLOAT32.pack(value))
    except (OverflowError, struct.error):  # the latter for an integer beyond the range of floats
        number = math.inf
    if not math.isfinite(number):
        raise change.refusal("value", "is not a number that can be stored")
    return int(number) if number.is_integer() and abs(number) <= _WHOLE_UP_TO else float(number)


def set_bound(connection: sqlite3.Connection, file: int, id_: str, *, bound: bool) -> None:
    """Set whether text in a shared font is bound to a variable."""
    if bound:
        connection.execute("INSERT OR IGNORE INTO bound_to_shared_fonts VALUES (?, ?)", (file, id_))
    else:
        connection.execute("DELETE FROM bound_to_shared_fonts WHERE file = ? AND variable = ?", (file, id_))


def check_unbound(draft: Draft, variable: Variable) -> None:
    """Refuse a change of a variable that is bound to text in a shared font."""
    if variable.type != "STRING" or variable.is_new:
        return
    query = "SELECT 1 FROM bound_to_shared_fonts WHERE file = ? AND variable = ?"
    if draft.connection.execute(query, (draft.file.number, variable.id)).fetchone() is not None:
        what = "Some node properties bound to the following variables could not be updated"
        raise invalid(f"{what}: {variable.id}")


def apply(draft: Draft, change: Change) -> None:
    """Set or override the value of a variable in a mode; a remote variable can only be overridden."""
    variable = draft.require_variable(change, "variableId")
    mode = draft.real(change.required_text("modeId"))
    if "value" not in change.members:
        raise change.refusal("value", "is required")
    check_unbound(draft, variable)
    value = change.members["value"]
    extension = _extension(draft, change, variable, mode)
    if extension is None:
        _check_own_mode(draft, change, variable, mode)
        if value is None:
            raise change.refusal("value", "null removes an override, and this mode is not of an extended collection")
    elif value is None:
        _remove_override(draft, extension, variable, mode)
        return
    value = normalized(draft, change, variable.type, value)
    ends = targets(value)
    for target in ends:
        if leads_to(draft.connection, draft.file.number, target, variable.id):
            reason = "an alias cannot point to the variable itself" if target == variable.id else "aliases form a cycle"
            raise change.refusal("value", reason)
    if extension is None:
        held = variable.values
        variable.is_changed = True
    else:
        held = extension.overrides.setdefault(variable.id, {})
        extension.is_changed = True
    before, held[mode] = held.get(mode), value
    record(draft.connection, draft.file.number, variable.id, mode, ends, replaces=bool(targets(before)))


def _extension(draft: Draft, change: Change, variable: Variable, mode: str) -> Collection | None:
    """Return the extended collection of an extended mode, or None for an original mode."""
    id_ = extension_of(mode)
    if id_ is None:
        return None
    extension = draft.collection(id_)
    if extension is None or extension.state != LIVE or mode not in extension.mode_ids:
        raise change.refusal("modeId", f"mode {mode!r} not found")
    if extension.root != variable.collection:
        raise change.refusal("modeId", f"mode {mode!r} is of a collection that does not have variable {variable.id!r}")
    return extension


def _check_own_mode(draft: Draft, change: Change, variable: Variable, mode: str) -> None:
    draft.require_local_variable(change, "variableId")
    collection = draft.collection(variable.collection)
    if collection is None or mode not in collection.mode_ids:
        raise change.refusal("modeId", f"mode {mode!r} is not of the collection of variable {variable.id!r}")


def _remove_override(draft: Draft, extension: Collection, variable: Variable, mode: str) -> None:
    """Remove an override, if there is one, so that the parent's value applies again."""
    values = extension.overrides.get(variable.id, {})
    if mode in values:
        del values[mode]
        if not values:
            del extension.overrides[variable.id]
        extension.is_changed = True
        record(draft.connection, draft.file.number, variable.id, mode)
