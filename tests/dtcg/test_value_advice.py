"""Advice for values that are invalid by themselves: what to write, computed from the value."""

import pytest
from dtcg.test_reading_edited_files import graph_of, problem_of, srgb

from tokensync.tokens.values import COLOR_SPACES


def text_style(line_height):
    style = {"fontFamily": "Inter", "fontSize": "16px", "fontWeight": 400, "letterSpacing": 0}
    return {**style, "lineHeight": line_height}


RED = '{"colorSpace": "srgb", "components": [1, 0, 0]}'
HEX_0D1117 = '{"colorSpace": "srgb", "components": [0.050980393, 0.06666667, 0.09019608], "hex": "#0d1117"}'


@pytest.mark.parametrize(
    ("token_type", "value", "what_to_do"),
    [
        ("duration", 16, 'write {"value": 16, "unit": "ms"} or {"value": 16, "unit": "s"}'),
        ("dimension", "12pt", 'write {"value": 16, "unit": "px"}, which is the same length'),
        ("dimension", {"value": 1, "unit": "in"}, 'write {"value": 96, "unit": "px"}, which is the same length'),
        ("dimension", "0.5ch", "write it in px or rem; 0.5ch has no fixed equivalent"),
        ("textCase", "upper", "write one of none, uppercase, lowercase, capitalize"),
        ("dimension", {"rem": 1.5}, 'write an object with "value" and "unit", which is px or rem'),
        ("dimension", "10vh", "write it in px or rem; 10vh has no fixed equivalent"),
        ("dimension", "auto", 'write an object with "value" and "unit", which is px or rem'),
        ("duration", "2vh", "write it in ms or s; 2vh has no fixed equivalent"),
        ("number", "50%", "write 0.5"),
        ("number", "0%", "write 0"),
        ("number", "14px", 'write 14, or set "$type" to "dimension"'),
        ("number", {"value": 200, "unit": "ms"}, 'write 200, or set "$type" to "duration"'),
        ("number", {"value": 14}, "write 14"),
        ("dimension", {"value": "14px", "unit": "rem"}, "write a JSON number"),
        ("dimension", "16dp", 'write {"value": 16, "unit": "px"}, which is the same length'),
        ("duration", {"value": 0.2}, 'write {"value": 0.2, "unit": "ms"} or {"value": 0.2, "unit": "s"}'),
        ("number", "many", "write a JSON number"),
        ("string", 12, 'write "12"'),
        ("fontWeight", "bould", 'write "bold"'),
        ("fontWeight", "Bold Italic", "write 700: italic is not part of a weight"),
        ("fontWeight", 1200, "write a number in that range; the closest is 1000"),
        ("color", "0d1117", f"write {HEX_0D1117}"),
        ("color", {"colorSpace": "oklhc", "components": [0, 0, 0]}, 'use "oklch"'),
        ("color", {"components": [1, 0, 0]}, f"write {RED}"),
        ("color", {"components": [255, 0, 0]}, f"write {RED}"),
        ("color", [255, 0, 0], f"write {RED}"),
        ("color", srgb(1, 0, 0, 0.5), 'write {"colorSpace": "srgb", "components": [1, 0, 0], "alpha": 0.5}'),
        ("color", srgb(255, 51, 0), 'write {"colorSpace": "srgb", "components": [1, 0.2, 0]}'),
        ("color", {"value": "#0d1117"}, f"write {HEX_0D1117}"),
        ("color", {"h": 10, "s": 1, "l": 1}, f"write one of {', '.join(COLOR_SPACES)}"),
        ("color", "#ff00001", 'write an object with "colorSpace" and "components", or a colour as CSS writes it'),
        ("color", srgb(1, 0, 0, hex="ff0000"), "remove it, or write # and six digits; opacity is the member alpha"),
        ("color", srgb(1, 0, 0, alpha=50), "write a number from 0 to 1"),
        ("color", srgb(255, 0, 0), "write a number in that range"),
        ("gradient", [{"color": srgb(1, 0, 0), "position": "50%"}], "write 0.5"),
        ("typography", text_style("AUTO"), "write a number, the multiple of fontSize, or a length"),
        ("typography", text_style("18pt"), 'write {"value": 24, "unit": "px"}, which is the same length'),
        (
            "border",
            {"color": "{color.t}", "width": "2pt", "style": "solid"},
            'write {"value": 2.6667, "unit": "px"}, which is the same length',
        ),
        ("number", {"$ref": "color/t"}, 'write "#/color/t", the path of a token of these files'),
    ],
)
def test_the_advice_is_computed_from_the_value(token_type, value, what_to_do):
    assert problem_of({"$type": token_type, "$value": value}).what_to_do == what_to_do


