"""Comments on files, their replies and reactions (Figma REST API: Comments)."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import access, endpoints, files, history, people, webhooks
from tokensync.emulator.endpoints import OF_PEOPLE, Query, Refusal, Route, as_json, existing, flag, invalid, timestamp
from tokensync.emulator.store import StateActions, required, rows
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.files import File
    from tokensync.emulator.people import User


_SHORTCODE: Final = re.compile(r":[a-z0-9_+'-]+:(:skin-tone-[2-6]:)?")
_POINT: Final = frozenset(("x", "y"))
_REGION: Final = _POINT | {"region_width", "region_height"}
_PINNED: Final = frozenset(("node_id", "node_offset"))
_PINNED_REGION: Final = _PINNED | {"region_width", "region_height"}
_CORNER: Final = "comment_pin_corner"
_CORNERS: Final = ("top-left", "top-right", "bottom-left", "bottom-right")
_TOP_LEFT: Final = {"x": 0, "y": 0}


class Comment(NamedTuple):
    """A comment by a user, by id. ``parent`` is the id of a reply's comment, else None. Times are Unix seconds."""

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
    """A reaction by a user, by id. ``emoji`` is a shortcode such as ``:eyes:``."""

    user: str
    emoji: str
    created: float


class Comments(StateActions):
    """Adds and resolves comments as any user."""

    def add(self, file_key: str, message: str, *, user: str = people.FIRST, reply_to: str | None = None) -> str:
        """Create a comment by a user and return its id."""
        with self._store.writing() as connection:
            file = files.require(connection, file_key)
            author = people.require(connection, user)
            if reply_to is not None:
                _require(connection, file, reply_to)
            return write(connection, file, author, message, self._clock(), parent=reply_to).id

    def resolve(self, file_key: str, comment: str) -> None:
        """Mark a comment as resolved."""
        with self._store.writing() as connection:
            number = _require(connection, files.require(connection, file_key), comment).number
            connection.execute("UPDATE comments SET resolved = ? WHERE number = ?", (self._clock(), number))


def find(connection: sqlite3.Connection, file: int, id_: str) -> Comment | None:
    """Return the comment with this id on a file, by the file's number."""
    return next(rows(connection, Comment, "comments WHERE file = ? AND id = ?", file, id_), None)


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
    """Create a comment at a position of the file, and notify webhooks."""
    encoded_position = msgspec.json.encode(_TOP_LEFT if position is None else position)
    cursor = connection.execute(
        "INSERT INTO comments (file, id, parent, user, created, message, position) VALUES (?, '', ?, ?, ?, ?, ?)",
        (file.number, parent, user.id, now, message, encoded_position),
    )
    number = cursor.lastrowid or 0
    connection.execute("UPDATE comments SET id = ? WHERE number = ?", (str(number), number))
    fields = {"comment": [{"text": message}], "comment_id": str(number), "created_at": timestamp(now)}
    webhooks.queue(connection, now, webhooks.FILE_COMMENT, file, user, **fields)
    history.note_text(connection, now, history.COMMENT, message, user, file.key)
    return Comment(number, file.number, str(number), parent, user.id, now, None, message, encoded_position)


def _create(call: Call, file: File, body: Mapping[str, Any]) -> Comment:
    """Create the comment of a request body."""
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


def _reactions(connection: sqlite3.Connection, comment: Comment) -> tuple[Reaction, ...]:
    return tuple(rows(connection, Reaction, "reactions WHERE comment = ? ORDER BY number", comment.id))


def document(connection: sqlite3.Connection, file_key: str, comment: Comment) -> dict[str, Any]:
    """Return a comment as in answers, with its reactions."""
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
        "reactions": [_reaction_document(connection, reaction) for reaction in _reactions(connection, comment)],
    }


def _reaction_document(connection: sqlite3.Connection, reaction: Reaction) -> dict[str, Any]:
    return {
        "user": _user(connection, reaction.user),
        "emoji": reaction.emoji,
        "created_at": timestamp(reaction.created),
    }


def _require(connection: sqlite3.Connection, file: File, id_: str) -> Comment:
    found = find(connection, file.number, id_)
    return required(found, f"comment {id_}: no such comment on {file.key}; create it first")


def _user(connection: sqlite3.Connection, id_: str) -> dict[str, Any]:
    return people.document(people.require(connection, id_))


def _is_position(value: Any) -> bool:
    """Return whether a value is a point or region, on the canvas or relative to a node."""
    if not isinstance(value, dict) or value.get(_CORNER, _CORNERS[0]) not in _CORNERS:
        return False
    names = value.keys() - {_CORNER}
    if names in (_PINNED, _PINNED_REGION):
        offset = value["node_offset"]
        texts = isinstance(value["node_id"], str) and isinstance(offset, dict) and offset.keys() == _POINT
        return texts and all(map(_is_number, [*offset.values(), *(value[name] for name in names - _PINNED)]))
    return names in (_POINT, _REGION) and all(_is_number(value[name]) for name in names)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_DONE: Final = as_json({"status": 200, "error": False})


