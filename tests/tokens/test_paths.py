"""Paths and the names in them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.mapping import name_of_path, path_of_id, path_of_name
from tokensync.tokens import TokenKey
from tokensync.tokens.paths import decoded, encoded, names, path_of

TEXT = st.text(alphabet=st.sampled_from("aA0%2EeF.{}$/ \x00é\n🎨"), max_size=12) | st.text(max_size=20)
LEGAL = re.compile(r"(?!\$)[^.{}]+", re.DOTALL)


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_names_come_back_from_their_path(parts):
    assert names(path_of(parts)) == tuple(parts)


@given(TEXT)
def test_each_encoded_name_is_legal_in_a_token_file(name):
    assert LEGAL.fullmatch(encoded(name))
    assert decoded(encoded(name)) == name


@given(TEXT)
def test_a_variable_name_comes_back_from_its_path(name):
    assert name_of_path(path_of_name(name)) == name


@given(TEXT, TEXT)
def test_two_names_never_share_a_path(one, other):
    assert (path_of_name(one) == path_of_name(other)) == (one == other)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("accent/base", "accent.base"),
        ("Space 50%, wide", "Space 50%, wide"),
        ("v1.2/{x}", "v1%2E2.%7Bx%7D"),
        ("$root/$type", "%24root.%24type"),
        ("price$", "price$"),
        ("50%20", "50%2520"),
        ("a//b", "a.%00.b"),
        ("/a/", "%00.a.%00"),
        ("", "%00"),
        ("/", "%00.%00"),
    ],
)
def test_what_a_token_name_may_not_hold_is_percent_encoded(name, path):
    assert path_of_name(name) == path


def test_an_id_is_a_path_of_one_name():
    assert names(path_of_id("VariableID:a/1:2.3")) == ("VariableID:a/1:2.3",)


def test_a_token_key_reads_as_collection_and_variable_name():
    assert str(TokenKey("kit", "theme", "accent.v1%2E2")) == "theme / accent/v1.2"
