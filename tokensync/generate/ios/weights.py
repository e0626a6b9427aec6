"""Which font weights are a Font.Weight: those that have a name in whatever theme they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.dependants import Dependants, with_dependants
from tokensync.generate.literals.swift import WEIGHTS
from tokensync.tokens import targets

if TYPE_CHECKING:
    from tokensync.generate.sheet import Sheet


def settle_weights(sheet: Sheet, *, named: bool) -> None:
    """Make numbers of the weights of kind ``weight`` that have no name in some mode, or of all unless ``named``."""
    weights = [place for place in sheet.declared if sheet.kinds[place] == "weight"]
    nameless = _nameless(sheet, weights) if named else set(weights)
    for place in weights:
        if place in nameless:
            sheet.kinds[place] = "number"


def _nameless(sheet: Sheet, weights: list[int]) -> set[int]:
    """Those of the tokens, and of all that they may lead to, that hold a number without a name or lead to one."""
    tokens, places = sheet.tokens, sheet.resolution.columns.places
    dependants: Dependants = {}
    found = set()
    seen = set(weights)
    waiting = list(weights)
    while waiting:
        place = waiting.pop()
        for value in tokens[place].values:
            if type(value) is float and value not in WEIGHTS:
                found.add(place)
            for target in targets(value):
                if target in places:
                    dependants.setdefault(places[target], []).append(place)
                    if places[target] not in seen:
                        seen.add(places[target])
                        waiting.append(places[target])
    return with_dependants(found, dependants)
