"""An emulator that holds something of everything, and its OpenAPI document with the keys of those things in it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import schemathesis
from emulator.platform import KEY, Platform
from schemathesis import openapi
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tokensync.emulator.openapi import document

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def platform() -> Platform:
    """The platform of the contract, published, with a branch."""
    made = Platform()
    made.emulator.publish(KEY)
    made.emulator.files.branch(KEY, "Branch")
    return made


def schema_of(made: Platform, known: Mapping[str, list[str]]) -> schemathesis.BaseSchema:
    """The tester's view of an emulator; parts of paths are of ``known`` things, and of one that is not there."""
    tree: dict[str, Any] = copy.deepcopy(document())
    for path in tree["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and parameter["name"] in known:
                    parameter["schema"] = {"enum": [*known[parameter["name"]], "404"]}
    schema = openapi.from_dict(tree)
    schema.app = made.emulator
    return schema
