"""A graph's values as numbers: each token has a place, each distinct literal a number, each mode a column of codes.

Themes are worked out over tens of thousands of tokens; lists of small numbers make that several times faster than
dictionaries of keys and values. Only this module and ``resolution`` know the codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import Alias, Color, Composite, Quantity
from tokensync.tokens.weights import AS_TEXT, weight_of

if TYPE_CHECKING:
    from tokensync.tokens import FamilyKey, Resolved, Token, TokenGraph, TokenKey

HARD = -1
"""The code of a value that the graph's own resolver has to look at: composed, dangling, absent, or a composite with
references."""

# A code of 0 and above is the place of the token that an alias leads to; one below HARD stands for a literal.

_CLASSES: dict[type, int] = {Color: 1, float: 2, Quantity: 2, str: 3, bool: 4, Composite: 5}
_CLASS_OF_TYPE = {
    "color": 1,
    "dimension": 2,
    "duration": 2,
    "number": 2,
    "fontWeight": 2,
    AS_TEXT: 2,
    "string": 3,
    "fontFamily": 3,
    "boolean": 4,
}
_COMPOSITE = 5


class Columns:
    """``tokens`` by place, ``places`` of keys and of families; ``values`` are the distinct literals by number.

    ``classes`` and ``value_classes`` say which literals a token of that type can show: those of its own class.
    """

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.tokens: list[Token] = list(graph.tokens.values())
        self.places: dict[TokenKey, int] = {key: place for place, key in enumerate(graph.tokens)}
        self.of_family: dict[FamilyKey, list[int]] = {key: [] for key in graph.collections}
        for key, place in self.places.items():
            self.of_family[key[:2]].append(place)
        self.values: list[Resolved] = []
        self.value_classes: list[int] = []
        self.classes = [_CLASS_OF_TYPE.get(token.type, _COMPOSITE) for token in self.tokens]
        self._numbers: dict[type, dict[Resolved, int]] = {}
        self._weights: dict[str, int] = {}
        self._columns: dict[tuple[FamilyKey, int], list[int]] = {}

    def number(self, value: Resolved) -> int:
        """The number of a literal (or of the reason why there is none); equal ones of one type share it."""
        of_type = self._numbers.setdefault(type(value), {})
        number = of_type.get(value)
        if number is None:
            number = of_type[value] = len(self.values)
            self.values.append(value)
            self.value_classes.append(_CLASSES.get(type(value), 0))
        return number

    def _code_of_weight(self, text: str) -> int:
        """Return the code of a weight that is kept as text: of its number, by the text.

        Texts of one weight have numbers of their own, since an alias of type ``string`` shows the text.
        """
        number = self._weights.get(text)
        if number is None:
            weight = weight_of(text)
            if weight is None:
                return HARD
            number = self._weights[text] = len(self.values)
            self.values.append(weight)
            self.value_classes.append(_CLASSES[float])
        return HARD - 1 - number

    def column(self, family: FamilyKey, mode: int) -> list[int]:
        """The codes of the family's tokens in a mode, those of the parent mode where it has no value of its own."""
        known = self._columns.get((family, mode))
        if known is not None:
            return known
        modes = self.graph.collections[family].modes
        chain = [mode]
        while (parent := modes[chain[-1]].parent) is not None:
            chain.append(parent)
        codes = [HARD] * len(self.of_family[family])
        for each in reversed(chain):
            codes = self._columns[family, each] = self._over(codes, family, each)
        return codes

    def _over(self, inherited: list[int], family: FamilyKey, mode: int) -> list[int]:
        tokens, places, number = self.tokens, self.places, self.number
        codes = []
        for place, code in zip(self.of_family[family], inherited, strict=True):
            value = tokens[place].values[mode]
            kind = type(value)
            if kind is Alias:
                codes.append(places.get(value.target, HARD))  # type: ignore[union-attr]
            elif kind is str and tokens[place].type == AS_TEXT:
                codes.append(self._code_of_weight(value))  # type: ignore[arg-type]
            elif kind in _CLASSES and not (kind is Composite and value.references):  # type: ignore[union-attr]
                codes.append(HARD - 1 - number(value))  # type: ignore[arg-type]
            else:
                codes.append(code if value is None else HARD)
        return codes
