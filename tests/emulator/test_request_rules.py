"""POST variables: order, atomicity, temporary ids and the shape of the body."""

import json

import pytest
from emulator.platform import (
    ACCENT,
    BLUE,
    GAP,
    LABEL,
    LIGHT,
    LINK,
    MUTED,
    PRIMITIVES,
    RED,
    THEME,
    VALUE,
    Platform,
    Row,
    alias,
    collections,
    contract,
    create,
    delete,
    modes,
    new_variable,
    update,
    values,
    variables,
)

ANY_NAME = {"name": "New"}

test_order = contract(
    Row(
        "rule 1: what an earlier array makes can be used in a later one, wherever the arrays stand in the body",
        {
            "variableModeValues": [{"variableId": "v", "modeId": "m2", "value": 3}],
            "variables": [new_variable(in_="c")],
            "variableModes": [create(id="m2", name="Second", variableCollectionId="c")],
            "variableCollections": [create(id="c", name="New", initialModeId="m1")],
        },
        after=lambda s: s.variable("v")["valuesByMode"] == {s.ids["m1"]: 0, s.ids["m2"]: 3},
    ),
    Row(
        "rule 1: in one array, a later change sees the earlier ones",
        variables(update(GAP, name="space"), new_variable("gap")),
        after=lambda s: (s.variables[GAP]["name"], s.variable("v")["name"]) == ("space", "gap"),
    ),
    Row(
        "rule 1: names are checked after each change, so two variables cannot swap them directly",
        variables(update(GAP, name="muted"), update(MUTED, name="gap")),
        400,
        r"variables\[0\]\.name: .*'muted' exists",
    ),
    Row(
        "rule 1: one id may be changed twice, so two names swap through a third",
        variables(update(GAP, name="other"), update(MUTED, name="gap"), update(GAP, name="muted")),
        after=lambda s: (s.variables[GAP]["name"], s.variables[MUTED]["name"]) == ("muted", "gap"),
    ),
    Row(
        "rule 1: cycles are checked after each change, so an alias cannot be reversed directly",
        values((ACCENT, LIGHT, alias(LINK)), (LINK, LIGHT, alias(ACCENT))),
        400,
        "cycle",
    ),
    Row(
        "rule 1: an alias is reversed through a value in between",
        values((LINK, LIGHT, RED), (ACCENT, LIGHT, alias(LINK))),
        after=lambda s: s.variables[ACCENT]["valuesByMode"][LIGHT] == alias(LINK),
    ),
    Row(
        "rule 1: a variable made in the array of variables cannot be used in that of modes",
        modes(create(name="X", variableCollectionId="c"), variables=[new_variable()]),
        400,
        "'c' not found",
    ),
    Row(
        "rule 1: a variable deleted in this request has no values to set",
        variables(delete(GAP), variableModeValues=[{"variableId": GAP, "modeId": VALUE, "value": 1}]),
        400,
        "not found",
    ),
    Row(
        "rule 2: the last of many changes fails and none is kept",
        collections(
            create(id="c", **ANY_NAME),
            variableModes=[create(name="X", variableCollectionId=THEME)],
            variables=[new_variable(), update(LABEL, name="renamed"), delete(BLUE)],
            variableModeValues=[
                {"variableId": GAP, "modeId": VALUE, "value": 9},
                {"variableId": LABEL, "modeId": VALUE, "value": 9},
            ],
        ),
        400,
        r"variableModeValues\[1\]\.value: does not match the type STRING",
    ),
)

test_temporary_ids = contract(
    Row(
        "rule 4: temporary ids are optional",
        variables(new_variable(id=None)),
        after=lambda s: s.ids == {} and any(v["name"] == "new" for v in s.variables.values()),
    ),
    Row(
        "rule 4: the answer maps those of collections, modes and variables to real ids",
        collections(
            create(id="c", name="New", initialModeId="m"),
            variableModes=[create(id="n", name="N", variableCollectionId="c")],
            variables=[new_variable(in_="c")],
        ),
        after=lambda s: (
            [*s.ids] == ["c", "m", "n", "v"]
            and s.ids["c"] in s.collections
            and s.ids["v"] in s.variables
            and [mode["modeId"] for mode in s.collection("c")["modes"]] == [s.ids["m"], s.ids["n"]]
        ),
    ),
    Row(
        "rule 4: they are unique within an array",
        variables(new_variable("a"), new_variable("b")),
        400,
        r"variables\[1\]\.id: the temporary id 'v' is used more than once",
    ),
    Row(
        "rule 4: and over collections and variables",
        collections(create(id="v", **ANY_NAME), variables=[new_variable()]),
        400,
        "'v' is used more than once",
    ),
    Row(
        "rule 4: and a collection and its own first mode",
        collections(create(id="c", initialModeId="c", **ANY_NAME)),
        400,
        r"initialModeId: the temporary id 'c' is used more than once",
    ),
    Row(
        "rule 4: one that is an id of the file already is refused",
        variables(new_variable(id=BLUE)),
        400,
        "is the id of something",
    ),
    Row(
        "rule 4: also when that is a mode's",
        modes(create(id=LIGHT, name="X", variableCollectionId=THEME)),
        400,
        "is the id of something",
    ),
    Row("rule 4: it is a string", variables(new_variable(id=7)), 400, "id: must be a string"),
    Row("rule 4: it is not empty", variables(new_variable(id="")), 400, "id: must not be empty"),
    Row(
        "rule 4: an alias may point to a temporary id and is stored with the real one",
        variables(
            new_variable("a", id="a"),
            new_variable("b", id="b"),
            variableModeValues=[{"variableId": "a", "modeId": VALUE, "value": alias("b")}],
        ),
        after=lambda s: s.variable("a")["valuesByMode"][VALUE] == alias(s.ids["b"]),
    ),
    Row(
        "rule 4: the first mode's temporary id names it in the same request",
        collections(
            create(id="c", initialModeId="m", **ANY_NAME),
            variableModes=[update("m", name="Day", variableCollectionId="c")],
        ),
        after=lambda s: s.collection("c")["modes"] == [{"modeId": s.ids["m"], "name": "Day"}],
    ),
)


