"""Values in other notations than DTCG's are read by their obvious meaning, kept by a pull, and rewritten by format."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from dtcg.strategies import FILE
from hypothesis import given
from hypothesis import strategies as st

from tokensync.dtcg import cache, format_bytes, read, read_folder, write, write_folder
from tokensync.dtcg.literals import literal, meant
from tokensync.tokens import Color, Quantity, TokenKey, float32, with_exact_colors
from tokensync.tokens.values import COLOR_SPACES

PATH = f"{FILE}/color/mode.tokens.json"
KEY = TokenKey(FILE, "color", "t")


def content(value, token_type, **members):
    return json.dumps({"color": {"t": {"$type": token_type, "$value": value, **members}}}).encode()


def reading(value, token_type="color", **options):
    return read({PATH: content(value, token_type)}, FILE, **options)


def value_line(files):
    """The canonical text of the only ``$value`` in written files."""
    (line,) = re.findall(r'"\$value": (.*?),?\n', dict(files)[PATH].decode())
    return line


def srgb(*components, **more):
    return {"colorSpace": "srgb", "components": list(components), **more}


HALF = {"alpha": 0.5, "hex": "#ff0000"}
NOTATIONS = [
    ("color", "#ff0000", srgb(1, 0, 0, hex="#ff0000")),
    ("color", "#F00", srgb(1, 0, 0, hex="#ff0000")),
    ("color", "#ff000080", srgb(1, 0, 0, alpha=0.5019608, hex="#ff0000")),
    ("color", "#f008", srgb(1, 0, 0, alpha=0.53333336, hex="#ff0000")),
    ("color", "rgb(255, 0, 0)", srgb(1, 0, 0, hex="#ff0000")),
    ("color", "rgba(255, 0, 0, .5)", srgb(1, 0, 0, **HALF)),
    ("color", "rgb(100% 0% 0% / 50%)", srgb(1, 0, 0, **HALF)),
    ("color", "rgb(300 -20 0 / 0.5)", srgb(1, 0, 0, **HALF)),
    ("color", "hsl(120, 100%, 50%)", {"colorSpace": "hsl", "components": [120, 100, 50]}),
    ("color", "hsla(480deg 100% 50% / 25%)", {"colorSpace": "hsl", "components": [120, 100, 50], "alpha": 0.25}),
    ("color", "hwb(90 10% none)", {"colorSpace": "hwb", "components": [90, 10, "none"]}),
    ("color", "oklch(70% 0.1 200)", {"colorSpace": "oklch", "components": [0.7, 0.1, 200]}),
    ("color", "color(display-p3 0 1 0)", {"colorSpace": "display-p3", "components": [0, 1, 0]}),
    ("color", "RebeccaPurple", srgb(0.4, 0.2, 0.6, hex="#663399")),
    ("color", "transparent", srgb(0, 0, 0, alpha=0, hex="#000000")),
    ("color", {"hex": "#ff0000"}, srgb(1, 0, 0, hex="#ff0000")),
    ("color", {"hex": "f00"}, srgb(1, 0, 0, hex="#ff0000")),
    ("color", {"hex": "#ff000080"}, srgb(1, 0, 0, alpha=0.5019608, hex="#ff0000")),
    ("color", {"colorSpace": "srgb", "hex": "#ff0000", "alpha": 0.5}, srgb(1, 0, 0, **HALF)),
    ("color", {"r": 1, "g": 0, "b": 0}, srgb(1, 0, 0)),
    ("color", {"r": 0.5, "g": 0, "b": 0, "a": 0.25}, srgb(0.5, 0, 0, alpha=0.25)),
    ("color", {"r": 255, "g": 0, "b": 0}, srgb(1, 0, 0)),
    ("color", {"Red": "255", "Green": "51", "Blue": "0"}, srgb(1, 0.2, 0)),
    ("color", {"h": 120, "s": 100, "l": 50}, {"colorSpace": "hsl", "components": [120, 100, 50]}),
    ("color", {"hue": 120, "saturation": 1, "lightness": 0.5}, {"colorSpace": "hsl", "components": [120, 100, 50]}),
    ("color", {"components": [1, 0, 0], "hex": "#ff0000"}, srgb(1, 0, 0, hex="#ff0000")),
    ("color", {"space": "sRGB", "channels": ["1", "0", "0"], "opacity": 0.5}, srgb(1, 0, 0, alpha=0.5)),
    ("color", srgb(*"xyz") | {"components": {"r": 1, "g": 0, "b": 0}}, srgb(1, 0, 0)),
    *(
        ("color", {"colorSpace": name, "components": [1, 0, 0]}, {"colorSpace": space, "components": [1, 0, 0]})
        for name, space in [
            ("p3", "display-p3"),
            ("Display P3", "display-p3"),
            ("rgb", "srgb"),
            ("OKLCH", "oklch"),
            ("linear-srgb", "srgb-linear"),
            ("Adobe RGB", "a98-rgb"),
            ("rec-2020", "rec2020"),
            ("xyz", "xyz-d65"),
        ]
    ),
    ("color", srgb(1, 0, 0, hex="#f00"), srgb(1, 0, 0, hex="#ff0000")),
    ("color", srgb(1, 0, 0, hex="#ff000080"), srgb(1, 0, 0, hex="#ff0000", alpha=0.5019608)),
    ("dimension", "14px", {"value": 14, "unit": "px"}),
    ("dimension", "-.5PX", {"value": -0.5, "unit": "px"}),
    ("dimension", "1.5rem", {"value": 1.5, "unit": "rem"}),
    ("dimension", "-.02 em", {"value": -0.02, "unit": "em"}),
    ("dimension", "50%", {"value": 50, "unit": "%"}),
    ("dimension", {"value": "1", "unit": "EM"}, {"value": 1, "unit": "em"}),
    ("dimension", 0, {"value": 0, "unit": "px"}),
    ("dimension", "0", {"value": 0, "unit": "px"}),
    ("dimension", {"value": "16", "unit": "px"}, {"value": 16, "unit": "px"}),
    ("dimension", {"value": 16, "unit": "REM"}, {"value": 16, "unit": "rem"}),
    ("dimension", 16, {"value": 16, "unit": "px"}),
    ("dimension", "-1.5", {"value": -1.5, "unit": "px"}),
    ("dimension", {"value": 16, "unit": ""}, {"value": 16, "unit": "px"}),
    ("dimension", {"value": "14px", "unit": "px"}, {"value": 14, "unit": "px"}),
    ("dimension", {"value": "1.5rem"}, {"value": 1.5, "unit": "rem"}),
    ("dimension", {"Value": 14, "Unit": "Pixels"}, {"value": 14, "unit": "px"}),
    ("dimension", {"value": 14, "unit": None}, {"value": 14, "unit": "px"}),
    ("duration", {"value": "200ms", "unit": "ms"}, {"value": 200, "unit": "ms"}),
    ("duration", {"value": 2, "unit": "seconds"}, {"value": 2, "unit": "s"}),
    ("duration", "350ms", {"value": 350, "unit": "ms"}),
    ("duration", "0.2 s", {"value": 0.2, "unit": "s"}),
    ("number", "1.5", 1.5),
    ("number", " -2 ", -2),
    ("fontStyle", "Italic", "italic"),
    ("textCase", "UPPERCASE", "uppercase"),
    ("textDecoration", " underline", "underline"),
    ("fontWeight", "Bold", 700),
    ("fontWeight", "SemiBold", 600),
    ("fontWeight", "extra light", 200),
    ("fontWeight", "600", 600),
    ("cubicBezier", "cubic-bezier(0.4, 0, .2, 1)", [0.4, 0, 0.2, 1]),
    ("cubicBezier", "ease-in-out", [0.42, 0, 0.58, 1]),
    (
        "shadow",
        {"color": "#00000080", "offsetX": "0px", "offsetY": "2px", "blur": "4px", "spread": 0},
        {
            "color": srgb(0, 0, 0, alpha=0.5019608, hex="#000000"),
            **{name: {"value": each, "unit": "px"} for name, each in (("offsetX", 0), ("offsetY", 2), ("blur", 4))},
            "spread": {"value": 0, "unit": "px"},
        },
    ),
    (
        "transition",
        {"duration": "200ms", "delay": 0, "timingFunction": "ease"},
        {
            "duration": {"value": 200, "unit": "ms"},
            "delay": {"value": 0, "unit": "ms"},
            "timingFunction": [0.25, 0.1, 0.25, 1],
        },
    ),
]


@pytest.mark.parametrize(("token_type", "value", "canonical"), NOTATIONS)
def test_a_value_has_its_obvious_meaning_with_a_note(token_type, value, canonical):
    graph, problems = reading(value, token_type)
    expected, others = reading(canonical, token_type)
    assert others == ()
    assert graph.tokens[KEY].values == expected.tokens[KEY].values
    assert {(each.code, each.severity) for each in problems} == {("token-notation", "note")}
    for each in problems:
        assert re.search(r":1:\d+ \(#/color/t/\$value", each.where)
        assert " is read as " in each.what
        assert each.what_to_do == "run tokensync format to write it in this form"
    if len(problems) == 1:
        read_as = json.loads(problems[0].what.partition(" is read as ")[2])
        assert read_as == canonical or {**canonical, **read_as} == canonical  # of long objects, what differs


@pytest.mark.parametrize(("token_type", "value", "canonical"), NOTATIONS)
def test_format_writes_the_canonical_form_with_the_same_meaning(token_type, value, canonical):
    before, _ = reading(value, token_type)
    formatted = format_bytes(content(value, token_type), PATH)
    assert json.loads(formatted)["color"]["t"]["$value"] == canonical
    assert format_bytes(formatted, PATH) == formatted
    after, problems = read({PATH: formatted}, FILE)
    assert problems == ()
    assert after.tokens[KEY].values == before.tokens[KEY].values


@pytest.mark.parametrize(("token_type", "value", "canonical"), NOTATIONS)
def test_a_pull_does_not_rewrite_the_line(token_type, value, canonical):
    graph, _ = reading(value, token_type)
    assert json.loads(value_line(write(graph, FILE))) == value
    again, _ = read(dict(write(graph, FILE)), FILE)
    assert again == graph
    assert write(again, FILE) == write(graph, FILE)


@pytest.mark.parametrize(("token_type", "value", "canonical"), NOTATIONS)
def test_a_value_that_changed_is_written_in_the_canonical_form(token_type, value, canonical):
    """The notation of one value says nothing about another one, or about another type."""
    graph, _ = reading(value, token_type)
    plain, _ = reading(canonical, token_type)
    token = graph.tokens[KEY]
    stale = type(graph)(graph.collections.values(), [type(token)(
        key=KEY, type="number", values=(3.0,), notations=token.notations,
    )])  # fmt: skip
    assert value_line(write(stale, FILE)) == "3"
    if token_type in ("color", "dimension") and isinstance(canonical, dict) and canonical.get("colorSpace") == "srgb":
        assert plain.tokens[KEY].notations == ()


@given(st.integers(0, 2**32 - 1), st.sampled_from(["#{:02x}{:02x}{:02x}{:02x}", "rgb({} {} {} / {:.8f})"]))
def test_any_hexadecimal_colour_is_read_exactly(number, form):
    channels = number.to_bytes(4)
    *rgb, alpha = channels
    text = form.format(*channels) if form[0] == "#" else form.format(*rgb, alpha / 255)
    graph, _ = reading(text)
    exact = [float32(float(Fraction(each, 255))) for each in channels]
    color = graph.tokens[KEY].values[0]
    assert [color.red, color.green, color.blue] == exact[:3]
    assert color.alpha == pytest.approx(exact[3], abs=1e-7)
    formatted, problems = read({PATH: format_bytes(content(text, "color"), PATH)}, FILE)
    assert problems == ()
    assert formatted.tokens[KEY].values == (color,)


@given(st.floats(-1e6, 1e6, allow_nan=False), st.sampled_from(["px", "rem"]), st.sampled_from(["", " "]))
def test_any_length_in_css_is_read_as_its_object(number, unit, space):
    text = f"{number:f}{space}{unit}"
    graph, _ = reading(text, "dimension")
    plain, _ = reading({"value": float(f"{number:f}"), "unit": unit}, "dimension")
    assert graph.tokens[KEY].values == plain.tokens[KEY].values


@given(st.text(max_size=30) | st.from_regex(r"[#rgbahsl(0-9.,%/ )pxrem]{1,20}", fullmatch=True))
def test_what_is_read_from_any_text_is_a_value_of_its_type(text):
    for token_type in ("color", "dimension", "duration", "number", "fontWeight", "boolean", "cubicBezier"):
        found = meant(token_type, text)
        if found is not None:
            literal(token_type, found.value)
            assert meant(token_type, found.value) is None


NUMBERS = st.sampled_from([0, 1, 0.5, -1, 1.2, 50, 255, 360, 1e40, "none", "0.5", True, None]) | st.floats(0, 1)
MEMBERS = {
    "colorSpace": st.sampled_from([*COLOR_SPACES, "rgb", "P3", None]),
    "components": st.lists(NUMBERS, min_size=2, max_size=4),
    "alpha": NUMBERS,
    "hex": st.sampled_from(["#ff0000", "#F00", "#ff000080", "#000000", "#0008", "red", "", 0]),
    "value": NUMBERS | st.sampled_from(["14", "x"]),
    "unit": st.sampled_from(["px", "PX", "rem", "em", "ms", "s", "%", "", 1]),
}
PARTS = st.fixed_dictionaries({}, optional=MEMBERS) | st.sampled_from([each for _, each, _ in NOTATIONS]) | NUMBERS
VALUES = (
    PARTS
    | st.lists(PARTS, max_size=4)
    | st.dictionaries(st.sampled_from(["color", "width", "style", "blur", "offsetX", "duration"]), PARTS)
)
TYPES = ("color", "dimension", "duration", "number", "fontWeight", "string", "fontFamily", "cubicBezier", "shadow",
         "border", "gradient", "transition", "typography", "strokeStyle", "boolean")  # fmt: skip


@given(st.sampled_from(TYPES), VALUES, st.sampled_from([None, Color(1.0, 0.0, 0.0), Color(0.0, 0.0, 0.0, 0.5)]))
def test_formatting_changes_no_meaning_and_leaves_no_note(token_type, value, locked):
    options = {"locked": is_locked(locked)}
    before, problems = reading(value, token_type, **options)
    formatted = format_bytes(content(value, token_type), PATH, **options)
    after, others = read({PATH: formatted}, FILE, **options)
    assert [each.values for each in after.tokens.values()] == [each.values for each in before.tokens.values()]
    assert not {each.code for each in others} & {"token-notation", "color-edited"}
    assert [each.severity for each in others] == [each.severity for each in problems if each.severity != "note"]
    assert format_bytes(formatted, PATH, **options) == formatted
    if before.tokens:
        again, _ = read(dict(write(before, FILE)), FILE)
        assert again == before


@pytest.mark.parametrize("text", ["10vh", "auto", "14 px px", "1e3px", "NaNpx", "--x", "calc(1px)"])
def test_a_length_without_an_obvious_meaning_stays_an_error_and_is_not_formatted(text):
    (problem,) = reading(text, "dimension")[1]
    assert (problem.code, problem.severity) == ("token-value", "error")
    assert json.loads(format_bytes(content(text, "dimension"), PATH))["color"]["t"]["$value"] == text


@pytest.mark.parametrize(
    "text", ["currentcolor", "ff0000", "#ff00", "#12", "rgb(1 2)", "var(--x)", "color(--hsv 1 1 1)", "red " * 50]
)
def test_a_text_that_is_no_colour_stays_an_error(text):
    is_short_hex = text == "#ff00"  # four digits: three and an alpha
    assert (reading(text)[1][0].severity == "note") is is_short_hex


REMS = Quantity(1.5, "rem")


@pytest.mark.parametrize("value", [2, "2", {"value": 2, "unit": ""}])
@pytest.mark.parametrize(
    ("token_type", "before", "unit"), [("dimension", REMS, "rem"), ("duration", Quantity(300.0, "ms"), "ms")]
)
def test_a_number_without_a_unit_has_that_of_the_lock(value, token_type, before, unit):
    options = {"locked": is_locked(before)}
    graph, (problem,) = reading(value, token_type, **options)
    assert graph.tokens[KEY].values == (Quantity(2.0, unit),)
    assert problem.code == "token-notation"
    assert problem.what.endswith(f'is read as {{"value": 2, "unit": "{unit}"}}, because it was in {unit}')
    formatted = format_bytes(content(value, token_type), PATH, **options)
    assert json.loads(formatted)["color"]["t"]["$value"] == {"value": 2, "unit": unit}
    assert value_line(write(graph, FILE)) == f'{{"value": 2, "unit": "{unit}"}}'


@pytest.mark.parametrize("value", [2, "2", {"value": 2}])
def test_a_number_without_a_unit_that_is_closer_in_rem_is_an_error_with_both_values(value):
    options = {"locked": is_locked(24.0)}
    (problem,) = reading(value, "dimension", **options)[1]
    assert (problem.code, problem.severity) == ("token-value", "error")
    assert problem.what.endswith('is closer than {"value": 2, "unit": "px"} to the value in the lock, 24 px')
    assert problem.what_to_do == 'write {"value": 2, "unit": "rem"} or {"value": 2, "unit": "px"}'
    assert json.loads(format_bytes(content(value, "dimension"), PATH, **options))["color"]["t"]["$value"] == value


@pytest.mark.parametrize("value", [20, 24, 0])
def test_a_number_without_a_unit_that_is_closer_in_px_is_read_as_px(value):
    graph, (problem,) = reading(value, "dimension", locked=is_locked(24.0))
    assert graph.tokens[KEY].values == (value,)
    assert problem.code == "token-notation"


def test_the_note_about_a_long_value_shows_the_part_that_differs():
    (problem,) = reading(srgb(0.050980393, 0.06666667, 0.09019608, hex="#0d111780"))[1]
    assert problem.what == '{"hex": "#0d111780"} is read as {"alpha": 0.5019608, "hex": "#0d1117"}'


@pytest.mark.parametrize("before", [None, 4.0, REMS])
def test_a_duration_without_a_unit_that_the_lock_knows_is_an_error_with_a_value_for_each_unit(before):
    (problem,) = reading(0.2, "duration", locked=is_locked(before))[1]
    assert (problem.code, problem.severity) == ("token-value", "error")
    assert problem.what_to_do == 'write {"value": 0.2, "unit": "ms"} or {"value": 0.2, "unit": "s"}'


def test_types_come_from_the_group_and_from_the_file_of_another_mode():
    light = {"$type": "color", "color": {"$type": "dimension", "g": {"t": {"$value": "4px"}}}}
    graph, problems = read({PATH: json.dumps(light).encode()}, FILE)
    assert graph.tokens[TokenKey(FILE, "color", "g.t")].values == (4.0,)
    assert [each.code for each in problems] == ["token-notation"]
    assert json.loads(format_bytes(json.dumps(light).encode(), PATH))["color"]["g"]["t"]["$value"] == {
        "value": 4,
        "unit": "px",
    }
    dark = json.dumps({"color": {"g": {"t": {"$value": "8px"}}}}).encode()
    unchanged = json.loads(format_bytes(dark, PATH))
    assert unchanged["color"]["g"]["t"]["$value"] == "8px"
    typed = format_bytes(dark, PATH, known=lambda: {("color", "g.t"): ("dimension", "")})
    assert json.loads(typed)["color"]["g"]["t"]["$value"] == {"value": 8, "unit": "px"}


def test_tokens_of_an_extended_group_are_formatted_in_their_own_place():
    group = {"base": {"t": {"$type": "number", "$value": "4"}}, "more": {"$extends": "{color.base}"}}
    tree = json.loads(format_bytes(json.dumps({"color": group}).encode(), PATH))
    assert tree == {"color": {**group, "base": {"t": {"$type": "number", "$value": 4}}}}


def test_a_stored_value_and_its_stand_in_are_not_formatted():
    stored = {"org.tokensync": {"value": {"string": "{x}"}}}
    text = content("12", "number", **{"$extensions": stored})
    assert json.loads(format_bytes(text, PATH))["color"]["t"]["$value"] == "12"


RED, BLACK, GREEN = Color(1.0, 0.0, 0.0), Color(0.0, 0.0, 0.0), Color(0.0, 1.0, 0.0)


def is_locked(value, calls=None):
    def locked(key, context, *ids):
        if calls is not None:
            calls.append((key, context))
        return value

    return locked


@pytest.mark.parametrize(
    ("value", "locked", "chosen"),
    [
        (srgb(0, 0, 0, hex="#ff0000"), BLACK, RED),
        (srgb(0, 0, 0, hex="#ff0000"), RED, BLACK),
        (srgb(0.0004, 0, 0, alpha=0.5, hex="#ff0000"), BLACK, Color(1.0, 0.0, 0.0, 0.5)),
        ({"colorSpace": "oklch", "components": [0, 0, 0], "hex": "#ff0000"}, BLACK, RED),
        ({"colorSpace": "hsl", "components": [120, 100, 50], "hex": "#ff0000"}, RED, GREEN),
    ],
)
def test_of_hex_and_components_the_one_that_differs_from_the_lock_is_used(value, locked, chosen):
    calls = []
    graph, (problem,) = reading(value, locked=is_locked(locked, calls))
    assert graph.tokens[KEY].values == (chosen,)
    assert (problem.code, problem.severity) == ("color-edited", "note")
    assert calls == [(KEY, "mode")]
    written = problem.what.partition(": ")[2]
    formatted = format_bytes(content(value, "color"), PATH, locked=is_locked(locked))
    assert json.loads(formatted)["color"]["t"]["$value"] == json.loads(written)
    after, problems = read({PATH: formatted}, FILE)
    assert (after.tokens[KEY].values, problems) == ((chosen,), ())
    assert value_line(write(graph, FILE)) == value_line(write(after, FILE))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (1.0, srgb(1, 0, 0, alpha=0.5019608, hex="#ff0000")),
        (0.25, srgb(1, 0, 0, alpha=0.5019608, hex="#ff0000")),
    ],
)
def test_an_alpha_in_an_edited_hex_replaces_the_last_synchronised_one(before, after):
    value = srgb(0, 0, 0, hex="#ff000080", **({} if before == 1 else {"alpha": before}))
    locked = is_locked(Color(0.0, 0.0, 0.0, before))
    graph, (problem,) = reading(value, locked=locked)
    assert problem.code == "color-edited"
    assert graph.tokens[KEY].values == (Color(1.0, 0.0, 0.0, float32(128 / 255)),)
    assert json.loads(format_bytes(content(value, "color"), PATH, locked=locked))["color"]["t"]["$value"] == after
    other = reading({**value, "alpha": 0.75}, locked=locked)[1]
    assert [(each.severity, each.where.endswith("/$value/hex)")) for each in other] == [("error", True)]


@pytest.mark.parametrize(
    ("value", "locked"),
    [
        (srgb(0, 1, 0, hex="#ff000080"), BLACK),
        (srgb(0, 1, 0, hex="#F008"), BLACK),
        (srgb(0, 1, 0, alpha=0.5, hex="#f00"), None),
        (srgb(1, 0, 0, alpha=0.75, hex="#ff000080"), Color(1.0, 0.0, 0.0, 0.25)),
        ({"colorSpace": "oklch", "components": [0.5, 0.1, 20], "alpha": 0.3, "hex": "#00ff0080"}, None),
        ({"colorSpace": "display-p3", "components": [0, 1, 0], "hex": "#ff000080"}, None),
    ],
)
def test_the_error_for_an_alpha_in_hex_and_other_components_shows_both_complete_values(value, locked):
    (problem,) = reading(value, locked=is_locked(locked))[1]
    assert (problem.code, problem.severity) == ("token-value", "error")
    of_hex, of_components = re.fullmatch(
        r"write (\{.*\}) for hex, or (\{.*\}) for the components", problem.what_to_do
    ).groups()
    graph, problems = reading(json.loads(of_hex))
    css = meant("color", value["hex"]).value
    assert graph.tokens[KEY].values == (literal("color", {"alpha": value.get("alpha", 1), **css}),)
    assert problems == ()
    graph, problems = reading(json.loads(of_components))
    without_hex = literal("color", {name: each for name, each in value.items() if name != "hex"})
    assert graph.tokens[KEY].values[0].alpha == without_hex.alpha
    assert problems == ()


@pytest.mark.parametrize("locked", [None, GREEN, 4.0])
def test_without_a_lock_that_decides_a_difference_is_an_error(locked):
    value = srgb(0, 0, 0, hex="#ff0000")
    _, (problem,) = reading(value, locked=is_locked(locked))
    assert (problem.code, problem.severity) == ("token-value", "error")
    of_hex, of_components = srgb(1, 0, 0, hex="#ff0000"), srgb(0, 0, 0, hex="#000000")
    assert (
        problem.what_to_do == f"write {json.dumps(of_hex)} for hex, or {json.dumps(of_components)} for the components"
    )
    formatted = format_bytes(content(value, "color"), PATH, locked=is_locked(locked))
    assert json.loads(formatted)["color"]["t"]["$value"] == value


def test_the_lock_is_not_asked_about_colours_whose_parts_agree():
    calls = []
    reading(srgb(1, 0, 0, hex="#ff0000"), locked=is_locked(BLACK, calls))
    reading("#00ff00", locked=is_locked(BLACK, calls))
    format_bytes(content("#00ff00", "color"), PATH, locked=is_locked(BLACK, calls))
    assert calls == []


SPACES = {
    "srgb-linear": [0.1, 0.2, 0.3],
    "display-p3": [0, 1, 0],
    "a98-rgb": [0.1, 0.9, 0.1],
    "prophoto-rgb": [0.2, 0.3, 0.4],
    "rec2020": [0.5, "none", 0.25],
    "xyz-d65": [0.3, 0.4, 0.5],
    "xyz-d50": [0.3, 0.4, 0.5],
    "hsl": ["none", 0, 50],
    "hwb": [120, 20, 30],
    "lab": [50, -80.5, 20],
    "lch": [50, 30, 359.5],
    "oklab": [0.5, -0.1, 0.1],
    "oklch": [0.7, 0.3, 150],
}


@pytest.mark.parametrize("more", [{}, {"alpha": 0.25}])
@pytest.mark.parametrize("space", SPACES)
def test_a_colour_of_each_space_is_read_and_stays_as_written(space, more):
    value = {"colorSpace": space, "components": SPACES[space], **more}
    graph, problems = reading(value)
    assert problems == ()
    color = graph.tokens[KEY].values[0]
    assert color.alpha == more.get("alpha", 1)
    text = value_line(write(graph, FILE))
    assert json.loads(text) == value
    formatted = format_bytes(content(value, "color"), PATH)
    assert f'"$value": {text}'.encode() in formatted
    assert read({PATH: formatted}, FILE) == (graph, ())


def test_every_colour_space_of_dtcg_is_tested():
    assert set(SPACES) == set(COLOR_SPACES) - {"srgb"}


@pytest.mark.parametrize(
    ("value", "within"),
    [
        ({"colorSpace": "oklch", "components": [1.1, 0, 0]}, "/components/0"),
        ({"colorSpace": "oklch", "components": [1, -0.1, 0]}, "/components/1"),
        ({"colorSpace": "oklch", "components": [1, 0, 360]}, "/components/2"),
        ({"colorSpace": "lab", "components": [50, 0, "nothing"]}, "/components/2"),
        ({"colorSpace": "oklab", "components": [0.5, 0, -1e200]}, "/components/2"),
        ({"colorSpace": "oklch", "components": [0.5, 10**200, 0]}, "/components/1"),
        ({"colorSpace": "display-p3", "components": [0, 1.2, 0]}, "/components/1"),
        ({"colorSpace": "display-p3", "components": [0, 1]}, "/components"),
        ({"colorSpace": "xyz-d65", "components": [0, 1, 0], "whitepoint": "d65"}, "/whitepoint"),
    ],
)
def test_components_out_of_the_range_of_their_space_are_errors(value, within):
    (problem,) = reading(value)[1]
    assert (problem.code, problem.severity) == ("token-value", "error")
    assert problem.where.endswith(f"(#/color/t/$value{within})")


@pytest.mark.parametrize("digits", ["#00ff00", "#00fb29", "#00f93c"])
def test_the_hex_of_a_colour_outside_of_srgb_is_any_usual_fallback(digits):
    """A cut-off colour, ours, and one of another method: each is the colour of the variable."""
    value = {"colorSpace": "display-p3", "components": [0, 1, 0], "hex": digits}
    graph, problems = reading(value)
    assert problems == ()
    assert graph.tokens[KEY].values == reading(digits)[0].tokens[KEY].values
    assert with_exact_colors(graph).tokens[KEY].values[0].wide == "display-p3 0 1 0"
    assert json.loads(value_line(write(graph, FILE))) == value


def test_an_edited_hex_of_a_colour_outside_of_srgb_is_used():
    value = {"colorSpace": "display-p3", "components": [0, 1, 0], "hex": "#ff0000"}
    locked = reading({**value, "hex": "#00ff00"})[0].tokens[KEY].values[0]
    graph, (problem,) = reading(value, locked=is_locked(locked))
    assert (graph.tokens[KEY].values, problem.code) == ((RED,), "color-edited")
    other = {"colorSpace": "display-p3", "components": [1, 0, 0], "hex": "#00ff00"}
    graph, (problem,) = reading(other, locked=is_locked(locked))
    assert "the components #ff0b0c are used" in problem.what


def test_rec2020_has_the_transfer_function_that_css_has_now():
    (color,) = reading({"colorSpace": "rec2020", "components": [0.5, 0.5, 0.5]})[0].tokens[KEY].values
    linear = 0.5**2.4
    assert color.red == pytest.approx(1.055 * linear ** (1 / 2.4) - 0.055, abs=1e-4)


def test_only_graphs_for_outputs_have_exact_colours():
    graph, _ = reading({"colorSpace": "oklch", "components": [0.7, 0.3, 150]})
    inside, _ = reading({"colorSpace": "oklch", "components": [0.7, 0.1, 150]})
    assert graph.tokens[KEY].values[0].wide == ""
    assert with_exact_colors(graph).tokens[KEY].values[0].wide == "oklch 0.7 0.3 150"
    assert with_exact_colors(inside) is inside
    assert with_exact_colors(inside, lambda file: file == FILE).tokens[KEY].values[0].wide.startswith("srgb 0.")


@pytest.fixture
def tokens(tmp_path, monkeypatch):
    """A tokens folder that is cached, with an oklch colour and a length."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setattr(cache, "LEAST", 0)
    monkeypatch.delenv("CI", raising=False)
    graph, _ = reading({"colorSpace": "oklch", "components": [0.7, 0.3, 150]})
    root = str(tmp_path / "project" / "tokens")
    write_folder(root, FILE, write(graph, FILE))
    return root


def test_the_cache_keeps_notations(tokens, monkeypatch):
    first = read_folder(tokens, FILE)
    monkeypatch.setattr("tokensync.dtcg.folder.read", None)
    second = read_folder(tokens, FILE)
    assert second.graph == first.graph
    assert second.graph.tokens[KEY].notations == first.graph.tokens[KEY].notations != ()


def test_a_graph_that_the_lock_decides_about_is_not_cached(tokens):
    path = f"{tokens}/{PATH}"
    with open(path, "wb") as file:
        file.write(content(srgb(0, 0, 0, hex="#ff0000"), "color"))
    for locked, chosen in ((BLACK, RED), (RED, BLACK), (BLACK, RED)):
        assert read_folder(tokens, FILE, locked=is_locked(locked)).graph.tokens[KEY].values == (chosen,)


def test_quantities_keep_their_unit():
    assert reading("1.5rem", "dimension")[0].tokens[KEY].values == (Quantity(1.5, "rem"),)
