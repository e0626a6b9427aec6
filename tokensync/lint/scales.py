"""Numbers that are not on a declared scale. No scale is inferred: a guess about a team's own is usually wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.system.wording import listed
from tokensync.tokens import Quantity, shortest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.lint.subject import Subject
    from tokensync.settings import ScaleConfig
    from tokensync.system.problems import Problem

_TOLERANCE = 1e-4
_TYPES = ("number", "dimension", "duration", "fontWeight")


def scales(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens of ``[[lint.scales]]`` whose number in a theme is not on the scale."""
    numbers = [token for token in subject.declared if token.type in _TYPES] if subject.settings.scales else []
    for index, entry in enumerate(subject.settings.scales):
        tokens, problems = subject.selected(entry.match, numbers, "scales", index, "match", noun="number")
        yield from problems
        steps = [f"multiples of {entry.step:g}"] if entry.step else []
        allowed = " and ".join([*steps, *([listed([f"{value:g}" for value in entry.values])] if entry.values else [])])
        for token in tokens:
            wrong = []
            for theme in subject.themes_of((token,))[0]:
                value = subject.resolver(theme)(token.key)
                number = value.number if isinstance(value, Quantity) else value
                if isinstance(number, float) and not _is_on(entry, number):
                    wrong.append(f"{shortest(number)} in {theme.name}")
            if wrong:
                what, to_do = f"its scale has {allowed}", "use a number of the scale"
                yield subject.problem("number-off-scale", token.key, what, to_do, wrong)


def _is_on(entry: ScaleConfig, number: float) -> bool:
    near = [*entry.values, *([round(number / entry.step) * entry.step] if entry.step else [])]
    return any(abs(number - value) < _TOLERANCE for value in near)
