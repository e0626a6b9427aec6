"""Kotlin for Jetpack Compose: a class per collection and mode, and an object that provides all tokens.

A property is a reference to another property if possible, else a literal. A reference follows the chosen mode of its
target, so one expression per token and mode is correct for all modes of other families. Where a value depends on
another family's mode without a reference that can be written, a ``when`` selects the literal by that mode.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import chain, pairwise, product, starmap
from math import prod
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict, replace

from tokensync.generate.material import Material, is_corner, roles_of
from tokensync.generate.naming import CodeReferences, rendered_bytes, token_label
from tokensync.generate.naming.rules import camel, free_name, pascal, words
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import NO_REFERENCES, TYPES, WIDTH, broken, font_resource, references
from tokensync.generate.output import Output, Resolution, modes_unsupported, unknown_theme
from tokensync.generate.target import OutputFile, OutputRequest, options_of
from tokensync.generate.targets.compose import NAMING, ComposeOptions, getter, kotlin_name, property_name
from tokensync.generate.targets.compose import literals as kotlin
from tokensync.generate.themes import Appearance, appearance_themes, best_fit, counterparts, name_in_code, scheme_of
from tokensync.settings import FontConfig, NamingConfig
from tokensync.system.outlet import readable
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Theme, Unresolved
from tokensync.tokens.algorithms import closure, on_cycles, reverse
from tokensync.tokens.composites import Path, type_of_target
from tokensync.tokens.paths import names as names_of_path
from tokensync.tokens.resolver import NEEDS_RESOLVER, ResolvedTheme, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.tokens import Collection, FamilyKey, Resolved, TokenKey

    Scheme = Literal["dark", "light"]
    Level = Literal["", "medium", "high"]
    """How much contrast the system asks for."""
    References = Mapping[Path, str]
    Modes = Mapping[FamilyKey, int]


CHOSEN = "chosen"
"""The property with the chosen modes; no collection has this name."""

MAX_PROPERTIES = 1_000
"""Properties of one class, far below the JVM's limits of constant pools and initialisers."""

SCHEMES: tuple[Scheme, ...] = ("dark", "light")
LEVELS: tuple[Level, ...] = ("high", "medium", "")

MAX_CHOICES = 200
"""Collections with several modes: a JVM method has 255 parameters, and Compose adds some to those of ``system``."""

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
    type: str = ""
    parent: int | None = None


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
    is_split: bool = False

    @property
    def chosen(self) -> str:
        """The property path of its chosen mode, from the set of all tokens."""
        return f"{CHOSEN}.{kotlin_name(self.accessor)}"

    @property
    def key(self) -> FamilyKey:
        """The key of the collection family: (file, handle)."""
        return self.collection.key

    def brands(self, scheme: Scheme, level: Level) -> dict[int, int]:
        """Return the counterparts of the extensions' default modes in an appearance, by default mode."""
        chosen = {choice.mode for choice in self.choices}
        counterpart_of = {}
        for extension in self.collection.extensions:
            modes = counterparts(self.collection, extension.handle, medium=level == "medium")
            mode = best_fit(modes, Appearance(scheme, "more" if level else ""))
            if mode in chosen and extension.default_mode in chosen:
                counterpart_of[extension.default_mode] = mode
        return counterpart_of

    def entry(self, mode: int) -> str:
        """Return the qualified enumeration entry of a mode."""
        return f"{self.enumeration}.{next(choice.entry for choice in self.choices if choice.mode == mode)}"


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


def _member(group: str, name: str) -> str:
    """Return the name of a group's member in nested Kotlin: that of ``color/slate/500`` is ``slate500``."""
    spelled = camel(words(name))
    return property_name(camel(words(f"{group} {spelled}")) if spelled[:1].isdigit() else spelled)


_MAX_DEPTH = 8
"""Groups around a token; the names of deeper ones are part of the token's name."""


class Groups:
    """The groups of an output's tokens, with the names that nested Kotlin has for them.

    ``paths`` are the names of each token's groups and its own, by token index. Groups that differ in case only are one.
    A token that is also a group is its member ``root``, as in token files. ``output.names`` become those of properties
    beside the groups.
    """

    def __init__(self, output: Output, options: ComposeOptions) -> None:
        self.paths: dict[TokenIndex, tuple[str, ...]] = {index: (output.names[index],) for index in output.declared}
        if options.groups == "nested":
            self._nest(output)

    def _nest(self, output: Output) -> None:
        # Flat names of tokens in different groups can be equal; those that are equal within a group are reported below.
        output.problems = [finding for finding in output.problems if finding.code != "identifier-collision"]
        table = output.graph.table
        spelled: dict[TokenIndex, tuple[str, ...]] = {}
        groups: dict[tuple[object, ...], tuple[str, ...]] = {}
        for index in output.declared:
            *around, own = names_of_path(table.paths[index])
            own = " ".join((*around[_MAX_DEPTH:], own))
            path = spelled[index] = tuple(starmap(_member, pairwise(("", *around[:_MAX_DEPTH], own))))
            for depth in range(1, len(path)):
                groups.setdefault((table.families[index], *map(getter, path[:depth])), path[:depth])
        of_member: dict[tuple[object, ...], TokenIndex] = {}
        ordinary = {index: (table.families[index], *map(getter, path)) not in groups for index, path in spelled.items()}
        for index in sorted(spelled, key=ordinary.__getitem__, reverse=True):
            *around, name = spelled[index] if ordinary[index] else (*spelled[index], "root")
            of_group = (table.families[index], *map(getter, around))
            free = name
            while (member := (*of_group, getter(free))) in of_member or member in groups:
                free = output.names[index] if free == name else f"{free}Token"
            of_member[member] = index
            self.paths[index] = (*groups.get(of_group, ()), free)
            if free != name:
                self._report_renamed(output, index, of_member.get((*of_group, getter(name))))
        self._rename_properties(output)

    def _report_renamed(self, output: Output, index: TokenIndex, other: TokenIndex | None) -> None:
        """Report a token whose name another one of its group has, or None if a group has it."""
        keys, name = output.graph.table.keys, readable(".".join(self.paths[index]))
        first = "a group" if other is None else token_label(output.graph, keys[other])
        what, where = f"its compose name is that of {first}, so it is {name}", token_label(output.graph, keys[index])
        finding = problem("identifier-collision", where, what, "give one of the two another name")
        is_error = output.request.naming.collisions == "raise"
        output.problems.append(finding._replace(severity="error") if is_error else finding)

    def _rename_properties(self, output: Output) -> None:
        """Give the properties of tokens in groups names that nothing outside of groups has in their collection."""
        families = output.graph.table.families
        used = {(families[index], getter(path[0])) for index, path in self.paths.items()}
        for index, path in self.paths.items():
            name = output.names[index] if len(path) > 1 else path[0]
            while len(path) > 1 and (families[index], getter(name)) in used:
                name += "Token"
            used.add((families[index], getter(name)))
            output.names[index] = name

    def member(self, index: TokenIndex) -> str:
        """Return what reads a token of the class or object of its collection."""
        return ".".join(map(kotlin_name, self.paths[index]))


