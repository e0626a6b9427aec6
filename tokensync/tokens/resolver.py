"""Resolve aliases: a graph's tokens as columns, its values as integers, and the literal of each token in a theme.

Each token and each distinct literal has an index, and each mode has a column of codes. A theme selects a column for
each collection family, and resolution follows the codes. Lists of small integers make this several times faster than
dictionaries of keys and values, which matters for tens of thousands of tokens in dozens of themes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property, partial
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, NewType, cast

from msgspec import Struct, field
from msgspec.structs import replace

from tokensync.tokens.algorithms import on_cycles
from tokensync.tokens.collection import Collection, FamilyKey, Origin, Token, Unit, inherited
from tokensync.tokens.composites import filled
from tokensync.tokens.values import (
    AS_TEXT,
    LITERAL_CLASSES,
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Literal,
    Notation,
    Quantity,
    TokenKey,
    Unresolved,
    Value,
    composed,
    targets,
    weight_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.tokens.collection import Theme

Resolved = Literal | Unresolved

TokenIndex = NewType("TokenIndex", int)
"""The index of a token in ``Columns.tokens``."""

LiteralIndex = NewType("LiteralIndex", int)
"""The index of a literal, or of the reason for a missing one, in ``Columns.values``."""

# A call of either type costs more than a look-up in the loops below. So indices are created once per token and literal,
# and loops over themes and modes take them from containers.

Code = TokenIndex
"""A value in a mode: the token index of an alias's target, ``NEEDS_RESOLVER``, or a lower number for a literal.

