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
    from tokensync.tokens import Resolved, TokenKey

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
    default = {key: text for key, text, _ in sheet.default_rows()}
    files = list(_folder(sheet, "values", default))
    night = night_of(sheet)
    files += _folder(sheet, "values-night", _differing(sheet, night, default))
    report_other_modes(sheet, night, "android")
    return files, sheet.problems


def _folder(sheet: Sheet, folder: str, values: Mapping[TokenKey, str]) -> Iterator[OutputFile]:
    names, kinds = sheet.names, sheet.kinds
    rows: dict[str, list[tuple[str, str]]] = {}
    for key, text in values.items():
        rows.setdefault(kinds[key], []).append((names[key], text))
    for file in _FILES:
        several = [kind for kind in rows if kind in file.kinds]
        if len(several) == 1:
            of_file = rows[several[0]]
        else:
            of_file = [(names[key], text) for key, text in values.items() if kinds[key] in several] if several else []
        if of_file:
            context = {"tag": file.tag, "attributes": file.attributes, "rows": of_file}
            content = rendered_bytes("android/values.xml.j2", sheet.request.templates, **context)
            yield OutputFile(f"{folder}/{file.name}", content)


def _differing(sheet: Sheet, night: Theme, default: Mapping[TokenKey, str]) -> dict[TokenKey, str]:
    """What is written otherwise at night.

    A token without a value by default has its resource here alone, which aapt drops: it is not referred to.
    """
    varying = sheet.resolution.varying((night,))
    written, literals = sheet.resolution.in_theme(night, varying)
    rows = sheet.rows(sheet.declared_among(varying.keys), written, literals, night, default)
    return {key: text for key, text, _ in rows if text != default.get(key)}


def _settle_weights(sheet: Sheet) -> None:
    """A font weight that is not whole in each mode of its family cannot be an integer resource: it is a number."""
    for key, kind in sheet.kinds.items():
        if kind == "integer":
            family = sheet.graph.collections[key[:2]]
            values = (sheet.resolution.alone(family.key, mode)(key) for mode in range(len(family.modes)))
            if not all(map(_is_whole, values)):
                sheet.kinds[key] = "number"


def _is_whole(value: Resolved) -> bool:
    """Whether it can be an integer; what is unresolved has no say."""
    if isinstance(value, float):
        return value == value // 1 and abs(value) <= _LARGEST_INTEGER
    return isinstance(value, Unresolved)
