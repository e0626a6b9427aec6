"""Themes to choose: a protocol an axis with a struct a context, and one value in the environment that holds them all.

A member is a function of the whole theme, so that what refers to another collection follows the choice made there:
every combination is right, and each mode is written once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.ios.themes.choices import choices_of
from tokensync.targets.ios.themes.circles import open_circles
from tokensync.targets.ios.themes.expressions import Expressions
from tokensync.targets.ios.themes.members import Members
from tokensync.targets.ios.themes.writing import Files, names_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.generate.request import OutputFile
    from tokensync.targets.ios.looks import Looks
    from tokensync.targets.ios.module import Module


class Themes(NamedTuple):
    """The files, and whether they need what makes weights of numbers and the like."""

    files: tuple[OutputFile, ...] = ()
    conversions: bool = False


def themes_of(module: Module, looks: Looks, values: Mapping[int, str], kinds: Mapping[str, str]) -> Themes:
    """``TokensTheme.swift``, then a file a choice; nothing when there is nothing to choose.

    ``values`` are the constants by place, ``kinds`` the Swift kinds of what values are.
    """
    choices = choices_of(module, looks)
    if not choices:
        return Themes()
    members = Members(module.sheet, choices, looks, kinds)
    open_circles(members)
    expressions = Expressions(module, members, values, names_of(module, members))
    files = Files(module, choices, expressions)
    return Themes((files.theme(), *files.of_choices()), expressions.supports)