def families_of(output: Output, options: ComposeOptions, types: TypeNames) -> list[Family]:
    """Return the families with declared tokens, or whose modes declared tokens depend on, in the graph's order."""
    modes = modes_of_families(output)
    declared, depending = tokens_of_families(output, modes)
    of_material = ("{}Material", "{}MaterialTheme") if options.material else ()
    for form in ("{}", "{}Fonts", "{}Theme", "{}Values", "Local{}", "Provide{}", *of_material):
        types.claim(form.format(options.name))
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


def modes_of_families(output: Output) -> dict[FamilyKey, tuple[int, ...]]:
    """Return the selectable modes of families with several, the default mode first."""
    chosen_modes: dict[FamilyKey, set[int]] = {}
    for theme in output.themes:
        for family, mode in theme.modes:
            chosen_modes.setdefault(family, set()).add(mode)
    several: dict[FamilyKey, tuple[int, ...]] = {}
    for key, modes in chosen_modes.items():
        default = output.graph.collections[key].default_mode
        others = sorted(modes - {default})
        if others and len(several) < MAX_CHOICES:
            several[key] = (default, *others)
        elif others:
            but = f" of more than {MAX_CHOICES} collections"
            output.problems.append(modes_unsupported(output.graph, key, others, output.request.platform, but))
    return several


def tokens_of_families(
    output: Output, modes: Mapping[FamilyKey, tuple[int, ...]]
) -> tuple[dict[FamilyKey, list[TokenIndex]], dict[FamilyKey, frozenset[TokenIndex]]]:
    """Return the declared tokens of each family, and those that can depend on the chosen mode of one with a choice."""
    declared: dict[FamilyKey, list[TokenIndex]] = {}
    for index in output.declared:
        declared.setdefault(output.tokens[index].key[:2], []).append(index)
    every = frozenset(output.declared)
    depending = {
        key: every & output.resolution.depending(Theme("", ((key, mode),)) for mode in several)
        for key, several in modes.items()
    }
    return declared, {key: indices for key, indices in depending.items() if indices or key in declared}


def _choices(collection: Collection, modes: tuple[int, ...], stem: str, types: TypeNames) -> tuple[Choice, ...]:
    """Return the modes as enumeration entries; a mode extends its nearest selectable parent, else the default mode."""
    entries = TypeNames(())
    choices = []
    for index in modes:
        mode = collection.modes[index]
        name = type_name(pascal(words_of_mode(collection, index)) or "Mode")
        entry = entries.claim(f"Mode{name.removeprefix('_')}" if name.startswith("_") else name)
        parent = mode.parent
        while parent is not None and parent not in modes:
            parent = collection.modes[parent].parent
        is_default = index == collection.default_mode
        type_ = "" if is_default else types.claim(f"{stem}{entry}Tokens")
        choices.append(Choice(index, entry, type_, None if is_default else modes[0] if parent is None else parent))
    return tuple(choices)


def words_of_mode(collection: Collection, index: int) -> tuple[str, ...]:
    """Return the words of a mode's name, with those of its extension but without the root collection's as prefix."""
    mode = collection.modes[index]
    if mode.collection == collection.handle:
        return words(mode.context)
    extension, root = words(mode.collection), words(collection.handle)
    own = extension[len(root) :] if extension[: len(root)] == root else extension
    return own + words(mode.slug)


def mode_label(collection: Collection, index: int) -> str:
    """Return a mode's name with that of its extension, as comment text."""
    mode = collection.modes[index]
    of = next((extension.name for extension in collection.extensions if extension.handle == mode.collection), "")
    return kotlin.comment(f"{of} / {mode.name}" if of else mode.name)


def type_name(base: str) -> str:
    """Return the name of a type, or of a part of one."""
    return shortened(property_name(base))


