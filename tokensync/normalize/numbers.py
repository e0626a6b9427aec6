"""The types that scopes leave open, of numbers and of strings with font weight scopes.

Numbers whose unit is unknown are noted. A font weight depends on its values and their targets, and not on the tokens
that refer to it. The copy of a library's token therefore has the same type as the token in the library.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from glob import escape
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from msgspec.structs import replace

from tokensync.normalize.mapping import (
    RESOLVED_TYPES,
    Inferred,
    TypeRules,
    can_be,
    guessed_by_name,
    is_unscoped,
    name_of_path,
    opacity_units,
    shortened,
)
from tokensync.system.outlet.documents import in_toml
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted, listed
from tokensync.tokens import Alias, Composite, DanglingAlias, Quantity, TokenGraph
from tokensync.tokens.algorithms import closure, reverse
from tokensync.tokens.composites import canonical
from tokensync.tokens.resolver import NO_TOKEN, TokenIndex, TokenTable
from tokensync.tokens.values import AS_TEXT, name_meant, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.tokens import Collection, FamilyKey, Token, TokenKey, Value


_T = TypeVar("_T")


class _Cause(NamedTuple):
    """A text that is not the name of a weight, and its token and column."""

    token: TokenIndex
    column: int
    text: str


def classify_weights(table: TokenTable, labels: Mapping[FamilyKey, str]) -> list[Problem]:
    """Make strings of the tokens of a file that are not font weights, and return a problem for each collection.

    ``labels`` are the names of collections in problems. Until here, weights have the codes of strings.
    """
    candidates = [index for index in table.order if table.types[index] == AS_TEXT]
    if not candidates:
        return []
    weights, causes = _classified(table, candidates)
    reported: dict[FamilyKey, list[TokenIndex]] = {}
    for index in candidates:
        if index in causes and table.origins[index] == "local" and not is_unscoped(table.scopes[index]):
            reported.setdefault(table.families[index], []).append(index)
        if index in weights:
            table.put(index, table.values_of(index))
        else:
            table.types[index] = "string"
    return [_stays_string(table, labels[family], indices, causes) for family, indices in reported.items()]


def with_weights(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph with the types that a pull would set for strings and font weights, for merged values.

    A weight that is not the name of one becomes a string, and a string that is a weight by the rules becomes a weight.
    A token that resolves to no value keeps its type.
    """
    table = graph.table
    candidates = [
        index
        for index, name in zip(table.order, table.types, strict=True)
        if name == AS_TEXT or (name == "string" and _is_weight_by(rules, table, index))
    ]
    weights, causes = _classified(table, candidates)
    classified = weights.union(causes).intersection(candidates)
    return _with_types(graph, {index: AS_TEXT if index in weights else "string" for index in classified})


def _is_weight_by(rules: TypeRules, table: TokenTable, index: TokenIndex) -> bool:
    if table.origins[index] == "absent":  # its scopes are unknown
        return False
    name, collection = name_of_path(table.paths[index]), table.collections[table.families[index]].name
    if not table.ids[index] and not table.scopes[index]:  # a new token, whose scopes will follow from its type
        rule = rules.own_rule("STRING", (), name, collection)
        return rule is not None and rule.type == "fontWeight"
    return rules.type_of("STRING", table.scopes[index], name, collection) == AS_TEXT


def _classified(
    table: TokenTable, candidates: Iterable[TokenIndex]
) -> tuple[set[TokenIndex], dict[TokenIndex, _Cause]]:
    """Return the candidates, and string tokens that they depend on, that are weights, and why others are none.

    A token that resolves to no value is in neither.
    """
    referring: dict[TokenIndex, list[TokenIndex]] = {}
    causes: dict[TokenIndex, _Cause] = {}
    with_weight: dict[TokenIndex, None] = {}
    pending = list(candidates)
    seen = set(pending)
    while pending:
        index = pending.pop()
        for column, (code, value) in enumerate(zip(table.rows[index], table.values_of(index), strict=True)):
            if code >= 0:
                if RESOLVED_TYPES.get(table.types[code]) == "STRING":
                    referring.setdefault(code, []).append(index)
                    if code not in seen:
                        seen.add(code)
                        pending.append(code)
            elif weight_of(value) is not None:
                with_weight[index] = None
            elif value is not None and not isinstance(value, Alias | DanglingAlias):
                causes.setdefault(index, _Cause(index, column, value if isinstance(value, str) else str(value)))
    _propagate(causes, referring)
    _propagate(with_weight, referring)
    return with_weight.keys() - causes.keys(), causes


