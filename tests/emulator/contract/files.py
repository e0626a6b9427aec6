"""Files, nodes, pictures, metadata, versions, comments and oEmbed (as the public OpenAPI document describes them)."""

from collections.abc import Mapping
from typing import Any

from emulator.contract.rows import Request, Row, delete, get, post
from emulator.platform import BLUE, KEY, Platform

FILE, NODES, IMAGES = "/v1/files/{file}", "/v1/files/{file}/nodes", "/v1/images/{file}"
FILLS, META = "/v1/files/{file}/images", "/v1/files/{file}/meta"
VERSIONS, COMMENTS = "/v1/files/{file}/versions", "/v1/files/{file}/comments"
COMMENT = COMMENTS + "/{comment}"
REACTIONS = COMMENT + "/reactions"
OEMBED = "/v1/oembed?url=https://www.figma.com/design/{file}/x"

SHAPE = ("version", "width", "height")
THERE_ARE = "other endpoints: there are endpoints for content, nodes, images, comments and versions"
META_COMES = "other endpoints: file metadata comes without content, with file_metadata:read"
EMBEDS = "other endpoints: oEmbed 1.0 reports files and published Make projects"
TOO_LARGE = "errors: a file that is too large asks for parameters, and ids and depth help"
BY_TIME = "versions: versions are listed by their time of creation"
SCOPED = "authentication: file_comments:read and file_comments:write are for comments"
PATHS = (
    get(FILE),
    get(NODES + "?ids=1:2"),
    get(IMAGES + "?ids=1:2"),
    get(FILLS),
    get(META),
    get(VERSIONS),
    get(COMMENTS),
    post(COMMENTS, {"message": "m"}),
    delete(COMMENT),
    get(REACTIONS),
    post(REACTIONS, {"emoji": ":eyes:"}),
    delete(REACTIONS + "?emoji=:eyes:"),
    get(OEMBED),
)


def commented(platform: Platform) -> Mapping[str, str]:
    """Set up a comment by the owner, and tokens of another user and of one without access to the file."""
    tokens = platform.emulator.tokens
    scopes = ("file_content:read", "file_metadata:read", "file_versions:read")
    comments = ("file_comments:read", "file_comments:write")
    return {
        "comment": platform.emulator.comments.add(KEY, "Look at this"),
        "other": tokens.create(scopes=(*scopes, *comments), permission="viewer"),
        "outsider": tokens.create(scopes=(*scopes, *comments), permission=None),
    }


def reacted(platform: Platform) -> Mapping[str, str]:
    """A comment that its author has looked at."""
    names = commented(platform)
    path = f"/v1/files/{KEY}/comments/{names['comment']}/reactions"
    assert platform.request("POST", path, data=b'{"emoji": ":eyes:"}').status_code == 200
    return names


def kept(platform: Platform) -> Mapping[str, str]:
    """Two named versions, and an edit after them."""
    first, second = (platform.emulator.versions.save(KEY, each) for each in ("First", "Second"))
    platform.emulator.files.set_document(KEY, None)
    return {"first": first, "second": second}


def small(platform: Platform) -> Mapping[str, str]:
    """A platform that gives very little at once."""
    platform.emulator.files.set_largest_answer(2000)
    return {}


def slides(platform: Platform) -> Mapping[str, str]:
    """A file that has no layers to read."""
    platform.emulator.files.set_editor(KEY, "slides")
    return {}


def make(platform: Platform) -> Mapping[str, str]:
    """A Make project."""
    platform.emulator.files.create("maker", name="A thing", editor="make")
    return {"file": "maker"}


def _bound(body: Any) -> bool:
    node = body["nodes"]["1:2"]["document"]
    return bool(node["boundVariables"]["fills"][0]["id"] == BLUE and body["nodes"]["9:9"] is None)


def _refused(request: Request, status: int, message: str, cites: str = THERE_ARE, **more: Any) -> Row:
    return Row((cites,), request, status, message, body_matches=lambda body: body["err"] == body["message"], **more)


