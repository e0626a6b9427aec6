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
    from tokensync.tokens import Theme

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
_ANNOTATIONS: dict[str | None, str] = {
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
_Entry = tuple[str, str, str, str, str, str]
"""(appearance, red, green, blue, alpha, comma) of a colorset; no appearance means any, a comma that one follows."""


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
    sheet.spelled = [swift_name(name) for name in sheet.names]
    night = night_of(sheet)
    values = [(place, text) for place, text, _ in sheet.default_rows()]
    colors = [place for place, _ in values if sheet.kinds[place] == "color"]
    constants = rendered_bytes("ios/Tokens.swift.j2", request.templates, rows=_swift(sheet, values))
    files = [
        OutputFile(f"{_CATALOG}/Contents.json", rendered_bytes("ios/catalog.json.j2", request.templates)),
        *_colorsets(sheet, night, colors),
        OutputFile("Tokens.swift", constants),
    ]
    report_other_modes(sheet, night, "ios")
    return files, sheet.problems


def _swift(sheet: Sheet, values: Iterable[tuple[int, str]]) -> Iterator[tuple[str, str, str]]:
    """(name, type annotation, expression) of each constant."""
    names, spelled, kinds = sheet.names, sheet.spelled, sheet.kinds
    for place, text in values:
        if kinds[place] == "color":
            yield spelled[place], "", f"Color({swift.string(names[place])}, bundle: .module)"
        else:
            yield spelled[place], _ANNOTATIONS[kinds[place]], text


def _colorsets(sheet: Sheet, night: Theme, places: Iterable[int]) -> Iterator[OutputFile]:
    """A colorset a colour, the dark appearance only where it differs; equal colours share one document."""
    default = sheet.resolution.default
    dark = _dark_colors(sheet, night)
    colors = [(place, color) for place in places if isinstance(color := sheet.literal(default, place), Color)]
    pairs = [(color, dark.get(place)) for place, color in colors]
    documents = _documents(sheet, list(dict.fromkeys(pairs)))
    for (place, _), pair in zip(colors, pairs, strict=True):
        yield OutputFile(f"{_CATALOG}/{sheet.names[place]}.colorset/Contents.json", documents[pair])


def _dark_colors(sheet: Sheet, night: Theme) -> dict[int, Color]:
    """The colours that differ in the night theme. What else differs there has no form, which is reported."""
    default = sheet.resolution.default
    varying = sheet.resolution.varying((night,))
    at_night = sheet.resolution.in_theme(night, varying)
    dark: dict[int, Color] = {}
    others = set()
    for place, _, _ in sheet.rows(sheet.declared_among(varying), at_night, night):
        if at_night.literals[place] != default.literals[place]:
            color = sheet.literal(at_night, place)
            if isinstance(color, Color):
                dark[place] = color
            else:
                others.add(sheet.tokens[place].key[:2])
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
    yield ("", *swift.components(light), "" if dark is None else ",")
    if dark is not None:
        yield ("dark", *swift.components(dark), "")
