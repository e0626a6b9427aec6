"""An asset catalog and Swift."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal
from unicodedata import normalize

from msgspec import Meta, Struct, field

from tokensync.generate.request import Target
from tokensync.naming.rules import ASCII_WORD, NamingRules, cut, pascal, unicode_identifier, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


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


_USED_NAMES = frozenset(
    "Animation Any AnyObject AppKit Array Binding Bool Bundle CGFloat CGLineCap CGSize Color ColorScheme "
    "ColorSchemeContrast Dictionary Double Environment EnvironmentKey EnvironmentValues Float Font Foundation Gradient "
    "Hashable Int NSColor NSObject NSWorkspace Never Optional Protocol Self Sendable ShapeStyle String Swift SwiftUI "
    "TimeInterval TokenBorder TokenCurve TokenShadow TokenStrokeStyle TokenTextStyle TokenTransition Type UIColor "
    "UIFont UIKit View Void".split()
)
"""Names that the generated Swift uses: an enum of the same name would hide them."""

_DEVICES = frozenset("Aux Con Nul Prn".split())
_KEYWORDS = frozenset(
    "Any Protocol Self Type as associatedtype break case catch class continue default defer deinit do else enum "
    "extension fallthrough false fileprivate for func guard if import in init inout internal is let nil operator "
    "precedencegroup private protocol public repeat rethrows return self static struct subscript super switch throw "
    "throws true try typealias var where while".split()
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_UNSAFE = re.compile(r'[\0-\x1f\x7f-\x9f\u2028\u2029";#]|//|/\*|\*/')
_PAIRS = {"(": ")", "[": "]", "{": "}"}

SwiftName = Annotated[str, Meta(pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)", max_length=64)]
ModuleName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$(?!\n)", max_length=128)]
Expression = Annotated[str, Meta(pattern=r"^\S[^\r\n]*$(?!\n)", max_length=256)]


class IosTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What shows a theme: an appearance of the system, perhaps with more contrast, or a kind of device.

    With an appearance of ``none`` a theme is shown for no appearance, whatever its name says.
    """

    appearance: Annotated[
        Literal["", "light", "dark", "none"],
        Meta(description="The appearance that shows the theme; `none` for no appearance, whatever its name says."),
    ] = ""
    contrast: Annotated[
        Literal["", "high"], Meta(description="Whether the theme is shown when more contrast is asked for.")
    ] = ""
    idiom: Annotated[
        Literal["", "iphone", "ipad", "mac", "watch", "tv", "vision", "car"],
        Meta(description="The kind of device that shows the theme."),
    ] = ""


class IosOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The Swift that is written and the asset catalog beside it.

    ``name`` is that of the enum of all tokens and of its file; ``nested`` puts an enum a collection into it.
    ``bundle`` is the Swift expression of the bundle that has the catalog, by default that of the package or else of the
    app or framework that has the Swift too; ``imports`` are further modules to import.
    ``weights`` tells whether a font weight that has a name is a Font.Weight, or each is a number.

    ``colors`` live in the catalog, or in Swift alone. ``catalog`` is its name, ``groups`` its folders by collection or
    by path, ``namespace`` whether a folder is part of a colour's name; ``color_space`` that of the components.

    ``also`` names further files: ``swiftui`` extends Color and ShapeStyle, ``uikit`` extends UIColor, ``themes``
    declares a protocol for each set of modes to choose from, with a struct a mode. ``themes`` overrides, by the name of
    a theme, what the system shows it for.
    """

    name: Annotated[
        SwiftName,
        Meta(description="The name of the enum of all tokens and of its file, and the beginning of the other names."),
    ] = "Tokens"
    nested: Annotated[
        bool, Meta(description="Whether each collection is an enum within that enum: `Tokens.Spacing.small`.")
    ] = False
    access: Annotated[
        Literal["public", "package", "internal"], Meta(description="The access level of everything that is declared.")
    ] = "public"
    bundle: Annotated[
        Expression | None,
        Meta(
            description="The bundle of the catalog as a Swift expression, such as `.main`; without one Swift finds it."
        ),
    ] = None
    imports: Annotated[tuple[ModuleName, ...], Meta(description="Further modules that the Swift files import.")] = ()
    weights: Annotated[
        Literal["named", "number"],
        Meta(description="Font weights as `Font.Weight` where they have a name, or all as numbers."),
    ] = "named"
    colors: Annotated[
        Literal["catalog", "swift"], Meta(description="Colours in an asset catalog, or in Swift alone.")
    ] = "catalog"
    catalog: Annotated[SwiftName, Meta(description="The name of the asset catalog.")] = "Tokens"
    groups: Annotated[
        Literal["none", "collection", "path"],
        Meta(description="The folders of the catalog: none, one a collection, or the first four groups of each path."),
    ] = "none"
    namespace: Annotated[
        bool,
        Meta(
            description='Whether a folder of the catalog is part of the names of its colours: `Color("Brand/accent")`.'
        ),
    ] = False
    color_space: Annotated[
        Literal["srgb", "display-p3"],
        Meta(description="The colour space in which components are written; the colours stay the same."),
    ] = "srgb"
    also: Annotated[
        tuple[Literal["swiftui", "uikit", "themes"], ...],
        Meta(description="Further Swift files: extensions of SwiftUI's colours or of UIColor, and themes to choose."),
    ] = ()
    themes: Annotated[
        dict[str, IosTheme], Meta(description="By the name of a theme, what the system shows it for.")
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Return what would break the generated Swift and no schema can say, with the names that lead to it."""
        if self.name in _USED_NAMES:
            yield ("name",), f"{self.name!r} is a name that the generated Swift uses for something else"
        for option, name in (("name", self.name), ("catalog", self.catalog)):
            if name.capitalize() in _DEVICES:
                yield (option,), f"{name!r} is not a name that a file can have on every system"
        for index, module in enumerate(self.imports):
            if found := _KEYWORDS.intersection(module.split(".")):
                yield ("imports", index), f"{module!r:.80} is not a module: {min(found)!r} is a keyword of Swift"
        if self.bundle is not None and (what := _flaw_of_expression(self.bundle)):
            yield ("bundle",), f"{self.bundle!r:.80} {what}"


def _flaw_of_expression(text: str) -> str:
    """Return what could end the expression, or the file, too early; an empty text when nothing can."""
    bare = _STRING.sub("", text)
    if found := _UNSAFE.search(bare):
        return f"cannot hold {found[0]!r} there"
    waiting: list[str] = []
    for character in bare:
        if character in _PAIRS:
            waiting.append(_PAIRS[character])
        elif character in _PAIRS.values() and (not waiting or waiting.pop() != character):
            return f"is not balanced at {character!r}"
        elif character == "," and not waiting:
            return "is more than one expression"
    return f"lacks a closing {waiting[-1]!r}" if waiting else ""


TARGET = Target("ios", "an asset catalog and Swift", IosOptions, naming=NAMING, syntax="iOS")