def shortened(name: str) -> str:
    """Return the name, truncated so that a class with two such names is a valid file name on any file system.

    A part of a digest keeps names different.
    """
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

    def __init__(self, output: Output, families: Iterable[Family], owner: str, fonts: kotlin.Fonts) -> None:
        self.output = output
        self.fonts = fonts
        self.graph = output.graph
        self.owner = owner
        self.names = [kotlin_name(name) for name in output.names]
        self.referring: set[TokenIndex] = set()
        self._families = {family.key: family for family in families}
        self._choosable = [family for family in self._families.values() if family.choices]
        self._converters = kotlin.converters(fonts)
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

    def documented(self, family: Family) -> dict[TokenIndex, str]:
        """Return the literals of tokens in the modes of their family, for documentation comments; long ones omitted."""
        resolution, kinds = self.output.resolution, self.output.kinds
        indices = [index for index in family.indices if index in self._default and kinds[index] not in _UNDOCUMENTED]
        default = {index: self._written(index, self.output.literal(resolution.default, index), {}) for index in indices}
        documented = {index: f"`{text}`" for index, text in default.items()}
        for choice in family.choices[1:]:
            theme = Theme("", ((family.key, choice.mode),))
            varying = resolution.varying((theme,))
            resolved = resolution.in_theme(theme, varying)
            for index in indices:
                text = self._written(index, self.output.literal(resolved, index), {}) if index in varying else ""
                if text and text != default[index]:
                    documented[index] += f"; {choice.entry}: `{text}`"
        return documented

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
            finding = modes_unsupported(self.graph, key, sorted(modes), self.output.request.platform, but)
            self.output.problems.append(finding)

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
        value = None if index in self._cyclic else self.output.resolution.columns.written(index, mode)[0]
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
            return f"{self.access(base, family)}.copy(alpha = {kotlin.share(min(max(value.opacity, 0.0), 100.0))})"
        if isinstance(value.opacity, Alias):
            opacity = self._referable(value.opacity.target, "percentage")
            if opacity is not None:
                limits = ".coerceIn(0f, 1f)" if opacity in self.output.resolution.beyond_percentages else ""
                return f"{self.access(base, family)}.copy(alpha = {self.access(opacity, family)}{limits})"
        return ""

    def _parts(self, index: TokenIndex, family: Family, value: Composite) -> tuple[int, References]:
        """Return the number of references in a composite, and those that can be written, by path."""
        table, dtcg_type = self.output.graph.table, self.output.tokens[index].type
        parts = references(value, dtcg_type)
        references_by_path: dict[Path, str] = {}
        for part in parts:
            target = table.indices.get(part.target)
            type_ = part.type if target is None else type_of_target(part.type, table.types[target])
            kind = "sp" if (dtcg_type, type_) == ("typography", "dimension") else kotlin.PART_KINDS.get(type_, "")
            target = self._referable(part.target, kind)
            if target is None and part.path == ("letterSpacing",):
                target = self._referable(part.target, "em")
            if target is not None:
                references_by_path[part.path] = self.access(target, family)
        if references_by_path:
            self.referring.add(index)
        # A letter spacing in em depends on the size as well, which no reference can say.
        in_em = self.fonts.letter_spacing == "em" and dtcg_type == "typography"
        return len(parts) + in_em, references_by_path

    def _referable(self, target: TokenKey, kind: str) -> TokenIndex | None:
        index = self.output.graph.table.indices.get(target)
        return index if index in self._default and self.output.kinds[index] == kind else None

    def _by_modes(
        self, others: Sequence[Family], own: tuple[FamilyKey, int], tokens: Mapping[TokenIndex, References]
    ) -> Texts:
        """Return ``when`` expressions that select literals by the modes of other families.

        Combinations of modes are resolved one at a time, since a large file has thousands of them.
        """
        literals: dict[TokenIndex, list[str]] = {index: [] for index in tokens}
        for choices in product(*(other.choices for other in others)):
            modes = zip((other.key for other in others), (choice.mode for choice in choices), strict=True)
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
            return kotlin.composite_text(kind, value, references_by_path, self.fonts) or ""
        text = self._literals.get((kind, value))
        if text is None:
            text = self._literals[kind, value] = self._converters[kind](value) or ""
        return text

    @cached_property
    def _cyclic(self) -> set[TokenIndex]:
        return _on_cycles_or_between(self.output.resolution.references)

    @cached_property
    def _translucent(self) -> set[TokenIndex]:
        return self.output.resolution.may_misfit(lambda value: type(value) is Color and value.alpha == 1)


def _on_cycles_or_between(references: Mapping[TokenIndex, tuple[TokenIndex, ...]]) -> set[TokenIndex]:
    """Return the tokens on a cycle, and those on a path from one cycle to another."""
    cyclic = on_cycles(references)
    referring = reverse(references)
    onwards = closure(cyclic, lambda index: references.get(index, ()))
    return closure(cyclic, lambda index: referring.get(index, ())).keys() & onwards.keys()


Package = Annotated[str, doc("the package", "design.tokens")]
Visibility = Annotated[str, doc("`public` or `internal`", "public")]


class Property(NamedTuple):
    """A token as a property."""

    documentation: Annotated[str, doc("the description, safe in a comment; or empty", "Behind everything.")]
    advice: Annotated[str, doc("the deprecation message as a Kotlin string, or empty", '"Use textMuted."')]
    modifiers: Annotated[str, doc("the modifiers and the keyword before the name", "public open val")]
    name: Annotated[str, doc("the name, with backticks around a keyword", "backgroundPage")]
    type: Annotated[str, doc("the type", "Color")]
    rest: Annotated[str, doc("the initializer or getter", " get() = PrimitivesTokens.colorSlate50")]


class Class(NamedTuple):
    """A class or an object."""

    documentation: Annotated[str, doc("the description, safe in a comment", "[ThemeTokens] in the mode Dark.")]
    declaration: Annotated[
        str,
        doc(
            "the declaration, without the body",
            "internal class ThemeDarkTokens(private val tokens: DesignTokensValues) : ThemeTokens(tokens)",
        ),
    ]
    properties: Annotated[list[Property], doc("the properties, in collection order")]


class CollectionFile(Struct, frozen=True):
    """The file of a collection."""

    package: Package
    imports: Annotated[list[str], doc("the sorted names to import", ["androidx.compose.ui.graphics.Color"])]
    visibility: Visibility
    enumeration: Annotated[str, doc("the name of the enumeration of the modes, or empty", "ThemeMode")]
    documentation: Annotated[
        str, doc("the description of the enumeration, safe in a comment", "The modes of the collection Theme.")
    ]
    entries: Annotated[
        list[str], doc("the entries of the enumeration, with that of the default mode first", ["Light", "Dark"])
    ]
    classes: Annotated[list[Class], doc("the class of the default mode, then one per mode with the differences")]


class SelectableCollection(NamedTuple):
    """A collection with selectable modes."""

    accessor: Annotated[str, doc("the property of the chosen mode", "theme")]
    enumeration: Annotated[str, doc("the enumeration of the modes", "ThemeMode")]
    entry: Annotated[str, doc("the entry of the default mode", "Light")]


class Counterpart(NamedTuple):
    """A mode, and its counterpart in a dark or light system."""

    entry: Annotated[str, doc("the entry of the enumeration", "ThemeMode.IslanderLight")]
    counterpart: Annotated[str, doc("the entry that replaces it", "ThemeMode.IslanderDark")]


class SystemAppearance(NamedTuple):
    """An appearance of the system."""

    condition: Annotated[str, doc("the Kotlin condition", "contrast >= 2f / 3f && isDark")]
    arguments: Annotated[str, doc("its modes, as arguments", "theme = ThemeMode.DarkHighContrast")]
    counterparts: Annotated[
        list[list[Counterpart]], doc("the counterparts of the modes, for each of the collections in `following`")
    ]


class ConfiguredTheme(NamedTuple):
    """A configured theme."""

    constant: Annotated[str, doc("the name in Kotlin", "Night")]
    documentation: Annotated[str, doc("the description, safe in a comment", "The theme night.")]
    arguments: Annotated[str, doc("the modes of the theme, as arguments", "theme = ThemeMode.Dark")]


