"""``tokensync tokens``: questions about the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tokensync.cli import options
from tokensync.cli.tokens_unused import command as unused
from tokensync.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.tokens import Dependent, Row
    from tokensync.project.configured_outputs import Manner
    from tokensync.tokens import Hop, Theme, Token, TokenGraph

_MODES_SHOWN = 6


@click.group("tokens")
def command() -> None:
    """Query the token graph."""


command.add_command(unused)


def _about_a_graph(function: Callable[..., Any]) -> Any:
    for option in (options.snapshot, options.published, options.project, options.files, options.json):
        function = option(function)
    return options.console(function)


class _Asked(NamedTuple):
    """The graph that the options name, the themes to look at it in, and how its tokens are named by platform."""

    graph: TokenGraph
    themes: tuple[Theme, ...]
    manners: Mapping[str, Manner]


def _asked(
    snapshot: str | None, published: str | None, config: str | None, files: tuple[str, ...], console: Console
) -> _Asked:
    from tokensync.commands.tokens import themes_of
    from tokensync.project.configured_outputs import configured_themes, manners_of
    from tokensync.project.sources import from_project, from_snapshot

    options.check_snapshot(snapshot, published, config, files)
    if snapshot is not None:
        source = from_snapshot(snapshot, published)
        console.problems_in_short(source.problems)
        return _Asked(source.graph, themes_of(source.graph), {})
    project = options.load_project(config)
    source = from_project(project, files)
    console.problems_in_short(source.problems)
    themes = configured_themes(source.graph, project.config.themes, project.source)
    return _Asked(source.graph, themes_of(source.graph, themes), manners_of(project))


@command.command("list")
@click.option("--names", "with_names", is_flag=True, help="Show the names of each token on every platform.")
@_about_a_graph
def list_(
    with_names: bool,
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """List tokens with their names and values. A table of the default theme, or everything with --json."""
    from tokensync.cli.token_table import name_table, token_table
    from tokensync.commands.tokens import list_tokens
    from tokensync.project.configured_outputs import names_on_platforms, references_on_platforms
    from tokensync.targets import DEFAULTS, NAMED
    from tokensync.tokens import DEFAULT_THEME

    graph, themes, manners = _asked(snapshot, published, config, files, console)
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
        console.table(*name_table(live), fitted=True)
    elif live:
        console.table(*token_table(live, graph, in_colour=console.colour_of_result), fitted=True)
    others = [row.token.origin for row in rows if row.token.origin != "local"]
    kinds = ", ".join(f"{others.count(origin)} {origin}" for origin in sorted(set(others)))
    console.say(counted(len(live), "token") + (f"; not shown: {kinds}" if kinds else ""))
    return 0


@command.command("show")
@click.argument("token")
@_about_a_graph
def show(
    token: str,
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Show everything about TOKEN. A path, a collection and a path, or an id."""
    from tokensync.commands.tokens import find_tokens, list_tokens
    from tokensync.project.configured_outputs import names_on_platforms

    graph, themes, manners = _asked(snapshot, published, config, files, console)
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
@_about_a_graph
def why_(
    token: str,
    theme_name: str | None,
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Explain TOKEN's value. Shows each alias that is followed, theme by theme."""
    from tokensync.commands.tokens import find_token, literal_json, shown
    from tokensync.errors import UsageError
    from tokensync.tokens import value_text

    graph, themes, _ = _asked(snapshot, published, config, files, console)
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
    from tokensync.cli.table import table
    from tokensync.tokens import value_text

    rows = [(f"  {hop.token.key}", f"in {hop.mode.context}", value_text(hop.value)) for hop in hops]
    return tuple(table(rows))


@command.command("dependents")
@click.argument("token")
@_about_a_graph
def dependents_(
    token: str,
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """List the tokens that refer to TOKEN. Includes indirect references, as a tree."""
    from tokensync.commands.tokens import dependents, find_token

    graph = _asked(snapshot, published, config, files, console).graph
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
