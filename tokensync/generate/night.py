"""The one theme beside the default that Android (night) and iOS (dark) show by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.appearance import Appearance, appearance_themes
from tokensync.generate.left_out import without_form
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from tokensync.generate.sheet import Sheet


def night_of(sheet: Sheet) -> Theme:
    """The dark counterparts of the local families, all at once; what is ambiguous about them is reported."""
    return dict(appearance_themes(sheet)).get(Appearance("dark", ""), Theme("night"))


def report_other_modes(sheet: Sheet, night: Theme, platform: str) -> None:
    """Say which modes of declared families are neither the default nor the night's."""
    shown = dict(night.modes)
    declared = {sheet.tokens[place].key[:2] for place in sheet.declared}
    for key, family in sheet.graph.collections.items():
        if key in declared and len(family.modes) > 1:
            others = [index for index in range(len(family.modes)) if index not in (family.default_mode, shown.get(key))]
            if others:
                sheet.problems.append(without_form(family, others, platform))
