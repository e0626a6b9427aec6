"""The Kotlin expression of each property: a reference to another property where there is one, else a literal.

A reference follows the chosen mode of its target, so the values of a mode are right together with any modes of other
families, and there are as many expressions as tokens and modes. Where a value depends on another family's mode but
nothing can be referred to, the literals of that family's modes stand in a ``when``.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from tokensync.generate.composites import NO_REFERENCES, references
from tokensync.generate.diagnostics import modes_unsupported
from tokensync.targets.compose import kotlin_name
from tokensync.targets.compose.literals import LITERALS, PART_KINDS, composite_text, share
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Theme, Unresolved
from tokensync.tokens.algorithms import closure, on_cycles, reverse
from tokensync.tokens.resolver import NEEDS_RESOLVER, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tokensync.generate.output import Output
    from tokensync.targets.compose.families import Family
    from tokensync.tokens import FamilyKey, Resolved, TokenKey
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import ResolvedTheme

    Kept = Mapping[Path, str]

Texts = dict[TokenIndex, str]
"""Kotlin expressions by token index."""

Pending = dict[tuple[int, ...], dict[TokenIndex, "Kept"]]
"""By the families whose modes they depend on, tokens with the references that are kept in them."""

_MOST_BRANCHES = 256
"""Literals of one property: beyond that, other families count with their default modes only."""
_INDENT = "    "


class Expressions:
    """The expressions of all families in all their modes.

    ``owner`` is what the classes call the set of all tokens; ``names`` are the properties by token index, and
    ``referring`` the composites with references in them.
    """

    def __init__(self, output: Output, families: Iterable[Family], owner: str) -> None:
        self.output = output
        self.graph = output.graph
        self.owner = owner
        self.names = [kotlin_name(each) for each in output.names]
        self.referring: set[TokenIndex] = set()
        self._families = {each.key: each for each in families}
        self._choosable = [each for each in self._families.values() if each.choices]
        self._literals: dict[tuple[str, Resolved], str] = {}
        self._limited: dict[FamilyKey, set[int]] = {}
        self._home: dict[TokenIndex, Family] = {}
        output.spelled = [""] * len(output.names)
        for family in self._families.values():
            # What the classes of other families read its tokens from.
            source = family.type if family.is_constant else f"{owner}.{kotlin_name(family.accessor)}"
            for index in family.indices:
                self._home[index] = family
                output.spelled[index] = f"{source}.{self.names[index]}"
        self._default = {index: text for index, text, _ in output.default_rows()}

    def in_default(self, family: Family) -> Texts:
        """Return the family's tokens in its default mode, without those that have no value there."""
        texts = {index: self._default[index] for index in family.indices if index in self._default}
        return self._exact(family, family.collection.default_mode, self.output.resolution.default, texts)

    def in_mode(self, family: Family, mode: int) -> Texts:
        """Return the tokens that may differ in another mode; one without a value there keeps that of the default."""
        theme = Theme(family.collection.modes[mode].context, ((family.key, mode),))
        varying = self.output.resolution.varying((theme,))
        indices = [index for index in family.indices if index in varying and index in self._default]
        shown = self.output.resolution.in_theme(theme, varying)
        texts = {index: text for index, text, _ in self.output.rows(indices, shown, theme, self._default)}
        if len(texts) < len(indices):  # without a value there, one may still have it together with other modes
            texts |= {each: "" for each in indices if each not in texts and self._depends_elsewhere(each, family)}
        return {index: text for index, text in self._exact(family, mode, shown, texts).items() if text}

    def access(self, index: TokenIndex, within: Family) -> str:
        """Return the expression that reads a token in the class of a family."""
        if within.is_split or self._home[index] is not within:
            return self.output.spelled[index]
        name = self.names[index]
        return "this.field" if name == "field" else name  # a bare ``field`` is an accessor's own

    def report_limits(self) -> None:
        """Report the families whose modes do not count for some literals, since there are too many combinations."""
        for key, modes in self._limited.items():
            but = ", in literals that depend on many collections"
            found = modes_unsupported(self.graph.collections[key], sorted(modes), self.output.request.platform, but)
            self.output.problems.append(found)

    def _exact(self, family: Family, mode: int, shown: ResolvedTheme, texts: Texts) -> Texts:
        """Return the tokens with expressions that are right for all modes of other families."""
        codes, spelled, cyclic = shown.codes, self.output.spelled, self._cyclic
        exact: Texts = {}
        pending: Pending = {}
        for index, text in texts.items():
            code = codes[index]
            if code < NEEDS_RESOLVER:
                exact[index] = text
            elif code >= 0 and text and text == spelled[code] and index not in cyclic:
                exact[index] = self.access(code, family)
            else:
                exact[index] = self._resolved(index, family, mode, shown, pending)
        for others, kept in pending.items():
            exact |= self._by_modes([self._choosable[each] for each in others], (family.key, mode), kept, exact)
        return exact

    def _resolved(self, index: TokenIndex, family: Family, mode: int, shown: ResolvedTheme, pending: Pending) -> str:
        """Return the expression of a value that is no plain reference; add those that depend on other families' modes.

        What is returned of those holds in the default modes: the literal, that of the token's own default mode where it
        has no value, or nothing without either.
        """
        kept: Kept = NO_REFERENCES
        value = None if index in self._cyclic else self.graph.value(self.output.tokens[index], mode)
        if isinstance(value, ComposedColor) and (layered := self._layered(value, family)):
            return layered
        if isinstance(value, Composite):
            parts, kept = self._parts(index, family, value)
            if len(kept) == parts:
                return self._written(index, self.output.literal(shown, index), kept)
        usual = self._written(index, self.output.literal(shown, index), kept)
        if not usual:
            usual = self._written(index, self.output.literal(self.output.resolution.default, index), NO_REFERENCES)
        others = [at for at, each in enumerate(self._choosable) if each is not family and index in each.depending]
        branches = prod(len(self._choosable[at].choices) for at in others)
        if branches > _MOST_BRANCHES:
            for at in others:
                modes = self._limited.setdefault(self._choosable[at].key, set())
                modes.update(choice.mode for choice in self._choosable[at].choices[1:])
        elif others:
            pending.setdefault(tuple(others), {})[index] = kept
        return usual

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

    def _parts(self, index: TokenIndex, family: Family, value: Composite) -> tuple[int, Kept]:
        """Return how many parts of a composite refer to tokens, and the references that can be kept.

        Those follow any modes by themselves.
        """
        dtcg_type = self.output.tokens[index].type
        parts = references(value, dtcg_type)
        kept: dict[Path, str] = {}
        for part in parts:
            kind = "sp" if (dtcg_type, part.type) == ("typography", "dimension") else PART_KINDS.get(part.type, "")
            target = self._referable(part.target, kind)
            if target is not None:
                kept[part.path] = self.access(target, family)
        if kept:
            self.referring.add(index)
        return len(parts), kept

    def _referable(self, target: TokenKey, kind: str) -> TokenIndex | None:
        index = self.output.resolution.columns.indices.get(target)
        return index if index in self._default and self.output.kinds[index] == kind else None

    def _depends_elsewhere(self, index: TokenIndex, family: Family) -> bool:
        return any(index in each.depending for each in self._choosable if each is not family)

    def _by_modes(
        self, others: Sequence[Family], own: tuple[FamilyKey, int], tokens: Mapping[TokenIndex, Kept], usual: Texts
    ) -> Texts:
        """Return choices among literals by the modes of other families.

        One combination of modes is resolved at a time: a large file has thousands of them.
        """
        literals: dict[TokenIndex, list[str]] = {index: [] for index in tokens}
        for choices in product(*(each.choices for each in others)):
            modes = zip((each.key for each in others), (each.mode for each in choices), strict=True)
            resolve = self.graph.resolver(Theme("", (own, *modes)))
            for index, kept in tokens.items():
                text = self._written(index, resolve(self.output.tokens[index].key), kept)
                literals[index].append(text or usual[index])
        return {index: self._choice(others, texts, 2) for index, texts in literals.items()}

    def _choice(self, others: Sequence[Family], literals: Sequence[str], depth: int) -> str:
        """Return a ``when`` by the modes of the first family, of one literal per combination, around that of others."""
        if not others:
            return literals[0]
        first, *rest = others
        size = len(literals) // len(first.choices)
        branches: dict[str, list[str]] = {}
        for at, choice in enumerate(first.choices):
            branch = self._choice(rest, literals[at * size : (at + 1) * size], depth + 1)
            branches.setdefault(branch, []).append(f"{first.enumeration}.{choice.entry}")
        if len(branches) == 1:
            return next(iter(branches))
        indent = _INDENT * (depth + 1)
        lines = [f"{indent}{', '.join(entries)} -> {branch}" for branch, entries in branches.items()]
        head = f"when ({self.owner}.{first.chosen})"
        return "\n".join((f"{head} {{", *lines, f"{indent.removesuffix(_INDENT)}}}"))

    def _written(self, index: TokenIndex, value: Resolved, kept: Kept) -> str:
        kind = self.output.kinds[index]
        if isinstance(value, Unresolved) or not kind:
            return ""
        if kept:
            return composite_text(kind, value, kept) or ""
        text = self._literals.get((kind, value))
        if text is None:
            text = self._literals[kind, value] = LITERALS[kind](value) or ""
        return text

    @cached_property
    def _cyclic(self) -> set[TokenIndex]:
        return _on_cycles_or_between(self.output.resolution.references)

    @cached_property
    def _translucent(self) -> set[TokenIndex]:
        return self.output.resolution.may_misfit(_is_opaque)

    @cached_property
    def _beyond(self) -> set[TokenIndex]:
        return self.output.resolution.beyond_percentages()


def _on_cycles_or_between(references: Mapping[TokenIndex, Collection[TokenIndex]]) -> set[TokenIndex]:
    """Return the tokens on a cycle, and those on the way from one cycle to another."""
    cyclic = on_cycles(references)
    referring = reverse(references)
    onwards = closure(cyclic, lambda index: references.get(index, ()))
    return closure(cyclic, lambda index: referring.get(index, ())).keys() & onwards.keys()


def _is_opaque(value: Resolved | None) -> bool:
    return type(value) is Color and value.alpha == 1
