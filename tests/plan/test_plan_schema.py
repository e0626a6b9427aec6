"""The shipped schema of plan files matches the structs, and plans are valid."""

from __future__ import annotations

import json
import re

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from plan.journeys import plan_of
from plan.pairs import pairs
from plan.plan_schema import PLAN_SCHEMA, faults, implied, without_words
from report.planned import EVERYTHING, of

from tokensync.plan.operations import Operation
from tokensync.plan.plan import PlanFile, decoded
from tokensync.plan.review import markdown, text_lines


def test_the_schema_is_a_schema():
    jsonschema.Draft7Validator.check_schema(PLAN_SCHEMA)


def test_the_schema_and_the_structs_have_the_same_members_types_and_requirements():
    assert without_words(PLAN_SCHEMA) == implied()


def test_every_operation_is_in_the_plan_that_is_validated():
    assert {type(each) for each in EVERYTHING.operations} == set(Operation.__args__)


@pytest.mark.parametrize("plans", [(EVERYTHING,), (of(), EVERYTHING)], ids=len)
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


@settings(max_examples=40)
@given(pairs())
def test_the_plan_of_any_two_libraries_is_valid_comes_back_and_can_be_reviewed(pair):
    plan = plan_of(pair.before.response(), pair.after).plan
    content = PlanFile(plans=(plan,)).encoded()
    assert faults(content) == []
    assert decoded(content).plans == (plan,)
    shown = [each.text for each in text_lines(plan, everything=True) if each.text.startswith("      ")]
    # Only what is not in the file goes by its id.
    assert [line for line in shown if re.search(r"Variable(Collection)?ID:(?![^}]*} \(does not exist\))", line)] == []
    assert markdown(plan).count("<details>") == markdown(plan).count("</details>")
