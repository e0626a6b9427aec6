"""Which font weights are a Font.Weight: those that have a name in whatever theme they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.edges import edges_of, not_always
from tokensync.targets.ios.literals import WEIGHTS
from tokensync.tokens.weights import weight_of

if TYPE_CHECKING:
    from tokensync.generate.sheet import Sheet
    from tokensync.tokens import Resolved


def settle_weights(sheet: Sheet, *, named: bool) -> None:
    """Make numbers of the weights of kind ``weight`` that have no name in some mode, or of all unless ``named``."""
    weights = [place for place in sheet.declared if sheet.kinds[place] == "weight"]
    if weights and named:
        nameless = not_always(_has_name, sheet.resolution, edges_of(sheet.resolution))
        weights = [place for place in weights if place in nameless]
    for place in weights:
        sheet.kinds[place] = "number"


def _has_name(value: Resolved | None) -> bool:
    """Whether it can be a Font.Weight; a value that is no number, and no text that names a weight, does not matter."""
    number = weight_of(value) if isinstance(value, str) else value
    return number in WEIGHTS if isinstance(number, float) else True