def test_a_temporary_id_is_forgotten_after_its_request():
    platform = Platform()
    assert platform.post(variables(new_variable("a"))).status_code == 200
    assert platform.post(variables(update("v", name="b"))).status_code == 400
    assert platform.post(variables(new_variable("b"))).status_code == 200


test_bodies = contract(
    Row("an object with one of the arrays is enough, even an empty one", {"variables": []}),
    Row("unknown members are let be", {"variables": [{**new_variable(), "ofTomorrow": 1}], "ofTomorrow": 1}),
    Row("a body without members is refused", {}, 400, "at least one of"),
    Row("a body without any of the arrays too", {"tokens": []}, 400, "at least one of"),
    Row("a body is an object", [], 400, "must be a JSON object"),
    Row("not a null", b"null", 400, "must be a JSON object"),
    Row("no body at all is refused", b"", 400, "must be valid JSON"),
    Row("an array is an array", {"variables": {}}, 400, "variables: must be an array"),
    Row("an array is not null", {"variableModes": None}, 400, "variableModes: must be an array"),
    Row("a change is an object", {"variables": [1]}, 400, r"variables\[0\]: must be an object"),
    Row("an action is required", {"variables": [{"id": GAP}]}, 400, r"action: is required"),
    Row("an action is one of three", variables(update(GAP) | {"action": "UPSERT"}), 400, "must be one of CREATE"),
    Row("an action is a string", variables(update(GAP) | {"action": 1}), 400, "action: must be a string"),
    Row("cut short", b'{"variables": [', 400, "valid JSON"),
    Row("not UTF-8", b'{"variables": ["\xff"]}', 400, "UTF-8"),
    Row("not a number", b'{"variables": [NaN]}', 400, "NaN is not a JSON value"),
    Row("not finite", b'{"variables": [-Infinity]}', 400, "-Infinity is not"),
    Row("a number of 10,000 digits", b'{"variables": [' + b"9" * 10_000 + b"]}", 400, "valid JSON"),
    Row("nested 200,000 deep", b'{"variables": ' + b"[" * 200_000, 400, "nested too deeply"),
    Row("nested 900 deep and odd", b'{"variables": ' + b"[" * 900 + b"]" * 900 + b"}", 400, "must be an object"),
    Row("a member twice", b'{"variables": [], "variables": []}', 400, "'variables' is repeated"),
    Row(
        "half of a surrogate pair",
        json.dumps(variables(new_variable("\ud800"))).encode(),
        400,
        "UTF-8",
    ),
    Row(
        "a whole surrogate pair is a character",
        json.dumps(variables(new_variable("\U0001f3a8"))).encode(),
        after=lambda s: s.variable("v")["name"] == "\U0001f3a8",
    ),
)


def test_rule_3_a_body_of_4_megabytes_is_read_and_one_byte_more_is_413():
    platform = Platform()
    filler = b" " * (4_000_000 - len(b'{"variables":[]}'))
    assert platform.post(b'{"variables":[]}' + filler).status_code == 200
    answer = platform.post(b'{"variables":[]}' + filler + b" ")
    assert answer.status_code == 413
    assert answer.json == {"status": 413, "error": True, "message": "Request body is larger than 4 MB"}


@pytest.mark.parametrize("id_", [PRIMITIVES, THEME])
def test_ids_of_deleted_objects_are_not_reused(id_):
    platform = Platform()
    seen: set[str] = set()
    for _ in range(3):
        new_id = platform.post(variables(new_variable(in_=id_))).json["meta"]["tempIdToRealId"]["v"]
        assert new_id not in seen
        seen.add(new_id)
        platform.post(variables(delete(new_id)))


def test_the_same_requests_give_the_same_answers_in_every_run():
    runs = []
    for _ in range(2):
        platform = Platform()
        answers = [platform.post(collections(create(id="c", initialModeId="m", **ANY_NAME))).data]
        runs.append([*answers, platform.get().data])
    assert runs[0] == runs[1]
