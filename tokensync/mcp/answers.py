"""Answers about a project's tokens, as JSON of bounded size. Nothing here writes a file."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tokensync.commands.tokens import combined_theme, dependents, explanation, find_token, find_tokens, full_name, shown
from tokensync.mcp.search import Index
from tokensync.system.errors import UsageError
from tokensync.system.outlet import readable
from tokensync.tokens import Color, Quantity, Resolved, Theme, Token, TokenKey, hexadecimal
from tokensync.tokens.algorithms import reverse
from tokensync.tokens.values import DURATIONS, LENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.project.configuration import Project
    from tokensync.project.sources import Source

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
_TYPES: Final = {**dict.fromkeys(LENGTHS, "dimension"), **dict.fromkeys(DURATIONS, "duration")}
_FACTORS: Final = {**LENGTHS, **DURATIONS, "": 1.0}


class Answers:
    """A method for each tool. ``load`` reads the project, whose files can change between two questions."""

    def __init__(self, load: Callable[[], Project]) -> None:
        self._load = load
        self._known: _Tokens | None = None

    def find_tokens(self, query: str, theme: str = "", cursor: int = 0) -> dict[str, Any]:
        """Return the tokens with a name, with a value and the nearest ones, or else for a use."""
        tokens, query = self._tokens(), query.strip()
        themes = tokens.chosen(theme)
        found: list[tuple[Token, float | None]] = []
        if _NAME.fullmatch(query):
            with suppress(UsageError):
                found = [(token, None) for token in find_tokens(tokens.graph, query, tokens.names)]
        elif match := _VALUE.search(query):
            found = [*tokens.with_value(match, themes[0])]
        found = found or [(token, None) for token in tokens.search.ranked(query)]
        return _page("tokens", found, cursor, _TOKENS, lambda pair: tokens.described(pair[0], pair[1], themes))

    def why(self, token: str, theme: str = "") -> dict[str, Any]:
        """Return the steps from a token to its value; themes with the same steps are one row."""
        tokens = self._tokens()
        start = find_token(tokens.graph, token, tokens.names)
        rows: dict[str, dict[str, Any]] = {}
        for chosen in tokens.chosen(theme):
            found = explanation(tokens.graph, start, chosen, tokens.assemblies.get(start.key))
            steps = [{name: readable(text, _TEXT) for name, text in step.items()} for step in found["steps"]]
            parts = {"parts": [readable(part, _TEXT) for part in found["parts"]]} if "parts" in found else {}
            row = {"themes": [], "value": tokens.value(start, chosen), **parts, "steps": steps}
            rows.setdefault(repr(row), row)["themes"].append(readable(chosen.name, _TEXT))
        return {"token": tokens.name(start), **_page("values", [*rows.values()], 0, _THEMES)}

    def dependents(self, token: str, cursor: int = 0) -> dict[str, Any]:
        """Return the tokens that refer to a token, directly or not, nearest first."""
        tokens = self._tokens()
        rows = [
            {"token": tokens.name(row.token), "distance": row.distance, "through": tokens.name(row.through)}
            for row in dependents(tokens.graph, find_token(tokens.graph, token, tokens.names).key)
        ]
        return _page("dependents", rows, cursor, _ROWS)

    def check_code(self, code: str, path: str, cursor: int = 0) -> dict[str, Any]:
        """Return the raw values of code that a token could replace, and names that no token has or a deprecated one."""
        from tokensync.code.checking import check_code
        from tokensync.code.files import has_language

        name = f"code{os.path.splitext(path)[1]}"
        if not has_language(name):
            raise UsageError(f"{readable(path)}: no language is known by this suffix; use .css, .tsx, .kt, .swift, ...")
        tokens = self._tokens()
        problems = check_code(tokens.project, tokens.graph, (), texts={name: code}).problems
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

    def _tokens(self) -> _Tokens:
        from tokensync.project.sources import from_project

        project = self._load()
        source = from_project(project)
        if self._known is None or self._known.made_from != (source.digest, project.config):
            self._known = _Tokens(project, source)
        return self._known


class _Tokens:
    """The tokens of a project with what answers need, for as long as its files stay the same."""

    def __init__(self, project: Project, source: Source) -> None:
        from tokensync.commands.library import themes_of
        from tokensync.normalize.mapping import opacities
        from tokensync.project.code_references import CodeNames, references_on_platforms
        from tokensync.project.configured_outputs import names_on_platforms, naming_by_platform

        self.project, self.graph, self.made_from = project, source.graph, (source.digest, project.config)
        self.names, self._themes = CodeNames(project=project, graph=self.graph), themes_of(project, self.graph)
        self.assemblies, self._units = source.assemblies, opacities(self.graph)
        self._value_in = cache(self.graph.resolver)
        naming = naming_by_platform(project)
        names = names_on_platforms(self.graph, naming, [*naming])
        self._references = references_on_platforms(self.graph, names, project)
        self._local = [token for token in self.graph.tokens.values() if token.origin == "local"]
        referring = reverse(self.graph.references())
        self._primitive = {
            token.key
            for token in self._local
            if not token.references and any(_group(key) != _group(token.key) for key in referring.get(token.key, ()))
        }
        self.search = Index(self._local, self._primitive, self._references or self.graph.tokens)

    def chosen(self, theme: str) -> tuple[Theme, ...]:
        """Return the theme with a name, or all without one."""
        return (combined_theme(self._themes, [theme]),) if theme else self._themes

    def value(self, token: Token, theme: Theme) -> str:
        """Return the value of a token in a theme."""
        return readable(shown(token, self._value_in(theme)(token.key), self._units), _TEXT)

    def name(self, token: Token) -> str:
        """Return a name by which the tools find the token again."""
        name = full_name(token)
        return readable(name if len(self.project.config.files) > 1 else name.partition(".")[2], 2 * _TEXT)

    def with_value(self, match: re.Match[str], theme: Theme) -> list[tuple[Token, float]]:
        """Return the tokens with a value and those near it, with their distance: equal ones of the use first."""
        words = f"{match.string[: match.start()]} {match.string[match.end() :]}"
        rank = {token.key: place for place, token in enumerate(self.search.ranked(words))}
        distance_to, value_of = _distance(match), self._value_in(theme)

        def order(pair: tuple[Token, float]) -> tuple[Any, ...]:
            key = pair[0].key
            return bool(pair[0].deprecated), pair[1], key in self._primitive, rank.get(key, len(rank)), len(key.path)

        measured = ((token, distance_to(token, value_of(token.key))) for token in self._local)
        found = sorted(((token, distance) for token, distance in measured if distance is not None), key=order)
        return [pair for at, pair in enumerate(found) if not at or pair[1] <= _NEAR]

    def described(self, token: Token, distance: float | None, themes: Sequence[Theme]) -> dict[str, Any]:
        """Return what code needs to know about a token; ``code`` is empty if no output has it."""
        texts = {readable(theme.name, _TEXT): self.value(token, theme) for theme in themes}
        first, value = next(iter(texts.items()))
        values = [(name, text) for name, text in texts.items() if name == first or text != value]
        references = self._references.get(token.key, {})
        facts = {
            "token": self.name(token),
            "type": token.public_type,
            "code": {platform: readable(text, _TEXT) for platform, text in references.items()},
            "values": dict(values[:_THEMES]),
            "more_themes": max(0, len(values) - _THEMES),
            "scopes": [*token.scopes],
            "description": readable(token.description, _TEXT),
            "deprecated": readable(token.deprecated, _TEXT) if isinstance(token.deprecated, str) else token.deprecated,
        }
        known = {name: fact for name, fact in facts.items() if fact or name == "code"}
        return known if distance is None else {**known, "distance": round(distance, 2)}


def _group(key: TokenKey) -> tuple[str, ...]:
    return (*key[:2], key.names[0])


def _distance(match: re.Match[str]) -> Callable[[Token, Resolved], float | None]:
    """Return a function from a token and its value to the distance of a value in a text; None for other types."""
    from coloraide import Color as Parsed

    if number := match["number"] or match["bare"]:
        unit = (match["unit"] or "").lower()
        wanted = float(number) * _FACTORS[unit]

        def of_number(token: Token, value: Resolved) -> float | None:
            pure: Any = value
            if isinstance(value, Quantity):  # none for em and %, which are no number of pixels
                pure = value.number * _FACTORS[value.unit] if value.unit in _FACTORS else None
            is_other = not isinstance(pure, float) or token.type != _TYPES.get(unit, token.type)
            return None if is_other or not isinstance(pure, float) else abs(pure - wanted)

        return of_number
    try:
        color = Parsed(Parsed(match[0]).convert("srgb").to_string(hex=True))
    except ValueError:
        raise UsageError(f"{match[0]}: no colour in CSS notation; write it as #rrggbb") from None

    @cache
    def difference(value: Color) -> float:
        other = Parsed(hexadecimal(value))
        return float(color.delta_e(other, method="2000")) + 100 * abs(color.alpha() - other.alpha())

    return lambda _, value: difference(value) if isinstance(value, Color) else None


def _page(
    name: str, rows: Sequence[Any], cursor: int, most: int, made: Callable[[Any], Any] = lambda row: row
) -> dict[str, Any]:
    """Return some of the rows, each ``made`` for the answer, and how to get the next ones."""
    cursor = int(cursor)  # an integer of JSON Schema can be 1.0
    left = len(rows) - cursor - most
    page = [made(row) for row in rows[cursor : cursor + most]]
    return {name: page, **({"more": left, "cursor": cursor + most} if left > 0 else {})}
