"""Changes of collections, modes and variables, and editor actions on variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import files
from tokensync.emulator.services.variables import publishing, values
from tokensync.emulator.services.variables.draft import (
    ALL_SCOPES,
    CREATE,
    DELETE,
    Collection,
    Variable,
    code_syntax,
    extended,
    original,
    scopes,
)
from tokensync.emulator.services.variables.values import TYPES, default_value, delete_collection, delete_variable
from tokensync.emulator.store import LIVE, REMOTE, StateActions
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from tokensync.emulator.services.variables.draft import Change, Draft


MODES_PER_COLLECTION: Final = 40
MODE_NAME_CHARACTERS: Final = 40
VARIABLES_PER_COLLECTION: Final = 5000
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
            values.record(draft.connection, draft.file.number, variable.id, mode, values.targets(value))


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
            values.record(draft.connection, draft.file.number, variable.id, mode)
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
            values.record(draft.connection, draft.file.number, variable, mode)
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


_OWNER = "variableCollectionId"
_NOT_IN_NAMES = ".{}"


def apply_variable(draft: Draft, change: Change) -> None:
    """Create, update or delete a variable."""
    action = change.action()
    if action == CREATE:
        _create_variable(draft, change)
    elif action == DELETE:
        delete_variable(draft, draft.require_local_variable(change, "id"))
    else:
        _update_variable(draft, change)


def _create_variable(draft: Draft, change: Change) -> None:
    collection = draft.require_local_collection(change, _OWNER)
    if collection.parent is not None:
        raise change.refusal(_OWNER, "variables cannot be created in an extended collection")
    type_ = change.required_text("resolvedType")
    if type_ not in TYPES:
        raise change.refusal("resolvedType", f"must be one of {', '.join(TYPES)}")
    if draft.names(collection.id).total >= VARIABLES_PER_COLLECTION:
        raise change.refusal(_OWNER, f"a collection can have at most {VARIABLES_PER_COLLECTION} variables")
    name = _take_name(draft, change, collection.id)
    id_ = draft.new_id("VariableID:")
    draft.claim(change, "id", change.text("id"), id_)
    document: dict[str, Any] = {
        "id": id_,
        "name": name,
        "key": draft.key(id_),
        _OWNER: collection.id,
        "resolvedType": type_,
        "valuesByMode": {mode: default_value(type_) for mode in collection.mode_ids},
        "remote": False,
        "description": "",
        "hiddenFromPublishing": False,
        "scopes": [ALL_SCOPES],
        "codeSyntax": {},
    }
    document |= _optional_members(draft, change, type_)
    draft.add_variable(Variable(id_, collection.id, name, type_, LIVE, document, is_new=True))
    for each in (collection, *draft.extensions(collection)):
        for member in ("variableIds", "inheritedVariableIds") if each.parent is not None else ("variableIds",):
            each.document.setdefault(member, []).append(id_)
        each.is_changed = True


def _update_variable(draft: Draft, change: Change) -> None:
    """Update the members of a change. ``resolvedType`` is ignored, since the type is fixed at creation."""
    variable = draft.require_local_variable(change, "id")
    values.check_unbound(draft, variable)
    collection_id = change.text(_OWNER)
    if collection_id is not None and draft.real(collection_id) != variable.collection:
        raise change.refusal(_OWNER, "a variable's collection cannot change")
    if "name" in change.members and change.members["name"] != variable.name:
        name = _take_name(draft, change, variable.collection)
        draft.names(variable.collection).release(variable.name)
        variable.name = variable.document["name"] = name
    variable.document.update(_optional_members(draft, change, variable.type))
    variable.is_changed = True


def _take_name(draft: Draft, change: Change, collection: str) -> str:
    """Reserve the new name, which must be unique in the collection at this point of the request."""
    name = change.required_text("name")
    for character in _NOT_IN_NAMES:
        if character in name:
            raise change.refusal("name", f"a variable's name cannot contain {character!r}")
    names = draft.names(collection)
    if name in names:
        raise change.refusal("name", f"a variable named {name!r} exists already in this collection")
    names.take(name)
    return name


def _optional_members(draft: Draft, change: Change, type_: str) -> dict[str, Any]:
    """Return the members of a change that both CREATE and UPDATE may set."""
    members: dict[str, Any] = {}
    if (description := change.text("description")) is not None:
        members["description"] = description
    if (hidden := change.flag("hiddenFromPublishing")) is not None:
        members["hiddenFromPublishing"] = hidden
    if "scopes" in change.members:
        members["scopes"] = scopes(change, type_, draft.seeded_words)
    if "codeSyntax" in change.members:
        members["codeSyntax"] = code_syntax(change, draft.seeded_words)
    return members


class Variables(StateActions):
    """Actions of designers in the editor."""

    def use(self, file_key: str, library_key: str, *names: str) -> tuple[str, ...]:
        """Use published variables of a library in a file.

        NAMES are ids, keys or names (default: all). Returns their ids there.

        They become remote variables of the file, and its own variables can alias them.
        """
        with self._store.writing() as connection:
            return publishing.use(connection, file_key, library_key, names)

    def update(self, file_key: str, library_key: str) -> int:
        """Update a file's copies of a library's variables."""
        with self._store.writing() as connection:
            return publishing.update(connection, file_key, library_key)

    def bind_to_shared_font(self, file_key: str, id_: str, *, bound: bool = True) -> None:
        """Bind text in a shared font to a string variable.

        Requests cannot change a bound variable.
        """
        with self._store.writing() as connection:
            file = files.require(connection, file_key)
            query = "SELECT type, state FROM variables WHERE file = ? AND id = ?"
            row = connection.execute(query, (file.number, id_)).fetchone()
            if row is None or row != ("STRING", LIVE):
                raise UsageError(f"{id_}: not a string variable of {file_key}; give the id of a local one")
            values.set_bound(connection, file.number, id_, bound=bound)
