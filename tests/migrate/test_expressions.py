"""Math in values: operators, functions, units, rounding, and texts with references."""

from contextlib import suppress
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st
from migrate.sources import read

from tokensync.code.literals import Number
from tokensync.migrate.evaluation.expressions import BadExpression, evaluated
from tokensync.migrate.evaluation.values import Flattened, Refused
from tokensync.tokens import Quantity

NUMBERS = {
    "a": ("spacing", "8px"),
    "b": ("number", "1.5"),
    "c": ("number", 2),
    "rem": ("spacing", "0.5rem"),
    "half": ("opacity", "50%"),
    "text": ("text", "wide"),
}


@pytest.mark.parametrize(
    ("token_type", "written", "wanted"),
    [
        ("spacing", "{a}*2", 16),
        ("spacing", "{a} * 0.5", 4),
        ("spacing", "{c} * 0.5rem", Quantity(1, "rem")),
        ("spacing", "{rem} * 3", Quantity(1.5, "rem")),
        ("spacing", "roundTo({a}*{b}^2, 1)", 18),
        ("number", "roundTo({b} / 7, 2)", 0.21),
        ("number", "floor({a} / {b} * {c} * 2)", 21),
        ("spacing", "min({a}*2,{rem} * 0 + 1rem)", None),
        ("spacing", "min({a}*2, 10px)", 10),
        ("spacing", "calc({a} + {a})", 16),
        ("spacing", "-{a}", -8),
        ("spacing", "0 - -{a}", 8),
        ("spacing", "({a} + 4) * (2 - 1)", 12),
        ("spacing", "{a} + 4px", 12),
        ("spacing", "{a} + 4", 12),
        ("lineHeights", "{a} / 4px", 2),
        ("spacing", "max({a}, 2px, 12px)", 12),
        ("spacing", "clamped({a}, 10px, 20px)", 10),
        ("number", "lerp(0.25, 0, {c})", 0.5),
        ("number", "norm({b}, 1, {c})", 0.5),
        ("number", "round({b}) + ceil(0.1) + abs(-1)", 4),
        ("fontWeights", "{c} * 300", 600),
        ("opacity", "{half} * 0.5", 25),
        ("number", "{half} * 2", 1),
        ("", "{a} * 2", 16),
        ("", "{c}px", 2),
        ("", "{c} * 0.5rem", Quantity(1, "rem")),
    ],
)
def test_an_expression_with_references_is_a_literal(token_type, written, wanted):
    reading = read(token_type, written, NUMBERS)
    if wanted is None:
        assert reading.value == Refused("it mixes units: px and rem")
    else:
        assert reading.literal == pytest.approx(wanted) if isinstance(wanted, float) else reading.literal == wanted
        assert reading.value == Flattened(reading.literal, written.count("{"), reading.value.reason)
        assert repr(written)[:20].rstrip("'") in reading.value.reason


@pytest.mark.parametrize(
    ("token_type", "written", "wanted"),
    [
        ("spacing", "4px * 2", 8),
        ("number", "00", 0),
        ("number", "1e3", 1000),
        ("number", "1/3", 0.333),
        ("number", "0.0625 * 1", 0.063),
        ("spacing", "0.1rem*3", Quantity(0.3, "rem")),
        ("spacing", "10px / 3", 10 / 3),
        ("number", "sample(cubicBezier1D(0.2, 0.8), 0.5)", 0.5),
        ("number", "-2^2", -4),
        ("number", "2^3^2", 512),
        ("number", "2^-1", 0.5),
        ("number", "1 + 2 * 3 - 4 / 2", 5),
        ("", "calc(1px + 2px)", 3),
        ("spacing", "CALC(1px)", None),
    ],
)
def test_an_expression_of_constants_is_calculated(token_type, written, wanted):
    found = read(token_type, written).literal
    if wanted is None:
        assert isinstance(found, Refused)
    elif isinstance(wanted, Quantity):
        assert (found.number, found.unit) == (pytest.approx(wanted.number), wanted.unit)
    else:
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("token_type", "written", "reason"),
    [
        ("spacing", "10px + 1rem", "it mixes units: px and rem"),
        ("spacing", "{a} + {rem}", "it mixes units: px and rem"),
        ("spacing", "calc(100% - {a})", "it mixes units: % and px"),
        ("number", "{c} / 0", "it divides by 0"),
        ("number", "0 ^ -1", "it divides by 0"),
        ("number", "sqrt(-1)", "sqrt has no result for these numbers"),
        ("number", "(-1) ^ 0.5", "it is a root of a negative number"),
        ("number", "roundTo(1, 2, 3)", "roundTo has 3 arguments"),
        ("number", "cubicBezier1D(0, 1)", "cubicBezier1D is a curve; write sample(cubicBezier1D(...), x)"),
        ("spacing", "{a} {a}", "it has 2 values ('8px 8px'), and a variable holds one"),
        ("spacing", "{a}, {a}", "'8px, 8px' is not a length"),
        ("spacing", "4px 8px", "it has 2 values ('4px 8px'), and a variable holds one"),
        ("number", "{text} * 2", "'wide * 2' is not a number"),
        ("number", "nothing(1)", "'nothing(1)' is not a number"),
        ("number", "1 +", "'1 +' is not a number"),
        ("number", "9^9^9", "the result is too large"),
    ],
)
def test_an_expression_without_a_result_is_refused_with_the_reason(token_type, written, reason):
    assert read(token_type, written, NUMBERS).value == Refused(reason)


def test_several_references_in_a_text_become_a_text():
    reading = read("text", "{c} of {a}", NUMBERS)
    assert reading.value == Flattened("2 of 8px", 2, "the references are parts of the text '{c} of {a}'")


def test_several_references_without_a_type_become_a_text():
    assert read("", "{a} {rem}", NUMBERS).value.value == "8px 0.5rem"


def test_math_is_not_evaluated_in_a_text():
    assert read("text", "2 * 3").literal == "2 * 3"
    assert read("", "2 * 3").literal == "2 * 3"


def test_deep_parentheses_and_long_texts_end_without_recursion():
    assert evaluated(["(" * 4000 + "1" + ")" * 4000]) == Number(1.0)
    assert evaluated(["1+" * 20_000 + "1"]) is None


@given(st.text("0123456789.+-*/^(), pxrem%{}$amind", max_size=30))
def test_no_text_raises_anything_but_a_reason(text):
    with suppress(BadExpression):
        found = evaluated([text])
        assert found is None or isfinite(found.value)


@given(st.lists(st.tuples(st.sampled_from("+-*/"), st.integers(1, 99)), min_size=1, max_size=8), st.integers(1, 99))
def test_precedence_is_that_of_arithmetic(steps, first):
    text = f"{first}" + "".join(f" {sign} {number}" for sign, number in steps)
    assert evaluated([text]).value == pytest.approx(eval(text), abs=0.0006)
