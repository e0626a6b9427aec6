"""Which remote, deleted and withheld tokens a file needs: those that its live ones refer to, however indirectly."""

from __future__ import annotations

from tokensync.tokens import TokenGraph, TokenKey, targets

KEPT = ("local", "absent")


def referenced(graph: TokenGraph) -> TokenGraph:
    """The graph without what no live token refers to, and without collections that are empty then."""
    reached: set[TokenKey] = {key for key, token in graph.tokens.items() if _is_live(graph, key)}
    pending = list(reached)
    while pending:
        for value in graph.tokens[pending.pop()].values:
            for target in targets(value):
                if target not in reached and target in graph.tokens:
                    reached.add(target)
                    pending.append(target)
    needed = {key[:2] for key in reached}
    return TokenGraph(
        (each for each in graph.collections.values() if each.key in needed or _has_local_part(graph, each.key)),
        (token for key, token in graph.tokens.items() if key in reached),
    )


def _is_live(graph: TokenGraph, key: TokenKey) -> bool:
    token = graph.tokens[key]
    if token.origin in KEPT:
        return True
    family = graph.collections[key[:2]]
    local = {each.handle for each in family.extensions if each.origin == "local"}
    return any(
        value is not None and mode.collection in local for mode, value in zip(family.modes, token.values, strict=True)
    )


def _has_local_part(graph: TokenGraph, key: tuple[str, str]) -> bool:
    family = graph.collections[key]
    return family.origin in KEPT or any(each.origin == "local" for each in family.extensions)
