"""Variables from elsewhere: seeds from saved responses, publications of a library, and copies of these in files."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import files
from tokensync.emulator.endpoints import timestamp
from tokensync.emulator.services.variables import draft, values
from tokensync.emulator.store import HELD, LIVE, REMOTE
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.positions import decoded, line_of_error
from tokensync.system.problems import problem

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator


VARIABLE: Final = "variable"
COLLECTION: Final = "collection"

_TABLES: Final = {VARIABLE: "variables", COLLECTION: "collections"}
_ID_PREFIXES: Final = {VARIABLE: "VariableID:", COLLECTION: "VariableCollectionId:"}
_SOURCE: Final = "SELECT document FROM published_sources WHERE file = ? AND kind = ? AND id = ?"
_SUBSCRIBED: Final = "SELECT id, document FROM published WHERE file = ? AND kind = ? ORDER BY number"
_REMOTE: Final = "SELECT id, document FROM {} WHERE file = ? AND state = 3 ORDER BY number"

_Document = dict[str, Any]


def _store_sources(
    connection: sqlite3.Connection, file: int, kind: str, documents: Iterable[tuple[str, _Document]]
) -> None:
    """Store the published documents with their values, by id, as the source of copies in other files."""
    connection.execute("DELETE FROM published_sources WHERE file = ? AND kind = ?", (file, kind))
    rows = [(file, kind, id_, msgspec.json.encode(document)) for id_, document in documents]
    connection.executemany("INSERT INTO published_sources VALUES (?, ?, ?, ?)", rows)


def use(connection: sqlite3.Connection, file_key: str, library_key: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Copy published variables of a library, by id, key or name, or all, into a file; return their remote ids.

    Variables that they alias are copied, too. Raise UsageError for a name that is not published.
    """
    file, library = files.require(connection, file_key), files.require(connection, library_key)
    if file.number == library.number:
        raise UsageError(f"{file_key}: a file cannot use itself as a library; give another file as the library")
    copier = _Copier(connection, file.number, library)
    ids = copier.select(tuple(names))
    for id_ in ids:
        copier.copy(id_)
    return tuple(copier.remote_id(VARIABLE, id_) for id_ in ids)


def update(connection: sqlite3.Connection, file_key: str, library_key: str) -> int:
    """Replace a file's outdated copies of a library's variables, and return the number of replaced copies.

    Aliases are redirected to the new copies. Copies of variables that are no longer published remain.
    """
    file, library = files.require(connection, file_key), files.require(connection, library_key)
    copier = _Copier(connection, file.number, library)
    renamed: dict[str, str] = {}
    for kind in (VARIABLE, COLLECTION):
        current = {key: copier.remote_id(kind, id_) for key, id_ in copier.ids_of(kind).items()}
        for id_, document in _remote(connection, file.number, kind):
            new = current.get(document.get("key", ""))
            if new is not None and new != id_:
                renamed[id_] = new
                _delete_copy(connection, file.number, id_)
    _redirect(connection, file.number, renamed)
    variables = {copier.remote_id(VARIABLE, id_): id_ for id_ in copier.ids_of(VARIABLE).values()}
    stale = [old for old in renamed if renamed[old] in variables]
    for old in stale:
        copier.copy(variables[renamed[old]])
    collections = {copier.remote_id(COLLECTION, id_): id_ for id_ in copier.ids_of(COLLECTION).values()}
    for id_, document in _remote(connection, file.number, VARIABLE):
        if document.get("variableCollectionId") in collections:
            copier.add_to_collection(collections[document["variableCollectionId"]], id_)
    return len(stale)


