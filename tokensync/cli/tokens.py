"""``tokensync tokens``: queries of the token graph, and new names for tokens and modes."""

from __future__ import annotations

import os
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tokensync.cli import options
from tokensync.system.errors import UsageError, stop_on_errors
from tokensync.system.outlet.terminal import Cell, Swatch, table
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.cli.console import Console
    from tokensync.code.search import CodeUse, SearchedCode
    from tokensync.commands.renaming import Renamed
    from tokensync.commands.tokens import Dependent, Row
    from tokensync.normalize.composites import Assembly
    from tokensync.project.code_references import CodeNames
    from tokensync.project.configuration import Levels, Project
    from tokensync.project.configured_outputs import PlatformNaming
    from tokensync.tokens import Hop, Resolved, Theme, Token, TokenGraph, TokenKey

_MODES_SHOWN = 6
_PLACES_SHOWN = 3


@click.group("tokens", cls=options.Group)
def tokens_command() -> None:
    """Look up tokens, and rename tokens and modes."""


class _Queried(NamedTuple):
    """The selected graph, its themes, the naming of its tokens by platform, and the levels of problems.

    ``project`` is None for saved responses. ``assemblies`` tells how ``[[composites]]`` rules assembled some tokens.
    """

    graph: TokenGraph
    themes: tuple[Theme, ...]
    naming: Mapping[str, PlatformNaming]
    levels: Levels
    project: Project | None = None
    assemblies: Mapping[TokenKey, Assembly] = {}

    def in_code(self) -> CodeNames:
        from tokensync.project.code_references import CodeNames

        return CodeNames(self.graph, self.project)


def _on_graph(function: Callable[..., Any]) -> options.Command:
    """Add the options that select a graph and --json; the command receives the graph as ``queried``."""

    @options.token_source
    @options.json
    @options.console
    @wraps(function)
    def with_graph(*, source: options.TokenSource, console: Console, **arguments: Any) -> Any:
        from tokensync.commands.tokens import themes_of
        from tokensync.generate.targets import target
        from tokensync.project.configured_outputs import configured_themes, naming_by_platform, theme_problems
        from tokensync.project.sources import from_project, from_snapshot

        if source.snapshot is not None:
            levels = options.snapshot_levels(source.config)
            graph, problems = from_snapshot(source.snapshot, source.published, levels=levels)[:2]
            queried = _Queried(graph, themes_of(graph), {}, levels)
        else:
            project = options.load_project(source.config)
            graph, problems, _, assemblies = from_project(project, source.files)
            problems = (*problems, *theme_problems(graph, project))
            themes = themes_of(graph, configured_themes(graph, project))
            naming = naming_by_platform(project)
            shared = {target(name).names_of: settings for name, settings in naming.items()}
            queried = _Queried(graph, themes, shared | naming, project.levels, project, assemblies)
        console.summarize(problems)
        return function(queried=queried, console=console, **arguments)

    return with_graph


def _theme_names(project: Project) -> Iterator[str]:
    from tokensync.commands.tokens import themes_of
    from tokensync.project.configured_outputs import configured_themes
    from tokensync.project.sources import from_project

    graph = from_project(project).graph
    return (theme.name for theme in themes_of(graph, configured_themes(graph, project)))


_WITH_PROPERTIES = {"ignore_unknown_options": True}
"""The settings of commands whose argument can be a custom property: ``--accent`` is no option."""
_token = click.argument("token", shell_complete=options.complete_tokens)


@tokens_command.command("list")
@click.argument("name", required=False, shell_complete=options.complete_tokens)
@click.option("--names", "with_names", is_flag=True, help="Show each token's name on every platform.")
@_on_graph
def list_(name: str | None, with_names: bool, queried: _Queried, as_json: bool, console: Console) -> int:
    """List tokens with their names and values.

    NAME is a group or a collection; without it, all tokens are listed.
    Shows the default theme; --json includes all themes.
    """
    from tokensync.commands.tokens import list_tokens, tokens_below
    from tokensync.generate.targets import DEFAULTS, NAMED
    from tokensync.project.code_references import references_on_platforms
    from tokensync.project.configured_outputs import named_on_platforms, names_on_platforms
    from tokensync.tokens import DEFAULT_THEME

    graph, themes, naming, levels, project, _ = queried
    listed = None if name is None else {token.key for token in tokens_below(graph, name)}
    names = names_on_platforms(graph, naming, NAMED if with_names else DEFAULTS)
    if as_json or with_names:
        problems = levels.applied(names.problems)
        stop_on_errors(problems)
        console.summarize(problems)
    named_by = named_on_platforms(graph, naming, NAMED) if with_names else {}
    if as_json:
        references = references_on_platforms(graph, names, project) if with_names else {}
        rows = list_tokens(graph, names.identifiers, themes, listed)
        of_code = {"references": references, "named_by": named_by} if with_names else {}
        console.json([_row_json(row, of_code) for row in rows])
        return 0
    rows = list_tokens(graph, names.identifiers, (DEFAULT_THEME,), listed)
    live = [row for row in rows if row.token.origin == "local"]
    if live and with_names:
        console.table(*_name_table(live, named_by), optional=[operation.upper() for operation in reversed(NAMED)][:-1])
    elif live:
        console.table(*_value_table(live, graph, in_colour=console.colour_of_result), optional=("CSS", "TYPE"))
    others = [row.token.origin for row in rows if row.token.origin != "local"]
    kinds = ", ".join(f"{others.count(origin)} {origin}" for origin in sorted(set(others)))
    console.info(counted(len(live), "token") + (f"; not shown: {kinds}" if kinds else ""))
    return 0


