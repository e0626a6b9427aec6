"""What each property gives: a reference to another property where there is one, else a literal.

A reference follows the chosen mode of whatever it leads to, so the values of a mode are right together with any modes
of other families, and there are as many of them as tokens and modes. A literal in a place where the value depends on
another family's mode, since nothing there is declared that could be referred to, is told apart by that mode.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.generate.composites import NO_REFERENCES, references
from tokensync.generate.edges import beyond_percentages, edges_of, not_always, on_circles
from tokensync.generate.left_out import without_form
from tokensync.targets.compose import literals as kotlin
from tokensync.targets.compose.naming import kotlin_name
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Theme, Unresolved
from tokensync.tokens.resolver import NEEDS_RESOLVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.compose.families import Family
    from tokensync.tokens import FamilyKey, Resolved, TokenKey
    from tokensync.tokens.composites import Path

    Kept = Mapping[Path, str]

Texts = dict[int, str]
"""Kotlin expressions by the places of their tokens."""

Chosen = tuple[tuple["FamilyKey", int], ...]

_MOST_BRANCHES = 256
"""Literals of one property: where more would be told apart, the default modes of other families stand for all."""
_PARTS = {
    "color": "color",
    "dimension": "dp",
    "number": "number",
    "cubicBezier": "cubicBezier",
    "strokeStyle": "strokeStyle",
}
"""The kind that a token has to be of to stand for a part of a composite, by the part's type."""
_INDENT = "    "


