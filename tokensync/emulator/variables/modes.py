"""VariableModeChange: a mode is made, renamed or deleted, and with it the modes that extend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.emulator.limits import MODE_NAME_CHARACTERS, MODES_PER_COLLECTION
from tokensync.emulator.variables import graph, states
from tokensync.emulator.variables.change import CREATE, DELETE
from tokensync.emulator.variables.mode_ids import extended, original
from tokensync.emulator.variables.values import default_value

if TYPE_CHECKING:
    from tokensync.emulator.variables.change import Change
    from tokensync.emulator.variables.draft import Collection, Draft

_COLLECTION = "variableCollectionId"


def apply(draft: Draft, change: Change) -> None:
    """Carry out one change; a rule that it breaks is a Refusal."""
    action = change.action()
    if action == CREATE:
        _create(draft, change)
    elif action == DELETE:
        _delete(draft, change)
    else:
        _update(draft, change)


def _create(draft: Draft, change: Change) -> None:
    collection = draft.local_collection(change, _COLLECTION)
    if collection.parent is not None:
        raise change.refusal(_COLLECTION, "modes cannot be created in an extended collection")
    name = _name(change)
    if len(collection.modes) >= MODES_PER_COLLECTION:
        raise change.refusal(_COLLECTION, f"a collection can have at most {MODES_PER_COLLECTION} modes")
    extensions = draft.extensions(collection)
    if any(extension.is_new for extension in extensions):
        raise change.refusal(_COLLECTION, "modes cannot be created in a collection that the same request extends")
    mode = draft.new_id()
    draft.claim(change, "id", change.text("id"), mode)
    collection.modes.append({"modeId": mode, "name": name})
    collection.is_touched = True
    for extension in extensions:
        parent = mode if extension.parent == collection.id else extended(extension.parent or "", mode)
        extension.modes.append({"modeId": extended(extension.id, mode), "name": name, "parentModeId": parent})
        extension.is_touched = True
    _give_values(draft, collection, mode)


def _give_values(draft: Draft, collection: Collection, mode: str) -> None:
    """A new mode starts with the default mode's values."""
    default = collection.default_mode or ""
    for variable in draft.variables_of(collection):
        value = variable.values.get(default)
        if value is None:
            value = default_value(variable.type)
        variable.values[mode] = value
        variable.is_touched = True
        if isinstance(value, dict):
            graph.record(draft.connection, draft.file.number, variable.id, mode, value)


def _update(draft: Draft, change: Change) -> None:
    collection, mode = _named(draft, change)
    if collection.parent is not None:
        raise change.refusal("id", "modes of an extended collection cannot be updated")
    if "name" not in change.members:
        return
    name = _name(change)
    for each in (collection, *draft.extensions(collection)):
        for member in each.modes:
            if original(member["modeId"]) == mode:
                member["name"] = name
                each.is_touched = True


def _delete(draft: Draft, change: Change) -> None:
    if draft.real(change.required_text("id")) in draft.modes_gone:
        return  # an extended mode may be deleted along with its parent, which took it along already
    collection, mode = _named(draft, change)
    if collection.parent is not None:
        raise change.refusal("id", "a mode of an extended collection is deleted with its parent mode only")
    if len(collection.modes) == 1:
        raise change.refusal("id", "the last mode of a collection cannot be deleted")
    _remove(collection, mode)
    for variable in draft.variables_of(collection):
        if isinstance(variable.values.pop(mode, None), dict):
            graph.record(draft.connection, draft.file.number, variable.id, mode, None)
        variable.is_touched = True
    for extension in draft.extensions(collection):
        inherited = extended(extension.id, mode)
        _remove(extension, inherited)
        _remove_overrides(draft, extension, inherited)
        draft.modes_gone.add(inherited)


def _remove(collection: Collection, mode: str) -> None:
    """Take a mode out of the list; the first of the others becomes the default when it was that."""
    collection.document["modes"] = [each for each in collection.modes if each["modeId"] != mode]
    if collection.default_mode == mode and collection.modes:
        collection.document["defaultModeId"] = collection.mode_ids[0]
    collection.is_touched = True


def _remove_overrides(draft: Draft, extension: Collection, mode: str) -> None:
    for variable, values in [*extension.overrides.items()]:
        if mode in values:
            del values[mode]
            graph.record(draft.connection, draft.file.number, variable, mode, None)
            if not values:
                del extension.overrides[variable]


def _named(draft: Draft, change: Change) -> tuple[Collection, str]:
    """Return the mode that ``id`` names and its collection. A DELETE may leave the collection out: mode ids tell it
    mostly.
    """
    given = change.required_text("id")
    mode = draft.real(given)
    if _COLLECTION in change.members or change.members["action"] != DELETE:
        collection = draft.local_collection(change, _COLLECTION)
        if mode not in collection.mode_ids:
            raise change.refusal("id", f"mode {given!r} is not in collection {collection.id!r}")
        return collection, mode
    found = [each for each in draft.collections() if mode in each.mode_ids]
    local = [each for each in found if each.state == states.LIVE]
    if len(local) > 1:
        raise change.refusal(_COLLECTION, f"is required: several collections have a mode {given!r}")
    if not local:
        remote = any(each.state == states.REMOTE for each in found)
        raise change.refusal("id", f"mode {given!r} {'is of a remote collection' if remote else 'not found'}")
    return local[0], mode


def _name(change: Change) -> str:
    name = change.required_text("name")
    if len(name) > MODE_NAME_CHARACTERS:
        raise change.refusal("name", f"a mode's name can have at most {MODE_NAME_CHARACTERS} characters")
    return name
