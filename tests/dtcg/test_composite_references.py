"""References within composite tokens, in every part and notation."""

from __future__ import annotations

import json

import pytest
from generate.targets.composite_values import BLACK, CURVE, DASHES, ENDS, LAYER, VALUES, ms, px
from hypothesis import given
from hypothesis import strategies as st

from tokensync.dtcg import format_bytes, read, write
from tokensync.generate.notation import composite, references
from tokensync.tokens import DEFAULT_THEME, Composite, Quantity, TokenKey, Unresolved
from tokensync.tokens.composites import canonical, decoded, parts_of

FILE = "ds"
PATH = "ds/base/value.tokens.json"
ENDS_JSON = {
    "black": {"$type": "color", "$value": BLACK},
    "four": {"$type": "dimension", "$value": px(4)},
    "quick": {"$type": "duration", "$value": ms(120)},
    "share": {"$type": "number", "$value": 0.5},
    "bold": {"$type": "fontWeight", "$value": 700},
    "sans": {"$type": "fontFamily", "$value": ["Inter", "serif"]},
    "yes": {"$type": "number", "$value": 1, "$extensions": {"com.figma.type": "boolean"}},
    "curve": {"$type": "cubicBezier", "$value": CURVE},
    "dashes": {"$type": "strokeStyle", "$value": DASHES},
    "below": {"$type": "shadow", "$value": LAYER},
}
BRACES = "{{base.{}}}".format
SPELLINGS = [BRACES, lambda end: {"$ref": f"#/base/{end}"}, lambda end: {"$ref": f"#/base/{end}/$value"}]


def content(tokens):
    return json.dumps({"base": tokens}).encode()


def graph_of(tokens, **files):
    found = {PATH: content(tokens), **{path: json.dumps(each).encode() for path, each in files.items()}}
    return read(found, FILE)


def read_back(graph):
    """Write the graph, check that reading returns it, and return the files as JSON by path."""
    files = dict(write(graph, FILE))
    again, problems = read(files, FILE)
    assert [each for each in problems if each.severity == "error"] == []
    assert again == graph
    return {path: json.loads(each) for path, each in files.items()}


def written_value(graph, name="it", path=PATH):
    return read_back(graph)[path]["base"][name].get("$value")


def stored_value(graph, name="it", path=PATH):
    return read_back(graph)[path]["base"][name]["$extensions"]["org.tokensync"]["value"]


def put(tree, path, value):
    if not path:
        return value
    members = list(tree) if isinstance(tree, list) else dict(tree)
    members[path[0]] = put(tree[path[0]], path[1:], value)
    return members


PLACES = [
    (dtcg_type, part.path, part.type)
    for dtcg_type, value in {**VALUES, "border": {**VALUES["border"], "style": DASHES}}.items()
    for part in parts_of(dtcg_type, value)
] + [("shadow", (1,), "shadow")]
VALUE = {**VALUES, "border": {**VALUES["border"], "style": DASHES}}


@pytest.mark.parametrize("spelled", SPELLINGS)
@pytest.mark.parametrize(("dtcg_type", "path", "part_type"), PLACES)
def test_every_part_of_a_composite_can_be_a_reference_in_every_notation(dtcg_type, path, part_type, spelled):
    """It is read, resolved, and written in the same notation."""
    value = put(VALUE[dtcg_type], path, spelled(ENDS[part_type]))
    graph, problems = graph_of({"it": {"$type": dtcg_type, "$value": value}, **ENDS_JSON})
    assert problems == ()
    token = graph.tokens[TokenKey(FILE, "base", "it")]
    assert [end for _, end in token.values[0].references] == [TokenKey(FILE, "base", ENDS[part_type])]
    resolved = graph.resolve(token, DEFAULT_THEME)
    assert not isinstance(resolved, Unresolved)
    assert not any(part.reference for part in parts_of(dtcg_type, decoded(resolved.json)))
    assert written_value(graph) == value


def test_a_reference_to_a_root_token_is_written_back_unchanged():
    ink = {"$root": ENDS_JSON["black"], "soft": ENDS_JSON["black"]}
    shadows = [
        {**LAYER, "color": each} for each in ("{base.ink.$root}", "{base.ink.soft}", {"$ref": "#/base/ink/$root"})
    ]
    graph, problems = graph_of({"it": {"$type": "shadow", "$value": shadows}, "ink": ink})
    assert problems == ()
    assert [end.path for _, end in graph.tokens[TokenKey(FILE, "base", "it")].values[0].references] == [
        "ink",
        "ink.soft",
        "ink",
    ]
    assert written_value(graph) == shadows


