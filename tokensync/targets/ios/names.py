"""Names that Swift or its frameworks have taken: of types around the tokens, and of members of the extended types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.naming.words import pascal, words
from tokensync.targets.ios.naming import identifier as ios_identifier
from tokensync.targets.ios.naming import on_disk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.sheet import Sheet
    from tokensync.tokens import FamilyKey

TYPES = frozenset(
    """
    Any AnyObject Array Binding Bool Bundle CGFloat CGSize Character Color ColorScheme ColorSchemeContrast Dictionary
    Double Edge EnvironmentKey EnvironmentValues Float Font Gradient Int LinearGradient NSColor Never Optional Protocol
    Result Sendable Set Shape ShapeStyle String SwiftUI TimeInterval Type UIColor UIFont UIKit View Void
    """.split()
)
"""Types of Swift, SwiftUI and UIKit that the files mention, or that a collection is likely to be called after."""

SWIFTUI_MEMBERS = frozenset(
    """
    accentColor background bar black blue brown clear cyan description fill foreground gray green indigo link mint
    orange pink placeholder primary purple quaternary quinary red regularMaterial secondary selection separator
    teal tertiary thickMaterial thinMaterial tint ultraThickMaterial ultraThinMaterial white windowBackground yellow
    """.split()
)
"""Static members that Color or ShapeStyle has."""

UIKIT_MEMBERS = frozenset(
    """
    black blue brown class clear cyan darkGray darkText debugDescription description gray green groupTableViewBackground
    hash initialize label lightGray lightText link load magenta new opaqueSeparator orange placeholderText purple
    quaternaryLabel quaternarySystemFill red secondaryLabel secondarySystemBackground secondarySystemFill
    secondarySystemGroupedBackground separator superclass systemBackground systemBlue systemBrown systemCyan systemFill
    systemGray systemGray2 systemGray3 systemGray4 systemGray5 systemGray6 systemGreen systemGroupedBackground
    systemIndigo systemMint systemOrange systemPink systemPurple systemRed systemTeal systemYellow tertiaryLabel
    tertiarySystemBackground tertiarySystemFill tertiarySystemGroupedBackground tintColor version viewFlipsideBackground
    white yellow
    """.split()
)
"""Class members that UIColor has, those of NSObject among them."""


class TypeNames:
    """Hands out names of types, each once whatever the case."""

    def __init__(self, taken: Iterable[str], suffix: str) -> None:
        self._taken = {on_disk(each) for each in (*TYPES, *taken)}
        self._suffix = suffix

    def unique(self, *parts: str) -> str:
        """The parts' words joined, with what keeps the name apart from others."""
        name = "".join(pascal(words(each)) for each in parts)
        name = ios_identifier(name if name[:1].isidentifier() else f"{self._suffix}{name}")
        wanted, number = name, 1
        while on_disk(name) in self._taken:
            name = f"{wanted}{self._suffix}{number if number > 1 else ''}"
            number += 1
        self._taken.add(on_disk(name))
        return name


def enums_of(sheet: Sheet, name: str) -> dict[FamilyKey, str]:
    """An enum within the enum ``name`` for each collection that has declared tokens, in their order."""
    names = TypeNames((name,), name)
    families = dict.fromkeys(sheet.tokens[place].key[:2] for place in sheet.declared)
    return {key: names.unique(key[1]) for key in families}


def apart(name: str, members: frozenset[str], taken: set[str]) -> str:
    """The name, or when it is among the members of the extended type, one that is neither there nor taken."""
    return name if name not in members else free(name, taken | members)


def free(name: str, taken: set[str]) -> str:
    """The name, or one like it that is not taken."""
    while name in taken:
        name = f"{name}Token"
    return name
