"""The roles of numbers, from their scopes."""

from tokensync.tokens import Token, TokenKey


def token(kind, *scopes):
    return Token(key=TokenKey("f", "c", "t"), type=kind, values=(), scopes=scopes)


def test_a_dimension_for_text_alone_is_a_text_measure():
    assert token("dimension", "FONT_SIZE", "LINE_HEIGHT").is_text_measure
    assert not token("dimension", "FONT_SIZE", "GAP").is_text_measure
    assert not token("dimension").is_text_measure
    assert not token("number", "FONT_SIZE").is_text_measure