def test_a_pointer_into_a_value_is_replaced_by_that_part_or_its_reference():
    tokens = {
        "it": {
            "$type": "shadow",
            "$value": {
                **LAYER,
                "color": {"$ref": "#/base/edge/$value/color"},
                "blur": {"$ref": "#/base/edge/$value/width"},
                "spread": {"value": {"$ref": "#/base/share/$value"}, "unit": "px"},
            },
        },
        "edge": {"$type": "border", "$value": {"color": "{base.black}", "width": px(2), "style": "solid"}},
        **ENDS_JSON,
    }
    graph, problems = graph_of(tokens)
    assert problems == ()
    assert written_value(graph) == {**LAYER, "color": "{base.black}", "blur": px(2), "spread": px(0.5)}


def test_a_composite_can_refer_to_other_collections():
    """The reference is stored in our extension if its target has no value in some mode."""
    dark = {"scheme": {"ink": ENDS_JSON["black"], "dark-only": {"$type": "color", "$value": "{scheme.ink}"}}}
    light = {"scheme": {"ink": ENDS_JSON["black"]}}
    tokens = {
        "it": {"$type": "shadow", "$value": {**LAYER, "color": "{scheme.ink}"}},
        "kept": {"$type": "shadow", "$value": {**LAYER, "color": "{scheme.dark-only}"}},
    }
    graph, problems = graph_of(
        tokens, **{"ds/scheme/light.tokens.json": light, "ds/scheme/dark.tokens.json": dark}
    )  # the default mode is dark, the first
    assert problems == ()
    assert written_value(graph) == {**LAYER, "color": "{scheme.ink}"}
    assert stored_value(graph, "kept") == {
        "composite": canonical({**LAYER, "color": "{scheme.dark-only}"}),
        "references": {"{scheme.dark-only}": {"alias": "scheme.dark-only"}},
    }


def test_a_stored_reference_can_name_another_file():
    text = canonical({**LAYER, "color": "{library.ink}"})
    stored = {"composite": text, "references": {"{library.ink}": {"alias": "library.ink", "file": "other"}}}
    tokens = {"it": {"$extensions": {"org.tokensync": {"type": "shadow", "value": stored}}}}
    graph, problems = graph_of(tokens)
    assert problems == ()
    value = graph.tokens[TokenKey(FILE, "base", "it")].values[0]
    assert value == Composite(text, (("{library.ink}", TokenKey("other", "library", "ink")),))
    assert stored_value(graph) == stored


@pytest.mark.parametrize("form", [{"dangling": "x"}, {}, 1, {"alias": "nothing"}])
def test_a_stored_reference_without_a_target_is_reported(form):
    stored = {"composite": "{}", "references": {"{a.b}": form}}
    tokens = {"it": {"$extensions": {"org.tokensync": {"type": "shadow", "value": stored}}}}
    (found,) = graph_of(tokens)[1]
    assert (found.code, found.severity) == ("token-value", "error")


def test_a_value_that_differs_from_the_stored_composite_is_reported():
    text = canonical({**LAYER, "color": "{base.black}"})
    stored = {"composite": text, "references": {"{base.black}": {"alias": "base.black"}}}
    token = {"$type": "shadow", "$value": LAYER, "$extensions": {"org.tokensync": {"value": stored}}}
    assert graph_of({"it": token, **ENDS_JSON})[1] == ()
    (found,) = graph_of({"it": {**token, "$value": {**LAYER, "blur": px(9)}}, **ENDS_JSON})[1]
    assert found.code == "token-value-stale"


