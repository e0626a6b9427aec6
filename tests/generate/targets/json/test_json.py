"""The JSON document: it is valid by its schema, hostile texts read back, and a change affects few lines."""

import json

import jsonschema
import pytest
from generate.targets.cases import CASES
from generate.targets.changes import changed_lines, scheme_of
from generate.targets.hostile_graphs import hostile_graphs
from graphs import alias, collection, color, graph, token
from hypothesis import given

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import NAMED, generate, naming_of
from tokensync.generate.targets import json as plain
from tokensync.generate.targets.json import JsonOptions
from tokensync.system import resources
from tokensync.tokens import Alias, Color, Quantity
from tokensync.tokens.paths import names

BLACK, WHITE, RED = color("#000000"), color("#ffffff"), color("#ff0000")
SCHEMA = json.loads(resources.read_text("config", "schemas", "outputs", "json.schema.json"))


def text_of(token_graph, **options):
    files, _ = generate(token_graph, OutputRequest(platform="json", **options))
    return dict(files)["tokens.json"].decode()


def without_repetition(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), pairs
    return members


def read(text):
    """Return the document; it must be valid by the schema, without duplicate names in an object."""
    document = json.loads(text, object_pairs_hook=without_repetition)
    jsonschema.Draft7Validator(SCHEMA).validate(document)
    return document


def test_the_schema_is_valid():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", [each for each in CASES if each.startswith("json/")])
def test_every_golden_document_fits_the_schema(case):
    token_graph, request = CASES[case]
    files, _ = generate(token_graph, request)
    document = read(dict(files)["tokens.json"].decode())
    assert set(document["collections"]) >= {each["collection"] for each in document["tokens"].values()}
    aliases = {each.get("alias") for each in document["tokens"].values()} - {None}
    assert aliases <= set(document["tokens"])


def test_the_packaged_schema_is_written_beside_the_document():
    token_graph, request = CASES["json/options"]
    assert json.loads(dict(generate(token_graph, request)[0])["tokens.schema.json"]) == SCHEMA


@given(hostile_graphs())
def test_a_document_of_hostile_texts_reads_back(token_graph):
    """Names, paths, descriptions and strings are unchanged and in order."""
    document = read(text_of(token_graph, options=JsonOptions(names=NAMED)))
    tokens = list(token_graph.tokens.values())
    css, _ = names_for(token_graph, tokens, naming_of("css"))
    assert list(document["tokens"]) == [each.removeprefix("--") for each in css.values()]
    for each, value in zip(tokens, document["tokens"].values(), strict=True):
        assert tuple(value["path"]) == names(each.key.path)
        assert value.get("description", "") == each.description
        assert value.get("deprecated", False) == (each.deprecated or False)
        assert set(value["names"]) == set(NAMED)
        if each.type in ("string", "boolean"):
            assert value["value"] == each.values[0]
        if each.type == "number":
            assert value["value"] == pytest.approx(each.values[0], rel=1e-6)
        if type(each.values[1]) is Alias and each.values[1] != each.values[0]:
            (dark,) = value.get("themes", {"": None}).values()
            assert dark is None or dark["alias"] == css[each.values[1].target].removeprefix("--")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.0, '4, "unit": "px"'),
        (Quantity(1.5, "rem"), '1.5, "unit": "rem"'),
        (float("inf"), None),
        ("4px", None),
    ],
)
def test_a_measure_is_a_number_and_its_unit(value, text):
    assert plain.measure(value) == text


def test_a_colour_is_hexadecimal_or_exact():
    sheer = Color(0.0, 0.5, 1.0, 0.25)
    assert plain.literals(exact=False)["color"](sheer) == '"#0080ff40"'
    exact = {"colorSpace": "srgb", "components": [0, 0.5, 1], "alpha": 0.25}
    assert json.loads(plain.literals(exact=True)["color"](sheer)) == exact


def test_collections_of_two_files_with_the_same_handle_include_the_file():
    one, other = collection("Base"), collection("Base")
    other = type(other)(file="second", handle=other.handle, name=other.name, modes=other.modes)
    token_graph = graph(one, other, token(one, "a", RED), token(other, "b", RED))
    document = read(text_of(token_graph))
    assert list(document["collections"]) == ["design/base", "second/base"]
    assert [each["collection"] for each in document["tokens"].values()] == ["design/base", "second/base"]


def test_changing_one_variable_changes_only_its_lines_and_those_of_its_dependants():
    assert changed_lines(text_of(scheme_of()), text_of(scheme_of(RED))) == [
        '-      "value": "#000000",',
        '-      "value": "#000000",',
        '+      "value": "#ff0000",',
        '+      "value": "#ff0000",',
    ]


def test_a_new_variable_adds_its_own_lines():
    lines = changed_lines(text_of(scheme_of()), text_of(scheme_of(added=("new",))))
    assert len(lines) == 7
    assert all(each.startswith("+") for each in lines)


@pytest.mark.parametrize("names", [("Theme", "Density"), ("Density", "Theme")])
def test_the_name_of_a_pair_has_the_order_of_the_collections(names):
    modes = {"Theme": ("Light", "Dark"), "Density": ("Loose", "Dense")}
    families = {name: collection(name, *modes[name]) for name in names}
    tokens = [
        token(families["Theme"], "ink", alias("Density", "shade"), WHITE),
        token(families["Density"], "shade", BLACK, RED),
    ]
    document = read(text_of(graph(*families.values(), *tokens)))
    pairs = [name for name in document["themes"] if " + " in name]
    assert pairs
    assert {tuple(each.partition("/")[0] for each in name.split(" + ")) for name in pairs} == {
        tuple(name.lower() for name in names)
    }
