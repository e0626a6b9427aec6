"""Shapes and facts that no server sends are refused with their place or read harmlessly."""

import copy
import json
import re

import pytest
from corpus.building import run_here
from corpus.read_css import alike, computed, read_css
from corpus.responses import alias, collection, color, response, variable
from corpus.trial import Trial, declared

ABSENT = object()
PUT_IN = [ABSENT, None, True, 0, -1.5, "x", [], {}, [None], {"x": None}]


def locations(node, above=()):
    """Yield every location of a document, as a tuple of keys and indexes."""
    for key, each in node.items() if isinstance(node, dict) else enumerate(node):
        yield (*above, key)
        if isinstance(each, dict | list):
            yield from locations(each, (*above, key))


def changed(document, location, value):
    """Return a copy of the document with another value at a location, or without it."""
    document = copy.deepcopy(document)
    holder = document
    for key in location[:-1]:
        holder = holder[key]
    if value is ABSENT:
        del holder[location[-1]]
    else:
        holder[location[-1]] = value
    return document


def shaped():
    """A response with each kind of member once: an extension, an override, a composed colour, a remote variable."""
    root = collection(1, "Theme", ["Light"])
    mode = {"modeId": "e/9:0", "name": "Light", "parentModeId": "9:0"}
    first = variable("V:1", root, "a", "COLOR", [color(0, 0, 0)], codeSyntax={"WEB": "--a"})
    composed = {"color": alias("V:1"), "opacity": 50}
    second = variable("V:2", root, "b", "COLOR", [composed])
    brand = collection(2, "Brand", []) | {
        "modes": [mode],
        "defaultModeId": "e/9:0",
        "isExtension": True,
        "parentVariableCollectionId": root["id"],
        "rootVariableCollectionId": root["id"],
        "variableOverrides": {"V:1": {"e/9:0": alias("V:2")}},
    }
    brand["variableOverrides"]["V:1"]["e/9:0"] = color(1, 1, 1)
    return response([root, brand], [first, second])


LOCATIONS = sorted(locations(shaped()), key=repr)


@pytest.mark.parametrize("location", LOCATIONS, ids=lambda location: "/".join(map(str, location)))
def test_any_wrong_shape_is_refused_with_its_location_or_read_safely(location, tmp_path):
    for number, value in enumerate(PUT_IN):
        trial = Trial(tmp_path / str(number))
        done = trial.build(changed(shaped(), location, value))
        if done.code:
            assert re.search(r"local\.json(:\d+:\d+|.*/|: )", done.stderr), done.stderr


def theme(*variables_of, modes=("Light", "Dark"), **more):
    """A response of one collection; each argument is (name, type, values, members)."""
    owner = collection(1, "Theme", list(modes), **more)
    variables = [
        variable(f"VariableID:1:{at}", owner, name, kind, values, **members)
        for at, (name, kind, values, members) in enumerate(variables_of)
    ]
    return response([owner], variables)


def test_a_variable_that_refers_to_itself_is_omitted(trial):
    document = theme(("a", "FLOAT", [alias("VariableID:1:0"), 3], {}), ("b", "FLOAT", [1, 2], {}))
    done = trial.build(document)
    assert done.code == 0
    assert declared(trial.out) == {1}
    assert any("Theme" in line and "a" in line for line in done.problems)


def test_a_cycle_of_ten_thousand_aliases_is_omitted(trial):
    size = 10_000
    ring = [(f"a/{at}", "FLOAT", [alias(f"VariableID:1:{(at + 1) % size}")] * 2, {}) for at in range(size)]
    document = theme(*ring, ("b", "FLOAT", [1, 2], {}))
    done = trial.build(document)
    assert done.code == 0
    assert declared(trial.out) == {1}
    assert len(done.problems) >= 1


