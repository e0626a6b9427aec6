"""The types that scopes leave open, of numbers and of strings with font weight scopes.

Numbers whose unit is unknown are noted. A font weight depends on its values and their targets, and not on the tokens
that refer to it. The copy of a library's token therefore has the same type as the token in the library.
"""

from __future__ import annotations

import re
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
    name_of_path,
    opacities,
    shortened,
)
from tokensync.system.outlet.documents import in_toml
from tokensync.system.problems import problem
from tokensync.system.wording import counted, listed
from tokensync.tokens import Alias, DanglingAlias, Quantity, TokenGraph
from tokensync.tokens.algorithms import closure
from tokensync.tokens.values import AS_TEXT, name_meant, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, Token, TokenKey


_T = TypeVar("_T")


class _Cause(NamedTuple):
    """A text that is not the name of a weight, and its token and column."""

    key: TokenKey
    column: int
    text: str


class _Classification(NamedTuple):
    """The tokens that are ``weights``, and the ``causes`` why other tokens are not.

    A token that resolves to no value is in neither.
    """

    weights: set[TokenKey]
    causes: dict[TokenKey, _Cause]


def weights(
    tokens: Sequence[Token], collections: Sequence[Collection], labels: Mapping[str, str]
) -> tuple[list[Token], list[Problem]]:
    """Return the tokens of a file, with strings for those that are not font weights, and a problem for each collection.

    ``labels`` are the names of collections in problems, by handle.
    """
    candidates = [token.key for token in tokens if token.type == AS_TEXT]
    if not candidates:
        return [*tokens], []
    by_key = {token.key: token for token in tokens}
    classified = _classified(by_key, candidates)
    strings = {key for key in candidates if key not in classified.weights}
    reported: dict[str, list[TokenKey]] = {}
    for key in candidates:
        if key in classified.causes and by_key[key].origin == "local":
            reported.setdefault(key.collection, []).append(key)
    return [replace(token, type="string") if token.key in strings else token for token in tokens], [
        _stays_string(collection, labels[collection.handle], reported[collection.handle], classified.causes)
        for handle in reported
        for collection in collections
        if collection.handle == handle
    ]


