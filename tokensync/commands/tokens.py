"""Asks the graph: what tokens there are, what one of them is, why it has its value, and what depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tokensync.errors import UsageError
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
    value_text,
)
from tokensync.tokens.algorithms import closure, reverse
from tokensync.tokens.paths import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.tokens import Resolved, Token


_SHOWN = 10
_LONGEST_COMPARED = 200
"""Characters."""


class Dependent(NamedTuple):
    """A token that refers to another one: how many aliases lie between, and the token that it refers to on the way."""

    token: Token
    distance: int
    through: Token


class Row(NamedTuple):
    """A token with its resolved values; ``values`` and ``aliases`` are keyed by theme name and mode context."""

    token: Token
    names: dict[str, str]
    values: dict[str, Any]
    aliases: dict[str, str]


def themes_of(graph: TokenGraph, configured: Sequence[Theme] = ()) -> tuple[Theme, ...]:
    """Return the default theme and the configured ones, or those that the collections' modes make."""
    return (DEFAULT_THEME, *(configured or inferred_themes(graph.collections.values())))


def list_tokens(
    graph: TokenGraph, names: Mapping[str, Mapping[TokenKey, str]], themes: Sequence[Theme]
) -> tuple[Row, ...]:
    """Return every token of the graph in its order; ``names`` holds a platform's identifiers."""
    resolvers = {theme.name: graph.resolver(theme) for theme in themes}
    spelled: dict[tuple[str, Resolved], Any] = {}  # most values are shown by many tokens, in many themes

    def literal(token: Token, value: Resolved) -> Any:
        known = (token.type, value)
        if known not in spelled:
            spelled[known] = literal_json(token, value)
        return spelled[known]

    return tuple(_row(graph, token, names, resolvers, literal) for token in graph.tokens.values())


def find_tokens(graph: TokenGraph, wanted: str) -> tuple[Token, ...]:
    """Return the tokens that ``wanted`` names, live ones first: by id, by key, or by path.

    A path is spelled as a token file has it (``a.b``) or as the editor does (``a/b``), and may have the collection's
    handle before it, and the file's before that. The whole of the three names one token, whatever else has that name.
    Raises UsageError with near names when there is none.
    """
    spelled = wanted.replace(" / ", "/")
    paths = {wanted, spelled.replace("/", "."), path_of(spelled.split("/"))}
    whole = [token for key, token in graph.tokens.items() if full_name(token) in paths or wanted == token.id]
    found = whole or [
        token
        for key, token in graph.tokens.items()
        if key.path in paths or f"{key.collection}.{key.path}" in paths or (wanted and wanted == token.variable_key)
    ]
    if not found:
        raise UsageError(f"{wanted}: there is no such token; {_hint(graph, wanted)}")
    return tuple(sorted(found, key=lambda each: each.origin != "local"))


def find_token(graph: TokenGraph, wanted: str) -> Token:
    """Return the one token that ``wanted`` names; a live one counts before those of other files and deleted ones.

    Raises UsageError that lists the whole names when there are several, and near ones when there is none.
    """
    found = find_tokens(graph, wanted)
    live = [each for each in found if each.origin == "local"] or found
    if len(live) > 1:
        names = ", ".join(full_name(each) for each in live[:_SHOWN])
        more = f" and {len(live) - _SHOWN} more" if len(live) > _SHOWN else ""
        raise UsageError(f"{wanted}: {len(live)} tokens have this name; use one of: {names}{more}")
    return live[0]


def full_name(token: Token) -> str:
    """``file.collection.path``, which no two tokens share."""
    return ".".join(token.key)


def _hint(graph: TokenGraph, wanted: str) -> str:
    """Near names; very long ones are omitted, since comparing them takes long."""
    from difflib import get_close_matches

    path = wanted.replace("/", ".").casefold()
    known = {key.path.casefold(): key.path for key in graph.tokens if len(key.path) <= _LONGEST_COMPARED}
    near = get_close_matches(path[:_LONGEST_COMPARED], known, n=3)
    return f"did you mean {' or '.join(known[each] for each in near)}?" if near else "tokensync tokens list shows all"


def dependents(graph: TokenGraph, key: TokenKey) -> tuple[Dependent, ...]:
    """Return every token that refers to this one in any mode, however indirectly; nearest first."""
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


def literal_json(token: Token, value: Resolved) -> Any:
    """Return a resolved value as JSON, spelled as a token file would; None when there is none."""
    from tokensync.tokens.composites import literal_json as bare_json

    if isinstance(value, Unresolved):
        return None
    if isinstance(value, Color):
        opaque = Color(value.red, value.green, value.blue)
        return {**bare_json(replace(value, alpha=float32(value.alpha)), token.type), "hex": hexadecimal(opaque)}
    return bare_json(value, token.type)


def shown(token: Token, value: Resolved) -> str:
    """Return a resolved value for people."""
    if isinstance(value, Unresolved):
        return f"no value ({value.reason} at {value.at})"
    text = value_text(value)
    return f"{text}px" if token.type == "dimension" and isinstance(value, float) else text


def _row(
    graph: TokenGraph,
    token: Token,
    names: Mapping[str, Mapping[TokenKey, str]],
    resolvers: Mapping[str, Callable[[TokenKey], Resolved]],
    literal: Callable[[Token, Resolved], Any],
) -> Row:
    family = graph.collection_of(token)
    return Row(
        token,
        {platform: known[token.key] for platform, known in names.items() if token.key in known},
        {theme: literal(token, resolver(token.key)) for theme, resolver in resolvers.items()},
        {
            mode.context: f"{value.target.collection}.{value.target.path}"
            if isinstance(value, Alias)
            else value.reference
            for mode, value in zip(family.modes, token.values, strict=True)
            if isinstance(value, Alias | DanglingAlias)
        },
    )
