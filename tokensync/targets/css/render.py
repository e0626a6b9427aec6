"""The files of a css output: one, or one per collection or theme, and an index that imports them in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate import OutputFile, options_of
from tokensync.naming import rendered_bytes
from tokensync.targets.css import CssOptions
from tokensync.targets.css.cascade import Cascade
from tokensync.targets.css.texts import Notation, output_of
from tokensync.tokens.resolver import NO_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate import OutputRequest
    from tokensync.generate.output import Output
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.targets.css.cascade import Block, Row
    from tokensync.tokens.resolver import TokenIndex

    BlockContents = tuple[tuple[str, ...], str, list[tuple[str, str, str]]]
    Registration = tuple[str, str, str]

ONE_FILE, INDEX, DEFAULTS, THEMES = "tokens.css", "index.css", "default.css", "themes.css"


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return ``tokens.css``, or ``index.css`` and the files that it imports."""
    options = options_of(request, CssOptions)
    spelling = Notation(options)
    output = output_of(resolution, request, spelling)
    cascade = Cascade(output, options, spelling)
    blocks, registered = cascade.blocks(), cascade.registered
    if options.split == "none":
        contents = (_contents(each, each.rows) for each in blocks)
        content = _rendered(options, request, [each[1:] for each in registered], contents)
        return (OutputFile(ONE_FILE, content),), output.problems
    parts = _by_collection(output, blocks) if options.split == "collection" else _by_theme(blocks)
    file_of = _files_of_tokens(output) if options.split == "collection" else {}
    files: list[OutputFile] = []
    for path, rules in parts.items():
        own = [each[1:] for each in registered if file_of.get(each[0], DEFAULTS) == path]
        files.append(OutputFile(path, _rendered(options, request, own, rules)))
    index = rendered_bytes("css/index.css.j2", request.templates, paths=list(parts))
    return [OutputFile(INDEX, index), *files], output.problems


def _rendered(
    options: CssOptions, request: OutputRequest, registered: list[Registration], blocks: Iterable[BlockContents]
) -> bytes:
    name = "css/tokens.min.css.j2" if options.minify else "css/tokens.css.j2"
    return rendered_bytes(name, request.templates, layer=options.layer, registrations=registered, blocks=blocks)


def _by_theme(blocks: Iterable[Block]) -> dict[str, list[BlockContents]]:
    """Return the blocks of the root and of several axes, then those of each context, by file."""
    parts: dict[str, list[BlockContents]] = {DEFAULTS: []}
    for each in blocks:
        parts.setdefault(each.path or DEFAULTS, []).append(_contents(each, each.rows))
    return parts


def _by_collection(output: Output, blocks: Iterable[Block]) -> dict[str, list[BlockContents]]:
    """Return the declarations by the file of their token's collection; those without a token are in the first file."""
    file_of = _files_of_tokens(output)
    parts: dict[str, list[BlockContents]] = {path: [] for path in (THEMES, *dict.fromkeys(file_of.values()))}
    for each in blocks:
        of: dict[str, list[Row]] = {}
        for row in each.rows:
            of.setdefault(THEMES if row.token == NO_TOKEN else file_of[row.token], []).append(row)
        for path, rows in of.items():
            parts[path].append(_contents(each, rows))
    if not parts[THEMES]:
        del parts[THEMES]
    return parts or {DEFAULTS: []}


def _contents(block: Block, rows: Iterable[Row]) -> BlockContents:
    return block.conditions, block.selector, [row[1:4] for row in rows]


def _files_of_tokens(output: Output) -> dict[TokenIndex, str]:
    keys = {index: output.tokens[index].key for index in output.declared}
    several = len({key.file for key in keys.values()}) > 1
    return {
        index: f"collections/{f'{key.file}/' if several else ''}{key.collection}.css" for index, key in keys.items()
    }
