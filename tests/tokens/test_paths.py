"""Token paths, numbers and the roles that values have."""

import re
import struct
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokensync.mapping import name_of_path, path_of_id, path_of_name
from tokensync.tokens import Token, TokenKey, float32, shortest
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


def token(kind, *scopes):
    return Token(key=TokenKey("f", "c", "t"), type=kind, values=(), scopes=scopes)


def test_a_dimension_for_text_alone_is_a_text_measure():
    assert token("dimension", "FONT_SIZE", "LINE_HEIGHT").is_text_measure
    assert not token("dimension", "FONT_SIZE", "GAP").is_text_measure
    assert not token("dimension").is_text_measure
    assert not token("number", "FONT_SIZE").is_text_measure


SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)


def digits_of(text):
    return len(Decimal(text).normalize().as_tuple().digits)


def shortest_by_search(number):
    """The fewest digits of any decimal that is this float32: tries the two nearest decimals of each length."""
    for digits in range(1, 10):
        exponent = int(f"{number:.{digits - 1}e}".partition("e")[2])
        unit = Decimal(10) ** (exponent - digits + 1)
        lower = (Decimal(number) / unit).to_integral_value(rounding="ROUND_FLOOR")
        for count in (lower, lower + 1):
            try:
                if float32(float(count * unit)) == number:
                    return digits
            except OverflowError:
                continue
    raise AssertionError(number)


@given(SINGLES)
def test_the_decimal_parses_back_to_the_same_float32(number):
    assert float32(float(shortest(number))) == number


@given(SINGLES)
@example(2.0**-96)
@example(2.0**87)
@example(-(2.0**90))
@example(2.0**-149)
@example(float32(1.1754942e-38))
@example(3.4028234663852886e38)
def test_no_decimal_with_fewer_digits_is_the_same_float32(number):
    if number and abs(number) < 2**53 and number == int(number):
        return  # a whole number is written out
    assert digits_of(shortest(number)) <= shortest_by_search(number) or number == 0


@given(SINGLES)
def test_the_decimal_has_no_exponent(number):
    assert "e" not in shortest(number).lower()


def test_every_power_of_two_comes_back():
    for exponent in range(-149, 128):
        number = 2.0**exponent
        assert float32(float(shortest(number))) == number
        assert digits_of(shortest(number)) == shortest_by_search(number) or exponent in range(53)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.9, "0.9"), (16, "16"), (-0.5, "-0.5"), (0.00001, "0.00001"), (1 / 3, "0.33333334"), (-0.0, "0"), (1e20, None)],
)
def test_familiar_numbers_look_as_they_were_typed(number, text):
    assert shortest(float32(number)) == (text or "1" + "0" * 20)


def test_a_number_of_the_platform_is_shown_as_it_was_typed_there():
    assert shortest(0.8999999761581421) == "0.9"


def test_a_number_beyond_float32_has_no_float32():
    with pytest.raises(OverflowError):
        float32(3.5e38)


@given(st.floats(-1e38, 1e38))
def test_float32_is_what_four_bytes_hold(number):
    assert struct.pack("<f", float32(number)) == struct.pack("<f", number)