@tokens_command.command("show", context_settings=_WITH_PROPERTIES)
@_token
@_on_graph
def show(token: str, queried: _Queried, as_json: bool, console: Console) -> int:
    """Show all details of TOKEN. TOKEN is a path, a collection and a path, an id, or a name in code."""
    from tokensync.commands.tokens import find_tokens, list_tokens
    from tokensync.project.configured_outputs import names_on_platforms

    graph, themes, naming, *_ = queried
    keys = [each.key for each in find_tokens(graph, token, queried.in_code())]
    names = names_on_platforms(graph, naming).identifiers
    rows = {row.token.key: row for row in list_tokens(graph, names, themes, keys)}
    if as_json:
        console.json([_row_json(rows[key]) for key in keys])
        return 0
    for index, key in enumerate(keys):
        lines = _details(rows[key], graph, themes)
        console.result(*(("",) if index else ()), *lines)
    return 0


def _details(row: Row, graph: TokenGraph, themes: Sequence[Theme]) -> Iterator[str]:
    from tokensync.commands.tokens import shown, written
    from tokensync.normalize.mapping import opacities
    from tokensync.system import outlet

    token, collection = row.token, graph.collection_of(row.token)
    yield f"{token.key}  ({token.public_type}, {'hidden, ' if token.hidden else ''}{token.origin})"
    facts = (("description", token.description), ("scopes", ", ".join(token.scopes)), ("id", token.id))
    for label, text in (*facts, *row.names.items()):
        if text:
            yield f"  {label:12} {text}"
    contexts = [outlet.shown(mode.context) for mode in collection.modes]
    yield "  declared"
    width = max(map(len, contexts), default=0)
    for context, value in zip(contexts, token.values, strict=True):
        yield f"    {context:{width}}  {'inherited' if value is None else written(token, value)}"
    yield "  resolved"
    units = opacities(graph)
    values = [(theme.name, shown(token, graph.resolve(token, theme), units)) for theme in themes]
    for value, names in _grouped(values):
        yield f"    {listed(names, _MODES_SHOWN)}: {value}"


@tokens_command.command("why", context_settings=_WITH_PROPERTIES)
@_token
@click.option(
    "--theme",
    "theme_names",
    multiple=True,
    metavar="NAME",
    shell_complete=options.completing(_theme_names),
    help="Show this theme only; several are combined.",
)
@_on_graph
def why_(token: str, theme_names: tuple[str, ...], queried: _Queried, as_json: bool, console: Console) -> int:
    """Explain TOKEN's value. Shows the chain of aliases in each theme.

    TOKEN can be a name in code, such as R.color.accent.
    """
    from tokensync.commands.tokens import combined_theme, explanation, find_token, shown
    from tokensync.normalize.mapping import opacities

    graph, themes = queried.graph, queried.themes
    start = find_token(graph, token, queried.in_code())
    assembly = queried.assemblies.get(start.key)
    selected = [combined_theme(themes, theme_names)] if theme_names else themes
    if as_json:
        console.json([explanation(graph, start, theme, assembly) for theme in selected])
        return 0
    units = opacities(graph)
    traces = [(theme, tuple(graph.trace(start, theme)), graph.resolve(start, theme)) for theme in selected]
    chains = [(theme.name, (shown(start, value, units), _chain(hops))) for theme, hops, value in traces]
    for (value, chain), names in _grouped(chains):
        console.result(f"{listed(names, _MODES_SHOWN)}: {value}", *chain)
    if assembly is not None:
        rule = f"assembled by rule {assembly.rule + 1} of [[composites]] from"
        console.result(rule, *(f"  {part}" for part in assembly.parts))
    return 0


