"""The one resolver of aliases: a graph's values as columns of integers, and the literal of each token in a theme.

Each token has an index, each distinct literal an index of its own, and each mode a column of codes. A theme is a column
for every collection family; to resolve it is to follow codes. Lists of small integers make that several times faster
than dictionaries of keys and values, which counts with tens of thousands of tokens in dozens of themes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NewType

from tokensync.tokens.algorithms import on_cycles
from tokensync.tokens.composites import filled
from tokensync.tokens.values import (
    LITERAL_CLASSES,
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Literal,
    Quantity,
    TokenKey,
    Unresolved,
    Value,
    composed,
    targets,
)
from tokensync.tokens.weights import AS_TEXT, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.tokens.collection import Collection, FamilyKey, Theme, Token

Resolved = Literal | Unresolved

TokenIndex = NewType("TokenIndex", int)
"""The index of a token in ``Columns.tokens``."""

LiteralIndex = NewType("LiteralIndex", int)
"""The index of a literal in ``Columns.values``, or of the reason why there is none."""

# A call of either type costs more than the look-ups of the loops here, so it is made once a token and once a literal;
# whatever goes through themes and modes takes indices and codes from the containers that have them.

Code = TokenIndex
"""A value in a mode: the index of the token that its alias leads to, ``NEEDS_RESOLVER``, or lower for a literal.

It is no type of its own: whoever sees that a code is not negative has a token's index, without a cast.
"""

NEEDS_RESOLVER = Code(-1)
"""The code of a value that is more than a literal or an alias: composed, dangling, absent, or with references in it."""

NO_TOKEN = TokenIndex(-1)
"""In place of a token's index, where there is none."""

OPEN, _ACTIVE = LiteralIndex(-1), LiteralIndex(-2)
"""In place of a literal's index: not resolved yet; and being resolved, so that whoever needs it is on a cycle."""

_UNRESOLVED, _COLOR, _NUMBER, _QUANTITY, _TEXT, _BOOLEAN, _COMPOSITE, _WEIGHT = (1 << bit for bit in range(8))
"""The kinds of literals. A weight that is kept as text has a number, and its text for an alias of type string."""

_KINDS: dict[type, int] = {
    Color: _COLOR,
    float: _NUMBER,
    Quantity: _QUANTITY,
    str: _TEXT,
    bool: _BOOLEAN,
    Composite: _COMPOSITE,
    Unresolved: _UNRESOLVED,
}
_KINDS_OF_TYPE = {
    AS_TEXT: _WEIGHT,
    **{name: sum(_KINDS[each] for each in classes) for name, classes in LITERAL_CLASSES.items()},
}
_ANY = ~_WEIGHT
"""What a token of any other type can show; a weight is a text to it."""


class ResolvedTheme(NamedTuple):
    """All tokens in one theme, by token index.

    ``codes`` hold the index of the token that the alias leads to, or a negative number; ``literals`` the index of the
    literal that the token shows, or ``OPEN`` for one that nobody asked for.
    """

    codes: list[Code]
    literals: list[LiteralIndex]


class _Pending(NamedTuple):
    """A theme that is being resolved; ``values`` has what tokens with several targets have written, and what is left
    of their targets, by the indices of tokens.
    """

    codes: list[Code]
    literals: list[LiteralIndex]
    modes: dict[FamilyKey, int]
    values: dict[TokenIndex, tuple[Value | None, Iterator[TokenIndex]]]


