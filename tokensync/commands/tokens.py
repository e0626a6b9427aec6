"""Query the token graph: list and find tokens, and trace dependents."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tokensync.generate.output import Resolution
from tokensync.generate.themes import both
from tokensync.system.errors import UsageError
from tokensync.system.wording import argument, counted, listed, suggestion
from tokensync.tokens import (
    DEFAULT_THEME,
    Alias,
    Color,
    DanglingAlias,
    Theme,
    TokenGraph,
    TokenKey,
    Unresolved,
    float32,
    hexadecimal,
    inferred_themes,
    shortest,
    value_text,
)
from tokensync.tokens.algorithms import closure, reverse
from tokensync.tokens.paths import names as names_of_path
from tokensync.tokens.paths import path_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from tokensync.normalize.composites import Assembly
    from tokensync.normalize.mapping import Opacity
    from tokensync.project.code_references import CodeNames
    from tokensync.tokens import FamilyKey, Resolved, Token, Value
    from tokensync.tokens.resolver import LiteralIndex


_SHOWN = 10
_MAX_COMPARED = 200
_EXAMPLES = 3
"""Characters of a path that are compared to suggest similar names."""


class Dependent(NamedTuple):
    """A token that refers to another: the number of aliases between them, and the next token on that path."""

    token: Token
    distance: int
    through: Token


class Row(NamedTuple):
    """A token with its resolved ``values`` by theme name and its ``aliases`` by mode context."""

    token: Token
    names: dict[str, str]
    values: dict[str, Any]
    aliases: dict[str, str]


def themes_of(graph: TokenGraph, configured: Sequence[Theme] = ()) -> tuple[Theme, ...]:
    """Return the default theme and the configured themes or, without those, the themes inferred from the modes."""
    return (DEFAULT_THEME, *(configured or inferred_themes(graph.collections.values())))


def combined_theme(themes: Sequence[Theme], names: Sequence[str]) -> Theme:
    """Return the combination of the themes with these names, each of which can be several, joined by `` + ``.

    JSON outputs name pairs of themes so. Raises UsageError for an unknown name, and for two modes of one collection.
    """
    by_name = {theme.name: theme for theme in themes}
    parts = [part for name in names for part in ((name,) if name in by_name else name.split(" + "))]
    combination: Theme | None = None
    chosen: dict[FamilyKey, tuple[int, str]] = {}
    for name in parts:
        if name not in by_name:
            raise UsageError(f"--theme {name}: no such theme; {suggestion(name, tuple(by_name))}")
        theme = by_name[name]
        for family, mode in theme.modes:
            other, of = chosen.setdefault(family, (mode, name))
            if other != mode:
                what = f"it has another mode of {family[1]} than {of}, and only one can apply"
                raise UsageError(f"--theme {name}: {what}; remove one of them")
        if theme is not DEFAULT_THEME:
            combination = both(combination, theme) if combination else theme
    return combination or DEFAULT_THEME


def list_tokens(
    graph: TokenGraph,
    names: Mapping[str, Mapping[TokenKey, str]],
    themes: Sequence[Theme],
    keys: Container[TokenKey] | None = None,
) -> tuple[Row, ...]:
    """Return a row for each token, or each of these, in the order of the graph.

    ``names`` has the identifiers by platform.
    """
    resolution = Resolution(graph)
    columns, default = graph.columns, resolution.default.literals
    documents: dict[tuple[LiteralIndex, str], Any] = {}  # most values occur in many tokens and themes

    def document(token: Token, literal: LiteralIndex) -> Any:
        value = (literal, token.type)
        if value not in documents:
            documents[value] = literal_json(token, columns.values[literal])
        return documents[value]

    tokens = graph.tokens.items()
    selected = {graph.table.indices[key]: token for key, token in tokens if keys is None or key in keys}
    theme_names = [theme.name for theme in themes]
    values = {index: dict.fromkeys(theme_names, document(token, default[index])) for index, token in selected.items()}
    for theme in themes:
        varying = resolution.varying([theme])
        literals = resolution.in_theme(theme, varying).literals
        for index in varying:
            if literals[index] != default[index] and index in values:
                values[index][theme.name] = document(selected[index], literals[index])
    rows = []
    for index, token in selected.items():
        identifiers = {platform: known[token.key] for platform, known in names.items() if token.key in known}
        rows.append(Row(token, identifiers, values[index], _aliases(graph, token)))
    return tuple(rows)


def _aliases(graph: TokenGraph, token: Token) -> dict[str, str]:
    aliases = {}
    for mode, value in zip(graph.collection_of(token).modes, token.values, strict=True):
        match value:
            case Alias(target=key):
                aliases[mode.context] = f"{key.collection}.{key.path}"
            case DanglingAlias(reference=reference):
                aliases[mode.context] = reference
    return aliases


def find_tokens(graph: TokenGraph, name: str, in_code: CodeNames | None = None) -> tuple[Token, ...]:
    """Return the tokens with this id, key, path or, with ``in_code``, name in code; local tokens first.

    A path is written as in token files (``a.b``) or as in the editor (``a/b``), optionally preceded by the collection's
    handle, and by the file's name before that. A full name selects one token even if other tokens have a part of it.
    Raises UsageError with similar names if there is no such token.
    """
    paths = _paths_of(name)
    tokens = [token for token in graph.tokens.values() if full_name(token) in paths or name == token.id] or [
        token
        for key, token in graph.tokens.items()
        if key.path in paths or f"{key.collection}.{key.path}" in paths or (name and name == token.variable_key)
    ]
    if not tokens and in_code and not _members(graph, name):
        tokens = [graph.tokens[key] for key in in_code.keys(name)]
    if not tokens and (members := _members(graph, name)):
        kind = "collection" if _paths_of(name) & _collections(graph) else "group"
        names = listed(["/".join((each.key.collection, *names_of_path(each.key.path))) for each in members], _EXAMPLES)
        to_do = f"name one of them ({names}), or list them with tokensync tokens list {argument(name)}"
        raise UsageError(f"{name}: this is a {kind} with {counted(len(members), 'token')}, not a token; {to_do}")
    if not tokens:
        nearest = in_code.nearest(name) if in_code else ""
        raise UsageError(f"{name}: no such token; {f'did you mean {nearest}?' if nearest else _hint(graph, name)}")
    return tuple(sorted(tokens, key=lambda each: each.origin != "local"))


def tokens_below(graph: TokenGraph, name: str) -> tuple[Token, ...]:
    """Return the tokens of a group or collection, which is written as ``find_tokens`` reads paths, or one token.

    Raises UsageError with similar names if there is no such group or token.
    """
    return _members(graph, name) or find_tokens(graph, name)


def _members(graph: TokenGraph, name: str) -> tuple[Token, ...]:
    paths = tuple(f"{path}." for path in _paths_of(name) if path)
    tokens = [token for token in graph.tokens.values() if full_name(token).startswith(paths)] or [
        each
        for key, each in graph.tokens.items()
        if f"{key.collection}.{key.path}".startswith(paths) or key.path.startswith(paths)
    ]
    local = [token for token in tokens if token.origin == "local"]
    return tuple(local or tokens)


def _paths_of(name: str) -> set[str]:
    spelled = name.replace(" / ", "/").strip("/")
    return {name, spelled.replace("/", "."), path_of(spelled.split("/"))}


def _collections(graph: TokenGraph) -> set[str]:
    return {each for key in graph.collections for each in (key[1], ".".join(key))}


def find_token(graph: TokenGraph, name: str, in_code: CodeNames | None = None) -> Token:
    """Return the token that ``find_tokens`` finds; a local token takes precedence over remote and deleted ones.

    Raises UsageError that lists the full names if it is ambiguous, and similar names if there is no such token.
    """
    tokens = find_tokens(graph, name, in_code)
    candidates = [token for token in tokens if token.origin == "local"] or tokens
    if len(candidates) > 1:
        names = listed([full_name(candidate) for candidate in candidates], _SHOWN)
        raise UsageError(f"{name}: {len(candidates)} tokens have this name; use one of: {names}")
    return candidates[0]


def full_name(token: Token) -> str:
    """Return ``file.collection.path``, which is unique."""
    return ".".join(token.key)


def _hint(graph: TokenGraph, name: str) -> str:
    """Return similar names; very long ones are omitted because comparing them is slow."""
    from difflib import get_close_matches

    path = name.replace(" / ", "/").replace("/", ".").casefold()
    names: dict[str, TokenKey] = {}
    for key in graph.tokens:
        if len(key.path) <= _MAX_COMPARED:
            names |= {key.path.casefold(): key, f"{key.collection}.{key.path}".casefold(): key}
    similar: dict[TokenKey, str] = {}
    for match in get_close_matches(path[:_MAX_COMPARED], names, n=3):
        similar.setdefault(names[match], match)  # the nearest first
    if similar:
        shown = (key.path if len(each) == len(key.path) else ".".join(key[1:]) for key, each in similar.items())
        separator = "/" if "/" in name else "."
        return f"did you mean {' or '.join(each.replace('.', separator) for each in shown)}?"
    return "tokensync tokens list shows all tokens"


def dependents(graph: TokenGraph, key: TokenKey) -> tuple[Dependent, ...]:
    """Return every token that refers to this one in any mode, directly or indirectly; nearest first."""
    referring = reverse(graph.references())
    found_through = closure([key], lambda each: referring.get(each, ()))
    distance = {key: 0}
    for each, through in found_through.items():
        if each != key:
            distance[each] = distance[through] + 1
    del distance[key]
    return tuple(
        Dependent(graph.tokens[each], number, graph.tokens[found_through[each]]) for each, number in distance.items()
    )


def explanation(graph: TokenGraph, token: Token, theme: Theme, assembly: Assembly | None = None) -> dict[str, Any]:
    """Return a token's value in a theme with the steps that lead to it, as JSON; ``assembly`` is how it was made."""
    from tokensync.normalize.mapping import opacities

    value = graph.resolve(token, theme)
    number = in_code(token, value, opacities(graph))
    return {
        "theme": theme.name,
        "value": literal_json(token, value),
        **({"parts": [f"{part.collection}.{part.path}" for part in assembly.parts]} if assembly else {}),
        **({} if number is None else {"in_code": number}),
        "steps": [
            {
                "token": f"{hop.token.key.collection}.{hop.token.key.path}",
                "mode": hop.mode.context,
                "written": written(hop.token, hop.value),
            }
            for hop in graph.trace(token, theme)
        ],
    }


