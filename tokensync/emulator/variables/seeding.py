"""Seeding of a file from saved responses, whose JSON is stored unchanged, including unknown members."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import files
from tokensync.emulator.store import HELD, LIVE, REMOTE
from tokensync.emulator.variables import draft, values
from tokensync.errors import DECODE_ERRORS, ProblemsError
from tokensync.positions import decoded, line_of_error
from tokensync.problems import problem

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

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
    """A file to seed: its key and name, the bodies of the two GET endpoints, and their paths for messages."""

    key: str
    name: str | None
    local: bytes
    published: bytes | None
    source: str = ""
    published_source: str = ""

    @property
    def where(self) -> str:
        """Return the location of the local response."""
        return self.source or f"seed of {self.key}, local variables"

    @property
    def where_published(self) -> str:
        """Return the location of the published response."""
        return self.published_source or f"seed of {self.key}, published variables"


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
        envelope, extras, variables, collections = _parts(seed.where_published, seed.published)
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
