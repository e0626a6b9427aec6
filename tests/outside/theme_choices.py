"""All choices of themes that a graph offers: none, each theme, and each two of different collections."""

from itertools import combinations

from tokensync.tokens import DEFAULT_THEME, Theme, TokenGraph, inferred_themes


def choices(graph: TokenGraph) -> list[tuple[tuple[str, ...], Theme]]:
    """(names of the chosen themes, the theme that they make), the default one first."""
    themes = inferred_themes(graph.collections.values())
    pairs = [
        ((one.name, other.name), Theme("", one.modes + other.modes))
        for one, other in combinations(themes, 2)
        if one.modes[0][0] != other.modes[0][0]
    ]
    return [((), DEFAULT_THEME), *(((each.name,), each) for each in themes), *pairs]
