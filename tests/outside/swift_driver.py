"""A Swift program that prints every value of an ios output in each appearance and theme, and what it printed.

What the output does not declare under a name and type does not compile. Values are those of outside/swift_values.py.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from outside.swift_module import SwiftModule
from outside.swift_values import Catalog, Look, in_srgb

PART = 400
"""Values of one array: the compiler takes longer for long ones."""
WITHOUT_A_PART = frozenset({"isItalic", "textCase", "isUnderlined", "isStruckThrough", "relativeTo"})
"""Properties of a text style that no part of a typography token gives."""
HEAD = r"""import SwiftUI
import UIKit

nonisolated let weights: [Font.Weight] = [
    .ultraLight, .thin, .light, .regular, .medium, .semibold, .bold, .heavy, .black,
]

func written(_ value: Any, _ look: UITraitCollection) -> String {
    switch value {
    case let color as Color: return #"["color",\#(UIColor(color).resolvedColor(with: look))]"#
    case let color as UIColor: return #"["color",\#(color.resolvedColor(with: look))]"#
    case let number as CGFloat: return #"["number",\#(number)]"#
    case let number as Double: return #"["number",\#(number)]"#
    case let text as String: return #"["string","\#(Data(text.utf8).base64EncodedString())"]"#
    case let flag as Bool: return #"["bool",\#(flag)]"#
    case let weight as Font.Weight: return #"["weight",\#(weights.firstIndex(of: weight)! * 100 + 100)]"#
    default: break
    }
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.map { (label: $0.label ?? "", text: written($0.value, look)) }
    switch mirror.displayStyle {
    case .optional: return parts.first?.text ?? "null"
    case .collection: return #"["list",[\#(parts.map(\.text).joined(separator: ","))]]"#
    case .enum: return parts.first?.text ?? #"["case","\#(value)"]"#
    default: return #"["made",[\#(parts.map { #"["\#($0.label)",\#($0.text)]"# }.joined(separator: ","))]]"#
    }
}

func show(_ look: UITraitCollection, _ value: Any) {
    print(written(value, look))
}

