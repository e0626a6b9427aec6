"""Texts that name a font weight."""

import re
import time

import pytest
from graphs import alias, collection, graph, token
from shown_commands import ROOT

from tokensync.tokens import DEFAULT_THEME, Composite, Unresolved
from tokensync.tokens.composites import canonical
from tokensync.tokens.values import AS_TEXT, USUAL_NAMES, WEIGHTS, FontStyle, font_style, name_meant, weight_of


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("written", [str, str.upper, str.title, lambda each: each.replace("-", " ").title()])
def test_every_keyword_of_dtcg_is_a_weight_however_it_is_written(name, written):
    assert font_style(written(name)) == FontStyle(WEIGHTS[name])
    assert font_style(written(name).replace("-", "").replace(" ", "")) == FontStyle(WEIGHTS[name])
    assert font_style(written(name).replace("-", "_")) == FontStyle(WEIGHTS[name])


@pytest.mark.parametrize(
    ("text", "weight", "slant"),
    [
        ("Semibold Italic", 600, "italic"),
        ("SemiBoldItalic", 600, "italic"),
        ("semi_bold-italic", 600, "italic"),
        ("Bold Oblique", 700, "oblique"),
        ("Italic", 400, "italic"),
        ("oblique", 400, "oblique"),
        ("Regular Italic", 400, "italic"),
        ("600", 600, ""),
        ("350", 350, ""),
        ("1", 1, ""),
        ("1000", 1000, ""),
        ("600 Italic", 600, "italic"),
        ("600italic", 600, "italic"),
        ("  Bold ", 700, ""),
    ],
)
def test_a_slant_may_follow_and_a_whole_number_may_stand_for_the_name(text, weight, slant):
    assert font_style(text) == FontStyle(weight, slant)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "-", "Condensed", "Bold Condensed", "Italic Bold", "Italic Italic", "Roman", "55 Roman", "Demi"),
        *("0", "0600", "1001", "6 00", "600.5", "-600", "+600", "6e2", "700px", "６００", "Bold\n", "Bold\u00a0Italic"),
        *("BLAC\u212a", "ıtalic", "Bold!", "bold/italic", "{weight.bold}", "Bold" * 20, " " * 100, "Bold" + " " * 100),
    ],
)
def test_any_other_text_is_no_weight(text):
    assert font_style(text) is None
    assert weight_of(text) is None


def test_a_long_text_costs_no_time():
    before = time.process_time()
    assert font_style("- _" * 1_000_000) is None
    assert time.process_time() - before < 0.1


@pytest.mark.parametrize(("number", "weight"), [(600.0, 600.0), (0.5, None), (1000.5, None), (True, None)])
def test_a_number_is_a_weight_within_the_range(number, weight):
    assert weight_of(number) == weight


def test_the_usual_names_are_keywords_and_every_keywords_number_has_one():
    assert {WEIGHTS[name]: name for name in USUAL_NAMES.values()} == USUAL_NAMES
    assert set(WEIGHTS.values()) == set(USUAL_NAMES)
    assert list(USUAL_NAMES) == sorted(USUAL_NAMES)


@pytest.mark.parametrize(
    ("text", "meant"), [("Semibld", "Semi Bold"), ("Reguler", "Regular"), ("Condensed", ""), ("", ""), ("x" * 9000, "")]
)
def test_the_name_that_is_meant_is_found_for_a_text_that_is_almost_one(text, meant):
    assert name_meant(text) == meant


TYPE = collection("Type", "Light", "Dark")


def shown(made, name):
    key = token(TYPE, name, type=AS_TEXT).key
    return made.resolve(made.tokens[key], DEFAULT_THEME)


def test_a_weight_that_is_kept_as_text_resolves_to_its_number_through_aliases_too():
    made = graph(
        TYPE,
        token(TYPE, "bold", "Semi Bold Italic", type=AS_TEXT),
        token(TYPE, "heading", alias("Type", "bold"), type=AS_TEXT),
    )
    assert (shown(made, "bold"), shown(made, "heading")) == (600.0, 600.0)


def test_a_plain_text_that_refers_to_a_weight_shows_its_text_and_the_other_way_round_the_number():
    made = graph(
        TYPE,
        token(TYPE, "bold", "Bold Italic", type=AS_TEXT),
        token(TYPE, "label", alias("Type", "bold"), type="string"),
        token(TYPE, "again", alias("Type", "label"), type=AS_TEXT),
    )
    assert (shown(made, "label"), shown(made, "again")) == ("Bold Italic", 700.0)


def test_a_weight_that_leads_to_another_text_shows_nothing():
    made = graph(
        TYPE,
        token(TYPE, "width", "Condensed", type="string"),
        token(TYPE, "bold", alias("Type", "width"), type=AS_TEXT),
        token(TYPE, "own", "Condensed", type=AS_TEXT),
    )
    assert shown(made, "bold") == Unresolved("mismatch", "type / bold")
    assert shown(made, "own") == Unresolved("mismatch", "type / own")


def test_a_text_style_can_refer_to_a_weight_that_is_kept_as_text():
    bold = token(TYPE, "bold", "Extra Bold", type=AS_TEXT)
    style = {"fontFamily": "Inter", "fontWeight": "{type.bold}"}
    body = token(TYPE, "body", Composite(canonical(style), (("{type.bold}", bold.key),)), type="typography")
    assert shown(graph(TYPE, bold, body), "body") == Composite(canonical({**style, "fontWeight": 800}))


def test_the_page_of_outputs_lists_the_names_of_each_weight():
    page = (ROOT / "docs" / "outputs.md").read_text("utf-8")
    table = page.partition("| weight | names |\n| --- | --- |\n")[2].partition("\n\n")[0]
    listed = {int(weight): names.split(", ") for weight, names in re.findall(r"\| (\d+) \| (.+) \|", table)}
    expected = {}
    for name, weight in WEIGHTS.items():
        expected.setdefault(weight, []).append(name.replace("-", " "))
    assert listed == expected