@pytest.mark.parametrize(
    ("value", "begins"),
    [
        ("{color.text.muted", '"{color.text.muted" has no closing brace'),
        ("color.text.muted}", '"color.text.muted}" has no opening brace'),
        ("{text.muted", '"{text.muted" has no closing brace'),
        ("color.text.muted", '"color.text.muted" names a token, but is not a reference'),
        ("text.muted", '"text.muted" names a token, but is not a reference'),
        ("$color/text/muted", '"$color/text/muted" names a token, but is not a reference'),
        ("var(--color-text-muted)", '"var(--color-text-muted)" names a token, but is not a reference'),
        (["{color.text.muted}"], "the reference is within an array"),
        ({"value": "{color.text.muted}"}, "the reference is within an object"),
    ],
)
@pytest.mark.parametrize("members", [{"$type": "color"}, {}])
def test_a_value_that_lacks_the_braces_of_a_reference_is_reported_with_the_reference(value, begins, members):
    if not isinstance(value, str) and not members:
        return
    muted = {"$type": "color", "$value": srgb(1, 1, 1)}
    (problem,) = graph_of({"text": {"muted": muted}, "t": {**members, "$value": value}})[1]
    assert (problem.code, problem.severity) == ("token-reference", "error")
    assert problem.what == begins
    assert problem.what_to_do == 'write "{color.text.muted}"'
    border = {"color": value, "width": {"value": 1, "unit": "px"}, "style": "solid"}
    (problem,) = graph_of({"text": {"muted": muted}, "t": {"$type": "border", "$value": border}})[1]
    assert problem.what_to_do == 'write "{color.text.muted}"'
    assert problem.where.endswith("/$value/color)")


@pytest.mark.parametrize(
    ("token_type", "value", "begins"),
    [
        ("duration", "50%", '"50%" is not an object with value and unit'),
        ("color", "50", '"50" is not a colour'),
    ],
)
def test_a_value_without_letters_is_not_taken_for_the_last_part_of_a_name(token_type, value, begins):
    slate = {"50": {"$type": "color", "$value": srgb(1, 1, 1)}}
    (problem,) = graph_of({"slate": slate, "t": {"$type": token_type, "$value": value}})[1]
    assert (problem.code, problem.what) == ("token-value", begins)


def test_a_value_with_one_brace_that_names_no_token_is_reported_with_the_nearest_one():
    muted = {"$type": "color", "$value": srgb(1, 1, 1)}
    (problem,) = graph_of({"muted": muted, "t": {"$type": "color", "$value": "{color.mutde"}})[1]
    assert problem.what == '"{color.mutde" has no closing brace, and there is no such token'
    assert problem.what_to_do == "did you mean {color.muted}?"


@pytest.mark.parametrize(
    ("value", "token_type"),
    [
        ("#ff0000", "color"),
        (srgb(1, 0, 0), "color"),
        ("4px", "dimension"),
        ({"value": 4, "unit": "rem"}, "dimension"),
        ("350ms", "duration"),
        ([0.4, 0, 0.2, 1], "cubicBezier"),
        (True, "boolean"),
        ({"color": srgb(1, 0, 0), "width": "2px", "style": "solid"}, "border"),
    ],
)
def test_the_advice_for_a_missing_or_unknown_type_is_that_of_the_value(value, token_type):
    assert problem_of({"$value": value}).what_to_do == f'give it "$type": "{token_type}"'
    assert problem_of({"$type": "spacing", "$value": value}).what_to_do == f'write "{token_type}"'


@pytest.mark.parametrize("value", [4, "4", "text", "tan", ["a"], {"x": 1}])
def test_a_value_of_several_types_or_none_decides_about_no_type(value):
    assert problem_of({"$value": value}).what_to_do == 'give it a "$type"'
    assert problem_of({"$type": "spacing", "$value": value}).what_to_do.startswith("write one of ")


def test_a_type_in_other_letters_is_meant():
    assert problem_of({"$type": "fontweight", "$value": 4}).what_to_do == 'write "fontWeight"'