def _propagate(values: dict[TokenIndex, _T], referring: Mapping[TokenIndex, Sequence[TokenIndex]]) -> None:
    """Copy the value of each token to its direct and indirect dependents."""
    for index, through in closure(values, lambda index: referring.get(index, ())).items():
        values[index] = values[through]


def _stays_string(
    table: TokenTable, label: str, indices: list[TokenIndex], causes: Mapping[TokenIndex, _Cause]
) -> Problem:
    own = [causes[index] for index in indices if causes[index].token == index]
    names = [shortened(name_of_path(table.paths[index])) for index in indices]
    texts = list(dict.fromkeys(causes[index].text for index in indices))
    shown = listed([f'"{shortened(text)}"' for text in texts])
    clause = f"{shown} is not a font weight" if len(texts) == 1 else f"{shown} are not font weights"
    if len(indices) == 1:
        mode = table.collections[table.families[indices[0]]].modes[own[0].column] if own else None
        where = [label, *names, *([] if mode is None else [shortened(mode.name or mode.context)])]
        cause = causes[indices[0]].token
        target = "" if own else f"it refers to {shortened(name_of_path(table.paths[cause]))}, whose value "
        what = f"{target}{clause}, so it stays a string"
    else:
        where = [label]
        what = f"{clause}, so {len(indices)} variables stay strings"
    meant = next(filter(None, map(name_meant, texts)), "")
    to_do = 'confirm it with a [[types]] rule of type = "string"'
    if meant:
        to_do = f'write "{meant}", or {to_do}'
    return problem("font-weight-text", " / ".join(where), what, to_do, names if len(names) > 1 else ())


_MOST_RULES = 12
_SEPARATOR = re.compile(r"[/ _-](?=.)|(?<=[A-Za-z])(?=[0-9])")


def inferred_types(table: TokenTable, inferred: Mapping[TokenIndex, Inferred]) -> dict[TokenIndex, str]:
    """Return the types that aliases, names, values and uses give to numbers with another type."""
    return {
        index: number.type
        for index, number in inferred.items()
        if number.source in ("alias", "values", "name", "uses") and number.type != table.types[index]
    }


def with_types(graphs: Sequence[TokenGraph], joined: TokenGraph, rules: TypeRules) -> list[TokenGraph]:
    """Return the graphs of several files with the types of numbers that refer to other files' tokens.

    ``joined`` is ``linked(graphs)``, perhaps with more files.
    """
    table = joined.table
    inferred = dict(rules.numbers(table))
    rows = [*zip(table.order, table.origins, table.variable_keys, strict=True)]
    homes = {key: index for index, origin, key in rows if origin == "local"}
    for index, origin, key in rows:
        home = homes.get(key) if origin == "remote" and key else None
        if home is not None and index in inferred and inferred[index].source == "nothing" and home in inferred:
            inferred[index] = Inferred(inferred[home].type, "alias")
    types = {table.keys[index]: token_type for index, token_type in inferred_types(table, inferred).items()}
    return [
        _with_types(graph, {graph.table.indices[key]: types[key] for key in types if key in graph.table.indices})
        for graph in graphs
    ]