class Mode(NamedTuple):
    """A mode and the class of its values."""

    entry: Annotated[str, doc("the entry of the enumeration", "ThemeMode.Dark")]
    type: Annotated[str, doc("the class", "ThemeDarkTokens")]


class Accessor(NamedTuple):
    """A collection's tokens."""

    accessor: Annotated[str, doc("the property of the tokens", "theme")]
    type: Annotated[str, doc("the type", "ThemeTokens")]
    is_constant: Annotated[
        bool, doc("whether the type is an object because its tokens do not depend on any mode", False)
    ]
    modes: Annotated[list[Mode], doc("the modes to choose from; empty for a collection with one mode")]


class Entry(Struct, frozen=True):
    """The file of the object that provides the tokens."""

    package: Package
    imports: Annotated[list[str], doc("the sorted names to import", ["androidx.compose.runtime.Composable"])]
    visibility: Visibility
    object: Annotated[
        str, doc("the name of the object, which is also part of the other names of the file", "DesignTokens")
    ]
    chosen: Annotated[str, doc("the property of the chosen modes", "chosen")]
    choices: Annotated[list[SelectableCollection], doc("the collections with several modes")]
    themes: Annotated[list[ConfiguredTheme], doc("the configured themes")]
    following: Annotated[
        list[SelectableCollection], doc("the collections that follow the system if brands do, or empty")
    ]
    appearances: Annotated[
        list[SystemAppearance],
        doc("the appearances, the most specific first, dark and light ones last; empty if no mode follows the system"),
    ]
    system_contrast: Annotated[str, doc("the contrast that the system asks for, as an expression", "0f")]
    collections: Annotated[list[Accessor], doc("the collections with tokens, in order")]


class Types(Struct, frozen=True):
    """The file of the types of composite tokens."""

    package: Package
    visibility: Visibility
    modifiers: Annotated[bool, doc("whether to declare modifiers that draw with the types", False)]


class FontFace(NamedTuple):
    """A font of a family."""

    resource: Annotated[str, doc("the name of the font resource", "inter_semibold")]
    weight: Annotated[str, doc("the weight", "600")]
    style: Annotated[str, doc("`Normal` or `Italic`", "Normal")]


class FontFamily(NamedTuple):
    """A family of the configured fonts."""

    name: Annotated[str, doc("the name of its property, with backticks around a keyword", "inter")]
    documentation: Annotated[str, doc("the name of the family", "Inter")]
    faces: Annotated[list[FontFace], doc("its fonts")]


class Fonts(Struct, frozen=True):
    """The object with the font families of the text styles."""

    package: Package
    resources: Annotated[str, doc("the package of the class `R`", "com.acme.app")]
    visibility: Visibility
    object: Annotated[str, doc("the configured name of the object that provides the tokens", "DesignTokens")]
    families: Annotated[list[FontFamily], doc("the families")]


class MaterialRole(NamedTuple):
    """A role of Material and the token that fills it."""

    name: Annotated[str, doc("the role, which is the parameter's name", "onPrimary")]
    expression: Annotated[str, doc("the token, or the shape of its radius", "values.theme.textOnAccent")]


class MaterialFile(Struct, frozen=True):
    """Material's theme with the tokens as its roles."""

    package: Package
    imports: Annotated[list[str], doc("the sorted names to import", ["androidx.compose.material3.ColorScheme"])]
    visibility: Visibility
    object: Annotated[str, doc("the configured name of the object that provides the tokens", "DesignTokens")]
    has_modes: Annotated[bool, doc("whether modes can be chosen, so that there is a set of all tokens", True)]
    is_dark: Annotated[
        str,
        doc("whether the colours are those of a dark theme; empty if unknown", "values.theme.page.luminance() < 0.5f"),
    ]
    colors: Annotated[list[MaterialRole], doc("the filled roles of the colour scheme")]
    typography: Annotated[list[MaterialRole], doc("the filled roles of the typography")]
    shapes: Annotated[list[MaterialRole], doc("the filled roles of the shapes")]


class PreviewedMode(NamedTuple):
    """A mode of a collection that is previewed."""

    name: Annotated[str, doc("the mode, or the collection, as a Kotlin string", '"Dark"')]
    function: Annotated[str, doc("the name of the function", "ThemeDarkPreview")]
    theme: Annotated[str, doc("the chosen modes", "DesignTokensTheme(theme = ThemeMode.Dark)")]


class Preview(NamedTuple):
    """The previews of a collection."""

    group: Annotated[str, doc("the collection, as a Kotlin string", '"Theme"')]
    function: Annotated[str, doc("the name of the function that shows the tokens", "ThemeSamples")]
    depends: Annotated[bool, doc("whether the tokens depend on a mode", True)]
    modes: Annotated[list[PreviewedMode], doc("its modes, or the collection")]
    samples: Annotated[
        list[str],
        doc("calls for colours, text styles and corners", ['Sample("textPrimary", color = values.theme.textPrimary)']),
    ]


class Previews(Struct, frozen=True):
    """The previews of all collections."""

    package: Package
    object: Annotated[str, doc("the configured name of the object that provides the tokens", "DesignTokens")]
    previews: Annotated[list[Preview], doc("the previews, in order")]


TEMPLATES = (
    names_template("compose", "Android, as Kotlin properties"),
    Template(
        "compose/Collection.kt.j2", "compose", "The file of each collection, such as `ThemeTokens.kt`.", CollectionFile
    ),
    Template("compose/Tokens.kt.j2", "compose", "`DesignTokens.kt`: the object that provides the tokens.", Entry),
    Template("compose/Types.kt.j2", "compose", "The types of shadows, borders and transitions.", Types),
    Template("compose/Material.kt.j2", "compose", "Material's theme, with the option `material`.", MaterialFile),
    Template("compose/Previews.kt.j2", "compose", "The previews, with the option `previews`.", Previews),
    Template("compose/Fonts.kt.j2", "compose", "The fonts of text styles, with the option `resources`.", Fonts),
)


_Description = tuple[str, str]
"""The text of a token's comment, and of its deprecation."""
_UNDESCRIBED: _Description = ("", "")
_UNDOCUMENTED = ("string", *TYPES)
"""The kinds of values that are too long for a comment, or unsafe in it."""
_MAX_ADVICE = 1_000  # characters
_LITERAL = re.compile(
    r'Color\(0x|FontWeight\(\d|(?:true|false)\Z|[-("\d]|(?:TextStyle|CubicBezierEasing|listOf|Token\w+)\(|TokenStrokeStyle\.'
)


