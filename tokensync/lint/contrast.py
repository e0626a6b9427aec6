"""The contrast of declared pairs of colours, by the definition of WCAG 2.2, in every theme."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fnmatch import translate
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from tokensync.lint.subject import Subject
from tokensync.system.problems import problem
from tokensync.system.wording import listed
from tokensync.tokens import DEFAULT_THEME, Color, Resolved, Theme, TokenKey
from tokensync.tokens.algorithms import closure
from tokensync.tokens.paths import names
from tokensync.tokens.values import luminance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey, Token

_LEAST: Final = {"AA": 4.5, "AAA": 7.0, "large": 3.0, "ui": 3.0}
"""Ratios: text (1.4.3, 1.4.6), large text (1.4.3), and parts of controls (1.4.11)."""
_MOST_PAIRS: Final = 500
_MOST_THEMES: Final = 512
_EXEMPT: Final = frozenset({"disabled", "inactive"})
"""WCAG exempts inactive controls, but not placeholders, or controls that are hovered, focused or selected."""
_BLACK, _WHITE = Color(0, 0, 0), Color(1, 1, 1)


def contrast(subject: Subject) -> Iterator[Problem]:
    """Yield the pairs of ``[[lint.contrast]]`` whose contrast is too low in a theme, or cannot be determined."""
    if not subject.settings.contrast:
        return
    known = {_name(token.key): token for token in subject.graph.tokens.values() if token.type == "color"}
    judge = _Judge(subject)
    for index, entry in enumerate(subject.settings.contrast):
        sides = {}
        for side in ("foreground", "background"):
            sides[side], problems = _selected(subject, known, getattr(entry, side), (index, side))
            yield from problems
        backdrop = known.get(entry.backdrop)
        if entry.backdrop and backdrop is None:
            where = subject.location_of_setting("lint", "contrast", index, "backdrop")
            what = f"no colour is called {entry.backdrop!r:.80}"
            yield problem("lint-unknown-name", where, what, _similar(entry.backdrop, tuple(known)))
            continue
        pairs = [
            (text, ground)
            for text, ground in product(sides["foreground"], sides["background"])
            if text is not ground and _EXEMPT.isdisjoint(_words(text.key) + _words(ground.key))
        ]
        if len(pairs) > _MOST_PAIRS:
            what = f"its patterns select {len(pairs):,} pairs of colours; at most {_MOST_PAIRS} are allowed"
            where = subject.location_of_setting("lint", "contrast", index)
            yield problem("lint-pairs-many", where, what, "select fewer tokens, or split the entry")
            continue
        least = _LEAST[entry.minimum] if isinstance(entry.minimum, str) else entry.minimum
        for text, ground in pairs:
            yield from judge.problems(text, ground, backdrop, least)


class _Result(NamedTuple):
    """The contrast of a pair in a theme. ``unknown`` says why there is none."""

    theme: Theme
    ratio: float
    unknown: str = ""


class _Judge(Struct, eq=False):
    """Judges pairs of colours. It resolves each theme once."""

    _subject: Subject
    _resolvers: dict[Theme, Callable[[TokenKey], Resolved]] = {}

    def problems(self, text: Token, ground: Token, backdrop: Token | None, least: float) -> Iterator[Problem]:
        """Yield what is wrong with a text on a background, which is over the backdrop."""
        on = f"{ground.key}" if backdrop is None else f"{ground.key} over {backdrop.key}"
        themes, is_complete = self._themes((text, ground) if backdrop is None else (text, ground, backdrop))
        results = [self._result(theme, text, ground, backdrop, least) for theme in themes]
        low = sorted((each for each in results if not each.unknown and each.ratio < least), key=lambda each: each.ratio)
        unknown = [result for result in results if result.unknown]
        if not (low or unknown):
            return
        where = self._subject.location_of(text.key, None)
        if low:
            what = f"its contrast has to be at least {least:g}"
            remedy = self._remedy(low[0], text, ground, backdrop, least)
            names = [f"{_floored(result.ratio)} on {on} in {result.theme.name}" for result in low]  # each is accepted
            yield problem("contrast-low", where, what, remedy, names)
        if unknown:
            reasons = listed(list(dict.fromkeys(result.unknown for result in unknown)))
            what = f"its contrast on {on} is unknown in {listed([each.theme.name for each in unknown])}, as {reasons}"
            to_do = "add a backdrop to the entry of [[lint.contrast]]" if backdrop is None else "use an opaque backdrop"
            yield problem(
                "contrast-unknown", where, what, to_do if "translucent" in reasons else "give each of them a colour"
            )
        if not is_complete:
            what = f"its contrast on {on} depends on more than {_MOST_THEMES} combinations of modes"
            yield problem("contrast-unknown", where, what, "configure the themes to check as [themes]")

    def _themes(self, tokens: Sequence[Token]) -> tuple[list[Theme], bool]:
        """Return the themes in which tokens can differ, and whether these are all of them.

        These are the configured themes, or all combinations of the modes of collections on the tokens' alias chains.
        """
        references = self._subject.references
        reached = closure([token.key for token in tokens], lambda key: references.get(key, ()))
        collections = self._subject.graph.collections
        families = [
            each for key in dict.fromkeys(key[:2] for key in reached) if len((each := collections[key]).modes) > 1
        ]
        if self._subject.themes:
            keys = {family.key for family in families}
            first: dict[tuple[tuple[FamilyKey, int], ...], Theme] = {}
            for theme in self._subject.themes:
                first.setdefault(tuple(pair for pair in theme.modes if pair[0] in keys), theme)
            return list(first.values()), True
        modes = [[(family.key, mode) for mode in range(len(family.modes))] for family in families]
        if math.prod(map(len, modes)) > _MOST_THEMES:
            return [DEFAULT_THEME, *(self._theme((pair,)) for pairs in modes for pair in pairs)], False
        return [self._theme(pairs) for pairs in product(*modes)], True

    def _theme(self, modes: tuple[tuple[FamilyKey, int], ...]) -> Theme:
        collections = self._subject.graph.collections
        name = " + ".join(f"{family[1]}/{collections[family].modes[mode].context}" for family, mode in modes)
        return Theme(name, modes) if modes else DEFAULT_THEME

    def _resolver(self, theme: Theme) -> Callable[[TokenKey], Resolved]:
        if theme not in self._resolvers:
            self._resolvers[theme] = self._subject.graph.resolver(theme)
        return self._resolvers[theme]

    def _result(self, theme: Theme, text: Token, ground: Token, backdrop: Token | None, least: float) -> _Result:
        """Return the contrast of a pair, or why it is unknown.

        Without a backdrop, a translucent background has every colour between those over black and over white.
        """
        colors: list[Color] = []
        for token in (text, ground) if backdrop is None else (text, ground, backdrop):
            value = self._resolver(theme)(token.key)
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

    def _remedy(self, worst: _Result, text: Token, ground: Token, backdrop: Token | None, least: float) -> str:
        """Name the most similar colour that suffices, among those in the group of the colour that a text refers to."""
        graph, resolver = self._subject.graph, self._resolver(worst.theme)
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


def _name(key: TokenKey) -> str:
    return "/".join((key.collection, *names(key.path)))


def _words(key: TokenKey) -> list[str]:
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key.path).lower())


def _selected(
    subject: Subject, known: dict[str, Token], patterns: Iterable[str], steps: tuple[int, str]
) -> tuple[list[Token], list[Problem]]:
    """Return the tokens that patterns select, and the problems of patterns that select none."""
    selected: dict[TokenKey, Token] = {}
    problems: list[Problem] = []
    for number, pattern in enumerate(patterns):
        matches = re.compile(translate(pattern)).match
        found = [token for name, token in known.items() if token.origin == "local" and matches(name)]
        selected |= {token.key: token for token in found}
        if not found:
            where = subject.location_of_setting("lint", "contrast", steps[0], steps[1], number)
            what = f"no colour matches {pattern!r:.80}"
            problems.append(problem("lint-unknown-name", where, what, _similar(pattern, tuple(known))))
    return list(selected.values()), problems


def _similar(name: str, known: Sequence[str]) -> str:
    """Return the remedy for a name or pattern that matches no colour."""
    from difflib import get_close_matches

    if not known:
        return "remove the entry, since there are no colours"
    similar = get_close_matches(name, known, 1)
    return f'use "{similar[0]}"' if similar else f'write COLLECTION/PATH, such as "{known[0]}"'
