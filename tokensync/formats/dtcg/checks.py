"""What only the finished graph shows about token files: cycles of aliases, and values that were edited in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.formats.dtcg.literals import literal, stand_in
from tokensync.formats.dtcg.parse import BadToken
from tokensync.formats.dtcg.portability import Portability
from tokensync.formats.dtcg.spelling import is_reference
from tokensync.tokens import DEFAULT_THEME, ComposedColor, Composite, Unresolved, inferred_themes
from tokensync.tokens.algorithms import closure, on_cycles, reverse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.formats.dtcg.document import Entry
    from tokensync.tokens import Token, TokenGraph, TokenKey


def stale(graph: TokenGraph, kept: Iterable[tuple[Token, int, Entry]]) -> Iterator[Entry]:
    """Yield the entries whose ``$value`` only stands for a value kept in our extension, and is not what it
    stands for.
    """
    portability = Portability(graph)
    for token, column, entry in kept:
        if "$value" not in entry.node:
            continue
        value = token.values[column]
        if isinstance(value, ComposedColor) or (isinstance(value, Composite) and value.references):
            resolved = portability.literal(token, column)
            expected = None if isinstance(resolved, Unresolved) else resolved
        elif is_reference(value):
            expected = stand_in(value)
        else:
            continue
        try:
            if expected is not None and literal(token.type, entry.node["$value"]) != expected:
                yield entry
        except BadToken:
            yield entry


def cyclic_tokens(graph: TokenGraph) -> Iterator[TokenKey]:
    """Yield the tokens that have no value in some mode because of a cycle: they are on it, or refer to it."""
    edges = graph.references()
    cyclic = on_cycles(edges)
    if not cyclic:
        return
    dependents = reverse(edges)
    suspects = closure(cyclic, lambda key: dependents.get(key, ()))
    families = {key[:2] for key in suspects}
    themes = [each for each in inferred_themes(graph.collections.values()) if each.modes[0][0] in families]
    found: set[TokenKey] = set()
    for theme in (DEFAULT_THEME, *themes):
        resolve = graph.resolver(theme)
        resolved = {key: resolve(key) for key in suspects}
        found.update(key for key, each in resolved.items() if isinstance(each, Unresolved) and each.reason == "cycle")
    yield from (key for key in graph.tokens if key in found)
