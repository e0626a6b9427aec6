"""An asset catalog and Swift."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal
from unicodedata import normalize

from msgspec import Meta, Struct, field

from tokensync.generate.naming.rules import ASCII_WORDS, NamingRules, cut, pascal, unicode_identifier, words
from tokensync.generate.target import Target

KEYWORDS = frozenset(
    """
    Any Protocol Self Type as associatedtype async await break case catch class continue default defer deinit do dynamic
    else enum extension fallthrough false fileprivate for func guard if import in indirect init inout internal is
    lazy let nil open operator precedencegroup private protocol public repeat rethrows return self some static
    struct subscript super switch throw throws true try typealias unowned var weak where while
    """.split()
)
"""Swift's declaration, statement and expression keywords, and member names that need backticks."""

DEVICE_FILES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789"))
)
"""Names that Windows reserves for devices in every folder, with any extension, in any case."""


TYPES = frozenset(
    """
    Any AnyObject Array Binding Bool Bundle CGFloat CGSize Character Color ColorScheme ColorSchemeContrast Dictionary
    Double Edge EnvironmentKey EnvironmentValues Float Font Gradient Int LinearGradient NSColor Never Optional Protocol
    Result Self Sendable Set Shape ShapeStyle String SwiftUI TimeInterval Type UIColor UIFont UIKit View Void
    """.split()
)
"""Types of Swift, SwiftUI and UIKit that the generated files use, or that are likely names of collections."""

_SWIFTUI_COLORS = frozenset(
    """
    accentColor black blue brown clear cyan gray green indigo mint orange pink primary purple red secondary teal white
    yellow
    """.split()
)
SWIFTUI_MEMBERS = _SWIFTUI_COLORS.union(
    """
    background bar description fill foreground link placeholder quaternary quinary regularMaterial selection separator
    tertiary thickMaterial thinMaterial tint ultraThickMaterial ultraThinMaterial windowBackground
    """.split()
)
"""Static members of Color and ShapeStyle."""

_UIKIT_COLORS = frozenset(
    """
    black blue brown clear cyan darkGray darkText gray green groupTableViewBackground label lightGray lightText link
    magenta opaqueSeparator orange placeholderText purple quaternaryLabel quaternarySystemFill red secondaryLabel
    secondarySystemBackground secondarySystemFill secondarySystemGroupedBackground separator systemBackground systemBlue
    systemBrown systemCyan systemFill systemGray systemGray2 systemGray3 systemGray4 systemGray5 systemGray6 systemGreen
    systemGroupedBackground systemIndigo systemMint systemOrange systemPink systemPurple systemRed systemTeal
    systemYellow tertiaryLabel tertiarySystemBackground tertiarySystemFill tertiarySystemGroupedBackground tintColor
    viewFlipsideBackground white yellow
    """.split()
)
UIKIT_MEMBERS = _UIKIT_COLORS.union(
    "class debugDescription description hash initialize load new superclass version".split()
)
"""Class members of UIColor, including those of NSObject."""

_SYSTEM_COLORS = frozenset(
    (*(f"Color.{each}" for each in _SWIFTUI_COLORS), *(f"UIColor.{each}" for each in _UIKIT_COLORS))
)


def identifier(name: str) -> str:
    """Return a Swift identifier (without backticks around keywords) that is also a safe file name."""
    body = unicode_identifier(name)
    return cut(f"{body}_" if body.casefold() in DEVICE_FILES else body, "_", lambda part: len(part.encode()))


def swift_name(identifier: str) -> str:
    """Return an identifier as Swift source: a keyword is enclosed in backticks."""
    return f"`{identifier}`" if identifier in KEYWORDS else identifier


def on_disk(name: str) -> str:
    """Return the name folded like on file systems that ignore case and Unicode composition."""
    return name.lower() if name.isascii() else normalize("NFC", normalize("NFC", name).casefold())


NAMING = NamingRules(
    "ios",
    valid_lines=ASCII_WORDS,
    repair=identifier,
    reserved=DEVICE_FILES,
    fold=on_disk,
    capitals=True,
    system_colors=_SYSTEM_COLORS,
)