def with_rules(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph of token files with the types and units that the team's rules give its tokens.

    A token with a value that its rule's type cannot have keeps its type. Numbers that refer to a token of another type
    than before follow it, as in a pull, unless a rule or their scopes decide.
    """
    if not rules.own:
        return graph
    changed: dict[TokenKey, Token] = {}
    retyped: list[TokenIndex] = []
    for index, (key, token) in zip(graph.table.order, graph.tokens.items(), strict=True):
        resolved_type = RESOLVED_TYPES.get(token.type)
        if resolved_type is None or token.origin == "absent":
            continue
        rule = rules.own_rule(resolved_type, token.scopes, name_of_path(key.path), graph.collection_of(token).name)
        wanted = None if rule is None else rule.type_for(resolved_type)
        if rule is None or wanted is None:
            continue
        if wanted in (token.type, AS_TEXT) or not can_be(graph.table, index, wanted):  # ``with_weights`` sets AS_TEXT
            wanted = token.type
        if wanted != token.type and resolved_type == "FLOAT":
            retyped.append(index)
        unit = rule.number_unit if wanted == "number" else ""
        if (wanted, unit) != (token.type, token.unit):
            changed[key] = replace(token, type=wanted, unit=unit)
    if retyped:
        changed |= _following(graph, retyped, rules)
    typed = graph.replaced(changed)
    has_weights = any(rule.type == "fontWeight" for rule in rules.own)
    return with_weights(typed, TypeRules(rules.own, packaged=False)) if has_weights else typed


def with_types_in_code(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph of all files for code, with types and units that the team's rules give tokens there only."""
    from tokensync.normalize.composites import json_of

    def in_code(value: Value | None, token_type: str, unit: str) -> Value | None:
        if type(value) is float:
            return Quantity(value, unit)
        if type(value) is not str:
            return value
        literal = json_of(token_type, value)
        if isinstance(literal, list):
            return Composite(canonical(literal), ())
        return literal if isinstance(literal, str) else Quantity(*literal.values())

    changed = {}
    for key, (token_type, unit) in types_in_code(graph, rules).items():
        token = graph.tokens[key]
        values = tuple(in_code(value, token_type, unit) for value in token.values)
        changed[key] = replace(token, type=token_type, values=values, notations=())
    return graph.replaced(changed)


def types_in_code(graph: TokenGraph, rules: TypeRules) -> dict[TokenKey, tuple[str, str]]:
    """Return the tokens that have another type or unit in code by the team's rules, with both, and their aliases.

    A token that refers to one of another type, in any mode, is not among them, nor is a text that is not a literal of
    the type.
    """
    if not any(rule.is_in_code for rule in rules.own):
        return {}
    from tokensync.normalize.composites import json_of

    table = graph.table
    types: dict[TokenIndex, tuple[str, str]] = {}
    referring: dict[TokenIndex, list[TokenIndex]] = {}
    for index, name in zip(table.order, table.types, strict=True):
        if name not in ("number", "string", "dimension") or table.origins[index] == "absent":
            continue
        collection = table.collections[table.families[index]].name
        path = name_of_path(table.paths[index])
        rule = rules.own_rule(RESOLVED_TYPES[name], table.scopes[index], path, collection)
        if rule is not None and rule.is_in_code:
            types[index] = (rule.type, rule.unit or "ms")
        for target in table.targets_of(index):
            referring.setdefault(target, []).append(index)
    lengths = {index: types.pop(index) for index in [*types] if types[index][0] == "dimension"}
    for index in closure([*types], lambda index: referring.get(index, ())):
        for dependent in referring.get(index, ()):
            types.setdefault(dependent, types[index])

    def fits(index: TokenIndex, token_type: str) -> bool:
        texts = [literal for literal in table.literals_of(index) if isinstance(literal, str)]
        of_targets = {types.get(target, (table.types[target],))[0] for target in table.targets_of(index)}
        return of_targets <= {token_type} and all(json_of(token_type, text) is not None for text in texts)

    pending = [index for index, (token_type, _) in types.items() if not fits(index, token_type)]
    while pending:
        index = pending.pop()
        if types.pop(index, None) is not None:
            pending += referring.get(index, ())
    return {table.keys[index]: kind for index, kind in (types | lengths).items()}


def _following(graph: TokenGraph, retyped: Iterable[TokenIndex], rules: TypeRules) -> dict[TokenKey, Token]:
    """Return the numbers that get another type because they refer to tokens whose type has changed."""
    table = graph.table
    referring = reverse(
        {index: filter(NO_TOKEN.__lt__, row) for index, row in zip(table.order, table.rows, strict=True)}
    )
    inferred = rules.numbers(table)
    followers: dict[TokenKey, Token] = {}
    for index in closure(retyped, lambda index: referring.get(index, ())):
        number, token = inferred.get(index), graph.columns.tokens[index]
        is_open = number is not None and number.source == "alias" and number.type != token.type
        if number is not None and is_open and can_be(table, index, number.type):
            followers[token.key] = replace(token, type=number.type)
    return followers


def _with_types(graph: TokenGraph, types: Mapping[TokenIndex, str]) -> TokenGraph:
    tokens = [
        (graph.columns.tokens[index], types[index]) for index in types if types[index] != graph.table.types[index]
    ]
    return graph.replaced({token.key: replace(token, type=token_type) for token, token_type in tokens})


_Guess = Literal["length", "opacity", "small"]
_RULES: dict[_Guess, tuple[str, ...]] = {
    "length": ('type = "dimension"',),
    "opacity": ('type = "number"', 'unit = "percent"'),
    "small": ('type = "dimension"',),  # a number that is too small for the length that its scopes say
}
"""The lines of a ``[[types]]`` rule for what a number may be."""


def _unclear(table: TokenTable, inferred: Mapping[TokenIndex, Inferred]) -> Iterator[tuple[TokenIndex, _Guess]]:
    """Yield the numbers whose unit is unknown, and what they may be."""
    units = opacity_units(table)
    for index, number in inferred.items():
        if number.source == "values" and table.types[index] == number.type:
            yield index, "small"
        if table.types[index] == "number" and index not in units and number.source in ("nothing", "name"):
            guess: _Guess | None = "length" if number.source == "nothing" else guessed_by_name(table, index)
            if guess is not None:
                yield index, guess


def unclear_numbers(graph: TokenGraph, rules: TypeRules) -> Iterator[Problem]:
    """Yield notes for each collection with numbers whose unit is unknown, with the rules that make them clear.

    Numbers that refer to others of these are not listed, because they follow them. Collections of one name share a
    note, because rules name collections.
    """
    table = graph.table
    inferred = rules.numbers(table)
    unclear = dict(_unclear(table, inferred))
    if not unclear:
        return
    causes: dict[tuple[str, _Guess], list[TokenKey]] = {}
    others: dict[tuple[str, _Guess], list[TokenKey]] = {}
    local: dict[str, list[Collection]] = {}
    for family in graph.collections.values():
        if family.origin == "local":
            local.setdefault(family.name, []).append(family)
    for index in inferred:
        key = table.keys[index]
        name, own = graph.collections[key[:2]].name, unclear.get(index)
        if own is None or (table.origins[index] == "local" and unclear.keys().isdisjoint(table.rows[index])):
            for guess in _RULES:
                (causes if guess == own else others).setdefault((name, guess), []).append(key)
    for name, families in local.items():
        for guess in _RULES:
            if (name, guess) in causes:
                yield _note(families, causes[name, guess], others.get((name, guess), ()), guess)


def _note(
    families: Sequence[Collection], keys: Sequence[TokenKey], others: Sequence[TokenKey], guess: _Guess
) -> Problem:
    where = shortened(families[0].name or families[0].handle)
    names = [name_of_path(key.path) for key in keys]
    shown = [shortened(name) for name in names]
    if len(families) > 1:
        is_one_file = len({family.file for family in families}) == 1
        shown = [
            shortened(f"{key.collection if is_one_file else f'{key.file} / {key.collection}'} / {each}")
            for key, each in zip(keys, shown, strict=True)
        ]
    if guess == "small":
        few = "1 variable has" if len(names) == 1 else f"{counted(len(names), 'variable')} have"
        what = f"{few} the scope of a length and values too small for one, so code has ratios"
    elif len(names) == 1:
        what = "the unit of 1 variable is unknown, so it stays a number"
    else:
        what = f"the unit of {counted(len(names), 'variable')} is unknown, so they stay numbers"
    globs = _globs(names, [name_of_path(key.path) for key in others])
    rules = "this rule" if len(globs) == 1 else "these rules"
    if guess != "opacity":
        subject, opposite = "it is a length" if len(names) == 1 else "they are lengths", 'type = "number"'
    else:
        subject, opposite = "it is a percentage" if len(names) == 1 else "they are percentages", 'unit = "fraction"'
    to_do = f"if {subject}, add {rules} to tokensync.toml; {opposite} confirms the opposite"
    if len(globs) > _MOST_RULES:
        to_do += f" (the first {_MOST_RULES} of {len(globs)} rules)"
    text = "\n\n".join(_rule(families[0].name, glob, _RULES[guess]) for glob in globs[:_MOST_RULES])
    code = "ratio-as-length" if guess == "small" else "number-unit-unknown"
    return problem(code, where, what, to_do, shown)._replace(snippet=text)


def _globs(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return globs that match these names and none of ``others``; an empty one if there are no others.

    A glob is a whole group if possible, the outermost one, or a prefix that several names share.
    """
    if not others:
        return [""]
    ordered = sorted(others)
    shared = Counter(prefix for name in names for prefix in _prefixes(name))
    globs = []
    for name in names:
        usable = (each for each in _prefixes(name) if each[-1] == "/" or shared[each] > 1)
        prefix = next((each for each in usable if not _begins_one(each, ordered)), None)
        globs.append(escape(name) if prefix is None else f"{escape(prefix)}*")
    return list(dict.fromkeys(globs))


def _begins_one(prefix: str, names: Sequence[str]) -> bool:
    """Return whether one of the sorted names begins with a prefix."""
    at = bisect_left(names, prefix)
    return at < len(names) and names[at].startswith(prefix)


def _prefixes(name: str) -> Iterator[str]:
    """Yield the beginnings of a name up to each separator, the shortest first."""
    return (name[: match.end()] for match in _SEPARATOR.finditer(name))


def _rule(collection: str, path: str, lines: Iterable[str]) -> str:
    rule = ["[[types]]", *lines, 'resolved_type = "FLOAT"', f"collection = {in_toml(escape(collection))}"]
    if path:
        rule.append(f"path = {in_toml(path)}")
    return "\n".join(rule)
