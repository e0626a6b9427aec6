"""Android resources: ``values/`` with the defaults, and the folders of other configurations with what differs there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.config.options.android import AndroidOptions
from tokensync.config.qualifiers import ANY
from tokensync.generate.android.folders import folders_of
from tokensync.generate.android.kinds import android_sheet
from tokensync.generate.android.resources import files_of
from tokensync.generate.android.showings import showings_of, shown_modes
from tokensync.generate.left_out import without_form
from tokensync.generate.request import options_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.android.showings import AxisShowing
    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem


def generate(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """The files of each resource folder that has something in it."""
    options = options_of(request, AndroidOptions)
    sheet = android_sheet(resolution, request, options)
    showings = showings_of(sheet, options.themes)
    folders = folders_of(sheet, [each.plain for each in showings])
    files: list[OutputFile] = []
    for qualifiers, texts in folders.items():
        files += files_of(sheet, options, qualifiers.folder, texts, commented=qualifiers == ANY)
    _report_unshown(sheet, showings, options)
    return files, sheet.problems


def _report_unshown(sheet: Sheet, showings: tuple[AxisShowing, ...], options: AndroidOptions) -> None:
    """Say which modes of declared families no resource shows."""
    shown = set(shown_modes(showings, with_brands=options.brands != "none"))
    declared = {sheet.tokens[place].key[:2] for place in sheet.declared}
    for key, family in sheet.graph.collections.items():
        if key in declared and len(family.modes) > 1:
            others = [
                index
                for index in range(len(family.modes))
                if index != family.default_mode and (key, index) not in shown
            ]
            if others:
                sheet.problems.append(without_form(family, others, "android"))
