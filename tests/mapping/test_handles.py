"""Handles: names that every file system can hold."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokensync.mapping import slug, unique

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