ROWS = (
    Row(
        (THERE_ARE, "authentication: file_content:read is for layers and content"),
        get(NODES + "?ids=1:2,9:9"),
        body_matches=_bound,
    ),
    Row(
        (THERE_ARE,),
        get(FILE),
        body_matches=lambda body: (
            body["document"]["type"] == "DOCUMENT" and body["role"] == "owner" and "err" not in body
        ),
        live=True,
    ),
    Row(
        (THERE_ARE,), get(IMAGES + "?ids=1:2"), body_matches=lambda body: body["err"] is None and body["images"]["1:2"]
    ),
    Row((THERE_ARE,), get(FILLS), body_matches=lambda body: body["meta"] == {"images": {}} and body["error"] is False),
    Row(
        (META_COMES,),
        get(META),
        body_matches=lambda body: (
            set(body) == {"file"} and body["file"]["editorType"] == "figma" and "document" not in body
        ),
        live=True,
    ),
    Row((META_COMES,), get(META), setup=slides, body_matches=lambda body: body["file"]["editorType"] == "slides"),
    Row(
        (EMBEDS,),
        get(OEMBED),
        body_matches=lambda body: body["version"] == "1.0" and (body["width"], body["height"]) == (800, 450),
    ),
    Row(
        (EMBEDS,),
        get("/v1/oembed?url=https://www.figma.com/make/{file}/x&maxwidth=100"),
        setup=make,
        body_matches=lambda body: (body["title"], body["width"]) == ("A thing", 100),
    ),
    _refused(get("/v1/oembed"), 400, "url is required", EMBEDS),
    _refused(get("/v1/oembed?url=nothing"), 400, "url must be the URL of a file", EMBEDS),
    _refused(get(OEMBED + "&maxwidth=x"), 400, "maxwidth must be a positive integer", EMBEDS),
    _refused(get(FILE), 400, r"Request too large\. If applicable, filter by query params\.", TOO_LARGE, setup=small),
    _refused(get(NODES + "?ids=0:1"), 400, "Request too large.*", TOO_LARGE, setup=small),
    Row((TOO_LARGE,), get(FILE + "?depth=1"), setup=small),
    Row((TOO_LARGE,), get(NODES + "?ids=1:2"), setup=small),
    _refused(get(FILE), 400, "File type not supported by this endpoint", setup=slides),
    _refused(get(FILE + "?depth=-1"), 400, "depth must be a whole number"),
    _refused(get(FILE + "?geometry=all"), 400, "geometry must be paths"),
    _refused(get(FILE + "?version=0"), 404, "Version not found"),
    _refused(get(NODES), 400, "ids is required: a comma-separated list of node ids"),
    _refused(get(IMAGES), 400, "ids is required: a comma-separated list of node ids"),
    _refused(get(IMAGES + "?ids=1:2&scale=5"), 400, r"scale must be a number from 0\.01 to 4"),
    _refused(get(IMAGES + "?ids=1:2&format=gif"), 400, "format must be one of png, jpg, svg, pdf"),
    Row(
        (BY_TIME, THERE_ARE),
        get(VERSIONS),
        setup=kept,
        body_matches=lambda body: [each["label"] for each in body["versions"]] == [None, "Second", "First"],
    ),
    Row(
        (BY_TIME,),
        get(VERSIONS + "?page_size=1&before={second}"),
        setup=kept,
        body_matches=lambda body: [each["label"] for each in body["versions"]] == ["First"],
    ),
    Row((THERE_ARE,), get(FILE + "?version={first}"), setup=kept),
    _refused(get(VERSIONS + "?before=x"), 400, "before must be the id of a version of the file"),
    Row(
        (THERE_ARE, SCOPED),
        get(COMMENTS, by="{other}"),
        setup=commented,
        body_matches=lambda body: [each["message"] for each in body["comments"]] == ["Look at this"],
    ),
    Row(
        (THERE_ARE, SCOPED),
        post(COMMENTS, {"message": "I do", "comment_id": "{comment}"}, by="{other}"),
        setup=commented,
        body_matches=lambda body: body["message"] == "I do" and body["parent_id"] and body["order_id"] is None,
    ),
    Row(
        (SCOPED,),
        delete(COMMENT),
        setup=commented,
        after=lambda _, platform: not platform.request("GET", f"/v1/files/{KEY}/comments").json["comments"],
    ),
    Row((SCOPED,), get(REACTIONS), setup=reacted, body_matches=lambda body: body["reactions"][0]["emoji"] == ":eyes:"),
    Row((SCOPED,), post(REACTIONS, {"emoji": ":heart:"}), setup=commented),
    Row((SCOPED,), delete(REACTIONS + "?emoji=:eyes:"), setup=reacted),
    _refused(post(COMMENTS, {"message": " "}), 400, "message must be a text that is not empty"),
    _refused(post(COMMENTS, {"message": "m", "comment_id": "9"}), 404, "Comment not found"),
    _refused(delete(COMMENT, by="{other}"), 403, "Only the author of a comment can delete it", setup=commented),
    _refused(post(REACTIONS, {"emoji": "eyes"}), 400, "emoji must be a shortcode.*", setup=commented),
    _refused(delete(REACTIONS + "?emoji=:eyes:"), 404, "Reaction not found", setup=commented),
    _refused(delete(REACTIONS + "?emoji=:eyes:", by="{other}"), 404, "Reaction not found", setup=reacted),
    _refused(get(COMMENTS + "/99/reactions"), 404, "Comment not found"),
    *(
        _refused(each._replace(by="{outsider}"), 403, "Insufficient file permissions", setup=commented)
        for each in PATHS
    ),
    *(
        _refused(each, 404, "Not found", setup=lambda platform: {**commented(platform), "file": "nowhere"})
        for each in PATHS
    ),
)
