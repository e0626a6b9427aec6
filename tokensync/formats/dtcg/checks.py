"""What only the finished graph shows about token files: circles of aliases, and values that were edited in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.formats.dtcg.faults import BadToken
from tokensync.formats.dtcg.grounding import Grounding
from tokensync.formats.dtcg.literals import stand_in
from tokensync.formats.dtcg.references import is_reference
from tokensync.formats.dtcg.values import literal
from tokensync.tokens import DEFAULT_THEME, ComposedColor, Composite, Unresolved, inferred_themes, targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.formats.dtcg.document import Entry
    from tokensync.tokens import Theme, Token, TokenGraph, TokenKey


def stale(graph: TokenGraph, kept: Iterable[tuple[Token, int, Entry]]) -> Iterator[Entry]:
    """The entries whose ``$value`` only stands for a value kept in our extension, and is not what it stands for."""
    grounding = Grounding(graph)
    for token, column, entry in kept:
        if "$value" not in entry.node:
            continue
        value = token.values[column]
        if isinstance(value, ComposedColor) or (isinstance(value, Composite) and value.references):
            resolved = grounding.literal(token, column)
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


def in_circles(graph: TokenGraph) -> Iterator[TokenKey]:
    """The tokens that have no value in some mode because aliases come back to them."""
    suspects = _suspects(graph)
    if not suspects:
        return
    families = {key[:2] for key in suspects}
    themes = [each for each in inferred_themes(graph.collections.values()) if each.modes[0][0] in families]
    found: set[TokenKey] = set()
    for theme in (DEFAULT_THEME, *themes):
        found.update(_circular(graph, theme, suspects))
    yield from (key for key in graph.tokens if key in found)


def _circular(graph: TokenGraph, theme: Theme, suspects: Iterable[TokenKey]) -> Iterator[TokenKey]:
    resolve = graph.resolver(theme)
    for key in suspects:
        resolved = resolve(key)
        if isinstance(resolved, Unresolved) and resolved.reason == "cycle":
            yield key


def _suspects(graph: TokenGraph) -> set[TokenKey]:
    """What is left when tokens without targets are taken away, again and again: all circles are among it."""
    behind = {
        key: {target for value in token.values for target in targets(value) if target in graph.tokens}
        for key, token in graph.tokens.items()
    }
    before: dict[TokenKey, list[TokenKey]] = {}
    for key, ends in behind.items():
        for target in ends:
            before.setdefault(target, []).append(key)
    count = {key: len(ends) for key, ends in behind.items()}
    free = [key for key, number in count.items() if number == 0]
    while free:
        key = free.pop()
        del count[key]
        for each in before.get(key, ()):
            count[each] -= 1
            if count[each] == 0:
                free.append(each)
    return set(count)
