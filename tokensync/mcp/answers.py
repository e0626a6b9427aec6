"""Answers about a project's tokens, as JSON of bounded size. Nothing here writes a file."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.commands.tokens import combined_theme, dependents, explanation, find_token, find_tokens, full_name, shown
from tokensync.mcp.search import Index
from tokensync.system.errors import UsageError
from tokensync.system.outlet import readable
from tokensync.tokens import Color, Quantity, hexadecimal
from tokensync.tokens.algorithms import reverse
from tokensync.tokens.values import DURATIONS, LENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.normalize.composites import Assembly
    from tokensync.normalize.mapping import Opacity
    from tokensync.project.code_references import CodeNames
    from tokensync.project.configuration import Project
    from tokensync.tokens import Resolved, Theme, Token, TokenGraph, TokenKey

_TOKENS, _ROWS, _THEMES = 8, 40, 24
"""The most tokens, other rows and themes of an answer, which has to fit an agent's context."""
_TEXT: Final = 160
"""Characters of a text of the design file."""
_NEAR: Final = 10.0
"""The largest distance that is near: of a colour by CIEDE2000, and 100 times the difference of alpha; or px, ms."""
_VALUE: Final = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\([^()]{1,80}\)"
    r"|(?<![\w.#-])(?P<number>\d{0,6}\.?\d{1,6})(?P<unit>px|rem|ms|s)\b|^\s*(?P<bare>\d{1,6}(?:\.\d{1,6})?)\s*$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?!#)(?:var\()?(?=\S*[-./_$@]|\S*[a-z][A-Z])\S+")
"""What looks like a name of a token or of code, and not like words."""
_UNITS: Final = {**dict.fromkeys(LENGTHS, "dimension"), **dict.fromkeys(DURATIONS, "duration")}


class _State(NamedTuple):
    """A project with what questions need, which holds as long as its files stay the same."""

    project: Project
    graph: TokenGraph
    themes: tuple[Theme, ...]
    value_in: Callable[[Theme], Callable[[TokenKey], Resolved]]
    references: Mapping[TokenKey, Mapping[str, str]]
    names: CodeNames
    units: Mapping[TokenKey, Opacity]
    assemblies: Mapping[TokenKey, Assembly]
    primitive: frozenset[TokenKey]
    search: Index


class Answers:
    """A method for each tool. ``load`` reads the project, whose files can change between two questions."""

    def __init__(self, load: Callable[[], Project]) -> None:
        self._load = load
        self._made_from: object = None
        self._known: _State

    def find_tokens(self, query: str, theme: str = "", type: str = "", cursor: int = 0) -> dict[str, Any]:  # noqa: A002
        """Return the tokens with a name, with a value and the nearest ones, or else for a use."""
        state, query = self._state(), query.strip()
        themes = _themes(state, theme)
        found: list[tuple[Token, float | None]] = []
        if _NAME.fullmatch(query):
            with suppress(UsageError):
                found = [(token, None) for token in find_tokens(state.graph, query, state.names)]
        elif match := _VALUE.search(query):
            found = [*_with_value(state, match, themes[0])]
        found = found or [(token, None) for token in state.search.ranked(query)]
        found = [pair for pair in found if not type or pair[0].public_type == type]
        return _page("tokens", found, cursor, _TOKENS, lambda pair: _described(state, pair[0], pair[1], themes))

    def why(self, token: str, theme: str = "") -> dict[str, Any]:
        """Return the steps from a token to its value; themes with the same steps are one row."""
        state = self._state()
        start = find_token(state.graph, token, state.names)
        rows: dict[str, dict[str, Any]] = {}
        for each in _themes(state, theme):
            steps = explanation(state.graph, start, each, state.assemblies.get(start.key))["steps"]
            steps = [{name: readable(text, _TEXT) for name, text in step.items()} for step in steps]
            row = {"themes": [], "value": _value(state, start, each), "steps": steps}
            rows.setdefault(repr(row), row)["themes"].append(readable(each.name, _TEXT))
        return {"token": _name(state, start), **_page("values", [*rows.values()], 0, _THEMES)}

    def dependents(self, token: str, cursor: int = 0) -> dict[str, Any]:
        """Return the tokens that refer to a token, directly or not, nearest first."""
        state = self._state()
        rows = [
            {"token": _name(state, row.token), "distance": row.distance, "through": _name(state, row.through)}
            for row in dependents(state.graph, find_token(state.graph, token, state.names).key)
        ]
        return _page("dependents", rows, cursor, _ROWS)

    def check_code(self, code: str, path: str, cursor: int = 0) -> dict[str, Any]:
        """Return the raw values of code that a token could replace, and names that no token has or a deprecated one."""
        from tokensync.code.checking import check_code
        from tokensync.code.files import has_language

        name = f"code{os.path.splitext(path)[1]}"
        if not has_language(name):
            raise UsageError(f"{readable(path)}: no language is known by this suffix; use .css, .tsx, .kt, .swift, ...")
        state = self._state()
        problems = check_code(state.project, state.graph, (), texts={name: code}).problems
        return _page("problems", [readable(str(problem), 2 * _TEXT) for problem in problems], cursor, _ROWS)

    def plan(self, cursor: int = 0) -> dict[str, Any]:
        """Return what ``tokensync plan`` shows for the design files, and write nothing."""
        from tokensync.commands.plan import make_plan
        from tokensync.plan.review import text_lines
        from tokensync.project.connection import connect

        project = self._load()
        with connect(project) as client:
            planned = make_plan(project, client, writes=False)
        plans = planned.file.plans
        lines = [readable(line.text, 2 * _TEXT) for plan in plans for line in text_lines(plan, everything=True)]
        problems = [readable(str(problem), 2 * _TEXT) for problem in planned.problems]
        counts = {plan.file: len(plan.operations) for plan in plans}
        return {"operations": counts, "problems": problems[:_TOKENS], **_page("review", lines, cursor, _ROWS)}

    def _state(self) -> _State:
        from tokensync.project.sources import from_project

        project = self._load()
        source = from_project(project)
        if self._made_from != (made_from := (source.digest, project.config, project.folder)):
            self._known, self._made_from = _made(project, source.graph, source.assemblies), made_from
        return self._known


