"""Numbers as float32, and their shortest decimals."""

import struct
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokensync.tokens import float32, shortest

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
