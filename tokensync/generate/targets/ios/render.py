"""The files of an ios output: an asset catalog of colours, and Swift with all tokens, extensions and themes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import TYPES
from tokensync.generate.output import Output, modes_unsupported
from tokensync.generate.target import options_of
from tokensync.generate.targets.ios import NAMING, IosOptions
from tokensync.generate.targets.ios import literals as swift
from tokensync.generate.targets.ios.catalog import (
    Access,
    ColorMember,
    Entry,
    EnumName,
    Imports,
    Section,
    catalog_files,
    color_sets,
    differences_of,
    folders_of,
    variants_of,
)
from tokensync.generate.targets.ios.module import (
    Module,
    constants_file,
    default_values,
    follows_colors,
    refer_to_parts,
    styles_file,
    support_file,
    swiftui_file,
    uikit_file,
)
from tokensync.generate.targets.ios.themes import ChoiceFile, ThemeFile, theme_files
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.output import Resolution
    from tokensync.generate.target import OutputFile, OutputRequest
    from tokensync.generate.targets.ios.catalog import ColorSet, Variants
    from tokensync.system.problems import Problem
    from tokensync.tokens.resolver import TokenIndex


class Constants(Struct, frozen=True):
    """The Swift file's constants."""

    access: Access
    imports: Imports
    tokens: EnumName
    bundle: Annotated[str, doc("the member of Bundle to declare for the asset catalog, or empty", "tokensBundle")]
    sections: Annotated[list[Section], doc("the collections, in order")]


class Extension(Struct, frozen=True):
    """The colours as members of system types."""

    access: Access
    imports: Imports
    tokens: EnumName
    rows: Annotated[list[ColorMember], doc("the colours, in collection order")]


class UIKitExtension(Extension, frozen=True):
    """The colours as members of UIColor."""

    bundle: Annotated[str, doc("the bundle of the asset catalog, or empty without a catalog", ".tokensBundle")]


class Support(Struct, frozen=True):
    """The support file, which other files use."""

    access: Access
    imports: Imports
    tokens: EnumName
    conversions: Annotated[bool, doc("whether themes need conversions, such as from numbers to weights", False)]


class Styles(Struct, frozen=True):
    """The types of composite tokens."""

    access: Access
    imports: Imports
    tokens: EnumName
    prefix: Annotated[str, doc("the prefix of type names", "Token")]


class ColorSets(Struct, frozen=True):
    """A batch of documents."""

    rows: Annotated[list[list[Entry]], doc("the colours of each document, with the universal one first")]
    end: Annotated[str, doc("the line that ends each document", "\x1e")]


class Folder(Struct, frozen=True):
    """The catalog itself, or a folder in it."""

    namespace: Annotated[bool, doc("whether the folder is part of the names of its colours", True)]


TEMPLATES = (
    names_template("ios", "iOS"),
    Template("ios/Tokens.swift.j2", "ios", "`Tokens.swift`: an enum with a constant for each token.", Constants),
    Template("ios/Color.swift.j2", "ios", "`Color+Tokens.swift`: extensions of Color and ShapeStyle.", Extension),
    Template("ios/UIColor.swift.j2", "ios", "`UIColor+Tokens.swift`: an extension of UIColor.", UIKitExtension),
    Template("ios/Support.swift.j2", "ios", "`TokensSupport.swift`: code that the other files use.", Support),
    Template(
        "ios/Styles.swift.j2",
        "ios",
        "`TokensStyles.swift`: types of shadows, text styles and other composites.",
        Styles,
    ),
    Template(
        "ios/Theme.swift.j2", "ios", "`TokensTheme.swift`: the choices, and the members that depend on them.", ThemeFile
    ),
    Template(
        "ios/Choice.swift.j2", "ios", "One file per axis: a protocol, and the structs to choose from.", ChoiceFile
    ),
    Template("ios/catalog.json.j2", "ios", "`Contents.json` of the asset catalog and of folders in it.", Folder),
    Template(
        "ios/colorset.json.j2",
        "ios",
        "`Contents.json` of the colour sets: one document, followed by the line `{{ end }}`, for each row.",
        ColorSets,
    ),
)


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

_REMEDY = 'add "themes" to the option "also", or build another output,'


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return the files of the catalog, then the Swift files, and their problems."""
    options = options_of(request, IosOptions)
    notation = swift.Notation(options.color_space, options.name.removesuffix("s"))
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=_KINDS if options.weights == "named" else {**_KINDS, "weight": "number"},
        literals=notation.literals(),
        references=_REFERENCES,
        unrepresentable=swift.UNREPRESENTABLE,
    )
    output.widen("weight", "number", swift.WEIGHTS.__contains__)
    return output.complete(lambda: _files(output, options, notation)), output.problems


def _files(output: Output, options: IosOptions, notation: swift.Notation) -> list[OutputFile]:
    variants = variants_of(output, options.themes)
    if options.colors == "swift":
        variants = variants._replace(idioms=())
    module = Module(output, options, notation)
    values = default_values(output)
    refer_to_parts(module, values)
    differences = differences_of(output, variants)
    others = {each for each in differences.others if not follows_colors(output, each, values, differences.tokens)}
    files = list(_colors_and_constants(module, values, color_sets(output, variants, differences, values)))
    if "themes" in options.also:
        theme_outputs = list(theme_files(module, variants, values, _KINDS))
        files += theme_outputs
    else:
        theme_outputs = []
        _report_omitted_modes(output, variants, others)
    if options.colors == "swift" and not theme_outputs:
        files.append(support_file(module))
    return files


def _colors_and_constants(
    module: Module, values: dict[TokenIndex, str], colors: Mapping[TokenIndex, ColorSet]
) -> Iterator[OutputFile]:
    """Yield the catalog, the enum and its extensions; set the values of colours."""
    options = module.options
    in_catalog = options.colors == "catalog"
    folders = folders_of(module.output, options, colors)
    if in_catalog:
        yield from catalog_files(module.output, options, folders, colors)
        values.update((index, module.catalog_color(folders.assets[index])) for index in colors)
    else:
        values.update((index, module.adaptive_color(color_set)) for index, color_set in colors.items())
    yield constants_file(module, values, has_catalog=in_catalog and bool(colors))
    if styles := styles_file(module, values):
        yield styles
    if "swiftui" in options.also:
        yield swiftui_file(module, colors)
    if "uikit" in options.also:
        yield uikit_file(module, colors, folders.assets)


def _report_omitted_modes(output: Output, variants: Variants, others: set[TokenIndex]) -> None:
    """Report modes of declared families that the system does not choose, or chooses for colours only."""
    system_modes = variants.modes()
    if others:
        for key, family in output.graph.collections.items():
            modes = [mode for mode in range(len(family.modes)) if (key, mode) in system_modes]
            if modes and others & output.resolution.varying(Theme("", ((key, mode),)) for mode in modes):
                output.problems.append(
                    modes_unsupported(output.graph, key, modes, "ios", " except for colours", _REMEDY)
                )
    requested = {pair for theme in output.themes for pair in theme.modes} - system_modes
    output.report_modes(requested.__contains__, _REMEDY)
