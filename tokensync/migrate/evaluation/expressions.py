"""Math in values: the operators and functions of Tokens Studio (expr-eval and its own), and units.

The text is never executed: it is read by precedence of operators, without recursion. A unit is carried along: numbers
without one take that of the other operand, and numbers with different units have no result.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

from tokensync.code.literals import Number

_LONGEST = 10_000
"""Characters of an expression."""
_DIGITS = Decimal("0.001")
"""The digits of a result without a unit."""
_LEXEME = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?P<unit>%|[A-Za-z]+)?"
    r"|(?P<name>[A-Za-z_]\w*)(?=\s*\()|(?P<symbol>[-+*/^(),]))"
)


class BadExpression(Exception):
    """An expression without a result; the message is the reason."""


class _Curve(NamedTuple):
    """The one-dimensional curve of ``cubicBezier1D``, for ``sample``."""

    first: float
    second: float


_Operand = Number | _Curve

_BINARY = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
"""The precedence of each operator. ``^`` is evaluated from the right, and before a sign in front of it."""
_SIGN = 3


def evaluated(parts: Iterable[str | Number]) -> Number | None:
    """Return the result of an expression, of which some operands are given as numbers; None for other texts.

    A result without a unit is rounded to three digits. Raises BadExpression if there is no result, for instance because
    units differ.
    """
    given = tuple(parts)
    if sum(len(each) for each in given if isinstance(each, str)) > _LONGEST:
        return None
    machine = _Machine()
    try:
        for lexeme in _lexemes(given):
            machine.take(lexeme)
        result = machine.result()
    except _NotMath:
        return None
    except OverflowError:
        raise BadExpression("the result is too large") from None
    if not math.isfinite(result.value):
        raise BadExpression("the result is not a finite number")
    if result.unit or result.value == int(result.value):
        return result
    return Number(float(Decimal(result.value).quantize(_DIGITS, ROUND_HALF_UP)))


class _NotMath(Exception):
    """A text that is not an expression."""


def _lexemes(parts: tuple[str | Number, ...]) -> Iterator[Number | str]:
    """Yield numbers, operators, parentheses, commas, and names of functions with a parenthesis at their end."""
    for part in parts:
        if isinstance(part, Number):
            yield part
        else:
            yield from _lexemes_of(part)


@lru_cache(maxsize=4096)
def _lexemes_of(text: str) -> tuple[Number | str, ...]:
    found: list[Number | str] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _LEXEME.match(text, at)
        if match is None:
            raise _NotMath
        at = match.end()
        if match["number"] is not None:
            found.append(Number(float(match["number"]), match["unit"] or ""))
        else:
            found.append(match["symbol"] or f"{match['name']}(")
    return tuple(found)


class _Frame(NamedTuple):
    """An open parenthesis: the function that it belongs to, and the depth of operands at its start."""

    function: str
    depth: int


class _Machine:
    """Evaluates an expression while it is read."""

    def __init__(self) -> None:
        self._operands: list[_Operand] = []
        self._operators: list[str | _Frame] = []
        self._after_operand = False
        self._name = ""

    def take(self, lexeme: Number | str) -> None:
        """Read the next part. Raises _NotMath and BadExpression."""
        if isinstance(lexeme, Number):
            self._expect(after_operand=False)
            self._operands.append(lexeme)
            self._after_operand = True
        elif lexeme.endswith("(") and lexeme != "(":
            self._expect(after_operand=False)
            self._name = lexeme[:-1]
        elif lexeme == "(":
            self._expect(after_operand=False)
            self._operators.append(_Frame(self._name, len(self._operands)))
            self._name = ""
        elif lexeme in (")", ","):
            self._close(lexeme)
        elif not self._after_operand:
            if lexeme not in ("+", "-"):
                raise _NotMath
            self._operators.append(f"sign{lexeme}")
        else:
            self._reduce(_BINARY[lexeme] + (lexeme == "^"))
            self._operators.append(lexeme)
            self._after_operand = False

    def result(self) -> Number:
        """Return the value of the whole expression."""
        self._expect(after_operand=True)
        self._reduce(0)
        if self._operators or len(self._operands) != 1:
            raise _NotMath
        return _number(self._operands[0])

    def _expect(self, *, after_operand: bool) -> None:
        if self._after_operand is not after_operand:
            raise _NotMath

    def _close(self, lexeme: str) -> None:
        self._expect(after_operand=True)
        self._reduce(0)
        if not self._operators:
            raise _NotMath
        frame = self._operators[-1]
        if lexeme == "," and isinstance(frame, _Frame) and frame.function:
            self._after_operand = False
        elif lexeme == ")" and isinstance(frame, _Frame):
            self._operators.pop()
            arguments = self._operands[frame.depth :]
            del self._operands[frame.depth :]
            self._operands.append(_called(frame.function, arguments))
        else:
            raise _NotMath

    def _reduce(self, lowest: int) -> None:
        """Apply the operators on the stack with at least this precedence, back to the last open parenthesis."""
        while self._operators and isinstance(symbol := self._operators[-1], str):
            is_sign = symbol.startswith("sign")
            if (_SIGN if is_sign else _BINARY[symbol]) < lowest:
                return
            self._operators.pop()
            right = _number(self._operands.pop())
            if is_sign:
                self._operands.append(Number(-right.value if symbol == "sign-" else right.value, right.unit))
            else:
                self._operands.append(_applied(symbol, _number(self._operands.pop()), right))


def _number(operand: _Operand) -> Number:
    if isinstance(operand, _Curve):
        raise BadExpression("cubicBezier1D is a curve; write sample(cubicBezier1D(...), x)")
    return operand


def _applied(symbol: str, left: Number, right: Number) -> Number:
    if symbol == "/" and right.value == 0:
        raise BadExpression("it divides by 0")
    unit = "" if symbol == "/" and left.unit == right.unit else _unit((left, right))
    if symbol == "^":
        return Number(_power(left.value, right.value), left.unit)
    return Number(_OPERATIONS[symbol](left.value, right.value), unit)


def _power(base: float, exponent: float) -> float:
    try:
        result: float | complex = base**exponent
    except ZeroDivisionError:
        raise BadExpression("it divides by 0") from None
    if isinstance(result, complex):
        raise BadExpression("it is a root of a negative number")
    return result


def _unit(numbers: Iterable[Number]) -> str:
    """Return the one unit of numbers. Raises BadExpression for several."""
    units = dict.fromkeys(number.unit for number in numbers if number.unit)
    if len(units) > 1:
        raise BadExpression(f"it mixes units: {' and '.join(units)}")
    return next(iter(units), "")


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _rounded(value: float, digits: float = 0) -> float:
    """Round half up, as JavaScript does, at the digits that the number is written with."""
    if not math.isfinite(value) or not -300 <= digits <= 300:
        raise BadExpression("the number of digits is out of range")
    scaled = Decimal(repr(float(value))).scaleb(int(digits))
    return float((scaled + Decimal("0.5")).to_integral_value(ROUND_FLOOR).scaleb(-int(digits)))


def _norm(value: float, start: float, end: float) -> float:
    if end == start:
        raise BadExpression("it divides by 0")
    return (value - start) / (end - start)


_FUNCTIONS: dict[str, tuple[Callable[..., float], int, int]] = {
    "": (float, 1, 1),
    "calc": (float, 1, 1),
    "roundTo": (_rounded, 1, 2),
    "round": (_rounded, 1, 1),
    "floor": (math.floor, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "trunc": (math.trunc, 1, 1),
    "abs": (abs, 1, 1),
    "sqrt": (math.sqrt, 1, 1),
    "log": (math.log, 1, 1),
    "ln": (math.log, 1, 1),
    "log10": (math.log10, 1, 1),
    "exp": (math.exp, 1, 1),
    "sin": (math.sin, 1, 1),
    "cos": (math.cos, 1, 1),
    "tan": (math.tan, 1, 1),
    "pow": (_power, 2, 2),
    "min": (lambda *values: min(values), 1, 1000),
    "max": (lambda *values: max(values), 1, 1000),
    "hypot": (math.hypot, 1, 1000),
    "clamped": (lambda value, lowest, highest: max(min(value, highest), lowest), 3, 3),
    "clamp": (lambda lowest, value, highest: max(min(value, highest), lowest), 3, 3),
    "lerp": (lambda share, start, end: start + (end - start) * share, 3, 3),
    "norm": (_norm, 3, 3),
}
"""The functions, and the fewest and most arguments of each. ``clamp`` is that of CSS."""


def _called(name: str, arguments: list[_Operand]) -> _Operand:
    if name == "sample":
        return _sampled(arguments)
    numbers = [_number(argument) for argument in arguments]
    if name == "cubicBezier1D" and len(numbers) == 2:
        return _Curve(numbers[0].value, numbers[1].value)
    if name not in _FUNCTIONS:
        if name in ("sample", "cubicBezier1D"):
            raise BadExpression(f"{name} has {len(numbers)} arguments")
        raise _NotMath
    function, fewest, most = _FUNCTIONS[name]
    if not fewest <= len(numbers) <= most:
        raise BadExpression(f"{name} has {len(numbers)} arguments")
    measured = numbers[:1] if name in ("roundTo", "pow") else numbers
    try:
        value = function(*(number.value for number in numbers))
    except ValueError:
        raise BadExpression(f"{name} has no result for these numbers") from None
    return Number(float(value), "" if name == "norm" else _unit(measured))


def _sampled(arguments: list[_Operand]) -> Number:
    if len(arguments) != 2 or not isinstance(curve := arguments[0], _Curve):
        raise BadExpression("sample needs a cubicBezier1D(...) and a number")
    at = _number(arguments[1]).value
    left = 1 - at
    return Number(3 * left**2 * at * curve.first + 3 * left * at**2 * curve.second + at**3)