class Values:
    """The expressions of all families in all their modes.

    ``owner`` is what the classes call the set of all tokens; ``referring`` are composites with references in them.
    """

    def __init__(self, sheet: Sheet, families: Iterable[Family], owner: str) -> None:
        self.sheet = sheet
        self.graph = sheet.graph
        self.owner = owner
        self._families = {each.key: each for each in families}
        self._choosable = [each for each in self._families.values() if each.choices]
        self._resolvers: dict[Chosen, Callable[[TokenKey], Resolved]] = {}
        self.referring: set[int] = set()
        self._limited: dict[FamilyKey, set[int]] = {}
        sheet.spelled = [""] * len(sheet.names)
        for family in self._families.values():
            for place in family.places:
                sheet.spelled[place] = f"{self._set(family)}.{kotlin_name(sheet.names[place])}"
        self._default = {place: text for place, text, _ in sheet.default_rows()}

    def in_default(self, family: Family) -> Texts:
        """The family's tokens in its default mode; those without a value there are left out."""
        rows = {place: self._default[place] for place in family.places if place in self._default}
        return dict(self._exact(family, family.collection.default_mode, rows))

    def in_mode(self, family: Family, mode: int, default: Texts) -> Texts:
        """The same tokens in another mode; one without a value there has that of the default mode."""
        theme = Theme(family.collection.modes[mode].context, ((family.key, mode),))
        varying = self.sheet.resolution.varying((theme,))
        places = [place for place in family.places if place in varying and place in default]
        shown = self.sheet.resolution.in_theme(theme, varying)
        rows = {place: text for place, text, _ in self.sheet.rows(places, shown, theme, self._default)}
        # Without a value there, it may still have one together with other modes.
        rows |= {place: "" for place in places if place not in rows and self._depends_elsewhere(place, family)}
        exact = {place: text for place, text in self._exact(family, mode, rows) if text}
        return {**default, **exact}

    def access(self, place: int, within: Family) -> str:
        """The expression that reads a token in the class of a family."""
        name = self.sheet.names[place]
        if self.sheet.tokens[place].key[:2] == within.key and not within.is_split:
            return "this.field" if name == "field" else kotlin_name(name)  # a bare ``field`` is an accessor's own
        return self.sheet.spelled[place]

    def report_limits(self) -> None:
        """Say which families' modes do not count for some literals, there being too many of them."""
        for key, modes in self._limited.items():
            but = ", in literals that depend on many collections"
            found = without_form(self.graph.collections[key], sorted(modes), self.sheet.request.platform, but)
            self.sheet.problems.append(found)

    def _set(self, family: Family) -> str:
        return family.type if family.is_constant else f"{self.owner}.{kotlin_name(family.accessor)}"

    def _exact(self, family: Family, mode: int, rows: Texts) -> Iterator[tuple[int, str]]:
        """The rows, right for all modes of other families."""
        columns = self.sheet.resolution.columns
        codes = dict(zip(columns.of_family[family.key], columns.column(family.key, mode), strict=True))
        for place, text in rows.items():
            code = codes[place]
            if code < NEEDS_RESOLVER:
                yield place, text
                continue
            if code >= 0 and text and text == self.sheet.spelled[code] and place not in self._circular:
                yield place, self.access(code, family)
                continue
            value = None if place in self._circular else self.graph.value(self.sheet.tokens[place], mode)
            if isinstance(value, Composite):
                yield place, self._composite(place, family, mode, value)
            else:
                layered = self._layered(value, family) if isinstance(value, ComposedColor) else ""
                yield place, layered or self._told_apart(place, family, mode)

    def _layered(self, value: ComposedColor, family: Family) -> str:
        """An opacity over a reference to an opaque colour; nothing when it is not that."""
        if not isinstance(value.color, Alias):
            return ""
        base = self._referable(value.color.target, "color")
        if base is None or base in self._translucent:
            return ""
        if isinstance(value.opacity, float):
            return f"{self.access(base, family)}.copy(alpha = {kotlin.share(min(max(value.opacity, 0.0), 100.0))})"
        if isinstance(value.opacity, Alias):
            opacity = self._referable(value.opacity.target, "percentage")
            if opacity is not None:
                limits = ".coerceIn(0f, 1f)" if opacity in self._beyond else ""
                return f"{self.access(base, family)}.copy(alpha = {self.access(opacity, family)}{limits})"
        return ""

    def _composite(self, place: int, family: Family, mode: int, value: Composite) -> str:
        """A composite whose parts are references where they can be; what they follow is not told apart then."""
        dtcg_type = self.sheet.tokens[place].type
        parts = references(value, dtcg_type)
        kept: dict[Path, str] = {}
        for part in parts:
            kind = "sp" if (dtcg_type, part.type) == ("typography", "dimension") else _PARTS.get(part.type, "")
            target = self._referable(part.target, kind)
            if target is not None:
                kept[part.path] = self.access(target, family)
        if kept:
            self.referring.add(place)
        if len(kept) == len(parts):
            return self._literal(place, ((family.key, mode),), kept)
        return self._told_apart(place, family, mode, kept)

    def _referable(self, target: TokenKey, kind: str) -> int | None:
        place = self.sheet.resolution.columns.places.get(target)
        return place if place in self._default and self.sheet.kinds[place] == kind else None

    def _depends_elsewhere(self, place: int, family: Family) -> bool:
        return any(place in each.depending for each in self._choosable if each.key != family.key)

    def _told_apart(self, place: int, family: Family, mode: int, kept: Kept = NO_REFERENCES) -> str:
        """The literal, or a choice among literals by the modes that it depends on; nothing when there is none at all.

        Where it has no value in some of them, it has that of other default modes, or of its own default mode.
        """
        others = [each for each in self._choosable if each.key != family.key and place in each.depending]
        usual = self._literal(place, ((family.key, mode),), kept) or self._literal(place, (), NO_REFERENCES)
        branches = 1
        for each in others:
            branches *= len(each.choices)
        if branches > _MOST_BRANCHES:
            for each in others:
                modes = self._limited.setdefault(each.key, set())
                modes.update(choice.mode for choice in each.choices[1:])
            return usual

        def literal(chosen: Chosen) -> str:
            return self._literal(place, chosen, kept) or usual

        return self._choice(literal, others, ((family.key, mode),), 2)

    def _choice(self, literal: Callable[[Chosen], str], others: Sequence[Family], chosen: Chosen, depth: int) -> str:
        if not others:
            return literal(chosen)
        first, *rest = others
        branches: dict[str, list[str]] = {}
        for choice in first.choices:
            branch = self._choice(literal, rest, (*chosen, (first.key, choice.mode)), depth + 1)
            branches.setdefault(branch, []).append(f"{first.enumeration}.{choice.entry}")
        if len(branches) == 1:
            return next(iter(branches))
        indent = _INDENT * (depth + 1)
        lines = [f"{indent}{', '.join(entries)} -> {branch}" for branch, entries in branches.items()]
        head = f"when ({self.owner}.{first.chosen})"
        return "\n".join((f"{head} {{", *lines, f"{indent.removesuffix(_INDENT)}}}"))

    def _literal(self, place: int, chosen: Chosen, kept: Kept) -> str:
        resolve = self._resolvers.get(chosen)
        if resolve is None:
            resolve = self._resolvers[chosen] = self.graph.resolver(Theme("", chosen))
        value = resolve(self.sheet.tokens[place].key)
        kind = self.sheet.kinds[place]
        if isinstance(value, Unresolved) or kind is None:
            return ""
        return (kotlin.composite_text(kind, value, kept) if kept else kotlin.LITERALS[kind](value)) or ""

    @cached_property
    def _circular(self) -> frozenset[int]:
        return on_circles(self._edges)

    @cached_property
    def _translucent(self) -> set[int]:
        return not_always(_is_opaque, self.sheet.resolution, self._edges)

    @cached_property
    def _beyond(self) -> set[int]:
        return beyond_percentages(self.sheet.resolution, self._edges)

    @cached_property
    def _edges(self) -> dict[int, set[int]]:
        return edges_of(self.sheet.resolution)


def _is_opaque(value: Resolved | None) -> bool:
    return type(value) is Color and value.alpha == 1
