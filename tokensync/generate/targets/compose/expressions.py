"""The Kotlin expression of each property: a reference to another property if possible, else a literal.

A reference follows the chosen mode of its target, so one expression per token and mode is correct for all modes of
other families. Where a value depends on another family's mode without a reference that can be written, a ``when``
selects the literal by that mode.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.naming import words
from tokensync.generate.naming.rules import camel, pascal
from tokensync.generate.notation import NO_REFERENCES, TYPES, references
from tokensync.generate.output import modes_unsupported
from tokensync.generate.targets.compose import getter, kotlin_name, property_name
from tokensync.generate.targets.compose.literals import LITERALS, PART_KINDS, composite_text, share
from tokensync.generate.themes import Appearance, counterparts
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Theme, Unresolved
from tokensync.tokens.algorithms import closure, on_cycles, reverse
from tokensync.tokens.resolver import NEEDS_RESOLVER, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.generate.output import Output
    from tokensync.generate.targets.compose import ComposeOptions
    from tokensync.tokens import Collection, FamilyKey, Resolved, TokenKey
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import ResolvedTheme

    References = Mapping[Path, str]


CHOSEN = "chosen"
"""The property with the chosen modes; no collection has this name."""

MAX_PROPERTIES = 1_000
"""Properties of one class, far below the JVM's limits of constant pools and initialisers."""

APPEARANCES = {"dark": Appearance("dark", ""), "light": Appearance("light", "")}

_COMPOSITE_WEIGHT = 10
"""The size of a composite's code, in plain properties."""

_MAX_NAME = 80
"""The maximum length of a collection's or mode's part of a type name, in bytes."""


class Choice(NamedTuple):
    """A selectable mode: its index in the family, and its name as an entry of the enumeration.

    ``type`` is the class with the mode's values, and ``parent`` the mode whose class it extends; None for the default
    mode, whose class is that of the family.
    """

    mode: int
    entry: str
    type: str
    parent: int | None


class Family(NamedTuple):
    """A collection family of the output.

    ``indices`` are its declared tokens, in order. ``choices`` are its modes, the default one first, if there are
    several; ``enumeration`` is their type, and ``depending`` the tokens that can depend on the chosen mode. ``type``
    has the tokens as properties; ``accessor`` is the property of that type. The tokens of a family that
    ``is_constant`` depend on no choice; a family that ``is_split`` has more tokens than one class can have.
    """

    collection: Collection
    indices: tuple[TokenIndex, ...]
    choices: tuple[Choice, ...]
    type: str
    accessor: str
    enumeration: str
    depending: frozenset[TokenIndex]
    is_constant: bool
    is_split: bool

    @property
    def chosen(self) -> str:
        """The property path of its chosen mode, from the set of all tokens."""
        return f"{CHOSEN}.{kotlin_name(self.accessor)}"

    @property
    def key(self) -> FamilyKey:
        """The key of the collection family: (file, handle)."""
        return self.collection.key

    def brands(self, scheme: str) -> dict[int, int]:
        """Return the dark or light counterparts of the extensions' default modes, by default mode."""
        chosen = {each.mode for each in self.choices}
        counterpart_of = {}
        for extension in self.collection.extensions:
            mode = counterparts(self.collection, extension.handle).get(APPEARANCES[scheme])
            if mode in chosen and extension.default_mode in chosen:
                counterpart_of[extension.default_mode] = mode
        return counterpart_of

    def entry(self, mode: int) -> str:
        """Return the qualified enumeration entry of a mode."""
        return f"{self.enumeration}.{next(each.entry for each in self.choices if each.mode == mode)}"


class TypeNames:
    """The names of the output's types, unique regardless of case and different from the names of tokens."""

    def __init__(self, of_tokens: Iterable[str]) -> None:
        self._of_tokens = frozenset(of_tokens)
        self._used: set[str] = set()

    def claim(self, base: str) -> str:
        """Return the name, with a number if it is in use."""
        name, number = base, 1
        while name.casefold() in self._used or name in self._of_tokens:
            number += 1
            name = f"{base}{number}"
        self._used.add(name.casefold())
        return name


def in_parts(indices: Iterable[TokenIndex], kinds: Sequence[str | None]) -> list[list[TokenIndex]]:
    """Return the tokens in parts of at most the size of a class; at least one part."""
    parts: list[list[TokenIndex]] = [[]]
    capacity = MAX_PROPERTIES
    for index in indices:
        weight = _COMPOSITE_WEIGHT if kinds[index] in TYPES else 1
        capacity -= weight
        if capacity < 0:
            parts.append([])
            capacity = MAX_PROPERTIES - weight
        parts[-1].append(index)
    return parts


def families_of(output: Output, options: ComposeOptions, types: TypeNames) -> list[Family]:
    """Return the families with declared tokens, or whose modes declared tokens depend on, in the graph's order."""
    declared: dict[FamilyKey, list[TokenIndex]] = {}
    for index in output.declared:
        declared.setdefault(output.tokens[index].key[:2], []).append(index)
    modes = _modes_of_families(output)
    depending = _depending(output, modes, declared)
    for each in ("", "Theme", "Values", "Local", "Provide"):
        types.claim(f"{each}{options.name}" if each in ("Local", "Provide") else f"{options.name}{each}")
    accessors = {getter(CHOSEN)}
    several_files = len({file for file, _ in declared}) > 1
    families = []
    for key, collection in output.graph.collections.items():
        if key not in declared and key not in depending:
            continue
        indices = declared.get(key, [])
        name = words(collection.handle) or ("tokens",)
        if several_files:
            name = words(collection.file) + name
        stem = type_name(pascal(name))
        families.append(
            Family(
                collection,
                tuple(indices),
                _choices(collection, modes.get(key, ()), stem, types),
                types.claim(f"{stem}Tokens"),
                _accessor(camel(name), accessors),
                types.claim(f"{stem}Mode") if key in depending else "",
                depending.get(key, frozenset()),
                key not in depending and all(each.isdisjoint(indices) for each in depending.values()),
                len(in_parts(indices, output.kinds)) > 1,
            )
        )
    return families


