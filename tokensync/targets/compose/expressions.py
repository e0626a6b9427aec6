"""The Kotlin expression of each property: a reference to another property if possible, else a literal.

A reference follows the chosen mode of its target, so one expression per token and mode is correct for all modes of
other families. Where a value depends on another family's mode without a reference that can be written, a ``when``
selects the literal by that mode.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from tokensync.generate.composites import NO_REFERENCES, references
from tokensync.generate.output import modes_unsupported
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

    References = Mapping[Path, str]

Texts = dict[TokenIndex, str]
"""Kotlin expressions by token index."""

Pending = dict[tuple[int, ...], dict[TokenIndex, "References"]]
"""Tokens and the references of their parts, by the families whose modes they depend on."""

_MAX_BRANCHES = 256
"""Literals of one property; with more, other families are in their default modes."""
_INDENT = "    "


class Expressions:
    """The expressions of all families in all their modes.

    ``owner`` is the property with the set of all tokens in each class, ``names`` the names of properties by token
    index, ``referring`` the composites that contain references.
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
        self._family_of: dict[TokenIndex, Family] = {}
        output.spelled = [""] * len(output.names)
        for family in self._families.values():
            # The expression that gives other families' classes access to its tokens.
            source = family.type if family.is_constant else f"{owner}.{kotlin_name(family.accessor)}"
            for index in family.indices:
                self._family_of[index] = family
                output.spelled[index] = f"{source}.{self.names[index]}"
        self._default = {index: text for index, text, _ in output.default_rows()}

    def in_default(self, family: Family) -> Texts:
        """Return the family's tokens with a value in its default mode."""
        texts = {index: self._default[index] for index in family.indices if index in self._default}
        return self._exact(family, family.collection.default_mode, self.output.resolution.default, texts)

    def in_mode(self, family: Family, mode: int) -> Texts:
        """Return the tokens that can differ in another mode and have a value there."""
        theme = Theme(family.collection.modes[mode].context, ((family.key, mode),))
        varying = self.output.resolution.varying((theme,))
        indices = [index for index in family.indices if index in varying and index in self._default]
        resolved = self.output.resolution.in_theme(theme, varying)
        texts = {index: text for index, text, _ in self.output.rows(indices, resolved, theme, self._default)}
        if len(texts) < len(indices):  # a token without a value may have one in combination with other modes
            texts |= {each: "" for each in indices if each not in texts and self._depends_elsewhere(each, family)}
        return {index: text for index, text in self._exact(family, mode, resolved, texts).items() if text}

    def access(self, index: TokenIndex, within: Family) -> str:
        """Return the expression that reads a token within the class of a family."""
        if within.is_split or self._family_of[index] is not within:
            return self.output.spelled[index]
        name = self.names[index]
        return "this.field" if name == "field" else name  # a bare ``field`` is the backing field

    def report_limits(self) -> None:
        """Report the families whose modes some literals do not follow because of too many combinations."""
        for key, modes in self._limited.items():
            but = ", in literals that depend on many collections"
            problem = modes_unsupported(self.graph, key, sorted(modes), self.output.request.platform, but)
            self.output.problems.append(problem)

    def _exact(self, family: Family, mode: int, resolved: ResolvedTheme, texts: Texts) -> Texts:
        """Return the tokens with expressions that are correct for all modes of other families."""
        codes, spelled, cyclic = resolved.codes, self.output.spelled, self._cyclic
        exact: Texts = {}
        pending: Pending = {}
        for index, text in texts.items():
            code = codes[index]
            if code < NEEDS_RESOLVER:
                exact[index] = text
            elif code >= 0 and text and text == spelled[code] and index not in cyclic:
                exact[index] = self.access(code, family)
            else:
                exact[index] = self._resolved(index, family, mode, resolved, pending)
        for others, references_by_path in pending.items():
            exact |= self._by_modes(
                [self._choosable[each] for each in others], (family.key, mode), references_by_path, exact
            )
        return exact

    def _resolved(self, index: TokenIndex, family: Family, mode: int, resolved: ResolvedTheme, pending: Pending) -> str:
        """Return the expression of a value that is not a plain reference.

        A value that depends on the modes of other families is added to ``pending``; its expression is then that of
        their default modes: the literal, or that of the token's own default mode, or an empty text.
        """
        references_by_path: References = NO_REFERENCES
        value = None if index in self._cyclic else self.graph.value(self.output.tokens[index], mode)
        if isinstance(value, ComposedColor) and (layered := self._layered(value, family)):
            return layered
        if isinstance(value, Composite):
            parts, references_by_path = self._parts(index, family, value)
            if len(references_by_path) == parts:
                return self._written(index, self.output.literal(resolved, index), references_by_path)
        default = self._written(index, self.output.literal(resolved, index), references_by_path)
        if not default:
            default = self._written(index, self.output.literal(self.output.resolution.default, index), NO_REFERENCES)
        others = [at for at, each in enumerate(self._choosable) if each is not family and index in each.depending]
        branches = prod(len(self._choosable[at].choices) for at in others)
        if branches > _MAX_BRANCHES:
            for at in others:
                modes = self._limited.setdefault(self._choosable[at].key, set())
                modes.update(choice.mode for choice in self._choosable[at].choices[1:])
        elif others:
            pending.setdefault(tuple(others), {})[index] = references_by_path
        return default

    def _layered(self, value: ComposedColor, family: Family) -> str:
        """Return an opacity applied to a reference to an opaque colour; an empty text for other values."""
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
                limits = ".coerceIn(0f, 1f)" if opacity in self._unclamped else ""
                return f"{self.access(base, family)}.copy(alpha = {self.access(opacity, family)}{limits})"
        return ""

    def _parts(self, index: TokenIndex, family: Family, value: Composite) -> tuple[int, References]:
        """Return the number of references in a composite, and those that can be written, by path."""
        dtcg_type = self.output.tokens[index].type
        parts = references(value, dtcg_type)
        references_by_path: dict[Path, str] = {}
        for part in parts:
            kind = "sp" if (dtcg_type, part.type) == ("typography", "dimension") else PART_KINDS.get(part.type, "")
            target = self._referable(part.target, kind)
            if target is not None:
                references_by_path[part.path] = self.access(target, family)
        if references_by_path:
            self.referring.add(index)
        return len(parts), references_by_path

    def _referable(self, target: TokenKey, kind: str) -> TokenIndex | None:
        index = self.output.resolution.columns.indices.get(target)
        return index if index in self._default and self.output.kinds[index] == kind else None

    def _depends_elsewhere(self, index: TokenIndex, family: Family) -> bool:
        return any(index in each.depending for each in self._choosable if each is not family)

    def _by_modes(
        self,
        others: Sequence[Family],
        own: tuple[FamilyKey, int],
        tokens: Mapping[TokenIndex, References],
        default: Texts,
    ) -> Texts:
        """Return ``when`` expressions that select literals by the modes of other families.

        Combinations of modes are resolved one at a time, since a large file has thousands of them.
        """
        literals: dict[TokenIndex, list[str]] = {index: [] for index in tokens}
        for choices in product(*(each.choices for each in others)):
            modes = zip((each.key for each in others), (each.mode for each in choices), strict=True)
            resolve = self.graph.resolver(Theme("", (own, *modes)))
            for index, references_by_path in tokens.items():
                text = self._written(index, resolve(self.output.tokens[index].key), references_by_path)
                literals[index].append(text or default[index])
        return {index: self._choice(others, texts, 2) for index, texts in literals.items()}

    def _choice(self, others: Sequence[Family], literals: Sequence[str], depth: int) -> str:
        """Return nested ``when`` expressions by the modes of the families, from one literal per combination."""
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

    def _written(self, index: TokenIndex, value: Resolved, references_by_path: References) -> str:
        kind = self.output.kinds[index]
        if isinstance(value, Unresolved) or not kind:
            return ""
        if references_by_path:
            return composite_text(kind, value, references_by_path) or ""
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
    def _unclamped(self) -> set[TokenIndex]:
        return self.output.resolution.beyond_percentages()


def _on_cycles_or_between(references: Mapping[TokenIndex, Collection[TokenIndex]]) -> set[TokenIndex]:
    """Return the tokens on a cycle, and those on a path from one cycle to another."""
    cyclic = on_cycles(references)
    referring = reverse(references)
    onwards = closure(cyclic, lambda index: references.get(index, ()))
    return closure(cyclic, lambda index: referring.get(index, ())).keys() & onwards.keys()


def _is_opaque(value: Resolved | None) -> bool:
    return type(value) is Color and value.alpha == 1
