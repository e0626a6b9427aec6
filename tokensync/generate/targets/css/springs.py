"""Springs and holds of Figma's motion variables as easing functions of CSS.

Figma stores a spring as its bounce alone, and stretches it over the length of its segment. With the damping ratio
``1 - bounce``, the motion is that of a damped harmonic oscillator that starts at rest, and whose envelope has fallen to
a fixed share of the way at the end of the segment. CSS has no springs: ``linear()`` joins points of the curve (CSS
Easing 2), and has as few as keep every point of the curve within a tolerance.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, exp, log, pi, sin, sqrt
from typing import TYPE_CHECKING

from tokensync.normalize.motion import SPRINGS, easing_of
from tokensync.tokens.composites import decoded
from tokensync.tokens.values import shortest

if TYPE_CHECKING:
    from tokensync.tokens import Composite

_REST = 0.00075
"""The envelope at the end, as a share of the way; renders of Figma have 0.0007 to 0.0008 (September 2026)."""
_CRITICAL = 11.25
"""The natural frequency without a bounce, for which an envelope says nothing."""
_LEAST, _MOST = 0.01, 0.95  # nearly without a bounce, the envelope diverges; with a bounce of 1, there is no end
_TOLERANCE = 0.002
_POINTS_PER_CYCLE = 64


def easing(value: Composite) -> str | None:
    """Return the easing function of a ``MotionEasing`` that is no curve; None for another value."""
    match decoded(easing_of(value) or "null"):
        case {"type": "HOLD"}:
            return "step-end"
        case {"easingFunctionSpring": {"bounce": bounce}}:
            return _linear(float(bounce))
        case {"type": str(kind)} if kind in SPRINGS:
            return _linear(SPRINGS[kind])
    return None


@lru_cache(maxsize=256)
def _linear(bounce: float) -> str:
    """Return ``linear()`` for a spring; positions have a hundredth of a percent, and outputs four decimals."""
    if bounce < _LEAST:
        cycles = 0.0

        def position(time: float) -> float:
            return 1 - (1 + _CRITICAL * time) * exp(-_CRITICAL * time)

    else:
        damping = 1 - min(bounce, _MOST)
        decay = -log(_REST * sqrt(1 - damping**2))
        speed = decay / damping * sqrt(1 - damping**2)
        cycles = speed / (2 * pi)

        def position(time: float) -> float:
            return 1 - exp(-decay * time) * (cos(speed * time) + decay / speed * sin(speed * time))

    count = int(_POINTS_PER_CYCLE * (cycles + 1))
    curve = [(step / count, position(step / count)) for step in range(count)]
    points = _fewest([*curve, (1.0, 1.0)])
    inner = [f"{shortest(round(way, 4))} {shortest(round(time * 100, 2))}%" for time, way in points[1:-1]]
    return f"linear({', '.join(['0', *inner, '1'])})"


def _fewest(curve: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points of a curve that keep it within the tolerance (Douglas and Peucker)."""
    kept, pending = {0, len(curve) - 1}, [(0, len(curve) - 1)]
    while pending:
        first, last = pending.pop()
        (start, low), (end, high) = curve[first], curve[last]
        distances = [
            abs(way - low - (high - low) * (time - start) / (end - start)) for time, way in curve[first + 1 : last]
        ]
        if distances and max(distances) > _TOLERANCE:
            middle = first + 1 + distances.index(max(distances))
            kept.add(middle)
            pending += (first, middle), (middle, last)
    return [curve[at] for at in sorted(kept)]