def list_comments(call: Call, file_key: str) -> bytes:
    """Return the comments on a file. ``as_md`` has no effect, since the emulator's comments have no formatting."""
    file = access.file_of(call, file_key)
    flag(call.query, "as_md")
    comments = rows(call.connection, Comment, "comments WHERE file = ? ORDER BY number", file.number)
    return as_json({"comments": [document(call.connection, file.key, comment) for comment in comments]})


def post(call: Call, file_key: str) -> bytes:
    """Add a comment to a file, or a reply to a comment. Everyone who can view the file may comment."""
    file = access.file_of(call, file_key)
    comment = _create(call, file, endpoints.read_object(call))
    return as_json(document(call.connection, file.key, comment))


def delete(call: Call, file_key: str, comment_id: str) -> bytes:
    """Delete a comment of the caller, with its replies."""
    comment = _comment(call, file_key, comment_id)
    if comment.user != call.user.id:
        raise Refusal(403, "Only the author of a comment can delete it")
    call.connection.execute(
        "DELETE FROM reactions WHERE comment IN (SELECT id FROM comments WHERE id = :id OR parent = :id)",
        {"id": comment.id},
    )
    call.connection.execute("DELETE FROM comments WHERE id = :id OR parent = :id", {"id": comment.id})
    return _DONE


def list_reactions(call: Call, file_key: str, comment_id: str) -> bytes:
    """Return the reactions to a comment, in one page."""
    reactions = _reactions(call.connection, _comment(call, file_key, comment_id))
    documents = [_reaction_document(call.connection, reaction) for reaction in reactions]
    return as_json({"reactions": documents, "pagination": {}})


def react(call: Call, file_key: str, comment_id: str) -> bytes:
    """Add a reaction to a comment. A repeated reaction has no effect."""
    comment = _comment(call, file_key, comment_id)
    emoji = endpoints.read_object(call).get("emoji")
    if not isinstance(emoji, str) or not _SHORTCODE.fullmatch(emoji):
        raise invalid("emoji must be a shortcode such as :heart:")
    cursor = call.connection.execute(
        "INSERT OR IGNORE INTO reactions (comment, user, emoji, created) VALUES (?, ?, ?, ?)",
        (comment.id, call.user.id, emoji, call.now),
    )
    if cursor.rowcount:
        history.note_text(call.connection, call.now, history.REACTION, emoji, call.user, file_key)
    return _DONE


def remove_reaction(call: Call, file_key: str, comment_id: str) -> bytes:
    """Delete a reaction of the caller to a comment."""
    comment = _comment(call, file_key, comment_id)
    emoji = call.query.get("emoji")
    if emoji is None:
        raise invalid("emoji is required")
    query = "DELETE FROM reactions WHERE comment = ? AND user = ? AND emoji = ?"
    if not call.connection.execute(query, (comment.id, call.user.id, emoji)).rowcount:
        raise Refusal(404, "Reaction not found")
    return _DONE


def _comment(call: Call, file_key: str, comment_id: str) -> Comment:
    return existing(find(call.connection, access.file_of(call, file_key).number, comment_id), "Comment")


_REACTION: Final = endpoints.members({"user": endpoints.USER, "emoji": endpoints.TEXT, "created_at": endpoints.TIME})
_COMMENT: Final = endpoints.members(
    {
        "id": endpoints.TEXT,
        "client_meta": endpoints.OBJECT,
        "file_key": endpoints.TEXT,
        "user": endpoints.USER,
        "created_at": endpoints.TIME,
        "message": endpoints.TEXT,
        "order_id": endpoints.or_null(endpoints.TEXT),
        "reactions": endpoints.array(_REACTION),
    },
    {"parent_id": endpoints.TEXT, "resolved_at": endpoints.or_null(endpoints.TIME)},
)
_EMOJI: Final = {"type": "string", "pattern": "^:.+:$"}

_reading: Final = partial(Route, scopes=("file_comments:read", BROAD), tier=2, errors="err")
_writing: Final = partial(Route, scopes=("file_comments:write",), kinds=OF_PEOPLE, tier=2, errors="err")

ROUTES: Final = (
    _reading(
        "GET",
        "/v1/files/<file_key>/comments",
        list_comments,
        parameters=(Query("as_md", endpoints.BOOLEAN),),
        returns=endpoints.members({"comments": endpoints.array(_COMMENT)}),
    ),
    _writing(
        "POST",
        "/v1/files/<file_key>/comments",
        post,
        accepts=endpoints.members(
            {"message": {"type": "string", "minLength": 1}},
            {"comment_id": endpoints.or_null(endpoints.TEXT), "client_meta": endpoints.or_null(endpoints.OBJECT)},
        ),
        returns=_COMMENT,
    ),
    _writing("DELETE", "/v1/files/<file_key>/comments/<comment_id>", delete, returns=endpoints.DONE),
    _reading(
        "GET",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        list_reactions,
        parameters=(Query("cursor", endpoints.TEXT),),
        returns=endpoints.members({"reactions": endpoints.array(_REACTION), "pagination": endpoints.OBJECT}),
    ),
    _writing(
        "POST",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        react,
        accepts=endpoints.members({"emoji": _EMOJI}),
        returns=endpoints.DONE,
    ),
    _writing(
        "DELETE",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        remove_reaction,
        parameters=(Query("emoji", _EMOJI, required=True),),
        returns=endpoints.DONE,
    ),
)
