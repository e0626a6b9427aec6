"""Colours as Swift: loaded from the catalog, or told by their components and what they are in other appearances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.appearance import Appearance
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.looks import PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.targets.ios.catalog import Entries
    from tokensync.targets.ios.module import Module

PARAMETERS = {
    Appearance("light", ""): "light",
    Appearance("dark", ""): "dark",
    Appearance("", "more"): "contrast",
    Appearance("light", "more"): "lightContrast",
    Appearance("dark", "more"): "darkContrast",
}
"""What functions that choose by the appearance call its values, in the order in which they have them."""


def loaded(module: Module, asset: str) -> str:
    """A SwiftUI Color from the catalog. A member that is called Color would be taken for the type."""
    type_ = "Color" if module.color_type == "Color" else ".init"
    return f"{type_}({swift.string(asset)}, bundle: {module.bundle})"


def told(module: Module, entries: Entries) -> str:
    """A SwiftUI Color told by its components."""
    texts = {each: module.color(color) for _, each, color in entries}
    return adaptive(texts.pop(PLAIN), texts, f"{module.options.name}Support.adaptive")


def told_to_uikit(module: Module, entries: Entries) -> str:
    """A UIColor told by its components."""
    space = module.options.color_space
    texts = {each: swift.uicolor_expression(color, space) for _, each, color in entries}
    return adaptive(texts.pop(PLAIN), texts, f"{module.options.name}Support.dynamic")


def adaptive(plain: str, others: Mapping[Appearance, str], function: str) -> str:
    """The plain value, or a call of the function that chooses by the system's appearance."""
    if not others:
        return plain
    arguments = [plain, *(f"{PARAMETERS[each]}: {others[each]}" for each in PARAMETERS if each in others)]
    return f"{function}({', '.join(arguments)})"
