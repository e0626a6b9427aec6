"""JSON text of strings, numbers and inline values: shortest, stable, and readable in a diff."""

from __future__ import annotations

import json
import re
from typing import Any

_NEEDS_CARE = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]')
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_DEEPEST_RECURSION = 50
_LARGEST, _SMALLEST = 1e39, 1e-46  # what lies beyond is no float32, and would fill a line with zeros


class Inline(str):
    """JSON text that is ready to be written."""

    __slots__ = ()


def string_text(value: str) -> str:
    """A JSON string; unescaped UTF-8 except what an editor or a diff would not show as it is."""
    if _NEEDS_CARE.search(value) is None:
        return f'"{value}"'
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def number_text(value: float) -> str:
    """A JSON number without an exponent: the shortest decimal that is this very double."""
    if isinstance(value, int):
        return str(value)
    if value == int(value) and abs(value) < 2**53:
        return str(int(value))
    text = repr(value)
    if "e" in text and _SMALLEST < abs(value) < _LARGEST:
        from decimal import Decimal

        return f"{Decimal(text):f}"
    return text


def inline(value: Any, depth: int = 0) -> str:
    """A JSON value on one line; nested as deep as it likes."""
    kind = type(value)
    if kind is Inline:
        return value  # type: ignore[no-any-return]
    if kind is str:
        return string_text(value)
    if kind is dict or kind is list:
        if depth == _DEEPEST_RECURSION:
            return _deep(value)
        if kind is list:
            return f"[{', '.join([inline(each, depth + 1) for each in value])}]"
        return f"{{{', '.join([f'{string_text(name)}: {inline(each, depth + 1)}' for name, each in value.items()])}}}"
    return _scalar(value)


def _deep(value: Any) -> str:
    """A container on one line, without recursion."""
    parts: list[str] = []
    open_at = [_members(value)]
    closing = ["}" if isinstance(value, dict) else "]"]
    parts.append("{" if isinstance(value, dict) else "[")
    while open_at:
        step = next(open_at[-1], None)
        if step is None:
            open_at.pop()
            parts.append(closing.pop())
            continue
        before, member = step
        parts.append(before)
        if isinstance(member, dict | list):
            parts.append("{" if isinstance(member, dict) else "[")
            closing.append("}" if isinstance(member, dict) else "]")
            open_at.append(_members(member))
        else:
            parts.append(_scalar(member))
    return "".join(parts)


def _members(container: Any) -> Any:
    """Each member with the text that stands before it."""
    if isinstance(container, dict):
        for index, (name, member) in enumerate(container.items()):
            yield f"{', ' if index else ''}{string_text(name)}: ", member
    else:
        for index, member in enumerate(container):
            yield ", " if index else "", member


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value if type(value) is Inline else string_text(value)
        case _:
            return number_text(value)
