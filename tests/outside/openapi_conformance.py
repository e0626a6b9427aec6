"""An emulator that holds something of everything, and its OpenAPI document with the keys of those things in it."""

import copy
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import schemathesis
from emulator.contract.oauth import CALLBACK, SCOPES, tokens
from emulator.platform import KEY, Platform
from schemathesis import openapi
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tokensync.emulator.services import document

DEVELOPER_LOG, AI_USAGE = "org:developer_log_read", "org:ai_metering_usage_read"

CHECKS = (
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
)
"""Not the tester's others: that valid requests are accepted, since most rules stand between things that no schema sees;
and what concerns tokens and methods, which the rows of the contract hold for each endpoint."""


class World(NamedTuple):
    """``known`` has values for parameters and members by their names; the rest are headers that open endpoints."""

    platform: Platform
    known: Mapping[str, list[str]]
    token: str
    plan_token: str
    basic: str

    def headers(self, operation: Mapping[str, Any]) -> dict[str, str]:
        """What a caller who may do it shows."""
        schemes = {name for each in operation["security"] for name in each}
        if schemes == {"ClientCredentials"}:
            return {"Authorization": self.basic}
        return {"X-Figma-Token": self.plan_token if schemes == {"PlanAccessToken"} else self.token}


def world() -> World:
    """The platform of the contract: a published library with a comment, a link, a webhook and an app."""
    platform = Platform()
    emulator = platform.emulator
    emulator.libraries.sample(KEY, components=40)
    emulator.publish(KEY)
    emulator.files.branch(KEY, "Branch")
    names = tokens()(platform)
    comment = platform.request("POST", f"/v1/files/{KEY}/comments", **_json({"message": "Look"})).json["id"]
    link = {"name": "CSS", "url": "https://git.example/a.css", "file_key": KEY, "node_id": "1:2"}
    platform.request("POST", "/v1/dev_resources", **_json({"dev_resources": [link]}))
    hook = {
        "event_type": "LIBRARY_PUBLISH",
        "context": "team",
        "context_id": "1",
        "endpoint": "http://127.0.0.1:9/",
        "passcode": "p",
        "status": "PAUSED",
    }
    webhook = platform.request("POST", "/v2/webhooks", **_json(hook)).json["id"]
    known = {
        **{each: [KEY] for each in ("file_key", "library_file_key")},
        **{each: ["1"] for each in ("team_id", "folder_id", "project_id", "context_id")},
        "context": ["team"],
        "comment_id": [comment],
        "webhook_id": [str(webhook)],
        "node_id": ["1:2"],
        "ids": ["1:2"],
        "url": [f"https://www.figma.com/design/{KEY}/Name"],
        "redirect_uri": [CALLBACK],
        "client_id": [names["client"]],
        "scope": list(SCOPES),
        "refresh_token": [names["refresh"]],
        "user": [names["user"]],
    }
    plan = emulator.tokens.create(kind="plan", scopes=(DEVELOPER_LOG, AI_USAGE), admin=True)
    return World(platform, known, emulator.default_token, plan, names["basic"])


def _json(body: Any) -> dict[str, Any]:
    return {"data": json.dumps(body).encode(), "content_type": "application/json"}


def schema_of(held: World, *, valid: bool) -> schemathesis.BaseSchema:
    """Return the tester's view of an emulator: requests refer to existing objects.

    Invalid requests keep valid paths, since an unknown value in a path would not violate the document.
    """
    tree: dict[str, Any] = copy.deepcopy(document())
    kinds = {"components": "component", "component_sets": "component_set", "styles": "style"}
    for path, operations in tree["paths"].items():
        item = kinds.get(path.split("/")[2]) if path.endswith("{key}") else None
        keys = {} if item is None else {"key": list(held.platform.emulator.libraries.keys(KEY, item))[:3]}
        for operation in operations.values():
            if not valid:
                operation.pop("security")  # the caller's headers replace those that the tester would leave out
            for parameter in operation.get("parameters", ()):
                known = {**held.known, **keys}
                if parameter["name"] in known and (valid or parameter["in"] == "path"):
                    parameter["schema"] = {"enum": known[parameter["name"]]}
            if valid and "requestBody" in operation:
                _narrow(operation["requestBody"], held.known)
    schema = openapi.from_dict(tree)
    schema.app = held.platform.emulator
    return schema


def _narrow(schema: Any, known: Mapping[str, list[str]]) -> None:
    """Let members of a body have known values, wherever they stand in it."""
    if isinstance(schema, list):
        for each in schema:
            _narrow(each, known)
    elif isinstance(schema, dict):
        for name, each in schema.get("properties", {}).items():
            if name in known:
                schema["properties"][name] = {"enum": known[name]}
            else:
                _narrow(each, known)
        for name, each in schema.items():
            if name != "properties":
                _narrow(each, known)
