"""``tokensync tokens``: questions about the graph."""

from __future__ import annotations

import os
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tokensync.cli import options
from tokensync.cli.console import Swatch, table
from tokensync.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.cli.console import Cell, Console
    from tokensync.commands.tokens import Dependent, Row
    from tokensync.project.configured_outputs import Manner
    from tokensync.tokens import Hop, Resolved, Theme, Token, TokenGraph, TokenKey

_MODES_SHOWN = 6


@click.group("tokens")
def command() -> None:
    """Query the token graph."""


class _Queried(NamedTuple):
    """The graph that the options name, the themes to look at it in, and how its tokens are named by platform."""

    graph: TokenGraph
    themes: tuple[Theme, ...]
    manners: Mapping[str, Manner]


def _on_graph(function: Callable[..., Any]) -> options.Command:
    """Adds the options that name a graph and --json; the command gets what they name as ``queried``."""

    @options.snapshot
    @options.published
    @options.project
    @options.files
    @options.json
    @options.console
    @wraps(function)
    def with_graph(
        *,
        snapshot: str | None,
        published: str | None,
        config: str | None,
        files: tuple[str, ...],
        console: Console,
        **given: Any,
    ) -> Any:
        queried = _queried(snapshot, published, config, files, console)
        return function(queried=queried, console=console, **given)

    return with_graph


def _queried(
    snapshot: str | None, published: str | None, config: str | None, files: tuple[str, ...], console: Console
) -> _Queried:
    from tokensync.commands.tokens import themes_of
    from tokensync.project.configured_outputs import configured_themes, manners_of
    from tokensync.project.sources import from_project, from_snapshot

    options.check_snapshot(snapshot, published, config, files)
    if snapshot is not None:
        source = from_snapshot(snapshot, published)
        console.problems_in_short(source.problems)
        return _Queried(source.graph, themes_of(source.graph), {})
    project = options.load_project(config)
    source = from_project(project, files)
    console.problems_in_short(source.problems)
    themes = configured_themes(source.graph, project.config.themes, project.source)
    return _Queried(source.graph, themes_of(source.graph, themes), manners_of(project))


@command.command("list")
@click.option("--names", "with_names", is_flag=True, help="Show the names of each token on every platform.")
@_on_graph
def list_(with_names: bool, queried: _Queried, as_json: bool, console: Console) -> int:
    """List tokens with their names and values. A table of the default theme, or everything with --json."""
    from tokensync.commands.tokens import list_tokens
    from tokensync.project.configured_outputs import names_on_platforms, references_on_platforms
    from tokensync.targets import DEFAULTS, NAMED
    from tokensync.tokens import DEFAULT_THEME

    graph, themes, manners = queried
    names = names_on_platforms(graph, manners, NAMED if with_names else DEFAULTS)
    if as_json:
        console.problems_in_short(names.problems)
        references = references_on_platforms(graph, names) if with_names else {}
        rows = list_tokens(graph, names.identifiers, themes)
        console.json([_row_json(row, references.get(row.token.key, {}) if with_names else None) for row in rows])
        return 0
    rows = list_tokens(graph, names.identifiers, (DEFAULT_THEME,))
    live = [row for row in rows if row.token.origin == "local"]
    if live and with_names:
        console.problems_in_short(names.problems)
        console.table(*_name_table(live), fitted=True)
    elif live:
        console.table(*_value_table(live, graph, in_colour=console.colour_of_result), fitted=True)
    others = [row.token.origin for row in rows if row.token.origin != "local"]
    kinds = ", ".join(f"{others.count(origin)} {origin}" for origin in sorted(set(others)))
    console.say(counted(len(live), "token") + (f"; not shown: {kinds}" if kinds else ""))
    return 0


@command.command("show")
@click.argument("token")
@_on_graph
def show(token: str, queried: _Queried, as_json: bool, console: Console) -> int:
    """Show everything about TOKEN. A path, a collection and a path, or an id."""
    from tokensync.commands.tokens import find_tokens, list_tokens
    from tokensync.project.configured_outputs import names_on_platforms

    graph, themes, manners = queried
    found = find_tokens(graph, token)
    names = names_on_platforms(graph, manners).identifiers
    wanted = {each.key for each in found}
    rows = {row.token.key: row for row in list_tokens(graph, names, themes) if row.token.key in wanted}
    if as_json:
        console.json([_row_json(rows[each.key]) for each in found])
        return 0
    for index, each in enumerate(found):
        lines = _shown_in_full(rows[each.key], graph, themes)
        console.result(*(("",) if index else ()), *lines)
    return 0


