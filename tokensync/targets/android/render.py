"""Android resources: ``values/`` with the defaults, and the folders of other configurations with what differs there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.left_out import without_default, without_form
from tokensync.generate.request import options_of
from tokensync.targets.android.folders import folders_of
from tokensync.targets.android.options import AndroidOptions
from tokensync.targets.android.qualifiers import ANY
from tokensync.targets.android.resources import TEXT_STYLE, files_of
from tokensync.targets.android.sheet import AndroidSheet
from tokensync.targets.android.showings import showings_of, shown_themes
from tokensync.targets.android.source_sets import source_sets_of
from tokensync.targets.android.style_files import files_of_styles
from tokensync.targets.android.styles import Styles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem
    from tokensync.targets.android.folders import Folders
    from tokensync.targets.android.showings import Showings
    from tokensync.tokens import Theme


_REMEDY = 'give their themes a qualifier in the options, or set "brands"'
_SOURCE_SETS = 'set "brands" to "source-sets"'


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """The files of each resource folder that has something in it; with source sets, below ``<source set>/res``."""
    options = options_of(request, AndroidOptions)
    sheet = AndroidSheet(resolution, request, options)
    showings = showings_of(sheet, options.themes)
    plain = folders_of(sheet, showings.shown({}))
    files: list[OutputFile] = []
    if options.brands == "source-sets":
        files += _files(sheet, options, plain, "main/res/")
        for name, folders in source_sets_of(sheet, showings, plain):
            files += _files(sheet, options, folders, f"{name}/res/", commented=False)
    else:
        files += _files(sheet, options, plain, "")
    if options.brands == "styles":
        _report_text_styles(sheet, showings)
        files += files_of_styles(sheet, Styles(sheet, showings, plain, options.styles), options)
    themes = shown_themes(showings, with_brands=options.brands != "none")
    _report_without_default(sheet, plain[ANY], themes)
    _report_unshown(sheet, themes)
    return files, sheet.problems


def _files(
    sheet: Sheet, options: AndroidOptions, folders: Folders, where: str, *, commented: bool = True
) -> Iterator[OutputFile]:
    """The files of some folders; what is said of a token stands with its default alone."""
    for qualifiers, texts in folders.items():
        of_default = commented and qualifiers == ANY
        yield from files_of(sheet, options, f"{where}{qualifiers.folder}", texts, commented=of_default)


def _report_without_default(sheet: Sheet, default: Collection[int], themes: Iterable[Theme]) -> None:
    """Report the tokens that have no resource because only these themes, and not the default one, have a value."""
    absent = [place for place in sheet.declared if place not in default]
    if not absent:
        return
    varying = sheet.resolution.varying(themes)
    written: set[int] = set()
    for theme in themes:
        rows = sheet.rows(absent, sheet.resolution.in_theme(theme, varying), theme)
        written.update(place for place, _, _ in rows)
    for place in absent:
        if place in written:
            reason = sheet.literal(sheet.resolution.default, place)
            sheet.problems.append(without_default(sheet.graph, sheet.tokens[place].key, reason, "android"))


def _report_unshown(sheet: Sheet, themes: Iterable[Theme]) -> None:
    """Report the modes of declared families that no resource shows."""
    shown = {pair for theme in themes for pair in theme.modes}
    declared = {sheet.tokens[place].key[:2] for place in sheet.declared}
    for key, family in sheet.graph.collections.items():
        if key in declared and len(family.modes) > 1:
            modes = range(len(family.modes))
            others = [each for each in modes if each != family.default_mode and (key, each) not in shown]
            if others:
                sheet.problems.append(without_form(family, others, "android", remedy=_REMEDY))


def _report_text_styles(sheet: Sheet, showings: Showings) -> None:
    """Say which brands text styles do not follow: a style is no attribute."""
    for at, axis in enumerate(showings.axes):
        styles = [place for place in sheet.declared if sheet.kinds[place] == TEXT_STYLE]
        if styles and not sheet.resolution.depending(showings.bearing(at)).isdisjoint(styles):
            modes = dict.fromkeys(pair for theme in axis.themes() for pair in theme.modes)
            for key in dict.fromkeys(family for family, _ in modes):
                several = [mode for family, mode in modes if family == key]
                family = sheet.graph.collections[key]
                sheet.problems.append(without_form(family, several, "android", " in text styles", remedy=_SOURCE_SETS))
