"""A small sample design file, an emulator with it, and helpers for requests."""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import pytest
from werkzeug.test import Client

from tokensync.emulator import Emulator
from tokensync.emulator.webhooks import Reply, post

HTTPS = "https://emulator.invalid"
NOW = 1_800_000_000.0
KEY = "Harbor"

PRIMITIVES, THEME = "VariableCollectionId:1:1", "VariableCollectionId:2:1"
BRAND, REGION = "VariableCollectionId:3:1", "VariableCollectionId:4:1"
VALUE, LIGHT, DARK = "1:0", "2:0", "2:1"
BRAND_LIGHT, BRAND_DARK = f"{BRAND}/{LIGHT}", f"{BRAND}/{DARK}"
REGION_LIGHT, REGION_DARK = f"{REGION}/{LIGHT}", f"{REGION}/{DARK}"
BLUE, GAP, MUTED, LABEL, SHOWN = (f"VariableID:1:{n}" for n in (2, 3, 4, 5, 6))
ACCENT, LINK, ODD, GONE = (f"VariableID:2:{n}" for n in (2, 3, 4, 5))
REMOTE_KEY = "0123456789abcdef0123456789abcdef01234567"
REMOTE, REMOTE_COLLECTION = f"VariableID:{REMOTE_KEY}/9:2", f"VariableCollectionId:{REMOTE_KEY}/9:1"
RED = {"r": 1, "g": 0, "b": 0, "a": 1}
WHITE = {"r": 1, "g": 1, "b": 1, "a": 1}


def alias(id_: str) -> dict[str, str]:
    """Return an alias as in the API."""
    return {"type": "VARIABLE_ALIAS", "id": id_}


