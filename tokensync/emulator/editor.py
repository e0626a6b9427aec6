"""What people do in the editor and no endpoint does: make files and branches, publish libraries, raise events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import documents, events, files, history, libraries, people, teams, webhooks
from tokensync.emulator.events import Changes
from tokensync.emulator.variables import publishing as variables
from tokensync.emulator.webhooks import LIBRARY_PUBLISH
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from tokensync.emulator.events import Item
    from tokensync.emulator.people import User
    from tokensync.emulator.store import Clock, Identities, Store


_FIRST_NODE: Final = "1:2"


class Waiting(NamedTuple):
    """An event that waits for a webhook, by its id; ``due`` is Unix seconds, ``failures`` how often it failed yet."""

    webhook: str
    event_type: str
    due: float
    failures: int


class Events:
    """Each method queues one event for the webhooks that hear of it, and returns how many those are.

    ``user`` is the id of who causes it; without one it is the first user.
    """

    def __init__(self, store: Store, identities: Identities, clock: Clock) -> None:
        self._store = store
        self._identities = identities
        self._clock = clock

    def file_update(self, file_key: str) -> int:
        """FILE_UPDATE, without waiting for half an hour of inactivity; for that, edit the file and move the clock."""
        with self._store.writing() as connection:
            connection.execute("DELETE FROM edits WHERE file = ?", (files.known(connection, file_key).number,))
            return self._add(connection, webhooks.FILE_UPDATE, file_key, {})

    def file_delete(self, file_key: str, *, user: str | None = None) -> int:
        """FILE_DELETE, which is told to those who asked for FILE_UPDATE, too. The emulator keeps the file."""
        with self._store.writing() as connection:
            return self._add(
                connection, webhooks.FILE_DELETE, file_key, events.deletion_fields(_user(connection, user))
            )

    def file_version(self, file_key: str, *, description: str | None = None, user: str | None = None) -> int:
        """FILE_VERSION_UPDATE: the file as it is was given a name in its history."""
        with self._store.writing() as connection:
            version = str(files.known(connection, file_key).version)
            fields = events.version_fields(_user(connection, user), version, self._clock(), description)
            return self._add(connection, webhooks.FILE_VERSION_UPDATE, file_key, fields)

    def library_publish(
        self,
        file_key: str,
        *,
        asset: str = "variables",
        created: tuple[str, ...] = (),
        modified: tuple[str, ...] = (),
        deleted: tuple[str, ...] = (),
        description: str | None = None,
        user: str | None = None,
    ) -> int:
        """LIBRARY_PUBLISH of things by these names, which need not be there; ``Emulator.publish`` tells real ones."""
        if asset not in events.ASSETS:
            raise UsageError(f"{asset}: no kind of asset; use one of {', '.join(events.ASSETS)}")
        if not (created or modified or deleted):
            raise UsageError(
                "LIBRARY_PUBLISH: it tells of changes; name at least one thing that was created, modified"
                " or deleted, or publish the file"
            )
        named = Changes(*(tuple(self._item(asset, name) for name in names) for names in (created, modified, deleted)))
        with self._store.writing() as connection:
            fields = events.publication_fields(_user(connection, user), asset, named, description)
            return self._add(connection, webhooks.LIBRARY_PUBLISH, file_key, fields)

    def file_comment(self, file_key: str, text: str, *, mentions: tuple[str, ...] = (), user: str | None = None) -> int:
        """FILE_COMMENT; ``mentions`` are ids of users."""
        with self._store.writing() as connection:
            mentioned = [people.known(connection, each) for each in mentions]
            now = self._clock()
            id_ = str(int(self._identities.key("comment", file_key, text, repr(now))[:12], 16))
            fields = events.comment_fields(_user(connection, user), id_, text, now, mentioned)
            return self._add(connection, webhooks.FILE_COMMENT, file_key, fields)

    def dev_status(
        self,
        file_key: str,
        status: str,
        *,
        node: str = _FIRST_NODE,
        message: str | None = None,
        user: str | None = None,
    ) -> int:
        """DEV_MODE_STATUS_UPDATE of a layer: NONE, READY_FOR_DEV or COMPLETED, with the message that was given."""
        if status not in events.STATUSES:
            raise UsageError(f"{status}: no status of a layer; use one of {', '.join(events.STATUSES)}")
        with self._store.writing() as connection:
            links = self._links(connection, file_key, node)
            fields = events.dev_status_fields(_user(connection, user), node, status, links, message)
            return self._add(connection, webhooks.DEV_MODE_STATUS_UPDATE, file_key, fields)

    def waiting(self) -> tuple[Waiting, ...]:
        """Return what waits to be delivered, the next one first."""
        with self._store.reading() as connection:
            rows = connection.execute("SELECT webhook, payload, due, failures FROM deliveries ORDER BY due, number")
            return tuple(
                Waiting(str(webhook), msgspec.json.decode(payload)["event_type"], due, failures)
                for webhook, payload, due, failures in rows
            )

    def _links(self, connection: sqlite3.Connection, file_key: str, node: str) -> list[dict[str, Any]]:
        from tokensync.emulator.services import dev_resources

        return dev_resources.attached(connection, files.known(connection, file_key), (node,))

    def _item(self, asset: str, name: str) -> events.Item:
        return {"key": self._identities.key(asset, name), "name": name}

    def _add(self, connection: sqlite3.Connection, kind: str, file_key: str, fields: events.Fields) -> int:
        return events.queue(connection, self._clock(), kind, files.known(connection, file_key), fields)


def _user(connection: sqlite3.Connection, id_: str | None) -> User:
    return people.known(connection, people.FIRST if id_ is None else id_)


_KINDS: Final = {"components": (libraries.COMPONENT, libraries.COMPONENT_SET), "styles": (libraries.STYLE,)}
_PUBLISHED: Final = "SELECT id, document FROM published WHERE file = ? AND kind = 'variable' ORDER BY number"


def publish(connection: sqlite3.Connection, file_key: str, now: float, description: str | None = None) -> int:
    """Publish all of a main file, and queue an event for each kind of asset that changed; how many kinds those are.

    It is done by the first user; ``description`` is what they say about it.
    """
    file = files.known(connection, file_key)
    before = _published(connection, file.number)
    variables.publish(connection, file_key, now)
    by_kind = libraries.publish(connection, file.number, people.FIRST, now)
    changed = {
        asset: Changes(*(_items(by_kind[kind][verb] for kind in kinds) for verb in range(len(Changes._fields))))
        for asset, kinds in _KINDS.items()
    }
    changed["variables"] = _differences(before, _published(connection, file.number))
    user = people.known(connection, people.FIRST)
    told = {asset: changes for asset, changes in changed.items() if any(changes)}
    for asset, changes in told.items():
        fields = events.publication_fields(user, asset, changes, description)
        events.queue(connection, now, LIBRARY_PUBLISH, file, fields)
    return len(told)


def _items(groups: Iterable[Iterable[libraries.Named]]) -> tuple[Item, ...]:
    return tuple({"key": each.key, "name": each.name} for group in groups for each in group)


def _published(connection: sqlite3.Connection, file: int) -> dict[str, bytes]:
    return dict(connection.execute(_PUBLISHED, (file,)))


def _differences(before: dict[str, bytes], after: dict[str, bytes]) -> Changes:
    """Return what two states of the published variables have apart, by their ids; whatever was published anew
    differs.
    """
    return Changes(
        tuple(_item(document) for id_, document in after.items() if id_ not in before),
        tuple(_item(document) for id_, document in after.items() if before.get(id_, document) != document),
        tuple(_item(document) for id_, document in before.items() if id_ not in after),
    )


def _item(document: bytes) -> Item:
    decoded = msgspec.json.decode(document)
    return {"key": decoded.get("key", ""), "name": decoded.get("name", "")}


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
        editor: str = files.DESIGN_EDITOR,
        plan: str = people.ENTERPRISE,
        folder: str = teams.DRAFTS,
    ) -> None:
        """A new file without variables. A key that is taken is a UsageError."""
        with self._store.writing() as connection:
            teams.known_folder(connection, folder)
            files.add(connection, key, name, self._clock(), folder)
            _set_editor(connection, key, editor)
            _set_plan(connection, key, plan)
            made = files.known(connection, key)
            history.note_activity(connection, self._clock(), "fig_file_create", made.key, made.folder)

    def move(self, key: str, folder: str) -> None:
        """The folder that the file is in from now on, by its id."""
        with self._store.writing() as connection:
            teams.known_folder(connection, folder)
            number = files.known(connection, key).number
            connection.execute("UPDATE files SET folder = ? WHERE number = ?", (folder, number))

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
            main = files.known(connection, main_key)
            if main.main is not None:
                raise UsageError(f"{main_key}: it is a branch itself; give the key of the main file")
            number = files.add(connection, branch_key, name, self._clock(), main.folder)
            for statement in _BRANCH:
                connection.execute(statement, {"main": main.number, "branch": number})
            made = files.known(connection, branch_key)
            history.note_activity(
                connection, self._clock(), "branch_create", made.key, made.folder, main_file_key=main_key
            )

    def set_document(self, key: str, document: dict[str, Any] | None) -> None:
        """The layers of a file: a DOCUMENT node, or a saved answer of the file endpoint that holds one.

        None gives it back the page that is made up from its variables.
        """
        with self._store.writing() as connection:
            file = files.known(connection, key)
            if document is None:
                documents.remove(connection, file.number)
            else:
                documents.put(connection, file.number, document)
            files.touch(connection, file.number, self._clock())

    def set_largest_answer(self, size: int) -> None:
        """How many bytes of layers the platform gives at once; what is larger has to be asked for in parts."""
        with self._store.writing() as connection:
            documents.set_largest(connection, size)

    def all(self) -> tuple[files.File, ...]:
        """Return every file, branches too, in the order in which they were made."""
        with self._store.reading() as connection:
            query = f"SELECT {files.COLUMNS} FROM files ORDER BY number"  # noqa: S608
            return tuple(files.File(*row) for row in connection.execute(query))

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all files, branches too, in the order in which they were made."""
        with self._store.reading() as connection:
            return tuple(key for (key,) in connection.execute("SELECT key FROM files ORDER BY number"))

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Return the keys of the main files that have this name, in the order in which they were made."""
        with self._store.reading() as connection:
            query = "SELECT key FROM files WHERE name = ? AND main IS NULL ORDER BY number"
            return tuple(key for (key,) in connection.execute(query, (name,)))


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


def _set_editor(connection: sqlite3.Connection, key: str, editor: str) -> None:
    if editor not in files.EDITORS:
        raise UsageError(f"{key}: no editor {editor!r}; use one of {', '.join(files.EDITORS)}")
    connection.execute("UPDATE files SET editor = ? WHERE number = ?", (editor, files.known(connection, key).number))


def _set_plan(connection: sqlite3.Connection, key: str, plan: str) -> None:
    people.check(key, plan)
    connection.execute("UPDATE files SET plan = ? WHERE number = ?", (plan, files.known(connection, key).number))