def with_weights(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph with the types that a pull would set for strings and font weights, for merged values.

    A weight that is not the name of one becomes a string, and a string that is a weight by the rules becomes a weight.
    A token that resolves to no value keeps its type.
    """
    candidates = [
        key
        for key, token in graph.tokens.items()
        if token.type == AS_TEXT or (token.type == "string" and _is_weight_by(rules, token, graph))
    ]
    classified = _classified(graph.tokens, candidates)
    changed = {
        **{key: "string" for key in candidates if key in classified.causes},
        **{key: AS_TEXT for key in candidates if key in classified.weights},
    }
    changed = {key: token_type for key, token_type in changed.items() if graph.tokens[key].type != token_type}
    if not changed:
        return graph
    return TokenGraph(
        graph.collections.values(),
        (replace(each, type=changed[key]) if key in changed else each for key, each in graph.tokens.items()),
    )


def _is_weight_by(rules: TypeRules, token: Token, graph: TokenGraph) -> bool:
    if token.origin == "absent":  # its scopes are unknown
        return False
    name = name_of_path(token.key.path)
    return rules.type_of("STRING", token.scopes, name, graph.collection_of(token).name) == AS_TEXT


def _classified(tokens: Mapping[TokenKey, Token], candidates: Iterable[TokenKey]) -> _Classification:
    """Classify the candidates and all string tokens that they depend on."""
    referring: dict[TokenKey, list[TokenKey]] = {}
    causes: dict[TokenKey, _Cause] = {}
    with_weight: dict[TokenKey, None] = {}
    pending = list(candidates)
    seen = set(pending)
    while pending:
        key = pending.pop()
        for column, value in enumerate(tokens[key].values):
            if isinstance(value, Alias):
                target = tokens.get(value.target)
                if target is not None and RESOLVED_TYPES.get(target.type) == "STRING":
                    referring.setdefault(value.target, []).append(key)
                    if value.target not in seen:
                        seen.add(value.target)
                        pending.append(value.target)
            elif weight_of(value) is not None:
                with_weight[key] = None
            elif value is not None and not isinstance(value, DanglingAlias):
                causes.setdefault(key, _Cause(key, column, value if isinstance(value, str) else str(value)))
    _propagate(causes, referring)
    _propagate(with_weight, referring)
    return _Classification(with_weight.keys() - causes.keys(), causes)


def _propagate(values: dict[TokenKey, _T], referring: Mapping[TokenKey, Sequence[TokenKey]]) -> None:
    """Copy the value of each token to its direct and indirect dependents."""
    for key, through in closure(values, lambda each: referring.get(each, ())).items():
        values[key] = values[through]


def _stays_string(
    collection: Collection, label: str, keys: list[TokenKey], causes: Mapping[TokenKey, _Cause]
) -> Problem:
    own = [causes[key] for key in keys if causes[key].key == key]
    texts = list(dict.fromkeys(causes[key].text for key in keys))
    shown = listed([f'"{shortened(text)}"' for text in texts], _SHOWN)
    clause = f"{shown} is not a font weight" if len(texts) == 1 else f"{shown} are not font weights"
    if len(keys) == 1:
        (key,) = keys
        mode = collection.modes[own[0].column] if own else None
        where = [label, _name(key), *([] if mode is None else [shortened(mode.name or mode.context)])]
        target = "" if own else f"it refers to {_name(causes[key].key)}, whose value "
        what = f"{target}{clause}, so it stays a string"
    else:
        where = [label]
        what = f"{clause}, so {len(keys)} variables stay strings"
    meant = next(filter(None, map(name_meant, texts[:_SHOWN])), "")
    to_do = 'confirm it with a [[types]] rule of type = "string"'
    if meant:
        to_do = f'write "{meant}", or {to_do}'
    names = list(map(_name, keys)) if len(keys) > 1 else ()
    return problem("font-weight-text", " / ".join(where), what, to_do, names)


def _name(key: TokenKey) -> str:
    return shortened(name_of_path(key.path))


_SHOWN = 10
_MOST_RULES = 12
_SEPARATOR = re.compile("[/ _-](?=.)")


def retyped(tokens: Iterable[Token], inferred: Mapping[TokenKey, Inferred]) -> list[Token]:
    """Return the tokens with the types that aliases and names give to numbers."""
    typed: list[Token] = []
    for token in tokens:
        number = inferred.get(token.key)
        is_open = number is not None and number.source in ("alias", "name") and number.type != token.type
        typed.append(replace(token, type=number.type) if is_open else token)  # type: ignore[union-attr]
    return typed


def with_types(graphs: Sequence[TokenGraph], joined: TokenGraph, rules: TypeRules) -> list[TokenGraph]:
    """Return the graphs of several files with the types of numbers that refer to other files' tokens.

    ``joined`` is ``linked(graphs)``, perhaps with more files.
    """
    inferred = rules.numbers(joined.tokens.values(), lambda key: joined.collections[key[:2]].name)
    homes = {token.variable_key: key for key, token in joined.tokens.items() if token.origin == "local"}
    for key, token in joined.tokens.items():
        home = homes.get(token.variable_key) if token.origin == "remote" and token.variable_key else None
        if home is not None and key in inferred and inferred[key].source == "nothing" and home in inferred:
            inferred[key] = Inferred(inferred[home].type, "alias")
    return [
        _with_tokens(each, {token.key: token for token in retyped(each.tokens.values(), inferred)}) for each in graphs
    ]


def with_rules(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph of token files with the types and units that the team's rules give its tokens.

    A token with a value that its rule's type cannot have keeps its type. Numbers that refer to a token of another type
    than before follow it, as in a pull, unless a rule or their scopes decide.
    """
    if not rules.own:
        return graph
    changed: dict[TokenKey, Token] = {}
    retyped: list[TokenKey] = []
    for key, token in graph.tokens.items():
        resolved_type = RESOLVED_TYPES.get(token.type)
        if resolved_type is None or token.origin == "absent":
            continue
        rule = rules.own_rule(resolved_type, token.scopes, name_of_path(key.path), graph.collection_of(token).name)
        wanted = None if rule is None else rule.type_for(resolved_type)
        if rule is None or wanted is None:
            continue
        if wanted in (token.type, AS_TEXT) or not can_be(token, wanted):  # ``with_weights`` sets AS_TEXT
            wanted = token.type
        if wanted != token.type and resolved_type == "FLOAT":
            retyped.append(key)
        unit = rule.number_unit if wanted == "number" else ""
        if (wanted, unit) != (token.type, token.unit):
            changed[key] = replace(token, type=wanted, unit=unit)
    if retyped:
        changed |= _following(graph, retyped, rules)
    typed = _with_tokens(graph, changed)
    has_weights = any(rule.type == "fontWeight" for rule in rules.own)
    return with_weights(typed, TypeRules(rules.own, packaged=False)) if has_weights else typed


def with_durations(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph for code, in which the numbers that a rule makes durations, and those that refer to them, are.

    Token files and the platform hold numbers. ``graph`` has the tokens of all files, which refer to each other.
    """
    units = durations(graph, rules)
    changed = {}
    for key, unit in units.items():
        token = graph.tokens[key]
        values = (Quantity(value, unit) if type(value) is float else value for value in token.values)
        changed[key] = replace(token, type="duration", values=tuple(values), notations=())
    return _with_tokens(graph, changed)


def durations(graph: TokenGraph, rules: TypeRules) -> dict[TokenKey, str]:
    """Return the numbers that the team's rules make durations, with their units, and those that refer to them.

    A number that refers to another number, in any mode, is none: the other one has no unit.
    """
    if all(rule.type != "duration" for rule in rules.own):
        return {}
    units: dict[TokenKey, str] = {}
    referring: dict[TokenKey, list[TokenKey]] = {}
    for key, token in graph.tokens.items():
        if token.type != "number" or token.origin == "absent":
            continue
        rule = rules.own_rule("FLOAT", token.scopes, name_of_path(key.path), graph.collection_of(token).name)
        if rule is not None and rule.type == "duration":
            units[key] = rule.unit or "ms"
        for target in token.references:
            referring.setdefault(target, []).append(key)
    for key in closure([*units], lambda each: referring.get(each, ())):
        for each in referring.get(key, ()):
            units.setdefault(each, units[key])
    plain = {key for key, token in graph.tokens.items() if token.type != "duration" and key not in units}
    pending = [key for key in units if not plain.isdisjoint(graph.tokens[key].references)]
    while pending:
        key = pending.pop()
        if units.pop(key, None) is not None:
            pending += referring.get(key, ())
    return units


def _following(graph: TokenGraph, retyped: Iterable[TokenKey], rules: TypeRules) -> dict[TokenKey, Token]:
    """Return the numbers that get another type because they refer to tokens whose type has changed."""
    referring: dict[TokenKey, list[TokenKey]] = {}
    for key, token in graph.tokens.items():
        for value in token.values:
            if type(value) is Alias:
                referring.setdefault(value.target, []).append(key)
    inferred = rules.numbers(graph.tokens.values(), lambda key: graph.collections[key[:2]].name)
    followers: dict[TokenKey, Token] = {}
    for key in closure(retyped, lambda each: referring.get(each, ())):
        found, token = inferred.get(key), graph.tokens[key]
        if found is not None and found.source == "alias" and found.type != token.type and can_be(token, found.type):
            followers[key] = replace(token, type=found.type)
    return followers


def _with_tokens(graph: TokenGraph, changed: Mapping[TokenKey, Token]) -> TokenGraph:
    if all(graph.tokens[key] is token for key, token in changed.items()):
        return graph
    return TokenGraph(graph.collections.values(), (changed.get(key, each) for key, each in graph.tokens.items()))


_Guess = Literal["length", "opacity"]
_RULES: dict[_Guess, tuple[str, ...]] = {
    "length": ('type = "dimension"',),
    "opacity": ('type = "number"', 'unit = "percent"'),
}
"""The lines of a ``[[types]]`` rule for what a number may be."""


def unclear_numbers(graph: TokenGraph, rules: TypeRules) -> Iterator[Problem]:
    """Yield notes for each collection with numbers whose unit is unknown, with the rules that make them clear.

    Numbers that refer to others of these are not listed, because they follow them. Collections of one name share a
    note, because rules name collections.
    """
    inferred = rules.numbers(graph.tokens.values(), lambda key: graph.collections[key[:2]].name)
    units = opacities(graph)
    unclear: dict[TokenKey, _Guess] = {}
    for key, found in inferred.items():
        token = graph.tokens[key]
        if token.type == "number" and key not in units and found.source in ("nothing", "name"):
            guess = "length" if found.source == "nothing" else guessed_by_name(token)
            if guess is not None:
                unclear[key] = guess
    causes: dict[tuple[str, _Guess], list[TokenKey]] = {}
    others: dict[tuple[str, _Guess], list[TokenKey]] = {}
    local: dict[str, list[Collection]] = {}
    for family in graph.collections.values():
        if family.origin == "local":
            local.setdefault(family.name, []).append(family)
    for key in inferred:
        token, name = graph.tokens[key], graph.collections[key[:2]].name
        own = unclear.get(key)
        if own is None or (token.origin == "local" and unclear.keys().isdisjoint(token.references)):
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
    text = listed(shown, _SHOWN)
    if len(names) == 1:
        what = f"the unit of 1 variable is unknown, so it stays a number ({text})"
    else:
        what = f"the unit of {counted(len(names), 'variable')} is unknown, so they stay numbers ({text})"
    globs = _globs(names, [name_of_path(key.path) for key in others])
    rules = "this rule" if len(globs) == 1 else "these rules"
    if guess == "length":
        subject, opposite = "it is a length" if len(names) == 1 else "they are lengths", 'type = "number"'
    else:
        subject, opposite = "it is a percentage" if len(names) == 1 else "they are percentages", 'unit = "fraction"'
    to_do = f"if {subject}, add {rules} to tokensync.toml; {opposite} confirms the opposite"
    if len(globs) > _MOST_RULES:
        to_do += f" (the first {_MOST_RULES} of {len(globs)} rules)"
    text = "\n\n".join(_rule(families[0].name, glob, _RULES[guess]) for glob in globs[:_MOST_RULES])
    return problem("number-unit-unknown", where, what, to_do)._replace(snippet=text)


def _globs(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return globs that match these names and none of ``others``; an empty one if there are no others.

    A glob is a whole group if possible, the outermost one, or a prefix that several names share.
    """
    if not others:
        return [""]
    taken = {prefix for other in others for prefix in _prefixes(other)}
    shared = Counter(prefix for name in names for prefix in _prefixes(name))
    globs = []
    for name in names:
        usable = (each for each in _prefixes(name) if each not in taken and (each[-1] == "/" or shared[each] > 1))
        prefix = next(usable, None)
        globs.append(escape(name) if prefix is None else f"{escape(prefix)}*")
    return list(dict.fromkeys(globs))


def _prefixes(name: str) -> Iterator[str]:
    """Yield the beginnings of a name up to each separator, the shortest first."""
    return (name[: match.end()] for match in _SEPARATOR.finditer(name))


def _rule(collection: str, path: str, lines: Iterable[str]) -> str:
    rule = ["[[types]]", *lines, 'resolved_type = "FLOAT"', f"collection = {in_toml(escape(collection))}"]
    if path:
        rule.append(f"path = {in_toml(path)}")
    return "\n".join(rule)