def _shown_in_full(row: Row, graph: TokenGraph, themes: Sequence[Theme]) -> Iterator[str]:
    from tokensync import outlet
    from tokensync.commands.tokens import shown
    from tokensync.tokens import value_text

    token, family = row.token, graph.collection_of(row.token)
    yield f"{token.key}  ({token.public_type}, {'hidden, ' if token.hidden else ''}{token.origin})"
    facts = (("description", token.description), ("scopes", ", ".join(token.scopes)), ("id", token.id))
    for label, text in (*facts, *row.names.items()):
        if text:
            yield f"  {label:12} {text}"
    contexts = [outlet.shown(mode.context) for mode in family.modes]
    yield "  written"
    width = max(map(len, contexts), default=0)
    for context, value in zip(contexts, token.values, strict=True):
        yield f"    {context:{width}}  {'as in the mode that it extends' if value is None else value_text(value)}"
    yield "  shown"
    values = [(theme.name, shown(token, graph.resolve(token, theme))) for theme in themes]
    for value, names in _grouped(values):
        yield f"    {listed(names, _MODES_SHOWN)}: {value}"


@command.command("why")
@click.argument("token")
@click.option("--theme", "theme_name", metavar="NAME", help="Show this theme only.")
@_on_graph
def why_(token: str, theme_name: str | None, queried: _Queried, as_json: bool, console: Console) -> int:
    """Explain TOKEN's value. Shows each alias that is followed, theme by theme."""
    from tokensync.commands.tokens import find_token, literal_json, shown
    from tokensync.errors import UsageError
    from tokensync.tokens import value_text

    graph, themes = queried.graph, queried.themes
    found = find_token(graph, token)
    chosen = [each for each in themes if theme_name in (None, each.name)]
    if not chosen:
        raise UsageError(f"--theme {theme_name}: there is no such theme; known: {', '.join(t.name for t in themes)}")
    answers = [(theme, tuple(graph.trace(found, theme)), graph.resolve(found, theme)) for theme in chosen]
    if as_json:
        console.json(
            [
                {
                    "theme": theme.name,
                    "value": literal_json(found, value),
                    "steps": [
                        {
                            "token": f"{hop.token.key.collection}.{hop.token.key.path}",
                            "mode": hop.mode.context,
                            "written": value_text(hop.value),
                        }
                        for hop in hops
                    ],
                }
                for theme, hops, value in answers
            ]
        )
        return 0
    ways = [((shown(found, value), _way(hops)), theme.name) for theme, hops, value in answers]
    for (value, way), names in _grouped([(theme, answer) for answer, theme in ways]):
        console.result(f"{listed(names, _MODES_SHOWN)}: {value}", *way)
    return 0


def _way(hops: Sequence[Hop]) -> tuple[str, ...]:
    from tokensync.tokens import value_text

    rows = [(f"  {hop.token.key}", f"in {hop.mode.context}", value_text(hop.value)) for hop in hops]
    return tuple(table(rows))


@command.command("dependents")
@click.argument("token")
@_on_graph
def dependents_(token: str, queried: _Queried, as_json: bool, console: Console) -> int:
    """List the tokens that refer to TOKEN. Includes indirect references, as a tree."""
    from tokensync.commands.tokens import dependents, find_token

    graph = queried.graph
    root = find_token(graph, token)
    found = dependents(graph, root.key)
    if as_json:
        console.json([{**_identity(each.token), "distance": each.distance} for each in found])
        return 0
    if not found:
        console.say(f"nothing refers to {root.key}")
    console.result(*_tree(root, found))
    return 0


def _tree(root: Token, found: Sequence[Dependent]) -> Iterator[str]:
    below: dict[Any, list[Dependent]] = {}
    for each in reversed(found):
        below.setdefault(each.through.key, []).append(each)
    pending = list(below.get(root.key, ()))
    while pending:
        each = pending.pop()
        yield f"{'  ' * (each.distance - 1)}{each.token.key}"
        pending += below.get(each.token.key, ())


_SAFE = "safe to delete: no file uses it, and no token that is needed refers to it"
_HIDDEN = "nothing refers to it, and it is hidden: only layers of its own file can use it"
_OPEN = "nothing refers to it; whether other files use it is not known"


