"""iOS: an asset catalog of the colours with their appearances, and Swift: all tokens, extensions, and themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.composites import TYPES
from tokensync.generate.left_out import without_form
from tokensync.generate.request import options_of
from tokensync.generate.sheet import Sheet
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.catalog import Entries, colorsets, differing, entries_of, folder_contents
from tokensync.targets.ios.colors import loaded, told
from tokensync.targets.ios.composites import follows, literals_of, spelling_of, styles_file, with_references
from tokensync.targets.ios.constants import constants_file, values_by_default
from tokensync.targets.ios.extensions import support_file, swiftui_file, uikit_file
from tokensync.targets.ios.folders import folders_of
from tokensync.targets.ios.looks import looks_of
from tokensync.targets.ios.module import Module
from tokensync.targets.ios.naming import NAMING
from tokensync.targets.ios.options import IosOptions
from tokensync.targets.ios.themes import Themes, themes_of
from tokensync.targets.ios.weights import settle_weights
from tokensync.tokens import Color, Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.targets.ios.looks import Looks

_KINDS = {
    "color": "color",
    "length": "number",
    "text-length": "number",
    "number": "number",
    "percentage": "percentage",
    "weight": "weight",
    "string": "string",
    "family": "string",
    "boolean": "boolean",
    "duration": "duration",
    **{each: each for each in TYPES},
}
_REFERENCES = dict.fromkeys(("number", "percentage", "weight", "string", "boolean", "duration", *TYPES), ("", ""))

_REMEDY = 'add "themes" to the option "also", or build another output for them'


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """The catalog's files, then the Swift ones."""
    options = options_of(request, IosOptions)
    sheet = Sheet(
        resolution,
        request,
        naming=NAMING,
        kinds=_KINDS,
        literals=swift.LITERALS | literals_of(spelling_of(options)),
        references=_REFERENCES,
        unrepresentable=swift.UNREPRESENTABLE,
    )
    settle_weights(sheet, named=options.weights == "named")
    looks = looks_of(sheet, options.themes)
    if options.colors == "swift":
        looks = looks._replace(idioms=())
    module = Module(sheet, options)
    values = values_by_default(sheet)
    with_references(module, values)
    different, others = differing(sheet, looks)
    differs = {*different, *others}
    others = [each for each in others if not follows(sheet, each, values, differs)]
    colors = {
        place: entries_of(color, different.get(place, {}), looks)
        for place in values
        if isinstance(color := sheet.literal(resolution.default, place), Color)
    }
    files = list(_colors_and_constants(module, values, colors))
    themes = themes_of(module, looks, values, _KINDS) if "themes" in options.also else Themes()
    files += themes.files
    if options.colors == "swift" or themes.files:
        files.append(support_file(module, conversions=themes.conversions))
    if "themes" not in options.also:
        _report_others(sheet, looks, others)
    return files, sheet.problems


def _colors_and_constants(
    module: Module, values: dict[int, str], colors: Mapping[int, Entries]
) -> Iterable[OutputFile]:
    """The catalog, the enum, and its extensions."""
    options = module.options
    folders = folders_of(module.sheet, options, colors)
    if options.colors == "catalog":
        yield from folder_contents(module.sheet, folders.folders, namespace=options.namespace)
        yield from colorsets(module.sheet, folders.paths, colors, options.color_space)
        values.update((place, loaded(module, folders.assets[place])) for place in colors)
    else:
        values.update((place, told(module, entries)) for place, entries in colors.items())
    yield constants_file(module, values, has_catalog=options.colors == "catalog" and bool(colors))
    yield from styles_file(module, values)
    if "swiftui" in options.also:
        yield swiftui_file(module, colors)
    if "uikit" in options.also:
        yield uikit_file(module, colors, folders.assets)


def _report_others(sheet: Sheet, looks: Looks, others: Iterable[int]) -> None:
    """Say which modes of declared families are neither the default nor shown by the system, or are but for colours."""
    shown = looks.shown()
    unseen = set(others)
    for key, family in sheet.graph.collections.items():
        modes = [mode for mode in range(len(family.modes)) if (key, mode) in shown]
        if modes and unseen & sheet.resolution.varying(Theme("", ((key, mode),)) for mode in modes):
            sheet.problems.append(without_form(family, modes, "ios", ", but for colours", _REMEDY))
    declared = {sheet.tokens[place].key[:2] for place in sheet.declared}
    for key, family in sheet.graph.collections.items():
        if key in declared and len(family.modes) > 1:
            usual = family.default_mode
            left = [mode for mode in range(len(family.modes)) if mode != usual and (key, mode) not in shown]
            if left:
                sheet.problems.append(without_form(family, left, "ios", remedy=_REMEDY))