def _chain(hops: Sequence[Hop]) -> tuple[str, ...]:
    from tokensync.commands.tokens import written
    from tokensync.system import outlet

    rows = [(str(hop.token.key), f"in {hop.mode.context}", written(hop.token, hop.value)) for hop in hops]
    width = outlet.width()
    return tuple(f"  {line}" for line in table(rows, width and width - 2))


@tokens_command.command("dependents", context_settings=_WITH_PROPERTIES)
@_token
@_on_graph
def dependents_(token: str, queried: _Queried, as_json: bool, console: Console) -> int:
    """List the tokens that refer to TOKEN. Shows indirect references, too, as a tree.

    TOKEN can be a name in code, such as Color.accent.
    """
    from tokensync.commands.tokens import dependents, find_token

    graph = queried.graph
    root = find_token(graph, token, queried.in_code())
    referring = dependents(graph, root.key)
    if as_json:
        console.json([{**_identity(dependent.token), "distance": dependent.distance} for dependent in referring])
        return 0
    if not referring:
        console.info(f"no token refers to {root.key}")
    console.result(*_tree(root, referring))
    return 0


def _tree(root: Token, referring: Sequence[Dependent]) -> Iterator[str]:
    children: dict[Any, list[Dependent]] = {}
    for dependent in reversed(referring):
        children.setdefault(dependent.through.key, []).append(dependent)
    pending = list(children.get(root.key, ()))
    while pending:
        dependent = pending.pop()
        yield f"{'  ' * (dependent.distance - 1)}{dependent.token.key}"
        pending += children.get(dependent.token.key, ())


class _Unused(NamedTuple):
    """A token that seems unused, with the reason, and what is known: None is unknown."""

    token: Token
    why: str
    in_design: bool | None = None
    in_code: bool | None = None
    in_layers: bool | None = None

    @property
    def confidence(self) -> str:
        """Return how sure this is: high only if other files, code and the layers of the own files were all asked."""
        known = [self.in_design, self.in_code, self.in_layers].count(True)
        return ("low", "low", "medium", "high")[known] if self.in_design else "low"


def not_asked(*, code: bool, layers: bool) -> str:
    """Return what was not asked whether it uses a token, and how to ask it; an empty text if all was."""
    texts = ("code was not searched (--code PATH)", "layers were not read (--layers)")
    return ", ".join(text for text, is_asked in zip(texts, (code, layers), strict=True) if not is_asked)


def unused_in(*, code: bool, layers: bool) -> str:
    """Return where a token is unused, and what was not asked."""
    where = {(False, False): "", (False, True): " and in layers", (True, False): " and in the code searched"}
    unknown = not_asked(code=code, layers=layers)
    found = where.get((code, layers), ", in layers and in the code searched")
    return f"unused in the other design files{found}{f'; {unknown}' if unknown else ''}"


_CODE = "the code searched does not use it"


@tokens_command.command("unused")
@click.option("--offline", is_flag=True, help="List the tokens that no token refers to, without contacting Figma.")
@options.code
@options.layers
@options.token_source
@options.result
def unused_(
    offline: bool, code: tuple[str, ...], layers: bool, source: options.TokenSource, as_json: bool, console: Console
) -> int:
    """List unused tokens. No other file uses them, and no used token refers to them.

    If Figma does not report usage, lists the tokens that no token refers to. Code and layers of the files themselves
    may still use them: search these with --code and --layers. What is not known is reported on stderr, even with
    --quiet.
    """
    if source.snapshot is not None and code:
        raise UsageError("--code: the names in code come from a configuration; remove --snapshot")
    if layers and (offline or source.snapshot is not None):
        raise UsageError(f"--layers: it asks Figma; remove {'--offline' if offline else '--snapshot'}")
    if offline or source.snapshot is not None:
        unused = _by_references(source, code, console)
    else:
        unused = _by_usage(source, code, console, layers=layers)
    if as_json:
        console.json(
            [
                {
                    **_identity(each.token),
                    "unused_in_design_files": each.in_design,
                    "unused_in_code": each.in_code,
                    "unused_in_layers": each.in_layers,
                    "confidence": each.confidence,
                    "why": each.why,
                }
                for each in unused
            ]
        )
        return 0
    for reason in dict.fromkeys(each.why for each in unused):
        console.caveat(f"{reason}:")
        console.result(*(str(each.token.key) for each in unused if each.why == reason))
    if not unused:
        console.info("no unused tokens")
    return 0