func styled<Style: ShapeStyle>(_ style: Style) -> Style { style }
"""
MAIN = """
for (dark, contrast) in looks {
    let look = UITraitCollection(dark ? .dark : .light, contrast ? .high : .normal)
    constants(look)
    for theme in themes {
        var environment = EnvironmentValues()
        environment.colorScheme = dark ? .dark : .light
        environment._colorSchemeContrast = contrast ? .increased : .standard
        environment.tokensTheme = theme
        members(look, environment.tokensTheme)
    }
}
"""


class Block(NamedTuple):
    """Values of one Swift type: the names of what is in ``where``, and the expressions for them."""

    where: str
    type: str
    names: Sequence[str]
    expressions: Sequence[str]

    def __str__(self) -> str:
        return "".join(f"    show(look, {expression} as {self.type})\n" for expression in self.expressions)


class Program:
    """The Swift that asks an output for its values; a theme is the chosen structs by property."""

    def __init__(self, module: SwiftModule, looks: Sequence[Look], themes: Sequence[Mapping[str, str]]) -> None:
        self.looks = looks
        self.themes = themes
        self.choices = list(module.choices)
        types = {name: declared.type for name, declared in module.constants.items()}
        self.constants = [*blocks("constant", "Tokens.{}", types)]
        for type_, members in module.extended.items():
            form = "styled(.{})" if type_ == "ShapeStyle" else f"{type_}.{{}}"
            self.constants += blocks(type_, form, {name: declared.type for name, declared in members.items()})
        types = {name: declared.type for name, declared in module.members.items()}
        self.members = [*blocks("member", "theme.{}", types)]

    def source(self) -> str:
        """The program, for a file main.swift."""
        themes = "".join(f"    {self._theme(theme)},\n" for theme in self.themes)
        looks = ", ".join(f"({look.dark}, {look.contrast})".lower() for look in self.looks)
        constants = functions("constants", self.constants, "")
        members = functions("members", self.members, "_ theme: TokensTheme")
        return f"{HEAD}{constants}{members}\nlet looks = [{looks}]\nlet themes = [\n{themes}]\n{MAIN}"

    def _theme(self, theme: Mapping[str, str]) -> str:
        arguments = (f"{choice}: {theme[choice]}()" for choice in self.choices if choice in theme)
        return f"TokensTheme({', '.join(arguments)})"

    def printed(self, text: str, catalog: Catalog) -> dict[Look, Printed]:
        """What the program printed, by appearance."""
        lines = iter(text.split("\n"))
        looks = {}
        for look in self.looks:
            values = Values(catalog, look)
            shown = read(self.constants, lines)
            members = {frozenset(theme.items()): read(self.members, lines) for theme in self.themes}
            looks[look] = Printed(values, shown, members, members[frozenset()])
        assert [*lines] == [""]
        return looks


def blocks(where: str, form: str, types: Mapping[str, str]) -> Iterator[Block]:
    """The names in blocks of one type each."""
    for type_ in sorted(set(types.values())):
        names = [name for name, declared in types.items() if declared == type_]
        for start in range(0, len(names), PART):
            part = names[start : start + PART]
            yield Block(where, type_, part, [form.format(ticked(name)) for name in part])


def ticked(name: str) -> str:
    """A name that may be a keyword, or be nested in an enum."""
    return ".".join(f"`{word}`" for word in name.split("."))


def functions(name: str, all_blocks: Sequence[Block], parameter: str) -> str:
    """A function that prints all blocks, each of which has a function of its own."""
    parameters = f"_ look: UITraitCollection{parameter and ', '}{parameter}"
    passed = "look, theme" if parameter else "look"
    parts = [f"\nfunc {name}{at}({parameters}) {{\n{block}}}\n" for at, block in enumerate(all_blocks)]
    calls = "".join(f"    {name}{at}({passed})\n" for at in range(len(parts)))
    return f"{''.join(parts)}\nfunc {name}({parameters}) {{\n{calls}}}\n"


def read(all_blocks: Sequence[Block], lines: Iterator[str]) -> dict[tuple[str, str], str]:
    """The printed lines, by where a name is and the name."""
    return {(block.where, name): next(lines) for block in all_blocks for name in block.names}


class Values:
    """The values that lines of the program stand for, in an appearance."""

    def __init__(self, catalog: Catalog, look: Look) -> None:
        self.catalog = catalog
        self.look = look
        self._known: dict[str, tuple | None] = {}

    def __getitem__(self, line: str) -> tuple | None:
        if line not in self._known:
            self._known[line] = self._value(json.loads(line, parse_float=Decimal, parse_int=Decimal))
        return self._known[line]

    def _value(self, shown: list | None) -> tuple | None:
        match shown:
            case None:
                return None
            case "color", [str(asset), alpha] if asset != "display-p3":
                *color, own = self.catalog.color(asset, self.look)
                return (*color, own * float(alpha))
            case "color", ["display-p3", *channels]:
                return in_srgb("display-p3", *map(float, channels))
            case "color", channels:
                return in_srgb("srgb", *map(float, channels))
            case "number", number:
                return ("number", number, "")
            case "weight", number:
                return ("weight", int(number))
            case "string", text:
                return ("string", base64.b64decode(text).decode())
            case "list", parts:
                return ("list", tuple(self._value(part) for part in parts))
            case "made", parts:
                own = [(label.removeprefix(".0"), part) for label, part in parts if label not in WITHOUT_A_PART]
                return ("made", tuple((label, self._value(part)) for label, part in own))
        return tuple(shown)


class Printed(NamedTuple):
    """What was printed in an appearance: for a name of the output its value, as ``swift_values.Seen`` has it."""

    values: Values
    shown: Mapping[tuple[str, str], str]
    themes: Mapping[frozenset, Mapping[tuple[str, str], str]]
    members: Mapping[tuple[str, str], str]
    """Those of the chosen theme."""

    def choosing(self, structs: Mapping[str, str]) -> Printed:
        return self._replace(members=self.themes[frozenset(structs.items())])

    def constant(self, name: str) -> tuple | None:
        return self.values[self.shown["constant", name]]

    def extended(self, type_: str, name: str) -> tuple | None:
        return self.values[self.shown[type_, name]]

    def member(self, name: str) -> tuple | None:
        return self.values[self.members["member", name]]