WIDE = {"colorSpace": "display-p3", "components": [1, 0, 0]}
FAULTS = [
    ("shadow", {**LAYER, "color": "{base.gone}"}, "token-reference", "/color"),
    ("shadow", {**LAYER, "color": {"$ref": "#/base/gone"}}, "token-reference", ""),
    ("shadow", [LAYER, {**LAYER, "blur": "{base}"}], "token-reference", "/1/blur"),
    ("shadow", {**LAYER, "color": "{base.four}"}, "token-reference-type", "/color"),
    ("shadow", {**LAYER, "blur": "{base.black}"}, "token-reference-type", "/blur"),
    ("shadow", [LAYER, "{base.black}"], "token-reference-type", "/1"),
    ("shadow", {**LAYER, "inset": "{base.share}"}, "token-reference-type", "/inset"),
    ("typography", {**VALUES["typography"], "lineHeight": "{base.quick}"}, "token-reference-type", "/lineHeight"),
    ("typography", {**VALUES["typography"], "fontStyle": "{base.four}"}, "token-reference-type", "/fontStyle"),
    ("typography", {**VALUES["typography"], "fontFamily": ["{base.sans}"]}, "token-reference", "/fontFamily"),
    ("border", {**VALUES["border"], "style": "{base.curve}"}, "token-reference-type", "/style"),
    ("strokeStyle", {**DASHES, "dashArray": [px(1), "{base.quick}"]}, "token-reference-type", "/dashArray/1"),
    ("strokeStyle", {**DASHES, "lineCap": "{base.sans}"}, "token-value", ""),
    ("gradient", [VALUES["gradient"][0], "{base.black}"], "token-reference-type", "/1"),
    ("gradient", "{base.black}", "token-reference-type", ""),
    ("cubicBezier", [0, 0, "{base.share}", 1], "token-value", ""),
    ("shadow", {**LAYER, "blur": {"value": "{base.share}", "unit": "px"}}, "token-value", "/blur/value"),
    ("shadow", {**LAYER, "color": {**BLACK, "components": "{base.share}"}}, "token-value", "/color/components"),
    ("shadow", [LAYER, {**LAYER, "color": {**WIDE, "colorSpace": "hsv"}}], "token-value", "/1/color/colorSpace"),
    ("gradient", [{"color": {**BLACK, "hex": "#ff0000"}, "position": 0}], "token-value", "/0/color/hex"),
    ("shadow", {**LAYER, "blur": px(1e39)}, "token-value", ""),
]


@pytest.mark.parametrize(("dtcg_type", "value", "code", "within"), FAULTS)
def test_an_invalid_part_is_reported_at_its_pointer(dtcg_type, value, code, within):
    (found,) = graph_of({"it": {"$type": dtcg_type, "$value": value}, **ENDS_JSON})[1]
    assert (found.code, found.severity) == (code, "error")
    assert found.where.endswith(f"(#/base/it/$value{within})")


TEXT_STYLE = VALUES["typography"]
INCOMPLETE = [
    ("shadow", {each: LAYER[each] for each in LAYER if each != "spread"}, "", "it lacks spread"),
    ("shadow", [LAYER, {**LAYER, "kind": "drop"}], "/1/kind", "a shadow has no member 'kind'"),
    ("typography", {**TEXT_STYLE, "textCase": "upper"}, "/textCase", '"upper" is no textCase'),
    ("typography", {**TEXT_STYLE, "paragraphIndent": 1}, "/paragraphIndent", "a typography has no member"),
    ("typography", {**TEXT_STYLE, "fontSize": {"value": 80, "unit": "%"}}, "/fontSize", "DTCG has no %, "),
    ("border", {**VALUES["border"], "width": {"value": 0.1, "unit": "em"}}, "/width", "DTCG has no em, "),
    ("transition", {"duration": "{base.quick}", "timingFunction": CURVE}, "", "it lacks delay"),
    ("gradient", [*VALUES["gradient"], "{base.fade}"], "/3", "a stop refers to a gradient, "),
]


@pytest.mark.parametrize(("dtcg_type", "value", "within", "what"), INCOMPLETE)
def test_an_incomplete_composite_keeps_its_other_members(dtcg_type, value, within, what):
    fade = {"$type": "gradient", "$value": [{"color": BLACK, "position": 1}]}
    graph, (found,) = graph_of({"it": {"$type": dtcg_type, "$value": value}, "fade": fade, **ENDS_JSON})
    assert (found.code, found.severity) == ("composite-incomplete", "warning")
    assert found.where.endswith(f"(#/base/it/$value{within})")
    assert found.what.startswith(what)
    assert decoded(graph.tokens[TokenKey(FILE, "base", "it")].values[0].json) == value
    files = dict(write(graph, FILE))
    assert read(files, FILE)[0] == graph