class Columns:
    """A graph's values as integers.

    ``tokens`` are the tokens by index, ``indices`` the indices of their keys, ``of_family`` those of each collection
    family. ``values`` are the distinct literals by index, and the reasons why there is none; ``of_code`` has the index
    of the literal that a code stands for, by the code without its sign.
    """

    def __init__(self, collections: Mapping[FamilyKey, Collection], tokens: Mapping[TokenKey, Token]) -> None:
        self.collections = collections
        self.tokens: list[Token] = list(tokens.values())
        self.indices: dict[TokenKey, TokenIndex] = {key: TokenIndex(index) for index, key in enumerate(tokens)}
        self.of_family: dict[FamilyKey, list[TokenIndex]] = {key: [] for key in collections}
        for key, index in self.indices.items():
            self.of_family[key[:2]].append(index)
        self.values: list[Resolved] = []
        self.of_code: list[LiteralIndex] = [OPEN] * (1 - NEEDS_RESOLVER)  # no literal has a code this near to 0
        self._kinds: list[int] = []
        self._fitting = [_KINDS_OF_TYPE.get(token.type, _ANY) | _UNRESOLVED for token in self.tokens]
        self._codes: dict[type, dict[Resolved, Code]] = {}
        self._weights: dict[str, Code] = {}
        self._texts: dict[LiteralIndex, str] = {}
        self._columns: dict[tuple[FamilyKey, int], list[Code]] = {}

    def column(self, family: FamilyKey, mode: int) -> list[Code]:
        """Return the codes of a family's tokens in a mode; a parent mode's where it has no value of its own."""
        known = self._columns.get((family, mode))
        if known is not None:
            return known
        modes = self.collections[family].modes
        chain = [mode]
        codes = [NEEDS_RESOLVER] * len(self.of_family[family])
        while (parent := modes[chain[-1]].parent) is not None:
            known = self._columns.get((family, parent))
            if known is not None:
                codes = known
                break
            chain.append(parent)
        for each in reversed(chain):
            codes = self._columns[family, each] = self._over(codes, family, each)
        return codes

    def fits(self, index: TokenIndex, literal: LiteralIndex) -> bool:
        """Return whether a token's type can have a literal."""
        return bool(self._fitting[index] & self._kinds[literal])

    def can_show(self, index: TokenIndex, target: TokenIndex) -> bool:
        """Return whether a token can ever show what another one shows, by the types of the two."""
        return bool(self._fitting[index] & self._fitting[target] & ~_UNRESOLVED)

    def codes(self, theme: Theme) -> list[Code]:
        """Return the codes of all tokens in a theme."""
        codes = self._default_codes.copy()
        for family, mode in theme.modes:
            self._put(codes, family, mode)
        return codes

    @cached_property
    def _default_codes(self) -> list[Code]:
        codes = [NEEDS_RESOLVER] * len(self.tokens)
        for key, collection in self.collections.items():
            self._put(codes, key, collection.default_mode)
        return codes

    def resolve(
        self, codes: list[Code], literals: list[LiteralIndex], wanted: Iterable[TokenIndex], theme: Theme
    ) -> None:
        """Fill in the open literals of the wanted tokens and of all that they refer to.

        An alias shows what its target shows, if its own type can show that. Every token of a cycle is unresolved. There
        is no recursion: a chain may be as long as a library.
        """
        kinds, fitting, of_code = self._kinds, self._fitting, self.of_code
        pending = _Pending(codes, literals, dict(theme.modes), {})
        for index in wanted:
            if literals[index] >= 0:
                continue
            path = [index]
            while path:
                current = path[-1]
                code = codes[current]
                if code < NEEDS_RESOLVER:
                    found = of_code[-code]
                elif code == NEEDS_RESOLVER:
                    found = self._evaluated(pending, path)
                else:
                    found = literals[code]
                    if found == OPEN:
                        path.append(code)
                    elif found == _ACTIVE:
                        found = self._marked(pending, current)
                if found == OPEN:
                    literals[current] = _ACTIVE
                    continue
                if not kinds[found] & fitting[current]:
                    found = self._converted(found, current)
                if literals[current] < 0:
                    literals[current] = found
                path.pop()

    def _written(self, index: TokenIndex, modes: Mapping[FamilyKey, int]) -> Value | None:
        token = self.tokens[index]
        collection = self.collections[token.key[:2]]
        return token.value(modes.get(collection.key, collection.default_mode), collection.modes)

    def _evaluated(self, pending: _Pending, path: list[TokenIndex]) -> LiteralIndex:
        """Return the index of what the last token of the path shows, or put an open target of it on the path."""
        index = path[-1]
        literals = pending.literals
        begun = pending.values.get(index)
        if begun is None:
            literals[index] = _ACTIVE
            written = self._written(index, pending.modes)
            begun = (written, iter([self.indices[each] for each in targets(written) if each in self.indices]))
            pending.values[index] = begun
        value, left = begun
        if literals[index] >= 0:  # it was found on a cycle meanwhile
            return literals[index]
        for target in left:
            if literals[target] == OPEN:
                path.append(target)
                return OPEN
            if literals[target] == _ACTIVE:
                return self._marked(pending, index)
        key = self.tokens[index].key
        match value:
            case None:
                return self._literal(Unresolved("absent", str(key)))
            case Alias() | DanglingAlias() as part:
                return self._literal(self._part(part, literals))
            case ComposedColor(color=color, opacity=opacity):
                return self._literal(_composed(self._part(color, literals), self._part(opacity, literals), key))
            case Composite(references=references) if references:
                whole = filled(value, self.tokens[index].type, lambda each: self._shown(each, literals), key)
                return self._literal(whole)
            case _:
                return self._literal(value)

    def _part(self, part: Alias | DanglingAlias | Color | float, literals: list[LiteralIndex]) -> Resolved:
        """Return the literal of a part of a value; a weight that is kept as text is a text here."""
        if isinstance(part, DanglingAlias):
            return Unresolved("dangling", part.reference)
        if not isinstance(part, Alias):
            return part
        index = self.indices.get(part.target)
        found = OPEN if index is None else literals[index]
        return self._texts.get(found) or self._shown(part.target, literals)

    def _shown(self, key: TokenKey, literals: list[LiteralIndex]) -> Resolved:
        index = self.indices.get(key)
        return Unresolved("dangling", str(key)) if index is None else self.values[literals[index]]

    def _marked(self, pending: _Pending, index: TokenIndex) -> LiteralIndex:
        """Make every open token on a cycle unresolved, and return what the token shows then.

        All cycles of the theme at once: so it does not matter which token of them was met first.
        """
        edges: dict[TokenIndex, tuple[TokenIndex, ...]] = {}
        for source, code in zip(self.indices.values(), pending.codes, strict=True):
            if code >= 0:
                edges[source] = (code,)
            elif code == NEEDS_RESOLVER:
                ends = targets(self._written(source, pending.modes))
                edges[source] = tuple(self.indices[each] for each in ends if each in self.indices)
        for each in on_cycles(edges):
            if pending.literals[each] < 0:
                pending.literals[each] = self._literal(Unresolved("cycle", str(self.tokens[each].key)))
        return pending.literals[index]

    def _converted(self, found: LiteralIndex, index: TokenIndex) -> LiteralIndex:
        """Return what a token of another type shows of a literal: a weight's text, a text's weight, or a mismatch."""
        text = self._texts.get(found)
        if text is not None and self._fitting[index] & _TEXT:
            return self._literal(text)
        value = self.values[found]
        if type(value) is str and self._fitting[index] & _WEIGHT:
            code = self._code_of_weight(value)
            if code != NEEDS_RESOLVER:
                return self.of_code[-code]
        return self._literal(Unresolved("mismatch", str(self.tokens[index].key)))

    def _over(self, inherited: list[Code], family: FamilyKey, mode: int) -> list[Code]:
        tokens, indices, code_of = self.tokens, self.indices, self._code
        codes = []
        for index, code in zip(self.of_family[family], inherited, strict=True):
            value = tokens[index].values[mode]
            kind = type(value)
            if kind is Alias:
                codes.append(indices.get(value.target, NEEDS_RESOLVER))  # type: ignore[union-attr]
            elif kind is str and tokens[index].type == AS_TEXT:
                codes.append(self._code_of_weight(value))  # type: ignore[arg-type]
            elif kind in _KINDS and not (kind is Composite and value.references):  # type: ignore[union-attr]
                codes.append(code_of(value))  # type: ignore[arg-type]
            else:
                codes.append(code if value is None else NEEDS_RESOLVER)
        return codes

    def _literal(self, value: Resolved) -> LiteralIndex:
        return self.of_code[-self._code(value)]

    def _code(self, value: Resolved) -> Code:
        """Return the code of a literal, or of the reason why there is none. Equal ones of one type share it."""
        of_type = self._codes.setdefault(type(value), {})
        code = of_type.get(value)
        if code is None:
            code = of_type[value] = self._added(value, _KINDS[type(value)])
        return code

    def _code_of_weight(self, text: str) -> Code:
        """Return the code of a weight that is kept as text: of its number, one for each text."""
        code = self._weights.get(text)
        if code is None:
            weight = weight_of(text)
            if weight is None:
                return NEEDS_RESOLVER
            code = self._weights[text] = self._added(weight, _WEIGHT)
            self._texts[self.of_code[-code]] = text
        return code

    def _added(self, value: Resolved, kind: int) -> Code:
        index = LiteralIndex(len(self.values))
        self.values.append(value)
        self.of_code.append(index)
        self._kinds.append(kind)
        return Code(NEEDS_RESOLVER - 1 - index)

    def _put(self, codes: list[Code], family: FamilyKey, mode: int) -> None:
        indices, column = self.of_family[family], self.column(family, mode)
        if indices and indices[-1] - indices[0] == len(indices) - 1:  # they ascend, so these are side by side
            codes[indices[0] : indices[-1] + 1] = column
            return
        for index, code in zip(indices, column, strict=True):
            codes[index] = code


def _composed(base: Resolved, opacity: Resolved, key: TokenKey) -> Resolved:
    if isinstance(base, Unresolved):
        return base
    if isinstance(opacity, Unresolved):
        return opacity
    if isinstance(base, Color) and isinstance(opacity, float):
        return composed(base, opacity)
    return Unresolved("mismatch", str(key))
