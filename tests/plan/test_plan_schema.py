"""The shipped schema of plan files says what the structs say, and plans are valid by it."""

from __future__ import annotations

import json

import jsonschema
import msgspec
import pytest
from plan.plan_schema import PLAN_SCHEMA, faults, implied, without_words
from report.planned import EVERYTHING, of

from tokensync.plan.operations import Operation
from tokensync.plan.plan import PlanFile, decoded


def test_the_schema_is_a_schema():
    jsonschema.Draft7Validator.check_schema(PLAN_SCHEMA)


def test_the_schema_and_the_structs_have_the_same_members_types_and_requirements():
    assert without_words(PLAN_SCHEMA) == implied()


def test_every_operation_is_in_the_plan_that_is_validated():
    assert {type(each) for each in EVERYTHING.operations} == set(Operation.__args__)


@pytest.mark.parametrize("plans", [(), (EVERYTHING,), (of(), EVERYTHING)], ids=len)
def test_plan_files_are_valid_and_come_back_as_they_were(plans):
    file = PlanFile(made_by="tokensync 1", plans=plans)
    assert faults(file.encoded()) == []
    assert decoded(file.encoded()) == file


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("plans"),
        lambda document: document.update(version=2),
        lambda document: document["plans"][0].pop("fingerprint"),
        lambda document: document["plans"][0].update(surprise=1),
        lambda document: document["plans"][0]["operations"][0].update(type="set fire"),
        lambda document: document["plans"][0]["operations"][-2].update(after=None, variable=1),
        lambda document: document["plans"][0]["findings"][0].update(kind="nothing"),
        lambda document: document["plans"][0]["batches"][0].update(bytes="many"),
    ],
)
def test_what_is_no_plan_is_invalid(change):
    document = json.loads(PlanFile(plans=(EVERYTHING,)).encoded())
    change(document)
    assert faults(msgspec.json.encode(document))
