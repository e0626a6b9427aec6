"""Comments on a file and reactions to them, as requests and answers (platform-facts "Other endpoints")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.accounts.scopes import BROAD
from tokensync.emulator.documents import comments
from tokensync.emulator.endpoints import access, body, shapes
from tokensync.emulator.endpoints.answers import as_json
from tokensync.emulator.endpoints.parameters import flag
from tokensync.emulator.endpoints.route import Query, Route

if TYPE_CHECKING:
    from tokensync.emulator.documents.comments import Comment
    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.filing.files import File

_DONE: Final = as_json({"status": 200, "error": False})


def list_comments(call: Call, file_key: str) -> bytes:
    """All of them. A comment here is the same text with ``as_md`` and without."""
    file = access.file_of(call, file_key)
    flag(call.query, "as_md")
    found = comments.of_file(call.connection, file.number)
    return as_json({"comments": [comments.document(call.connection, file.key, each) for each in found]})


def post(call: Call, file_key: str) -> bytes:
    """A new comment, or a reply to one. Whoever sees a file may comment on it."""
    file = access.file_of(call, file_key)
    made = comments.posted(call, file, body.read_object(call))
    return as_json(comments.document(call.connection, file.key, made))


def delete(call: Call, file_key: str, comment_id: str) -> bytes:
    """One's own comment, with the replies to it."""
    file = access.file_of(call, file_key)
    comments.delete(call.connection, comments.own(call, file.number, comment_id))
    return _DONE


def list_reactions(call: Call, file_key: str, comment_id: str) -> bytes:
    """All of them, in one page."""
    _, comment = _comment(call, file_key, comment_id)
    found = comments.reactions(call.connection, comment)
    shown = [comments.reaction_document(call.connection, each) for each in found]
    return as_json({"reactions": shown, "pagination": {}})


def react(call: Call, file_key: str, comment_id: str) -> bytes:
    """A reaction to a comment."""
    _, comment = _comment(call, file_key, comment_id)
    comments.react(call, comment, body.read_object(call).get("emoji"))
    return _DONE


def take_back(call: Call, file_key: str, comment_id: str) -> bytes:
    """A reaction of one's own."""
    _, comment = _comment(call, file_key, comment_id)
    comments.take_back(call, comment, call.query.get("emoji"))
    return _DONE


def _comment(call: Call, file_key: str, comment_id: str) -> tuple[File, Comment]:
    file = access.file_of(call, file_key)
    return file, comments.on_file(call, file.number, comment_id)


_REACTION: Final = shapes.members({"user": shapes.USER, "emoji": shapes.TEXT, "created_at": shapes.TIME})
_COMMENT: Final = shapes.members(
    {
        "id": shapes.TEXT,
        "client_meta": shapes.SOMETHING,
        "file_key": shapes.TEXT,
        "user": shapes.USER,
        "created_at": shapes.TIME,
        "message": shapes.TEXT,
        "order_id": shapes.or_null(shapes.TEXT),
        "reactions": shapes.array(_REACTION),
    },
    {"parent_id": shapes.TEXT, "resolved_at": shapes.or_null(shapes.TIME)},
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
        parameters=(Query("as_md", shapes.BOOLEAN),),
        gives=shapes.members({"comments": shapes.array(_COMMENT)}),
    ),
    Route(
        "POST",
        "/v1/files/<file_key>/comments",
        post,
        scopes=_WRITE,
        tier=2,
        errors="err",
        takes=shapes.members(
            {"message": {"type": "string", "minLength": 1}},
            {"comment_id": shapes.or_null(shapes.TEXT), "client_meta": shapes.or_null(shapes.SOMETHING)},
        ),
        gives=_COMMENT,
    ),
    Route(
        "DELETE",
        "/v1/files/<file_key>/comments/<comment_id>",
        delete,
        scopes=_WRITE,
        tier=2,
        errors="err",
        gives=shapes.DONE,
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        list_reactions,
        scopes=_READ,
        tier=2,
        errors="err",
        parameters=(Query("cursor", shapes.TEXT),),
        gives=shapes.members({"reactions": shapes.array(_REACTION), "pagination": shapes.SOMETHING}),
    ),
    Route(
        "POST",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        react,
        scopes=_WRITE,
        tier=2,
        errors="err",
        takes=shapes.members({"emoji": _EMOJI}),
        gives=shapes.DONE,
    ),
    Route(
        "DELETE",
        "/v1/files/<file_key>/comments/<comment_id>/reactions",
        take_back,
        scopes=_WRITE,
        tier=2,
        errors="err",
        parameters=(Query("emoji", _EMOJI, required=True),),
        gives=shapes.DONE,
    ),
)
