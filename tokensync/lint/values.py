"""Values: low contrast, colours that hardly differ, and numbers off a declared scale."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.lint.subject import MOST_THEMES, Subject, name_of, similar
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import listed
from tokensync.tokens import Color, FamilyKey, Quantity, Theme, Token, shortest
from tokensync.tokens.values import is_relative, luminance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.settings import ScaleConfig

_LEAST: Final = {"AA": 4.5, "AAA": 7.0, "large": 3.0, "ui": 3.0}
"""Ratios of WCAG 2.2: text (1.4.3, 1.4.6), large text (1.4.3), and parts of controls (1.4.11)."""
_EXEMPT: Final = re.compile(r"(?<![a-z])(?:disabled|inactive)(?![a-z])")
"""WCAG exempts inactive controls, but not placeholders, or controls that are hovered, focused or selected."""
_BLACK, _WHITE = Color(0, 0, 0), Color(1, 1, 1)
_MIDDLE: Final = math.sqrt(1.05 * 0.05) - 0.05
"""The luminance with the same contrast to black and to white."""
_DEFICIENCIES: Final = {"protan": "protanopia", "deutan": "deuteranopia", "tritan": "tritanopia"}
_CELL: Final = (2.0, 8.0, 8.0)
"""How far L*, a* and b* of two colours can be apart for each unit of CIEDE2000, which is at most 1.8, 6.5 and 6.5 in
sRGB. In OKLab it would be ten times as far near black as elsewhere."""
_TOLERANCE: Final = 1e-4
_NUMBERS: Final = ("number", "dimension", "duration", "fontWeight")


def contrast(subject: Subject) -> Iterator[Problem]:
    """Yield the pairs of ``[[lint.contrast]]`` whose contrast is too low in a theme, or cannot be determined."""
    if not subject.settings.contrast:
        return
    colors = [token for token in subject.graph.tokens.values() if token.type == "color"]
    known = {name_of(token.key): token for token in colors}
    for index, entry in enumerate(subject.settings.contrast):
        sides = []
        for side in ("foreground", "background"):
            steps = ("contrast", index, side)
            tokens, problems = subject.selected(getattr(entry, side), colors, *steps, noun="colour")
            yield from problems
            sides.append(tokens)
        backdrop = (known[entry.backdrop],) if entry.backdrop in known else ()
        if entry.backdrop and not backdrop:
            where = subject.location_of_setting("lint", "contrast", index, "backdrop")
            what = f"no colour is called {entry.backdrop!r:.80}"
            yield problem("lint-unknown-name", where, what, similar(entry.backdrop, [*known], "colour"))
            continue
        pairs = [pair for pair in product(*sides) if pair[0] is not pair[1] and not any(map(_is_exempt, pair))]
        if many := [*subject.too_many(len(pairs), "contrast", index)]:
            yield from many
            continue
        least = _LEAST[entry.minimum] if isinstance(entry.minimum, str) else entry.minimum
        for pair in pairs:
            yield from _problems(subject, (*pair, *backdrop), least)


def _is_exempt(token: Token) -> bool:
    return _EXEMPT.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", token.key.path).lower()) is not None


class _Result(NamedTuple):
    """The contrast of a pair in a theme. ``unknown`` says why there is none."""

    theme: Theme
    ratio: float
    unknown: str = ""


def _problems(subject: Subject, tokens: Sequence[Token], least: float) -> Iterator[Problem]:
    """Yield what is wrong with a text, the first token, on a background, which may be over a backdrop, the third."""
    text, *grounds = tokens
    on = " over ".join(str(token.key) for token in grounds)
    themes, is_complete = subject.themes_of(tokens)
    results = [_result(subject, theme, tokens, least) for theme in themes]
    low = sorted((result for result in results if not result.unknown and result.ratio < least), key=lambda low: low[1])
    unknown = [result for result in results if result.unknown]
    if low:
        what = f"its contrast has to be at least {least:g}"
        remedy = _remedy(subject, low[0].theme, tokens, least)
        names = [f"{_floored(result.ratio)} on {on} in {result.theme.name}" for result in low]  # each is accepted
        yield subject.problem("contrast-low", text.key, what, remedy, names)
    if unknown:
        reasons = listed(list(dict.fromkeys(result.unknown for result in unknown)))
        what = f"its contrast on {on} is unknown in {listed([result.theme.name for result in unknown])}, as {reasons}"
        to_do = "add a backdrop to the entry of [[lint.contrast]]" if len(grounds) == 1 else "use an opaque backdrop"
        to_do = to_do if "translucent" in reasons else "give each of them a colour"
        yield subject.problem("contrast-unknown", text.key, what, to_do)
    if not is_complete:
        what = f"its contrast on {on} depends on more than {MOST_THEMES} combinations of modes"
        yield subject.problem("contrast-unknown", text.key, what, "configure the themes to check as [themes]")


def _result(subject: Subject, theme: Theme, tokens: Sequence[Token], least: float) -> _Result:
    """Return the contrast of a pair, or why it is unknown.

    Without a backdrop, a translucent background has every colour between those over black and over white.
    """
    colors: list[Color] = []
    for token in tokens:
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
    unknown = f"{tokens[1].key} is translucent" if is_between or min(ratios) < least else ""
    return _Result(theme, min(ratios), unknown)


def _remedy(subject: Subject, theme: Theme, tokens: Sequence[Token], least: float) -> str:
    """Name the most similar colour that suffices, among those in the group of the colour that a text refers to."""
    graph, resolver = subject.graph, subject.resolver(theme)
    colors = [resolver(token.key) for token in tokens]
    above, below, base = (value if isinstance(value, Color) else _WHITE for value in (*colors, _WHITE)[:3])
    surface = over(below, base)
    *_, last = graph.trace(tokens[0], theme)
    if last.token is not tokens[0]:
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
            return f"in {theme.name}, use {key}, for example ({_floored(found)})"
    darker = ("darker", "lighter") if luminance(surface) > _MIDDLE else ("lighter", "darker")
    return "make it {}, or the background {}".format(*darker)


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


def near_colors(subject: Subject) -> Iterator[Problem]:
    """Yield the opaque literal colours of a collection that hardly differ from an earlier one in any mode.

    Equal ones are not reported. Each colour is compared with those of neighbouring cells of CIELAB only, of which no
    two are near, so that the time grows with the number of colours.
    """
    limit = subject.settings.near_colors
    of_family: dict[FamilyKey, dict[tuple[Color, ...], Token]] = {}
    for token in subject.declared if limit else ():
        values = [subject.graph.value(token, mode) for mode in range(len(token.values))]
        colors = tuple(value for value in values if isinstance(value, Color) and value.alpha == 1)
        if len(colors) == len(values):
            of_family.setdefault(token.key[:2], {}).setdefault(colors, token)
    for distinct in of_family.values():
        counts = [len({*of_mode}) for of_mode in zip(*distinct, strict=True)]
        mode = counts.index(max(counts))
        cells: dict[tuple[int, ...], list[tuple[Color, ...]]] = {}
        for colors, token in distinct.items():
            lab = _measured(colors[mode]).convert("lab-d65")[:3]
            cell = tuple(int(part // (size * limit)) for part, size in zip(lab, _CELL, strict=True))
            around = product(*((step, step - 1, step + 1) for step in cell))
            for others in (others for neighbour in around for others in cells.get(neighbour, ())):
                distance = max(_distance(*pair) for pair in zip(colors, others, strict=True))
                if distance < limit:
                    what = f"its colour hardly differs from that of {distinct[others].key} (CIEDE2000: {distance:.2f})"
                    to_do = "use one of them, or make the difference visible"
                    yield subject.problem("colors-near", token.key, what, to_do)
                    break
            else:
                cells.setdefault(cell, []).append(colors)


def color_vision(subject: Subject) -> Iterator[Problem]:
    """Yield the pairs of colours of ``[[lint.vision]]`` that look alike in a theme to people with a deficiency.

    It is simulated by the method of Machado, Oliveira and Fernandes (2009), completely, in linear RGB. Translucent
    colours depend on what is behind them, and are omitted.
    """
    colors = [token for token in subject.declared if token.type == "color"] if subject.settings.vision else []
    for index, entry in enumerate(subject.settings.vision):
        tokens, problems = subject.selected(entry.match, colors, "vision", index, "match", noun="colour")
        problems += subject.too_many(math.comb(len(tokens), 2), "vision", index)
        yield from problems
        for one, other in combinations(tokens, 2) if not problems else ():
            alike = []
            for theme in subject.themes_of((one, other))[0]:
                values = [subject.resolver(theme)(token.key) for token in (one, other)]
                shown = [value for value in values if isinstance(value, Color) and value.alpha == 1]
                for kind, name in _DEFICIENCIES.items() if len(shown) == len(values) else ():
                    if (distance := _distance(shown[0], shown[1], kind)) < entry.minimum:
                        alike.append(f"{distance:.2f} from {other.key} with {name} in {theme.name}")
            if alike:
                what = f"it has to differ by at least {entry.minimum:g} (CIEDE2000)"
                to_do = "make one of them lighter or darker, and never tell them apart by colour alone"
                yield subject.problem("colors-indistinct", one.key, what, to_do, alike)


def _distance(color: Color, other: Color, deficiency: str = "") -> float:
    """Return the distance of two colours (CIEDE2000), for people with a deficiency if there is one."""
    return float(_measured(color, deficiency).delta_e(_measured(other, deficiency), method="2000"))


@lru_cache(maxsize=65_536)
def _measured(color: Color, deficiency: str = "") -> Any:
    from coloraide import Color as Measured  # takes as long to import as tokensync itself

    measured = Measured("srgb", [color.red, color.green, color.blue])
    return measured.filter(deficiency, method="machado").clip() if deficiency else measured


def scales(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens of ``[[lint.scales]]`` whose number in a theme is not on the scale.

    No scale is inferred: a guess about a team's own is usually wrong.
    """
    numbers = [token for token in subject.declared if token.type in _NUMBERS] if subject.settings.scales else []
    for index, entry in enumerate(subject.settings.scales):
        tokens, problems = subject.selected(entry.match, numbers, "scales", index, "match", noun="number")
        yield from problems
        steps = [f"multiples of {entry.step:g}"] if entry.step else []
        allowed = " and ".join([*steps, *([listed([f"{value:g}" for value in entry.values])] if entry.values else [])])
        for token in tokens:
            wrong = []
            for theme in subject.themes_of((token,))[0]:
                value = subject.resolver(theme)(token.key)
                number = value.number if isinstance(value, Quantity) and not is_relative(value) else value
                if isinstance(number, float) and not _is_on(entry, number):
                    wrong.append(f"{shortest(number)} in {theme.name}")
            if wrong:
                what, to_do = f"its scale has {allowed}", "use a number of the scale"
                yield subject.problem("number-off-scale", token.key, what, to_do, wrong)


def _is_on(entry: ScaleConfig, number: float) -> bool:
    near = [*entry.values, *([round(number / entry.step) * entry.step] if entry.step else [])]
    return any(abs(number - value) < _TOLERANCE for value in near)
