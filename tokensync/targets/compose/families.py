"""Collection families in Kotlin: their selectable modes, and the names of their types and modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.composites import TYPES
from tokensync.generate.themes import Appearance, counterparts
from tokensync.naming import words
from tokensync.naming.rules import camel, pascal
from tokensync.targets.compose import getter, kotlin_name, property_name
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.generate.output import Output
    from tokensync.targets.compose import ComposeOptions
    from tokensync.tokens import Collection, FamilyKey
    from tokensync.tokens.resolver import TokenIndex

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
