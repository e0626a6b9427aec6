"""Which elements show a theme: an attribute each, unless the options name another selector."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.targets.css import literals as css

if TYPE_CHECKING:
    from tokensync.generate.axes import Axis, Context
    from tokensync.targets.css.options import CssOptions

_JOINABLE = re.compile(r"(?:[.#]-?[A-Za-z_][\w-]*|\[[^\[\]\"']*(?:\"[^\"\\]*\"|'[^'\\]*')?[^\[\]\"']*\])+")
"""Classes, ids and attributes: what another simple selector may precede without a blank."""


class Selectors:
    """The selectors of an output's contexts."""

    def __init__(self, options: CssOptions) -> None:
        self.root = options.root
        self._attribute = options.attribute
        self._told = {name: theme.selector for name, theme in options.themes.items() if theme.selector}

    def of(self, axis: Axis, context: Context) -> str:
        """One context's: a theme's own selector, else its axis's attribute with the context's name."""
        told = None if context.appearances else self._told.get(context.theme.name)
        if told:
            return told
        attribute = self._attribute.replace("{axis}", css.identifier(axis.name))
        return f"[{attribute}={css.string(context.name)}]"

    def any_of(self, axis: Axis) -> str:
        """Any context: the axis's attribute, whatever it holds, unless themes have selectors of their own."""
        several = [self.of(axis, context) for context in axis.contexts]
        attribute = self._attribute.replace("{axis}", css.identifier(axis.name))
        if all(each.startswith(f"[{attribute}=") for each in several):
            return f"[{attribute}]"
        return f":is({', '.join(several)})"

    def together(self, one: str, other: str) -> str:
        """Elements that show two themes: of one element, or each within the other."""
        one, other = _simple(one), _simple(other)
        return f"{one}{other},\n{one} {other},\n{other} {one}"


def _simple(selector: str) -> str:
    """A selector that others can be joined to."""
    is_whole = selector.startswith(":is(") or (selector.startswith("[") and selector.count("[") == 1)
    return selector if is_whole or _JOINABLE.fullmatch(selector) else f":is({selector})"