def _by_references(
    selection: options.TokenSource,
    code: tuple[str, ...],
    console: Console,
    in_layers: AbstractSet[TokenKey] | None = None,
) -> list[_Unused]:
    """Return the tokens that no token refers to; ``in_layers`` are those that layers use, or None if not asked."""
    from tokensync.code.search import search_code
    from tokensync.commands.usage import unreferenced
    from tokensync.project.sources import chosen_files, from_project, from_snapshot

    searched = None
    if selection.snapshot is not None:
        levels = options.snapshot_levels(selection.config)
        source = from_snapshot(selection.snapshot, selection.published, levels=levels)
        selected = {token.key.file for token in source.graph.tokens.values()}
    else:
        project = options.load_project(selection.config)
        source = from_project(project)
        selected = {file.name for file in chosen_files(project, selection.files)}
        searched = search_code(project, source.graph, code) if code else None
    console.summarize(source.problems)
    tokens = [token for token in unreferenced(source.graph) if token.key.file in selected]
    tokens = [token for token in tokens if token.key not in (in_layers or ())]
    if searched is not None:
        _show_uses(((token, searched.uses.get(token.key, ())) for token in tokens), console)
        options.show_search(searched, console)
        tokens = [token for token in tokens if token.key not in searched.uses]
    return [_unreferenced(token, searched, layers=in_layers is not None) for token in tokens]


def _unreferenced(token: Token, searched: SearchedCode | None, others: str = "other files", *, layers: bool) -> _Unused:
    """Return a token that no token refers to, and of whose use in design files nothing is known."""
    if token.hidden:
        why = "hidden, and no token refers to it: only layers of its own file and code can use it"
    else:
        why = f"no token refers to it, but {others} may use it"
    known = (_CODE if searched is not None else "", not_asked(code=searched is not None, layers=layers))
    return _Unused(
        token, "; ".join(filter(None, (why, *known))), None, None if searched is None else True, layers or None
    )


def _by_usage(
    selection: options.TokenSource, code: tuple[str, ...], console: Console, *, layers: bool
) -> list[_Unused]:
    """Return the unused tokens by analytics or, if the platform denies access to it, by references."""
    from tokensync.commands.usage import usage, used_in_layers
    from tokensync.project.sources import from_project
    from tokensync.system.errors import AccessError

    with options.connected_project(selection.config, console) as (project, client, progress):
        try:
            result = usage(project, client, selection.files, code=code, layers=layers, progress=progress)
        except AccessError as error:
            console.caveat(f"usage is unknown: {error}")
            graph = from_project(project).graph
            in_layers = used_in_layers(project, client, graph, progress) if layers else None
            return _by_references(selection, code, console, in_layers)
    console.summarize(result.problems)
    searched = result.searched
    if searched is not None:
        _show_uses(((row.token, row.code) for row in result.rows if row.status == "used in code"), console)
        options.show_search(searched, console)
    why = unused_in(code=searched is not None, layers=layers)
    unused = [
        _Unused(row.token, why, True, None if searched is None else True, layers or None)
        for row in result.rows
        if row.status == "unused"
    ]
    if result.unused_libraries:
        referred = {key for row in result.rows for key in row.token.references}
        others = "no file uses its library yet, so analytics say nothing, and new files"
        unused += [
            _unreferenced(row.token, searched, others, layers=layers)
            for row in result.rows
            if row.status == "library unused" and row.token.key not in referred
        ]
    return unused


def _show_uses(used: Iterable[tuple[Token, Sequence[CodeUse]]], console: Console) -> None:
    """Report the tokens that only code uses, with the places."""
    lines = []
    for token, uses in used:
        places = [f"{use.path}:{use.line}" for use in uses]
        if places:
            lines.append(f"  {token.key}: {listed(places, len(places) if console.verbose else _PLACES_SHOWN)}")
    if lines:
        console.info("used only in code:")
    for line in lines:
        console.info(line)


_dry_run = click.option("--dry-run", is_flag=True, help="Write nothing; show which files would change.")


def _mode_names(project: Project) -> Iterator[str]:
    from tokensync.project.sources import from_project

    for family in from_project(project).graph.collections.values():
        if family.origin == "local":
            yield from (f"{family.handle}/{mode.context}" for mode in family.modes if mode.collection == family.handle)


@tokens_command.command("rename")
@click.argument("token", metavar="OLD", shell_complete=options.complete_tokens)
@click.argument("name", metavar="NEW")
@_dry_run
@options.project
@options.result
def rename_(token: str, name: str, dry_run: bool, config: str | None, as_json: bool, console: Console) -> int:
    """Rename a token or a group. Changes every mode's file, and every reference."""
    from tokensync.commands.renaming import rename_token

    project = options.load_project(config)
    _show_renamed(project, rename_token(project, token, name, dry_run=dry_run), console, as_json, dry_run)
    return 0


