"""Collection families in Kotlin: whether their modes can be chosen, and what their types and modes are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import Appearance, counterparts
from tokensync.generate.composites import TYPES
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
"""The property that holds the chosen modes; no collection has this name."""

MOST_PROPERTIES = 1_000
"""Properties of one class: far below what makes a constant pool or an initialiser outgrow the JVM's limits."""

APPEARANCES = {"dark": Appearance("dark", ""), "light": Appearance("light", "")}

_WEIGHT_OF_A_COMPOSITE = 10
"""How many plain properties a composite counts for, by the code that it takes."""

_LONGEST = 80
"""Bytes of a collection's or mode's part of a type's name."""


class Choice(NamedTuple):
    """A mode that can be chosen: its index in the family, and its name as an entry of the enumeration.

    ``type`` is the class with the mode's values, ``parent`` the index of the mode whose class it inherits from; None
    for the default mode, whose class is the family's own.
    """

    mode: int
    entry: str
    type: str
    parent: int | None


class Family(NamedTuple):
    """A collection family of the output.

    ``indices`` are its declared tokens, in order. ``choices`` are its modes, the default one first, when there are
    several; ``enumeration`` is the type that lists them, and ``depending`` the tokens that may depend on which one is
    chosen. ``type`` has the tokens as its properties; ``accessor`` is the property that gives them.
    ``is_constant`` means that none of its tokens depends on any chosen mode, ``is_split`` that it has more of them than
    one class takes.
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
        """Return the property path of its chosen mode, below the set of all tokens."""
        return f"{CHOSEN}.{kotlin_name(self.accessor)}"

    @property
    def key(self) -> FamilyKey:
        """Return (file, handle)."""
        return self.collection.key

    def brands(self, scheme: str) -> dict[int, int]:
        """Return the counterpart in a dark or light system of the default mode of each extension that has one."""
        chosen = {each.mode for each in self.choices}
        found = {}
        for extension in self.collection.extensions:
            mode = counterparts(self.collection, extension.handle).get(APPEARANCES[scheme])
            if mode in chosen and extension.default_mode in chosen:
                found[extension.default_mode] = mode
        return found

    def entry(self, mode: int) -> str:
        """Return a mode's entry of the enumeration, with the enumeration before it."""
        return f"{self.enumeration}.{next(each.entry for each in self.choices if each.mode == mode)}"


class TypeNames:
    """The names of the output's types: all different, on disks that ignore case too, and none a token's."""

    def __init__(self, of_tokens: Iterable[str]) -> None:
        self._of_tokens = frozenset(of_tokens)
        self._taken: set[str] = set()

    def claim(self, wanted: str) -> str:
        """Return the wanted name, or that with a number after it."""
        name, number = wanted, 1
        while name.casefold() in self._taken or name in self._of_tokens:
            number += 1
            name = f"{wanted}{number}"
        self._taken.add(name.casefold())
        return name


def in_parts(indices: Iterable[TokenIndex], kinds: Sequence[str | None]) -> list[list[TokenIndex]]:
    """Return the tokens in parts that a class can hold; one empty part when there are none."""
    parts: list[list[TokenIndex]] = [[]]
    capacity = MOST_PROPERTIES
    for index in indices:
        weight = _WEIGHT_OF_A_COMPOSITE if kinds[index] in TYPES else 1
        capacity -= weight
        if capacity < 0:
            parts.append([])
            capacity = MOST_PROPERTIES - weight
        parts[-1].append(index)
    return parts


def families_of(output: Output, options: ComposeOptions, types: TypeNames) -> list[Family]:
    """Return the families with declared tokens, and those whose modes such tokens depend on; in the graph's order."""
    declared: dict[FamilyKey, list[TokenIndex]] = {}
    for index in output.declared:
        declared.setdefault(output.tokens[index].key[:2], []).append(index)
    modes = _shown_modes(output)
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


def _shown_modes(output: Output) -> dict[FamilyKey, tuple[int, ...]]:
    """Return the shown modes of families that have several, the default one first."""
    shown: dict[FamilyKey, set[int]] = {}
    for theme in output.themes:
        for family, mode in theme.modes:
            shown.setdefault(family, set()).add(mode)
    several = {}
    for key, modes in shown.items():
        default = output.graph.collections[key].default_mode
        if modes - {default}:
            several[key] = (default, *sorted(modes - {default}))
    return several


def _depending(
    output: Output, modes: Mapping[FamilyKey, tuple[int, ...]], declared: Mapping[FamilyKey, list[TokenIndex]]
) -> dict[FamilyKey, frozenset[TokenIndex]]:
    """Return the declared tokens that may depend on the chosen mode of a family, by the families that have a choice."""
    every = frozenset(output.declared)
    found = {
        key: every & output.resolution.depending(Theme("", ((key, mode),)) for mode in several)
        for key, several in modes.items()
    }
    return {key: indices for key, indices in found.items() if indices or key in declared}


def _choices(collection: Collection, modes: tuple[int, ...], stem: str, types: TypeNames) -> tuple[Choice, ...]:
    """Return the modes as entries of an enumeration; one inherits from its nearest shown parent, else the default."""
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
    """Return the mode's words after those of its extension, without the root collection's name at their beginning."""
    mode = collection.modes[index]
    if mode.collection == collection.handle:
        return words(mode.context)
    extension, root = words(mode.collection), words(collection.handle)
    own = extension[len(root) :] if extension[: len(root)] == root else extension
    return own + words(mode.slug)


def type_name(wanted: str) -> str:
    """Return the name, short enough for a class of two such names to be a file on any disk."""
    name = property_name(wanted)
    if len(name.encode()) <= _LONGEST:
        return name
    from hashlib import sha256

    kept = name.encode()[: _LONGEST - 8].decode(errors="ignore")
    return f"{kept}{sha256(name.encode()).hexdigest()[:8]}"


def _accessor(wanted: str, taken: set[str]) -> str:
    """Return the collection's name as a property that no other collection has."""
    name, number = property_name(wanted), 1
    while getter(name) in taken:
        number += 1
        name = property_name(f"{wanted}Tokens{number if number > 2 else ''}")
    taken.add(getter(name))
    return name