class _Copier:
    """Copies from one library into one file."""

    def __init__(self, connection: sqlite3.Connection, file: int, library: files.File) -> None:
        self._connection = connection
        self._file = file
        self._library = library
        self._subscribed = {
            kind: {id_: msgspec.json.decode(text) for id_, text in self._rows(_SUBSCRIBED, kind)} for kind in _TABLES
        }
        self._done: set[str] = set()

    def ids_of(self, kind: str) -> dict[str, str]:
        """Return the ids of the published items by key."""
        return {document.get("key", ""): id_ for id_, document in self._subscribed[kind].items()}

    def select(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ids of the published variables with these ids, keys or names, or of all."""
        published = self._subscribed[VARIABLE]
        if not published:
            raise UsageError(f"{self._library.key}: no published variables; publish it first")
        names_by_id = {id_: {id_, document.get("key"), document.get("name")} for id_, document in published.items()}
        for name in names:
            if not any(name in variable_names for variable_names in names_by_id.values()):
                raise UsageError(f"{self._library.key}: no published variable {name!r}; publish it, or give another")
        return tuple(id_ for id_, variable_names in names_by_id.items() if not names or variable_names & {*names})

    def remote_id(self, kind: str, id_: str) -> str:
        """Return the id of a variable or collection in other files; a remote item keeps its id."""
        subscribed = self._subscribed[kind].get(id_)
        if subscribed is not None and subscribed.get("subscribed_id"):
            return str(subscribed["subscribed_id"])
        document = self._source(kind, id_)
        if document is None or "/" in id_:
            return id_
        return f"{_ID_PREFIXES[kind]}{document.get('key', '')}/{id_.removeprefix(_ID_PREFIXES[kind])}"

    def copy(self, first: str) -> None:
        """Copy a variable, its collection, and the variables that it aliases into the file, unless copied before."""
        queue = [first]
        for id_ in queue:
            document = self._source(VARIABLE, id_)
            if id_ in self._done or document is None:
                continue
            self._done.add(id_)
            by_mode = document.get("valuesByMode", {})
            queue += [target for value in by_mode.values() for target in values.targets(value)]
            self._put(id_, document, {mode: self._translated(value) for mode, value in by_mode.items()})

    def _put(self, id_: str, document: _Document, by_mode: _Document) -> None:
        remote, of = self.remote_id(VARIABLE, id_), document.get("variableCollectionId", "")
        collection = self.add_to_collection(of, remote)
        copied = document | {"id": remote, "variableCollectionId": collection, "valuesByMode": by_mode}
        copied |= {"remote": True, "hiddenFromPublishing": True}
        row = (self._file, remote, collection, copied.get("name", ""), copied.get("resolvedType", ""))
        self._connection.execute(
            "INSERT OR IGNORE INTO variables (file, id, collection, name, type, state, changed, document)"
            " VALUES (?, ?, ?, ?, ?, ?, 0, ?)",
            (*row, REMOTE, msgspec.json.encode(copied)),
        )
        for mode, value in by_mode.items():
            values.record(self._connection, self._file, remote, mode, values.targets(value))

    def add_to_collection(self, id_: str, variable: str) -> str:
        """Add a variable to the file's copy of a collection, creating it if necessary; return the copy's id."""
        remote = self.remote_id(COLLECTION, id_)
        row = self._connection.execute(
            "SELECT document FROM collections WHERE file = ? AND id = ?", (self._file, remote)
        ).fetchone()
        source = self._source(COLLECTION, id_) or {}
        document = (
            source | {"id": remote, "remote": True, "hiddenFromPublishing": True, "variableIds": []}
            if row is None
            else msgspec.json.decode(row[0])
        )
        if variable not in document["variableIds"]:
            document["variableIds"].append(variable)
        self._connection.execute(
            "INSERT INTO collections (file, id, parent, state, changed, document) VALUES (?, ?, NULL, ?, 0, ?)"
            " ON CONFLICT (file, id) DO UPDATE SET document = excluded.document",
            (self._file, remote, REMOTE, msgspec.json.encode(document)),
        )
        return remote

    def _translated(self, value: Any) -> Any:
        """Return a value with the remote ids in its aliases."""
        match value:
            case {"type": values.ALIAS, "id": str(target)}:
                return value | {"id": self.remote_id(VARIABLE, target)}
            case dict():
                return {name: self._translated(part) for name, part in value.items()}
            case _:
                return value

    def _source(self, kind: str, id_: str) -> _Document | None:
        """Return the published document; if it is unpublished or seeded, the library's current document."""
        row = self._connection.execute(_SOURCE, (self._library.number, kind, id_)).fetchone()
        if row is None:
            query = f"SELECT document FROM {_TABLES[kind]} WHERE file = ? AND id = ?"  # noqa: S608 - a table of ours
            row = self._connection.execute(query, (self._library.number, id_)).fetchone()
        return None if row is None else dict(msgspec.json.decode(row[0]))

    def _rows(self, query: str, kind: str) -> list[tuple[str, bytes]]:
        return self._connection.execute(query, (self._library.number, kind)).fetchall()


def _remote(connection: sqlite3.Connection, file: int, kind: str) -> list[tuple[str, _Document]]:
    rows = connection.execute(_REMOTE.format(_TABLES[kind]), (file,)).fetchall()
    return [(id_, msgspec.json.decode(document)) for id_, document in rows]


def _delete_copy(connection: sqlite3.Connection, file: int, id_: str) -> None:
    for table in _TABLES.values():
        connection.execute(f"DELETE FROM {table} WHERE file = ? AND id = ?", (file, id_))  # noqa: S608
    connection.execute("DELETE FROM aliases WHERE file = ? AND source = ?", (file, id_))


def _redirect(connection: sqlite3.Connection, file: int, renamed: dict[str, str]) -> None:
    """Replace the ids of outdated copies everywhere in the file."""
    for old, new in renamed.items():
        before, after = msgspec.json.encode(old), msgspec.json.encode(new)
        for table in _TABLES.values():
            query = f"SELECT number, document FROM {table} WHERE file = ? AND instr(document, ?)"  # noqa: S608
            for number, document in connection.execute(query, (file, before)).fetchall():
                connection.execute(
                    f"UPDATE {table} SET document = ? WHERE number = ?",  # noqa: S608
                    (bytes(document).replace(before, after), number),
                )
        connection.execute("UPDATE OR REPLACE aliases SET target = ? WHERE file = ? AND target = ?", (new, file, old))
        connection.execute("UPDATE variables SET collection = ? WHERE file = ? AND collection = ?", (new, file, old))


_VARIABLES: Final = "SELECT id, changed, document FROM variables WHERE file = ? AND state = 0 ORDER BY number"
_COLLECTIONS: Final = "SELECT id, changed, document FROM collections WHERE file = ? AND state = 0 ORDER BY number"
_PUBLISHED: Final = "SELECT id, document FROM published WHERE file = ? AND kind = ?"
_INSERT: Final = "INSERT INTO published (file, kind, id, document) VALUES (?, ?, ?, ?)"

_Item = tuple[str, bool, dict[str, Any]]
"""An id, whether the item changed since the last publication, and its document as in GET local."""


def publish(connection: sqlite3.Connection, file_key: str, now: float) -> None:
    """Publish the local, live variables that are not hidden. Changed items get a new subscribed_id.

    A collection counts as changed if one of its variables changed. ``now`` is Unix seconds.
    """
    file = files.require(connection, file_key)
    if file.main is not None:
        raise UsageError(f"{file_key}: a branch cannot be published; give the key of the main file")
    collections = {item[0]: item for item in _items(connection, _COLLECTIONS, file.number)}
    variables = [
        item
        for item in _items(connection, _VARIABLES, file.number)
        if item[2].get("variableCollectionId") in collections
    ]
    changed = {document["variableCollectionId"] for _, is_changed, document in variables if is_changed}
    used = {document["variableCollectionId"] for _, _, document in variables}
    used_collections = [
        (id_, is_changed or id_ in changed, document)
        for id_, is_changed, document in collections.values()
        if id_ in used
    ]
    _replace(connection, file.number, VARIABLE, variables, now)
    _replace(connection, file.number, COLLECTION, used_collections, now)
    connection.execute("UPDATE variables SET changed = 0 WHERE file = ?", (file.number,))
    connection.execute("UPDATE collections SET changed = 0 WHERE file = ?", (file.number,))


def _items(connection: sqlite3.Connection, sql: str, file: int) -> list[_Item]:
    rows = connection.execute(sql, (file,))
    items = [(id_, bool(changed), msgspec.json.decode(document)) for id_, changed, document in rows]
    return [item for item in items if not item[2].get("hiddenFromPublishing")]


def _replace(connection: sqlite3.Connection, file: int, kind: str, items: list[_Item], now: float) -> None:
    """Replace the published items of a kind; unchanged items remain as they were."""
    _store_sources(connection, file, kind, ((id_, document) for id_, _, document in items))
    before: dict[str, bytes] = dict(connection.execute(_PUBLISHED, (file, kind)))
    connection.execute("DELETE FROM published WHERE file = ? AND kind = ?", (file, kind))
    for id_, is_changed, document in items:
        text = before.get(id_)
        if text is None or is_changed:
            text = msgspec.json.encode(_published(kind, id_, document, text, now))
        connection.execute(_INSERT, (file, kind, id_, text))


def _published(kind: str, id_: str, document: dict[str, Any], before: bytes | None, now: float) -> dict[str, Any]:
    """Return the published form. The type has two names, since the documentation is inconsistent."""
    key = document.get("key", "")
    item = {
        "id": id_,
        "subscribed_id": f"{_ID_PREFIXES[kind]}{key}/{_next_version(before)}",
        "name": document.get("name", ""),
        "key": key,
        "updatedAt": timestamp(now),
    }
    if kind == VARIABLE:
        type_ = document.get("resolvedType", "")
        collection = document["variableCollectionId"]
        item |= {"variableCollectionId": collection, "resolvedType": type_, "resolvedDataType": type_}
    return item


def _next_version(before: bytes | None) -> str:
    """Return the end of a subscribed_id, ``<n>:<n>``, whose second number counts the changes."""
    if before is None:
        return "1:1"
    session, _, version = msgspec.json.decode(before)["subscribed_id"].rpartition("/")[2].rpartition(":")
    return f"{session}:{int(version) + 1}"


_SESSION: Final = re.compile(r"(\d{1,9}):\d+$")
_RESET: Final = (
    "DELETE FROM collections WHERE file = ?",
    "DELETE FROM variables WHERE file = ?",
    "DELETE FROM aliases WHERE file = ?",
    "DELETE FROM published WHERE file = ?",
    "DELETE FROM published_sources WHERE file = ?",
    "DELETE FROM bound_to_shared_fonts WHERE file = ?",
)


class _Variable(msgspec.Struct, rename="camel"):
    """The members of a seeded variable that the rules need."""

    variable_collection_id: str = ""
    name: str = ""
    resolved_type: str = ""
    remote: bool = False
    deleted_but_referenced: bool = False
    values_by_mode: dict[str, Any] = {}
    scopes: Any = None
    code_syntax: Any = None


class _Mode(msgspec.Struct, rename="camel"):
    mode_id: str
    name: str = ""


class _Collection(msgspec.Struct, rename="camel"):
    """The members of a seeded collection that the rules need. The lists of variables are only validated."""

    parent_variable_collection_id: str | None = None
    remote: bool = False
    deleted_but_referenced: bool = False
    modes: list[_Mode] = []
    variable_ids: list[str] = []
    inherited_variable_ids: list[str] = []
    variable_overrides: dict[str, dict[str, Any]] = {}


_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_variable = msgspec.json.Decoder(_Variable)
_collection = msgspec.json.Decoder(_Collection)


class Seed(NamedTuple):
    """A file to seed: key, name, bodies of the two GET endpoints, a list of styles, and paths for messages."""

    key: str
    name: str | None
    local: bytes
    published: bytes | None
    source: str = ""
    published_source: str = ""
    styles: bytes | None = None
    styles_source: str = ""

    @property
    def where(self) -> str:
        """Return the location of the local response."""
        return self.source or f"seed of {self.key}, local variables"


def seed(connection: sqlite3.Connection, seed: Seed, *, now: float) -> None:
    """Replace a file's variables with those of saved responses; create a missing file.

    ``now`` is Unix seconds. Raise ProblemsError for bytes that are not such a response.
    """
    file = files.find(connection, seed.key)
    number = files.add(connection, seed.key, seed.name or "Untitled", now) if file is None else file.number
    if seed.name is not None:
        connection.execute("UPDATE files SET name = ? WHERE number = ?", (seed.name, number))
    for statement in _RESET:
        connection.execute(statement, (number,))
    envelope, extras, variables, collections = _parts(seed.where, seed.local)
    aliases: list[tuple[int, str, str, str]] = []
    words: set[draft.Word] = set()
    ids = [*variables, *collections]
    try:
        rows = [*_variable_rows(number, variables, aliases, words)]
        collection_rows = [*_collection_rows(number, collections, aliases, ids)]
    except DECODE_ERRORS as error:
        raise _unreadable(seed.where, seed.local, error) from None
    sql = "INSERT INTO variables (file, id, collection, name, type, state, changed, document) VALUES (?,?,?,?,?,?,0,?)"
    connection.executemany(sql, rows)
    sql = "INSERT INTO collections (file, id, parent, state, changed, document) VALUES (?,?,?,?,0,?)"
    connection.executemany(sql, collection_rows)
    draft.store_seeded_words(connection, words)
    aliases.sort()
    connection.executemany("INSERT OR IGNORE INTO aliases VALUES (?,?,?,?)", aliases)
    connection.execute(
        "UPDATE files SET envelope = ?, extras = ?, session = ? WHERE number = ?",
        (envelope, extras, _next_session(ids), number),
    )
    _seed_published(connection, number, seed)


def _seed_published(connection: sqlite3.Connection, number: int, seed: Seed) -> None:
    envelope, extras = files.EMPTY_ENVELOPE, b""
    if seed.published is not None:
        envelope, extras, variables, collections = _parts(
            seed.published_source or f"seed of {seed.key}, published variables", seed.published
        )
        for kind, items in (("variable", variables), ("collection", collections)):
            sql = "INSERT INTO published (file, kind, id, document) VALUES (?, ?, ?, ?)"
            connection.executemany(sql, [(number, kind, id_, bytes(document)) for id_, document in items.items()])
    sql = "UPDATE files SET published_envelope = ?, published_extras = ? WHERE number = ?"
    connection.execute(sql, (envelope, extras, number))


def _parts(where: str, response: bytes) -> tuple[bytes, bytes, dict[str, msgspec.Raw], dict[str, msgspec.Raw]]:
    """Split a response into the members beside meta, the unknown members of meta, the variables and collections."""
    try:
        decoded(response.removeprefix(codecs.BOM_UTF8), msgspec.Raw)
        top = _members.decode(response.removeprefix(codecs.BOM_UTF8))
        meta = _members.decode(top.pop("meta", msgspec.Raw(b"null")))
        variables = _members.decode(meta.pop("variables", msgspec.Raw(b"null")))
        collections = _members.decode(meta.pop("variableCollections", msgspec.Raw(b"null")))
    except DECODE_ERRORS as error:
        raise _unreadable(where, response, error) from None
    extras = _text(meta)
    return _text(top), extras + b"," if extras else b"", variables, collections


def _text(members: dict[str, msgspec.Raw]) -> bytes:
    return b",".join(msgspec.json.encode(name) + b":" + bytes(value) for name, value in members.items())


def _variable_rows(
    file: int, variables: dict[str, msgspec.Raw], aliases: list[tuple[int, str, str, str]], words: set[draft.Word]
) -> Iterator[tuple[int, str, str, str, str, int, bytes]]:
    decode, targets, words_of = _variable.decode, values.targets, draft.undocumented_words
    for id_, raw in variables.items():
        document = bytes(raw)
        variable = decode(document)
        if b"VARIABLE_ALIAS" in document:
            for mode, value in variable.values_by_mode.items():
                if type(value) in (dict, list):
                    aliases.extend((file, id_, mode, target) for target in targets(value))
        words.update(words_of(variable.resolved_type, variable.scopes, variable.code_syntax))
        state = _state(variable)
        yield file, id_, variable.variable_collection_id, variable.name, variable.resolved_type, state, document


def _collection_rows(
    file: int, collections: dict[str, msgspec.Raw], aliases: list[tuple[int, str, str, str]], ids: list[str]
) -> Iterator[tuple[int, str, str | None, int, bytes]]:
    for id_, raw in collections.items():
        document = bytes(raw)
        collection = _collection.decode(document)
        ids.extend(mode.mode_id for mode in collection.modes)
        for variable, by_mode in collection.variable_overrides.items():
            for mode, value in by_mode.items():
                aliases.extend((file, variable, mode, target) for target in values.targets(value))
        yield file, id_, collection.parent_variable_collection_id, _state(collection), document


def _state(item: _Variable | _Collection) -> int:
    if item.remote:
        return REMOTE
    return HELD if item.deleted_but_referenced else LIVE


def _next_session(ids: Iterable[str]) -> int:
    """Return a session number for new ids, ``<session>:<n>``, above that of every existing id."""
    return 1 + max((int(match[1]) for id_ in ids if (match := _SESSION.search(id_))), default=0)


def _unreadable(where: str, response: bytes, error: Exception) -> ProblemsError:
    """Return a problem at the line of an error. The parts of a response are decoded by themselves, so look again."""
    try:
        decoded(response.removeprefix(codecs.BOM_UTF8), object)
    except DECODE_ERRORS as located:
        where = f"{where}:{line_of_error(response, located)}"
    what = f"not an answer of the variables endpoints ({error})"
    what_to_do = "save the complete body of the GET request and seed that"
    return ProblemsError((problem("seed-unreadable", where, what, what_to_do),))
