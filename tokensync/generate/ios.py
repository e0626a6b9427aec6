"""iOS: an asset catalog of the colours with their dark appearances, and ``Tokens.swift`` with all tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.errors import ProblemsError
from tokensync.generate.left_out import without_form
from tokensync.generate.literals import swift
from tokensync.generate.night import night_of, report_other_modes
from tokensync.generate.request import OutputFile
from tokensync.generate.sheet import Sheet
from tokensync.naming import rendered, rendered_bytes, swift_name
from tokensync.problems import problem
from tokensync.tokens import Color

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.tokens import Theme, TokenKey

_KINDS = {
    "color": "color",
    "length": "number",
    "text-length": "number",
    "number": "number",
    "percentage": "percentage",
    "weight": "number",
    "string": "string",
    "family": "string",
    "boolean": "boolean",
}
_REFERENCES = dict.fromkeys(("number", "percentage", "string", "boolean"), ("", ""))
_ANNOTATIONS = {
    "color": "",
    "number": ": CGFloat",
    "percentage": ": CGFloat",
    "string": ": String",
    "boolean": ": Bool",
}
_CATALOG = "Tokens.xcassets"
_END_OF_DOCUMENT = "\x1e"

_AT_ONCE = 1000
"""Documents a render, so that their text is not all in memory twice."""

_Pair = tuple[Color, Color | None]
_Entry = tuple[str, str, str, str, str]
"""(appearance, red, green, blue, alpha) of a colorset; the appearance is empty for any."""


def generate(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """The catalog's files, then ``Tokens.swift``."""
    sheet = Sheet(
        resolution,
        request,
        naming="ios",
        kinds=_KINDS,
        literals=swift.LITERALS,
        references=_REFERENCES,
        unrepresentable=swift.UNREPRESENTABLE,
    )
    sheet.spelled = {key: swift_name(name) for key, name in sheet.names.items()}
    night = night_of(sheet)
    values = [(key, text) for key, text, _ in sheet.default_rows()]
    files = [
        OutputFile(f"{_CATALOG}/Contents.json", rendered_bytes("ios/catalog.json.j2", request.templates)),
        *_colorsets(sheet, night, [key for key, _ in values if sheet.kinds[key] == "color"]),
        OutputFile(
            "Tokens.swift", rendered_bytes("ios/Tokens.swift.j2", request.templates, rows=_swift(sheet, values))
        ),
    ]
    report_other_modes(sheet, night, "ios")
    return files, sheet.problems


def _swift(sheet: Sheet, values: Iterable[tuple[TokenKey, str]]) -> Iterator[tuple[str, str, str]]:
    """(name, type annotation, expression) of each constant."""
    names, spelled, kinds = sheet.names, sheet.spelled, sheet.kinds
    for key, text in values:
        kind = kinds[key]
        expression = f"Color({swift.string(names[key])}, bundle: .module)" if kind == "color" else text
        yield spelled[key], _ANNOTATIONS[kind], expression


def _colorsets(sheet: Sheet, night: Theme, keys: Sequence[TokenKey]) -> Iterator[OutputFile]:
    """A colorset a colour, the dark appearance only where it differs; equal colours share one document."""
    literals = sheet.resolution.literals
    dark = _dark_colors(sheet, night)
    colors = [(key, literal) for key in keys if isinstance(literal := literals[key], Color)]
    pairs = [(color, dark.get(key)) for key, color in colors]
    documents = _documents(sheet, list(dict.fromkeys(pairs)))
    for (key, _), pair in zip(colors, pairs, strict=True):
        yield OutputFile(f"{_CATALOG}/{sheet.names[key]}.colorset/Contents.json", documents[pair])


def _dark_colors(sheet: Sheet, night: Theme) -> dict[TokenKey, Color]:
    """The colours that differ in the night theme. What else differs there has no form, which is reported."""
    varying = sheet.resolution.varying((night,))
    literals = sheet.resolution.literals
    dark: dict[TokenKey, Color] = {}
    others = set()
    written, at_night = sheet.resolution.in_theme(night, varying)
    for key, _, _ in sheet.rows(sheet.declared_among(varying.keys), written, at_night, night):
        literal = at_night[key]
        if literal != literals[key]:
            if isinstance(literal, Color):
                dark[key] = literal
            else:
                others.add(key[:2])
    for family, mode in night.modes:
        if family in others:
            sheet.problems.append(without_form(sheet.graph.collections[family], (mode,), "ios", ", but for colours"))
    return dark


def _documents(sheet: Sheet, pairs: Sequence[_Pair]) -> dict[_Pair, bytes]:
    """The document of each (colour, dark colour or None), many rendered at once."""
    documents: dict[_Pair, bytes] = {}
    for start in range(0, len(pairs), _AT_ONCE):
        some = pairs[start : start + _AT_ONCE]
        rows = [tuple(_entries(light, dark)) for light, dark in some]
        text = rendered("ios/colorset.json.j2", sheet.request.templates, rows=rows, end=_END_OF_DOCUMENT)
        *made, rest = text.split(f"{_END_OF_DOCUMENT}\n")
        if rest or len(made) != len(some):
            what = f"the template gives {len(made)} documents for {len(some)} colours"
            what_to_do = "write one document and a line {{ end }} for each row"
            raise ProblemsError((problem("template-failed", "templates/ios/colorset.json.j2", what, what_to_do),))
        documents.update(zip(some, [document.encode() for document in made], strict=True))
    return documents


def _entries(light: Color, dark: Color | None) -> Iterator[_Entry]:
    yield ("", *swift.components(light))
    if dark is not None:
        yield ("dark", *swift.components(dark))
