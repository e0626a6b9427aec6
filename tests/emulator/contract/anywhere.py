"""Reading rows for any file, team and folder, which also run against the real service."""

from collections.abc import Callable
from typing import Any

from emulator.contract.rows import Row, get

FILE, TEAM, FOLDER = "/v1/files/{file}", "/v2/teams/{team}", "/v2/folders/{folder}"


def in_envelope(*members: str) -> Callable[[Any], bool]:
    return lambda body: body["error"] is False and set(body["meta"]) >= set(members)


def plain(*members: str) -> Callable[[Any], bool]:
    return lambda body: set(body) >= set(members) and "meta" not in body


def reads(cites: str, path: str, body_matches: Callable[[Any], bool]) -> Row:
    return Row((cites,), get(path), body_matches=body_matches, live=True)


ENVELOPE = "envelope: most answers stand in an envelope of status, error and meta"
TOP_LEVEL = "envelope: folders, dev resources, webhooks and analytics answer without the envelope"
CONTENT = "other endpoints: there are endpoints for content, nodes, images, comments and versions"
THINGS = ("components", "component_sets", "styles")
METADATA = ("id", "name", "thumbnail_url", "file_count", "updated_at", "created_at")

ROWS = (
    *(reads(ENVELOPE, f"/v1/teams/{{team}}/{each}?page_size=2", in_envelope(each)) for each in THINGS),
    *(reads(ENVELOPE, f"{FILE}/{each}", in_envelope(each)) for each in THINGS),
    *(
        reads(ENVELOPE, f"{FILE}/variables/{which}", in_envelope("variables", "variableCollections"))
        for which in ("local", "published")
    ),
    reads(TOP_LEVEL, f"{TEAM}/folders", plain("name", "folders")),
    reads(TOP_LEVEL, f"{FOLDER}/folders", plain("name", "folders")),
    reads(TOP_LEVEL, f"{FOLDER}/files", plain("name", "files")),
    reads(
        "folder metadata: folder metadata has these fields, and a thumbnail may be null",
        f"{FOLDER}/meta",
        plain(*METADATA),
    ),
    reads(TOP_LEVEL, "/v1/teams/{team}/projects", plain("name", "projects")),
    reads(TOP_LEVEL, "/v1/projects/{folder}/files", plain("name", "files")),
    reads("projects: project metadata stands at top level", "/v1/projects/{folder}/meta", plain(*METADATA)),
    reads(TOP_LEVEL, f"{FILE}/dev_resources", plain("dev_resources")),
    reads(TOP_LEVEL, "/v2/webhooks?context=team&context_id={team}", plain("webhooks")),
    reads(
        CONTENT,
        f"{FILE}?depth=1",
        plain("name", "lastModified", "version", "document", "components", "styles"),
    ),
    reads(
        CONTENT,
        f"{FILE}/nodes?ids=0:0&depth=1",
        plain("nodes"),
    ),
    reads(CONTENT, f"{FILE}/images", in_envelope()),
    reads(CONTENT, f"{FILE}/comments", plain()),
    reads(
        "versions: versions are listed by their time of creation", f"{FILE}/versions", plain("versions", "pagination")
    ),
    reads(
        "other endpoints: file metadata comes without content, with file_metadata:read", f"{FILE}/meta", plain("file")
    ),
    *(
        Row(("errors: 404 is a thing that is not there",), get(path), 404, ".*", live=True)
        for path in ("/v1/files/NoSuchFileAnywhere/variables/local", "/v1/components/NoSuchThingAnywhere")
    ),
)
