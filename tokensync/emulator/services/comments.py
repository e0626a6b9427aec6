"""Comments on files, replies to them, and reactions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import access, endpoints, events, files, history, people, schemas, webhooks
from tokensync.emulator.endpoints import Query, Refusal, Route, as_json, flag, invalid, timestamp
from tokensync.emulator.tokens import BROAD
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.files import File
    from tokensync.emulator.people import User
    from tokensync.emulator.store import Store


_SHORTCODE: Final = re.compile(r":[a-z0-9_+'-]+:(:skin-tone-[2-6]:)?")
_POINT: Final = frozenset(("x", "y"))
_REGION: Final = _POINT | {"region_width", "region_height"}
_PINNED: Final = frozenset(("node_id", "node_offset"))
_PINNED_REGION: Final = _PINNED | {"region_width", "region_height"}
_CORNER: Final = "comment_pin_corner"
_CORNERS: Final = ("top-left", "top-right", "bottom-left", "bottom-right")
_TOP_LEFT: Final = {"x": 0, "y": 0}


class Comment(NamedTuple):
    """``parent`` is the id of the comment that it replies to. Times are Unix seconds; ``user`` is a user's id."""

    number: int
    file: int
    id: str
    parent: str | None
    user: str
    created: float
    resolved: float | None
    message: str
    position: bytes


class Reaction(NamedTuple):
    """``emoji`` is a shortcode such as ``:eyes:``."""

    user: str
    emoji: str
    created: float


class Comments:
    """Does with comments what no endpoint does."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def add(self, file_key: str, message: str, *, user: str = people.FIRST, reply_to: str | None = None) -> str:
        """Return a comment by a user; its id."""
        with self._store.writing() as connection:
            file = files.require(connection, file_key)
            by = people.require(connection, user)
            if reply_to is not None:
                _known(connection, file, reply_to)
            return write(connection, file, by, message, self._clock(), parent=reply_to).id

    def resolve(self, file_key: str, id_: str) -> None:
        """Mark a comment as resolved."""
        with self._store.writing() as connection:
            found = _known(connection, files.require(connection, file_key), id_)
            connection.execute("UPDATE comments SET resolved = ? WHERE number = ?", (self._clock(), found.number))


def of_file(connection: sqlite3.Connection, file: int) -> tuple[Comment, ...]:
    """Return the comments on a file, in the order in which they were made."""
    query = f"SELECT {_COLUMNS} FROM comments WHERE file = ? ORDER BY number"  # noqa: S608
    return tuple(Comment(*row) for row in connection.execute(query, (file,)))


def find(connection: sqlite3.Connection, file: int, id_: str) -> Comment | None:
    """Return the comment of this id on a file, by the file's number."""
    query = f"SELECT {_COLUMNS} FROM comments WHERE file = ? AND id = ?"  # noqa: S608
    row = connection.execute(query, (file, id_)).fetchone()
    return None if row is None else Comment(*row)


def write(
    connection: sqlite3.Connection,
    file: File,
    user: User,
    message: str,
    now: float,
    *,
    parent: str | None = None,
    position: Any = None,
) -> Comment:
    """Create a comment at ``position`` of the file and notify webhooks."""
    where = msgspec.json.encode(_TOP_LEFT if position is None else position)
    cursor = connection.execute(
        "INSERT INTO comments (file, id, parent, user, created, message, position) VALUES (?, '', ?, ?, ?, ?, ?)",
        (file.number, parent, user.id, now, message, where),
    )
    number = cursor.lastrowid or 0
    connection.execute("UPDATE comments SET id = ? WHERE number = ?", (str(number), number))
    events.queue(connection, now, webhooks.FILE_COMMENT, file, events.comment_fields(user, str(number), message, now))
    history.note_text(connection, now, history.COMMENT, message, user, file.key)
    return Comment(number, file.number, str(number), parent, user.id, now, None, message, where)


def _posted(call: Call, file: File, body: Mapping[str, Any]) -> Comment:
    """Return the comment that the members of a request's body ask for."""
    message, parent, position = (body.get(name) for name in ("message", "comment_id", "client_meta"))
    if not isinstance(message, str) or not message.strip():
        raise invalid("message must be a text that is not empty")
    if parent is not None:
        root = find(call.connection, file.number, parent) if isinstance(parent, str) else None
        if root is None:
            raise Refusal(404, "Comment not found")
        if root.parent is not None:
            raise invalid("comment_id must be of a comment that is no reply itself")
    if position is not None and not _is_position(position):
        raise invalid("client_meta must be a point or a region, of the canvas or of a node")
    return write(call.connection, file, call.user, message, call.now, parent=parent, position=position)


