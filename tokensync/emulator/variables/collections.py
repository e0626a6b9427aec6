"""Changes of collections and of their modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.emulator.limits import MODE_NAME_CHARACTERS, MODES_PER_COLLECTION
from tokensync.emulator.store import LIVE, REMOTE
from tokensync.emulator.variables import values
from tokensync.emulator.variables.draft import CREATE, DELETE, Collection, extended, original
from tokensync.emulator.variables.values import default_value, delete_collection

if TYPE_CHECKING:
    from tokensync.emulator.variables.draft import Change, Draft


_FIRST_MODE = "Mode 1"
_PARENT = "parentVariableCollectionId"
_INITIAL = "initialModeId"
_MAPPING = "initialModeIdToParentModeIdMapping"


def apply_collection(draft: Draft, change: Change) -> None:
    """Create, update or delete a collection."""
    action = change.action()
    if action == CREATE:
        _create(draft, change)
    elif action == DELETE:
        delete_collection(draft, draft.require_local_collection(change, "id"))
    else:
        _update(draft, change)


def _create(draft: Draft, change: Change) -> None:
    name = change.required_text("name")
    if _PARENT in change.members:
        document = _extension(draft, change)
    elif _MAPPING in change.members:
        raise change.refusal(_MAPPING, f"can only be used together with {_PARENT}")
    else:
        document = _original(draft, change)
    document |= {"name": name, "hiddenFromPublishing": change.flag("hiddenFromPublishing") or False}
    parent = document.get(_PARENT)
    draft.add_collection(Collection(document["id"], parent, LIVE, document, is_new=True))


def _original(draft: Draft, change: Change) -> dict[str, Any]:
    """Return the document of a new collection with one mode."""
    id_, mode = draft.new_id("VariableCollectionId:"), draft.new_id()
    draft.claim(change, "id", change.text("id"), id_)
    draft.claim(change, _INITIAL, change.text(_INITIAL), mode)
    modes = [{"modeId": mode, "name": _FIRST_MODE}]
    return _document(draft, id_) | {"defaultModeId": mode, "modes": modes, "isExtension": False, "variableIds": []}


def _extension(draft: Draft, change: Change) -> dict[str, Any]:
    """Return the document of a new extended collection, which has its parent's modes and variables."""
    if _INITIAL in change.members:
        raise change.refusal(_INITIAL, f"cannot be combined with {_PARENT}")
    parent = draft.require_local_collection(change, _PARENT)
    if not parent.modes:
        raise change.refusal(_PARENT, "has no modes to extend")
    id_ = draft.new_id("VariableCollectionId:")
    draft.claim(change, "id", change.text("id"), id_)
    modes = [
        {"modeId": extended(id_, mode["modeId"]), "name": mode.get("name", ""), "parentModeId": mode["modeId"]}
        for mode in parent.modes
    ]
    _claim_modes(draft, change, parent, id_)
    variables = [*parent.document.get("variableIds", ())]
    return _document(draft, id_) | {
        "defaultModeId": extended(id_, parent.default_mode or parent.mode_ids[0]),
        "modes": modes,
        "isExtension": True,
        "variableIds": variables,
        _PARENT: parent.id,
        "rootVariableCollectionId": parent.root,
        "inheritedVariableIds": [*variables],
        "localVariableIds": [],
        "variableOverrides": {},
    }


def _claim_modes(draft: Draft, change: Change, parent: Collection, id_: str) -> None:
    """Claim temporary ids for the modes of a new extension, keyed by the ids of the parent's modes."""
    mapping = change.members.get(_MAPPING, {})
    if not isinstance(mapping, dict):
        raise change.refusal(_MAPPING, "must be an object")
    for parent_mode, temporary in mapping.items():
        mode = draft.real(parent_mode)
        if mode not in parent.mode_ids:
            raise change.refusal(_MAPPING, f"{parent_mode!r} is not a mode of the parent collection")
        if not isinstance(temporary, str):
            raise change.refusal(_MAPPING, "must map mode ids to temporary ids, which are strings")
        draft.claim(change, _MAPPING, temporary, extended(id_, original(mode)))


def _document(draft: Draft, id_: str) -> dict[str, Any]:
    return {"id": id_, "key": draft.key(id_), "remote": False}


def _update(draft: Draft, change: Change) -> None:
    collection = draft.require_local_collection(change, "id")
    change.only_on_create(_PARENT, _INITIAL, _MAPPING)
    if "name" in change.members:
        collection.document["name"] = change.required_text("name")
    if (hidden := change.flag("hiddenFromPublishing")) is not None:
        collection.document["hiddenFromPublishing"] = hidden
    collection.is_changed = True


_COLLECTION = "variableCollectionId"


def apply_mode(draft: Draft, change: Change) -> None:
    """Create, update or delete a mode."""
    action = change.action()
    if action == CREATE:
        _create_mode(draft, change)
    elif action == DELETE:
        _delete_mode(draft, change)
    else:
        _update_mode(draft, change)


