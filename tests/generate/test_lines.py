"""Long expressions are split into several lines without other changes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate.notation import WIDTH, broken

LONG = "a" * 100
EXPRESSIONS = st.recursive(
    st.one_of(st.from_regex(r"[a-z]{1,30}", fullmatch=True), st.text().map(lambda text: f'"{escaped(text)}"')),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"f({', '.join(parts)})"),
    max_leaves=20,
)


def escaped(text):
    return re.sub(r'["\\\s]', r"\\\g<0>", text).replace("\n", "n")


def test_an_expression_that_fits_is_on_one_line():
    assert broken("f(a, b)", 113, 0, trailing=",") == "f(a, b)"
    assert broken("f(a, b)", 114, 0, trailing=",") == "f(\n    a,\n    b,\n)"


def test_arguments_that_are_too_long_are_split_as_well():
    assert broken(f"f(x: g({LONG}, 1), y: [2, 3])", 8, 4, trailing="") == "\n".join(
        ("f(", f"        x: g({LONG}, 1),", "        y: [2, 3]", "    )")
    )
    assert broken(f"f(x: g({LONG}, {LONG}))", 8, 4, trailing="") == "\n".join(
        ("f(", "        x: g(", f"            {LONG},", f"            {LONG}", "        )", "    )")
    )


def test_the_last_call_of_a_chain_is_split():
    assert broken(f"f(a, b).{LONG}(c, d)", 8, 0, trailing=",") == f"f(a, b).{LONG}(\n    c,\n    d,\n)"


def test_an_expression_without_arguments_is_not_split():
    for each in (f'"{LONG}, ({LONG})"', f"f({LONG}).{LONG}", f"{LONG}.{LONG}()"):
        assert broken(each, 0, 0, trailing=",") == each


@given(EXPRESSIONS)
def test_only_white_space_differs(expression):
    lines = broken(expression, WIDTH, 4, trailing="")
    assert re.sub(r"\s", "", lines) == re.sub(r"\s", "", expression)
