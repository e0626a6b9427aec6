"""Dev resources."""

from typing import Any

from emulator.contract.rows import NOBODY, Request, Row, delete, get, post, put
from emulator.platform import KEY, Platform

OF_FILE = "/v1/files/{file}/dev_resources"
ALL = "/v1/dev_resources"
MAIN_ONLY = "File key must be the key of a main file, not of a branch"
SAME_URL = "Another dev resource of the node has the same url"


def link(name: str = "Button", url: str = "https://example.com/button", **more: str) -> dict[str, str]:
    """A link on a node of the small design file."""
    return {"name": name, "url": url, "file_key": "{file}", "node_id": "1:2", **more}


def links(*items: Any) -> dict[str, Any]:
    return {"dev_resources": [*items]}


def attached(platform: Platform, *items: dict[str, str]) -> list[str]:
    """The ids of links, once they are attached to the small design file."""
    body = links(*({**item, "file_key": KEY} for item in items))
    created = platform.request("POST", ALL, json=body).json
    assert created["errors"] == []
    return [each["id"] for each in created["links_created"]]


def one(platform: Platform) -> dict[str, str]:
    (id_,) = attached(platform, link())
    return {"link": id_}


def two(platform: Platform) -> dict[str, str]:
    first, second = attached(platform, link(), link(name="Docs", url="https://example.com/docs", node_id="3:4"))
    return {"link": first, "second": second}


def full(platform: Platform) -> dict[str, str]:
    attached(platform, *(link(url=f"https://example.com/{number}") for number in range(10)))
    return {}


def branch(platform: Platform) -> dict[str, str]:
    platform.emulator.files.branch(KEY, "Branch")
    return {}


def second_file(platform: Platform) -> dict[str, str]:
    platform.emulator.files.create("Quay")
    return {}


def reader(platform: Platform) -> dict[str, str]:
    return {"reader": platform.emulator.tokens.create(scopes=("file_dev_resources:read",), permission="viewer")}


def stranger(platform: Platform) -> dict[str, str]:
    scopes = ("file_dev_resources:read", "file_dev_resources:write")
    return one(platform) | {"stranger": platform.emulator.tokens.create(scopes=scopes, permission=None)}


def of_file(platform: Platform, key: str = KEY) -> list[dict[str, str]]:
    resources: list[dict[str, str]] = platform.request("GET", f"/v1/files/{key}/dev_resources").json["dev_resources"]
    return resources


def names(body: Any) -> list[str]:
    return [each["name"] for each in body["dev_resources"]]


def failures(body: Any) -> list[str]:
    return [each["error"] for each in body["errors"]]


READS = (
    Row(
        (
            "dev resources: dev resources are of a main file",
            "envelope: folders, dev resources, webhooks and analytics answer without the envelope",
        ),
        get(OF_FILE),
        body_matches=lambda body: set(body) == {"dev_resources"},
        live=True,
    ),
    Row(
        ("dev resources: dev resources are of a main file",),
        get(OF_FILE),
        setup=two,
        body_matches=lambda body: names(body) == ["Button", "Docs"],
        after=lambda answer, _: set(answer.body["dev_resources"][0]) == {"id", "name", "url", "file_key", "node_id"},
    ),
    Row(
        ("dev resources: node_ids choose nodes",),
        get(OF_FILE + "?node_ids=9:9,3:4"),
        setup=two,
        body_matches=lambda body: names(body) == ["Docs"],
    ),
    Row(
        ("dev resources: dev resources are of a main file",),
        get("/v1/files/Branch/dev_resources"),
        400,
        MAIN_ONLY,
        setup=branch,
    ),
    Row(("errors: 404 is a thing that is not there",), get("/v1/files/Nowhere/dev_resources"), 404, "Not found"),
    Row(
        ("dev resources: errors of GET, POST and PUT are 400 and 401",),
        get(OF_FILE, by=NOBODY),
        401,
        "Authentication required: send an access token",
        body_matches=lambda body: set(body) == {"status", "error", "message"},
    ),
    Row(
        ("authentication: file_dev_resources:read and :write are for dev resources",),
        get(OF_FILE, by="{reader}"),
        setup=reader,
    ),
    Row(
        ("authentication: file_dev_resources:read and :write are for dev resources",),
        post(ALL, links(link()), by="{reader}"),
        403,
        r"Invalid scope\(s\): file_dev_resources:read. This endpoint requires the file_dev_resources:write scope",
        setup=reader,
    ),
    Row(
        ("errors: 403 is insufficient permission",),
        get(OF_FILE, by="{stranger}"),
        403,
        "Insufficient file permissions",
        setup=stranger,
    ),
)

