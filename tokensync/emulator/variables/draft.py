"""The state of a file while a POST is worked on: what is touched is taken out of the store, and put back at the end."""

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
"""A variable or a collection as GET shows it, members that are not known here included."""

_COLLECTION: Final = "SELECT id, parent, state, document FROM collections WHERE file = ? AND id = ?"
_CHILDREN: Final = "SELECT id FROM collections WHERE file = ? AND parent = ?"
_COLLECTION_IDS: Final = "SELECT id FROM collections WHERE file = ? ORDER BY number"
_VARIABLE: Final = "SELECT id, collection, name, type, state, document FROM variables WHERE file = ? AND id = ?"
_VARIABLE_IDS: Final = "SELECT id FROM variables WHERE file = ? AND collection = ? ORDER BY number"
_NAMES: Final = "SELECT name FROM variables WHERE file = ? AND collection = ? AND state = 0"


class Collection:
    """A collection at work. ``parent`` is set for an extended one; ``is_new`` when this request made it."""

    def __init__(self, id_: str, parent: str | None, state: int, document: Document, *, is_new: bool = False) -> None:
        self.id = id_
        self.parent = parent
        self.state = state
        self.document = document
        self.is_new = is_new
        self.is_touched = is_new

    @property
    def modes(self) -> list[Document]:
        """Its modes in order: modeId, name and, in an extended collection, parentModeId."""
        modes: list[Document] = self.document.setdefault("modes", [])
        return modes

    @property
    def mode_ids(self) -> list[str]:
        """Return the ids of its modes in order."""
        return [mode["modeId"] for mode in self.modes]

    @property
    def default_mode(self) -> str | None:
        """Return the default mode's id."""
        default = self.document.get("defaultModeId")
        return default if isinstance(default, str) else None

    @property
    def root(self) -> str:
        """Return the id of the collection that owns the variables: the first of a line of extensions."""
        root = self.document.get("rootVariableCollectionId")
        return root if isinstance(root, str) else self.id

    @property
    def overrides(self) -> dict[str, Document]:
        """Of an extended collection: variable id -> extended mode id -> value."""
        overrides: dict[str, Document] = self.document.setdefault("variableOverrides", {})
        return overrides


class Variable:
    """A variable at work. ``collection`` is the id of the one that owns it."""

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
        self.is_touched = is_new

    @property
    def values(self) -> Document:
        """Mode id -> value, for the modes of its own collection."""
        values: Document = self.document.setdefault("valuesByMode", {})
        return values


