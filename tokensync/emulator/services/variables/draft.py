"""The changes in a POST request, and the draft of a file: loaded on demand, changed, and stored once at the end."""

from __future__ import annotations

import json
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import store
from tokensync.emulator.endpoints import Refusal, invalid
from tokensync.emulator.store import DELETED, HELD, LIVE, REMOTE, Identities

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from tokensync.emulator.files import File


CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"
ACTIONS: Final = (CREATE, UPDATE, DELETE)


class Change(NamedTuple):
    """A change and its location in the body, such as ``variables[3]``. Unknown members are ignored."""

    location: str
    members: dict[str, Any]

    def refusal(self, member: str, reason: str) -> Refusal:
        """Return a refusal with the location of a member."""
        return invalid(f"{self.location}.{member}: {reason}")

    def action(self) -> str:
        """Return the action: CREATE, UPDATE or DELETE."""
        action = self.required_text("action")
        if action not in ACTIONS:
            raise self.refusal("action", f"must be one of {', '.join(ACTIONS)}")
        return action

    def text(self, member: str) -> str | None:
        """Return a string member, or None if it is absent."""
        if member not in self.members:
            return None
        value = self.members[member]
        if not isinstance(value, str):
            raise self.refusal(member, "must be a string")
        return value

    def required_text(self, member: str) -> str:
        """Return a required, non-empty string member."""
        value = self.members.get(member)
        if type(value) is str and value:
            return value
        raise self.refusal(member, "is required" if self.text(member) is None else "must not be empty")

    def flag(self, member: str) -> bool | None:
        """Return a boolean member, or None if it is absent."""
        value = self.members.get(member)
        if member in self.members and not isinstance(value, bool):
            raise self.refusal(member, "must be a boolean")
        return value

    def only_on_create(self, *members: str) -> None:
        """Refuse members that only CREATE may have."""
        for member in members:
            if member in self.members:
                raise self.refusal(member, "can only be set when the action is CREATE")


def changes(body: dict[str, Any], array: str) -> Iterator[Change]:
    """Yield the changes in an optional array of the body."""
    elements = body.get(array, [])
    if not isinstance(elements, list):
        raise invalid(f"{array}: must be an array")
    for index, element in enumerate(elements):
        location = f"{array}[{index}]"
        if not isinstance(element, dict):
            raise invalid(f"{location}: must be an object")
        yield Change(location, element)


ALL_SCOPES: Final = "ALL_SCOPES"
PLATFORMS: Final = ("WEB", "ANDROID", "iOS")

_ALL_FILLS: Final = "ALL_FILLS"
_FILLS: Final = frozenset({"FRAME_FILL", "SHAPE_FILL", "TEXT_FILL"})
_SCOPES_BY_TYPE: Final = {
    "FLOAT": frozenset(
        "ALL_SCOPES TEXT_CONTENT WIDTH_HEIGHT GAP CORNER_RADIUS STROKE_FLOAT EFFECT_FLOAT OPACITY COLOR_OPACITY"
        " FONT_STYLE FONT_WEIGHT FONT_SIZE LINE_HEIGHT LETTER_SPACING PARAGRAPH_SPACING PARAGRAPH_INDENT"
        " FONT_VARIATIONS".split()
    ),
    "STRING": frozenset({ALL_SCOPES, "TEXT_CONTENT", "FONT_FAMILY", "FONT_STYLE"}),
    "COLOR": frozenset({ALL_SCOPES, _ALL_FILLS, *_FILLS, "STROKE_COLOR", "EFFECT_COLOR"}),
    "BOOLEAN": frozenset({ALL_SCOPES}),
}


_SEEDED: Final = "variables.words_of_seeds"
_PLATFORM: Final = ""

Word = tuple[str, str]
"""A variable type and a scope, or an empty type and a platform in code syntax."""


