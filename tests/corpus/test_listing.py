"""``tokens list --snapshot FILE --json`` agrees with the independent reading of the same file."""

from __future__ import annotations

import json

import pytest
from corpus.building import each_corpus_file, published_of, run
from corpus.oracle import read, targets, unresolved
from corpus.oracle_values import byte, kind, single

MEMBERS = {
    "file",
    "collection",
    "path",
    "type",
    "names",
    "values",
    "aliases",
    "id",
    "key",
    "description",
    "hidden",
    "remote",
    "deleted",
}
TYPES = {"percentage": "number"}


@pytest.fixture(scope="module")
def listed():
    """The listing of each response, made once."""
    known = {}

    def of(response):
        if response not in known:
            published = published_of(response)
            more = ["--published", published] if published else []
            done = run("tokens", "list", "--snapshot", response, *more, "--json")
            assert done.code == 0, done.stderr
            known[response] = json.loads(done.output)
        return known[response]

    return of


@each_corpus_file
def test_every_variable_of_the_response_is_listed_once(response, listed):
    rows, reading = listed(response), read(response)
    assert all(set(each) == MEMBERS for each in rows)
    assert sorted(each["id"] for each in rows) == sorted(reading.variables)
    live = [each["id"] for each in rows if not each["remote"] and not each["deleted"]]
    assert live == [each["id"] for each in reading.declared]


@each_corpus_file
def test_facts_of_each_variable_are_those_of_the_response(response, listed):
    reading = read(response)
    for row in listed(response):
        variable = reading.variables[row["id"]]
        expected = {
            "key": variable["key"],
            "description": variable["description"],
            "hidden": variable["hiddenFromPublishing"],
            "remote": variable["remote"],
            "deleted": not variable["remote"] and reading.is_deleted(row["id"]),
            "type": TYPES.get(kind(variable), kind(variable)),
            "collection": reading.handle_of(row["id"]),
        }
        assert {each: row[each] for each in expected} == expected, variable["name"]
        if not row["remote"] and not row["deleted"]:
            assert row["path"].split(".") == variable["name"].split("/")


@each_corpus_file
def test_names_are_those_of_the_outputs(response, listed):
    reading = read(response)
    for row in listed(response):
        if not row["remote"] and not row["deleted"]:
            found = {each: row["names"][each].removeprefix("--").strip("`") for each in ("css", "android", "ios")}
            assert found == {each: reading.names(each)[row["id"]] for each in found}


@each_corpus_file
def test_values_are_resolved_in_every_theme(response, listed):
    reading = read(response)
    choices = {"default": {}}
    choices |= {name: {family["id"]: at} for name, (family, at) in reading.themes().items()}
    compared = 0
    for row in listed(response):
        variable = reading.variables[row["id"]]
        assert list(row["values"]) == list(choices)
        for theme, choice in choices.items():
            value = reading.resolver(choice)(row["id"])
            assert comparable(row["values"][theme]) == expected_value(variable, value), (variable["name"], theme)
            compared += 1
    assert compared == len(reading.variables) * len(choices)


@each_corpus_file
def test_aliases_name_their_targets_mode_by_mode(response, listed):
    reading, rows = read(response), listed(response)
    ids = {}
    for row in rows:
        ids.setdefault(f"{row['collection']}.{row['path']}", []).append(row["id"])
    for row in rows:
        variable = reading.variables[row["id"]]
        family = reading.family_of[variable["variableCollectionId"]]
        expected = {}
        for mode in family["modes"]:
            overrides = (mode["in"].get("variableOverrides") or {}).get(row["id"], {})
            raw = (variable["valuesByMode"] if mode["parent"] is None else overrides).get(mode["id"])
            if isinstance(raw, dict) and raw.get("type") == "VARIABLE_ALIAS":
                expected[mode["context"]] = targets(raw)[0]
        assert set(row["aliases"]) == set(expected), variable["name"]
        for mode, target in row["aliases"].items():
            assert expected[mode] in ids.get(target, [target]), (variable["name"], mode)


def expected_value(variable, value):
    """The JSON of a resolved value, numbers as float32; None for one that does not resolve."""
    if unresolved(value):
        return None
    if kind(variable) == "color":
        digits = "".join(f"{byte(each):02x}" for each in value[:3])
        alpha = {} if value[3] == 1 else {"alpha": single(value[3])}
        return {"colorSpace": "srgb", "components": list(value[:3]), **alpha, "hex": f"#{digits}"}
    return {"value": value, "unit": "px"} if kind(variable) == "dimension" else value


def comparable(found):
    """What was found, its numbers as float32."""
    match found:
        case bool() | str() | None:
            return found
        case dict():
            return {name: comparable(each) for name, each in found.items()}
        case list():
            return [comparable(each) for each in found]
        case _:
            return single(found)
