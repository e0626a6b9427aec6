"""The draft of a file during a POST: objects are loaded from the store on demand, and stored once at the end."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator.store import DELETED, HELD, LIVE, REMOTE
from tokensync.emulator.variables import change

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from tokensync.emulator.files import File
    from tokensync.emulator.store import Identities
    from tokensync.emulator.variables.change import Change

Document = dict[str, Any]
"""A variable or a collection as in GET, including unknown members."""

_COLLECTION: Final = "SELECT id, parent, state, document FROM collections WHERE file = ? AND id = ?"
_CHILDREN: Final = "SELECT id FROM collections WHERE file = ? AND parent = ?"
_COLLECTION_IDS: Final = "SELECT id FROM collections WHERE file = ? ORDER BY number"
_VARIABLE: Final = "SELECT id, collection, name, type, state, document FROM variables WHERE file = ? AND id = ?"
_VARIABLE_IDS: Final = "SELECT id FROM variables WHERE file = ? AND collection = ? ORDER BY number"
_NAMES: Final = "SELECT name FROM variables WHERE file = ? AND collection = ? AND state = 0"


class Collection:
    """A loaded collection. ``parent`` is the id of an extended collection's parent, else None.

    ``is_new`` marks one that the request created.
    """

    def __init__(self, id_: str, parent: str | None, state: int, document: Document, *, is_new: bool = False) -> None:
        self.id = id_
        self.parent = parent
        self.state = state
        self.document = document
        self.is_new = is_new
        self.is_changed = is_new

    @property
    def modes(self) -> list[Document]:
        """Return the modes in order: modeId, name and, in an extended collection, parentModeId."""
        modes: list[Document] = self.document.setdefault("modes", [])
        return modes

    @property
    def mode_ids(self) -> list[str]:
        """Return the ids of the modes in order."""
        return [mode["modeId"] for mode in self.modes]

    @property
    def default_mode(self) -> str | None:
        """Return the id of the default mode."""
        default = self.document.get("defaultModeId")
        return default if isinstance(default, str) else None

    @property
    def root(self) -> str:
        """Return the id of the root collection, which owns the variables."""
        root = self.document.get("rootVariableCollectionId")
        return root if isinstance(root, str) else self.id

    @property
    def overrides(self) -> dict[str, Document]:
        """Return the overrides of an extended collection: variable id -> extended mode id -> value."""
        overrides: dict[str, Document] = self.document.setdefault("variableOverrides", {})
        return overrides


class Variable:
    """A loaded variable. ``collection`` is the id of its root collection."""

    def __init__(
        self, id_: str, collection: str, name: str, type_: str, state: int, document: Document, *, is_new: bool = False
    ) -> None:
        self.id = id_
        self.collection = collection
        self.name = name
        self.type = type_
        self.state = state
        self.document = document
        self.is_new = is_new
        self.is_changed = is_new

    @property
    def values(self) -> Document:
        """Return the values by mode id, for the modes of the root collection."""
        values: Document = self.document.setdefault("valuesByMode", {})
        return values


class Draft:
    """The changes of a request to a file, stored by ``save``."""

    def __init__(self, connection: sqlite3.Connection, file: File, identities: Identities) -> None:
        self.connection = connection
        self.file = file
        self.real_ids: dict[str, str] = {}
        """The real ids by temporary id, of collections, modes and variables."""
        self.deleted_extended_modes: set[str] = set()
        """The ids of extended modes that were deleted with their parent mode."""
        self._identities = identities
        self._collections: dict[str, Collection] = {}
        self._variables: dict[str, Variable] = {}
        self._names: dict[str, dict[str, int]] = {}
        self._modes_before: set[str] | None = None
        row = connection.execute("SELECT session, made FROM files WHERE number = ?", (file.number,)).fetchone()
        self._session, self._made = row

    @cached_property
    def seeded_words(self) -> frozenset[change.Word]:
        """Return the undocumented scopes and platforms that seeds introduced."""
        return change.seeded_words(self.connection)

    def new_id(self, prefix: str = "") -> str:
        """Return a new id, ``<prefix><session>:<n>``, never used before in the file. Modes have no prefix."""
        self._made += 1
        return f"{prefix}{self._session}:{self._made}"

    def key(self, id_: str) -> str:
        """Return the key of a new object."""
        return self._identities.key(self.file.key, id_)

    def claim(self, change: Change, member: str, temporary: str | None, real: str) -> None:
        """Let a temporary id, if any, stand for a new object; refuse one that is not unique."""
        if temporary is None:
            return
        if not temporary:
            raise change.refusal(member, "must not be empty")
        if temporary in self.real_ids:
            raise change.refusal(member, f"the temporary id {temporary!r} is used more than once in this request")
        if self._is_id(temporary):
            raise change.refusal(member, f"the temporary id {temporary!r} is the id of something in this file")
        self.real_ids[temporary] = real

    def real(self, id_: str) -> str:
        """Return the real id of a temporary id; return any other id unchanged."""
        return self.real_ids.get(id_, id_)

    def collection(self, id_: str) -> Collection | None:
        """Return a collection in any state, by its real id."""
        if id_ not in self._collections:
            row = self.connection.execute(_COLLECTION, (self.file.number, id_)).fetchone()
            if row is None:
                return None
            _, parent, state, document = row
            self._collections[id_] = Collection(id_, parent, state, msgspec.json.decode(document))
        return self._collections[id_]

    def require_local_collection(self, change: Change, member: str) -> Collection:
        """Return the collection in a required member; refuse one that is not live and local."""
        id_ = change.required_text(member)
        collection = self.collection(self.real(id_))
        if collection is None or collection.state in (DELETED, HELD):
            raise change.refusal(member, f"variable collection {id_!r} not found")
        if collection.state == REMOTE:
            reason = f"variable collection {id_!r} is remote: only its own file can change or extend it"
            raise change.refusal(member, reason)
        return collection

    def collections(self) -> Iterator[Collection]:
        """Yield all collections of the file, in order."""
        stored = [id_ for (id_,) in self.connection.execute(_COLLECTION_IDS, (self.file.number,))]
        for id_ in dict.fromkeys((*stored, *self._collections)):
            collection = self.collection(id_)
            if collection is not None:
                yield collection

    def extensions(self, collection: Collection) -> list[Collection]:
        """Return the direct and indirect extensions of a collection, parents before their own extensions."""
        extensions: dict[str, Collection] = {}
        queue = [collection.id]
        for parent in queue:
            stored = [id_ for (id_,) in self.connection.execute(_CHILDREN, (self.file.number, parent))]
            loaded = [each.id for each in self._collections.values() if each.parent == parent]
            for id_ in dict.fromkeys((*stored, *loaded)):
                child = self.collection(id_)
                if child is not None and id_ not in extensions and id_ != collection.id:
                    extensions[id_] = child
                    queue.append(id_)
        return list(extensions.values())

    def variable(self, id_: str) -> Variable | None:
        """Return a variable in any state, by its real id."""
        if id_ not in self._variables:
            row = self.connection.execute(_VARIABLE, (self.file.number, id_)).fetchone()
            if row is None:
                return None
            _, collection, name, type_, state, document = row
            self._variables[id_] = Variable(id_, collection, name, type_, state, msgspec.json.decode(document))
        return self._variables[id_]

    def require_variable(self, change: Change, member: str, id_: str | None = None) -> Variable:
        """Return the variable in a required member, or with this id; refuse one that is not live or remote."""
        id_ = change.required_text(member) if id_ is None else id_
        variable = self.variable(self.real(id_))
        if variable is None or variable.state in (DELETED, HELD):
            raise change.refusal(member, f"variable {id_!r} not found")
        return variable

    def require_local_variable(self, change: Change, member: str) -> Variable:
        """Return the variable in a required member; refuse one that is not live and local."""
        variable = self.require_variable(change, member)
        if variable.state == REMOTE:
            reason = f"variable {variable.id!r} is remote: only the file it was created in can update it"
            raise change.refusal(member, reason)
        return variable

    def variables_of(self, collection: Collection) -> list[Variable]:
        """Return all variables of a root collection, including deleted ones that are still referenced."""
        rows = self.connection.execute(_VARIABLE_IDS, (self.file.number, collection.id))
        stored = [id_ for (id_,) in rows]
        created = [each for each in self._variables.values() if each.is_new and each.collection == collection.id]
        return [*(variable for id_ in stored if (variable := self.variable(id_)) is not None), *created]

    def names(self, collection: str) -> dict[str, int]:
        """Return the names of a collection's live variables and their counts; seeds may contain duplicates."""
        if collection not in self._names:
            names: dict[str, int] = {}
            for (name,) in self.connection.execute(_NAMES, (self.file.number, collection)):
                names[name] = names.get(name, 0) + 1
            self._names[collection] = names
        return self._names[collection]

    def add_collection(self, collection: Collection) -> None:
        """Add a collection that the request creates."""
        self._collections[collection.id] = collection

    def add_variable(self, variable: Variable) -> None:
        """Add a variable that the request creates."""
        self._variables[variable.id] = variable

    def drop_collection(self, collection: Collection) -> None:
        """Remove a collection from the store immediately."""
        self._collections.pop(collection.id, None)
        self.connection.execute("DELETE FROM collections WHERE file = ? AND id = ?", (self.file.number, collection.id))

    def drop_variable(self, id_: str) -> None:
        """Remove a variable from the store immediately."""
        self._variables.pop(id_, None)
        self.connection.execute("DELETE FROM variables WHERE file = ? AND id = ?", (self.file.number, id_))

    def save(self) -> None:
        """Store the changed collections and variables."""
        self._save_collections()
        self._save_variables()
        sql = "UPDATE files SET made = ? WHERE number = ?"
        self.connection.execute(sql, (self._made, self.file.number))

    def _is_id(self, id_: str) -> bool:
        if self._modes_before is None:
            live = [collection for collection in self.collections() if collection.state == LIVE]
            self._modes_before = {mode for collection in live for mode in collection.mode_ids}
        return id_ in self._modes_before or self.collection(id_) is not None or self.variable(id_) is not None

    def _save_collections(self) -> None:
        file, encode = self.file.number, msgspec.json.encode
        for each in self._collections.values():
            if not each.is_changed:
                continue
            if each.is_new:
                sql = "INSERT INTO collections (file, id, parent, state, changed, document) VALUES (?, ?, ?, ?, 1, ?)"
                self.connection.execute(sql, (file, each.id, each.parent, each.state, encode(each.document)))
            else:
                sql = "UPDATE collections SET state = ?, changed = 1, document = ? WHERE file = ? AND id = ?"
                self.connection.execute(sql, (each.state, encode(each.document), file, each.id))
            each.is_new = each.is_changed = False

    def _save_variables(self) -> None:
        file, encode = self.file.number, msgspec.json.encode
        touched = [each for each in self._variables.values() if each.is_changed]
        self.connection.executemany(
            "INSERT INTO variables (file, id, collection, name, type, state, changed, document)"
            " VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
            [(file, v.id, v.collection, v.name, v.type, v.state, encode(v.document)) for v in touched if v.is_new],
        )
        self.connection.executemany(
            "UPDATE variables SET name = ?, state = ?, changed = 1, document = ? WHERE file = ? AND id = ?",
            [(v.name, v.state, encode(v.document), file, v.id) for v in touched if not v.is_new],
        )
        for each in touched:
            each.is_new = each.is_changed = False
