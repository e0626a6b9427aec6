"""Comments on files, and reactions to them (Figma REST API: Comments)."""

from __future__ import annotations

from typing import Final

from tokensync.client.endpoint import BODY, Endpoint, Paging, Parameter, next_page_of_pagination, path

_READ: Final = ("file_comments:read", "files:read")
_WRITE: Final = ("file_comments:write",)
_FILE: Final = path("file_key", "key of a file or branch")
_COMMENT: Final = path("comment_id", "id of a comment")
_EMOJI: Final = Parameter("emoji", "a shortcode such as :heart:", required=True)

LIST: Final = Endpoint(
    "comments",
    "list",
    "GET",
    "v1/files/{file_key}/comments",
    "List the comments on a file.",
    _READ,
    2,
    (_FILE, Parameter("as_md", "texts as Markdown", kind="boolean")),
    shape="plain",
)
POST: Final = Endpoint(
    "comments",
    "post",
    "POST",
    "v1/files/{file_key}/comments",
    "Comment on a file, or reply to a comment.",
    _WRITE,
    2,
    (
        _FILE,
        Parameter("message", "the text", BODY, required=True),
        Parameter("comment_id", "id of the comment to reply to", BODY),
        Parameter("client_meta", "position: a point or region on the canvas or a node", BODY, "json"),
    ),
    shape="plain",
)
DELETE: Final = Endpoint(
    "comments",
    "delete",
    "DELETE",
    "v1/files/{file_key}/comments/{comment_id}",
    "Delete one of your comments.",
    _WRITE,
    2,
    (_FILE, _COMMENT),
    shape="any",
    subject="comment",
)
REACTIONS: Final = Endpoint(
    "comments",
    "reactions",
    "GET",
    "v1/files/{file_key}/comments/{comment_id}/reactions",
    "List the reactions to a comment.",
    _READ,
    2,
    (_FILE, _COMMENT, Parameter("cursor", "cursor from the previous page")),
    shape="plain",
    paging=Paging(("reactions",), next_page_of_pagination),
    subject="comment",
)
REACT: Final = Endpoint(
    "comments",
    "react",
    "POST",
    "v1/files/{file_key}/comments/{comment_id}/reactions",
    "React to a comment.",
    _WRITE,
    2,
    (_FILE, _COMMENT, _EMOJI._replace(location=BODY)),
    shape="any",
    subject="comment",
)
TAKE_BACK: Final = Endpoint(
    "comments",
    "take-back",
    "DELETE",
    "v1/files/{file_key}/comments/{comment_id}/reactions",
    "Remove one of your reactions.",
    _WRITE,
    2,
    (_FILE, _COMMENT, _EMOJI),
    shape="any",
    subject="comment",
)
ENDPOINTS: Final = (LIST, POST, DELETE, REACTIONS, REACT, TAKE_BACK)
