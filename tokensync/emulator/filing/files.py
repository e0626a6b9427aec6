"""The files that the emulator knows: their place, editor, plan and branches. Every state is set by a plain method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import activity_logs
from tokensync.emulator.accounts import plans
from tokensync.emulator.documents import content
from tokensync.emulator.filing import places
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.state.store import Store

DESIGN_EDITOR: Final = "figma"
EDITORS: Final = ("figma", "figjam", "slides", "buzz", "sites", "make")

EMPTY_ENVELOPE: Final = b'"status":200,"error":false'
"""The members of an answer beside ``meta``, as JSON text without the braces."""


class File(NamedTuple):
    """``main`` is the number of the main file when this one is a branch; ``folder`` is the id of a folder.

    ``version`` goes up with every edit. Times are Unix seconds.
    """

    number: int
    key: str
    name: str
    editor: str
    plan: str
    main: int | None
    folder: str
    version: int
    created: float
    modified: float


class Files:
    """Makes and changes files."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def create(
        self,
        key: str,
        *,
        name: str = "Untitled",
        editor: str = DESIGN_EDITOR,
        plan: str = plans.ENTERPRISE,
        folder: str = places.DRAFTS,
    ) -> None:
        """A new file without variables. A key that is taken is a UsageError."""
        with self._store.writing() as connection:
            places.known_folder(connection, folder)
            add(connection, key, name, self._clock(), folder)
            _set_editor(connection, key, editor)
            _set_plan(connection, key, plan)
            made = known(connection, key)
            activity_logs.of_file(connection, self._clock(), "fig_file_create", made.key, made.folder)

    def move(self, key: str, folder: str) -> None:
        """The folder that the file is in from now on, by its id."""
        with self._store.writing() as connection:
            places.known_folder(connection, folder)
            connection.execute("UPDATE files SET folder = ? WHERE number = ?", (folder, known(connection, key).number))

    def set_editor(self, key: str, editor: str) -> None:
        """What the file is made with: figma, figjam, slides, buzz, sites or make."""
        with self._store.writing() as connection:
            _set_editor(connection, key, editor)

    def set_plan(self, key: str, plan: str) -> None:
        """The plan of the file's owner: starter, professional, organization or enterprise."""
        with self._store.writing() as connection:
            _set_plan(connection, key, plan)

    def branch(self, main_key: str, branch_key: str, *, name: str = "Branch") -> None:
        """A branch of a main file: a file of its own key that starts with all the variables of the main one."""
        with self._store.writing() as connection:
            main = known(connection, main_key)
            if main.main is not None:
                raise UsageError(f"{main_key}: it is a branch itself; give the key of the main file")
            number = add(connection, branch_key, name, self._clock(), main.folder)
            for statement in _BRANCH:
                connection.execute(statement, {"main": main.number, "branch": number})
            made = known(connection, branch_key)
            activity_logs.of_file(
                connection, self._clock(), "branch_create", made.key, made.folder, main_file_key=main_key
            )

    def set_document(self, key: str, document: dict[str, Any] | None) -> None:
        """The layers of a file: a DOCUMENT node, or a saved answer of the file endpoint that holds one.

        None gives it back the page that is made up from its variables.
        """
        with self._store.writing() as connection:
            file = known(connection, key)
            if document is None:
                content.remove(connection, file.number)
            else:
                content.put(connection, file.number, document)
            touch(connection, file.number, self._clock())

    def set_largest_answer(self, size: int) -> None:
        """How many bytes of layers the platform gives at once; what is larger has to be asked for in parts."""
        with self._store.writing() as connection:
            content.set_largest(connection, size)

    def all(self) -> tuple[File, ...]:
        """Return every file, branches too, in the order in which they were made."""
        with self._store.reading() as connection:
            query = f"SELECT {_COLUMNS} FROM files ORDER BY number"  # noqa: S608
            return tuple(File(*row) for row in connection.execute(query))

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all files, branches too, in the order in which they were made."""
        with self._store.reading() as connection:
            return tuple(key for (key,) in connection.execute("SELECT key FROM files ORDER BY number"))

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Return the keys of the main files that have this name, in the order in which they were made."""
        with self._store.reading() as connection:
            query = "SELECT key FROM files WHERE name = ? AND main IS NULL ORDER BY number"
            return tuple(key for (key,) in connection.execute(query, (name,)))


