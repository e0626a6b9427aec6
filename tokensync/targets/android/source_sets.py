"""Brands as folders of resources: Gradle puts a flavour's source set over the main one, folder by folder.

``<brand>/res/values...`` holds what differs from ``main/res``, for each brand of each axis. Where two axes are chosen
at once and a value depends on both, the source set of the two flavours together has it: the axes' own order is that of
the flavour dimensions, the first of which counts most.
"""

from __future__ import annotations

from itertools import combinations as each_two
from typing import TYPE_CHECKING

from tokensync.targets.android.brands import both_sets, source_sets
from tokensync.targets.android.folders import Bearing, Cells, Layers, bearings, fill
from tokensync.targets.android.qualifiers import ANY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.android.folders import Folders
    from tokensync.targets.android.showings import Showings


def source_sets_of(sheet: Sheet, showings: Showings, plain: Folders) -> Iterator[tuple[str, Folders]]:
    """(name, resources) of each source set beside the main one that has something in it."""
    names = source_sets(showings.axes)
    made: dict[tuple[int, str], Folders] = {}
    for at, axis in enumerate(showings.axes):
        for brand in axis.brands:
            made[at, brand] = _filled(sheet, showings, {at: brand}, (plain,))
            yield names[axis.name, brand], made[at, brand]
    for (first, one_axis), (second, other_axis) in each_two(enumerate(showings.axes), 2):
        for one in one_axis.brands:
            for other in other_axis.brands:
                under = (plain, made[second, other], made[first, one])
                both = _filled(sheet, showings, {first: one, second: other}, under)
                if any(both.values()):
                    yield both_sets(names[one_axis.name, one], names[other_axis.name, other]), both


def _filled(sheet: Sheet, showings: Showings, brands: Mapping[int, str], under: Sequence[Folders]) -> Folders:
    """What has to stand over other resources where these brands are chosen."""
    shown = showings.shown(brands)
    concerned = set.intersection(*(sheet.resolution.depending(showings.bearing(at)) for at in brands))
    folders: Folders = {}
    own = [Bearing(each.asked, concerned.intersection(each.places)) for each in bearings(sheet, shown)]
    cells = Cells(sheet, [*own, Bearing((ANY,), concerned)])
    fill(sheet, shown, cells, Layers(*under, folders), under[0][ANY])
    return folders