class Draft:
    """The changes of one request to one file. Nothing is stored before ``save``."""

    def __init__(self, connection: sqlite3.Connection, file: File, identities: Identities) -> None:
        self.connection = connection
        self.file = file
        self.real_ids: dict[str, str] = {}
        """Temporary id -> real id, for all three kinds."""
        self.modes_gone: set[str] = set()
        """Ids of extended modes that went with their parent mode in this request."""
        self._identities = identities
        self._collections: dict[str, Collection] = {}
        self._variables: dict[str, Variable] = {}
        self._names: dict[str, dict[str, int]] = {}
        self._modes_before: set[str] | None = None
        row = connection.execute("SELECT session, made FROM files WHERE number = ?", (file.number,)).fetchone()
        self._session, self._made = row

    @cached_property
    def learned(self) -> frozenset[change.Word]:
        """Return the scopes and platforms beyond the documentation that variables of this state can have."""
        return change.learned(self.connection)

    def new_id(self, prefix: str = "") -> str:
        """Return an id that no object of the file has had: ``<prefix><session>:<n>``. Modes have no prefix."""
        self._made += 1
        return f"{prefix}{self._session}:{self._made}"

    def key(self, id_: str) -> str:
        """Return the key of a new object."""
        return self._identities.key(self.file.key, id_)

    def claim(self, change: Change, member: str, temporary: str | None, real: str) -> None:
        """Let a temporary id stand for a new object in the rest of the request; refuse one that is not unique."""
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
        """Return the real id that a temporary one stands for; any other id as it is."""
        return self.real_ids.get(id_, id_)

    def collection(self, id_: str) -> Collection | None:
        """Return a collection in any state, by its real id."""
        if id_ not in self._collections:
            row = self.connection.execute(_COLLECTION, (self.file.number, id_)).fetchone()
            if row is None:
                return None
            self._collections[id_] = _collection(*row)
        return self._collections[id_]

    def local_collection(self, change: Change, member: str) -> Collection:
        """Return the collection that a required member names, by its real or temporary id; it has to be live
        and local.
        """
        given = change.required_text(member)
        collection = self.collection(self.real(given))
        if collection is None or collection.state in (DELETED, HELD):
            raise change.refusal(member, f"variable collection {given!r} not found")
        if collection.state == REMOTE:
            why = f"variable collection {given!r} is remote: only its own file can change or extend it"
            raise change.refusal(member, why)
        return collection

    def collections(self) -> Iterator[Collection]:
        """Yield all collections of the file, in order."""
        stored = [id_ for (id_,) in self.connection.execute(_COLLECTION_IDS, (self.file.number,))]
        for id_ in dict.fromkeys((*stored, *self._collections)):
            collection = self.collection(id_)
            if collection is not None:
                yield collection

    def extensions(self, collection: Collection) -> list[Collection]:
        """Return the collections that extend this one, at every depth; a parent stands before its own extensions."""
        found: dict[str, Collection] = {}
        queue = [collection.id]
        for parent in queue:
            stored = [id_ for (id_,) in self.connection.execute(_CHILDREN, (self.file.number, parent))]
            made = [each.id for each in self._collections.values() if each.parent == parent]
            for id_ in dict.fromkeys((*stored, *made)):
                child = self.collection(id_)
                if child is not None and id_ not in found and id_ != collection.id:
                    found[id_] = child
                    queue.append(id_)
        return list(found.values())

    def variable(self, id_: str) -> Variable | None:
        """Return a variable in any state, by its real id."""
        if id_ not in self._variables:
            row = self.connection.execute(_VARIABLE, (self.file.number, id_)).fetchone()
            if row is None:
                return None
            self._variables[id_] = _variable(*row)
        return self._variables[id_]

    def known_variable(self, change: Change, member: str, given: str | None = None) -> Variable:
        """Return the variable that a required member names (or ``given``), by its real or temporary id; live, or
        remote.
        """
        given = change.required_text(member) if given is None else given
        variable = self.variable(self.real(given))
        if variable is None or variable.state in (DELETED, HELD):
            raise change.refusal(member, f"variable {given!r} not found")
        return variable

    def local_variable(self, change: Change, member: str) -> Variable:
        """Return the variable that a required member names; it has to be live and local."""
        variable = self.known_variable(change, member)
        if variable.state == REMOTE:
            why = f"variable {variable.id!r} is remote: only the file it was created in can update it"
            raise change.refusal(member, why)
        return variable

    def variables_of(self, collection: Collection) -> list[Variable]:
        """Return all variables that a root collection owns, deleted ones that are still referred to included."""
        rows = self.connection.execute(_VARIABLE_IDS, (self.file.number, collection.id))
        stored = [id_ for (id_,) in rows]
        made = [each for each in self._variables.values() if each.is_new and each.collection == collection.id]
        return [*(variable for id_ in stored if (variable := self.variable(id_)) is not None), *made]

    def names(self, collection: str) -> dict[str, int]:
        """Return the names of a collection's live variables, and how many have each (a seed may hold two of
        one name).
        """
        if collection not in self._names:
            names: dict[str, int] = {}
            for (name,) in self.connection.execute(_NAMES, (self.file.number, collection)):
                names[name] = names.get(name, 0) + 1
            self._names[collection] = names
        return self._names[collection]

    def add_collection(self, collection: Collection) -> None:
        """A collection that this request makes."""
        self._collections[collection.id] = collection

    def add_variable(self, variable: Variable) -> None:
        """A variable that this request makes."""
        self._variables[variable.id] = variable

    def drop_collection(self, collection: Collection) -> None:
        """Take a collection out of the file at once."""
        self._collections.pop(collection.id, None)
        self.connection.execute("DELETE FROM collections WHERE file = ? AND id = ?", (self.file.number, collection.id))

    def drop_variable(self, id_: str) -> None:
        """Take a variable out of the file at once."""
        self._variables.pop(id_, None)
        self.connection.execute("DELETE FROM variables WHERE file = ? AND id = ?", (self.file.number, id_))

    def save(self) -> None:
        """Store what was touched."""
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
            if not each.is_touched:
                continue
            if each.is_new:
                sql = "INSERT INTO collections (file, id, parent, state, changed, document) VALUES (?, ?, ?, ?, 1, ?)"
                self.connection.execute(sql, (file, each.id, each.parent, each.state, encode(each.document)))
            else:
                sql = "UPDATE collections SET state = ?, changed = 1, document = ? WHERE file = ? AND id = ?"
                self.connection.execute(sql, (each.state, encode(each.document), file, each.id))
            each.is_new = each.is_touched = False

    def _save_variables(self) -> None:
        file, encode = self.file.number, msgspec.json.encode
        touched = [each for each in self._variables.values() if each.is_touched]
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
            each.is_new = each.is_touched = False


def _collection(id_: str, parent: str | None, state: int, document: bytes) -> Collection:
    return Collection(id_, parent, state, msgspec.json.decode(document))


def _variable(id_: str, collection: str, name: str, type_: str, state: int, document: bytes) -> Variable:
    return Variable(id_, collection, name, type_, state, msgspec.json.decode(document))
