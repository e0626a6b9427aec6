"""The file through which tokens are read: the modes to choose from, the set of all tokens, and what provides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.generate.appearance import Appearance, appearance_themes
from tokensync.generate.left_out import unknown_theme
from tokensync.naming import words
from tokensync.naming.words import pascal
from tokensync.targets.compose import literals as kotlin
from tokensync.targets.compose.families import CHOSEN, Types, type_name
from tokensync.targets.compose.naming import kotlin_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.compose.families import Family
    from tokensync.targets.compose.options import ComposeOptions
    from tokensync.tokens import FamilyKey

_COMPOSED = (
    "androidx.compose.runtime.Composable",
    "androidx.compose.runtime.CompositionLocalProvider",
    "androidx.compose.runtime.Immutable",
    "androidx.compose.runtime.ProvidableCompositionLocal",
    "androidx.compose.runtime.ReadOnlyComposable",
    "androidx.compose.runtime.remember",
    "androidx.compose.runtime.staticCompositionLocalOf",
)
_SYSTEM = "androidx.compose.foundation.isSystemInDarkTheme"

_APPEARANCES = {"dark": Appearance("dark", ""), "light": Appearance("light", "")}

Modes = dict["FamilyKey", int]


def entry_context(sheet: Sheet, families: Sequence[Family], options: ComposeOptions) -> dict[str, Any]:
    """What the template of the file is given."""
    choosable = [each for each in families if each.choices]
    dark, light = _system(sheet, options) if choosable else ({}, {})
    arguments_dark, arguments_light = _arguments(choosable, dark), _arguments(choosable, light)
    imports = [*(_COMPOSED if choosable else ()), *((_SYSTEM,) if arguments_dark or arguments_light else ())]
    return {
        "package": package(options),
        "imports": sorted(imports),
        "visibility": options.visibility,
        "object": options.name,
        "chosen": CHOSEN,
        "choices": [(kotlin_name(each.accessor), each.enumeration, each.choices[0].entry) for each in choosable],
        "themes": _constants(sheet, choosable),
        "dark": arguments_dark,
        "light": arguments_light,
        "collections": [
            (
                kotlin_name(each.accessor),
                each.type,
                each.is_constant,
                [(f"{each.enumeration}.{choice.entry}", choice.type or each.type) for choice in each.choices],
            )
            for each in families
            if each.places
        ],
    }


def package(options: ComposeOptions) -> str:
    """The package as Kotlin source."""
    return ".".join(map(kotlin_name, options.package.split(".")))


def _arguments(choosable: Iterable[Family], modes: Modes) -> str:
    """The modes other than the default ones, as arguments of the theme's constructor."""
    given = []
    for family in choosable:
        entry = next((each.entry for each in family.choices[1:] if each.mode == modes.get(family.key)), "")
        if entry:
            given.append(f"{kotlin_name(family.accessor)} = {family.enumeration}.{entry}")
    return ", ".join(given)


def _constants(sheet: Sheet, choosable: Sequence[Family]) -> list[tuple[str, str, str]]:
    """The configured themes: (name, documentation, arguments)."""
    if not sheet.request.themes or not choosable:
        return []
    names = Types(())
    return [
        (
            names.claim(type_name(pascal(words(theme.name)) or "Theme")),
            f"The theme {kotlin.comment(theme.name)}.",
            _arguments(choosable, dict(theme.modes)),
        )
        for theme in sheet.themes
    ]


def _system(sheet: Sheet, options: ComposeOptions) -> tuple[Modes, Modes]:
    """The modes that a dark system asks for, and those of a light one: by name, or as the options say."""
    themes = {each.name: each for each in sheet.themes}
    told = []
    for name, override in options.themes.items():
        if name not in themes:
            sheet.problems.append(unknown_theme(name, sheet.themes, sheet.request.platform))
        elif override.appearance:
            told.append((themes[name], _APPEARANCES.get(override.appearance)))
    found = dict(appearance_themes(sheet, told))
    dark, light = (dict(found[each].modes) if each in found else {} for each in _APPEARANCES.values())
    return dark, light
