"""Normalization: turns the snapshots of design files into token graphs, in ordered steps, and joins these.

Remote variables are matched by key, because publishing changes the rest of a remote id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.normalize.families import Draft, families
from tokensync.normalize.findings import findings, oddities, renamed_modes
from tokensync.normalize.mapping import TypeRules, key_of_remote_id
from tokensync.normalize.numbers import (
    durations,
    numbers,
    unclear_numbers,
    weights,
    with_durations,
    with_rules,
    with_types,
    with_weights,
)
from tokensync.normalize.variables import keys, variables
from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import Alias, ComposedColor, Composite, DanglingAlias, TokenGraph
from tokensync.tokens.algorithms import closure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.extract.wire import Snapshot
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, Token, TokenKey, Value


STEPS = (families, keys, variables, numbers, weights, oddities)

__all__ = [
    "STEPS",
    "durations",
    "findings",
    "linked",
    "normalize",
    "referenced",
    "renamed_modes",
    "unclear_numbers",
    "with_durations",
    "with_rules",
    "with_types",
    "with_weights",
]


def normalize(snapshot: Snapshot, rules: TypeRules | None = None) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of one file, and the warnings and notes about its response.

    Join the graphs of several files with ``linked``, and call ``findings`` on the result. Raises ProblemsError for
    values that do not match the API's documentation.
    """
    draft = Draft(snapshot, rules or TypeRules())
    try:
        for step in STEPS:
            step(draft)
    except DECODE_ERRORS:
        snapshot.refuse_values()
        raise
    return TokenGraph(draft.collections, draft.tokens), (*snapshot.problems, *draft.problems)


_LIVE_ORIGINS = ("local", "absent")
_REFERENCES = (Alias, DanglingAlias)


def linked(graphs: Sequence[TokenGraph]) -> TokenGraph:
    """Return one graph of all files, in their order, with aliases to remote variables redirected to their own file.

    Dangling aliases are linked, too, if the key in their id is that of a variable in one of the graphs.
    """
    if len(graphs) == 1:
        return graphs[0]
    homes: dict[str, TokenKey] = {}
    for graph in graphs:
        for token in graph.tokens.values():
            if token.origin in ("local", "withheld") and token.variable_key:
                homes.setdefault(token.variable_key, token.key)
    linker = _Linker(graphs, homes)
    return TokenGraph(
        (each for graph in graphs for each in graph.collections.values()),
        (linker.token(each) for graph in graphs for each in graph.tokens.values()),
    )


class _Linker:
    def __init__(self, graphs: Sequence[TokenGraph], homes: Mapping[str, TokenKey]) -> None:
        self.homes = homes
        self.redirects: dict[TokenKey, Alias] = {}
        for graph in graphs:
            for token in graph.tokens.values():
                home = homes.get(token.variable_key) if token.origin == "remote" else None
                if home is not None and home.file != token.key.file:
                    self.redirects[token.key] = Alias(home)

    def token(self, token: Token) -> Token:
        """Return the token with its aliases redirected."""
        values = tuple(self._value(each, token.key.file) for each in token.values)
        return token if values == token.values else replace(token, values=values)

    def _value(self, value: Value | None, file: str) -> Value | None:
        if isinstance(value, _REFERENCES):
            return self._reference(value, file)
        if isinstance(value, ComposedColor):
            color, opacity = value.color, value.opacity
            return ComposedColor(
                self._reference(color, file) if isinstance(color, _REFERENCES) else color,
                self._reference(opacity, file) if isinstance(opacity, _REFERENCES) else opacity,
            )
        if isinstance(value, Composite) and value.references:
            return replace(value, references=tuple((text, self._home(target)) for text, target in value.references))
        return value

    def _home(self, target: TokenKey) -> TokenKey:
        redirect = self.redirects.get(target)
        return target if redirect is None else redirect.target

    def _reference(self, value: Alias | DanglingAlias, file: str) -> Alias | DanglingAlias:
        if isinstance(value, Alias):
            return self.redirects.get(value.target, value)
        home = self.homes.get(key_of_remote_id(value.reference))
        return value if home is None or home.file == file else Alias(home)


def referenced(graph: TokenGraph) -> TokenGraph:
    """Return the graph without remote, deleted and withheld tokens that no live token depends on, and without the
    collections that this empties.
    """
    local_columns = {key: _local_columns(family) for key, family in graph.collections.items()}
    tokens = graph.tokens
    live = [key for key, token in tokens.items() if _is_live(token, local_columns[key[:2]])]
    if len(live) == len(tokens) and all(map(_has_local_part, graph.collections.values())):
        return graph
    reached = closure(live, lambda key: filter(tokens.__contains__, tokens[key].references))
    needed = {key[:2] for key in reached}
    return TokenGraph(
        (each for key, each in graph.collections.items() if key in needed or _has_local_part(each)),
        (token for key, token in tokens.items() if key in reached),
    )


def _local_columns(family: Collection) -> tuple[int, ...]:
    """Return the columns of the local extensions' modes."""
    local = {each.handle for each in family.extensions if each.origin == "local"}
    return tuple(index for index, mode in enumerate(family.modes) if mode.collection in local)


def _is_live(token: Token, local_columns: tuple[int, ...]) -> bool:
    return token.origin in _LIVE_ORIGINS or any(token.values[index] is not None for index in local_columns)


def _has_local_part(family: Collection) -> bool:
    return family.origin in _LIVE_ORIGINS or any(each.origin == "local" for each in family.extensions)
