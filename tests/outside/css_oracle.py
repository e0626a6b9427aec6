"""Holds a style sheet in Chromium against the graph: each token's computed value on elements in any nesting."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from outside import composites
from outside.css_themes import Choice, theme_of
from outside.expected import HALF_A_STEP, kind_of, same, showable, value_of
from outside.page import Page

from tokensync.generate.naming import names_for
from tokensync.generate.targets import naming_of
from tokensync.generate.themes import Appearance
from tokensync.tokens import Composite, FamilyKey, Theme, TokenGraph, TokenKey

UNREPRESENTABLE = "[\0\ud800-\udfff]|<(?=(?i:/style))"
"""Minifiers remove the escapes of an end tag."""
AT_ONCE = 40
"""Placements a question to the browser: some hundred thousand values."""

Placement = tuple["Choice", ...]
"""Elements from the root inwards; the last one is read."""

ROOT: Choice = ({}, {})


class Oracle:
    """Compares and counts; ``differences`` are in words, with the placement."""

    def __init__(self, graph: TokenGraph, *, tells_absent: bool = False, screen: str = "") -> None:
        """With ``tells_absent``, a token that has no value in a theme has to be nothing at all there.

        With a ``screen`` (``srgb`` or ``p3``), colours are Display P3 and shown by a screen of that gamut.
        """
        self.graph = graph
        self.tells_absent = tells_absent
        self.screen = screen
        self.tolerance = HALF_A_STEP
        self.compared = 0
        self.differences: list[str] = []
        local = [each for each in graph.tokens.values() if each.origin == "local"]
        names, _ = names_for(graph, local, naming_of("css"))
        self.kinds: dict[str, str] = {}
        """The kind of each name: of the tokens, and of the properties that parts of composite ones have."""
        self.sources: list[tuple[TokenKey, str, str]] = []
        """(token, its kind, the part's suffix or nothing) of each name."""
        for token in local:
            kind = kind_of(token)
            for suffix, part_kind in (("", kind), *composites.parts_of(kind)):
                self.kinds[f"{names[token.key]}-{suffix}" if suffix else names[token.key]] = part_kind
                self.sources.append((token.key, kind, suffix))
        assert len(self.kinds) == len(self.sources), "a part has the name of a token"
        self._composites = {names[each.key] for each in local if kind_of(each) in composites.PROPERTIES}
        self._values: dict[tuple, tuple | None] = {}
        self._computed: dict[tuple, tuple | None] = {}
        self._equal: dict[tuple[int, int], tuple] = {}
        """Pairs of objects that were found equal, by their ids; kept, so that no other object comes to have an id."""
        self._expected: dict[Theme, list[tuple | None]] = {}

    def compare(
        self, page: Page, system: tuple[Appearance, Mapping[FamilyKey, int]], placements: Iterable[Placement]
    ) -> None:
        """Compare every token at every placement while the system asks for that appearance."""
        appearance, chosen = system
        contrast, gamut = appearance.contrast or "no-preference", self.screen or "srgb"
        page.emulate(scheme=appearance.scheme or "light", contrast=contrast, gamut=gamut)
        for some in batches(list(placements)):
            rows = page.values(self.kinds, [[attributes for attributes, _ in placement] for placement in some])
            for placement, actual in zip(some, rows, strict=True):
                theme = theme_of(self.graph, chosen, (each for _, each in placement))
                shown = " > ".join(" ".join(f"[{k}={v}]" for k, v in attributes.items()) for attributes, _ in placement)
                expected = self.computed(page, self.expected(theme))
                self._compare(expected, actual, f"{'-'.join(filter(None, appearance))}: html{shown}")

    def expected(self, theme: Theme) -> list[tuple | None]:
        """The value of each token in a theme; equal ones are the same objects."""
        if theme not in self._expected:
            resolve = self.graph.resolver(theme)
            self._expected[theme] = [self._value(kind, part, resolve(key)) for key, kind, part in self.sources]
        return self._expected[theme]

    def is_composite(self, name: str) -> bool:
        """Whether a name is that of a composite token or of a part of one."""
        return name in self._composites or any(
            name.removesuffix(f"-{each}") in self._composites for each in composites.SUFFIXES
        )

    def computed(self, page: Page, values: list[tuple | None]) -> list[tuple | None]:
        """The same, texts of composites as the browser computes them."""
        texts = {each for each in values if each is not None and each[0] in composites.PROPERTIES} - set(self._computed)
        if texts:
            pending = list(texts)
            self._computed |= zip(pending, page.typed(pending), strict=True)
        return [self._computed.get(each, each) for each in values]

    def _value(self, kind: str, part: str, literal) -> tuple | None:
        query = (kind, part, type(literal), literal)
        if query not in self._values:
            if kind in composites.PROPERTIES:
                value = composite_value(kind, part, literal) if isinstance(literal, Composite) else None
            else:
                value = value_of(kind, literal)
            if value is not None and value[0] == "string":
                value = ("string", showable(value[1], UNREPRESENTABLE))
            if value is not None and value[0] == "color" and self.screen:
                value = on_screen(value, self.screen)
            self._values[query] = value
        return self._values[query]

    def _compare(
        self, expected: Sequence[tuple | None], actual: Sequence[tuple[str, tuple | None]], where: str
    ) -> None:
        equal = self._equal
        for name, wanted, (text, value) in zip(self.kinds, expected, actual, strict=True):
            if wanted is None and not (self.tells_absent and text):
                continue
            self.compared += 1
            if (id(wanted), id(value)) in equal:
                continue
            if same(wanted, value, self.tolerance):
                equal[id(wanted), id(value)] = (wanted, value)
            else:
                self.differences.append(f"{where} {name}: expected {shown(wanted)}, found {shown(value)} ({text[:80]})")


def composite_value(kind: str, part: str, literal: Composite) -> tuple:
    """A composite as (type, text), or one of its parts."""
    return composites.part_of(kind, part, literal) if part else (kind, composites.css_of(kind, literal))


def on_screen(value: tuple, screen: str) -> tuple:
    """A Display P3 colour in sRGB coordinates, which go beyond 0 and 1 for what only a ``p3`` screen shows."""
    from coloraide import Color

    _, red, green, blue, alpha = value
    actual = Color("display-p3", (red, green, blue)).convert("srgb")
    if screen == "srgb":
        actual.fit("srgb", method="oklch-chroma")
    return ("color", *actual[:3], alpha)


def batches(placements: list[Placement]) -> Iterator[list[Placement]]:
    for start in range(0, len(placements), AT_ONCE):
        yield placements[start : start + AT_ONCE]


def shown(value: tuple | None) -> str:
    """A value in few words."""
    return "nothing" if value is None else " ".join(str(each)[:60] for each in value)
