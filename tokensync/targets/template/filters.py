"""The filters of the user's own templates: a text as a string literal of a language, with quotes and escapes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokensync.generate import notation
from tokensync.generate.resolution import PLAIN_KINDS
from tokensync.targets.android import literals as android
from tokensync.targets.compose import literals as kotlin
from tokensync.targets.css import literals as css
from tokensync.targets.ios import literals as swift
from tokensync.targets.json import literals as plain
from tokensync.targets.typescript import literals as javascript
from tokensync.tokens import Color, Quantity, Unresolved, hexadecimal
from tokensync.tokens.composites import decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal, Resolved

    Convert = Callable[[Literal], str | None]
    from collections.abc import Callable, Mapping


_PLAIN = plain.literals(exact=False)


def data(kind: str, value: Resolved) -> Any:
    """Return a literal as data; None for an unsupported value.

    A colour is ``{hex, alpha}`` with its exact components, a length or duration ``{value, unit}``, a family a list, an
    opacity a fraction of 1, and a composite its parts.
    """
    match value:
        case Color(red=red, green=green, blue=blue, alpha=alpha) if kind == "color":
            opaque = hexadecimal(Color(red, green, blue))
            return {"hex": opaque, "alpha": plain.number(alpha), **plain.components(value)}
        case Quantity(number=number, unit=unit):
            return {"value": plain.number(number), "unit": unit}
        case float() if kind == "dimension":
            return {"value": plain.number(value), "unit": "px"}
        case float() if kind == "percentage":
            share = notation.share(value)
            return None if share is None else float(share)
        case float():
            return plain.number(value)
        case Unresolved():
            return None
        case bool() | str() if kind != "family":
            return value
    if kind == "family":
        return notation.families(value)
    written = _PLAIN[kind](value) if kind in _PLAIN else None
    return None if written is None else decoded(written)


def _as_json(kind: str) -> Convert:
    def converted(value: Literal) -> str | None:
        content = data(kind, value) if _PLAIN[kind](value) is not None else None
        return None if content is None else plain.text(content)

    return converted


LITERALS: dict[str, dict[str, Convert]] = {
    "css": {**css.LITERALS, **css.COMPOSITES},
    "json": {each: _as_json(each) for each in PLAIN_KINDS.values()},
}
"""The functions that write literals, by the option ``values`` and by kind."""

UNREPRESENTABLE = {"css": css.UNREPRESENTABLE, "json": plain.UNREPRESENTABLE}


_NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_IN_XML = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
_IN_DART = re.compile("[\0-\x1f'\\\\$\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_NAMED_IN_DART = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'", "$": "\\$"}
_IN_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~&$]|^[-#+=]|^\d+(?=[.)])")
_BACKTICKS = re.compile("`+")


def json(value: Any) -> str:
    """A value as JSON on one line."""
    return plain.text(value)


def css_string(text: str) -> str:
    """A CSS string, in double quotes."""
    return css.string(text)


def js_string(text: str) -> str:
    """A JavaScript or TypeScript string, in double quotes."""
    return javascript.string(text)


def kotlin_string(text: str) -> str:
    """A Kotlin string, in double quotes."""
    return kotlin.string(text)


def swift_string(text: str) -> str:
    """A Swift string, in double quotes."""
    return swift.string(text)


def dart_string(text: str) -> str:
    """A Dart string, in single quotes; lone surrogates become U+FFFD."""
    return f"'{_IN_DART.sub(_dart, text)}'"


def android_string(text: str) -> str:
    """The text of an Android string resource."""
    return android.string(text)


def xml(text: str) -> str:
    """Text or an attribute's value in XML; characters that XML forbids become U+FFFD."""
    return "".join(_IN_XML.get(each, each) for each in _NOT_IN_XML.sub("\ufffd", text))


def markdown(text: str) -> str:
    """Text in Markdown, on one line, also for a table cell."""
    return _IN_MARKDOWN.sub(_in_markdown, " ".join(lines(text)))


def markdown_code(text: str) -> str:
    """A code span in Markdown, on one line, also for a table cell; empty for an empty text."""
    bare = " ".join(lines(text)).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(bare)), default=0))
    padding = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{fence}{padding}{bare}{padding}{fence}" if bare else ""


def _in_markdown(match: re.Match[str]) -> str:
    character = match[0]
    return f"{character[:-1]}&#{ord(character[-1])};" if character.isdigit() else f"\\{character}"


def lines(text: str) -> list[str]:
    """The lines of a text, for comments: with spaces for unprintable characters, and without comment delimiters."""
    return [
        "".join(each if each.isprintable() else " " for each in line).replace("*/", "* /").replace("/*", "/ *").strip()
        for line in text.strip().splitlines()
    ]


def argb(color: Mapping[str, Any]) -> str:
    """A colour's data as ``FF1F6FEB``, with the alpha first."""
    from tokensync.tokens import channel

    return f"{channel(color['alpha']):02X}{color['hex'][1:].upper()}"


def _dart(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return _NAMED_IN_DART.get(character) or f"\\u{{{ord(character):x}}}"


FILTERS: tuple[tuple[str, Callable[[Any], Any]], ...] = tuple(
    (each.__name__, each)
    for each in (
        json,
        css_string,
        js_string,
        kotlin_string,
        swift_string,
        dart_string,
        android_string,
        xml,
        markdown,
        markdown_code,
        lines,
        argb,
    )
)
"""The filters by name; their docstrings describe the result in docs/templates.md."""
