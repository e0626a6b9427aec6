"""Headless Chromium as a reader of style sheets: the computed, typed custom properties of elements in any nesting.

::

    with chromium(css) as page:
        page.emulate(scheme="dark")
        values = page.values({"--a": "color", "--b": "length"}, [[{}], [{}, {"data-theme": "dark"}]])

``values`` answers, for each placement, a value a name in the words of outside/expected.py. A placement is a list of
attribute maps from the root element inwards; the last element is the one that is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Self

from outside.composites import PROPERTIES
from outside.expected import family

_HERE = Path(__file__).resolve().parent
_COMPUTED = (_HERE / "computed.js").read_text(encoding="utf-8")
_TYPED = (_HERE / "typed.js").read_text(encoding="utf-8")
NUMERIC = frozenset(("boolean", "duration", "length", "number", "percentage", "weight"))
_PROPERTIES = {"string": "content", "family": "font-family", **dict.fromkeys(NUMERIC, "number")}
_QUOTED = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^,"\\]|\\.)+))\s*(?:,|$)', re.DOTALL)
_COLORS = re.compile(r"rgba?\([^()]*\)|color\(srgb [^()]*\)")
PUT = "(css) => { const e = document.createElement('style'); e.textContent = css; document.head.append(e); }"
"""As text of an element, which no </style> in it can end."""
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \n\t]?|(.))", re.DOTALL)


class Browser:
    """One Chromium; a context manager."""

    def __init__(self, program: str) -> None:
        self.program = program

    def __enter__(self) -> Self:
        from playwright.sync_api import sync_playwright

        self.driver = sync_playwright().start()
        self.chromium = self.driver.chromium.launch(executable_path=self.program, args=["--no-sandbox"])
        return self

    def __exit__(self, *_: object) -> None:
        self.chromium.close()
        self.driver.stop()

    def open(self, css: str, html: str = "<body></body>") -> Page:
        """A page that has this style sheet."""
        return Page(self.chromium.new_page(), css, html)


class Page:
    """One document with one style sheet; a context manager."""

    def __init__(self, page, css: str, html: str) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)
        page.set_content(f"<!doctype html>{html}")
        page.evaluate(PUT, css)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()

    def emulate(self, scheme: str = "light", contrast: str = "no-preference", gamut: str = "srgb") -> None:
        """Emulate the system's preferences: scheme, contrast, and a screen with ``p3``."""
        queries = {"prefers-color-scheme": scheme, "prefers-contrast": contrast, "color-gamut": gamut}
        features = [{"name": name, "value": value} for name, value in queries.items()]
        self.session.send("Emulation.setEmulatedMedia", {"features": features})

    def texts(self, names: Sequence[str], placements: Sequence[Sequence[Mapping[str, str]]]) -> list[list[str]]:
        """The computed custom properties by these names (with ``--``) at each placement, references replaced."""
        rows = json.loads(self.page.evaluate(_COMPUTED, [list(names), [list(each) for each in placements]]))
        return [[rows["texts"][at] for at in row] for row in rows["rows"]]

    def typed(self, pairs: Sequence[tuple[str, str]]) -> list[tuple | None]:
        """Values of (kind, text) pairs as outside/expected.py says them; None for what is no value of the kind.

        A kind is one of those of outside/expected.py, or a type of outside/composites.py: then the value is (type,
        computed text, channels of the colours in it); or a CSS property: then it is (property, computed text).
        """
        queries = [_asked(kind, text) for kind, text in pairs]
        rows = self.page.evaluate(_TYPED, queries)
        return [None if each is None else _value(kind, each) for (kind, _), each in zip(pairs, rows, strict=True)]

    def values(
        self, kinds: Mapping[str, str], placements: Sequence[Sequence[Mapping[str, str]]]
    ) -> Iterator[list[tuple[str, tuple | None]]]:
        """For each placement (text, value) of each name in the order of ``kinds``; equal ones are the same objects."""
        rows = self.texts(list(kinds), placements)
        pairs = list(dict.fromkeys(pair for row in rows for pair in zip(kinds.values(), row, strict=True)))
        typed = dict(zip(pairs, zip((text for _, text in pairs), self.typed(pairs), strict=True), strict=True))
        for row in rows:
            yield [typed[pair] for pair in zip(kinds.values(), row, strict=True)]


def _asked(kind: str, text: str) -> tuple[str, str]:
    """The property to compute and its text."""
    if kind in PROPERTIES:
        property_, form = PROPERTIES[kind]
        return property_, form.format(text) if text else ""
    return _PROPERTIES.get(kind, kind), text


def _value(kind: str, rows) -> tuple:
    if kind == "color":
        return ("color", *(0.0 if each == "none" else _shown(float(each)) for each in _components(rows)))
    if kind in NUMERIC:
        number, unit = rows
        return ("number", Decimal(repr(number)), "" if unit == "number" else unit)
    if kind == "string":
        return ("string", unescaped(rows[1:-1]))
    if kind == "family":
        return ("family", families(rows))
    if kind in PROPERTIES:
        colors = _COLORS.findall(rows)
        return (kind, _COLORS.sub("COLOR", rows), *(each for color in colors for each in channels(color)))
    return (kind, rows)


def channels(text: str) -> tuple[float, ...]:
    """The channels of a computed colour, from 0 to 1."""
    if text.startswith("color("):
        return tuple(map(float, _components(text)))
    numbers = [float(each) for each in re.findall(r"[\d.]+", text)]
    return (*(each / 255 for each in numbers[:3]), *(numbers[3:] or (1.0,)))


def _shown(channel: float) -> float:
    """The channel of an oklch() in few digits, which are hardly outside of the gamut, at its edge."""
    return min(max(channel, 0.0), 1.0) if -0.003 < channel < 1.003 else channel


def _components(text: str) -> list[str]:
    """``color(srgb r g b / a)`` as Chromium writes it: a is omitted when it is 1."""
    parts = text.removeprefix("color(srgb ").removesuffix(")").replace("/", " ").split()
    return parts if len(parts) == 4 else [*parts, "1"]


def unescaped(text: str) -> str:
    """The content of a CSS string."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], text)


def families(text: str) -> tuple[tuple[str, bool], ...]:
    """(name, whether it is a generic keyword) of each family of a computed list."""
    return tuple(
        family(unescaped(match[1] if match[1] is not None else match[2].strip()), quoted=match[1] is not None)
        for match in _QUOTED.finditer(text)
    )
