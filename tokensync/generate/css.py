"""CSS custom properties: ``:root`` with the defaults, then a block a mode of each collection that has several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.axes import axes_of
from tokensync.generate.literals import css
from tokensync.generate.request import OutputFile
from tokensync.generate.sheet import Row, Sheet
from tokensync.naming import rendered_bytes
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem

_KINDS = {
    "color": "color",
    "length": "dimension",
    "text-length": "dimension",
    "number": "number",
    "percentage": "percentage",
    "weight": "number",
    "string": "string",
    "family": "family",
    "boolean": "boolean",
    "duration": "duration",
}
_REFERENCES = dict.fromkeys(_KINDS.values(), ("var(", ")"))


def generate(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """``tokens.css``."""
    sheet = Sheet(
        resolution,
        request,
        naming="css",
        kinds=_KINDS,
        literals=css.LITERALS,
        references=_REFERENCES,
        unrepresentable=css.UNREPRESENTABLE,
    )
    content = rendered_bytes("css/tokens.css.j2", request.templates, blocks=_blocks(sheet))
    return (OutputFile("tokens.css", content),), sheet.problems


def _blocks(sheet: Sheet) -> Iterator[tuple[str, Sequence[tuple[str, str, str]]]]:
    """(selector, declarations), one at a time: a block's values are let go when it is written."""
    notes = _Notes(sheet)
    yield ":root", _declarations(sheet, sheet.default_rows(), notes)
    for axis in axes_of(sheet):
        varying = sheet.resolution.varying(context.theme for context in axis.contexts)
        places = sheet.declared_among(varying)
        for value, theme, appearances in axis.contexts:
            if appearances:
                continue
            selector = f"[data-{css.identifier(axis.name)}={css.string(value)}]"
            rows = sheet.rows(places, sheet.resolution.in_theme(theme, varying), theme)
            yield selector, _declarations(sheet, rows, notes)


def _declarations(sheet: Sheet, rows: Iterable[Row], notes: _Notes) -> list[tuple[str, str, str]]:
    """(name, value, note): the note is a comment that names what a literal stands for."""
    of = sheet.names
    return [(of[place], text, "" if target < 0 else notes[target]) for place, text, target in rows]


class _Notes(dict[int, str]):
    """Comments that name tokens which are not declared, by their places."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.graph = sheet.graph
        self.tokens = sheet.tokens

    def __missing__(self, place: int) -> str:
        token = self.tokens[place]
        origin = "excluded" if token.origin == "local" else token.origin
        text = f"{origin}: {self.graph.collection_of(token).name} / {'/'.join(names(token.key.path))}"
        note = self[place] = f" {css.comment(text)}"
        return note