@pytest.mark.parametrize(
    ("members", "height"),
    [
        ({"lineHeight": px(24)}, Quantity(24, "px")),
        ({"lineHeight": "24px"}, Quantity(24, "px")),
        ({"lineHeight": {"value": 1.5, "unit": "rem"}}, Quantity(1.5, "rem")),
        ({"lineHeight": "{base.height}", "fontStyle": "{base.slant}", "textCase": "uppercase"}, Quantity(24, "px")),
    ],
)
def test_what_dtcg_cannot_say_about_a_text_style_stands_beside_one_that_it_can(members, height):
    """Other tools read a multiple of the font size, and no members that DTCG does not have."""
    tokens = {
        "it": {"$type": "typography", "$value": {**TEXT_STYLE, "fontSize": "{base.size}", **members}},
        "size": {"$type": "dimension", "$value": px(16)},
        "height": {"$type": "dimension", "$value": px(24)},
        "slant": {"$type": "string", "$value": "italic"},
    }
    graph, problems = graph_of(tokens)
    assert {problem.code for problem in problems} <= {"token-notation"}
    typed = composite(graph.resolver(DEFAULT_THEME)(TokenKey(FILE, "base", "it")), "typography")
    style = ("italic", "uppercase") if "fontStyle" in members else ("", "")
    assert (typed.line_height, typed.line_factor, typed.style, typed.case) == (height, 1.5, *style)
    files = dict(write(graph, FILE))
    (path,) = [path for path in files if path.endswith(".tokens.json")]
    content = json.loads(files[path])
    entry = content["base"]["it"]
    assert entry["$value"] == {**TEXT_STYLE, "fontSize": "{base.size}", "lineHeight": 1.5}
    again, problems = read(files, FILE)
    assert ({key: each.values for key, each in again.tokens.items()}, problems) == (
        {key: each.values for key, each in graph.tokens.items()},
        (),
    )
    entry["$value"]["lineHeight"] = 2
    edited, (found,) = read({**files, path: json.dumps(content).encode()}, FILE)
    assert found.code == "token-value-edited"
    assert found.what == "its $value was edited, so it replaces the value in org.tokensync"
    assert composite(edited.resolver(DEFAULT_THEME)(TokenKey(FILE, "base", "it")), "typography").line_height == 2


def test_the_multiple_of_a_line_height_is_that_of_the_mode():
    style = {"$type": "typography", "$value": {**TEXT_STYLE, "fontSize": px(16), "lineHeight": "{base.height}"}}
    modes = {
        path: {"base": {"it": style, "height": {"$type": "dimension", "$value": px(height)}}}
        for path, height in (("ds/base/value.tokens.json", 24), ("ds/base/large.tokens.json", 32))
    }
    graph, _ = read({path: json.dumps(tree).encode() for path, tree in modes.items()}, FILE)
    written = read_back(graph)
    assert {path: written[path]["base"]["it"]["$value"]["lineHeight"] for path in modes} == dict(
        zip(modes, (1.5, 2), strict=True)
    )


def test_a_mistyped_member_is_an_error_with_the_nearest_missing_member():
    style = {"fontWieght" if name == "fontWeight" else name: part for name, part in TEXT_STYLE.items()}
    (found,) = graph_of({"it": {"$type": "typography", "$value": style}})[1]
    assert (found.code, found.severity) == ("tokens-member-mistyped", "error")
    assert found.where.endswith("(#/base/it/$value/fontWieght)")
    assert (found.what, found.what_to_do) == ("a typography has no member 'fontWieght'", "write 'fontWeight'")


@pytest.mark.parametrize("written", ["-2%", {"value": "-0.02", "unit": "em"}, {"value": -2, "unit": "%"}])
def test_a_letter_spacing_may_be_relative_to_the_font_size(written):
    style = {**TEXT_STYLE, "fontSize": "{base.four}", "letterSpacing": written, "lineHeight": "150%"}
    graph, _ = graph_of({"it": {"$type": "typography", "$value": style}, **ENDS_JSON})
    typed = composite(graph.resolver(DEFAULT_THEME)(TokenKey(FILE, "base", "it")), "typography")
    assert (typed.letter_spacing, typed.line_height) == (pytest.approx(-0.08), 1.5)


