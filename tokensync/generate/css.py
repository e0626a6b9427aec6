"""CSS custom properties: ``:root`` with the defaults, then a block a mode of each collection that has several."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.literals import css
from tokensync.generate.request import OutputFile
from tokensync.generate.sheet import Row, Sheet
from tokensync.naming import rendered_bytes
from tokensync.tokens import targets
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.tokens import FamilyKey, Theme, TokenGraph

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


class Variation(NamedTuple):
    """Themes that exclude each other: an attribute without its ``data-``, and a theme for each of its values."""

    attribute: str
    themes: tuple[tuple[str, Theme], ...]


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
    for attribute, themes in variations(sheet):
        varying = sheet.resolution.varying(theme for _, theme in themes)
        places = sheet.declared_among(varying)
        for value, theme in themes:
            selector = f"[data-{css.identifier(attribute)}={css.string(value)}]"
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


def variations(sheet: Sheet) -> list[Variation]:
    """The configured themes under ``data-theme``; else the modes of each family under the family's handle."""
    if sheet.request.themes:
        return [Variation("theme", tuple((theme.name, theme) for theme in sheet.themes))] if sheet.themes else []
    of_family: dict[FamilyKey, list[tuple[str, Theme]]] = {}
    for theme in sheet.themes:
        ((family, mode),) = theme.modes
        of_family.setdefault(family, []).append((sheet.graph.collections[family].modes[mode].context, theme))
    handles = Counter(handle for _, handle in of_family)
    return [
        Variation(handle if handles[handle] == 1 else f"{file}-{handle}", tuple(of_family[file, handle]))
        for file, handle in _targets_first(sheet.graph)
        if (file, handle) in of_family
    ]


def _targets_first(graph: TokenGraph) -> list[FamilyKey]:
    """The families, each after those that its tokens refer to, else in their own order.

    Both blocks hold such a token, and the later one wins on an element with both attributes: it has to be the block
    whose reference follows the other family, not the one that knows only this family's default.
    """
    referred: dict[FamilyKey, dict[FamilyKey, None]] = {key: {} for key in graph.collections}
    for key, token in graph.tokens.items():
        for value in token.values:
            for target in targets(value):
                if target[:2] != key[:2]:
                    referred[key[:2]][target[:2]] = None
    ordered: dict[FamilyKey, None] = {}
    for family in graph.collections:
        pending = [(family, iter(referred[family]))]
        begun = {family}
        while pending:
            current, rest = pending[-1]
            following = next((each for each in rest if each not in begun and each not in ordered), None)
            if following is None:
                ordered[current] = None
                pending.pop()
            else:
                begun.add(following)
                pending.append((following, iter(referred[following])))
    return list(ordered)
