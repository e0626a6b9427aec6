"""The blocks of a style sheet in their order: what stands around each, its selector, and its declarations.

Right after a block come, for browsers and screens that can more, the values that they take instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.css import literals as css
from tokensync.targets.css.cascade import Cascade
from tokensync.targets.css.schemes import schemes_of
from tokensync.targets.css.selectors import Selectors
from tokensync.targets.css.views import Cell
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.css.options import CssOptions
    from tokensync.targets.css.rules import Choice, Texts
    from tokensync.targets.css.spelling import Spelling

NO_PLACE = -1
Row = tuple[int, str, str, str]
"""The place of a token (``NO_PLACE`` for what is none), a property, its value, and a comment with a space before it."""


class Block(NamedTuple):
    """``conditions`` are the at-rules around it, the outermost first; ``chosen`` the contexts that it is for."""

    conditions: tuple[str, ...]
    selector: str
    rows: list[Row]
    chosen: tuple[Choice, ...] = ()


def blocks_of(sheet: Sheet, options: CssOptions, spelling: Spelling) -> Iterator[Block]:
    """One at a time, so that a block's values are let go when it is written; none is empty."""
    cascade = Cascade(sheet, options, spelling)
    selectors = Selectors(options)
    schemes = schemes_of(cascade) if options.light_dark else None
    queries = [tuple(f"@media {query}" for query in layer.queries) for layer in cascade.system.layers]
    notes = _Notes(sheet)
    for each in cascade.rules():
        rule = each if schemes is None else schemes.merged(each)
        selector = _selector(selectors, rule.chosen)
        scheme = "" if schemes is None else schemes.declared(cascade, rule.chosen)
        first = [(NO_PLACE, "color-scheme", scheme, "")] if scheme else []
        for tier in rule.tiers:
            around = (tier.condition,) if tier.condition else ()
            for conditions, texts, outside in zip(
                ((), *queries), (tier.usual, *tier.variants), rule.outside, strict=True
            ):
                rows = [*first, *_rows(sheet, notes, texts, outside)]
                first = []
                if rows:
                    yield Block((*around, *conditions), selector, rows, rule.chosen)


def _rows(sheet: Sheet, notes: Mapping[int, str], texts: Texts, outside: Mapping[int, int]) -> Iterator[Row]:
    """The declarations of tokens, each with those of its parts after it."""
    of = sheet.names
    if not outside and Cell not in set(map(type, texts.values())):
        yield from [(place, of[place], value, "") for place, value in texts.items()]  # type: ignore[misc]
        return
    for place, value in texts.items():
        note = notes[outside[place]] if place in outside else ""
        if isinstance(value, Cell):
            yield place, of[place], value.text, note
            yield from ((place, f"{of[place]}-{suffix}", part, "") for suffix, part in value.parts)
        else:
            yield place, of[place], value, note


def _selector(selectors: Selectors, chosen: tuple[Choice, ...]) -> str:
    if not chosen:
        return selectors.root
    several = [
        selectors.any_of(each.axis) if each.context is None else selectors.of(each.axis, each.context)
        for each in chosen
    ]
    return several[0] if len(several) == 1 else selectors.together(*several)


class _Notes(dict[int, str]):
    """Comments that name tokens which are not declared, by their places."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.graph = sheet.graph
        self.tokens = sheet.tokens

    def __missing__(self, place: int) -> str:
        token = self.tokens[place]
        origin = "excluded" if token.origin == "local" else token.origin
        text = f"{origin}: {self.graph.collection_of(token).name} / {'/'.join(names(token.key.path))}"
        note = self[place] = f" {css.comment(text)}"
        return note
