"""Changes of variables, and editor actions on variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.emulator import files
from tokensync.emulator.limits import VARIABLES_PER_COLLECTION
from tokensync.emulator.store import LIVE
from tokensync.emulator.variables import publishing, values
from tokensync.emulator.variables.draft import ALL_SCOPES, CREATE, DELETE, Variable, code_syntax, scopes
from tokensync.emulator.variables.values import TYPES, default_value, delete_variable
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from tokensync.emulator.store import Store
    from tokensync.emulator.variables.draft import Change, Draft


_COLLECTION = "variableCollectionId"
_NOT_IN_NAMES = ".{}"


def apply(draft: Draft, change: Change) -> None:
    """Create, update or delete a variable."""
    action = change.action()
    if action == CREATE:
        _create(draft, change)
    elif action == DELETE:
        delete_variable(draft, draft.require_local_variable(change, "id"))
    else:
        _update(draft, change)


def _create(draft: Draft, change: Change) -> None:
    collection = draft.require_local_collection(change, _COLLECTION)
    if collection.parent is not None:
        raise change.refusal(_COLLECTION, "variables cannot be created in an extended collection")
    type_ = change.required_text("resolvedType")
    if type_ not in TYPES:
        raise change.refusal("resolvedType", f"must be one of {', '.join(TYPES)}")
    if sum(draft.names(collection.id).values()) >= VARIABLES_PER_COLLECTION:
        raise change.refusal(_COLLECTION, f"a collection can have at most {VARIABLES_PER_COLLECTION} variables")
    name = _take_name(draft, change, collection.id)
    id_ = draft.new_id("VariableID:")
    draft.claim(change, "id", change.text("id"), id_)
    document: dict[str, Any] = {
        "id": id_,
        "name": name,
        "key": draft.key(id_),
        _COLLECTION: collection.id,
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


def _update(draft: Draft, change: Change) -> None:
    """Update the members of a change. ``resolvedType`` is ignored, since the type is fixed at creation."""
    variable = draft.require_local_variable(change, "id")
    values.check_unbound(draft, variable)
    collection_id = change.text(_COLLECTION)
    if collection_id is not None and draft.real(collection_id) != variable.collection:
        raise change.refusal(_COLLECTION, "a variable's collection cannot change")
    if "name" in change.members and change.members["name"] != variable.name:
        names = draft.names(variable.collection)
        name = _take_name(draft, change, variable.collection)
        names[variable.name] -= 1
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
    if names.get(name, 0) > 0:
        raise change.refusal("name", f"a variable named {name!r} exists already in this collection")
    names[name] = 1
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


class Variables:
    """Actions of designers in the editor."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def use(self, file_key: str, library_key: str, *names: str) -> tuple[str, ...]:
        """Use a library's published variables, by id, key or name, or all, in a file; return their ids there.

        They become remote variables of the file, and its own variables can alias them.
        """
        with self._store.writing() as connection:
            return publishing.use(connection, file_key, library_key, names)

    def update(self, file_key: str, library_key: str) -> int:
        """Update a file's remote variables to a library's latest publication; return the number of replaced ones."""
        with self._store.writing() as connection:
            return publishing.update(connection, file_key, library_key)

    def bind_to_shared_font(self, file_key: str, id_: str, *, bound: bool = True) -> None:
        """Set whether text in a font shared by the organization is bound to a string variable.

        Requests cannot change a bound variable.
        """
        with self._store.writing() as connection:
            file = files.require(connection, file_key)
            query = "SELECT type, state FROM variables WHERE file = ? AND id = ?"
            row = connection.execute(query, (file.number, id_)).fetchone()
            if row is None or row != ("STRING", LIVE):
                raise UsageError(f"{id_}: not a string variable of {file_key}; give the id of a local one")
            values.set_bound(connection, file.number, id_, bound=bound)
