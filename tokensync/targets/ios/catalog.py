"""The asset catalog: a colorset a colour, with an entry for each appearance and device where it differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.errors import ProblemsError
from tokensync.generate.request import OutputFile
from tokensync.naming import rendered, rendered_bytes
from tokensync.problems import problem
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.looks import PLAIN, UNIVERSAL
from tokensync.tokens import Color

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.appearance import Appearance
    from tokensync.generate.sheet import Sheet
    from tokensync.targets.ios.looks import Looks

_END_OF_DOCUMENT = "\x1e"
_TEMPLATE = "ios/colorset.json.j2"

_AT_ONCE = 1000
"""Documents a render, so that their text is not all in memory twice."""

Entries = tuple[tuple[str, "Appearance", Color], ...]
"""The (idiom, appearance, colour) of a colorset, the plain universal one first."""

Differing = dict[int, dict[tuple[str, "Appearance"], Color]]
"""By place, the colours that differ from the default one."""

_Row = tuple[str, str, str, str, str, str, str, str, str]
"""(idiom, luminosity, contrast, colour space, red, green, blue, alpha, comma) of an entry."""


def differing(sheet: Sheet, looks: Looks) -> tuple[Differing, list[int]]:
    """The colours that differ in a look, and the places of what differs there and is no colour."""
    themes = looks.themes()
    colors: Differing = {}
    others: dict[int, None] = {}
    if not themes:
        return colors, []
    default = sheet.resolution.default
    varying = sheet.resolution.varying(theme for _, _, theme in themes)
    places = sheet.declared_among(varying)
    for idiom, appearance, theme in themes:
        shown = sheet.resolution.in_theme(theme, varying)
        for place, _, _ in sheet.rows(places, shown, theme):
            if shown.literals[place] != default.literals[place]:
                color = sheet.literal(shown, place)
                if isinstance(color, Color):
                    colors.setdefault(place, {})[idiom, appearance] = color
                else:
                    others[place] = None
    return colors, list(others)


def entries_of(color: Color, differing: Mapping[tuple[str, Appearance], Color], looks: Looks) -> Entries:
    """What a colorset has to say so that each look shows its own colour.

    A look that nothing is said of shows what is said of the nearest plainer one: an appearance of two parts that of
    one of them, a device the universal one. Where two of those differ, it is said.
    """
    universal = {each: differing.get((UNIVERSAL, each), color) for each, _ in looks.system}
    said = said_of(color, universal)
    entries = [(UNIVERSAL, PLAIN, color), *((UNIVERSAL, each, universal[each]) for each in said)]
    for idiom, _ in looks.idioms:
        plain = differing.get((idiom, PLAIN), color)
        own = {each: differing.get((idiom, each), color) for each in universal}
        if plain != color or own != universal:
            entries.append((idiom, PLAIN, plain))
            entries += [(idiom, each, own[each]) for each in said_of(plain, own, said)]
    return tuple(entries)


def said_of(plain: object, shown: Mapping[Appearance, object], needed: Sequence[Appearance] = ()) -> list[Appearance]:
    """The appearances of which something has to be said, plainer ones first; the ``needed`` ones are in any case."""
    said: list[Appearance] = []
    for appearance, color in shown.items():
        plainer = {shown[each] for each in said if _within(each, appearance)} or {plain}
        if appearance in needed or plainer != {color}:
            said.append(appearance)
    return said


def _within(plainer: Appearance, appearance: Appearance) -> bool:
    return all(own in ("", asked) for own, asked in zip(plainer, appearance, strict=True))


def colorsets(
    sheet: Sheet, paths: Mapping[int, str], entries: Mapping[int, Entries], space: str
) -> Iterator[OutputFile]:
    """A colorset a colour at its path, the components in the colour space; equal ones share one document."""
    documents = _documents(sheet, list(dict.fromkeys(entries.values())), space)
    for place, each in entries.items():
        yield OutputFile(f"{paths[place]}.colorset/Contents.json", documents[each])


def _documents(sheet: Sheet, several: Sequence[Entries], space: str) -> dict[Entries, bytes]:
    """The document of each set of entries, many rendered at once."""
    documents: dict[Entries, bytes] = {}
    for start in range(0, len(several), _AT_ONCE):
        some = several[start : start + _AT_ONCE]
        rows = [tuple(_rows(entries, space)) for entries in some]
        text = rendered(_TEMPLATE, sheet.request.templates, rows=rows, end=_END_OF_DOCUMENT)
        *made, rest = text.split(f"{_END_OF_DOCUMENT}\n")
        if rest or len(made) != len(some):
            what = f"the template gives {len(made)} documents for {len(some)} colours"
            what_to_do = "write one document and a line {{ end }} for each row"
            raise ProblemsError((problem("template-failed", f"templates/{_TEMPLATE}", what, what_to_do),))
        documents.update(zip(some, [document.encode() for document in made], strict=True))
    return documents


def _rows(entries: Entries, space: str) -> Iterator[_Row]:
    last = len(entries) - 1
    for at, (idiom, (scheme, contrast), color) in enumerate(entries):
        comma = "," if at < last else ""
        yield (idiom, scheme, "high" if contrast else "", space, *swift.catalog_components(color, space), comma)


def folder_contents(sheet: Sheet, folders: Iterable[str], *, namespace: bool) -> Iterator[OutputFile]:
    """The ``Contents.json`` of the catalog itself, the first of the folders, and of those within it."""
    for at, folder in enumerate(folders):
        content = rendered_bytes("ios/catalog.json.j2", sheet.request.templates, namespace=namespace and at > 0)
        yield OutputFile(f"{folder}/Contents.json", content)