def _create_mode(draft: Draft, change: Change) -> None:
    collection = draft.require_local_collection(change, _COLLECTION)
    if collection.parent is not None:
        raise change.refusal(_COLLECTION, "modes cannot be created in an extended collection")
    name = _mode_name(change)
    if len(collection.modes) >= MODES_PER_COLLECTION:
        raise change.refusal(_COLLECTION, f"a collection can have at most {MODES_PER_COLLECTION} modes")
    extensions = draft.extensions(collection)
    if any(extension.is_new for extension in extensions):
        raise change.refusal(_COLLECTION, "modes cannot be created in a collection that the same request extends")
    mode = draft.new_id()
    draft.claim(change, "id", change.text("id"), mode)
    collection.modes.append({"modeId": mode, "name": name})
    collection.is_changed = True
    for extension in extensions:
        parent = mode if extension.parent == collection.id else extended(extension.parent or "", mode)
        extension.modes.append({"modeId": extended(extension.id, mode), "name": name, "parentModeId": parent})
        extension.is_changed = True
    _copy_default_values(draft, collection, mode)


def _copy_default_values(draft: Draft, collection: Collection, mode: str) -> None:
    default = collection.default_mode or ""
    for variable in draft.variables_of(collection):
        value = variable.values.get(default)
        if value is None:
            value = default_value(variable.type)
        variable.values[mode] = value
        variable.is_changed = True
        if isinstance(value, dict):
            values.record(draft.connection, draft.file.number, variable.id, mode, value)


def _update_mode(draft: Draft, change: Change) -> None:
    collection, mode = _require_mode(draft, change)
    if collection.parent is not None:
        raise change.refusal("id", "modes of an extended collection cannot be updated")
    if "name" not in change.members:
        return
    name = _mode_name(change)
    for each in (collection, *draft.extensions(collection)):
        for member in each.modes:
            if original(member["modeId"]) == mode:
                member["name"] = name
                each.is_changed = True


def _delete_mode(draft: Draft, change: Change) -> None:
    if draft.real(change.required_text("id")) in draft.deleted_extended_modes:
        return  # already deleted with its parent mode by an earlier change
    collection, mode = _require_mode(draft, change)
    if collection.parent is not None:
        raise change.refusal("id", "a mode of an extended collection is deleted with its parent mode only")
    if len(collection.modes) == 1:
        raise change.refusal("id", "the last mode of a collection cannot be deleted")
    _remove_mode(collection, mode)
    for variable in draft.variables_of(collection):
        if isinstance(variable.values.pop(mode, None), dict):
            values.record(draft.connection, draft.file.number, variable.id, mode, None)
        variable.is_changed = True
    for extension in draft.extensions(collection):
        inherited = extended(extension.id, mode)
        _remove_mode(extension, inherited)
        _remove_overrides(draft, extension, inherited)
        draft.deleted_extended_modes.add(inherited)


def _remove_mode(collection: Collection, mode: str) -> None:
    """Remove a mode. If it was the default, the first remaining mode becomes the default."""
    collection.document["modes"] = [each for each in collection.modes if each["modeId"] != mode]
    if collection.default_mode == mode and collection.modes:
        collection.document["defaultModeId"] = collection.mode_ids[0]
    collection.is_changed = True


def _remove_overrides(draft: Draft, extension: Collection, mode: str) -> None:
    for variable, by_mode in [*extension.overrides.items()]:
        if mode in by_mode:
            del by_mode[mode]
            values.record(draft.connection, draft.file.number, variable, mode, None)
            if not by_mode:
                del extension.overrides[variable]


def _require_mode(draft: Draft, change: Change) -> tuple[Collection, str]:
    """Return the mode with the change's ``id`` and its collection, which DELETE may omit if it is unambiguous."""
    id_ = change.required_text("id")
    mode = draft.real(id_)
    if _COLLECTION in change.members or change.members["action"] != DELETE:
        collection = draft.require_local_collection(change, _COLLECTION)
        if mode not in collection.mode_ids:
            raise change.refusal("id", f"mode {id_!r} is not in collection {collection.id!r}")
        return collection, mode
    candidates = [collection for collection in draft.collections() if mode in collection.mode_ids]
    local = [collection for collection in candidates if collection.state == LIVE]
    if len(local) > 1:
        raise change.refusal(_COLLECTION, f"is required: several collections have a mode {id_!r}")
    if not local:
        remote = any(collection.state == REMOTE for collection in candidates)
        raise change.refusal("id", f"mode {id_!r} {'is of a remote collection' if remote else 'not found'}")
    return local[0], mode


def _mode_name(change: Change) -> str:
    name = change.required_text("name")
    if len(name) > MODE_NAME_CHARACTERS:
        raise change.refusal("name", f"a mode's name can have at most {MODE_NAME_CHARACTERS} characters")
    return name
