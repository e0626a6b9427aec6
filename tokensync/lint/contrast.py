"""The contrast of declared pairs of colours, by the definition of WCAG 2.2, in every theme."""

from __future__ import annotations

import math
import re
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.lint.subject import MOST_THEMES, Subject, name_of, similar
from tokensync.system.problems import problem
from tokensync.system.wording import listed
from tokensync.tokens import Color
from tokensync.tokens.values import luminance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.system.problems import Problem
    from tokensync.tokens import Theme, Token, TokenKey

_LEAST: Final = {"AA": 4.5, "AAA": 7.0, "large": 3.0, "ui": 3.0}
"""Ratios: text (1.4.3, 1.4.6), large text (1.4.3), and parts of controls (1.4.11)."""
_EXEMPT: Final = frozenset({"disabled", "inactive"})
"""WCAG exempts inactive controls, but not placeholders, or controls that are hovered, focused or selected."""
_BLACK, _WHITE = Color(0, 0, 0), Color(1, 1, 1)


def contrast(subject: Subject) -> Iterator[Problem]:
    """Yield the pairs of ``[[lint.contrast]]`` whose contrast is too low in a theme, or cannot be determined."""
    if not subject.settings.contrast:
        return
    colors = [token for token in subject.graph.tokens.values() if token.type == "color"]
    known = {name_of(token.key): token for token in colors}
    for index, entry in enumerate(subject.settings.contrast):
        sides = {}
        for side in ("foreground", "background"):
            sides[side], problems = subject.selected(
                getattr(entry, side), colors, "contrast", index, side, noun="colour"
            )
            yield from problems
        backdrop = known.get(entry.backdrop)
        if entry.backdrop and backdrop is None:
            where = subject.location_of_setting("lint", "contrast", index, "backdrop")
            what = f"no colour is called {entry.backdrop!r:.80}"
            yield problem("lint-unknown-name", where, what, similar(entry.backdrop, [*known], "colour"))
            continue
        pairs = [
            (text, ground)
            for text, ground in product(sides["foreground"], sides["background"])
            if text is not ground and _EXEMPT.isdisjoint(_words(text.key) + _words(ground.key))
        ]
        if many := [*subject.too_many(len(pairs), "contrast", index)]:
            yield from many
            continue
        least = _LEAST[entry.minimum] if isinstance(entry.minimum, str) else entry.minimum
        for text, ground in pairs:
            yield from _problems(subject, text, ground, backdrop, least)


class _Result(NamedTuple):
    """The contrast of a pair in a theme. ``unknown`` says why there is none."""

    theme: Theme
    ratio: float
    unknown: str = ""


def _problems(subject: Subject, text: Token, ground: Token, backdrop: Token | None, least: float) -> Iterator[Problem]:
    """Yield what is wrong with a text on a background, which is over the backdrop."""
    on = f"{ground.key}" if backdrop is None else f"{ground.key} over {backdrop.key}"
    themes, is_complete = subject.themes_of((text, ground) if backdrop is None else (text, ground, backdrop))
    results = [_result(subject, theme, text, ground, backdrop, least) for theme in themes]
    low = sorted((each for each in results if not each.unknown and each.ratio < least), key=lambda each: each.ratio)
    unknown = [result for result in results if result.unknown]
    if low:
        what = f"its contrast has to be at least {least:g}"
        remedy = _remedy(subject, low[0], text, ground, backdrop, least)
        names = [f"{_floored(result.ratio)} on {on} in {result.theme.name}" for result in low]  # each is accepted
        yield subject.problem("contrast-low", text.key, what, remedy, names)
    if unknown:
        reasons = listed(list(dict.fromkeys(result.unknown for result in unknown)))
        what = f"its contrast on {on} is unknown in {listed([each.theme.name for each in unknown])}, as {reasons}"
        to_do = "add a backdrop to the entry of [[lint.contrast]]" if backdrop is None else "use an opaque backdrop"
        to_do = to_do if "translucent" in reasons else "give each of them a colour"
        yield subject.problem("contrast-unknown", text.key, what, to_do)
    if not is_complete:
        what = f"its contrast on {on} depends on more than {MOST_THEMES} combinations of modes"
        yield subject.problem("contrast-unknown", text.key, what, "configure the themes to check as [themes]")


