"""The files of a css output: one, or one a collection or a theme with an index that imports them in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.request import OutputFile, options_of
from tokensync.mapping import slug
from tokensync.naming import rendered_bytes
from tokensync.targets.css.blocks import NO_PLACE, blocks_of
from tokensync.targets.css.options import CssOptions
from tokensync.targets.css.registrations import registrations
from tokensync.targets.css.spelling import Spelling, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.axes import Axis
    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem
    from tokensync.targets.css.blocks import Block, Row

    Given = tuple[tuple[str, ...], str, list[tuple[str, str, str]]]
    Registration = tuple[str, str, str]

ONE_FILE, INDEX, DEFAULTS = "tokens.css", "index.css", "default.css"


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """``tokens.css``, or ``index.css`` and what it imports."""
    options = options_of(request, CssOptions)
    spelling = Spelling(options)
    sheet = sheet_of(resolution, request, spelling)
    blocks = blocks_of(sheet, options, spelling)
    registered = list(registrations(sheet, options, spelling)) if options.property else []
    if options.split == "none":
        given = (_given(each, each.rows) for each in blocks)
        content = _rendered(options, request, [each[1:] for each in registered], given)
        return (OutputFile(ONE_FILE, content),), sheet.problems
    parts = _by_collection(sheet, blocks) if options.split == "collection" else _by_theme(blocks)
    homes = _homes(sheet) if options.split == "collection" else {}
    files: list[OutputFile] = []
    for path, rules in parts.items():
        own = [each[1:] for each in registered if homes.get(each[0], DEFAULTS) == path]
        files.append(OutputFile(path, _rendered(options, request, own, rules)))
    index = rendered_bytes("css/index.css.j2", request.templates, paths=list(parts))
    return [OutputFile(INDEX, index), *files], sheet.problems


def _rendered(
    options: CssOptions, request: OutputRequest, registered: list[Registration], blocks: Iterable[Given]
) -> bytes:
    name = "css/tokens.min.css.j2" if options.minify else "css/tokens.css.j2"
    return rendered_bytes(name, request.templates, layer=options.layer, registrations=registered, blocks=blocks)


def _by_theme(blocks: Iterable[Block]) -> dict[str, list[Given]]:
    """The defaults, then a file a context; what two contexts declare together is with the second of them."""
    parts: dict[str, list[Given]] = {DEFAULTS: []}
    known: dict[tuple[str, str], str] = {}
    for each in blocks:
        path = DEFAULTS
        for axis, context in each.chosen:
            if context is not None:
                path = known.setdefault((axis.name, context.name), _path(axis, context.name, set(known.values())))
        parts.setdefault(path, []).append(_given(each, each.rows))
    return parts


def _path(axis: Axis, context: str, taken: set[str]) -> str:
    """``color-scheme/dark.css``: a folder an axis."""
    name = f"{axis.name}/{slug(context, 'theme') if axis.family is None else context}"
    numbered = (f"{name}-{number}.css" for number in range(2, len(taken) + 3))
    return next(each for each in (f"{name}.css", *numbered) if each not in taken)


def _by_collection(sheet: Sheet, blocks: Iterable[Block]) -> dict[str, list[Given]]:
    """Each token's declarations in its collection's file; what is none of a token's goes with all of its block."""
    homes = _homes(sheet)
    parts: dict[str, list[Given]] = {path: [] for path in (*dict.fromkeys(homes.values()),) or (DEFAULTS,)}
    for each in blocks:
        shared = [row for row in each.rows if row[0] == NO_PLACE]
        of: dict[str, list[Row]] = {}
        for row in each.rows:
            if row[0] != NO_PLACE:
                of.setdefault(homes[row[0]], []).append(row)
        for path, rows in (of or {next(iter(parts)): []}).items():
            parts[path].append(_given(each, [*shared, *rows]))
    return parts


def _given(block: Block, rows: Iterable[Row]) -> Given:
    """A block as templates get it."""
    return block.conditions, block.selector, [row[1:] for row in rows]


def _homes(sheet: Sheet) -> dict[int, str]:
    """The path of the file that each declared token is in."""
    keys = {place: sheet.tokens[place].key for place in sheet.declared}
    several = len({key.file for key in keys.values()}) > 1
    return {
        place: f"collections/{f'{key.file}/' if several else ''}{key.collection}.css" for place, key in keys.items()
    }
