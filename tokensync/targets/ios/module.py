"""What the Swift files of an output have in common: access level, names, types, documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.request import OutputFile
from tokensync.naming import rendered_bytes
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.composites import literals_of, spelling_of
from tokensync.targets.ios.names import enums_of
from tokensync.targets.ios.naming import swift_name

if TYPE_CHECKING:
    from tokensync.generate.sheet import Sheet
    from tokensync.targets.ios.options import IosOptions
    from tokensync.tokens import Color

_TYPES = {
    "color": "Color",
    "number": "CGFloat",
    "percentage": "CGFloat",
    "weight": "Font.Weight",
    "string": "String",
    "boolean": "Bool",
    "duration": "TimeInterval",
}


class Signature(NamedTuple):
    """What stands in front of a declared value: documentation comment, attribute, name, type."""

    documentation: list[str]
    attribute: str
    name: str
    type: str


class Module:
    """The Swift side of an output.

    ``enums`` are the enums within the enum by collection, when there are some; ``names`` are the tokens' own names;
    ``types`` and ``literals`` hold, by kind, the Swift type and how a literal is written; ``bundle`` is the expression
    of the bundle that has the asset catalog.
    """

    def __init__(self, sheet: Sheet, options: IosOptions) -> None:
        self.sheet = sheet
        self.options = options
        self.access = "" if options.access == "internal" else f"{options.access} "
        self.color_type = "SwiftUI.Color" if "Color" in sheet.names else "Color"  # else the member would be meant
        self.spelling = spelling_of(options)
        self.types = _TYPES | self.spelling.types()
        self.literals = swift.LITERALS | literals_of(self.spelling)
        self.bundle = options.bundle or f".{self.member('Bundle')}"
        self.enums = enums_of(sheet, options.name) if options.nested else {}
        self.names = [swift_name(name) for name in sheet.names]
        sheet.spelled = (
            [
                f"{self.enums[token.key[:2]]}.{name}" if token.key[:2] in self.enums else name
                for token, name in zip(sheet.tokens, self.names, strict=True)
            ]
            if self.enums
            else self.names
        )

    def member(self, suffix: str) -> str:
        """Return the name of a member that extends a type of the system: that of the enum, and the suffix."""
        name = self.options.name
        return f"{name[0].lower()}{name[1:]}{suffix}"

    def color(self, color: Color) -> str:
        """A colour told by its components, as SwiftUI's Color."""
        return swift.color_expression(color, self.options.color_space, self.color_type)

    def constant(self, place: int) -> str:
        """How code outside of the enum refers to a token's constant."""
        return f"{self.options.name}.{self.sheet.spelled[place]}"

    def signature(self, place: int, name: str = "") -> Signature:
        """How the token is declared, under another name when one is given."""
        token = self.sheet.tokens[place]
        comment = [f"/// {line}".rstrip() for line in swift.documentation(token.description)]
        attribute = swift.availability(token.deprecated)
        return Signature(comment, attribute, name or self.names[place], self.types[self.sheet.kinds[place] or ""])

    def file(self, name: str, template: str, **context: object) -> OutputFile:
        """A Swift file made from a template of ``ios/``."""
        content = rendered_bytes(
            f"ios/{template}",
            self.sheet.request.templates,
            access=self.access,
            imports=self.options.imports,
            tokens=self.options.name,
            **context,
        )
        return OutputFile(f"{name}.swift", content)
