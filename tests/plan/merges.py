"""A small graph with ids, edits of it, and merges of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphs import alias, collection, color, graph, key, token
from msgspec.structs import replace

from tokensync.plan.merging import Merged, merge
from tokensync.tokens import TokenGraph

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Collection, Token, TokenKey

Edit = "Callable[[TokenGraph], TokenGraph]"

BLACK, WHITE, RED, BLUE = (color(each) for each in ("#000000", "#ffffff", "#ff0000", "#0000ff"))
ACCENT, TEXT, SIZE = key("Theme", "accent/base"), key("Theme", "text"), key("Size", "gap")


def with_ids(each: Collection, number: int) -> Collection:
    """The collection as the platform would hold it."""
    modes = tuple(
        replace(mode, id=f"{number}:{column}" if mode.parent is None else f"X:{number}/{number}:{mode.parent}")
        for column, mode in enumerate(each.modes)
    )
    extensions = tuple(replace(one, id=f"X:{number}", collection_key=f"xk{number}") for one in each.extensions)
    return replace(each, id=f"C:{number}", collection_key=f"ck{number}", modes=modes, extensions=extensions)


def design() -> TokenGraph:
    """Two collections, one of them extended, with three tokens."""
    theme = with_ids(collection("Theme", "Light", "Dark", extensions=[("Brand", "Theme")]), 1)
    size = with_ids(collection("Size"), 2)
    return graph(
        theme,
        size,
        token(theme, "accent/base", RED, BLUE, None, WHITE, id="V:1", variable_key="k1", description="Accent"),
        token(theme, "text", alias("Theme", "accent/base"), WHITE, None, None, id="V:2", variable_key="k2"),
        token(size, "gap", 4, type="number", id="V:3", variable_key="k3", scopes=("GAP",)),
    )


def edited(of: TokenGraph, at: TokenKey, **members: Any) -> TokenGraph:
    """The graph with other members of one token; ``values`` may be a dict of columns."""

    def change(each: Token) -> Token:
        if each.key != at:
            return each
        values = members.get("values", each.values)
        if isinstance(values, dict):
            values = tuple(values.get(column, value) for column, value in enumerate(each.values))
        return replace(each, **{**members, "values": values})

    return TokenGraph(of.collections.values(), map(change, of.tokens.values()))


def renamed(of: TokenGraph, at: TokenKey, name: str) -> TokenGraph:
    """The graph with a token of another path, and all aliases to it."""
    to = at._replace(path=name.replace("/", "."))

    def change(each: Token) -> Token:
        values = tuple(
            alias("x", "x").__class__(to) if getattr(value, "target", None) == at else value for value in each.values
        )
        return replace(each, key=to if each.key == at else each.key, values=values)

    return TokenGraph(of.collections.values(), map(change, of.tokens.values()))


def without(of: TokenGraph, *keys: TokenKey) -> TokenGraph:
    """The graph without some tokens."""
    return TokenGraph(of.collections.values(), (each for each in of.tokens.values() if each.key not in keys))


def with_tokens(of: TokenGraph, *more: Token) -> TokenGraph:
    """The graph with some tokens more."""
    return TokenGraph(of.collections.values(), (*of.tokens.values(), *more))


def with_collection(of: TokenGraph, handle: str, change: Callable[[Collection], Collection]) -> TokenGraph:
    """The graph with one collection changed."""
    return TokenGraph(
        (change(each) if each.handle == handle else each for each in of.collections.values()), of.tokens.values()
    )


def merged(ours: TokenGraph, theirs: TokenGraph, *bases: TokenGraph, **options: Any) -> Merged:
    """A merge from ``design``, unless other bases are given."""
    return merge(bases or (design(),), ours, theirs, **options)


def clean(ours: TokenGraph, theirs: TokenGraph, *bases: TokenGraph, **options: Any) -> TokenGraph:
    """The merge of what does not conflict."""
    result = merged(ours, theirs, *bases, **options)
    assert not result.conflicts, result.conflicts
    assert not result.problems, result.problems
    return result.graph


def members(result: Merged) -> list[tuple[str, str]]:
    """What conflicts: path (or handle) and member."""
    return [(each.key.path or each.key.collection, each.key.member) for each in result.conflicts]
