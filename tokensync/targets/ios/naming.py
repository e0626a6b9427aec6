"""Swift names: of constants, which name files of the asset catalog too, of types, and of members of other types."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

from tokensync.naming.rules import ASCII_WORD, NamingRules, cut, pascal, unicode_identifier, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

KEYWORDS = frozenset(
    """
    Any Protocol Self Type as associatedtype async await break case catch class continue default defer deinit do dynamic
    else enum extension fallthrough false fileprivate for func guard if import in indirect init inout internal is
    lazy let nil open operator precedencegroup private protocol public repeat rethrows return self some static
    struct subscript super switch throw throws true try typealias unowned var weak where while
    """.split()
)
"""Swift's declaration, statement and expression keywords, and the member names that need back-ticks."""

DEVICE_FILES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789"))
)
"""Names that Windows gives to devices in every folder, with any extension, in any case."""


TYPES = frozenset(
    """
    Any AnyObject Array Binding Bool Bundle CGFloat CGSize Character Color ColorScheme ColorSchemeContrast Dictionary
    Double Edge EnvironmentKey EnvironmentValues Float Font Gradient Int LinearGradient NSColor Never Optional Protocol
    Result Sendable Set Shape ShapeStyle String SwiftUI TimeInterval Type UIColor UIFont UIKit View Void
    """.split()
)
"""Types of Swift, SwiftUI and UIKit that the files mention, or that are likely names of collections."""

SWIFTUI_MEMBERS = frozenset(
    """
    accentColor background bar black blue brown clear cyan description fill foreground gray green indigo link mint
    orange pink placeholder primary purple quaternary quinary red regularMaterial secondary selection separator
    teal tertiary thickMaterial thinMaterial tint ultraThickMaterial ultraThinMaterial white windowBackground yellow
    """.split()
)
"""Static members of Color and ShapeStyle."""

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
"""Class members of UIColor, those of NSObject included."""


def identifier(name: str) -> str:
    """Return a Swift identifier, without the back-ticks that a keyword needs, which is also a safe file name."""
    body = unicode_identifier(name)
    return cut(f"{body}_" if body.casefold() in DEVICE_FILES else body, "_", _utf8_length)


def swift_name(identifier: str) -> str:
    """Return an identifier as Swift source: keywords stand in back-ticks."""
    return f"`{identifier}`" if identifier in KEYWORDS else identifier


def on_disk(name: str) -> str:
    """Return the name as a file system that ignores case and composition sees it."""
    return name.lower() if name.isascii() else normalize("NFC", normalize("NFC", name).casefold())


def _utf8_length(name: str) -> int:
    return len(name) if name.isascii() else len(name.encode())


NAMING = NamingRules("ios", valid=ASCII_WORD, repair=identifier, reserved=DEVICE_FILES, fold=on_disk, capitals=True)


class TypeNames:
    """Gives out names of types, each of them once in any case of letters."""

    def __init__(self, taken: Iterable[str], suffix: str) -> None:
        self._taken = {on_disk(each) for each in (*TYPES, *taken)}
        self._suffix = suffix

    def unique(self, *parts: str) -> str:
        """Return a name of the parts' words, with the suffix and a number where it is taken."""
        name = "".join(pascal(words(each)) for each in parts)
        name = identifier(name if name[:1].isidentifier() else f"{self._suffix}{name}")
        wanted, number = name, 1
        while on_disk(name) in self._taken:
            name = f"{wanted}{self._suffix}{number if number > 1 else ''}"
            number += 1
        self._taken.add(on_disk(name))
        return name


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name, or one like it that is not taken."""
    while name in taken:
        name = f"{name}Token"
    return name
