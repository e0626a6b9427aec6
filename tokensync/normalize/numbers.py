"""Step 4: the types of numbers that their scopes leave open, and a note about those whose unit nothing tells."""

from __future__ import annotations

import re
from collections import Counter
from glob import escape
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.mapping import RESOLVED_TYPES, Inferred, TypeRules, can_be, name_of_path
from tokensync.normalize.families import shortened
from tokensync.normalize.weights import with_weights
from tokensync.outlet.documents import in_toml
from tokensync.problems import problem
from tokensync.tokens import Alias, TokenGraph
from tokensync.tokens.algorithms import closure
from tokensync.tokens.values import AS_TEXT
from tokensync.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.normalize.families import Draft
    from tokensync.problems import Problem
    from tokensync.tokens import Collection, FamilyKey, Token, TokenKey

_SHOWN = 10
_MOST_RULES = 12
_SEPARATOR = re.compile("[/ _-](?=.)")


def numbers(draft: Draft) -> None:
    """Set the types of numbers by their aliases and names."""
    names = {each.handle: each.name for each in draft.collections}
    inferred = draft.rules.numbers(draft.tokens, lambda key: names[key.collection])
    draft.tokens = [_typed(each, inferred) for each in draft.tokens]


def _typed(token: Token, inferred: Mapping[TokenKey, Inferred]) -> Token:
    found = inferred.get(token.key)
    is_open = found is not None and found.source in ("alias", "name")
    return replace(token, type=found.type) if is_open and found.type != token.type else token  # type: ignore[union-attr]


def with_types(graphs: Sequence[TokenGraph], joined: TokenGraph, rules: TypeRules) -> list[TokenGraph]:
    """Return the graphs of several files with the types of numbers that refer to other files' tokens.

    ``joined`` is ``linked(graphs)``, perhaps with more files.
    """
    inferred = rules.numbers(joined.tokens.values(), _collection_name(joined))
    homes = {token.variable_key: key for key, token in joined.tokens.items() if token.origin == "local"}
    for key, token in joined.tokens.items():
        home = homes.get(token.variable_key) if token.origin == "remote" and token.variable_key else None
        if home is not None and key in inferred and inferred[key].source == "nothing" and home in inferred:
            inferred[key] = Inferred(inferred[home].type, "alias")
    return [_with_tokens(each, {key: _typed(token, inferred) for key, token in each.tokens.items()}) for each in graphs]


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
        unit = rule.unit if wanted == "number" else ""
        if (wanted, unit) != (token.type, token.unit):
            changed[key] = replace(token, type=wanted, unit=unit)
    if retyped:
        changed |= _following(graph, retyped, rules)
    typed = _with_tokens(graph, changed)
    has_weights = any(rule.type == "fontWeight" for rule in rules.own)
    return with_weights(typed, TypeRules(rules.own, packaged=False)) if has_weights else typed


def _following(graph: TokenGraph, retyped: Iterable[TokenKey], rules: TypeRules) -> dict[TokenKey, Token]:
    """Return the numbers that get another type because they refer to tokens whose type has changed."""
    referring: dict[TokenKey, list[TokenKey]] = {}
    for key, token in graph.tokens.items():
        for value in token.values:
            if type(value) is Alias:
                referring.setdefault(value.target, []).append(key)
    inferred = rules.numbers(graph.tokens.values(), _collection_name(graph))
    followers: dict[TokenKey, Token] = {}
    for key in closure(retyped, lambda each: referring.get(each, ())):
        found, token = inferred.get(key), graph.tokens[key]
        if found is not None and found.source == "alias" and found.type != token.type and can_be(token, found.type):
            followers[key] = replace(token, type=found.type)
    return followers


def _collection_name(graph: TokenGraph) -> Callable[[TokenKey], str]:
    return lambda key: graph.collections[key[:2]].name


def _with_tokens(graph: TokenGraph, changed: Mapping[TokenKey, Token]) -> TokenGraph:
    if all(graph.tokens[key] is token for key, token in changed.items()):
        return graph
    return TokenGraph(graph.collections.values(), (changed.get(key, each) for key, each in graph.tokens.items()))


def unclear_numbers(graph: TokenGraph, rules: TypeRules) -> Iterator[Problem]:
    """Yield a note for each collection with numbers whose unit nothing tells, with the rules that make them lengths.

    Numbers that refer to others of these are not listed, because they follow them.
    """
    inferred = rules.numbers(graph.tokens.values(), _collection_name(graph))
    unclear = {key for key, each in inferred.items() if each.source == "nothing" and graph.tokens[key].type == "number"}
    causes: dict[FamilyKey, list[str]] = {}
    others: dict[FamilyKey, list[str]] = {}
    for key in inferred:
        token = graph.tokens[key]
        if key not in unclear:
            others.setdefault(key[:2], []).append(name_of_path(key.path))
        elif token.origin == "local" and unclear.isdisjoint(token.references):
            causes.setdefault(key[:2], []).append(name_of_path(key.path))
    for family in graph.collections.values():
        if family.origin == "local" and family.key in causes:
            yield _note(family, causes[family.key], others.get(family.key, ()))


def _note(family: Collection, names: Sequence[str], others: Sequence[str]) -> Problem:
    where = shortened(family.name or family.handle)
    shown = listed(list(map(shortened, names)), _SHOWN)
    if len(names) == 1:
        what = f"nothing tells the unit of 1 variable, so it stays a number ({shown})"
    else:
        what = f"nothing tells the unit of {counted(len(names), 'variable')}, so they stay numbers ({shown})"
    globs = _globs(names, others)
    rules = "this rule" if len(globs) == 1 else "these rules"
    subject = "it is a length" if len(names) == 1 else "they are lengths"
    to_do = f'if {subject}, add {rules} to tokensync.toml; type = "number" confirms the opposite'
    if len(globs) > _MOST_RULES:
        to_do += f" (the first {_MOST_RULES} of {len(globs)} rules)"
    text = "\n\n".join(_rule(family.name, each) for each in globs[:_MOST_RULES])
    return problem("number-unit-unknown", where, what, to_do)._replace(snippet=text)


def _globs(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return globs that match these names and none of ``others``; an empty one if there are no others.

    A glob is a whole group if possible, the outermost one, or a prefix that several names share.
    """
    if not others:
        return [""]
    taken = {prefix for each in others for prefix in _prefixes(each)}
    shared = Counter(prefix for each in names for prefix in _prefixes(each))
    globs = []
    for name in names:
        usable = (each for each in _prefixes(name) if each not in taken and (each[-1] == "/" or shared[each] > 1))
        prefix = next(usable, None)
        globs.append(escape(name) if prefix is None else f"{escape(prefix)}*")
    return list(dict.fromkeys(globs))


def _prefixes(name: str) -> Iterator[str]:
    """Yield the beginnings of a name up to each separator, the shortest first."""
    return (name[: match.end()] for match in _SEPARATOR.finditer(name))


def _rule(collection: str, path: str) -> str:
    """Return a ``[[types]]`` rule for lengths as TOML."""
    lines = ["[[types]]", 'type = "dimension"', 'resolved_type = "FLOAT"']
    lines.append(f"collection = {in_toml(escape(collection))}")
    if path:
        lines.append(f"path = {in_toml(path)}")
    return "\n".join(lines)