It is not a NewType of its own, so that a code that is not negative is a token index without a cast.
"""

NEEDS_RESOLVER = Code(-1)
"""The code of all other values: composed, dangling, absent, or composite with references."""

NO_TOKEN = TokenIndex(-1)
"""The index of a missing token."""

OPEN, _ACTIVE = LiteralIndex(-1), LiteralIndex(-2)
"""Placeholders for the index of a literal that is not resolved yet, or being resolved (a second visit is a cycle)."""

_UNRESOLVED, _COLOR, _NUMBER, _QUANTITY, _TEXT, _BOOLEAN, _COMPOSITE, _WEIGHT = (1 << bit for bit in range(8))
"""The kinds of literals. A weight that is stored as text has a number, and a text for aliases of type string."""

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
    **{name: sum(_KINDS[class_] for class_ in classes) for name, classes in LITERAL_CLASSES.items()},
}
_ANY = ~_WEIGHT
"""The kinds for all other token types, for which a weight is a text."""


class ResolvedTheme(NamedTuple):
    """All tokens in one theme, by token index.

    ``codes`` holds the target's index for an alias, else a negative number. ``literals`` holds literal indices, or
    ``OPEN`` for a literal that was not requested.
    """

    codes: list[Code]
    literals: list[LiteralIndex]


class _Pending(NamedTuple):
    """A theme during resolution. ``values`` holds the values and remaining targets of tokens with several targets."""

    codes: list[Code]
    literals: list[LiteralIndex]
    modes: dict[FamilyKey, int]
    values: dict[TokenIndex, tuple[Value | None, Iterator[TokenIndex]]]


class Literals:
    """The distinct literals of a graph, and reasons for missing ones, with their codes.

    ``values`` holds them by index, ``kinds`` their kinds. ``of_code`` holds the literal index of each negative code, by
    the code's absolute value. ``texts`` has the text of each weight that is stored as text.
    """

    def __init__(self) -> None:
        self.values: list[Resolved] = []
        self.kinds: list[int] = []
        self.of_code: list[LiteralIndex] = [OPEN] * (1 - NEEDS_RESOLVER)  # codes of literals start below
        self.texts: dict[LiteralIndex, str] = {}
        self._codes: dict[type, dict[Resolved, Code]] = {kind: {} for kind in _KINDS}
        self._weights: dict[str, Code] = {}

    def code(self, value: Resolved) -> Code:
        """Return the code of a literal, or of the reason for a missing one. Equal ones of one type share a code."""
        kind = type(value)
        free: Code = NEEDS_RESOLVER - 1 - len(self.values)  # type: ignore[assignment]  # a NewType costs a call
        code = self._codes[kind].setdefault(value, free)  # hashes the value once
        return code if code != free else self._added(value, _KINDS[kind])

    def code_of_weight(self, text: str) -> Code:
        """Return the code of a weight that is stored as text: that of its number, but one for each text."""
        code = self._weights.get(text)
        if code is None:
            weight = weight_of(text)
            if weight is None:
                return NEEDS_RESOLVER
            code = self._weights[text] = self._added(weight, _WEIGHT)
            self.texts[self.of_code[-code]] = text
        return code

    def written(self, code: Code) -> Literal:
        """Return the literal of a code as a token holds it, so the text of a weight that is stored as text."""
        index = self.of_code[-code]
        return self.texts.get(index) or self.values[index]  # type: ignore[return-value]  # no token holds a reason

    def _added(self, value: Resolved, kind: int) -> Code:
        index: LiteralIndex = len(self.values)  # type: ignore[assignment]
        self.values.append(value)
        self.of_code.append(index)
        self.kinds.append(kind)
        return NEEDS_RESOLVER - 1 - index  # type: ignore[return-value]


class TokenTable(Struct, kw_only=True, eq=False, dict=True):
    """Tokens as columns: each list has one element for each token, by token index, with the members of ``Token``.

    ``rows`` holds the codes of a token's own values by mode: ``NEEDS_RESOLVER`` for a missing value, and for a value
    without a code. ``others`` holds the values of the tokens that have some without a code.
    """

    collections: Mapping[FamilyKey, Collection]
    literals: Literals = field(default_factory=Literals)
    families: list[FamilyKey] = []
    paths: list[str] = []
    rows: list[tuple[Code, ...]] = []
    others: dict[TokenIndex, tuple[Value | None, ...]] = {}
    types: list[str] = []
    descriptions: list[str] = []
    scopes: list[tuple[str, ...]] = []
    code_syntax: list[tuple[tuple[str, str], ...]] = []
    hidden: list[bool] = []
    origins: list[Origin] = []
    published: list[bool | None] = []
    deprecated: list[bool | str] = []
    ids: list[str] = []
    variable_keys: list[str] = []
    extensions: list[str] = []
    units: list[Unit] = []
    notations: list[tuple[Notation, ...]] = []

    @cached_property
    def order(self) -> Sequence[TokenIndex]:
        """All token indices."""
        return cast("Sequence[TokenIndex]", range(len(self.paths)))

    @cached_property
    def keys(self) -> list[TokenKey]:
        """The keys of the tokens."""
        # Without a call of a Python function for each key.
        return [
            *map(
                partial(tuple.__new__, TokenKey),
                [(*family, path) for family, path in zip(self.families, self.paths, strict=True)],
            )
        ]

    @cached_property
    def indices(self) -> dict[TokenKey, TokenIndex]:
        """The token indices by key."""
        return dict(zip(self.keys, self.order, strict=True))

    @cached_property
    def of_family(self) -> dict[FamilyKey, list[TokenIndex]]:
        """The token indices of each collection family."""
        indices: dict[FamilyKey, list[TokenIndex]] = {key: [] for key in self.collections}
        for index, family in zip(self.order, self.families, strict=True):
            indices[family].append(index)
        return indices

    @cached_property
    def cyclic(self) -> AbstractSet[TokenIndex]:
        """The tokens that refer to themselves in some combination of modes, directly or through others."""
        refer = map(NO_TOKEN.__lt__, map(max, self.rows))  # literals need no search
        coded: dict[TokenIndex, Sequence[Code]] = dict(compress(zip(self.order, self.rows, strict=True), refer))
        coded |= {index: self.targets_of(index) for index in self.others}
        return on_cycles(coded) if coded else set()

    def with_tokens(self, collections: Iterable[Collection], tokens: Sequence[Token]) -> TokenTable:
        """Return the table with more collections, and their tokens after its own."""
        columns = {name: [*getattr(self, name), *map(attrgetter(member), tokens)] for name, member in MEMBERS.items()}
        whole = replace(
            self,
            collections={**self.collections, **{family.key: family for family in collections}},
            families=[*self.families, *(token.key[:2] for token in tokens)],
            paths=[*self.paths, *(token.key.path for token in tokens)],
            rows=[*self.rows, *([()] * len(tokens))],
            others=dict(self.others),
            **columns,
        )
        whole.keys = [*self.keys, *(token.key for token in tokens)]
        for index, token in zip(whole.order[len(self.paths) :], tokens, strict=True):
            whole.put(index, token.values)
        return whole

    def put(self, index: TokenIndex, values: tuple[Value | None, ...]) -> None:
        """Set the values of a token, whose type is final."""
        literals, is_weight = self.literals, self.types[index] == AS_TEXT
        codes: list[Code] = []
        is_coded = True
        for value in values:
            kind = type(value)
            code = NEEDS_RESOLVER
            if kind is Alias:
                code = self.indices.get(value.target, NEEDS_RESOLVER)  # type: ignore[union-attr]
            elif kind is str and is_weight:
                code = literals.code_of_weight(value)  # type: ignore[arg-type]
            elif kind in _KINDS and not (kind is Composite and value.references):  # type: ignore[union-attr]
                code = literals.code(value)  # type: ignore[arg-type]
            if code == NEEDS_RESOLVER and value is not None:
                is_coded = False
            codes.append(code)
        self.rows[index] = tuple(codes)
        if not is_coded:
            self.others[index] = values

    def values_of(self, index: TokenIndex) -> tuple[Value | None, ...]:
        """Return the values of a token."""
        if (values := self.others.get(index)) is not None:
            return values
        written, alias = self.literals.written, self._aliases
        row = self.rows[index]
        return tuple([alias(code) if code >= 0 else written(code) if code < NEEDS_RESOLVER else None for code in row])

    @cached_property
    def _aliases(self) -> Callable[[TokenIndex], Alias]:
        keys = self.keys
        return cache(lambda index: Alias(keys[index]))

    def targets_of(self, index: TokenIndex) -> list[TokenIndex]:
        """Return the tokens of the table that a token refers to in any mode, also within its values."""
        values = self.others.get(index)
        if values is None:
            return [code for code in self.rows[index] if code >= 0]
        return [self.indices[target] for value in values for target in targets(value) if target in self.indices]

    def has_alias(self, index: TokenIndex) -> bool:
        """Return whether a token has an alias in some mode, perhaps one to a token that is not in the table."""
        return max(self.rows[index]) >= 0 or (index in self.others and Alias in map(type, self.others[index]))

    def literals_of(self, index: TokenIndex) -> list[Value]:
        """Return the values of a token in any mode, apart from aliases."""
        values = self.others.get(index)
        if values is None:
            return [*map(self.literals.written, filter(NEEDS_RESOLVER.__gt__, self.rows[index]))]
        return [value for value in values if value is not None and type(value) is not Alias]


MEMBERS = {
    name: name if name in Token.__struct_fields__ else name.removesuffix("s")
    for name in TokenTable.__struct_fields__[TokenTable.__struct_fields__.index("types") :]
}
"""The columns of a table that hold members of tokens as they are, with these members."""


class _Tokens(dict[TokenIndex, Token]):
    """The tokens of a table by index. It is apart from the table, so that no cycle keeps a graph in memory."""

    def __init__(self, table: TokenTable) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, index: TokenIndex) -> Token:
        table = self._table
        members = {member: getattr(table, name)[index] for name, member in MEMBERS.items()}
        token = self[index] = Token(key=table.keys[index], values=table.values_of(index), **members)
        return token


class Columns:
    """A graph's values as integers, by mode.

    ``tokens`` maps indices to tokens, which are made when they are looked up. ``values`` and ``of_code`` are those of
    the table's literals.
    """

    def __init__(self, table: TokenTable, tokens: Iterable[Token] = ()) -> None:
        self.table = table
        self.tokens: dict[TokenIndex, Token] = _Tokens(table)
        self.tokens.update(zip(table.order, tokens, strict=False))
        self.values = table.literals.values
        self.of_code = table.literals.of_code
        fitting = {name: _KINDS_OF_TYPE.get(name, _ANY) | _UNRESOLVED for name in set(table.types)}
        self._fitting = [*map(fitting.__getitem__, table.types)]
        self._columns: dict[tuple[FamilyKey, int], Sequence[Code]] = {}
        self._written: dict[tuple[TokenIndex, int], tuple[Value | None, list[TokenIndex]]] = {}

    def column(self, family: FamilyKey, mode: int) -> Sequence[Code]:
        """Return the codes of a family's tokens in a mode, inherited from parent modes for missing values."""
        columns = self._columns
        if (family, mode) not in columns:
            table = self.table
            modes, indices, others = table.collections[family].modes, table.of_family[family], table.others
            written = [*zip(*map(table.rows.__getitem__, indices), strict=False)] or [()] * len(modes)
            for number, (codes, own_mode) in enumerate(zip(written, modes, strict=False)):
                columns[family, number] = codes
                if own_mode.parent is not None:
                    columns[family, number] = [
                        inherited
                        if code == NEEDS_RESOLVER and (index not in others or others[index][number] is None)
                        else code
                        for index, code, inherited in zip(indices, codes, columns[family, own_mode.parent], strict=True)
                    ]
        return columns[family, mode]

    def fits(self, index: TokenIndex, literal: LiteralIndex) -> bool:
        """Return whether a token's type can have a literal."""
        return bool(self._fitting[index] & self.table.literals.kinds[literal])

    def can_show(self, index: TokenIndex, target: TokenIndex) -> bool:
        """Return whether the types of two tokens permit that one resolves to the literal of the other."""
        return bool(self._fitting[index] & self._fitting[target] & ~_UNRESOLVED)

    def codes(self, theme: Theme) -> list[Code]:
        """Return the codes of all tokens in a theme."""
        codes = self._default_codes.copy()
        for family, mode in theme.modes:
            self._put(codes, family, mode)
        return codes

    @cached_property
    def _default_codes(self) -> list[Code]:
        codes = [NEEDS_RESOLVER] * len(self._fitting)
        for key, collection in self.table.collections.items():
            self._put(codes, key, collection.default_mode)
        return codes

    def literals(self, theme: Theme, requested: Iterable[TokenIndex]) -> list[LiteralIndex]:
        """Return the literals of the requested tokens and their closure in a theme, by token index; others are open."""
        codes = self.codes(theme)
        literals = [OPEN] * len(codes)
        self.resolve(codes, literals, requested, theme)
        return literals

    def resolve(
        self, codes: list[Code], literals: list[LiteralIndex], requested: Iterable[TokenIndex], theme: Theme
    ) -> None:
        """Fill in the open literals of the requested tokens and their closure.

        An alias has the literal of its target if its own type permits it. All tokens on a cycle are unresolved. Chains
        may be long, so there is no recursion.
        """
        kinds, fitting, of_code = self.table.literals.kinds, self._fitting, self.of_code
        pending = _Pending(codes, literals, dict(theme.modes), {})
        for index in requested:
            if literals[index] >= 0:
                continue
            code = codes[index]  # without a path, as most: this loop runs for each token in each theme
            literal = literals[code] if code >= 0 else of_code[-code]
            if literal >= 0 and kinds[literal] & fitting[index]:
                literals[index] = literal
                continue
            path = [index]
            while path:
                current = path[-1]
                code = codes[current]
                if code < NEEDS_RESOLVER:
                    literal = of_code[-code]
                elif code == NEEDS_RESOLVER:
                    literal = self._evaluated(pending, path)
                else:
                    literal = literals[code]
                    if literal == OPEN:
                        path.append(code)
                    elif literal == _ACTIVE:
                        literal = self._break_cycles(pending, current)
                if literal == OPEN:
                    literals[current] = _ACTIVE
                    continue
                if not kinds[literal] & fitting[current]:
                    literal = self._converted(literal, current)
                if literals[current] < 0:
                    literals[current] = literal
                path.pop()

    def written(self, index: TokenIndex, mode: int) -> tuple[Value | None, list[TokenIndex]]:
        """Return a token's value in a mode, perhaps inherited, and the tokens that it refers to."""
        written = self._written.get((index, mode))
        if written is None:
            table, indices = self.table, self.table.indices
            value = inherited(table.values_of(index), mode, table.collections[table.families[index]].modes)
            ends = [indices[target] for target in targets(value) if target in indices]
            written = self._written[index, mode] = (value, ends)
        return written

    def value_in(self, index: TokenIndex, modes: Mapping[FamilyKey, int]) -> tuple[Value | None, list[TokenIndex]]:
        """Return a token's value where these modes are chosen, as ``written`` does."""
        family = self.table.families[index]
        return self.written(index, modes.get(family, self.table.collections[family].default_mode))

    def _evaluated(self, pending: _Pending, path: list[TokenIndex]) -> LiteralIndex:
        """Return the literal of the path's last token, or append an open target to the path and return ``OPEN``."""
        index = path[-1]
        literals = pending.literals
        started = pending.values.get(index)
        if started is None:
            literals[index] = _ACTIVE
            value, ends = self.value_in(index, pending.modes)
            started = pending.values[index] = (value, iter(ends))
        value, remaining = started
        if literals[index] >= 0:  # found on a cycle in the meantime
            return literals[index]
        for target in remaining:
            if literals[target] == OPEN:
                path.append(target)
                return OPEN
            if literals[target] == _ACTIVE:
                return self._break_cycles(pending, index)
        key = self.table.keys[index]
        match value:
            case None:
                return self._literal(Unresolved("absent", str(key)))
            case Alias() | DanglingAlias() as part:
                return self._literal(self._part(part, literals))
            case ComposedColor(color=color, opacity=opacity):
                return self._literal(_composed(self._part(color, literals), self._part(opacity, literals), key))
            case Composite(references=references) if references:
                types, indices = self.table.types, self.table.indices
                composite = filled(
                    value,
                    types[index],
                    lambda target: self._resolved(target, literals),
                    key,
                    lambda target: types[indices[target]],
                )
                return self._literal(composite)
            case _:
                return self._literal(value)

    def _part(self, part: Alias | DanglingAlias | Color | float, literals: list[LiteralIndex]) -> Resolved:
        """Return the literal of a part of a value. A weight that is stored as text is a text here."""
        if isinstance(part, DanglingAlias):
            return Unresolved("dangling", part.reference)
        if not isinstance(part, Alias):
            return part
        index = self.table.indices.get(part.target)
        literal = OPEN if index is None else literals[index]
        return self.table.literals.texts.get(literal) or self._resolved(part.target, literals)

    def _resolved(self, key: TokenKey, literals: list[LiteralIndex]) -> Resolved:
        index = self.table.indices.get(key)
        return Unresolved("dangling", str(key)) if index is None else self.values[literals[index]]

    def _break_cycles(self, pending: _Pending, index: TokenIndex) -> LiteralIndex:
        """Mark every open token on a cycle as unresolved, and return the literal of a token.

        Handle all cycles of the theme at once, so that the result does not depend on the order of tokens.
        """
        edges: dict[TokenIndex, tuple[TokenIndex, ...]] = {}
        for source, code in zip(self.table.order, pending.codes, strict=True):
            if code >= 0:
                edges[source] = (code,)
            elif code == NEEDS_RESOLVER:
                edges[source] = tuple(self.value_in(source, pending.modes)[1])
        for cycle in on_cycles(edges):
            if pending.literals[cycle] < 0:
                pending.literals[cycle] = self._literal(Unresolved("cycle", str(self.table.keys[cycle])))
        return pending.literals[index]

    def _converted(self, literal: LiteralIndex, index: TokenIndex) -> LiteralIndex:
        """Return a literal for a token of another type: a weight's text, a text's weight, or a mismatch."""
        text = self.table.literals.texts.get(literal)
        if text is not None and self._fitting[index] & _TEXT:
            return self._literal(text)
        value = self.values[literal]
        if type(value) is str and self._fitting[index] & _WEIGHT:
            code = self.table.literals.code_of_weight(value)
            if code != NEEDS_RESOLVER:
                return self.of_code[-code]
        return self._literal(Unresolved("mismatch", str(self.table.keys[index])))

    def _literal(self, value: Resolved) -> LiteralIndex:
        return self.of_code[-self.table.literals.code(value)]

    def _put(self, codes: list[Code], family: FamilyKey, mode: int) -> None:
        indices, column = self.table.of_family[family], self.column(family, mode)
        if indices and indices[-1] - indices[0] == len(indices) - 1:  # ascending indices without gaps
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