def _own(call: Call, file: int, id_: str) -> Comment:
    """Return the comment of this id, which only its author may delete."""
    found = _on_file(call, file, id_)
    if found.user != call.user.id:
        raise Refusal(403, "Only the author of a comment can delete it")
    return found


def _on_file(call: Call, file: int, id_: str) -> Comment:
    """Return the comment of this id on a file."""
    found = find(call.connection, file, id_)
    if found is None:
        raise Refusal(404, "Comment not found")
    return found


def _delete(connection: sqlite3.Connection, comment: Comment) -> None:
    """Delete a comment, its replies, and the reactions to them."""
    connection.execute(
        "DELETE FROM reactions WHERE comment IN (SELECT id FROM comments WHERE id = :id OR parent = :id)",
        {"id": comment.id},
    )
    connection.execute("DELETE FROM comments WHERE id = :id OR parent = :id", {"id": comment.id})


def _reactions(connection: sqlite3.Connection, comment: Comment) -> tuple[Reaction, ...]:
    """Return the reactions to a comment, in the order in which they were made."""
    query = "SELECT user, emoji, created FROM reactions WHERE comment = ? ORDER BY number"
    return tuple(Reaction(*row) for row in connection.execute(query, (comment.id,)))


def _react(call: Call, comment: Comment, emoji: Any) -> None:
    """React to a comment; the same reaction twice is one."""
    if not isinstance(emoji, str) or not _SHORTCODE.fullmatch(emoji):
        raise invalid("emoji must be a shortcode such as :heart:")
    made = call.connection.execute(
        "INSERT OR IGNORE INTO reactions (comment, user, emoji, created) VALUES (?, ?, ?, ?)",
        (comment.id, call.user.id, emoji, call.now),
    )
    if made.rowcount:
        file = files.by_number(call.connection, comment.file)
        key = None if file is None else file.key
        history.note_text(call.connection, call.now, history.REACTION, emoji, call.user, key)


def _take_back(call: Call, comment: Comment, emoji: str | None) -> None:
    """Take a reaction of one's own back."""
    if emoji is None:
        raise invalid("emoji is required")
    query = "DELETE FROM reactions WHERE comment = ? AND user = ? AND emoji = ?"
    if not call.connection.execute(query, (comment.id, call.user.id, emoji)).rowcount:
        raise Refusal(404, "Reaction not found")


def document(connection: sqlite3.Connection, file_key: str, comment: Comment) -> dict[str, Any]:
    """Return a comment as answers show it, with its reactions."""
    return {
        "id": comment.id,
        "file_key": file_key,
        "parent_id": comment.parent or "",
        "user": _user(connection, comment.user),
        "created_at": timestamp(comment.created),
        "resolved_at": None if comment.resolved is None else timestamp(comment.resolved),
        "message": comment.message,
        "order_id": None if comment.parent else str(comment.number),
        "client_meta": msgspec.json.decode(comment.position),
        "reactions": [_reaction_document(connection, each) for each in _reactions(connection, comment)],
    }


def _reaction_document(connection: sqlite3.Connection, reaction: Reaction) -> dict[str, Any]:
    """Return a reaction as answers show it."""
    return {
        "user": _user(connection, reaction.user),
        "emoji": reaction.emoji,
        "created_at": timestamp(reaction.created),
    }


_COLUMNS: Final = ", ".join(Comment._fields)


def _known(connection: sqlite3.Connection, file: File, id_: str) -> Comment:
    found = find(connection, file.number, id_)
    if found is None:
        raise UsageError(f"comment {id_}: no such comment on {file.key}; create it first")
    return found


def _user(connection: sqlite3.Connection, id_: str) -> dict[str, Any]:
    return people.document(people.require(connection, id_))


def _is_position(value: Any) -> bool:
    """Return a point or region of the canvas, or one by its offset from a node."""
    if not isinstance(value, dict) or value.get(_CORNER, _CORNERS[0]) not in _CORNERS:
        return False
    names = value.keys() - {_CORNER}
    if names in (_PINNED, _PINNED_REGION):
        offset = value["node_offset"]
        texts = isinstance(value["node_id"], str) and isinstance(offset, dict) and offset.keys() == _POINT
        return texts and all(map(_is_number, [*offset.values(), *(value[each] for each in names - _PINNED)]))
    return names in (_POINT, _REGION) and all(_is_number(value[each]) for each in names)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_DONE: Final = as_json({"status": 200, "error": False})


