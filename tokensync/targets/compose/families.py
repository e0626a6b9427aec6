"""What becomes of each collection family: whether its modes can be chosen, and what it is called in Kotlin."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.composites import TYPES
from tokensync.naming import words
from tokensync.naming.words import camel, pascal
from tokensync.targets.compose.naming import getter, kotlin_name
from tokensync.targets.compose.naming import property_name as compose_identifier
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.compose.options import ComposeOptions
    from tokensync.tokens import Collection, FamilyKey

CHOSEN = "chosen"
"""The property that holds the chosen modes; no collection is called so."""

MOST_PROPERTIES = 1_000
"""Properties of one class: far below what makes a constant pool or an initialiser outgrow the JVM's limits."""

_WEIGHT_OF_A_COMPOSITE = 10

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

    ``places`` are its declared tokens, in order. ``choices`` are its modes, the default one first, when there are
    several; ``enumeration`` is the type that lists them, and ``depending`` the tokens that may depend on which one is
    chosen. ``type`` has the tokens as its properties; ``accessor`` is what a set of all tokens calls it.
    ``is_constant`` tells that none of its tokens depends on any chosen mode, ``is_split`` that it has more of them than
    one class takes.
    """

    collection: Collection
    places: tuple[int, ...]
    choices: tuple[Choice, ...]
    type: str
    accessor: str
    enumeration: str
    depending: frozenset[int]
    is_constant: bool
    is_split: bool

    @property
    def chosen(self) -> str:
        """The property path of its chosen mode, below the set of all tokens."""
        return f"{CHOSEN}.{kotlin_name(self.accessor)}"

    @property
    def key(self) -> FamilyKey:
        """(file, handle)."""
        return self.collection.key


class Types:
    """The names that the output's types have: all different, on disks that ignore case too, and none a token's."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._tokens = frozenset(taken)
        self._taken: set[str] = set()

    def claim(self, wanted: str) -> str:
        """The wanted name, or that with a number after it."""
        name, number = wanted, 1
        while name.casefold() in self._taken or name in self._tokens:
            number += 1
            name = f"{wanted}{number}"
        self._taken.add(name.casefold())
        return name


def weight(kind: str | None) -> int:
    """How many plain properties one of this kind stands for, by the code that it takes."""
    return _WEIGHT_OF_A_COMPOSITE if kind in TYPES else 1


def families_of(sheet: Sheet, options: ComposeOptions, types: Types) -> list[Family]:
    """The families with declared tokens, and those whose modes such tokens depend on; in the graph's order."""
    declared: dict[FamilyKey, list[int]] = {}
    for place in sheet.declared:
        declared.setdefault(sheet.tokens[place].key[:2], []).append(place)
    modes = _shown_modes(sheet)
    depending = _depending(sheet, modes, declared)
    for each in ("", "Theme", "Values", "Local", "Provide"):
        types.claim(f"{each}{options.name}" if each in ("Local", "Provide") else f"{options.name}{each}")
    accessors = {getter(CHOSEN)}
    several_files = len({file for file, _ in declared}) > 1
    families = []
    for key, collection in sheet.graph.collections.items():
        if key not in declared and key not in depending:
            continue
        spelled = words(collection.handle) or ("tokens",)
        if several_files:
            spelled = words(collection.file) + spelled
        stem = type_name(pascal(spelled))
        families.append(
            Family(
                collection,
                tuple(declared.get(key, ())),
                _choices(collection, modes.get(key, ()), stem, types),
                types.claim(f"{stem}Tokens"),
                _accessor(camel(spelled), accessors),
                types.claim(f"{stem}Mode") if key in depending else "",
                depending.get(key, frozenset()),
                key not in depending and not any(each.intersection(declared[key]) for each in depending.values()),
                sum(weight(sheet.kinds[place]) for place in declared.get(key, ())) > MOST_PROPERTIES,
            )
        )
    return families


def _shown_modes(sheet: Sheet) -> dict[FamilyKey, tuple[int, ...]]:
    """Of families of which several modes are shown: these, the default one first."""
    shown: dict[FamilyKey, set[int]] = {}
    for theme in sheet.themes:
        for family, mode in theme.modes:
            shown.setdefault(family, set()).add(mode)
    several = {}
    for key, modes in shown.items():
        default = sheet.graph.collections[key].default_mode
        if modes - {default}:
            several[key] = (default, *sorted(modes - {default}))
    return several


def _depending(
    sheet: Sheet, modes: dict[FamilyKey, tuple[int, ...]], declared: dict[FamilyKey, list[int]]
) -> dict[FamilyKey, frozenset[int]]:
    """By family whose modes can be chosen, the declared tokens that may depend on the choice."""
    every = frozenset(sheet.declared)
    found = {
        key: every & sheet.resolution.depending(Theme("", ((key, mode),)) for mode in several)
        for key, several in modes.items()
    }
    return {key: places for key, places in found.items() if places or key in declared}


def _choices(collection: Collection, modes: tuple[int, ...], stem: str, types: Types) -> tuple[Choice, ...]:
    """The modes as entries of an enumeration. One inherits from its nearest shown parent, else from the default."""
    entries = Types(())
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
    """The mode's words, those of its extension first, but for what that shares with the root collection's name."""
    mode = collection.modes[index]
    if mode.collection == collection.handle:
        return words(mode.context)
    extension, root = words(mode.collection), words(collection.handle)
    own = extension[len(root) :] if extension[: len(root)] == root else extension
    return own + words(mode.slug)


def type_name(wanted: str) -> str:
    """The name, short enough for a class of two such names to be a file on any disk."""
    name = compose_identifier(wanted)
    if len(name.encode()) <= _LONGEST:
        return name
    from hashlib import sha256

    kept = name.encode()[: _LONGEST - 8].decode(errors="ignore")
    return f"{kept}{sha256(name.encode()).hexdigest()[:8]}"


def _accessor(wanted: str, taken: set[str]) -> str:
    """The collection's name as a property that no other one is called."""
    name, number = compose_identifier(wanted), 1
    while getter(name) in taken:
        number += 1
        name = compose_identifier(f"{wanted}Tokens{number if number > 2 else ''}")
    taken.add(getter(name))
    return name
