"""Holds a style sheet in Chromium against the graph: each token's computed value on elements in any nesting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outside.expected import kind_of, same, showable, value_of
from outside.themes import theme_of

from tokensync.naming import names_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from outside.page import Page
    from outside.themes import Choice

    from tokensync.generate.appearance import Appearance
    from tokensync.tokens import FamilyKey, Theme, TokenGraph

UNREPRESENTABLE = "\0\ud800-\udfff"
AT_ONCE = 40
"""Placements a question to the browser: some hundred thousand values."""

Placement = tuple["Choice", ...]
"""Elements from the root inwards; the last one is read."""

ROOT: Choice = ({}, {})


class Oracle:
    """Compares and counts; ``differences`` are in words, with the placement."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.compared = 0
        self.differences: list[str] = []
        local = [each for each in graph.tokens.values() if each.origin == "local"]
        names, _ = names_for(graph, local, "css")
        self.kinds = {names[each.key]: kind_of(each) for each in local}
        self.keys = [each.key for each in local]
        self._values: dict[tuple, tuple | None] = {}
        self._equal: set[tuple[int, int]] = set()
        self._expected: dict[Theme, list[tuple | None]] = {}

    def compare(
        self, page: Page, system: tuple[Appearance, Mapping[FamilyKey, int]], placements: Iterable[Placement]
    ) -> None:
        """Compare every token at every placement while the system asks for that appearance."""
        appearance, chosen = system
        page.emulate(scheme=appearance.scheme or "light", contrast=appearance.contrast or "no-preference")
        for some in batches(list(placements)):
            rows = page.values(self.kinds, [[attributes for attributes, _ in placement] for placement in some])
            for placement, found in zip(some, rows, strict=True):
                theme = theme_of(chosen, (modes for _, modes in placement))
                shown = " > ".join(" ".join(f"[{k}={v}]" for k, v in attributes.items()) for attributes, _ in placement)
                self._compare(self.expected(theme), found, f"{'-'.join(filter(None, appearance))}: html{shown}")

    def expected(self, theme: Theme) -> list[tuple | None]:
        """The value of each token in a theme; equal ones are the same objects."""
        if theme not in self._expected:
            resolve = self.graph.resolver(theme)
            pairs = zip(self.kinds.values(), map(resolve, self.keys), strict=True)
            self._expected[theme] = [self._value(kind, literal) for kind, literal in pairs]
        return self._expected[theme]

    def _value(self, kind: str, literal) -> tuple | None:
        asked = (kind, type(literal), literal)
        if asked not in self._values:
            value = value_of(kind, literal)
            if value is not None and value[0] == "string":
                value = ("string", showable(value[1], UNREPRESENTABLE))
            self._values[asked] = value
        return self._values[asked]

    def _compare(self, expected: Sequence[tuple | None], found: Sequence[tuple[str, tuple | None]], where: str) -> None:
        equal = self._equal
        for name, wanted, (text, value) in zip(self.kinds, expected, found, strict=True):
            if wanted is None:
                continue
            self.compared += 1
            if (id(wanted), id(value)) in equal:
                continue
            if same(wanted, value):
                equal.add((id(wanted), id(value)))
            else:
                self.differences.append(f"{where} {name}: expected {shown(wanted)}, found {shown(value)} ({text[:80]})")


def batches(placements: list[Placement]) -> Iterator[list[Placement]]:
    for start in range(0, len(placements), AT_ONCE):
        yield placements[start : start + AT_ONCE]


def shown(value: tuple | None) -> str:
    """A value in few words."""
    return "nothing" if value is None else " ".join(str(each)[:60] for each in value)