def test_a_stop_that_refers_to_a_gradient_is_omitted_from_the_value_only():
    """The stops after it keep their references."""
    white, black = ({"color": each, "position": 1} for each in ("{base.white}", BLACK))
    gradients = {"it": [black, "{base.fade}", white], "fade": [black], "only": ["{base.fade}"]}
    tokens = {name: {"$type": "gradient", "$value": each} for name, each in gradients.items()}
    graph, _ = graph_of({**tokens, "white": {"$type": "color", "$value": {**BLACK, "components": [1, 1, 1]}}})
    resolve, it = graph.resolver(DEFAULT_THEME), TokenKey(FILE, "base", "it")
    assert [stop.color.red for stop in composite(resolve(it), "gradient").stops] == [0, 1]
    (reference,) = references(graph.tokens[it].values[0], "gradient")
    assert (reference.path, reference.target.path) == ((1, "color"), "white")
    assert isinstance(resolve(TokenKey(FILE, "base", "only")), Unresolved)


def test_a_cycle_through_layers_is_reported_for_each_of_its_tokens():
    tokens = {
        "a": {"$type": "shadow", "$value": [LAYER, "{base.b}"]},
        "b": {"$type": "shadow", "$value": ["{base.a}"]},
        "c": {"$type": "shadow", "$value": ["{base.c}"]},
    }
    graph, problems = graph_of(tokens)
    assert [(each.code, each.severity, each.where.rpartition("#")[2]) for each in problems] == [
        ("token-cycle", "warning", f"/base/{each}/$value)") for each in "abc"
    ]
    read_back(graph)


def test_a_reference_into_an_unreadable_file_is_not_reported():
    tokens = {"it": {"$type": "shadow", "$value": {**LAYER, "color": "{scheme.ink}"}}}
    files = {PATH: content(tokens), "ds/scheme/light.tokens.json": b"{"}
    assert [each.code for each in read(files, FILE)[1]] == ["tokens-malformed"]


def test_equal_numbers_in_different_notations_are_equal_values():
    one, _ = graph_of(
        {"it": {"$type": "gradient", "$value": [{"color": "{base.black}", "position": 1.0}]}, **ENDS_JSON}
    )
    two, _ = graph_of({"it": {"$type": "gradient", "$value": [{"color": "{base.black}", "position": 1}]}, **ENDS_JSON})
    assert one == two
    assert written_value(one) == [{"color": "{base.black}", "position": 1}]


def test_formatting_preserves_the_notation_of_references():
    tokens = {
        f"{dtcg_type}-{number}": {"$type": dtcg_type, "$value": put(VALUE[dtcg_type], path, spelled(ENDS[part_type]))}
        for number, (dtcg_type, path, part_type) in enumerate(PLACES)
        for spelled in SPELLINGS
    }
    formatted = format_bytes(content(tokens))
    assert json.loads(formatted) == {"base": tokens}
    assert format_bytes(formatted) == formatted


names = st.text(min_size=1, max_size=12) | st.sampled_from(
    ["a/b", "~1", "~", "%2E", "a b", "é", "\u2028", '"', "\\", "</style>", "#", "?", "[0]", "0", "$ref x", "\ufffd"]
)


def _is_name(name):
    return not set(name) & set(".{}") and not name.startswith("$")


@given(names.filter(_is_name), names.filter(_is_name), st.integers(0, len(PLACES) - 1), st.integers(0, 1))
def test_references_to_hostile_names_are_resolved_and_round_trip(group, name, place, spelling):
    dtcg_type, path, part_type = PLACES[place]
    steps = "/".join(each.replace("~", "~0").replace("/", "~1").replace("%", "%25") for each in (group, name))
    spelled = f"{{base.{group}.{name}}}" if spelling == 0 else {"$ref": f"#/base/{steps}"}
    tokens = {
        "the it": {"$type": dtcg_type, "$value": put(VALUE[dtcg_type], path, spelled)},
        group: {name: ENDS_JSON[ENDS[part_type]]},
    }
    graph, problems = graph_of(tokens)
    assert problems == ()
    token = graph.tokens[TokenKey(FILE, "base", "the it")]
    assert token.values[0].references == (
        (spelled if spelling == 0 else spelled["$ref"], TokenKey(FILE, "base", f"{group}.{name}")),
    )
    assert not isinstance(graph.resolve(token, DEFAULT_THEME), Unresolved)
    assert written_value(graph, "the it") == tokens["the it"]["$value"]