CREATIONS = (
    Row(
        ("dev resources: many are created over several files",),
        post(ALL, links(link(), link(file_key="Quay"))),
        setup=second_file,
        body_matches=lambda body: (
            [each["file_key"] for each in body["links_created"]] == [KEY, "Quay"] and not body["errors"]
        ),
        after=lambda answer, platform: answer.body["links_created"] == [*of_file(platform), *of_file(platform, "Quay")],
    ),
    Row(
        (
            "dev resources: a success may list failed items",
            "dev resources: an item fails without its file",
            "errors: dev resources fail one by one",
        ),
        post(ALL, links(link(file_key="Nowhere"), link())),
        body_matches=lambda body: (
            body["errors"] == [{"file_key": "Nowhere", "node_id": "1:2", "error": "File not found"}]
            and len(body["links_created"]) == 1
        ),
    ),
    Row(
        ("dev resources: an item fails without its file",),
        post(ALL, links(link()), by="{stranger}"),
        setup=stranger,
        body_matches=lambda body: failures(body) == ["File not found"],
    ),
    Row(
        ("dev resources: dev resources are of a main file",),
        post(ALL, links(link(file_key="Branch"))),
        setup=branch,
        body_matches=lambda body: failures(body) == [MAIN_ONLY],
    ),
    Row(
        ("dev resources: an item fails past 10 a node", "limits: 10 dev resources a node"),
        post(ALL, links(link(), link(node_id="5:6"))),
        setup=full,
        body_matches=lambda body: (
            failures(body) == ["The node already has the maximum of 10 dev resources"]
            and body["links_created"][0]["node_id"] == "5:6"
        ),
        after=lambda _, platform: len(of_file(platform)) == 11,
    ),
    Row(
        ("dev resources: an item fails with a url that the node has",),
        post(ALL, links(link(name="Again"), link(node_id="5:6"))),
        setup=one,
        body_matches=lambda body: failures(body) == [SAME_URL],
        after=lambda _, platform: [each["name"] for each in of_file(platform)] == ["Button", "Button"],
    ),
    Row(
        ("dev resources: an item fails with a url that the node has",),
        post(ALL, links(link(), link(name="Again"))),
        body_matches=lambda body: len(body["links_created"]) == len(body["errors"]) == 1,
    ),
)

