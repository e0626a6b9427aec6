"""Which remote, deleted and withheld tokens a file needs: those that its live ones refer to, however indirectly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import TokenGraph, targets

if TYPE_CHECKING:
    from tokensync.tokens import Collection, Token

KEPT = ("local", "absent")


def referenced(graph: TokenGraph) -> TokenGraph:
    """The graph without what no live token refers to, and without collections that are empty then."""
    local_columns = {key: _local_columns(family) for key, family in graph.collections.items()}
    tokens = graph.tokens
    reached = {key for key, token in tokens.items() if _is_live(token, local_columns[key[:2]])}
    pending = list(reached)
    while pending:
        for value in tokens[pending.pop()].values:
            for target in targets(value):
                if target not in reached and target in tokens:
                    reached.add(target)
                    pending.append(target)
    needed = {key[:2] for key in reached}
    return TokenGraph(
        (each for key, each in graph.collections.items() if key in needed or _has_local_part(each)),
        (token for key, token in tokens.items() if key in reached),
    )


def _local_columns(family: Collection) -> tuple[int, ...]:
    """The modes that this file's extensions of the family have."""
    local = {each.handle for each in family.extensions if each.origin == "local"}
    return tuple(index for index, mode in enumerate(family.modes) if mode.collection in local)


def _is_live(token: Token, local_columns: tuple[int, ...]) -> bool:
    return token.origin in KEPT or any(token.values[index] is not None for index in local_columns)


def _has_local_part(family: Collection) -> bool:
    return family.origin in KEPT or any(each.origin == "local" for each in family.extensions)