def _made(project: Project, graph: TokenGraph, assemblies: Mapping[TokenKey, Assembly]) -> _State:
    from tokensync.commands.library import themes_of
    from tokensync.normalize.mapping import opacities
    from tokensync.project.code_references import CodeNames, references_on_platforms
    from tokensync.project.configured_outputs import names_on_platforms, naming_by_platform

    naming = naming_by_platform(project)
    references = references_on_platforms(graph, names_on_platforms(graph, naming, [*naming]), project)
    local = [token for token in graph.tokens.values() if token.origin == "local"]
    referring = reverse(graph.references())
    primitive = frozenset(
        token.key
        for token in local
        if not token.references and any(_group(each) != _group(token.key) for each in referring.get(token.key, ()))
    )
    search = Index(local, primitive, references or graph.tokens)
    names, units, themes = CodeNames(graph, project), opacities(graph), themes_of(project, graph)
    return _State(
        project, graph, themes, cache(graph.resolver), references, names, units, assemblies, primitive, search
    )


def _group(key: TokenKey) -> tuple[str, str, str]:
    return key.file, key.collection, key.path.partition(".")[0]


def _themes(state: _State, name: str) -> tuple[Theme, ...]:
    return (combined_theme(state.themes, [name]),) if name else state.themes


def _with_value(state: _State, match: re.Match[str], theme: Theme) -> list[tuple[Token, float]]:
    """Return the tokens with a value in a theme and those near it, with their distance: equal ones of the use first."""
    words = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    rank = {token.key: place for place, token in enumerate(state.search.ranked(words))}
    distance_to, value_of = _distance(match), state.value_in(theme)

    def order(pair: tuple[Token, float]) -> tuple[Any, ...]:
        key = pair[0].key
        return bool(pair[0].deprecated), pair[1], key in state.primitive, rank.get(key, len(rank)), len(key.path)

    local = (token for token in state.graph.tokens.values() if token.origin == "local")
    measured = ((token, distance_to(token, value_of(token.key))) for token in local)
    found = sorted(((token, distance) for token, distance in measured if distance is not None), key=order)
    return [pair for at, pair in enumerate(found) if not at or pair[1] <= _NEAR]


def _distance(match: re.Match[str]) -> Callable[[Token, Resolved], float | None]:
    """Return a function from a token and its value to the distance of a value in a text; None for other types."""
    factors, unit = {**LENGTHS, **DURATIONS, "": 1.0}, (match["unit"] or "").lower()
    if number := match["number"] or match["bare"]:
        wanted = float(number) * factors[unit]

        def of_number(token: Token, value: Resolved) -> float | None:
            pure = value.number * factors.get(value.unit, 1.0) if isinstance(value, Quantity) else value
            if not isinstance(pure, float) or token.type != _UNITS.get(unit, token.type):
                return None
            return abs(pure - wanted)

        return of_number
    from coloraide import Color as Parsed

    try:
        color = Parsed(match[0]).convert("srgb")
    except ValueError:
        raise UsageError(f"{match[0]}: no colour in CSS notation; write it as #rrggbb") from None

    @cache
    def difference(value: Color) -> float:
        if hexadecimal(value) == color.to_string(hex=True):
            return 0.0
        other = Parsed("srgb", [value.red, value.green, value.blue])
        return float(color.delta_e(other, method="2000")) + 100 * abs(color.alpha() - value.alpha)

    return lambda _, value: difference(value) if isinstance(value, Color) else None


def _described(state: _State, token: Token, distance: float | None, themes: Sequence[Theme]) -> dict[str, Any]:
    """Return what code needs to know about a token; ``code`` is empty if no output has it."""
    texts = {readable(theme.name, _TEXT): _value(state, token, theme) for theme in themes}
    first, value = next(iter(texts.items()))
    values = {name: text for name, text in texts.items() if name == first or text != value}
    references = state.references.get(token.key, {})
    facts = {
        "token": _name(state, token),
        "type": token.public_type,
        "code": {platform: readable(text, _TEXT) for platform, text in references.items()},
        "values": dict([*values.items()][:_THEMES]),
        "more_themes": max(0, len(values) - _THEMES),
        "scopes": [*token.scopes],
        "description": readable(token.description, _TEXT),
        "deprecated": readable(token.deprecated, _TEXT) if isinstance(token.deprecated, str) else token.deprecated,
    }
    known = {name: fact for name, fact in facts.items() if fact or name == "code"}
    return known if distance is None else {**known, "distance": round(distance, 2)}


def _value(state: _State, token: Token, theme: Theme) -> str:
    return readable(shown(token, state.value_in(theme)(token.key), state.units), _TEXT)


def _name(state: _State, token: Token) -> str:
    """Return a name by which the tools find the token again."""
    name = full_name(token)
    return readable(name if len(state.project.config.files) > 1 else name.partition(".")[2], 2 * _TEXT)


def _page(
    name: str, rows: Sequence[Any], cursor: int, most: int, made: Callable[[Any], Any] = lambda row: row
) -> dict[str, Any]:
    """Return some of the rows, each ``made`` for the answer, and how to get the next ones."""
    left = len(rows) - cursor - most
    page = [made(row) for row in rows[cursor : cursor + most]]
    return {name: page, **({"more": left, "cursor": cursor + most} if left > 0 else {})}
