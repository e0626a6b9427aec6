"""Colours that hardly differ: for everybody, and for people with a deficiency of colour vision."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Final

from tokensync.tokens import Color

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey, Token

_DEFICIENCIES: Final = {"protan": "protanopia", "deutan": "deuteranopia", "tritan": "tritanopia"}
_CELL: Final = (2.0, 8.0, 8.0)
"""How far L*, a* and b* of two colours can be apart for each unit of CIEDE2000, which is at most 1.8, 6.5 and 6.5 in
sRGB. In OKLab it would be ten times as far near black as elsewhere."""


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
