"""Android resources: ``values/`` with the defaults, ``values-night/`` with what differs in the dark counterparts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.literals import android
from tokensync.generate.night import night_of, report_other_modes
from tokensync.generate.request import OutputFile
from tokensync.generate.sheet import Sheet
from tokensync.naming import rendered_bytes
from tokensync.tokens import Theme, Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.tokens import Resolved

_KINDS = {
    "color": "color",
    "length": "dp",
    "text-length": "sp",
    "number": "number",
    "percentage": "percentage",
    "weight": "integer",
    "string": "string",
    "family": "string",
    "boolean": "boolean",
}
_REFERENCES = {
    "color": ("@color/", ""),
    "dp": ("@dimen/", ""),
    "sp": ("@dimen/", ""),
    "integer": ("@integer/", ""),
    "string": ("@string/", ""),
    "boolean": ("@bool/", ""),
}
_LARGEST_INTEGER = 2_147_483_647


class _File(NamedTuple):
    """A file of a values folder: its name, its elements' tag and further attributes, and the kinds it holds."""

    name: str
    tag: str
    attributes: str
    kinds: frozenset[str]


_FILES = (
    _File("colors.xml", "color", "", frozenset(("color",))),
    _File("dimens.xml", "dimen", "", frozenset(("dp", "sp"))),
    _File("strings.xml", "string", ' translatable="false"', frozenset(("string",))),
    _File("bools.xml", "bool", "", frozenset(("boolean",))),
    _File("integers.xml", "integer", "", frozenset(("integer",))),
    _File("numbers.xml", "item", ' type="dimen" format="float"', frozenset(("number", "percentage"))),
)


def generate(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """The files of ``values/`` and ``values-night/`` that have something in them."""
    sheet = Sheet(
        resolution,
        request,
        naming="android",
        kinds=_KINDS,
        literals=android.LITERALS,
        references=_REFERENCES,
        unrepresentable=android.UNREPRESENTABLE,
    )
    _settle_weights(sheet)
    default = {place: text for place, text, _ in sheet.default_rows()}
    files = list(_folder(sheet, "values", default))
    night = night_of(sheet)
    files += _folder(sheet, "values-night", _differing(sheet, night, default))
    report_other_modes(sheet, night, "android")
    return files, sheet.problems


def _folder(sheet: Sheet, folder: str, values: Mapping[int, str]) -> Iterator[OutputFile]:
    names, kinds = sheet.names, sheet.kinds
    for file in _FILES:
        rows = [(names[place], text) for place, text in values.items() if kinds[place] in file.kinds]
        if rows:
            context = {"tag": file.tag, "attributes": file.attributes, "rows": rows}
            content = rendered_bytes("android/values.xml.j2", sheet.request.templates, **context)
            yield OutputFile(f"{folder}/{file.name}", content)


def _differing(sheet: Sheet, night: Theme, default: Mapping[int, str]) -> dict[int, str]:
    """What is written otherwise at night.

    A token without a value by default has its resource here alone, which aapt drops: it is not referred to.
    """
    varying = sheet.resolution.varying((night,))
    shown = sheet.resolution.in_theme(night, varying)
    rows = sheet.rows(sheet.declared_among(varying), shown, night, default)
    return {place: text for place, text, _ in rows if text != default.get(place)}


def _settle_weights(sheet: Sheet) -> None:
    """A font weight that is not whole in each mode of its family cannot be an integer resource: it is a number."""
    for place in sheet.declared:
        if sheet.kinds[place] == "integer":
            key = sheet.tokens[place].key
            modes = range(len(sheet.graph.collections[key[:2]].modes))
            if not all(_is_whole(sheet.resolution.alone(key[:2], mode)(key)) for mode in modes):
                sheet.kinds[place] = "number"


def _is_whole(value: Resolved) -> bool:
    """Whether it can be an integer; what is unresolved has no say."""
    if isinstance(value, float):
        return value == value // 1 and abs(value) <= _LARGEST_INTEGER
    return isinstance(value, Unresolved)