UPDATES = (
    Row(
        ("dev resources: an update answers what was updated, and what failed",),
        put(ALL, links({"id": "{link}", "name": "Renamed"}, {"id": "none", "name": "x"})),
        setup=two,
        body_matches=lambda body: body["errors"] == [{"id": "none", "error": "Dev resource not found"}],
        after=lambda answer, platform: (
            answer.body["links_updated"] == [of_file(platform)[0]["id"]]
            and of_file(platform)[0] == {**link(), "file_key": KEY, "name": "Renamed", "id": of_file(platform)[0]["id"]}
        ),
    ),
    Row(
        ("dev resources: an update answers what was updated, and what failed",),
        put(ALL, links({"id": "{link}", "url": "https://example.com/new"})),
        setup=one,
        after=lambda _, platform: (
            [(each["name"], each["url"]) for each in of_file(platform)] == [("Button", "https://example.com/new")]
        ),
    ),
    Row(
        ("dev resources: an item fails with a url that the node has",),
        put(ALL, links({"id": "{link}", "url": "https://example.com/0"})),
        setup=lambda platform: {"link": attached(platform, link(), link(url="https://example.com/0"))[0]},
        body_matches=lambda body: failures(body) == [SAME_URL] and not body["links_updated"],
    ),
    Row(
        ("dev resources: an update answers what was updated, and what failed",),
        put(ALL, links({"id": "{link}", "url": link()["url"], "name": "Same url"})),
        setup=one,
        body_matches=lambda body: len(body["links_updated"]) == 1,
    ),
    Row(
        ("dev resources: an update answers what was updated, and what failed",),
        put(ALL, links({"id": "{link}", "name": "x"}), by="{stranger}"),
        setup=stranger,
        body_matches=lambda body: failures(body) == ["Dev resource not found"],
    ),
)

DELETIONS = (
    Row(
        ("dev resources: a deletion answers 200",),
        delete(OF_FILE + "/{link}"),
        setup=two,
        body_matches=lambda body: body == {"status": 200, "error": False},
        after=lambda _, platform: [each["name"] for each in of_file(platform)] == ["Docs"],
    ),
    Row(
        ("dev resources: errors of DELETE are 401 and 404",),
        delete(OF_FILE + "/none"),
        404,
        "Dev resource not found",
    ),
    Row(
        ("dev resources: errors of DELETE are 401 and 404",),
        delete("/v1/files/Nowhere/dev_resources/{link}"),
        404,
        "Not found",
        setup=one,
    ),
    Row(
        ("dev resources: errors of DELETE are 401 and 404",),
        delete("/v1/files/Quay/dev_resources/{link}"),
        404,
        "Dev resource not found",
        setup=lambda platform: one(platform) | second_file(platform),
        after=lambda _, platform: len(of_file(platform)) == 1,
    ),
    Row(
        ("dev resources: errors of DELETE are 401 and 404",),
        delete(OF_FILE + "/none", by=NOBODY),
        401,
        "Authentication required: send an access token",
    ),
)


def refused(body: Any, message: str) -> tuple[Row, ...]:
    """POST and PUT refuse the whole body alike."""
    cites = (
        "dev resources: errors of GET, POST and PUT are 400 and 401",
        "errors: 400 is a bad parameter or a failed validation, and the message describes it",
    )
    return tuple(Row(cites, Request(method, ALL, body), 400, message) for method in ("POST", "PUT"))


MALFORMED = (
    *refused(b"[", "Request body must be valid JSON: .*"),
    *refused([], "dev_resources must be an array"),
    *refused({}, "dev_resources must be an array"),
    *refused(links("x"), r"dev_resources\[0\] must be an object"),
    Row(
        ("dev resources: errors of GET, POST and PUT are 400 and 401",),
        post(ALL, links(link(), {"name": "x", "url": "u", "file_key": "{file}"})),
        400,
        r"dev_resources\[1\].node_id is required",
        after=lambda _, platform: of_file(platform) == [],
    ),
    Row(
        ("dev resources: errors of GET, POST and PUT are 400 and 401",),
        post(ALL, links(link() | {"url": 1})),
        400,
        r"dev_resources\[0\].url must be a string",
    ),
    Row(
        ("dev resources: errors of GET, POST and PUT are 400 and 401",),
        put(ALL, links({"name": "x"})),
        400,
        r"dev_resources\[0\].id is required",
    ),
    *(
        Row(
            ("dev resources: errors of GET, POST and PUT are 400 and 401",),
            Request(method, ALL, links(), by=NOBODY),
            401,
            "Authentication required: send an access token",
        )
        for method in ("POST", "PUT")
    ),
)

ROWS = (*READS, *CREATIONS, *UPDATES, *DELETIONS, *MALFORMED)
