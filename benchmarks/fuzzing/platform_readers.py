"""The bodies that the platform, a plug-in, a webhook or a client sends, and how each of them is read."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from corpus import responses
from fuzzing.world import EXAMPLES, Body, called

from tokensync.apply.scripts import read_receipt
from tokensync.bridge.captures import Captures
from tokensync.bridge.server import Bridge
from tokensync.commands.listening import EventQueue, Receiver
from tokensync.emulator import Emulator, faults
from tokensync.extract.client import Client, Credential, RetryPolicy
from tokensync.extract.client.responses import Answer, error_message, flaw, states_status
from tokensync.extract.wire import snapshot, styles
from tokensync.mcp.answers import Answers
from tokensync.mcp.server import _answer, _tool
from tokensync.normalize.findings import findings
from tokensync.normalize.graph import normalize
from tokensync.normalize.styles import with_styles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fuzzing.world import World

PASSCODE = "open sesame"


def bodies(world: World) -> Iterator[Body]:
    local = [json.dumps(responses.small()).encode(), *world.responses]
    lists = [_as_lists(json.loads(body)) for body in local]

    def read_local(raw: bytes) -> Any:
        graph, problems = normalize(snapshot("one", raw))
        return (*problems, *findings(graph))

    yield Body("local variables", "json", local, read_local, expansions=(_doubling_expressions(), _chain(20_000)))
    yield Body("local variables, as a plug-in lists them", "json", lists, read_local)
    published = (EXAMPLES / "quickstart/design.published.json").read_bytes()

    def read_published(raw: bytes) -> Any:
        return normalize(snapshot("one", local[0], raw))[1]

    yield Body("published variables", "json", [published, *world.contents("settled", "project/saved/*.published.json")],
               read_published)  # fmt: skip
    yield from _styles(world)
    yield from _answers()
    yield _errors()
    yield from _captures(world, [*local[:3], *lists[:3]])
    yield Body("a script's receipt", "json", RECEIPTS, lambda raw: read_receipt(raw, "receipt.json") and None)
    yield _webhook()
    yield from _bridge()
    yield from _emulator()
    yield _agents(world)


def _as_lists(document: dict[str, Any]) -> bytes:
    meta = document["meta"]
    lists = {"variables": [*meta["variables"].values()], "variableCollections": [*meta["variableCollections"].values()]}
    return json.dumps({**lists, "capture": {"file_key": "key-one", "time": "2026-11-29T10:00:00Z"}}).encode()


def _doubling_expressions() -> bytes:
    """Return sixty colours, each of which is composed of the one before, twice."""
    owner = responses.collection(1, "Theme", ["Light"])
    ids = [f"VariableID:1:{at}" for at in range(60)]
    shares = [f"VariableID:2:{at}" for at in range(60)]
    made = [responses.variable(ids[0], owner, "c0", "COLOR", [responses.color(1, 0, 0)])]
    made += [
        responses.variable(
            ids[at],
            owner,
            f"c{at}",
            "COLOR",
            [
                {
                    "color": {"color": responses.alias(ids[at - 1]), "opacity": responses.alias(shares[at - 1])},
                    "opacity": responses.alias(shares[at]),
                }
            ],
        )
        for at in range(1, 60)
    ]
    made += [
        responses.variable(shares[at], owner, f"s{at}", "FLOAT", [responses.alias(shares[at - 1]) if at else 50])
        for at in range(60)
    ]
    return json.dumps(responses.response([owner], made)).encode()


def _chain(length: int) -> bytes:
    owner = responses.collection(1, "Theme", ["Light"])
    values = [responses.color(0, 0, 0), *(responses.alias(f"VariableID:1:{at}") for at in range(length - 1))]
    made = [
        responses.variable(f"VariableID:1:{at}", owner, f"c{at}", "COLOR", [value]) for at, value in enumerate(values)
    ]
    return json.dumps(responses.response([owner], made)).encode()


def _styles(world: World) -> Iterator[Body]:
    rows = json.loads((EXAMPLES / "quickstart/design.styles.json").read_bytes())
    items = [
        {"key": row["key"], "name": row["name"], "style_type": row["type"], "node_id": row["node"]} for row in rows
    ]
    nodes = {
        row["node"]: {"document": {styles._MEMBERS[row["type"]]: row.get("value"), "boundVariables": {}}}
        for row in rows
    }
    listing = json.dumps({"status": 200, "error": False, "meta": {"styles": items}}).encode()
    nodes_body = json.dumps({"nodes": nodes}).encode()

    def read_listing(raw: bytes) -> None:
        styles.listing(lambda *_, **__: raw, "key-one")

    known = styles.listing(lambda *_, **__: listing, "key-one")

    def read_nodes(raw: bytes) -> Any:
        found = styles.styles_of(lambda *_, **__: raw, "key-one", known)
        return with_styles(world.graph, "one", found)[1]

    yield Body("list of styles", "json", [listing], read_listing)
    yield Body("nodes of styles", "json", [nodes_body], read_nodes)


_NODE: dict[str, Any] = {"id": "0:1", "name": "Page", "type": "FRAME", "fills": [{"boundVariables": {"color": {
    "type": "VARIABLE_ALIAS", "id": "VariableID:1:1"}}}]}  # fmt: skip
_NODE |= {"children": [{**_NODE, "id": "0:2", "explicitVariableModes": {"VariableCollectionId:1:1": "1:0"}}]}
_HOOK = {"id": "7", "event_type": "PING", "context": "file", "context_id": "K", "plan_api_id": "p", "status": "ACTIVE",
         "client_id": None, "passcode": "", "endpoint": "https://a.example/", "description": "x"}  # fmt: skip
ANSWERS: dict[str, tuple[Any, Callable[[Client], Any]]] = {
    "file": ({"name": "A", "version": "1", "document": _NODE}, lambda client: client.files.content("K")),
    "nodes": ({"nodes": {"0:1": {"document": _NODE}, "0:3": None}}, lambda client: client.files.nodes("K", ["0:1"])),
    "user": ({"id": "1", "handle": "Ada", "email": "a@b.example"}, lambda client: client.users.me()),
    "folders": (
        {"name": "T", "folders": [{"id": "1", "name": "F", "parent_folder_id": None}]},
        lambda client: client.folders.of_team("1"),
    ),
    "files of a folder": (
        {
            "files": [
                {
                    "key": "K",
                    "name": "A",
                    "last_modified": "2026-01-01T00:00:00Z",
                    "branches": [{"key": "B", "name": "b"}],
                }
            ]
        },
        lambda client: client.folders.files("1"),
    ),
    "dev resources": (
        {"dev_resources": [{"id": "1", "name": "CSS", "url": "https://a.example", "file_key": "K", "node_id": "0:1"}]},
        lambda client: client.dev_resources.list("K"),
    ),
    "usages": (
        {
            "rows": [{"variable_key": "a", "usages": 3, "teams_using": 1, "files_using": 2, "variable_name": "x"}],
            "next_page": False,
            "cursor": None,
        },
        lambda client: [*client.analytics.variable_usages("K")],
    ),
    "developer logs": (
        {
            "meta": {
                "items": [
                    {
                        "uuid": "u",
                        "timestamp": "2026-01-01T00:00:00Z",
                        "action": {"event_name": "x"},
                        "actor": {"user_id": "1"},
                        "resource": {"name": None},
                    }
                ],
                "cursor": None,
            }
        },
        lambda client: [*client.developer_logs.search()],
    ),
    "text events": (
        {"meta": {"urls": {"2026/01/01/00": ["https://a.example/x"]}}},
        lambda client: client.discovery.urls("2026-01-01"),
    ),
    "webhooks": ({"webhooks": [_HOOK], "next_page": None}, lambda client: [*client.webhooks.of_plan("p")]),
    "requests of a webhook": (
        {
            "requests": [
                {
                    "request_info": {"id": 1, "sent_at": "x", "payload": {"event_type": "PING"}},
                    "response_info": {"status": "200"},
                    "error_msg": None,
                }
            ]
        },
        lambda client: client.webhooks.requests("7"),
    ),
    "tokens of OAuth": (
        {"access_token": "figu_x", "expires_in": 7776000, "refresh_token": "r", "user_id_string": "1"},
        lambda client: client.oauth.refresh("id", "secret", "r"),
    ),
}
"""An answer of each group of endpoints, and the method that reads it."""


def _answers() -> Iterator[Body]:
    answer = [b""]

    def application(_: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "application/json")])
        return [answer[0]]

    client = Client("emulator:", Credential("personal", "figd_secret"), wsgi=application, retry=RetryPolicy(attempts=1))
    for name, (example, call) in ANSWERS.items():

        def read(raw: bytes, call: Callable[[Client], Any] = call) -> None:
            answer[0] = raw
            call(client)

        yield Body(f"answer: {name}", "json", [json.dumps(example).encode()], read)


def _errors() -> Body:
    examples = [
        b'{"status": 403, "err": "Invalid token"}',
        b'{"status": 404, "error": true, "message": "Not found", "i18n": null}',
        b"<!doctype html><html><head><title>502 Bad Gateway</title></head><body>no</body></html>",
        b'{"error": {"code": "x", "details": ["a", {"b": 1}]}}',
    ]

    def read(raw: bytes) -> bool:
        message = error_message(raw, lambda text: text.replace("secret", ""))
        assert len(message.text) <= 8192  # who shows it cuts it
        assert "\n" not in message.text
        states_status(Answer(403, {}, raw))
        return all(flaw(raw, shape) is None for shape in ("meta", "object", "any"))

    return Body("error", "text", examples, read)


def _captures(world: World, local: list[bytes]) -> Iterator[Body]:
    def read(raw: bytes, name: str = "captures/key-one.local.json") -> None:
        path = world.file(name, raw)
        body = called(Captures(path), "GET", "/v1/files/key-one/variables/local")[1]
        normalize(snapshot("one", body))
        called(Captures(path), "GET", "/v1/files/key-one/variables/published")

    def read_styles(raw: bytes) -> bool:
        world.file("styled/key-one.local.json", local[0])
        world.file("styled/key-one.styles.json", raw)
        statuses = (
            called(Captures("styled"), "GET", f"/v1/files/key-one/{path}")[0] for path in ("styles", "nodes?ids=1:1")
        )
        return all(status == "200 OK" for status in statuses)

    yield Body("capture", "json", local, read)
    yield Body("styles of a capture", "json", [(EXAMPLES / "quickstart/design.styles.json").read_bytes()], read_styles)
    yield Body("export of Figma", "json", EXPORTS, partial(read, name="exported/Light.tokens.json"))
    yield Body("zip of an export", "binary", [_zipped(EXPORTS)], partial(read, name="exported.zip"))


def _zipped(files: list[bytes]) -> bytes:
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(files):
            archive.writestr(f"Theme/{number}.tokens.json", content)
    return buffer.getvalue()


def _export(mode: str, red: float) -> bytes:
    def token(kind: str, value: Any, identity: str, **more: Any) -> dict[str, Any]:
        extensions = {"com.figma.variableId": identity, "com.figma.scopes": ["ALL_SCOPES"], **more}
        return {"$type": kind, "$value": value, "$extensions": extensions}

    color = {"colorSpace": "srgb", "components": [red, 0.2, 0.3], "alpha": 1, "hex": f"#{round(red * 255):02X}334D"}
    target = {"targetVariableId": "VariableID:1:1", "targetVariableName": "slate", "targetVariableSetId": "V:1",
              "targetVariableSetName": "Theme"}  # fmt: skip
    return json.dumps(
        {
            "slate": token("color", color, "VariableID:1:1"),
            "text": {
                "muted": token("color", "{slate}", "VariableID:1:2"),
                "far": token("color", color, "VariableID:1:3", **{"com.figma.aliasData": target}),
            },
            "gap": token("number", 4, "VariableID:1:4"),
            "label": token("string", "a", "VariableID:1:5"),
            "$extensions": {"com.figma.modeName": mode},
        }
    ).encode()


EXPORTS = [_export("Light", 0.1), _export("Dark", 0.9)]
RECEIPTS = [
    b'{"plan": "%b", "state": "done", "message": "", "made": {"variable:theme/a": "VariableID:1:7"}}' % (b"a" * 64),
    b'{"plan": "abc", "state": "done", "made": null}',
]


def _webhook() -> Body:
    event = {
        "event_type": "LIBRARY_PUBLISH",
        "passcode": PASSCODE,
        "timestamp": "2026-11-30T10:00:00Z",
        "file_key": "K",
        "file_name": "Library",
        "library_item": {"created_variables": [{"key": "a", "name": "x"}]},
        "triggered_by": {"id": "1", "handle": "Ada"},
        "webhook_id": "7",
        "retries": 0,
    }
    ping = {"event_type": "PING", "passcode": PASSCODE, "timestamp": "2026-11-30T10:00:00Z", "webhook_id": "7"}

    def read(raw: bytes) -> bool:
        queue = EventQueue()
        receiver = Receiver(PASSCODE, queue, log=lambda _: None, now=lambda: 1_796_032_800.0)
        status, _ = called(receiver, "POST", "/", raw)
        assert status[:3] in ("200", "400", "413", "422", "429"), status
        if (burst := queue.next(0)) is not None:
            msgspec.json.encode(burst.events)
        receiver.write_summaries(everything=True)
        return status[:3] == "200"

    return Body("webhook", "json", [json.dumps(each).encode() for each in (event, ping)], read)


def _bridge() -> Iterator[Body]:
    def bridge() -> Bridge:
        made = Bridge("shop", lambda _: None)
        made.hosts = frozenset({"localhost:80"})
        made.code = "ABCD-EFGH"
        made.close()  # nobody waits for an answer
        return made

    page = {"client": "c", "key": "K", "name": "File", "last": {"job": "j", "state": "done"}, "code": "abcd-efgh",
            "asking": None, "job": "j", "result": {"variables": {}}, "error": {
            "kind": "refused", "message": "no"}}  # fmt: skip
    command = {"kind": "apply", "key": "K", "message": {"body": {"variables": []}, "digest": "a"}, "job": "j"}

    def read(raw: bytes, answering: Bridge, token: str, paths: tuple[str, ...], **headers: str) -> bool:
        headers["AUTHORIZATION"] = f"Bearer {token}"
        statuses = [called(answering, "POST", path, raw, **headers)[0][:3] for path in paths]
        assert not any(status.startswith("5") and status != "503" for status in statuses), statuses
        return "200" in statuses

    def paired() -> Bridge:
        made = bridge()
        called(made, "POST", "/plugin/pair", json.dumps(page).encode(), ORIGIN="null")
        return made

    def read_page(raw: bytes) -> bool:
        made = paired()
        token = made._session.token if made._session else ""
        paths = tuple(f"/plugin/{name}" for name in ("pair", "poll", "begin", "answer"))
        return read(raw, made, token, paths, ORIGIN="null")

    def read_command(raw: bytes) -> bool:
        made = paired()
        return read(raw, made, made.secret, ("/jobs", "/jobs/wait", "/jobs/withdraw"))

    pairing = {name: page[name] for name in ("client", "key", "name", "code")}
    yield Body("message of the plug-in", "json", [json.dumps(each).encode() for each in (page, pairing)], read_page)
    yield Body("message of a command to the bridge", "json", [json.dumps(command).encode()], read_command)


_BATCH = {
    "variableCollections": [{"action": "CREATE", "id": "c", "name": "New", "initialModeId": "m"}],
    "variableModes": [
        {"action": "UPDATE", "id": "m", "name": "Light", "variableCollectionId": "c"},
        {"action": "CREATE", "id": "n", "name": "Dark", "variableCollectionId": "c"},
    ],
    "variables": [
        {"action": "CREATE", "id": "v", "name": "a/b", "variableCollectionId": "c", "resolvedType": "COLOR",
         "scopes": ["ALL_FILLS"], "codeSyntax": {"WEB": "--a"}, "description": "x", "hiddenFromPublishing": False},
        {"action": "CREATE", "id": "w", "name": "gap", "variableCollectionId": "c", "resolvedType": "FLOAT"},
        {"action": "UPDATE", "id": "VariableID:1:2", "name": "accent/other"},
    ],
    "variableModeValues": [
        {"variableId": "v", "modeId": "m", "value": {"r": 1, "g": 0.5, "b": 0, "a": 1}},
        {"variableId": "v", "modeId": "n", "value": {"type": "VARIABLE_ALIAS", "id": "VariableID:1:2"}},
        {"variableId": "w", "modeId": "m", "value": 4},
    ],
}  # fmt: skip
_DEV = {"dev_resources": [{"name": "CSS", "url": "https://a.example", "file_key": "key-one", "node_id": "0:1"}]}
_NEW_HOOK = {"event_type": "FILE_UPDATE", "context": "file", "context_id": "key-one", "endpoint": "https://a.example/",
             "passcode": "p", "status": "ACTIVE", "description": "x"}  # fmt: skip
REQUESTS = {"/v1/files/key-one/variables": _BATCH, "/v1/dev_resources": _DEV, "/v2/webhooks": _NEW_HOOK}
SCRIPT = """\
seed = 3
[[rules]]
method = "POST"
path = "/v1/files/*/variables"
nth = [1, 3]
status = 503
"""


def _emulator() -> Iterator[Body]:
    emulator = Emulator(send=lambda *_: None)  # type: ignore[arg-type,return-value]
    emulator.seed("key-one", json.dumps(responses.small()).encode())
    before = emulator.copy()

    def read(raw: bytes, path: str) -> bool:
        status, _ = called(emulator, "POST", path, raw, X_FIGMA_TOKEN=emulator.default_token)
        if status[:3] == "200":
            emulator.restore(before)
        assert status[0] in "24", status
        return status[:3] == "200"

    for path, example in REQUESTS.items():
        what = "emulator: POST " + path.rpartition("/")[2]
        yield Body(what, "json", [json.dumps(example).encode()], partial(read, path=path))

    def read_script(raw: bytes) -> None:
        faults.read(raw.decode("utf-8", "replace"), "faults.toml")

    yield Body("emulator: faults", "toml", [SCRIPT.encode()], read_script)


def _agents(world: World) -> Body:
    from tokensync.system import resources

    table = msgspec.toml.decode(resources.read_text("config", "mcp.toml"))
    tools = {name: _tool(name, table["parameters"], **described) for name, described in table["tools"].items()}
    answers = Answers(lambda: world.project)
    calls = [
        ("find_tokens", {"query": "slate", "theme": "", "cursor": 0}),
        ("find_tokens", {"query": "#112233"}),
        ("why", {"token": "text/muted", "theme": ""}),
        ("dependents", {"token": "slate", "cursor": 0}),
        ("check_code", {"code": "a { color: #112233 }", "path": "a.css"}),
    ]

    def read(raw: bytes) -> bool:
        try:
            name, arguments = msgspec.json.decode(raw, type=tuple[str, dict[str, Any]])
        except (ValueError, RecursionError):  # the transport has read it as this type
            return False
        if name not in tools or name == "plan":
            return False
        return not _answer(answers, tools[name], arguments).is_error

    return Body("call of an agent", "json", [json.dumps(call).encode() for call in calls], read, share=1)