class Classes:
    """The classes of collection families, and the imports of each family's file."""

    def __init__(self, contents: _Contents, expressions: Expressions, types: TypeNames) -> None:
        self.output, self.groups, options, *_ = contents
        self.expressions = expressions
        self.types = types
        self.visibility = options.visibility
        self.descriptions = options.descriptions
        self.values = options.values
        self._types = _package(options.types or "")
        self._owner = expressions.owner
        self._parameter = f"private val {expressions.owner}: {options.name}Values"

    def of(self, family: Family) -> tuple[list[Class], list[str]]:
        """Return the family's classes, and the names that their file imports, sorted."""
        default = self.expressions.in_default(family)
        of_modes: dict[int | None, Texts] = {}  # without the default mode
        for choice in family.choices[1:]:
            of_modes[choice.mode] = self.expressions.in_mode(family, choice.mode)
        classes = list(self._of_default(family, default))
        for choice in family.choices[1:]:
            texts, inherited = of_modes[choice.mode], of_modes.get(choice.parent, {})
            differing: Texts = {}
            for index, default_text in default.items():
                if index in texts or index in inherited:
                    text = texts.get(index, default_text)
                    if text != inherited.get(index, default_text):
                        differing[index] = text
            classes += self._of_choice(family, choice, differing)
        names = self._imports(default, of_modes.values())
        if any(class_.declaration.startswith("@JvmInline") for class_ in classes):
            names.add("kotlin.jvm.JvmInline")  # which common code has to import
        return classes, sorted(names)

    def _of_default(self, family: Family, default: Texts) -> Iterator[Class]:
        parameter = "" if family.is_constant else self._parameter
        constructor = f"internal constructor({parameter})"
        in_mode = f", in the mode {mode_label(family.collection, family.choices[0].mode)}" if family.choices else ""
        modifier = "open " if family.choices else ""
        parts = in_parts(default, self.output.kinds)
        values = self.expressions.documented(family) if self.values else {}
        superclass = ""
        for part in parts[:-1]:
            type_ = self.types.claim(f"{family.type}Part")
            declaration = f"{self.visibility} abstract class {type_} {constructor}{superclass}"
            properties = self._properties(part, default, values, f"{modifier}val", constant=family.is_constant)
            yield Class(f"A part of [{family.type}].", declaration, properties)
            superclass = f" : {type_}({'' if family.is_constant else self._owner})"
        kind = f"object {family.type}" if family.is_constant else f"{modifier}class {family.type} {constructor}"
        documentation = f"The tokens of the collection {kotlin.comment(family.collection.name)}{in_mode}."
        properties = self._properties(parts[-1], default, values, f"{modifier}val", constant=family.is_constant)
        groups, accessors = self._groups(family, default, values)
        yield Class(documentation, f"{self.visibility} {kind}{superclass}", accessors + properties)
        yield from groups

    def _groups(
        self, family: Family, default: Texts, values: Mapping[TokenIndex, str]
    ) -> tuple[list[Class], list[Property]]:
        """Return the classes of the family's groups, and the properties of its own ones."""
        stem, annotation, form, source = family.type.removesuffix("Tokens"), "@JvmInline\n", "value class", self._owner
        constructor = f" internal constructor(private val {self._owner}: {family.type})"
        if family.is_constant:
            annotation, form, source, constructor = "", "object", family.type, ""
        classes: dict[tuple[str, ...], Class] = {(): Class("", "", [])}
        for index in default:
            path = self.groups.paths[index]
            for group in (path[:depth] for depth in range(1, len(path)) if path[:depth] not in classes):
                type_ = self.types.claim(f"{stem}{type_name(pascal(words(' '.join(group))))}Group")
                declaration = broken(f"{self.visibility} {form} {type_}{constructor}", len(" {"), 0, trailing=",")
                documentation = f"The group {kotlin.comment('/'.join(group))} of [{family.type}]."
                classes[group] = Class(documentation, f"{annotation}{declaration}", [])
                text = type_ if family.is_constant else f"{type_}({source if group[1:] else 'this'})"
                accessor = self._property(None, _UNDESCRIBED, "public val", text, "get()", kotlin_name(group[-1]))
                classes[group[:-1]].properties.append(accessor)
            if path[1:]:
                text, described = f"{source}.{self.expressions.names[index]}", self._documentation(index, values)
                member = self._property(index, described, "public val", text, "get()", kotlin_name(path[-1]))
                classes[path[:-1]].properties.append(member)
        accessors = classes.pop(()).properties
        return [*classes.values()], accessors

    def _of_choice(self, family: Family, choice: Choice, differing: Texts) -> Iterator[Class]:
        parent = next(each for each in family.choices if each.mode == choice.parent)
        superclass = parent.type or family.type
        parts = in_parts(differing, self.output.kinds)
        for part in parts[:-1]:
            type_ = self.types.claim(f"{choice.type}Part")
            declaration = f"internal abstract class {type_}({self._parameter}) : {superclass}({self._owner})"
            yield Class(f"A part of [{choice.type}].", declaration, self._overriding(part, differing))
            superclass = type_
        is_open = any(each.parent == choice.mode for each in family.choices)
        declaration = f"internal {'open ' if is_open else ''}class {choice.type}({self._parameter})"
        documentation = f"[{family.type}] in the mode {mode_label(family.collection, choice.mode)}."
        yield Class(
            documentation, f"{declaration} : {superclass}({self._owner})", self._overriding(parts[-1], differing)
        )

    def _properties(
        self,
        indices: Iterable[TokenIndex],
        texts: Texts,
        values: Mapping[TokenIndex, str],
        modifiers: str,
        *,
        constant: bool,
    ) -> list[Property]:
        """Return the properties of the default mode; in a constant family with initialisers, not getters."""
        properties = []
        for index in indices:
            is_grouped = len(self.groups.paths[index]) > 1
            described = _UNDESCRIBED if is_grouped else self._documentation(index, values)
            keywords = f"{'internal' if is_grouped else 'public'} {modifiers}"
            text = texts[index]
            # An initialiser with a reference could read a property that is not initialised yet.
            is_value = constant and index not in self.expressions.referring and _LITERAL.match(text)
            properties.append(self._property(index, described, keywords, text, "" if is_value else "get()"))
        return properties

    def _documentation(self, index: TokenIndex, values: Mapping[TokenIndex, str]) -> _Description:
        token = self.output.tokens[index]
        documentation = kotlin.comment(token.description) if self.descriptions and token.description else ""
        advice = _deprecation(token.deprecated) if token.deprecated is not False else ""
        return " ".join(filter(None, (documentation, values.get(index)))), advice

    def _overriding(self, indices: Iterable[TokenIndex], texts: Texts) -> list[Property]:
        return [self._property(index, _UNDESCRIBED, "override val", texts[index], "get()") for index in indices]

    def _property(
        self, index: TokenIndex | None, described: _Description, modifiers: str, text: str, getter: str, name: str = ""
    ) -> Property:
        """Return the property of a token, or that of the group whose class the text begins with."""
        if index is None:
            type_ = text.partition("(")[0]
        else:
            name, type_ = name or self.expressions.names[index], kotlin.TYPES[self.output.kinds[index] or ""]
        before = f" {getter} = " if getter else " = "
        column = len(modifiers) + len(name) + len(type_) + len(before) + len("     : ")
        if "\n" in text:
            rest = f"\n        get() = {text}"
        elif column + len(text) <= WIDTH:
            rest = f"{before}{text}"
        elif getter:
            rest = f"\n        get() = {broken(text, 16, 8, trailing=',')}"
        else:
            rest = f" = {broken(text, column, 4, trailing=',')}"
        return Property(*described, modifiers, name, type_, rest)

    def _imports(self, default: Texts, of_modes: Iterable[Mapping[TokenIndex, str]]) -> set[str]:
        by_kind: dict[str, list[str]] = {}
        for texts in (default, *of_modes):
            for index, text in texts.items():
                by_kind.setdefault(self.output.kinds[index] or "", []).append(text)
        names = {"androidx.compose.runtime.Immutable"}
        for kind, expressions in by_kind.items():
            names |= kotlin.imports(kind, expressions)
            if self._types and kind in kotlin.DECLARED:
                types = {kotlin.TYPES[kind], *(("TokenStrokeStyle",) if kind == "border" else ())}
                names.update(f"{self._types}.{name}" for name in types)
        return names


