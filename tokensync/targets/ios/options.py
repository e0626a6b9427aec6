"""Options of an ios output."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAKEN = frozenset(
    "Animation Any AnyObject AppKit Array Binding Bool Bundle CGFloat CGLineCap CGSize Color ColorScheme "
    "ColorSchemeContrast Dictionary Double Environment EnvironmentKey EnvironmentValues Float Font Foundation Gradient "
    "Hashable Int NSColor NSObject NSWorkspace Never Optional Protocol Self Sendable ShapeStyle String Swift SwiftUI "
    "TimeInterval TokenBorder TokenCurve TokenShadow TokenStrokeStyle TokenTextStyle TokenTransition Type UIColor "
    "UIFont UIKit View Void".split()
)
"""What generated Swift says of others: an enum of this name would stand in its place."""

_DEVICES = frozenset("Aux Con Nul Prn".split())
_KEYWORDS = frozenset(
    "Any Protocol Self Type as associatedtype break case catch class continue default defer deinit do else enum "
    "extension fallthrough false fileprivate for func guard if import in init inout internal is let nil operator "
    "precedencegroup private protocol public repeat rethrows return self static struct subscript super switch throw "
    "throws true try typealias var where while".split()
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NOT_IN_AN_EXPRESSION = re.compile(r'[\0-\x1f\x7f-\x9f\u2028\u2029";#]|//|/\*|\*/')
_PAIRS = {"(": ")", "[": "]", "{": "}"}

SwiftName = Annotated[str, Meta(pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)", max_length=64)]
ModuleName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$(?!\n)", max_length=128)]
Expression = Annotated[str, Meta(pattern=r"^\S[^\r\n]*$(?!\n)", max_length=256)]


class IosTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What shows a theme: an appearance of the system, which may be one of more contrast, or a kind of device.

    An appearance of ``none`` keeps a theme out that tells by its name that it is one.
    """

    appearance: Literal["", "light", "dark", "none"] = ""
    contrast: Literal["", "high"] = ""
    idiom: Literal["", "iphone", "ipad", "mac", "watch", "tv", "vision", "car"] = ""


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

    name: SwiftName = "Tokens"
    nested: bool = False
    access: Literal["public", "package", "internal"] = "public"
    bundle: Expression | None = None
    imports: tuple[ModuleName, ...] = ()
    weights: Literal["named", "number"] = "named"
    colors: Literal["catalog", "swift"] = "catalog"
    catalog: SwiftName = "Tokens"
    groups: Literal["none", "collection", "path"] = "none"
    namespace: bool = False
    color_space: Literal["srgb", "display-p3"] = "srgb"
    also: tuple[Literal["swiftui", "uikit", "themes"], ...] = ()
    themes: dict[str, IosTheme] = field(default_factory=dict)

    def faults(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What a schema cannot tell, with the names that lead to it: what would break the Swift that it stands in."""
        if self.name in _TAKEN:
            yield ("name",), f"{self.name!r} is what the Swift that is written calls something else"
        for option, name in (("name", self.name), ("catalog", self.catalog)):
            if name.capitalize() in _DEVICES:
                yield (option,), f"{name!r} is no name that a file can have on every system"
        for index, module in enumerate(self.imports):
            if found := _KEYWORDS.intersection(module.split(".")):
                yield ("imports", index), f"{module!r:.80} is no module: {min(found)!r} is a word of Swift's own"
        if self.bundle is not None and (what := _fault_of_expression(self.bundle)):
            yield ("bundle",), f"{self.bundle!r:.80} {what}"


def _fault_of_expression(text: str) -> str:
    """What could end the expression, or the file, before its time; nothing when it stays within itself."""
    bare = _STRING.sub("", text)
    if found := _NOT_IN_AN_EXPRESSION.search(bare):
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
