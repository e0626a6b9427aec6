"""Step 4: what the finished graph cannot show: dangling aliases, cycles, missing values, and all that refer to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.problems import Problem, problem
from tokensync.tokens import (
    Alias,
    ComposedColor,
    DanglingAlias,
    Theme,
    Token,
    TokenGraph,
    TokenKey,
    Unresolved,
    targets,
)
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.tokens import Collection, Resolved

_WHAT = {
    "dangling": ("alias-dangling", "it leads to {at}, which is not in the response"),
    "cycle": ("alias-cycle", "its aliases come back to {at}"),
    "absent": ("value-absent", "there is no value ({at})"),
    "mismatch": ("alias-mismatch", "it leads to a value of another type ({at})"),
}
_OUTCOME = "its declaration is left out there; mend the alias in the design file"


def findings(graph: TokenGraph) -> tuple[Problem, ...]:
    """A problem for every local token and mode without a literal, each once. Nothing wrong costs one linear look."""
    suspects = _suspects(graph)
    if not suspects:
        return ()
    return tuple(_unresolved(graph, _with_dependants(graph, suspects)))


def _suspects(graph: TokenGraph) -> set[TokenKey]:
    """Tokens that may be the start of trouble: a dangling or missing value, another type's alias, or a cycle."""
    suspects: set[TokenKey] = set()
    for token in graph.tokens.values():
        for column, value in enumerate(token.values):
            match value:
                case None:
                    if graph.value(token, column) is None:
                        suspects.add(token.key)
                case Alias(target=target):
                    if target not in graph.tokens or _kind(graph.tokens[target].type) != _kind(token.type):
                        suspects.add(token.key)
                case DanglingAlias():
                    suspects.add(token.key)
                case ComposedColor(color=color, opacity=opacity):
                    if isinstance(color, DanglingAlias) or isinstance(opacity, DanglingAlias) or _odd(graph, value):
                        suspects.add(token.key)
    suspects.update(_on_cycles(graph))
    return suspects


def _odd(graph: TokenGraph, value: ComposedColor) -> bool:
    color, opacity = value.color, value.opacity
    return (isinstance(color, Alias) and graph.tokens[color.target].type != "color") or (
        isinstance(opacity, Alias) and _kind(graph.tokens[opacity.target].type) != "number"
    )


def _kind(token_type: str) -> str:
    return {"dimension": "number", "fontWeight": "number", "fontFamily": "string"}.get(token_type, token_type)


def _edges(token: Token) -> set[TokenKey]:
    return {target for value in token.values for target in targets(value)}


def _on_cycles(graph: TokenGraph) -> set[TokenKey]:
    """Tokens that are left when all without an unsettled target are taken away, over and over (Kahn), in any mode."""
    waiting: dict[TokenKey, int] = {}
    dependants: dict[TokenKey, list[TokenKey]] = {}
    for token in graph.tokens.values():
        edges = _edges(token)
        if edges:
            waiting[token.key] = sum(each in graph.tokens for each in edges)
            for each in edges:
                dependants.setdefault(each, []).append(token.key)
    ready = [key for key in dependants if waiting.get(key, 0) == 0]
    while ready:
        for dependant in dependants.get(ready.pop(), ()):
            waiting[dependant] -= 1
            if waiting[dependant] == 0:
                ready.append(dependant)
    return {key for key, left in waiting.items() if left > 0}


def _with_dependants(graph: TokenGraph, suspects: set[TokenKey]) -> set[TokenKey]:
    dependants: dict[TokenKey, list[TokenKey]] = {}
    for token in graph.tokens.values():
        for target in _edges(token):
            dependants.setdefault(target, []).append(token.key)
    found, pending = set(suspects), list(suspects)
    while pending:
        for each in dependants.get(pending.pop(), ()):
            if each not in found:
                found.add(each)
                pending.append(each)
    return found


def _unresolved(graph: TokenGraph, affected: set[TokenKey]) -> Iterator[Problem]:
    for family in graph.collections.values():
        own = [graph.tokens[key] for key in graph.tokens if key in affected and key[:2] == family.key]
        resolvers = [graph.resolver(Theme("", ((family.key, index),))) for index in range(len(family.modes))]
        for token in own:
            if token.origin == "local":
                yield from _unresolved_modes(token, family, [resolver(token.key) for resolver in resolvers])


def _unresolved_modes(token: Token, family: Collection, results: list[Resolved]) -> Iterator[Problem]:
    """One problem a reason, naming every mode that it concerns."""
    modes: dict[Unresolved, list[str]] = {}
    for mode, result in zip(family.modes, results, strict=True):
        if isinstance(result, Unresolved):
            modes.setdefault(result, []).append(mode.context)
    for result, contexts in modes.items():
        code, what = _WHAT[result.reason]
        where = f"{family.name} / {'/'.join(names(token.key.path))} / {', '.join(contexts)}"
        yield problem(code, where, what.format(at=result.at), _OUTCOME)