def _modes_of_families(output: Output) -> dict[FamilyKey, tuple[int, ...]]:
    """Return the selectable modes of families with several, the default mode first."""
    chosen_modes: dict[FamilyKey, set[int]] = {}
    for theme in output.themes:
        for family, mode in theme.modes:
            chosen_modes.setdefault(family, set()).add(mode)
    several = {}
    for key, modes in chosen_modes.items():
        default = output.graph.collections[key].default_mode
        if modes - {default}:
            several[key] = (default, *sorted(modes - {default}))
    return several


def _depending(
    output: Output, modes: Mapping[FamilyKey, tuple[int, ...]], declared: Mapping[FamilyKey, list[TokenIndex]]
) -> dict[FamilyKey, frozenset[TokenIndex]]:
    """Return the declared tokens that can depend on the chosen mode of each family with a choice."""
    every = frozenset(output.declared)
    counterpart_of = {
        key: every & output.resolution.depending(Theme("", ((key, mode),)) for mode in several)
        for key, several in modes.items()
    }
    return {key: indices for key, indices in counterpart_of.items() if indices or key in declared}


def _choices(collection: Collection, modes: tuple[int, ...], stem: str, types: TypeNames) -> tuple[Choice, ...]:
    """Return the modes as enumeration entries; a mode extends its nearest selectable parent, else the default mode."""
    entries = TypeNames(())
    choices = []
    for index in modes:
        mode = collection.modes[index]
        name = type_name(pascal(_words_of_mode(collection, index)) or "Mode")
        entry = entries.claim(f"Mode{name.removeprefix('_')}" if name.startswith("_") else name)
        parent = mode.parent
        while parent is not None and parent not in modes:
            parent = collection.modes[parent].parent
        is_default = index == collection.default_mode
        type_ = "" if is_default else types.claim(f"{stem}{entry}Tokens")
        choices.append(Choice(index, entry, type_, None if is_default else modes[0] if parent is None else parent))
    return tuple(choices)


def _words_of_mode(collection: Collection, index: int) -> tuple[str, ...]:
    """Return the words of a mode's name, with those of its extension but without the root collection's as prefix."""
    mode = collection.modes[index]
    if mode.collection == collection.handle:
        return words(mode.context)
    extension, root = words(mode.collection), words(collection.handle)
    own = extension[len(root) :] if extension[: len(root)] == root else extension
    return own + words(mode.slug)


def type_name(base: str) -> str:
    """Return the name, truncated so that a class with two such names is a valid file name on any file system."""
    name = property_name(base)
    if len(name.encode()) <= _MAX_NAME:
        return name
    from hashlib import sha256

    prefix = name.encode()[: _MAX_NAME - 8].decode(errors="ignore")
    return f"{prefix}{sha256(name.encode()).hexdigest()[:8]}"


def _accessor(base: str, used: set[str]) -> str:
    name, number = property_name(base), 1
    while getter(name) in used:
        number += 1
        name = property_name(f"{base}Tokens{number if number > 2 else ''}")
    used.add(getter(name))
    return name


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
        return self._exact(family, mode, resolved, texts)

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
            exact |= self._by_modes([self._choosable[each] for each in others], (family.key, mode), references_by_path)
        return exact

    def _resolved(self, index: TokenIndex, family: Family, mode: int, resolved: ResolvedTheme, pending: Pending) -> str:
        """Return the expression of a value that is not a plain reference.

        A value that depends on the modes of other families is added to ``pending``; its expression is then that of
        their default modes.
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

    def _by_modes(
        self,
        others: Sequence[Family],
        own: tuple[FamilyKey, int],
        tokens: Mapping[TokenIndex, References],
    ) -> Texts:
        """Return ``when`` expressions that select literals by the modes of other families.

        Combinations of modes are resolved one at a time, since a large file has thousands of them.
        """
        literals: dict[TokenIndex, list[str]] = {index: [] for index in tokens}
        for choices in product(*(each.choices for each in others)):
            modes = zip((each.key for each in others), (each.mode for each in choices), strict=True)
            theme = Theme("", (own, *modes))
            resolve = self.graph.resolver(theme)
            for index, references_by_path in tokens.items():
                text = self._written(index, resolve(self.output.tokens[index].key), references_by_path)
                if not text:
                    self.output.incomplete.setdefault(index, theme)
                literals[index].append(text)
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


def _on_cycles_or_between(references: Mapping[TokenIndex, set[TokenIndex]]) -> set[TokenIndex]:
    """Return the tokens on a cycle, and those on a path from one cycle to another."""
    cyclic = on_cycles(references)
    referring = reverse(references)
    onwards = closure(cyclic, lambda index: references.get(index, ()))
    return closure(cyclic, lambda index: referring.get(index, ())).keys() & onwards.keys()


def _is_opaque(value: Resolved | None) -> bool:
    return type(value) is Color and value.alpha == 1