@tokens_command.command("rename-mode")
@click.argument("mode", metavar="COLLECTION/MODE", shell_complete=options.completing(_mode_names))
@click.argument("name")
@_dry_run
@options.project
@options.result
def rename_mode_(mode: str, name: str, dry_run: bool, config: str | None, as_json: bool, console: Console) -> int:
    """Rename a mode in files and the configuration. The next plan also renames it in Figma, unless it has the name."""
    from tokensync.commands.renaming import rename_mode

    project = options.load_project(config)
    _show_renamed(project, rename_mode(project, mode, name, dry_run=dry_run), console, as_json, dry_run)
    return 0


def _show_renamed(project: Project, result: Renamed, console: Console, as_json: bool, dry_run: bool) -> None:
    from tokensync.project.lock import conflicts_of_lock
    from tokensync.project.sources import project_texts, strays

    unread = (*conflicts_of_lock(project.folder), *strays(project, project_texts(project)))
    console.problems(project.levels.applied(unread))
    if as_json:
        console.json(result._asdict())
        return
    if not result.changed:
        console.info(f"{result.name}: nothing to do")
        return
    console.info(f"{result.former} {'would become' if dry_run else 'is now'} {result.name}")
    for verb, paths in (("change", result.changed), ("remove", result.removed)):
        if paths:
            console.info(f"  {f'would {verb}' if dry_run else f'{verb}d'} {counted(len(paths), 'file')}")
            for path in paths:
                (console.info if dry_run else console.detail)(f"    {path}")
    for note in result.notes:
        console.info(f"  {note}")


def _grouped(pairs: Sequence[tuple[str, Any]]) -> list[tuple[Any, list[str]]]:
    groups: dict[Any, list[str]] = {}
    for name, value in pairs:
        groups.setdefault(value, []).append(name)
    return list(groups.items())


def _identity(token: Token) -> dict[str, Any]:
    return {"file": token.key.file, "collection": token.key.collection, "path": token.key.path, "id": token.id}


def _row_json(row: Row, of_code: Mapping[str, Mapping[TokenKey, Mapping[str, str]]] = {}) -> dict[str, Any]:
    """Return the row as a JSON object, with these members about code, whose values are texts by platform."""
    token = row.token
    return {
        "file": token.key.file,
        "collection": token.key.collection,
        "path": token.key.path,
        "type": token.public_type,
        "names": row.names,
        **{member: texts.get(token.key, {}) for member, texts in of_code.items()},
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
    """Return a table of types, values and CSS names, with swatches if ``in_colour`` and the terminal supports them."""
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


def _name_table(rows: Sequence[Row], named_by: Mapping[TokenKey, Mapping[str, str]]) -> list[tuple[Cell, ...]]:
    platforms = list(dict.fromkeys(platform for row in rows for platform in row.names))
    names = (
        (row.token.key, [*(row.names.get(name, "") for name in platforms), _reasons(named_by[row.token.key])])
        for row in rows
    )
    return table_by_token([*(platform.upper() for platform in platforms), "NAMED BY"], names)


def _reasons(named_by: Mapping[str, str]) -> str:
    """Return what named a token, with the platforms if it differs: ``code syntax (css, scss), packaged template``."""
    platforms: dict[str, list[str]] = {}
    for platform, reason in named_by.items():
        platforms.setdefault(reason, []).append(platform)
    if len(platforms) == 1:
        return next(iter(platforms))
    return "; ".join(f"{reason}: {', '.join(names)}" for reason, names in platforms.items())


def table_by_token(header: Sequence[Cell], rows: Iterable[tuple[TokenKey, Sequence[Cell]]]) -> list[tuple[Cell, ...]]:
    """Return a table whose first columns identify the token, with its design file if there are several."""
    from tokensync.normalize.mapping import name_of_path

    lines = [(key.file, key.collection, name_of_path(key.path), *cells) for key, cells in rows]
    of_files = len({line[0] for line in lines}) > 1
    return [line if of_files else line[1:] for line in [("FILE", "COLLECTION", "TOKEN", *header), *lines]]


def _swatch(value: Resolved) -> Swatch | None:
    from tokensync.tokens import Color

    if not isinstance(value, Color):
        return None
    return Swatch(*(int(min(max(each, 0.0), 1.0) * 255 + 0.5) for each in (value.red, value.green, value.blue)))