def variable(id_: str, name: str, collection: str, type_: str, values: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a variable as in GET local."""
    return {
        "id": id_,
        "name": name,
        "key": f"key-of-{id_}",
        "variableCollectionId": collection,
        "resolvedType": type_,
        "valuesByMode": values,
        "remote": False,
        "description": "",
        "hiddenFromPublishing": False,
        "scopes": ["ALL_SCOPES"],
        "codeSyntax": {},
        **more,
    }


def collection(id_: str, name: str, modes: dict[str, str], variables: list[str], **more: Any) -> dict[str, Any]:
    """Return a collection as in GET local; the first mode is the default."""
    return {
        "id": id_,
        "name": name,
        "key": f"key-of-{id_}",
        "modes": [{"modeId": mode, "name": of_mode} for mode, of_mode in modes.items()],
        "defaultModeId": next(iter(modes)),
        "remote": False,
        "hiddenFromPublishing": False,
        "isExtension": False,
        "variableIds": variables,
        **more,
    }


def extension(id_: str, parent: str, prefix: str, overrides: dict[str, Any]) -> dict[str, Any]:
    """Return a collection that extends the theme, directly (no prefix) or through another extension."""
    ids = collection(id_, id_, {f"{id_}/{LIGHT}": "Light", f"{id_}/{DARK}": "Dark"}, [ACCENT, LINK, ODD, GONE])
    for mode, of_parent in zip(ids["modes"], (LIGHT, DARK), strict=True):
        mode["parentModeId"] = prefix + of_parent
    return ids | {
        "isExtension": True,
        "parentVariableCollectionId": parent,
        "rootVariableCollectionId": THEME,
        "inheritedVariableIds": [ACCENT, LINK, ODD, GONE],
        "localVariableIds": [],
        "variableOverrides": overrides,
    }


def response() -> dict[str, Any]:
    """Return a GET local response with one object of each kind, and unknown members."""
    variables = [
        variable(BLUE, "blue/500", PRIMITIVES, "COLOR", {VALUE: {"r": 0.125, "g": 0.25, "b": 0.5, "a": 1}}),
        variable(GAP, "gap", PRIMITIVES, "FLOAT", {VALUE: 4}, scopes=["GAP"], ofTomorrow={"x": [1, None]}),
        variable(MUTED, "muted", PRIMITIVES, "FLOAT", {VALUE: 48}),
        variable(LABEL, "label", PRIMITIVES, "STRING", {VALUE: "Hello"}),
        variable(SHOWN, "shown", PRIMITIVES, "BOOLEAN", {VALUE: True}),
        variable(ACCENT, "accent", THEME, "COLOR", {LIGHT: alias(BLUE), DARK: RED}),
        variable(LINK, "link", THEME, "COLOR", {LIGHT: alias(ACCENT), DARK: alias(REMOTE)}),
        variable(ODD, "odd.name{x}", THEME, "STRING", {LIGHT: "a", DARK: "b"}),
        variable(GONE, "gone", THEME, "COLOR", {LIGHT: RED, DARK: RED}, deletedButReferenced=True),
        variable(REMOTE, "logo", REMOTE_COLLECTION, "COLOR", {LIGHT: RED}, remote=True, hiddenFromPublishing=True),
    ]
    collections = [
        collection(PRIMITIVES, "Primitives", {VALUE: "Value"}, [BLUE, GAP, MUTED, LABEL, SHOWN]),
        collection(THEME, "Theme", {LIGHT: "Light", DARK: "Dark"}, [ACCENT, LINK, ODD, GONE], ofTomorrow=True),
        extension(BRAND, THEME, "", {ACCENT: {BRAND_LIGHT: RED}}),
        extension(REGION, BRAND, f"{BRAND}/", {LINK: {REGION_DARK: alias(BLUE)}}),
        collection(REMOTE_COLLECTION, "Library", {LIGHT: "Light"}, [REMOTE], remote=True, hiddenFromPublishing=True),
    ]
    meta = {
        "variables": {each["id"]: each for each in variables},
        "variableCollections": {each["id"]: each for each in collections},
        "ofTomorrow": 1,
    }
    return {"status": 200, "error": False, "i18n": None, "meta": meta}


OPENED: list[Emulator] = []


def start(
    state: str | None = None,
    clock: Callable[[], float] = time.time,
    send: Callable[[str, bytes], Reply] = post,
    quirks: Collection[str] = (),
) -> Emulator:
    """An emulator that is closed when the test is over."""
    OPENED.append(Emulator(state, clock=clock, send=send, quirks=quirks))
    return OPENED[-1]


class State(NamedTuple):
    """A file after a request, and the real ids of what the request made."""

    variables: dict[str, Any]
    collections: dict[str, Any]
    ids: dict[str, str]

    def variable(self, temporary: str) -> dict[str, Any]:
        return self.variables[self.ids[temporary]]

    def collection(self, temporary: str) -> dict[str, Any]:
        return self.collections[self.ids[temporary]]


class Platform:
    """An emulator that holds the small design file, and requests to it.

    The events that it delivers are kept in ``sent``, as endpoint and payload; the answers are ``replies``, of which the
    last one is used again and again.
    """

    def __init__(self, emulator: Emulator | None = None) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.replies = [Reply(200)]
        self.emulator = start(clock=lambda: NOW, send=self._send) if emulator is None else emulator
        if emulator is None or KEY not in emulator.files.keys():  # noqa: SIM118
            self.emulator.seed(KEY, json.dumps(response()).encode())
        self.client = Client(self.emulator)

    def _send(self, endpoint: str, payload: bytes) -> Reply:
        self.sent.append((endpoint, json.loads(payload)))
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def request(self, method: str, path: str, *, token: str | None = None, headers: Any = None, **more: Any) -> Any:
        if headers is None:
            headers = {"X-Figma-Token": token or self.emulator.default_token}
        return self.client.open(path, method=method, headers=headers, **{"base_url": HTTPS, **more})

    def get(self, which: str = "local", key: str = KEY, **more: Any) -> Any:
        return self.request("GET", f"/v1/files/{key}/variables/{which}", **more)

    def post(self, body: Any, key: str = KEY, **more: Any) -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", f"/v1/files/{key}/variables", data=data, **more)

    def state(self, ids: dict[str, str] | None = None, key: str = KEY) -> State:
        meta = self.get(key=key).json["meta"]
        return State(meta["variables"], meta["variableCollections"], ids or {})


class Row(NamedTuple):
    """A sentence of the contract: a request to the small design file, and what has to come of it."""

    sentence: str
    request: Any
    status: int = 200
    message: str = ""
    after: Callable[[State], bool] = lambda _: True


def contract(*rows: Row) -> Any:
    """A test a row. A refused request leaves every byte of the file as it was."""

    @pytest.mark.parametrize("row", rows, ids=[re.sub(r"\W+", "-", row.sentence) for row in rows])
    def test(row: Row) -> None:
        platform = Platform()
        before = platform.get().data
        answer = platform.post(copy.deepcopy(row.request))
        assert (answer.status_code, answer.json["status"]) == (row.status, row.status), answer.json
        assert answer.json["error"] is (row.status != 200)
        if row.status != 200:
            assert set(answer.json) == {"status", "error", "message"}
            assert re.search(row.message, answer.json["message"]), answer.json
            assert platform.get().data == before
            return
        assert set(answer.json) == {"status", "error", "meta"}
        assert set(answer.json["meta"]) == {"tempIdToRealId"}
        assert row.after(platform.state(answer.json["meta"]["tempIdToRealId"]))

    return test


def collections(*changes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"variableCollections": [*changes], **more}


def modes(*changes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"variableModes": [*changes], **more}


def variables(*changes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"variables": [*changes], **more}


def values(*changes: tuple[str, str, Any]) -> dict[str, Any]:
    """Values as (variable, mode, value)."""
    return {"variableModeValues": [{"variableId": v, "modeId": m, "value": value} for v, m, value in changes]}


def create(**members: Any) -> dict[str, Any]:
    return {"action": "CREATE", **members}


def update(id_: str, **members: Any) -> dict[str, Any]:
    return {"action": "UPDATE", "id": id_, **members}


def delete(id_: str, **members: Any) -> dict[str, Any]:
    return {"action": "DELETE", "id": id_, **members}


def new_variable(name: str = "new", type_: str = "FLOAT", in_: str = PRIMITIVES, **members: Any) -> dict[str, Any]:
    """A CREATE with the temporary id "v"; ``id=None`` leaves it out."""
    ids = {"id": "v", "name": name, "variableCollectionId": in_, "resolvedType": type_} | members
    return create(**{member: value for member, value in ids.items() if value is not None})