def undocumented_words(type_: str, scopes: Any, code_syntax: Any) -> Iterator[Word]:
    """Yield the undocumented scopes and platforms of a seeded variable."""
    if isinstance(scopes, list):
        documented = _SCOPES_BY_TYPE.get(type_, ())
        yield from ((type_, scope) for scope in scopes if isinstance(scope, str) and scope not in documented)
    if isinstance(code_syntax, dict):
        yield from ((_PLATFORM, platform) for platform in code_syntax if platform not in PLATFORMS)


def store_seeded_words(connection: sqlite3.Connection, words: Iterable[Word]) -> None:
    """Store the words of a seed, so that requests to any file of the state can use them."""
    stored = seeded_words(connection)
    if new := {*words} - stored:
        store.set_value(connection, _SEEDED, json.dumps(sorted(stored | new)))


def seeded_words(connection: sqlite3.Connection) -> frozenset[Word]:
    """Return the words of all seeds."""
    value = store.value_of(connection, _SEEDED)
    return frozenset() if value is None else frozenset((type_, name) for type_, name in json.loads(value))


def scopes(change: Change, type_: str, seeded_words: frozenset[Word]) -> list[str]:
    """Return the scopes of a change, possibly none; refuse scopes that the type does not have."""
    values = change.members["scopes"]
    if not isinstance(values, list) or not all(isinstance(scope, str) for scope in values):
        raise change.refusal("scopes", "must be an array of strings")
    documented = [scope for scope in values if scope in _SCOPES_BY_TYPE.get(type_, ())]
    for scope in values:
        if scope not in documented and (type_, scope) not in seeded_words:
            raise change.refusal("scopes", f"{scope!r} is not a scope of {type_} variables")
    if ALL_SCOPES in values and len(documented) > 1:
        raise change.refusal("scopes", f"{ALL_SCOPES} cannot be combined with other scopes")
    if _ALL_FILLS in values and _FILLS.intersection(values):
        raise change.refusal("scopes", f"{_ALL_FILLS} cannot be combined with other fill scopes")
    return values


def code_syntax(change: Change, seeded_words: frozenset[Word]) -> dict[str, str]:
    """Return the code syntax of a change by platform; refuse unknown platforms."""
    names = change.members["codeSyntax"]
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise change.refusal("codeSyntax", "must be an object of strings")
    for platform in names:
        if platform not in PLATFORMS and (_PLATFORM, platform) not in seeded_words:
            raise change.refusal("codeSyntax", f"{platform!r} is not one of {', '.join(PLATFORMS)}")
    return names


def original(mode: str) -> str:
    """Return the root collection's mode that an extended or original mode stands for."""
    return mode.rpartition("/")[2]


def extended(collection: str, mode: str) -> str:
    """Return the id of an extended or original mode in an extended collection."""
    return f"{collection}/{original(mode)}"


def extension_of(mode: str) -> str | None:
    """Return the id of an extended mode's collection, or None for an original mode."""
    return mode.rpartition("/")[0] or None


Document = dict[str, Any]
"""A variable or a collection as in GET, including unknown members."""

_COLLECTION: Final = "SELECT id, parent, state, document FROM collections WHERE file = ? AND id = ?"
_CHILDREN: Final = "SELECT id FROM collections WHERE file = ? AND parent = ?"
_COLLECTION_IDS: Final = "SELECT id FROM collections WHERE file = ? ORDER BY number"
_VARIABLE: Final = "SELECT id, collection, name, type, state, document FROM variables WHERE file = ? AND id = ?"
_VARIABLE_IDS: Final = "SELECT id FROM variables WHERE file = ? AND collection = ? ORDER BY number"
_IDS: Final = "SELECT id FROM collections WHERE file = ?1 UNION ALL SELECT id FROM variables WHERE file = ?1"
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


