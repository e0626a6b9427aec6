"""The roles of numbers, from their scopes."""

from __future__ import annotations

import pytest

from tokensync.tokens import Token, TokenKey


def token(kind, *scopes):
    return Token(key=TokenKey("f", "c", "t"), type=kind, values=(), scopes=scopes)


@pytest.mark.parametrize("scopes", [("OPACITY",), ("COLOR_OPACITY",), ("OPACITY", "COLOR_OPACITY")])
def test_a_number_for_opacities_alone_is_a_percentage(scopes):
    assert token("number", *scopes).is_percentage


@pytest.mark.parametrize("scopes", [(), ("ALL_SCOPES",), ("OPACITY", "GAP")])
def test_a_number_for_anything_else_is_none(scopes):
    assert not token("number", *scopes).is_percentage


def test_a_dimension_for_text_alone_is_a_text_measure():
    assert token("dimension", "FONT_SIZE", "LINE_HEIGHT").is_text_measure
    assert not token("dimension", "FONT_SIZE", "GAP").is_text_measure
    assert not token("dimension").is_text_measure
    assert not token("number", "FONT_SIZE").is_text_measure