def _deprecation(deprecated: bool | str) -> str:
    advice = deprecated if isinstance(deprecated, str) and deprecated else "Deprecated in the design file."
    return kotlin.string(advice if len(advice) <= _MAX_ADVICE else f"{advice[: _MAX_ADVICE - 1]}…")


_COMPOSED = (
    "androidx.compose.runtime.Composable",
    "androidx.compose.runtime.CompositionLocalProvider",
    "androidx.compose.runtime.Immutable",
    "androidx.compose.runtime.ProvidableCompositionLocal",
    "androidx.compose.runtime.ReadOnlyComposable",
    "androidx.compose.runtime.remember",
    "androidx.compose.runtime.staticCompositionLocalOf",
)
_SYSTEM = "androidx.compose.foundation.isSystemInDarkTheme"
_OF_ANDROID = ("android.app.UiModeManager", "android.os.Build", "androidx.compose.ui.platform.LocalContext")


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return a file per collection, and the file of the object that provides the tokens."""
    contents = _contents(resolution, request)
    return contents.output.complete(lambda: _files(contents)), contents.output.problems


def code_references(resolution: Resolution, request: OutputRequest, *, exact: bool) -> CodeReferences:
    """Return the property of each token in the object that provides them: ``DesignTokens.theme.accent``."""
    contents = _contents(resolution, request)
    output, groups, options = contents[:3]
    of_output = frozenset(output.declared_with(lambda: _files(contents)) if exact else output.declared)
    return {
        output.tokens[index].key: (f"{options.name}.{kotlin_name(family.accessor)}.{groups.member(index)}",)
        for family in families_of(output, options, TypeNames(output.names))
        for index in family.indices
        if output.kinds[index] and index in of_output
    }


class _Contents(NamedTuple):
    """What the files are made of; ``faces`` are the font families that the output declares."""

    output: Output
    groups: Groups
    options: ComposeOptions
    fonts: kotlin.Fonts
    faces: list[FontFamily]


def _contents(resolution: Resolution, request: OutputRequest) -> _Contents:
    options = options_of(request, ComposeOptions)
    fonts, faces = _fonts(request.fonts, options)
    if options.groups == "nested":  # names are those of the paths
        request = replace(request, naming=NamingConfig(code_syntax="ignore", collisions=request.naming.collisions))
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=kotlin.KINDS,
        literals=kotlin.converters(fonts),
        references=dict.fromkeys(kotlin.TYPES, ("", "")),
    )
    output.widen("weight", "number", kotlin.is_font_weight)
    return _Contents(output, Groups(output, options), options, fonts, faces)


def _readers(output: Output, groups: Groups, families: Iterable[Family]) -> dict[TokenIndex, str]:
    """Return what reads each token with a value from all tokens, ``values``."""
    default = {index for index, _, _ in output.default_rows()}
    return {
        index: f"{source}.{groups.member(index)}"
        for family in families
        for source in (family.type if family.is_constant else f"values.{kotlin_name(family.accessor)}",)
        for index in family.indices
        if index in default
    }


def _fonts(fonts: tuple[FontConfig, ...], options: ComposeOptions) -> tuple[kotlin.Fonts, list[FontFamily]]:
    """Return how text styles refer to the fonts, and the families that the output declares for it."""
    names = TypeNames(())
    families = []
    by_name = {}
    for font in fonts if options.resources else ():
        faces = [
            FontFace(resource, str(face.weight), "Italic" if face.italic else "Normal")
            for face in font.faces
            if face.weight and (resource := font_resource(face))
        ]
        if faces:
            name = names.claim(property_name(camel(words(font.family))))
            families.append(FontFamily(kotlin_name(name), kotlin.comment(font.family), faces))
            by_name[font.family.casefold()] = f"{options.name}Fonts.{kotlin_name(name)}"
    return kotlin.Fonts(fonts, by_name, options.letter_spacing), families


def _files(contents: _Contents) -> list[OutputFile]:
    output, groups, options, fonts, families_of_fonts = contents
    request = output.request
    names = {*output.names, *chain.from_iterable(groups.paths.values())}
    types = TypeNames(names)
    families = families_of(output, options, types)
    expressions = Expressions(output, families, free_name("tokens", names, "_"), fonts)
    classes = Classes(contents, expressions, types)
    package = _package(options.package)

    def written(name: str, template: str, context: Struct) -> OutputFile:
        content = rendered_bytes(f"compose/{template}.kt.j2", request.templates, **asdict(context))
        return OutputFile(f"{name}.kt", content)

    files = []
    for family in families:
        of_family, imports = classes.of(family) if family.indices else ([], [])
        collection = CollectionFile(
            package=package,
            imports=imports,
            visibility=options.visibility,
            enumeration=family.enumeration,
            documentation=f"The modes of the collection {kotlin.comment(family.collection.name)}.",
            entries=[choice.entry for choice in family.choices],
            classes=of_family,
        )
        files.append(written(family.type, "Collection", collection))
    if options.types is None and any(output.kinds[index] in kotlin.DECLARED for index in output.declared):
        files.append(written(f"{options.name}Types", "Types", Types(package, options.visibility, options.modifiers)))
    if families_of_fonts and "typography" in output.kinds:
        context = Fonts(package, _package(options.resources or ""), options.visibility, options.name, families_of_fonts)
        files.append(written(f"{options.name}Fonts", "Fonts", context))
    files.append(written(options.name, "Tokens", _entry(output, families, options, package)))
    if options.material:
        material = _material(contents, _readers(output, groups, families), families, package)
        files.append(written(f"{options.name}Material", "Material", material))
    if options.previews:
        previews = _previews(contents, _readers(output, groups, families), families, types)
        files.append(written(f"{options.name}Previews", "Previews", Previews(package, options.name, previews)))
    expressions.report_limits()
    return files


def _package(name: str) -> str:
    """Return the name of a package as Kotlin source."""
    return ".".join(map(kotlin_name, name.split(".")))


def _entry(output: Output, families: Sequence[Family], options: ComposeOptions, package: str) -> Entry:
    choosable = [family for family in families if family.choices]
    system = _System(output, choosable, options)
    following = system.following()
    appearances = system.appearances(following)
    from_android = options.contrast == "android" and len(appearances) > len(SCHEMES)
    imports = [
        *(_COMPOSED if choosable else ()),
        *((_SYSTEM,) if appearances else ()),
        *(_OF_ANDROID if from_android else ()),
    ]
    return Entry(
        package=package,
        imports=sorted(imports),
        visibility=options.visibility,
        object=options.name,
        chosen=CHOSEN,
        choices=[
            SelectableCollection(kotlin_name(family.accessor), family.enumeration, family.choices[0].entry)
            for family in choosable
        ],
        themes=_constants(output, choosable),
        following=following,
        appearances=appearances,
        system_contrast="systemContrast()" if from_android else "0f",
        collections=[
            Accessor(
                kotlin_name(family.accessor),
                family.type,
                family.is_constant,
                [Mode(family.entry(choice.mode), choice.type or family.type) for choice in family.choices],
            )
            for family in families
            if family.indices
        ],
    )


_OF_MATERIAL = "androidx.compose.material3."
_DARKNESS = {"surface": "< 0.5f", "background": "< 0.5f", "onSurface": "> 0.5f", "onBackground": "> 0.5f"}
"""How the luminance of a role tells a dark scheme, in order of preference."""


def _material(
    contents: _Contents, readers: Mapping[TokenIndex, str], families: Iterable[Family], package: str
) -> MaterialFile:
    output, options = contents.output, contents.options
    has_modes = any(family.choices for family in families)
    roles: dict[str, list[MaterialRole]] = {"color": [], "typography": [], "length": []}
    filled = set()
    for role, index in roles_of(output, options.material or Material()).items():
        if text := readers.get(index):
            text = f"RoundedCornerShape({text})" if role.kind == "length" else text
            roles[role.kind].append(MaterialRole(role.name, text))
            filled.add(index)
    of_role = dict(roles["color"])
    if "primary" in of_role and "surfaceTint" not in of_role:  # as lightColorScheme() does; copy() keeps Material's
        roles["color"].append(MaterialRole("surfaceTint", of_role["primary"]))
    dark = (f"{of_role[name]}.luminance() {test}" for name, test in _DARKNESS.items() if name in of_role)
    # Without such a role, only the names of modes say it.
    is_dark = next(dark, "") or " ||\n                ".join(
        f"values.{family.chosen} == {family.entry(choice.mode)}"
        for family in families
        for choice in family.choices
        if not family.depending.isdisjoint(filled)
        and scheme_of(name_in_code(family.collection.modes[choice.mode])) == "dark"
    )
    names = ("ColorScheme", "MaterialTheme", "Shapes", "Typography", "lightColorScheme")
    imports = [
        *("androidx.compose.runtime.Composable", "androidx.compose.runtime.remember"),
        *(f"{_OF_MATERIAL}{name}" for name in names),
        *((f"{_OF_MATERIAL}darkColorScheme",) if is_dark else ()),
        *(("androidx.compose.ui.graphics.luminance",) if ".luminance()" in is_dark else ()),
        *(("androidx.compose.foundation.shape.RoundedCornerShape",) if roles["length"] else ()),
    ]
    return MaterialFile(
        package=package,
        imports=sorted(imports),
        visibility=options.visibility,
        object=options.name,
        has_modes=has_modes,
        is_dark=is_dark,
        colors=roles["color"],
        typography=roles["typography"],
        shapes=roles["length"],
    )


_SAMPLES = {"color": "color", "dp": "radius", "typography": "style"}
"""The arguments that show tokens in a preview, by kind."""
_CORNER = ("CORNER_RADIUS",)
_MAX_SAMPLES = 200  # of one function


def _previews(
    contents: _Contents, readers: Mapping[TokenIndex, str], families: Iterable[Family], types: TypeNames
) -> list[Preview]:
    output, options, previews = contents.output, contents.options, []
    table = output.graph.table
    for family in families:
        stem, group = family.type.removesuffix("Tokens"), kotlin.string(family.collection.name)
        dots = 1 if family.is_constant else 2  # before the token's own path
        calls = [
            f"Sample({kotlin.string(readers[index].split('.', dots)[-1])}, {parameter} = {readers[index]})"
            for index in family.indices
            if index in readers and (parameter := _SAMPLES.get(output.kinds[index] or ""))
            if parameter != "radius" or table.scopes[index] == _CORNER or is_corner(table.paths[index])
        ]
        for start in range(0, len(calls), _MAX_SAMPLES):
            function = types.claim(f"{stem}Samples")
            modes = [
                PreviewedMode(
                    kotlin.string(choice.entry) if choice else group,
                    types.claim(f"{stem}{choice.entry if choice else ''}Preview"),
                    f"{options.name}Theme({_arguments([family], {family.key: choice.mode} if choice else {})})",
                )
                for choice in family.choices or (None,)
            ]
            samples = [broken(call, 4, 4, trailing=",") for call in calls[start : start + _MAX_SAMPLES]]
            previews.append(Preview(group, function, not family.is_constant, modes, samples))
    return previews


def _arguments(choosable: Iterable[Family], modes: Modes) -> str:
    """Return the modes that are not the default ones, as arguments of the theme's constructor."""
    arguments = []
    for family in choosable:
        mode = modes.get(family.key)
        if any(choice.mode == mode for choice in family.choices[1:]):
            arguments.append(f"{kotlin_name(family.accessor)} = {family.entry(modes[family.key])}")
    return ", ".join(arguments)


