"""Asks the graph: what tokens there are, what one of them is, why it has its value, and what depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.errors import UsageError
from tokensync.tokens import (
    DEFAULT_THEME,
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    Theme,
    TokenGraph,
    TokenKey,
    Unresolved,
    inferred_themes,
    shortest,
    targets,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.tokens import Resolved, Token, Value

PLATFORMS = ("css", "android", "ios")


class Step(NamedTuple):
    """One step of the way from a token to its literal: the token, the mode that it is read in, and what is written."""

    token: Token
    mode: str
    written: str


class Row(NamedTuple):
    """A token with its resolved values; ``values`` and ``aliases`` are keyed by theme name and mode context."""

    token: Token
    names: dict[str, str]
    values: dict[str, Any]
    aliases: dict[str, str]


def themes_of(graph: TokenGraph, configured: Sequence[Theme] = ()) -> tuple[Theme, ...]:
    """The default theme and the configured ones, or those that the collections' modes make."""
    return (DEFAULT_THEME, *(configured or inferred_themes(graph.collections.values())))


def list_tokens(
    graph: TokenGraph, names: Mapping[str, Mapping[TokenKey, str]], themes: Sequence[Theme]
) -> tuple[Row, ...]:
    """Every token of the graph in its order; ``names`` holds a platform's identifiers."""
    resolvers = {theme.name: graph.resolver(theme) for theme in themes}
    return tuple(_row(graph, token, names, resolvers) for token in graph.tokens.values())


def find_tokens(graph: TokenGraph, wanted: str) -> tuple[Token, ...]:
    """The tokens that ``wanted`` names: a path (``a.b`` or ``a/b``), one with its collection's handle before it, or an id.

    Live ones come first. Raises UsageError with near names when there is none.
    """
    path = wanted.replace("/", ".")
    found = [
        token
        for key, token in graph.tokens.items()
        if wanted in (token.id, token.variable_key)
        or path in (key.path, f"{key.collection}.{key.path}", f"{key.file}.{key.collection}.{key.path}")
    ]
    if not found:
        from difflib import get_close_matches

        near = get_close_matches(path, [key.path for key in graph.tokens], n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "tokensync tokens list shows all"
        raise UsageError(f"{wanted}: no token is called so; {hint}")
    return tuple(sorted(found, key=lambda each: each.origin != "local"))


def why(graph: TokenGraph, token: Token, theme: Theme) -> tuple[tuple[Step, ...], Resolved]:
    """The way from the token to its literal in a theme: every alias that is followed, and the end of it.

    Of a composed colour the base is followed; its opacity is named in the step.
    """
    chosen = {key: family.default_mode for key, family in graph.collections.items()} | dict(theme.modes)
    steps: list[Step] = []
    seen: set[TokenKey] = set()
    current: Token | None = token
    while current is not None and current.key not in seen:
        seen.add(current.key)
        index = chosen[current.key[:2]]
        value = graph.value(current, index)
        steps.append(Step(current, graph.collection_of(current).modes[index].context, written(value)))
        onward = targets(value)
        current = graph.tokens.get(onward[0]) if onward else None
    return tuple(steps), graph.resolve(token, theme)


def dependents(graph: TokenGraph, key: TokenKey) -> tuple[tuple[Token, int], ...]:
    """Every token that refers to this one in any mode, however indirectly, with how many aliases lie between."""
    reverse: dict[TokenKey, list[TokenKey]] = {}
    for token in graph.tokens.values():
        for target in {target for value in token.values for target in targets(value)}:
            reverse.setdefault(target, []).append(token.key)
    distance = {key: 0}
    pending = [key]
    for current in pending:  # grows while it is walked: nearest first
        for each in reverse.get(current, ()):
            if each not in distance:
                distance[each] = distance[current] + 1
                pending.append(each)
    return tuple((graph.tokens[each], distance[each]) for each in pending[1:])


def literal_json(token: Token, value: Resolved) -> Any:
    """A resolved value as JSON, spelled as a token file would; None when there is none."""
    match value:
        case Color():
            return _color_json(value)
        case Quantity(number=number, unit=unit):
            return {"value": _number(number), "unit": unit}
        case Composite(json=text):
            from json import loads

            return loads(text)
        case bool() | str():
            return value
        case float():
            return {"value": _number(value), "unit": "px"} if token.type == "dimension" else _number(value)
        case _:
            return None


def written(value: Value | None) -> str:
    """A value as written, for people: ``{handle.path}`` for an alias."""
    match value:
        case None:
            return "nothing"
        case Alias(target=target):
            return f"{{{target.collection}.{target.path}}}"
        case DanglingAlias(reference=reference):
            return f"{{{reference}}}, which is not there"
        case ComposedColor(color=color, opacity=opacity):
            share = f"{shortest(opacity)} %" if isinstance(opacity, float) else written(opacity)
            return f"{written(color)} at {share}"
        case Color():
            return hexadecimal(value)
        case bool():
            return "true" if value else "false"
        case float():
            return shortest(value)
        case Quantity(number=number, unit=unit):
            return f"{shortest(number)}{unit}"
        case Composite(json=text):
            return text
        case _:
            return repr(value)


def shown(token: Token, value: Resolved) -> str:
    """A resolved value for people."""
    if isinstance(value, Unresolved):
        return f"no value ({value.reason} at {value.at})"
    text = written(value)
    return f"{text}px" if token.type == "dimension" and isinstance(value, float) else text


def hexadecimal(color: Color) -> str:
    """``#rrggbb``, with two more digits when the colour is not opaque."""
    digits = "".join(f"{_channel(each):02x}" for each in (color.red, color.green, color.blue))
    return f"#{digits}" if color.alpha == 1 else f"#{digits}{_channel(color.alpha):02x}"


def _row(graph: TokenGraph, token: Token, names: Mapping[str, Mapping[TokenKey, str]], resolvers: Any) -> Row:
    family = graph.collection_of(token)
    return Row(
        token,
        {platform: known[token.key] for platform, known in names.items() if token.key in known},
        {theme: literal_json(token, resolver(token.key)) for theme, resolver in resolvers.items()},
        {
            mode.context: f"{value.target.collection}.{value.target.path}"
            if isinstance(value, Alias)
            else value.reference
            for mode, value in zip(family.modes, token.values, strict=True)
            if isinstance(value, Alias | DanglingAlias)
        },
    )


def _color_json(color: Color) -> dict[str, Any]:
    from tokensync.tokens import float32

    components = [_number(each) for each in (color.red, color.green, color.blue)]
    alpha = {} if color.alpha == 1 else {"alpha": _number(float32(color.alpha))}
    opaque = hexadecimal(Color(color.red, color.green, color.blue))
    return {"colorSpace": "srgb", "components": components, **alpha, "hex": opaque}


def _number(number: float) -> int | float:
    text = shortest(number)
    return float(text) if "." in text else int(text)


def _channel(share: float) -> int:
    return int(share * 255 + 0.5)