def test_a_chain_of_ten_thousand_aliases_is_followed(trial):
    size = 10_000
    chain = [(f"a/{at}", "FLOAT", [alias(f"VariableID:1:{at + 1}")] * 2, {}) for at in range(size)]
    trial.path.write_text(json.dumps(theme(*chain, ("b", "FLOAT", [1, 2], {}))), encoding="utf-8")
    done = run_here("build", "--snapshot", trial.path, "-o", trial.out, "--platform", "css")
    assert done.code == 0, done.stderr
    blocks = read_css(trial.out / "css" / "tokens.css")
    assert computed(blocks, [("root", "")])["--a-0"] == ("number", "1")
    assert computed(blocks, [("root", ""), ("data-theme", "dark")])["--a-0"] == ("number", "2")


def test_composed_colours_in_both_spellings_are_resolved(trial):
    base, share = alias("VariableID:1:0"), alias("VariableID:1:1")
    expression = {
        "type": "VARIABLE_EXPRESSION",
        "expressionFunction": "COMPOSE_COLOR",
        "expressionArguments": [base, 50],
    }
    document = theme(
        ("base", "COLOR", [color(1, 0, 0)] * 2, {}),
        ("share", "FLOAT", [48, 12], {"scopes": ["COLOR_OPACITY"]}),
        (
            "composed",
            "COLOR",
            [{"color": base, "opacity": share}, {"color": color(0, 0, 1, 0.5), "opacity": share}],
            {},
        ),
        ("expressed", "COLOR", [expression, expression], {}),
    )
    assert trial.build(document).code == 0
    values = computed(read_css(trial.out / "css" / "tokens.css"), [("root", ""), ("data-theme", "dark")])
    assert alike(values["--composed"], ("color", "rgb(0 0 255 / 0.06)"))
    assert alike(values["--expressed"], ("color", "rgb(255 0 0 / 0.5)"))


BROKEN_COLORS = {
    "no opacity": {"color": alias("VariableID:1:0")},
    "opacity text": {"color": alias("VariableID:1:0"), "opacity": "50"},
    "opacity of a colour": {"color": alias("VariableID:1:0"), "opacity": alias("VariableID:1:0")},
    "opacity dangling": {"color": alias("VariableID:1:0"), "opacity": alias("VariableID:9:9")},
    "two literals": {"color": color(1, 0, 0), "opacity": 50},
    "colour of a number": {"color": alias("VariableID:1:1"), "opacity": 50},
    "nested": {"color": {"color": alias("VariableID:1:0"), "opacity": 50}, "opacity": 50},
    "expression unknown": {"type": "VARIABLE_EXPRESSION", "expressionFunction": "MIX", "expressionArguments": []},
    "expression of one": {
        "type": "VARIABLE_EXPRESSION",
        "expressionFunction": "COMPOSE_COLOR",
        "expressionArguments": [alias("VariableID:1:0")],
    },
    "expression of many": {
        "type": "VARIABLE_EXPRESSION",
        "expressionFunction": "COMPOSE_COLOR",
        "expressionArguments": [alias("VariableID:1:0")] * 3,
    },
    "no green": {"r": 0, "b": 0},
    "text": {"r": "0", "g": 0, "b": 0},
    "alias without id": {"type": "VARIABLE_ALIAS"},
    "alias to a number": {"type": "VARIABLE_ALIAS", "id": 12},
    "alias to nothing": {"type": "VARIABLE_ALIAS", "id": ""},
    "alias and colour": {"type": "VARIABLE_ALIAS", "id": "VariableID:1:0", "r": 0, "g": 0, "b": 0},
    "unknown type": {"type": "SOMETHING_NEW", "id": "VariableID:1:0"},
    "number": 12,
    "string": "#ff0000",
    "boolean": True,
    "out of range": {"r": 1.5, "g": -0.5, "b": 0, "a": 7},
    "huge": {"r": 1e39, "g": 0, "b": 0},
}