def literal_json(token: Token, value: Resolved) -> Any:
    """Return a resolved value as JSON in the form of token files; None if it has no value."""
    from tokensync.tokens.composites import literal_json as bare_json

    if isinstance(value, Unresolved):
        return None
    if isinstance(value, Color):
        opaque = Color(value.red, value.green, value.blue)
        return {**bare_json(replace(value, alpha=float32(value.alpha)), token.type), "hex": hexadecimal(opaque)}
    return bare_json(value, token.type)


def in_code(token: Token, value: Resolved, units: Mapping[TokenKey, Opacity]) -> float | None:
    """Return the number that code contains if it is another one than the token's; ``units`` are those of a graph."""
    from tokensync.generate.notation import share

    opacity = units.get(token.key)
    if opacity is None or opacity.unit != "percent" or not isinstance(value, float) or value == 0:
        return None
    return float(share(value) or 0)


def shown(token: Token, value: Resolved, units: Mapping[TokenKey, Opacity] = MappingProxyType({})) -> str:
    """Return a resolved value as text; with the ``units`` of a graph, also what code contains for a percentage."""
    if isinstance(value, Unresolved):
        return f"no value ({value.reason} at {value.at})"
    text = written(token, value)
    if (number := in_code(token, value, units)) is not None:
        return f"{shortest(number)} in code, from {text} %"
    return text


def written(token: Token, value: Value | None) -> str:
    """Return a token's value in a mode as text, with its unit; the reference of an alias."""
    return f"{value_text(value)}px" if token.type == "dimension" and isinstance(value, float) else value_text(value)
