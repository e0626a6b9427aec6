"""Files beside the enum: extensions of SwiftUI's and UIKit's types by the colours, and what Swift files need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.naming import readable, token_label
from tokensync.problems import problem
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.colors import told_to_uikit
from tokensync.targets.ios.names import SWIFTUI_MEMBERS, UIKIT_MEMBERS, apart
from tokensync.targets.ios.naming import swift_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.request import OutputFile
    from tokensync.targets.ios.catalog import Entries
    from tokensync.targets.ios.module import Module

Extension = tuple[list[str], str, str, str]
"""(documentation comment, attribute, name, value) of a static member."""


def swiftui_file(module: Module, colors: Iterable[int]) -> OutputFile:
    """``Color+Tokens.swift``: the colours as members of Color and of ShapeStyle."""
    values = {place: module.constant(place) for place in colors}
    rows = list(_members(module, values, SWIFTUI_MEMBERS, "Color"))
    return module.file(f"Color+{module.options.name}", "Color.swift.j2", rows=rows)


def uikit_file(module: Module, colors: Mapping[int, Entries], assets: Mapping[int, str]) -> OutputFile:
    """``UIColor+Tokens.swift``: the colours as members of UIColor, loaded from the catalog when there is one."""
    in_catalog = module.options.colors == "catalog"
    values = {
        place: f"token({swift.string(assets[place])})" if in_catalog else told_to_uikit(module, entries)
        for place, entries in colors.items()
    }
    rows = list(_members(module, values, UIKIT_MEMBERS | {"token"}, "UIColor"))
    bundle = module.bundle if in_catalog and colors else ""
    return module.file(f"UIColor+{module.options.name}", "UIColor.swift.j2", rows=rows, bundle=bundle)


def support_file(module: Module, *, conversions: bool = False) -> OutputFile:
    """``TokensSupport.swift``: colours that follow the system's appearance, and what makes weights and families."""
    return module.file(f"{module.options.name}Support", "Support.swift.j2", conversions=conversions)


def _members(module: Module, values: Mapping[int, str], members: frozenset[str], type_: str) -> Iterator[Extension]:
    sheet = module.sheet
    taken = {sheet.names[place] for place in values}
    for place, value in values.items():
        wanted = sheet.names[place]
        name = apart(wanted, members, taken)
        if name != wanted:
            taken.add(name)
            what = f"{type_} has a member {readable(wanted)} already, so it is {readable(name)} there"
            what_to_do = "give it another code syntax or name, or write that"
            found = problem("identifier-collision", token_label(sheet.graph, sheet.tokens[place].key), what, what_to_do)
            sheet.problems.append(found)
        documentation, attribute, spelled, _ = module.signature(place, swift_name(name))
        yield documentation, attribute, spelled, value