@pytest.mark.parametrize("value", BROKEN_COLORS.values(), ids=BROKEN_COLORS)
def test_a_malformed_colour_is_refused_or_omitted_with_a_problem(value, trial):
    document = theme(
        ("base", "COLOR", [color(1, 0, 0)] * 2, {}),
        ("number", "FLOAT", [1, 2], {}),
        ("broken", "COLOR", [value, value], {}),
    )
    done = trial.build(document)
    if done.code == 0:
        assert declared(trial.out) <= {2, 3}
        if declared(trial.out) == {2}:
            assert any("broken" in line for line in done.problems)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("FLOAT", "12"),
        ("FLOAT", True),
        ("FLOAT", color(0, 0, 0)),
        ("STRING", 12),
        ("STRING", False),
        ("BOOLEAN", 1),
        ("BOOLEAN", "true"),
        ("BOOLEAN", None),
        ("FLOAT", alias("VariableID:1:0")),
        ("STRING", alias("VariableID:1:0")),
        ("EASING", {"x1": 0}),
        ("TIMING", "200"),
        ("EASING", alias("VariableID:1:0")),
    ],
    ids=str,
)
def test_a_value_that_does_not_fit_its_type_is_reported(kind, value, trial):
    document = theme(("base", "COLOR", [color(1, 0, 0)] * 2, {}), ("other", kind, [value, value], {}))
    done = trial.build(document)
    assert done.problems
    if done.code == 0:
        assert declared(trial.out) == {1}
        assert any("other" in line for line in done.problems)


ODD = {
    "no modes": ({"modes": []}, {}),
    "unknown default mode": ({"defaultModeId": "7:7"}, {}),
    "a mode twice": ({"modes": [{"modeId": "9:0", "name": "Light"}] * 2}, {}),
    "variableIds of nothing": ({"variableIds": ["VariableID:9:9", "VariableID:1:0", "VariableID:1:0"]}, {}),
    "no variableIds": ({"variableIds": []}, {}),
    "another id": ({"id": "VariableCollectionId:8:8"}, {}),
    "unknown collection": ({}, {"variableCollectionId": "VariableCollectionId:8:8"}),
    "unknown modes": ({}, {"valuesByMode": {"7:7": 1}}),
    "no values": ({}, {"valuesByMode": {}}),
    "id of another": ({}, {"id": "VariableID:1:1"}),
    "name of another": ({}, {"name": "b"}),
    "remote in a local collection": ({}, {"remote": True}),
    "local in a remote collection": ({"remote": True}, {}),
    "unknown scopes": ({}, {"scopes": ["A", "B", "A"]}),
    "code syntax of a platform to come": ({}, {"codeSyntax": {"WINDOWS": "x", "WEB": ""}}),
    "extension of itself": (
        {
            "isExtension": True,
            "parentVariableCollectionId": "VariableCollectionId:1:1",
            "rootVariableCollectionId": "x",
        },
        {},
    ),
    "extension of nothing": ({"isExtension": True, "parentVariableCollectionId": "nowhere"}, {}),
    "extension without parent": ({"isExtension": True}, {}),
}


@pytest.mark.parametrize(("of_collection", "of_variable"), ODD.values(), ids=ODD)
def test_facts_that_do_not_fit_together_have_an_outcome(of_collection, of_variable, trial):
    document = theme(("a", "FLOAT", [1, 2], {}), ("b", "FLOAT", [3, 4], {}))
    (owner,) = document["meta"]["variableCollections"].values()
    owner |= of_collection
    document["meta"]["variables"]["VariableID:1:0"] |= of_variable
    trial.build(document)


def test_collections_that_extend_each_other_in_a_cycle_are_handled(trial):
    owners = []
    for number, parent in ((1, 2), (2, 1)):
        owner = collection(number, f"C{number}", ["Light"], isExtension=True, variableOverrides={})
        owner["parentVariableCollectionId"] = f"VariableCollectionId:{parent}:1"
        owner["modes"][0]["parentModeId"] = "9:0"
        owners.append(owner)
    the_variable = variable("VariableID:1:2", owners[0], "a", "FLOAT", [1])
    trial.build(response(owners, [the_variable]))


def test_a_snapshot_without_variables_builds_empty_outputs(trial):
    done = trial.build(response([], []))
    assert done.code in (0, 1)
