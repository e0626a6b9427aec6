"""Kotlin for Jetpack Compose: a class per collection and mode, and an object that provides all tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from tokensync.generate import OutputFile, options_of
from tokensync.generate.output import Output, unknown_theme
from tokensync.generate.themes import appearance_themes
from tokensync.naming import rendered_bytes, words
from tokensync.naming.rules import pascal
from tokensync.targets.compose import NAMING, ComposeOptions, kotlin_name, rows
from tokensync.targets.compose import literals as kotlin
from tokensync.targets.compose.classes import Classes
from tokensync.targets.compose.expressions import Expressions
from tokensync.targets.compose.families import APPEARANCES, CHOSEN, TypeNames, families_of, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.generate import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.targets.compose.families import Family
    from tokensync.tokens import FamilyKey, Resolved

    Modes = Mapping[FamilyKey, int]

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


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return a file per collection, and the file of the object that provides the tokens."""
    options = options_of(request, ComposeOptions)
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=kotlin.KINDS,
        literals=kotlin.LITERALS,
        references=dict.fromkeys(kotlin.TYPES, ("", "")),
        unrepresentable=kotlin.UNREPRESENTABLE,
    )
    _convert_weights(output)
    types = TypeNames(output.names)
    families = families_of(output, options, types)
    expressions = Expressions(output, families, _free_name("tokens", output.names))
    classes = Classes(output, expressions, types, options)
    package = ".".join(map(kotlin_name, options.package.split(".")))

    def written(name: str, template: str, context: rows.Collection | rows.Entry | rows.Types) -> OutputFile:
        content = rendered_bytes(f"compose/{template}.kt.j2", request.templates, **asdict(context))
        return OutputFile(f"{name}.kt", content)

    files = []
    for family in families:
        of_family, imports = classes.of(family) if family.indices else ([], [])
        collection = rows.Collection(
            package=package,
            imports=imports,
            visibility=options.visibility,
            enumeration=family.enumeration,
            documentation=f"The modes of the collection {kotlin.comment(family.collection.name)}.",
            entries=[each.entry for each in family.choices],
            classes=of_family,
        )
        files.append(written(family.type, "Collection", collection))
    if any(output.kinds[index] in kotlin.DECLARED for index in output.declared):
        files.append(written(f"{options.name}Types", "Types", rows.Types(package, options.visibility)))
    files.append(written(options.name, "Tokens", _entry(output, families, options, package)))
    expressions.report_limits()
    return files, output.problems


def _convert_weights(output: Output) -> None:
    """Change font weights that cannot be a FontWeight in some combination of modes to numbers."""
    weights = [index for index in output.declared if output.kinds[index] == "weight"]
    if weights:
        for index in output.resolution.may_misfit(_may_be_weight).intersection(weights):
            output.kinds[index] = "number"


def _may_be_weight(value: Resolved | None) -> bool:
    """Return whether the value can be a FontWeight; values that are not numbers are reported elsewhere."""
    return kotlin.is_font_weight(value) if isinstance(value, float) else True


def _free_name(name: str, used: Iterable[str]) -> str:
    names = set(used)
    while name in names:
        name += "_"
    return name


def _entry(output: Output, families: Sequence[Family], options: ComposeOptions, package: str) -> rows.Entry:
    choosable = [each for each in families if each.choices]
    dark, light = _system(output, options) if choosable else ({}, {})
    arguments_dark, arguments_light = _arguments(choosable, dark), _arguments(choosable, light)
    following = _following(output, choosable, options, dark, light)
    imports = [
        *(_COMPOSED if choosable else ()),
        *((_SYSTEM,) if arguments_dark or arguments_light or following else ()),
    ]
    return rows.Entry(
        package=package,
        imports=sorted(imports),
        visibility=options.visibility,
        object=options.name,
        chosen=CHOSEN,
        choices=[
            rows.Choice(kotlin_name(each.accessor), each.enumeration, each.choices[0].entry) for each in choosable
        ],
        themes=_constants(output, choosable),
        dark=arguments_dark,
        light=arguments_light,
        following=following,
        collections=[
            rows.Accessor(
                kotlin_name(each.accessor),
                each.type,
                each.is_constant,
                [rows.Mode(each.entry(choice.mode), choice.type or each.type) for choice in each.choices],
            )
            for each in families
            if each.indices
        ],
    )


def _arguments(choosable: Iterable[Family], modes: Modes) -> str:
    """Return the modes that are not the default ones, as arguments of the theme's constructor."""
    arguments = []
    for family in choosable:
        mode = modes.get(family.key)
        if any(each.mode == mode for each in family.choices[1:]):
            arguments.append(f"{kotlin_name(family.accessor)} = {family.entry(modes[family.key])}")
    return ", ".join(arguments)


def _constants(output: Output, choosable: Sequence[Family]) -> list[rows.Theme]:
    if not output.request.themes or not choosable:
        return []
    names = TypeNames(())
    return [
        rows.Theme(
            names.claim(type_name(pascal(words(theme.name)) or "Theme")),
            f"The theme {kotlin.comment(theme.name)}.",
            _arguments(choosable, dict(theme.modes)),
        )
        for theme in output.themes
    ]


def _system(output: Output, options: ComposeOptions) -> tuple[Modes, Modes]:
    """Return the modes of a dark and of a light system, by name or as set by the options."""
    themes = {each.name: each for each in output.themes}
    configured = []
    for name, override in options.themes.items():
        if name not in themes:
            output.problems.append(unknown_theme(name, output.themes, output.request.platform))
        elif override.appearance:
            configured.append((themes[name], APPEARANCES.get(override.appearance)))
    by_appearance = dict(appearance_themes(output, configured))
    dark, light = (dict(by_appearance[each].modes) if each in by_appearance else {} for each in APPEARANCES.values())
    return dark, light


def _following(
    output: Output, choosable: Iterable[Family], options: ComposeOptions, dark: Modes, light: Modes
) -> list[rows.Following]:
    """Return the collections that follow the system, if brands (extended collections) do so too.

    Configured themes have no brands, and modes with an appearance in the options are excluded.
    """
    if output.request.themes:
        return []
    fixed = {theme.modes[0] for theme in output.themes if theme.name in options.themes}
    following = []
    has_brands = False
    for family in choosable:
        counterparts = []
        for scheme, system in (("dark", dark), ("light", light)):
            brands = {
                mode: other
                for mode, other in family.brands(scheme).items()
                if (family.key, mode) not in fixed and (family.key, other) not in fixed
            }
            has_brands = has_brands or bool(brands)
            default = family.collection.default_mode
            of_root = {default: system[family.key]} if system.get(family.key, default) != default else {}
            counterparts.append(
                [
                    rows.Counterpart(family.entry(mode), family.entry(other))
                    for mode, other in (of_root | brands).items()
                ]
            )
        if any(counterparts):
            entry = family.choices[0].entry
            following.append(rows.Following(kotlin_name(family.accessor), family.enumeration, entry, *counterparts))
    return following if has_brands else []