def _result(
    subject: Subject, theme: Theme, text: Token, ground: Token, backdrop: Token | None, least: float
) -> _Result:
    """Return the contrast of a pair, or why it is unknown.

    Without a backdrop, a translucent background has every colour between those over black and over white.
    """
    colors: list[Color] = []
    for token in (text, ground) if backdrop is None else (text, ground, backdrop):
        value = subject.resolver(theme)(token.key)
        if not isinstance(value, Color):
            return _Result(theme, 0, f"{token.key} has no colour")
        colors.append(value)
    above, below, *base = colors
    if base:
        unknown = "" if base[0].alpha == 1 else "the backdrop is translucent"
        return _Result(theme, ratio(above, below, base[0]), unknown)
    ratios = [ratio(above, below, color) for color in (_BLACK, _WHITE)]
    if below.alpha == 1 or max(ratios) < least:
        return _Result(theme, max(ratios))
    darkest, lightest = (luminance(over(below, color)) for color in (_BLACK, _WHITE))
    is_between = above.alpha < 1 or darkest <= luminance(above) <= lightest
    return _Result(theme, min(ratios), f"{ground.key} is translucent" if is_between or min(ratios) < least else "")


def _remedy(subject: Subject, worst: _Result, text: Token, ground: Token, backdrop: Token | None, least: float) -> str:
    """Name the most similar colour that suffices, among those in the group of the colour that a text refers to."""
    graph, resolver = subject.graph, subject.resolver(worst.theme)
    colors = [resolver(token.key) for token in (text, ground, backdrop) if token is not None]
    above, below, base = (value if isinstance(value, Color) else _WHITE for value in (*colors, _WHITE)[:3])
    surface = over(below, base)
    *_, last = graph.trace(text, worst.theme)
    if last.token is not text:
        group = (last.token.key[:2], last.token.key.path.rpartition(".")[0])
        suitable = [
            (abs(luminance(color) - luminance(above)), key, found)
            for key in graph.tokens
            if (key[:2], key.path.rpartition(".")[0]) == group
            and isinstance(color := resolver(key), Color)
            and (found := ratio(color, surface, _WHITE)) >= least
        ]
        if suitable:
            _, key, found = min(suitable)
            return f"in {worst.theme.name}, use {key}, for example ({_floored(found)})"
    is_light = luminance(surface) > _MIDDLE
    return f"make it {'darker' if is_light else 'lighter'}, or the background {'lighter' if is_light else 'darker'}"


_MIDDLE = math.sqrt(1.05 * 0.05) - 0.05
"""The luminance with the same contrast to black and to white."""


def over(color: Color, below: Color) -> Color:
    """Return a colour over an opaque one, blended as browsers do: in sRGB."""
    if color.alpha == 1:
        return color
    red, green, blue = (
        above * color.alpha + under * (1 - color.alpha)
        for above, under in zip((color.red, color.green, color.blue), (below.red, below.green, below.blue), strict=True)
    )
    return Color(red, green, blue)


def ratio(text: Color, ground: Color, backdrop: Color) -> float:
    """Return the contrast ratio of a text on a background over an opaque backdrop, from 1 to 21."""
    surface = over(ground, backdrop)
    low, high = sorted((luminance(over(text, surface)), luminance(surface)))
    return (high + 0.05) / (low + 0.05)


def _floored(value: float) -> str:
    """Return a ratio with two decimals. It is never rounded up: 4.499 is not 4.5."""
    return f"{math.floor(value * 100) / 100:.2f}"


def _words(key: TokenKey) -> list[str]:
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key.path).lower())