class TypeNames:
    """A generator of type names that are unique regardless of case."""

    def __init__(self, used: Iterable[str], suffix: str) -> None:
        self._used = {on_disk(each) for each in (*TYPES, *used)}
        self._suffix = suffix

    def unique(self, *parts: str) -> str:
        """Return a name from the words of the parts; a suffix and a number make it unique."""
        name = "".join(pascal(words(part)) for part in parts)
        name = identifier(name if name[:1].isidentifier() else f"{self._suffix}{name}")
        base_name, number = name, 1
        while on_disk(name) in self._used:
            name = f"{base_name}{self._suffix}{number if number > 1 else ''}"
            number += 1
        self._used.add(on_disk(name))
        return name


_HIDDEN_NAMES = frozenset(
    "Animation Any AnyObject AppKit Array Binding Bool Bundle CGFloat CGLineCap CGSize Color ColorScheme "
    "ColorSchemeContrast Dictionary Double Environment EnvironmentKey EnvironmentValues Float Font Foundation Gradient "
    "Hashable Int NSColor NSObject NSWorkspace Never Optional Protocol Self Sendable ShapeStyle String Swift SwiftUI "
    "TimeInterval TokenBorder TokenCurve TokenShadow TokenStrokeStyle TokenTextStyle TokenTransition Type UIColor "
    "UIFont UIKit View Void".split()
)
"""Names that the generated Swift uses, and that an enum of the same name would hide."""

_DEVICE_NAMES = frozenset("Aux Con Nul Prn".split())
_NOT_IN_MODULES = KEYWORDS - frozenset("async await dynamic indirect lazy open some unowned weak".split())
"""Keywords without those that Swift takes for names where no keyword can stand."""
_STRING = r'"(?:[^"\\]|\\.)*"'
_UNSAFE = r'[\0-\x1f\x7f-\x9f\u2028\u2029";#]|//|/\*|\*/'
_PAIRS = {"(": ")", "[": "]", "{": "}"}

