"""The Kotlin expression of each property: a reference to another property where there is one, else a literal.

A reference follows the chosen mode of its target, so the values of a mode are right together with any modes of other
families, and there are as many expressions as tokens and modes. Where a value depends on another family's mode but
nothing can be referred to, the literals of that family's modes stand in a ``when``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.generate.composites import NO_REFERENCES, references
from tokensync.generate.dependencies import beyond_percentages, not_always, on_cycles_or_between
from tokensync.generate.diagnostics import without_form
from tokensync.targets.compose.literals import LITERALS, PART_KINDS, composite_text, share
from tokensync.targets.compose.naming import kotlin_name
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Theme, Unresolved
from tokensync.tokens.resolver import NEEDS_RESOLVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.dependencies import Edges
    from tokensync.generate.sheet import Sheet
    from tokensync.targets.compose.families import Family
    from tokensync.tokens import FamilyKey, Resolved, TokenKey
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import ResolvedTheme

    Kept = Mapping[Path, str]

Texts = dict[int, str]
"""Kotlin expressions by token index."""

Chosen = tuple[tuple["FamilyKey", int], ...]

_MOST_BRANCHES = 256
"""Literals of one property: beyond that, other families count with their default modes only."""
_INDENT = "    "


class Expressions:
    """The expressions of all families in all their modes.

    ``owner`` is what the classes call the set of all tokens; ``referring`` are composites with references in them.
    """

    def __init__(self, sheet: Sheet, families: Iterable[Family], owner: str, edges: Edges) -> None:
        self.sheet = sheet
        self.graph = sheet.graph
        self.owner = owner
        self.referring: set[int] = set()
        self._edges = edges
        self._families = {each.key: each for each in families}
        self._choosable = [each for each in self._families.values() if each.choices]
        self._resolvers: dict[Chosen, Callable[[TokenKey], Resolved]] = {}
        self._limited: dict[FamilyKey, set[int]] = {}
        self._home: dict[int, Family] = {}
        sheet.spelled = [""] * len(sheet.names)
        for family in self._families.values():
            # What the classes of other families read its tokens from.
            source = family.type if family.is_constant else f"{owner}.{kotlin_name(family.accessor)}"
            for index in family.indices:
                self._home[index] = family
                sheet.spelled[index] = f"{source}.{kotlin_name(sheet.names[index])}"
        self._default = {index: text for index, text, _ in sheet.default_rows()}

    def in_default(self, family: Family) -> Texts:
        """Return the family's tokens in its default mode, without those that have no value there."""
        texts = {index: self._default[index] for index in family.indices if index in self._default}
        return dict(self._exact(family, family.collection.default_mode, self.sheet.resolution.default, texts))

    def in_mode(self, family: Family, mode: int) -> Texts:
        """Return the tokens that may differ in another mode; one without a value there keeps that of the default."""
        theme = Theme(family.collection.modes[mode].context, ((family.key, mode),))
        varying = self.sheet.resolution.varying((theme,))
        indices = [index for index in family.indices if index in varying and index in self._default]
        shown = self.sheet.resolution.in_theme(theme, varying)
        texts = {index: text for index, text, _ in self.sheet.rows(indices, shown, theme, self._default)}
        if len(texts) < len(indices):  # without a value there, one may still have it together with other modes
            texts |= {each: "" for each in indices if each not in texts and self._depends_elsewhere(each, family)}
        return {index: text for index, text in self._exact(family, mode, shown, texts) if text}

    def access(self, index: int, within: Family) -> str:
        """Return the expression that reads a token in the class of a family."""
        if within.is_split or self._home[index] is not within:
            return self.sheet.spelled[index]
        name = self.sheet.names[index]
        return "this.field" if name == "field" else kotlin_name(name)  # a bare ``field`` is an accessor's own

    def report_limits(self) -> None:
        """Report the families whose modes do not count for some literals, since there are too many combinations."""
        for key, modes in self._limited.items():
            but = ", in literals that depend on many collections"
            found = without_form(self.graph.collections[key], sorted(modes), self.sheet.request.platform, but)
            self.sheet.problems.append(found)

    def _exact(self, family: Family, mode: int, shown: ResolvedTheme, texts: Texts) -> Iterator[tuple[int, str]]:
        """Yield the tokens with expressions that are right for all modes of other families."""
        codes, spelled, cyclic = shown.codes, self.sheet.spelled, self._cyclic
        for index, text in texts.items():
            code = codes[index]
            if code < NEEDS_RESOLVER:
                yield index, text
            elif code >= 0 and text and text == spelled[code] and index not in cyclic:
                yield index, self.access(code, family)
            else:
                yield index, self._resolved(index, family, mode, shown)

    def _resolved(self, index: int, family: Family, mode: int, shown: ResolvedTheme) -> str:
        value = None if index in self._cyclic else self.graph.value(self.sheet.tokens[index], mode)
        if isinstance(value, Composite):
            return self._composite(index, family, mode, shown, value)
        layered = self._layered(value, family) if isinstance(value, ComposedColor) else ""
        return layered or self._by_modes(index, family, mode, shown)

    def _layered(self, value: ComposedColor, family: Family) -> str:
        """Return an opacity over a reference to an opaque colour; nothing when it is not that."""
        if not isinstance(value.color, Alias):
            return ""
        base = self._referable(value.color.target, "color")
        if base is None or base in self._translucent:
            return ""
        if isinstance(value.opacity, float):
            return f"{self.access(base, family)}.copy(alpha = {share(min(max(value.opacity, 0.0), 100.0))})"
        if isinstance(value.opacity, Alias):
            opacity = self._referable(value.opacity.target, "percentage")
            if opacity is not None:
                limits = ".coerceIn(0f, 1f)" if opacity in self._beyond else ""
                return f"{self.access(base, family)}.copy(alpha = {self.access(opacity, family)}{limits})"
        return ""

    def _composite(self, index: int, family: Family, mode: int, shown: ResolvedTheme, value: Composite) -> str:
        """Return a composite whose parts are references where they can be; those follow any modes by themselves."""
        dtcg_type = self.sheet.tokens[index].type
        parts = references(value, dtcg_type)
        kept: dict[Path, str] = {}
        for part in parts:
            kind = "sp" if (dtcg_type, part.type) == ("typography", "dimension") else PART_KINDS.get(part.type, "")
            target = self._referable(part.target, kind)
            if target is not None:
                kept[part.path] = self.access(target, family)
        if kept:
            self.referring.add(index)
        if len(kept) == len(parts):
            return self._written(index, self.sheet.literal(shown, index), kept)
        return self._by_modes(index, family, mode, shown, kept)

    def _referable(self, target: TokenKey, kind: str) -> int | None:
        index = self.sheet.resolution.columns.places.get(target)
        return index if index in self._default and self.sheet.kinds[index] == kind else None

    def _depends_elsewhere(self, index: int, family: Family) -> bool:
        return any(index in each.depending for each in self._choosable if each is not family)

    def _by_modes(self, index: int, family: Family, mode: int, shown: ResolvedTheme, kept: Kept = NO_REFERENCES) -> str:
        """Return the literal, or a choice among literals by the modes that it depends on; nothing without any.

        In modes without a value it has that of other default modes, or of its own default mode.
        """
        usual = self._written(index, self.sheet.literal(shown, index), kept)
        if not usual:
            usual = self._written(index, self.sheet.literal(self.sheet.resolution.default, index), NO_REFERENCES)
        others = [each for each in self._choosable if each is not family and index in each.depending]
        if not others:
            return usual
        branches = 1
        for each in others:
            branches *= len(each.choices)
        if branches > _MOST_BRANCHES:
            for each in others:
                modes = self._limited.setdefault(each.key, set())
                modes.update(choice.mode for choice in each.choices[1:])
            return usual

        def literal(chosen: Chosen) -> str:
            resolve = self._resolvers.get(chosen)
            if resolve is None:
                resolve = self._resolvers[chosen] = self.graph.resolver(Theme("", chosen))
            return self._written(index, resolve(self.sheet.tokens[index].key), kept) or usual

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

    def _written(self, index: int, value: Resolved, kept: Kept) -> str:
        kind = self.sheet.kinds[index]
        if isinstance(value, Unresolved) or not kind:
            return ""
        return (composite_text(kind, value, kept) if kept else LITERALS[kind](value)) or ""

    @cached_property
    def _cyclic(self) -> set[int]:
        return on_cycles_or_between(self._edges)

    @cached_property
    def _translucent(self) -> set[int]:
        return not_always(_is_opaque, self.sheet.resolution, self._edges)

    @cached_property
    def _beyond(self) -> set[int]:
        return beyond_percentages(self.sheet.resolution, self._edges)


def _is_opaque(value: Resolved | None) -> bool:
    return type(value) is Color and value.alpha == 1
