"""Literals by type and unit: what a written value means, and what is refused instead of filled with a default."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from migrate.sources import read, source_of, theme_of, token

from tokensync.migrate.evaluation.literals import kind_of
from tokensync.migrate.evaluation.themes import themes_of
from tokensync.migrate.evaluation.token_value import reading_of
from tokensync.migrate.evaluation.values import AliasTo, Flattened, Reading, Refused
from tokensync.tokens import Color, Composite, Quantity, hexadecimal
from tokensync.tokens.values import AS_TEXT

REFUSED = None


@pytest.mark.parametrize(
    ("token_type", "written", "wanted", "dtcg_type"),
    [
        ("opacity", 0, 0, "number"),
        ("opacity", 1, 100, "number"),
        ("opacity", 0.5, 50, "number"),
        ("opacity", "0.5", 50, "number"),
        ("opacity", "50%", 50, "number"),
        ("opacity", "5", 5, "number"),
        ("opacity", "100%", 100, "number"),
        ("lineHeights", 1.5, 1.5, "number"),
        ("lineHeights", "150%", 1.5, "number"),
        ("lineHeights", "1.5em", 1.5, "number"),
        ("lineHeights", "24px", 24, "dimension"),
        ("lineHeights", 24, 24, "dimension"),
        ("lineHeights", "1.5rem", Quantity(1.5, "rem"), "dimension"),
        ("letterSpacing", "-1%", "-0.01em", "css"),
        ("letterSpacing", "0%", 0, "dimension"),
        ("letterSpacing", "0.02em", "0.02em", "css"),
        ("spacing", "clamp(1rem, 2vw, 3rem)", "clamp(1rem, 2vw, 3rem)", "css"),
        ("", "min(100%, 60rem)", "min(100%, 60rem)", "css"),
        ("other", "ease-in-out", "ease-in-out", "css"),
        ("string", "ease-in-out", "ease-in-out", "string"),
        ("letterSpacing", "-0.5px", -0.5, "dimension"),
        ("letterSpacing", "0", 0, "dimension"),
        ("fontWeights", "Semi Bold Italic", "Semi Bold Italic", AS_TEXT),
        ("fontWeights", "600", 600, "fontWeight"),
        ("fontWeights", 600, 600, "fontWeight"),
        ("fontWeights", "Display", "Display", "string"),
        ("fontWeight", "semi-bold", 600, "fontWeight"),
        ("fontWeight", "Semi Bold", "Semi Bold", AS_TEXT),
        ("fontFamilies", "Inter", "Inter", "fontFamily"),
        ("fontFamilies", "'Helvetica Neue', Arial", Composite('["Helvetica Neue","Arial"]'), "fontFamily"),
        ("fontFamily", ["Inter", "Arial"], Composite('["Inter","Arial"]'), "fontFamily"),
        ("fontFamily", ["Inter"], "Inter", "fontFamily"),
        ("dimension", "0", 0, "dimension"),
        ("dimension", {"value": 4, "unit": "px"}, 4, "dimension"),
        ("dimension", {"value": "0.5", "unit": "rem"}, Quantity(0.5, "rem"), "dimension"),
        ("sizing", 0, 0, "dimension"),
        ("sizing", "0.001", 0.001, "dimension"),
        ("spacing", "1.5rem", Quantity(1.5, "rem"), "dimension"),
        ("spacing", "1.5em", Quantity(1.5, "rem"), "dimension"),
        ("spacing", "12dp", 12, "dimension"),
        ("spacing", "12pt", 16, "dimension"),
        ("spacing", "16sp", Quantity(1, "rem"), "dimension"),
        ("number", "4px", 4, "dimension"),
        ("number", "50%", 0.5, "number"),
        ("number", "0.5", 0.5, "number"),
        ("z-index", 10, 10, "number"),
        ("duration", "350ms", Quantity(350, "ms"), "duration"),
        ("duration", "0.35s", Quantity(0.35, "s"), "duration"),
        ("duration", {"value": 200, "unit": "ms"}, Quantity(200, "ms"), "duration"),
        ("duration", 0, Quantity(0, "ms"), "duration"),
        ("time", "2min", Quantity(120, "s"), "duration"),
        ("boolean", "true", True, "boolean"),
        ("boolean", False, False, "boolean"),
        ("boolean", 1, True, "boolean"),
        ("text", "4px", "4px", "string"),
        ("text", 4, "4", "string"),
        ("text", True, "true", "string"),
        ("text", "", "", "string"),
        ("textCase", "uppercase", "uppercase", "string"),
        ("txtDecoration", "underline", "underline", "string"),
        ("icon", "arrow", "arrow", "string"),
        ("asset", "https://example.com/a.png", "https://example.com/a.png", "string"),
        ("other", "4px", 4, "dimension"),
        ("other", "anything", "anything", "string"),
        ("component", "12", 12, "number"),
        ("", "1.5rem", Quantity(1.5, "rem"), "dimension"),
        ("", "350ms", Quantity(350, "ms"), "duration"),
        ("", "2xl", "2xl", "string"),
        ("", 4, 4, "number"),
        ("", True, True, "boolean"),
        ("", "true", "true", "string"),
        ("", "none", "none", "string"),
        ("", "Bold", "Bold", "string"),
        ("", "#1 choice", "#1 choice", "string"),
        ("", "colors(3)", "colors(3)", "string"),
        ("string", "#12345", "#12345", "string"),
    ],
)
def test_a_type_and_a_unit_decide_what_a_value_means(token_type, written, wanted, dtcg_type):
    reading = read(token_type, written)
    assert reading.type == dtcg_type
    assert type(reading.literal) is (float if type(wanted) is int else type(wanted))
    if isinstance(wanted, Quantity):
        assert (reading.literal.number, reading.literal.unit) == (pytest.approx(wanted.number), wanted.unit)
    else:
        assert reading.literal == (pytest.approx(wanted) if type(wanted) in (int, float) else wanted)


@pytest.mark.parametrize(
    ("token_type", "written", "reason"),
    [
        ("lineHeights", "AUTO", "AUTO depends on the font, and is no number"),
        ("letterSpacing", "AUTO", "AUTO depends on the font, and is no number"),
        ("opacity", "150%", "the opacity '150%' is not from 0 to 100 %"),
        ("opacity", -0.5, "the opacity '-0.5' is not from 0 to 100 %"),
        ("opacity", "4px", "'4px' is not an opacity"),
        ("opacity", "", "its value is empty"),
        ("spacing", "50%", "'50%' depends on where it is used, and a variable holds pixels"),
        ("spacing", "100vw", "'100vw' depends on where it is used, and a variable holds pixels"),
        ("spacing", "4furlongs", "'4furlongs' has a unit that is not a length"),
        ("spacing", "auto", "'auto' is not a length"),
        ("spacing", True, "'true' is not a length"),
        ("fontWeights", 1200, "'1200' is not a font weight from 1 to 1000"),
        ("duration", 200, "the duration '200' has no unit"),
        ("duration", "4px", "'4px' is not a duration"),
        ("boolean", "maybe", "'maybe' is not a boolean"),
        ("fontFamily", ["Inter", 4], "it is not a list of font names"),
        ("fontFamily", [], "it is not a list of font names"),
        ("number", [1, 2], "it has 2 values, and a variable holds one"),
        ("number", {"a": 1}, "it is an object with a"),
        ("dimension", {"value": "4px", "unit": "rem"}, "it is an object with value, unit"),
        ("", {}, "it is an object with nothing in it"),
        ("", None, "it has no value"),
        ("", "  ", "its value is empty"),
        ("", "#12345", "'#12345' looks like a colour, and cannot be read as one"),
        ("", "rgb(300, x, 4)", "'rgb(300, x, 4)' looks like a colour, and cannot be read as one"),
        ("", "RGBA(0,0,0,.5", "'RGBA(0,0,0,.5' looks like a colour, and cannot be read as one"),
        ("", "50%", "'50%' depends on where it is used, and a variable holds pixels"),
        ("", "inherit", "inherit is a keyword that takes the colour from elsewhere, not a colour"),
        ("number", 10**400, "the number is too large"),
        ("dimension", {"value": 10**400, "unit": "px"}, "the number is too large"),
        ("number", "1e400", "'1e400' is too large"),
    ],
)
def test_what_no_variable_can_hold_is_refused_with_the_reason(token_type, written, reason):
    assert read(token_type, written).value == Refused(reason)


@pytest.mark.parametrize(
    ("token_type", "written", "note"),
    [
        ("opacity", "5", "5 is read as 5 %"),
        ("lineHeights", "150%", "150% is the multiple 1.5 of the font size, and only code reads it so"),
        ("fontFamilies", "Inter, Arial", "Figma gets the first of the fonts Inter, Arial; code gets all of them"),
        ("spacing", "1.5em", "1.5em is read as 1.5rem"),
        ("spacing", "12pt", "12pt is 16 px"),
        ("number", "50%", "50% is the fraction 0.5"),
        ("spacing", "4px * 2", "calculated from '4px * 2'"),
        ("fontWeights", "Display", "'Display' names no weight"),
    ],
)
def test_what_changes_on_the_way_is_noted(token_type, written, note):
    assert read(token_type, written).notes == (note,)


def test_only_opacities_are_percentages():
    assert read("opacity", 0.5).is_percentage
    assert not read("number", 0.5).is_percentage


@pytest.mark.parametrize("path", ["opacity.half", "button.hoverOpacity", "disabled-opacity"])
@pytest.mark.parametrize("token_type", ["number", ""])
def test_a_number_that_is_named_as_an_opacity_is_a_percentage(path, token_type):
    assert theme_of({"a": {path: (token_type, 0.5)}}).literal(path) == 50


def test_the_opacity_of_a_variable_is_a_percentage_already():
    assert kind_of(token("opacity.low", 1, "number", id="VariableID:1:2")) == "number"
    assert kind_of(token("low", 1, "number", scopes=("OPACITY",), key="k")) == "percentage"
    assert kind_of(token("low", 0.5, "number", scopes=("OPACITY",))) == "opacity"
    one_percent = reading_of(token("low", 1, "number", scopes=("OPACITY",), key="k"))
    assert (one_percent.literal, one_percent.is_percentage) == (1.0, True)


def test_a_colour_that_is_named_as_an_opacity_stays_one():
    assert type(theme_of({"a": {"opacity.black": ("", "#00000080")}}).literal("opacity.black")) is Color


@pytest.mark.parametrize("written", ["{half}", " {half} "])
def test_an_opacity_that_refers_to_a_fraction_is_a_literal_percentage(written):
    reading = read("opacity", written, {"half": ("number", 0.5)})
    assert reading.value == Flattened(50.0, 1, "{half} is a number, and an opacity a percentage")


@pytest.mark.parametrize("number", [0, 5])
def test_an_opacity_that_refers_to_a_number_with_the_same_value_is_an_alias(number):
    reading = read("opacity", "{x}", {"x": ("number", number)})
    assert (reading.value, reading.literal, reading.is_percentage) == (AliasTo("x"), number, True)


def test_a_number_that_refers_to_an_opacity_is_an_alias():
    reading = read("number", "{half}", {"half": ("opacity", 0.5)})
    assert (reading.value, reading.is_percentage) == (AliasTo("half"), True)


@pytest.mark.parametrize(
    ("written", "wanted"), [(["{inter}", "Arial"], AliasTo("inter")), ("{inter}, Arial", AliasTo("inter"))]
)
def test_the_first_of_several_fonts_can_be_a_reference(written, wanted):
    reading = read("fontFamily", written, {"inter": ("fontFamily", "Inter")})
    assert (reading.value, reading.literal) == (wanted, "Inter")
    assert reading.notes


@pytest.mark.parametrize(
    ("written", "wanted"), [("rgba({c}, {o})", "#33669980"), ("oklch({c} / calc({o} / 2))", "#33669940")]
)
def test_a_percentage_that_is_no_variable_still_counts_in_an_expression(written, wanted):
    reading = read("color", written, {"c": ("color", "#336699"), "o": ("", "50%")})
    assert hexadecimal(reading.literal) == wanted


def test_an_expression_of_lengths_that_depend_on_the_window_is_refused():
    reason = "'50vw' depends on where it is used, and a variable holds pixels"
    assert read("spacing", "{w} / 2", {"w": ("", "100vw")}).value == Refused(reason)


def test_a_unit_beside_a_reference_to_a_number_makes_it_a_length():
    reading = read("dimension", {"value": "{four}", "unit": "px"}, {"four": ("number", 4)})
    assert (reading.literal, reading.type, reading.value.aliases) == (4.0, "dimension", 1)


@pytest.mark.parametrize(("base", "wanted"), [(None, Quantity(1.5, "rem")), (10, 15), ("{size}", 30)])
def test_a_base_font_size_turns_rem_into_pixels(base, wanted):
    tokens = {"own": ("spacing", "1.5rem"), "size": ("fontSizes", "20px"), "twice": ("spacing", "{own} * 2")}
    theme = theme_of({"a": tokens}, base_font_size=base)
    assert theme.literal("own") == wanted
    assert theme.literal("twice") == (Quantity(3, "rem") if base is None else wanted * 2)


def test_each_theme_has_its_own_base_font_size():
    sets = {"s": {"size": ("number", 10)}, "l": {"size": ("number", 20)}, "own": {"x": ("spacing", "2rem")}}
    themes = themes_of(source_of(sets, {"m/s": ["s", "own"], "m/l": ["l", "own"]}), "{size}")
    assert [each.literal("x") for each in themes] == [20, 40]


def test_a_base_font_size_that_is_no_number_refuses_lengths_in_rem_only():
    theme = theme_of({"a": {"x": ("spacing", "2rem"), "y": ("spacing", "2px")}}, base_font_size="{gone}")
    assert theme.value("x") == Refused("the base font size '{gone}' is not a number of pixels")
    assert theme.literal("y") == 2


def test_texts_that_multiply_through_references_are_refused_in_time():
    tokens = {"t0": ("text", "ha" * 5)} | {f"t{n + 1}": ("text", f"{{t{n}}}" * 10) for n in range(20)}
    theme = theme_of({"a": tokens})
    assert theme.literal("t3") == "ha" * 5000
    reason = "the text is longer than 10,000 characters with the values of its references"
    assert theme.value("t4") == Refused(reason)
    assert theme.value("t20").reason.endswith(reason)


@pytest.mark.parametrize("token_type", ["spacing", "color", "number", "fontFamilies", "text", "boxShadow", ""])
@pytest.mark.parametrize("text", ["1", "{a.", "a.", "(", "rgb(", " ", "{a}", "$a", "-", "#", "1 2 3,"])
def test_long_texts_are_read_or_refused_in_time(token_type, text):
    reading = read(token_type, text * 100_000, {"a": ("number", 1)})
    assert reading.type or reading.value.reason


def test_a_long_reference_is_refused():
    assert "is longer than 4,000 characters" in read("", "{" + "a." * 500_000 + "}").value.reason


def test_what_does_not_depend_on_the_theme_is_evaluated_once():
    source = source_of({"core": {"x": ("color", "#fff")}, "own": {"y": "{x}"}}, {"A": ["core"], "B": ["core", "own"]})
    first, second = themes_of(source)
    assert first.reading("x") is second.reading("x")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text("{}$#%.,()/ abrpx019", max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("valueitx$", max_size=5), inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(
    "color opacity spacing number lineHeights letterSpacing fontWeights fontWeight fontFamilies duration boolean text"
    " typography border composition boxShadow gradient transition cubicBezier strokeStyle other nonsense".split()
)
LITERALS = (bool, float, str, Color, Quantity, Composite)


@given(TYPES | st.just(""), JSON, JSON)
def test_no_value_raises_and_each_has_a_literal_or_a_reason(token_type, value, modify):
    extensions = {"studio.tokens": {"modify": modify}}
    theme = theme_of({"a": {"a": ("number", 4), "b": ("color", "#336699"), "own": (token_type, value, extensions)}})
    reading = theme.reading("own")
    if isinstance(reading.literal, Refused):
        assert reading.literal.reason
    else:
        assert type(reading.literal) in LITERALS
        assert reading.type
    if isinstance(reading.value, Refused):
        assert reading.value.reason


@given(TYPES | st.just(""), JSON)
def test_what_is_read_without_a_theme_is_the_same_in_every_theme(token_type, value):
    known = reading_of(token("own", value, token_type))
    if isinstance(known, Reading):
        assert read(token_type, value) == known


def test_a_weight_is_known_by_its_name_and_black_is_a_colour_elsewhere():
    theme = theme_of(
        {
            "a": {
                "black-font-weight": ("", "black"),
                "heading.fontWeight": ("", "{black-font-weight}"),
                "weight.color": ("", "red"),
                "black": ("", "black"),
            }
        }
    )
    assert [theme.literal(each) for each in ("black-font-weight", "heading.fontWeight")] == ["black", "black"]
    assert theme.reading("black-font-weight").type == AS_TEXT
    assert type(theme.literal("weight.color")) is type(theme.literal("black")) is Color


def test_a_list_of_fonts_without_a_type_is_known_by_its_name():
    values = "'Open Sans', Arial, sans-serif"
    found = theme_of({"set": {"fontFamilyBase": values, "font.family": "Inter", "families": values}})
    assert [found.reading(path).type for path in ("fontFamilyBase", "font.family", "families")] == [
        "fontFamily",
        "string",
        "string",
    ]
