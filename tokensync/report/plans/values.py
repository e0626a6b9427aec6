"""Values of a plan in words: colours as ``#hex``, aliases by name, texts in quotes and cut around what differs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tokensync.mapping import path_of_name
from tokensync.plan.refs import parts
from tokensync.plan.state import ObjectValue
from tokensync.tokens import Color, hexadecimal, shortest
from tokensync.tokens.values import float32
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.plan.state import Ref, StateValue

LONGEST = 60
"""Characters of a text in quotes: what is longer is cut, around what differs where two are shown."""

_CONTEXT = 12  # characters that stay before the first difference


def worded(value: StateValue, labels: Mapping[Ref, str]) -> str:
    """A value in words: ``#0b6e7a``, ``16``, ``"Inter"``, ``{theme.accent}``, ``{theme.accent} at 40 %``."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case ObjectValue():
            return _object(value, labels)
        case _:
            return shortest(float32(value))


def worded_pair(before: StateValue, after: StateValue, labels: Mapping[Ref, str]) -> tuple[str, str]:
    """Two values in words that tell them apart: as short as they may be, and never the same for different values."""
    if isinstance(before, str) and isinstance(after, str):
        return quoted_pair(before, after)
    first, second = worded(before, labels), worded(after, labels)
    if first == second and isinstance(before, ObjectValue) and isinstance(after, ObjectValue):
        return _object(before, labels, exact=True), _object(after, labels, exact=True)
    return first, second


def quoted(text: str) -> str:
    """A text in quotes on one line, cut where it is long."""
    return _in_quotes(shortened(text, LONGEST))


def quoted_pair(before: str, after: str) -> tuple[str, str]:
    """Two texts in quotes; long ones are cut around the first character that differs."""
    if max(len(before), len(after)) <= LONGEST:
        return _in_quotes(before), _in_quotes(after)
    pairs = enumerate(zip(before, after, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(before), len(after)))
    start = max(0, first - _CONTEXT)
    return _in_quotes(_window(before, start)), _in_quotes(_window(after, start))


def _window(text: str, start: int) -> str:
    end = start + LONGEST
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _in_quotes(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _object(value: ObjectValue, labels: Mapping[Ref, str], *, exact: bool = False) -> str:
    if value.alias is not None:
        return alias(value.alias, labels)
    if value.color is None:
        return _color(value, exact=exact)
    base = _object(value.color, labels, exact=exact)
    return f"{base} at {share(value.opacity, labels)}"


def alias(target: Ref, labels: Mapping[Ref, str]) -> str:
    """A reference as token files spell it; what has no label is not in the file."""
    label = labels.get(target)
    if label is None:
        return f"{{{target}}}, which does not exist"
    handle, name = parts(label)
    return f"{{{handle}.{path_of_name(name)}}}" if handle else f"{{{name}}}"


def share(opacity: float | ObjectValue | None, labels: Mapping[Ref, str]) -> str:
    """The opacity of a composed colour: ``40 %``, or the variable that has it."""
    if isinstance(opacity, ObjectValue):
        return _object(opacity, labels)
    return "no opacity" if opacity is None else f"{shortest(float32(opacity))} %"


def _color(value: ObjectValue, *, exact: bool) -> str:
    channels = [float32(each or 0.0) for each in (value.r, value.g, value.b)]
    alpha = 1.0 if value.a is None else float32(value.a)
    if exact:
        return f"rgb({' '.join(map(shortest, channels))} / {shortest(alpha)})"
    return hexadecimal(Color(channels[0], channels[1], channels[2], alpha))
