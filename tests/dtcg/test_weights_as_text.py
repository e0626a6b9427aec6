"""Font weights that are strings in the design file: other readers see a weight, and the text is preserved."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.dtcg import read, write
from tokensync.tokens import Alias, Collection, Mode, Token, TokenGraph, TokenKey
from tokensync.tokens.values import AS_TEXT, font_style

FILE = "ds"
MODES = tuple(Mode(name=each.title(), collection="type", slug=each, context=each) for each in ("light", "dark"))
TYPE = Collection(file=FILE, handle="type", name="Type", modes=MODES)


def key(path):
    return TokenKey(FILE, "type", path)


def token(path, *values, kind=AS_TEXT, **more):
    return Token(key=key(path), type=kind, values=values, **more)


def written(*tokens):
    """Return the collection's group in each mode's file."""
    files = dict(write(TokenGraph([TYPE], tokens), FILE))
    return [json.loads(files[f"{FILE}/type/{each}.tokens.json"]).get("type", {}) for each in ("light", "dark")]


def read_back(light, dark=None):
    """Read these groups as the files of the two modes."""
    files = {f"{FILE}/type/light.tokens.json": json.dumps({"type": light}).encode()}
    if dark is not None:
        files[f"{FILE}/type/dark.tokens.json"] = json.dumps({"type": dark}).encode()
    return read(files, FILE)


def weight(value, text=None, **more):
    ours = {} if text is None else {"org.tokensync": {"text": text}}
    return {"$type": "fontWeight", "$value": value, "$extensions": {"com.figma.type": "string", **ours}, **more}


def only(light, dark=None):
    graph, problems = read_back({"t": light}, None if dark is None else {"t": dark})
    assert [str(each) for each in problems] == []
    return graph.tokens[key("t")]


def test_a_weight_stored_as_text_is_written_as_a_number_with_its_text():
    light, dark = written(token("bold", "Semi Bold Italic", "900", id="V:1"))
    assert light == {
        "bold": {
            "$type": "fontWeight",
            "$value": 600,
            "$extensions": {
                "com.figma.variableId": "V:1",
                "com.figma.type": "string",
                "org.tokensync": {"text": "Semi Bold Italic"},
            },
        }
    }
    assert dark == {
        "bold": {"$type": "fontWeight", "$value": 900, "$extensions": {"org.tokensync": {"text": "900"}}},
    }


def test_an_alias_to_a_weight_stored_as_text_is_a_reference():
    light, _ = written(token("bold", "Bold", "Bold"), token("heading", Alias(key("bold")), Alias(key("bold"))))
    assert (light["heading"]["$type"], light["heading"]["$value"]) == ("fontWeight", "{type.bold}")
    assert light["bold"]["$type"] == "fontWeight"


def test_a_reference_between_a_weight_and_a_string_has_its_targets_type():
    light, _ = written(
        token("bold", "Bold", "Bold"),
        token("label", Alias(key("bold")), Alias(key("bold")), kind="string"),
        token("any", "Bold", "Bold", kind="string"),
        token("heading", Alias(key("any")), Alias(key("any"))),
    )
    assert (light["label"]["$type"], light["heading"]["$type"]) == ("fontWeight", "string")


@pytest.mark.parametrize(("value", "text"), [(600, "Semi Bold"), ("semi-bold", "SemiBold Italic"), (400, "Italic")])
def test_the_text_is_the_value_if_it_names_the_same_weight(value, text):
    assert only(weight(value, text)).values[0] == text


@pytest.mark.parametrize(("value", "read_as"), [(600, 600.0), ("semi-bold", 600.0), (1, 1.0)])
def test_a_weight_without_a_text_is_a_number(value, read_as):
    found = only(weight(value))
    assert (found.type, found.values[0]) == (AS_TEXT, read_as)


def test_an_edited_value_overrides_the_old_text_with_a_note():
    graph, (problem,) = read_back({"t": weight(600, "Bold")})
    assert graph.tokens[key("t")].values[0] == 600.0
    assert (problem.severity, problem.code) == ("note", "token-text-stale")
    assert problem.where.endswith("(#/type/t/$extensions/org.tokensync/text)")
    assert problem.what == 'the text "Bold" does not name the weight 600, which is used'
    assert problem.what_to_do == (
        "if you meant 600, do nothing: apply and pull update the text; otherwise set $value to 700"
    )


@pytest.mark.parametrize("text", ["Condensed", "", "{a.b}", "\ufffd", "x" * 10_000])
def test_a_text_that_is_not_a_weight_is_reported_and_ignored(text):
    graph, (problem,) = read_back({"t": weight(600, text)})
    assert graph.tokens[key("t")].values[0] == 600.0
    assert problem.code == "token-text-stale"
    assert problem.what_to_do == "do nothing: apply and pull update the text"
    assert len(problem.what) < 200


@pytest.mark.parametrize("text", [700, True, [], {}])
def test_a_text_that_is_not_a_string_is_an_error(text):
    _, (problem,) = read_back({"t": weight(700, text)})
    assert (problem.severity, problem.code) == ("error", "token-member")
    assert problem.where.endswith("(#/type/t/$extensions/org.tokensync/text)")


@pytest.mark.parametrize("value", ["Semi Bold Italic", "Heading", 0, 1001, None, "6 00"])
def test_a_value_that_is_not_a_dtcg_weight_is_rejected(value):
    graph, problems = read_back({"t": weight(value)})
    assert [each.code for each in problems] == ["token-value"]
    assert graph.tokens == {}


def test_a_weight_without_figmas_type_is_a_number():
    assert only({"$type": "fontWeight", "$value": 600}).type == "fontWeight"


def test_a_weight_that_refers_to_one_stored_as_text_is_stored_as_text():
    plain = {"$type": "fontWeight"}
    graph, problems = read_back(
        {
            "far": {**plain, "$value": "{type.near}"},
            "near": {**plain, "$value": "{type.bold}"},
            "typeless": {"$value": "{type.far}"},
            "bold": weight(700, "Bold"),
            "number": {**plain, "$value": 700},
            "alias": {**plain, "$value": "{type.number}"},
        }
    )
    assert problems == ()
    assert {each.path: graph.tokens[each].type for each in graph.tokens} == {
        **dict.fromkeys(("far", "near", "typeless", "bold"), AS_TEXT),
        **dict.fromkeys(("number", "alias"), "fontWeight"),
    }


@pytest.mark.parametrize(
    ("group_type", "figma_type", "value", "token_type"),
    [("fontWeight", "string", 600, AS_TEXT), ("number", "boolean", 1, "boolean")],
)
def test_the_type_can_be_inherited_and_figmas_type_the_tokens_own(group_type, figma_type, value, token_type):
    inner = {"$value": value, "$extensions": {"com.figma.type": figma_type}}
    graph, problems = read_back({"g": {"$type": group_type, "t": inner}})
    assert problems == ()
    assert graph.tokens[key("g.t")].type == token_type


def test_a_different_type_in_another_mode_is_reported_with_its_dtcg_name():
    _, (problem,) = read_back({"t": {"$type": "string", "$value": "Bold"}}, {"t": weight(700, "Bold")})
    assert problem.what == "its type is 'string' here and 'fontWeight' in the default mode"


def test_our_own_type_name_is_not_a_dtcg_type():
    _, (problem,) = read_back({"t": {"$type": AS_TEXT, "$value": 700}})
    assert problem.code == "token-type"
    assert AS_TEXT not in problem.what_to_do


names = st.sampled_from(
    ["Bold", "Semi Bold Italic", "semibold", "EXTRA-LIGHT", "Italic", "350", "1000 oblique", "Book"]
)
anything = names | st.text(max_size=20) | st.floats(1, 1000, width=32)


@given(anything, anything)
def test_any_weight_stored_as_text_round_trips(light, dark):
    graph = TokenGraph([TYPE], [token("t", light, dark), token("a", Alias(key("t")), light)])
    again, problems = read(dict(write(graph, FILE)), FILE)
    assert [each for each in problems if each.severity == "error"] == []
    assert again == graph


@given(names, names)
def test_other_readers_see_a_weight_in_every_mode(light, dark):
    for value, group in zip((light, dark), written(token("t", light, dark)), strict=True):
        assert group["t"]["$type"] == "fontWeight"
        assert group["t"]["$value"] == font_style(value).weight