_COLUMNS: Final = "number, key, name, editor, plan, main, folder, version, created, modified"
_BRANCH: Final = (
    "UPDATE files SET (editor, plan, main, session, envelope, extras) ="
    " (SELECT editor, plan, number, session + 1, envelope, extras FROM files WHERE number = :main)"
    " WHERE number = :branch",
    "INSERT INTO collections (file, id, parent, state, changed, document)"
    " SELECT :branch, id, parent, state, changed, document FROM collections WHERE file = :main ORDER BY number",
    "INSERT INTO variables (file, id, collection, name, type, state, changed, document)"
    " SELECT :branch, id, collection, name, type, state, changed, document FROM variables WHERE file = :main"
    " ORDER BY number",
    "INSERT INTO aliases SELECT :branch, source, mode, target FROM aliases WHERE file = :main",
    "INSERT INTO bound_to_shared_fonts SELECT :branch, variable FROM bound_to_shared_fonts WHERE file = :main",
    "INSERT INTO documents SELECT :branch, content FROM documents WHERE file = :main",
)


def find(connection: sqlite3.Connection, key: str) -> File | None:
    """Return the file with this key."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM files WHERE key = ?", (key,)).fetchone()  # noqa: S608
    return None if row is None else File(*row)


def by_number(connection: sqlite3.Connection, number: int | None) -> File | None:
    """Return the file of this number; None for none."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM files WHERE number = ?", (number,)).fetchone()  # noqa: S608
    return None if row is None else File(*row)


def in_folder(connection: sqlite3.Connection, folder: str) -> tuple[File, ...]:
    """Return the main files of a folder, in the order in which they were made."""
    query = f"SELECT {_COLUMNS} FROM files WHERE folder = ? AND main IS NULL ORDER BY number"  # noqa: S608
    return tuple(File(*row) for row in connection.execute(query, (folder,)))


def branches(connection: sqlite3.Connection, main: int) -> tuple[File, ...]:
    """Return the branches of a main file, by its number, in the order in which they were made."""
    query = f"SELECT {_COLUMNS} FROM files WHERE main = ? ORDER BY number"  # noqa: S608
    return tuple(File(*row) for row in connection.execute(query, (main,)))


def touch(connection: sqlite3.Connection, number: int, now: float) -> None:
    """Note an edit: a later version, modified now; when half an hour brings no other one, FILE_UPDATE is told."""
    connection.execute("UPDATE files SET version = version + 1, modified = ? WHERE number = ?", (now, number))
    connection.execute("INSERT OR REPLACE INTO edits VALUES (?, ?)", (number, now))


def is_key(text: str) -> bool:
    """Return whether a text can be a key: letters, digits, '-' and '_'."""
    return bool(text) and text.isascii() and all(character.isalnum() or character in "-_" for character in text)


def known(connection: sqlite3.Connection, key: str) -> File:
    """Return the file with this key; a UsageError when there is none."""
    file = find(connection, key)
    if file is None:
        raise UsageError(f"{key}: the emulator has no file of this key; seed or create it first")
    return file


def add(connection: sqlite3.Connection, key: str, name: str, now: float, folder: str = places.DRAFTS) -> int:
    """Insert a row for a file and return its number."""
    if not is_key(key):
        raise UsageError(f"{key!r}: not a file key; use letters, digits, '-' and '_'")
    if find(connection, key) is not None:
        raise UsageError(f"{key}: the emulator has a file of this key already; use another")
    cursor = connection.execute(
        "INSERT INTO files (key, name, editor, plan, folder, created, modified,"
        " envelope, extras, published_envelope, published_extras) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, name, DESIGN_EDITOR, plans.ENTERPRISE, folder, now, now, EMPTY_ENVELOPE, b"", EMPTY_ENVELOPE, b""),
    )
    return cursor.lastrowid or 0


def _set_editor(connection: sqlite3.Connection, key: str, editor: str) -> None:
    if editor not in EDITORS:
        raise UsageError(f"{key}: no editor {editor!r}; use one of {', '.join(EDITORS)}")
    connection.execute("UPDATE files SET editor = ? WHERE number = ?", (editor, known(connection, key).number))


def _set_plan(connection: sqlite3.Connection, key: str, plan: str) -> None:
    plans.check(key, plan)
    connection.execute("UPDATE files SET plan = ? WHERE number = ?", (plan, known(connection, key).number))
