"""Handles that every file system can hold, and types from scopes."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokensync.normalize.mapping import (
    KINDS,
    VARIABLE_TYPES,
    TypeRule,
    TypeRules,
    key_of_remote_id,
    slug,
    unique,
)
from tokensync.tokens.values import AS_TEXT

RESERVED = {"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
NAMES = st.text(max_size=90) | st.sampled_from(
    ["CON", "..", ".", "nul", "com¹", "LPT9", "a/b\\c", "x" * 300, "\ud800", ""]
)


@given(NAMES)
@example("ŉ" * 40)
@example("ǰΐ")
def test_a_slug_is_safe_as_a_file_name_everywhere(name):
    text = slug(name, "collection")
    assert re.fullmatch(r"[^\W_]+(-[^\W_]+)*", text)
    assert len(text.encode()) <= 64 + len("-collection")
    assert text not in RESERVED
    assert text == unicodedata.normalize("NFKC", text)


@given(NAMES)
def test_a_slug_is_case_folded(name):
    text = slug(name, "collection")
    assert text == unicodedata.normalize("NFKC", text.casefold())


@given(NAMES)
def test_a_slug_is_its_own_slug(name):
    text = slug(name, "collection")
    assert text.startswith(slug(text, "collection")[:40])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Color / Primitives", "color-primitives"),
        (".internal", "internal"),
        ("Größe", "grösse"),
        ("v1.2", "v1-2"),
        ("CON", "con-mode"),
        ("com0", "com0-mode"),
        ("lpt9", "lpt9-mode"),
        ("🎨", "mode"),
        ("", "mode"),
    ],
)
def test_familiar_names_give_familiar_slugs(name, text):
    assert slug(name, "mode") == text


def test_long_names_are_shortened_and_stay_distinct():
    one, other = slug("a" * 200, "mode"), slug("a" * 201, "mode")
    assert one != other
    assert len(one) <= 64


@given(st.lists(st.sampled_from(["a", "a-2", "a-3", "b", "a-2-2"]), max_size=40))
def test_names_made_unique_never_meet(wanted):
    taken = set()
    given_out = [unique(each, taken) for each in wanted]
    assert len(set(given_out)) == len(wanted)
    assert taken == set(given_out)


def test_the_first_keeps_its_name_and_the_next_ones_are_numbered():
    taken = set()
    assert [unique("a", taken) for _ in range(12)] == ["a", *(f"a-{number}" for number in range(2, 13))]


def test_twenty_thousand_equal_names_are_no_walk_each():
    class Counting(set):
        asked = 0

        def __contains__(self, name):
            self.asked += 1
            return super().__contains__(name)

    taken = Counting()
    for _ in range(20_000):
        unique("a", taken)
    assert taken.asked < 20_000 * 40


@pytest.mark.parametrize(
    ("resolved_type", "scopes", "kind"),
    [
        ("COLOR", ("ALL_SCOPES",), "color"),
        ("BOOLEAN", (), "boolean"),
        ("STRING", ("FONT_FAMILY",), "fontFamily"),
        ("STRING", ("FONT_STYLE",), AS_TEXT),
        ("STRING", ("FONT_WEIGHT",), AS_TEXT),
        ("STRING", ("FONT_STYLE", "FONT_WEIGHT"), AS_TEXT),
        ("STRING", ("FONT_FAMILY", "FONT_STYLE"), "string"),
        ("STRING", ("ALL_SCOPES",), "string"),
        ("STRING", ("TEXT_CONTENT",), "string"),
        ("STRING", ("FONT_FAMILY", "TEXT_CONTENT"), "string"),
        ("STRING", (), "string"),
        ("FLOAT", ("GAP",), "dimension"),
        ("FLOAT", ("WIDTH_HEIGHT", "GAP", "CORNER_RADIUS", "STROKE_FLOAT"), "dimension"),
        ("FLOAT", ("LINE_HEIGHT",), "dimension"),
        ("FLOAT", ("FONT_WEIGHT",), "fontWeight"),
        ("FLOAT", ("FONT_STYLE",), "fontWeight"),
        ("FLOAT", ("OPACITY",), "number"),
        ("FLOAT", ("COLOR_OPACITY",), "number"),
        ("FLOAT", ("FONT_VARIATIONS",), "number"),
        ("FLOAT", ("ALL_SCOPES",), "number"),
        ("FLOAT", ("GAP", "OPACITY"), "number"),
        ("FLOAT", ("GAP", "A_SCOPE_OF_TOMORROW"), "number"),
        ("FLOAT", (), "number"),
    ],
)
def test_a_variable_becomes_the_type_that_its_scopes_agree_on(resolved_type, scopes, kind):
    assert TypeRules().type_of(resolved_type, scopes, "a/b", "C") == kind


def test_a_teams_own_rule_comes_first():
    rules = TypeRules([TypeRule(type="dimension", path="space/*", collection="Base*")])
    assert rules.type_of("FLOAT", (), "space/s", "Base 2") == "dimension"
    assert rules.type_of("FLOAT", (), "space/s", "Other") == "number"
    assert rules.type_of("FLOAT", (), "size/s", "Base 2") == "number"


def test_a_rule_never_gives_a_type_of_another_kind_of_value():
    rules = TypeRules([TypeRule(type="dimension")])
    assert rules.type_of("COLOR", (), "a", "C") == "color"


def test_a_rule_may_want_a_type_and_scopes():
    rules = TypeRules([TypeRule(type="number", resolved_type="FLOAT", scopes=("GAP",))])
    assert rules.type_of("FLOAT", ("GAP",), "a", "C") == "number"
    assert rules.type_of("FLOAT", ("GAP", "WIDTH_HEIGHT"), "a", "C") == "dimension"


def test_a_rule_for_weights_makes_one_of_a_text_as_of_a_number():
    rules = TypeRules([TypeRule(type="fontWeight", path="weight/*")])
    assert rules.type_of("STRING", ("ALL_SCOPES",), "weight/a", "C") == AS_TEXT
    assert rules.type_of("FLOAT", ("ALL_SCOPES",), "weight/a", "C") == "fontWeight"
    assert rules.type_of("COLOR", ("ALL_SCOPES",), "weight/a", "C") == "color"


def test_a_rule_can_keep_a_weight_a_plain_text():
    rules = TypeRules([TypeRule(type="string", path="weight/*")])
    assert rules.type_of("STRING", ("FONT_STYLE",), "weight/a", "C") == "string"


@pytest.mark.parametrize(
    ("token_type", "name", "scopes"),
    [
        ("string", "label", ("ALL_SCOPES",)),
        ("string", "parcel/weight", ("TEXT_CONTENT",)),
        ("string", "font-family/label", ("TEXT_CONTENT",)),
        (AS_TEXT, "weight/bold", ("FONT_STYLE", "FONT_WEIGHT")),
        ("fontFamily", "font-family", ("FONT_FAMILY",)),
    ],
)
def test_the_scopes_of_a_new_text_give_it_its_type_whatever_its_name_says(token_type, name, scopes):
    assert TypeRules().scopes_of(token_type, name, "C") == scopes
    assert TypeRules().type_of("STRING", scopes, name, "C") == token_type


def test_every_kind_of_variable_has_a_token_type_and_back():
    assert {VARIABLE_TYPES[kind] for kind in KINDS.values()} == set(KINDS)


@pytest.mark.parametrize(
    ("identity", "key"),
    [("VariableID:0a1b/1:2", "0a1b"), ("VariableCollectionId:0a1b/1:2", "0a1b"), ("VariableID:1:2", ""), ("", "")],
)
def test_a_remote_id_tells_its_key(identity, key):
    assert key_of_remote_id(identity) == key