class Names:
    """Names in use, and their ``total`` number; seeds may contain a name several times."""

    def __init__(self, names: Iterable[str]) -> None:
        self._counts = Counter(names)
        self.total = self._counts.total()

    def __contains__(self, name: str) -> bool:
        return self._counts[name] > 0

    def take(self, name: str) -> None:
        """Count a name that an object gets."""
        self._counts[name] += 1
        self.total += 1

    def release(self, name: str) -> None:
        """Count a name that an object loses."""
        self._counts[name] -= 1
        self.total -= 1


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
        self._names: dict[str, Names] = {}
        self._extensions: dict[str, list[Collection]] = {}
        self._ids_before: set[str] | None = None
        sql = "SELECT session, made FROM files WHERE number = ?"
        self._session, self._made = connection.execute(sql, (file.number,)).fetchone()

    @cached_property
    def seeded_words(self) -> frozenset[Word]:
        """Return the undocumented scopes and platforms that seeds introduced."""
        return seeded_words(self.connection)

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
            self._collections[id_] = Collection(id_, row[1], row[2], msgspec.json.decode(row[3]))
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
        known = self._extensions.get(collection.id)
        if known is not None:
            return known
        extensions: dict[str, Collection] = {}
        queue = [collection.id]
        for parent in queue:
            stored = [id_ for (id_,) in self.connection.execute(_CHILDREN, (self.file.number, parent))]
            loaded = [collection.id for collection in self._collections.values() if collection.parent == parent]
            for id_ in dict.fromkeys((*stored, *loaded)):
                child = self.collection(id_)
                if child is not None and id_ not in extensions and id_ != collection.id:
                    extensions[id_] = child
                    queue.append(id_)
        return self._extensions.setdefault(collection.id, list(extensions.values()))

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

    def names(self, collection: str) -> Names:
        """Return the names of a collection's live variables."""
        if collection not in self._names:
            rows = self.connection.execute(_NAMES, (self.file.number, collection))
            self._names[collection] = Names(name for (name,) in rows)
        return self._names[collection]

    def add_collection(self, collection: Collection) -> None:
        """Add a collection that the request creates."""
        self._extensions.clear()
        self._collections[collection.id] = collection

    def add_variable(self, variable: Variable) -> None:
        """Add a variable that the request creates."""
        self._variables[variable.id] = variable

    def drop_collection(self, collection: Collection) -> None:
        """Remove a collection from the store immediately."""
        self._extensions.clear()
        self._collections.pop(collection.id, None)
        self._ids_before = self._ids_before and self._ids_before - {collection.id}
        self.connection.execute("DELETE FROM collections WHERE file = ? AND id = ?", (self.file.number, collection.id))

    def drop_variable(self, id_: str) -> None:
        """Remove a variable from the store immediately."""
        self._variables.pop(id_, None)
        self.connection.execute("DELETE FROM variables WHERE file = ? AND id = ?", (self.file.number, id_))

    def save(self) -> None:
        """Store the changed collections and variables."""
        self._save_collections()
        self._save_variables()
        self.connection.execute("UPDATE files SET made = ? WHERE number = ?", (self._made, self.file.number))

    def _is_id(self, id_: str) -> bool:
        if self._ids_before is None:
            live = [collection for collection in self.collections() if collection.state == LIVE]
            self._ids_before = {id_ for (id_,) in self.connection.execute(_IDS, (self.file.number,))}
            self._ids_before.update(mode for collection in live for mode in collection.mode_ids)
        return id_ in self._ids_before or id_ in self._collections or id_ in self._variables

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
        touched = [variable for variable in self._variables.values() if variable.is_changed]
        self.connection.executemany(
            "INSERT INTO variables (file, id, collection, name, type, state, changed, document)"
            " VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
            [(file, v.id, v.collection, v.name, v.type, v.state, encode(v.document)) for v in touched if v.is_new],
        )
        self.connection.executemany(
            "UPDATE variables SET name = ?, state = ?, changed = 1, document = ? WHERE file = ? AND id = ?",
            [(v.name, v.state, encode(v.document), file, v.id) for v in touched if not v.is_new],
        )
        for variable in touched:
            variable.is_new = variable.is_changed = False