def list_comments(call: Call, file_key: str) -> bytes:
    """All of them. A comment here is the same text with ``as_md`` and without."""
    file = access.file_of(call, file_key)
    flag(call.query, "as_md")
    found = of_file(call.connection, file.number)
    return as_json({"comments": [document(call.connection, file.key, each) for each in found]})


def post(call: Call, file_key: str) -> bytes:
    """A new comment, or a reply to one. Whoever sees a file may comment on it."""
    file = access.file_of(call, file_key)
    made = _posted(call, file, endpoints.read_object(call))
    return as_json(document(call.connection, file.key, made))


def delete(call: Call, file_key: str, comment_id: str) -> bytes:
    """One's own comment, with the replies to it."""
    file = access.file_of(call, file_key)
    _delete(call.connection, _own(call, file.number, comment_id))
    return _DONE


def list_reactions(call: Call, file_key: str, comment_id: str) -> bytes:
    """All of them, in one page."""
    _, comment = _comment(call, file_key, comment_id)
    found = _reactions(call.connection, comment)
    shown = [_reaction_document(call.connection, each) for each in found]
    return as_json({"reactions": shown, "pagination": {}})


def react(call: Call, file_key: str, comment_id: str) -> bytes:
    """A reaction to a comment."""
    _, comment = _comment(call, file_key, comment_id)
    _react(call, comment, endpoints.read_object(call).get("emoji"))
    return _DONE


def take_back(call: Call, file_key: str, comment_id: str) -> bytes:
    """A reaction of one's own."""
    _, comment = _comment(call, file_key, comment_id)
    _take_back(call, comment, call.query.get("emoji"))
    return _DONE


def _comment(call: Call, file_key: str, comment_id: str) -> tuple[File, Comment]:
    file = access.file_of(call, file_key)
    return file, _on_file(call, file.number, comment_id)


_REACTION: Final = schemas.members({"user": schemas.USER, "emoji": schemas.TEXT, "created_at": schemas.TIME})
_COMMENT: Final = schemas.members(
    {
        "id": schemas.TEXT,
        "client_meta": schemas.OBJECT,
        "file_key": schemas.TEXT,
        "user": schemas.USER,
        "created_at": schemas.TIME,
        "message": schemas.TEXT,
        "order_id": schemas.or_null(schemas.TEXT),
        "reactions": schemas.array(_REACTION),
    },
    {"parent_id": schemas.TEXT, "resolved_at": schemas.or_null(schemas.TIME)},
)
_READ: Final = ("file_comments:read", BROAD)
_WRITE: Final = ("file_comments:write",)
_EMOJI: Final = {"type": "string", "pattern": "^:.+:$"}

ROUTES: Final = (
    Route(
        "GET",
        "/v1/files/<file_key>/comments",
        list_comments,
        scopes=_READ,
        tier=2,
        errors="err",
        parameters=(Query("as_md", schemas.BOOLEAN),),
        returns=schemas.members({"comments": schemas.array(_COMMENT)}),
    ),
    Route(
        "POST",
        "/v1/files/<file_key>/comments",
        post,
        scopes=_WRITE,
        tier=2,
        errors="err",
        accepts=schemas.members(
            {"message": {"type": "string", "minLength": 1}},
            {"comment_id": schemas.or_null(schemas.TEXT), "client_meta": schemas.or_null(schemas.OBJECT)},
        ),
        returns=_COMMENT,
    ),
    Route(
        "DELETE",
        "/v1/files/<file_key>/comments/<comment_id>",
        delete,
        scopes=_WRITE,
        tier=2,
        errors="err",
        returns=schemas.DONE,
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        list_reactions,
        scopes=_READ,
        tier=2,
        errors="err",
        parameters=(Query("cursor", schemas.TEXT),),
        returns=schemas.members({"reactions": schemas.array(_REACTION), "pagination": schemas.OBJECT}),
    ),
    Route(
        "POST",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        react,
        scopes=_WRITE,
        tier=2,
        errors="err",
        accepts=schemas.members({"emoji": _EMOJI}),
        returns=schemas.DONE,
    ),
    Route(
        "DELETE",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        take_back,
        scopes=_WRITE,
        tier=2,
        errors="err",
        parameters=(Query("emoji", _EMOJI, required=True),),
        returns=schemas.DONE,
    ),
)