SwiftName = Annotated[str, Meta(pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)", max_length=64)]
ModuleName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$(?!\n)", max_length=128)]
Expression = Annotated[str, Meta(pattern=r"^\S[^\r\n]*$(?!\n)", max_length=256)]


FontTextStyle = Literal[
    "largeTitle", "title", "title2", "title3", "headline", "subheadline",
    "body", "callout", "footnote", "caption", "caption2",
]  # fmt: skip


class IosTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The system appearance or the kind of device that shows a theme, in place of the one that its name implies."""

    appearance: Annotated[
        Literal["", "light", "dark", "none"],
        Meta(description="The appearance that shows the theme; `none` for no appearance, regardless of its name."),
    ] = ""
    contrast: Annotated[
        Literal["", "high"], Meta(description="`high` shows the theme when the user has chosen increased contrast.")
    ] = ""
    idiom: Annotated[
        Literal["", "iphone", "ipad", "mac", "watch", "tv", "vision", "car"],
        Meta(description="The kind of device that shows the theme."),
    ] = ""


class IosOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of an ios output, for its Swift files and its asset catalog.

    The default ``bundle`` is that of the Swift package, or of the app or framework with the Swift files. ``also`` adds
    files: ``swiftui`` extends Color and ShapeStyle, ``uikit`` extends UIColor, ``themes`` declares a protocol for each
    set of modes to choose from, and a struct for each mode, ``list`` lists the constants. Xcode extends these types,
    too, unless the catalog says otherwise, in the module of the catalog only.
    """

    name: Annotated[
        SwiftName,
        Meta(description="The name of the enum of all tokens and of its file, and the prefix of other names."),
    ] = "Tokens"
    nested: Annotated[
        Literal["none", "collection", "path"],
        Meta(
            description="Enums within that enum: none, one per collection (`Tokens.Density.controlHeight`), or one per "
            "group of each path (`Tokens.Control.height`)."
        ),
    ] = "none"
    access: Annotated[
        Literal["public", "package", "internal"], Meta(description="The access level of all declarations.")
    ] = "public"
    swift: Annotated[
        Literal["5.9", "6.0", "6.1"],
        Meta(
            description="The oldest Swift that compiles the files: `public import` needs 6.0, `nonisolated` types 6.1."
        ),
    ] = "6.1"
    bundle: Annotated[
        Expression | None,
        Meta(description="The bundle of the catalog as a Swift expression, such as `.main`; by default it is found."),
    ] = None
    imports: Annotated[tuple[ModuleName, ...], Meta(description="Additional modules that the Swift files import.")] = ()
    weights: Annotated[
        Literal["named", "number"],
        Meta(
            description="Write the weights of a group as `Font.Weight` if all have a name, or every weight as a number."
        ),
    ] = "named"
    dynamic_type: Annotated[
        dict[Annotated[str, Meta(max_length=500)], FontTextStyle],
        Meta(
            description="The system's text style that a text style grows with, by a glob for its path; by default, the "
            "one with the closest size."
        ),
    ] = field(default_factory=dict)
    comments: Annotated[
        Literal["description", "value"],
        Meta(description="What documentation comments contain: descriptions, or also the values of colours."),
    ] = "description"
    colors: Annotated[
        Literal["catalog", "swift"], Meta(description="Write colours to an asset catalog, or to Swift only.")
    ] = "catalog"
    catalog: Annotated[SwiftName, Meta(description="The name of the asset catalog.")] = "Tokens"
    groups: Annotated[
        Literal["none", "collection", "path"],
        Meta(description="Folders in the catalog: none, one per collection, or the first four groups of each path."),
    ] = "none"
    namespace: Annotated[
        bool, Meta(description='Make the folders of the catalog part of the names of colours: `Color("Brand/accent")`.')
    ] = False
    color_space: Annotated[
        Literal["srgb", "display-p3"],
        Meta(description="The colour space of the components; the colours stay the same."),
    ] = "srgb"
    profile: Annotated[
        Literal["srgb", "display-p3"],
        Meta(
            description="The colour profile of the design file; `display-p3` is also the space of the components then."
        ),
    ] = "srgb"
    also: Annotated[
        tuple[Literal["swiftui", "uikit", "themes", "list"], ...],
        Meta(
            description="Additional Swift files: extensions of SwiftUI's colours or of UIColor, selectable "
            "themes, and a list of all tokens."
        ),
    ] = ("swiftui",)
    themes: Annotated[
        dict[str, IosTheme], Meta(description="The appearance or device that shows a theme, by the name of the theme.")
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield the option path and the error of each value that would break the generated Swift."""
        if self.name in _HIDDEN_NAMES:
            yield ("name",), f"{self.name!r} is a type or module that the generated Swift uses; choose another name"
        for option, name in (("name", self.name), ("catalog", self.catalog)):
            if name.capitalize() in _DEVICE_NAMES:
                yield (option,), f"{name!r} is not a valid file name on Windows; choose another name"
        for index, module in enumerate(self.imports):
            if found := _NOT_IN_MODULES.intersection(module.split(".")):
                yield ("imports", index), f"{module!r:.80} is not a module name: {min(found)!r} is a Swift keyword"
        if self.bundle is not None and (what := _expression_error(self.bundle)):
            yield ("bundle",), f"{self.bundle!r:.80} {what}"


def _expression_error(text: str) -> str:
    """Return the syntax error that would affect the rest of the file; an empty text when there is no error."""
    bare = re.sub(_STRING, "", text)
    if found := re.search(_UNSAFE, bare):
        return f"must not contain {found[0]!r}"
    pending: list[str] = []
    for character in bare:
        if character in _PAIRS:
            pending.append(_PAIRS[character])
        elif character in _PAIRS.values() and (not pending or pending.pop() != character):
            return f"is not balanced at {character!r}"
        elif character == "," and not pending:
            return "is more than one expression"
    return f"lacks a closing {pending[-1]!r}" if pending else ""


TARGET = Target(
    "ios",
    "an asset catalog and Swift",
    IosOptions,
    naming=NAMING,
    syntax="iOS",
    wide_colors=(("color_space", "display-p3"), ("profile", "display-p3")),
)
