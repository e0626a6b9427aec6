"""``tokensync tokens``: questions about the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console
    from tokensync.commands.tokens import Row
    from tokensync.tokens import Theme, Token, TokenGraph


@click.group("tokens")
def command() -> None:
    """Ask the graph: list, show, why, dependents."""


def _about_a_graph(function: Callable[..., Any]) -> Any:
    for option in (options.snapshot, options.published, options.config, options.files, options.json):
        function = option(function)
    return options.console(function)


def _graph(
    snapshot: str | None, published: str | None, config: str | None, files: tuple[str, ...], console: Console
) -> tuple[TokenGraph, tuple[Theme, ...]]:
    """The graph that the options name, and the themes to look at it in."""
    from tokensync.commands.sources import from_project, from_snapshot
    from tokensync.commands.themes import configured_themes
    from tokensync.commands.tokens import themes_of
    from tokensync.config import load_project

    if snapshot is not None:
        source = from_snapshot(snapshot, published)
        console.problems(source.problems)
        return source.graph, themes_of(source.graph)
    project = load_project(config)
    source = from_project(project, files)
    console.problems(source.problems)
    themes = configured_themes(source.graph, project.config.themes, project.source)
    return source.graph, themes_of(source.graph, themes)


@command.command("list")
@_about_a_graph
def list_(
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Every token with its names and values."""
    from tokensync.commands.naming import names_on_platforms
    from tokensync.commands.tokens import list_tokens

    graph, themes = _graph(snapshot, published, config, files, console)
    names, problems = names_on_platforms(graph)
    console.problems(problems)
    rows = list_tokens(graph, names, themes)
    if as_json:
        console.json([_row_json(row) for row in rows])
    else:
        for row in rows:
            if row.token.origin == "local":
                console.result(f"{row.token.key.collection:20} {row.token.key.path:40} {row.token.type}")
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
    """All that is known of TOKEN (a path, handle.path, or an id)."""
    from tokensync.commands.naming import names_on_platforms
    from tokensync.commands.tokens import find_tokens, list_tokens, shown, written

    graph, themes = _graph(snapshot, published, config, files, console)
    found = find_tokens(graph, token)
    names, _ = names_on_platforms(graph)
    if as_json:
        wanted = {each.key for each in found}
        console.json([_row_json(row) for row in list_tokens(graph, names, themes) if row.token.key in wanted])
        return 0
    for each in found:
        console.result(f"{each.key.collection} / {each.key.path}  ({each.type}, {each.origin})")
        facts = (("description", each.description), ("scopes", ", ".join(each.scopes)), ("id", each.id))
        named = ((platform, known.get(each.key, "")) for platform, known in names.items())
        for label, text in (*facts, *named):
            if text:
                console.result(f"  {label:12} {text}")
        family = graph.collection_of(each)
        for mode, value in zip(family.modes, each.values, strict=True):
            console.result(f"  in {mode.context:20} {written(value)}")
        for theme in themes:
            console.result(f"  as {theme.name:20} {shown(each, graph.resolve(each, theme))}")
    return 0


@command.command("why")
@click.argument("token")
@click.option("--theme", "theme_name", metavar="NAME", help="Only in this theme.")
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
    """Why TOKEN has its value: each alias that is followed, theme by theme."""
    from tokensync.commands.tokens import find_tokens, literal_json, shown, why
    from tokensync.errors import UsageError

    graph, themes = _graph(snapshot, published, config, files, console)
    found = find_tokens(graph, token)[0]
    chosen = [each for each in themes if theme_name in (None, each.name)]
    if not chosen:
        raise UsageError(f"--theme {theme_name}: there is no such theme; known: {', '.join(t.name for t in themes)}")
    answers = [(theme, *why(graph, found, theme)) for theme in chosen]
    if as_json:
        console.json(
            [
                {
                    "theme": theme.name,
                    "value": literal_json(found, value),
                    "steps": [
                        {
                            "token": f"{step.token.key.collection}.{step.token.key.path}",
                            "mode": step.mode,
                            "written": step.written,
                        }
                        for step in steps
                    ],
                }
                for theme, steps, value in answers
            ]
        )
        return 0
    for theme, steps, value in answers:
        console.result(f"{theme.name}: {shown(found, value)}")
        for step in steps:
            console.result(f"  {step.token.key.collection} / {step.token.key.path} in {step.mode}: {step.written}")
    return 0


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
    """Every token that refers to TOKEN, however indirectly."""
    from tokensync.commands.tokens import dependents, find_tokens

    graph, _ = _graph(snapshot, published, config, files, console)
    found = dependents(graph, find_tokens(graph, token)[0].key)
    if as_json:
        console.json([{**_identity(each), "distance": distance} for each, distance in found])
        return 0
    for each, distance in found:
        console.result(f"{'  ' * (distance - 1)}{each.key.collection} / {each.key.path}")
    return 0


def _identity(token: Token) -> dict[str, Any]:
    return {"file": token.key.file, "collection": token.key.collection, "path": token.key.path, "id": token.id}


def _row_json(row: Row) -> dict[str, Any]:
    token = row.token
    return {
        "file": token.key.file,
        "collection": token.key.collection,
        "path": token.key.path,
        "type": token.type,
        "names": row.names,
        "values": row.values,
        "aliases": row.aliases,
        "id": token.id,
        "key": token.variable_key,
        "description": token.description,
        "hidden": token.hidden,
        "remote": token.origin == "remote",
        "deleted": token.origin == "deleted",
    }