def _constants(output: Output, choosable: Sequence[Family]) -> list[ConfiguredTheme]:
    if not output.request.themes or not choosable:
        return []
    names = TypeNames(())
    return [
        ConfiguredTheme(
            names.claim(type_name(pascal(words(theme.name)) or "Theme")),
            f"The theme {kotlin.comment(theme.name)}.",
            _arguments(choosable, dict(theme.modes)),
        )
        for theme in output.themes
    ]


_MEDIUM, _HIGH = "contrast >= 1f / 3f", "contrast >= 2f / 3f"
"""As in Material's ColorContrast; Android's settings are 0, 0.5 and 1."""


class _System:
    """The modes for each appearance of the system, by name or as set by the options."""

    def __init__(self, output: Output, choosable: Sequence[Family], options: ComposeOptions) -> None:
        self.output = output
        self.choosable = choosable
        self.options = options
        self._appearances: dict[bool, dict[Appearance, Theme]] = {}
        themes = {theme.name: theme for theme in output.themes}
        self._configured: list[tuple[Theme, Appearance | None]] = []
        for name, override in options.themes.items() if choosable else ():
            if name not in themes:
                output.problems.append(unknown_theme(name, output.themes, output.request.platform))
            elif override.appearance:
                scheme = override.appearance
                self._configured.append((themes[name], None if scheme == "none" else Appearance(scheme, "")))

    def modes(self, scheme: Scheme, level: Level) -> Modes:
        """Return the modes of an appearance; those without contrast if none has this level."""
        medium = level == "medium"
        if medium not in self._appearances:
            chosen = appearance_themes(self.output, self._configured, medium=medium) if self.choosable else ()
            self._appearances[medium] = dict(chosen)
        theme = best_fit(self._appearances[medium], Appearance(scheme, "more" if level else ""))
        return dict(theme.modes) if theme else {}

    def arguments(self, scheme: Scheme, level: Level) -> str:
        """Return the modes of an appearance that are not the default ones, as arguments."""
        return _arguments(self.choosable, self.modes(scheme, level))

    def following(self) -> list[SelectableCollection]:
        """Return the collections that follow the system, if brands (extended collections) do so too.

        Configured themes have no brands, and modes with an appearance in the options are excluded.
        """
        if self.output.request.themes:
            return []
        following = []
        has_brands = False
        for family in self.choosable:
            of_brands = [self._brands(family, scheme, level) for scheme in SCHEMES for level in LEVELS]
            has_brands = has_brands or any(of_brands)
            if any(of_brands) or any(self._of_root(family, scheme, level) for scheme in SCHEMES for level in LEVELS):
                names = kotlin_name(family.accessor), family.enumeration, family.choices[0].entry
                following.append(SelectableCollection(*names))
        return following if has_brands else []

    def appearances(self, following: Sequence[SelectableCollection]) -> list[SystemAppearance]:
        """Return the appearances with more contrast, then those without; empty if no mode follows the system."""
        accessors = {family.accessor for family in following}
        families = [family for family in self.choosable if kotlin_name(family.accessor) in accessors]

        def appearance(scheme: Scheme, level: Level) -> tuple[str, list[list[Counterpart]]]:
            return self.arguments(scheme, level), [self._counterparts(family, scheme, level) for family in families]

        plain = {scheme: appearance(scheme, "") for scheme in SCHEMES}
        of_levels = {
            level: appearances
            for level in LEVELS[:2]
            if (appearances := {scheme: appearance(scheme, level) for scheme in SCHEMES}) != plain
            and any(text or any(modes) for text, modes in appearances.values())
        }
        if of_levels.get("medium") == of_levels.get("high"):
            of_levels.pop("medium", None)
        conditions = {level: _HIGH if level == "high" and "medium" in of_levels else _MEDIUM for level in of_levels}
        contrasts = [
            SystemAppearance(
                f"{conditions[level]} && isDark" if scheme == "dark" else conditions[level], *of_scheme[scheme]
            )
            for level, of_scheme in of_levels.items()
            for scheme in SCHEMES
        ]
        if not contrasts and not any(text or any(modes) for text, modes in plain.values()):
            return []
        return [*contrasts, SystemAppearance("isDark", *plain["dark"]), SystemAppearance("else", *plain["light"])]

    def _of_root(self, family: Family, scheme: Scheme, level: Level) -> dict[int, int]:
        default = family.collection.default_mode
        mode = self.modes(scheme, level).get(family.key, default)
        return {} if mode == default or all(choice.mode != mode for choice in family.choices) else {default: mode}

    def _brands(self, family: Family, scheme: Scheme, level: Level) -> dict[int, int]:
        fixed = {theme.modes[0] for theme in self.output.themes if theme.name in self.options.themes}
        return {
            mode: other
            for mode, other in family.brands(scheme, level).items()
            if (family.key, mode) not in fixed and (family.key, other) not in fixed
        }

    def _counterparts(self, family: Family, scheme: Scheme, level: Level) -> list[Counterpart]:
        modes = self._of_root(family, scheme, level) | self._brands(family, scheme, level)
        return [Counterpart(family.entry(mode), family.entry(other)) for mode, other in modes.items()]