@command.command("unused")
@click.option("--offline", is_flag=True, help="Do not contact the platform; list the tokens that no token refers to.")
@options.snapshot
@options.published
@options.project
@options.files
@options.json
@options.console
def unused_(
    offline: bool,
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """List unused tokens. No file uses them, and no used token refers to them.

    Where the platform does not tell who uses tokens, those that no token refers to.
    """
    options.check_snapshot(snapshot, published, config, files)
    if snapshot is not None or offline:
        found = _by_references(snapshot, published, config, files, console)
    else:
        found = _by_usage(config, files, console)
    if as_json:
        console.json(
            [{**_identity(token), "safe_to_delete": True if why == _SAFE else None, "why": why} for token, why in found]
        )
        return 0
    for why in dict.fromkeys(why for _, why in found):
        console.say(f"{why}:")
        console.result(*(str(token.key) for token, each in found if each == why))
    if not found:
        console.say("no unused tokens were found")
    return 0


def _by_references(
    snapshot: str | None, published: str | None, config: str | None, files: tuple[str, ...], console: Console
) -> list[tuple[Token, str]]:
    from tokensync.commands.usage import unreferred
    from tokensync.project.sources import chosen_files, from_project, from_snapshot

    if snapshot is not None:
        source = from_snapshot(snapshot, published)
        wanted = {token.key.file for token in source.graph.tokens.values()}
    else:
        project = options.load_project(config)
        source = from_project(project)
        wanted = {each.name for each in chosen_files(project, files)}
    console.problems_in_short(source.problems)
    found = (token for token in unreferred(source.graph) if token.key.file in wanted)
    return [(token, _HIDDEN if token.hidden else _OPEN) for token in found]


def _by_usage(config: str | None, files: tuple[str, ...], console: Console) -> list[tuple[Token, str]]:
    """Return what analytics tells; where this token, plan or account may not ask it, what the graph tells."""
    from tokensync.commands.usage import usage
    from tokensync.errors import AccessError

    try:
        with options.connected_project(config, console) as (project, client, progress):
            found = usage(project, client, files, progress=progress)
    except AccessError as refused:
        console.say(f"usage is unknown: {refused}")
        return _by_references(None, None, config, files, console)
    console.problems_in_short(found.problems)
    return [(each.token, _SAFE) for each in found.rows if each.verdict == "safe to delete"]


def _grouped(pairs: Sequence[tuple[str, Any]]) -> list[tuple[Any, list[str]]]:
    """Return what is the same in several themes, once, with the themes' names; in the order of the first."""
    groups: dict[Any, list[str]] = {}
    for name, answer in pairs:
        groups.setdefault(answer, []).append(name)
    return list(groups.items())


def _identity(token: Token) -> dict[str, Any]:
    return {"file": token.key.file, "collection": token.key.collection, "path": token.key.path, "id": token.id}


def _row_json(row: Row, references: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the row; with ``references`` also how code refers to the token, by platform."""
    token = row.token
    return {
        "file": token.key.file,
        "collection": token.key.collection,
        "path": token.key.path,
        "type": token.public_type,
        "names": row.names,
        **({} if references is None else {"references": references}),
        "values": row.values,
        "aliases": row.aliases,
        "id": token.id,
        "key": token.variable_key,
        "description": token.description,
        "hidden": token.hidden,
        "remote": token.origin == "remote",
        "deleted": token.origin == "deleted",
    }


def _value_table(rows: Sequence[Row], graph: TokenGraph, *, in_colour: bool) -> list[tuple[Cell, ...]]:
    """Return a table of types, values and CSS names. In colour, with swatches where the terminal can show them."""
    from tokensync.commands.tokens import shown
    from tokensync.tokens import DEFAULT_THEME

    resolver = graph.resolver(DEFAULT_THEME)
    with_swatches = in_colour and os.environ.get("COLORTERM") in ("truecolor", "24bit")

    def cells(row: Row) -> tuple[Cell, ...]:
        value = resolver(row.token.key)
        swatch = (_swatch(value),) if with_swatches else ()
        return (row.token.public_type, *swatch, shown(row.token, value), row.names.get("css", ""))

    header = ("TYPE", *((None,) if with_swatches else ()), "VALUE", "CSS")
    return table_by_token(header, ((row.token.key, cells(row)) for row in rows))


def _name_table(rows: Sequence[Row]) -> list[tuple[Cell, ...]]:
    """Return a table with the names of each token on every platform that the rows know."""
    platforms = list(dict.fromkeys(platform for row in rows for platform in row.names))
    names = ((row.token.key, [row.names.get(each, "") for each in platforms]) for row in rows)
    return table_by_token([each.upper() for each in platforms], names)


def table_by_token(header: Sequence[Cell], rows: Iterable[tuple[TokenKey, Sequence[Cell]]]) -> list[tuple[Cell, ...]]:
    """Return a table that names the token of each row first, with its design file if there are several."""
    from tokensync.mapping import name_of_path

    lines = [(key.file, key.collection, name_of_path(key.path), *cells) for key, cells in rows]
    of_files = len({line[0] for line in lines}) > 1
    return [line if of_files else line[1:] for line in [("FILE", "COLLECTION", "TOKEN", *header), *lines]]


def _swatch(value: Resolved) -> Swatch | None:
    from tokensync.tokens import Color

    if not isinstance(value, Color):
        return None
    return Swatch(*(int(min(max(each, 0.0), 1.0) * 255 + 0.5) for each in (value.red, value.green, value.blue)))
