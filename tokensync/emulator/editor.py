"""Editor actions that no endpoint offers: creating files and branches, publishing libraries, raising events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import files, history, people, webhooks
from tokensync.emulator.endpoints import timestamp
from tokensync.emulator.services import dev_resources, documents, libraries
from tokensync.emulator.services.variables import publishing as variables
from tokensync.emulator.store import StateActions, rows, set_value
from tokensync.emulator.webhooks import LIBRARY_PUBLISH, Changes, Item
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3


_FIRST_NODE: Final = "1:2"


class Waiting(NamedTuple):
    """A queued event for a webhook, by its id. ``due`` is Unix seconds; ``failures`` counts failed deliveries."""

    webhook: str
    event_type: str
    due: float
    failures: int


class Events(StateActions):
    """Queues events for webhooks. Each method returns the number of webhooks that receive the event.

    ``user`` is the id of the user who triggers the event, by default the first user.
    """

    def file_update(self, file_key: str) -> int:
        """Queue FILE_UPDATE without waiting for 30 minutes of inactivity."""
        with self._store.writing() as connection:
            connection.execute("DELETE FROM edits WHERE file = ?", (files.require(connection, file_key).number,))
            return self._add(connection, webhooks.FILE_UPDATE, file_key)

    def file_delete(self, file_key: str, *, user: str | None = None) -> int:
        """Queue FILE_DELETE, also for webhooks with FILE_UPDATE. The file itself is not deleted."""
        with self._store.writing() as connection:
            return self._add(connection, webhooks.FILE_DELETE, file_key, user or people.FIRST)

    def file_version(self, file_key: str, *, description: str | None = None, user: str | None = None) -> int:
        """Queue FILE_VERSION_UPDATE: a user named the current version of the file."""
        with self._store.writing() as connection:
            version, now = str(files.require(connection, file_key).version), timestamp(self._clock())
            fields = {"created_at": now, "version_id": version, "description": description}
            return self._add(connection, webhooks.FILE_VERSION_UPDATE, file_key, user or people.FIRST, **fields)

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
        """Queue LIBRARY_PUBLISH for items with these names, which need not exist (see also ``Emulator.publish``)."""
        if asset not in webhooks.ASSETS:
            raise UsageError(f"{asset}: no kind of asset; use one of {', '.join(webhooks.ASSETS)}")
        if not (created or modified or deleted):
            raise UsageError(
                "LIBRARY_PUBLISH: no changes; name at least one item that was created, modified or deleted,"
                " or publish the file"
            )
        changes = Changes(*(tuple(self._item(asset, name) for name in names) for names in (created, modified, deleted)))
        with self._store.writing() as connection:
            fields = webhooks.publication_fields(asset, changes, description)
            return self._add(connection, webhooks.LIBRARY_PUBLISH, file_key, user or people.FIRST, **fields)

    def file_comment(self, file_key: str, text: str, *, mentions: tuple[str, ...] = (), user: str | None = None) -> int:
        """Queue FILE_COMMENT; ``mentions`` are user ids."""
        with self._store.writing() as connection:
            now = self._clock()
            fields = {
                "comment": [{"text": text}, *({"mention": mention} for mention in mentions)],
                "comment_id": str(int(self._identities.key("comment", file_key, text, repr(now))[:12], 16)),
                "created_at": timestamp(now),
                "mentions": [people.document(people.require(connection, mention)) for mention in mentions] or None,
            }
            return self._add(connection, webhooks.FILE_COMMENT, file_key, user or people.FIRST, **fields)

    def dev_status(
        self,
        file_key: str,
        status: str,
        *,
        node: str = _FIRST_NODE,
        message: str | None = None,
        user: str | None = None,
    ) -> int:
        """Queue DEV_MODE_STATUS_UPDATE of a layer: NONE, READY_FOR_DEV or COMPLETED, with an optional message."""
        if status not in webhooks.DEV_STATUSES:
            raise UsageError(f"{status}: unknown status; use one of {', '.join(webhooks.DEV_STATUSES)}")
        with self._store.writing() as connection:
            links = dev_resources.attached(connection, files.require(connection, file_key), (node,))
            fields = {"node_id": node, "related_links": links, "status": status, "change_message": message}
            return self._add(connection, webhooks.DEV_MODE_STATUS_UPDATE, file_key, user or people.FIRST, **fields)

    def waiting(self) -> tuple[Waiting, ...]:
        """Return the queued webhooks, the next one first."""
        with self._store.reading() as connection:
            rows = connection.execute("SELECT webhook, payload, due, failures FROM deliveries ORDER BY due, number")
            return tuple(
                Waiting(str(webhook), msgspec.json.decode(payload)["event_type"], due, failures)
                for webhook, payload, due, failures in rows
            )

    def _item(self, asset: str, name: str) -> webhooks.Item:
        return {"key": self._identities.key(asset, name), "name": name}

    def _add(
        self, connection: sqlite3.Connection, kind: str, file_key: str, user: str | None = None, **fields: Any
    ) -> int:
        by = None if user is None else people.require(connection, user)
        return webhooks.queue(connection, self._clock(), kind, files.require(connection, file_key), by, **fields)


_KINDS: Final = {"components": (libraries.COMPONENT, libraries.COMPONENT_SET), "styles": (libraries.STYLE,)}
_PUBLISHED: Final = "SELECT id, document FROM published WHERE file = ? AND kind = 'variable' ORDER BY number"


def publish(connection: sqlite3.Connection, file_key: str, now: float, description: str | None = None) -> int:
    """Publish a main file as the first user, and queue an event for each kind of asset that changed.

    Return the number of those kinds.
    """
    file = files.require(connection, file_key)
    before = _published(connection, file.number)
    variables.publish(connection, file_key, now)
    by_kind = libraries.publish(connection, file.number, people.FIRST, now)
    changed = {
        asset: Changes(*(sum(named, ()) for named in zip(*(by_kind[kind] for kind in kinds), strict=True)))
        for asset, kinds in _KINDS.items()
    }
    changed["variables"] = _differences(before, _published(connection, file.number))
    user = people.require(connection, people.FIRST)
    published = {asset: changes for asset, changes in changed.items() if any(changes)}
    for asset, changes in published.items():
        fields = webhooks.publication_fields(asset, changes, description)
        webhooks.queue(connection, now, LIBRARY_PUBLISH, file, user, **fields)
    return len(published)


def _published(connection: sqlite3.Connection, file: int) -> dict[str, bytes]:
    return dict(connection.execute(_PUBLISHED, (file,)))


def _differences(before: dict[str, bytes], after: dict[str, bytes]) -> Changes:
    """Compare published variables by id. A variable that was published again counts as modified."""
    return Changes(
        tuple(_item(document) for id_, document in after.items() if id_ not in before),
        tuple(_item(document) for id_, document in after.items() if before.get(id_, document) != document),
        tuple(_item(document) for id_, document in before.items() if id_ not in after),
    )


def _item(document: bytes) -> Item:
    decoded = msgspec.json.decode(document)
    return {"key": decoded.get("key", ""), "name": decoded.get("name", "")}


class Files(StateActions):
    """Creates and changes files."""

    def create(
        self,
        key: str,
        *,
        name: str = "Untitled",
        editor: str = files.DESIGN_EDITOR,
        plan: str = people.ENTERPRISE,
        folder: str = files.DRAFTS,
    ) -> None:
        """Create a file without variables."""
        with self._store.writing() as connection:
            files.require_folder(connection, folder)
            files.add(connection, key, name, self._clock(), folder, editor, plan)
            history.note_activity(connection, self._clock(), "fig_file_create", key, folder)

    def move(self, file_key: str, folder: str) -> None:
        """Move a file to a folder, by its id."""
        with self._store.writing() as connection:
            files.require_folder(connection, folder)
            number = files.require(connection, file_key).number
            connection.execute("UPDATE files SET folder = ? WHERE number = ?", (folder, number))

    def set_editor(self, file_key: str, editor: str) -> None:
        """Set the editor of a file, such as figjam or slides."""
        with self._store.writing() as connection:
            files.check_editor(file_key, editor)
            number = files.require(connection, file_key).number
            connection.execute("UPDATE files SET editor = ? WHERE number = ?", (editor, number))

    def set_plan(self, file_key: str, plan: str) -> None:
        """Set the plan of a file.

        PLAN is starter, professional, organization or enterprise.
        """
        with self._store.writing() as connection:
            people.check_plan(file_key, plan)
            number = files.require(connection, file_key).number
            connection.execute("UPDATE files SET plan = ? WHERE number = ?", (plan, number))

    def branch(self, file_key: str, branch_key: str, *, name: str = "Branch") -> None:
        """Create a branch of a main file. BRANCH is its key."""
        with self._store.writing() as connection:
            main = files.require(connection, file_key)
            if main.main is not None:
                raise UsageError(f"{file_key}: is a branch itself; give the key of the main file")
            number = files.add(connection, branch_key, name, self._clock(), main.folder)
            for statement in _BRANCH:
                connection.execute(statement, {"main": main.number, "branch": number})
            history.note_activity(
                connection, self._clock(), "branch_create", branch_key, main.folder, main_file_key=file_key
            )

    def set_document(self, file_key: str, document: dict[str, Any] | None = None) -> None:
        """Replace the layers of a file.

        DOCUMENT is a JSON file: a DOCUMENT node, or a saved response of GET v1/files/:key. Without one, restore the
        page that is generated from the file's variables.
        """
        with self._store.writing() as connection:
            file = files.require(connection, file_key)
            if document is None:
                connection.execute("DELETE FROM documents WHERE file = ?", (file.number,))
            else:
                documents.put(connection, file.number, document)
            files.touch(connection, file.number, self._clock())

    def set_largest_answer(self, size: int) -> None:
        """Refuse responses with layers that exceed SIZE bytes."""
        if size < 1:
            raise UsageError(f"largest answer: {size} bytes is too small; use at least 1")
        with self._store.writing() as connection:
            set_value(connection, documents.LARGEST_ANSWER, str(size))

    def all(self) -> tuple[files.File, ...]:
        """Return every file and branch in order of creation."""
        with self._store.reading() as connection:
            return tuple(rows(connection, files.File, "files ORDER BY number"))

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all files, including branches, in order of creation."""
        with self._store.reading() as connection:
            return tuple(key for (key,) in connection.execute("SELECT key FROM files ORDER BY number"))

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Return the keys of the main files with this name, in order of creation."""
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
