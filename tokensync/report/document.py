"""A graph as the data of the page: columns of small numbers, each distinct value once, aliases as edges.

The page settles values itself, in the browser, by the rules of ``TokenGraph``: so a mode can be chosen for each
collection at once, and the data does not grow with their combinations. templates/report/graph.js reads it.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.naming import in_order
from tokensync.report.specimens import SPECIMENS, specimens_of
from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    channel,
    shortest,
)
from tokensync.tokens.composites import decoded, parts_of
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.tokens import Collection, FamilyKey, Mode, Theme, Token, TokenGraph, TokenKey, Value

KINDS = {
    "color": "c",
    "dimension": "nq",
    "duration": "q",
    "number": "n",
    "fontWeight": "n",
    "string": "s",
    "fontFamily": "sx",
    "boolean": "b",
}
"""The kinds of literal that a token of each type can show; any, for a type that is not here."""

HIDDEN, DEPRECATED, UNPUBLISHED, ELSEWHERE = 1, 2, 4, 8
"""Marks of a token; the last is one that these files do not declare: remote or deleted."""


def document_of(
    graph: TokenGraph, platform_names: Mapping[str, Mapping[TokenKey, str]], themes: Sequence[Theme] = ()
) -> dict[str, Any]:
    """All that the page shows, as JSON; ``themes`` are the configured ones."""
    tokens = _listed(graph)
    places = {token.key: place for place, token in enumerate(tokens)}
    families = {key: index for index, key in enumerate(graph.collections)}
    groups: dict[tuple[str, ...], int] = {}
    types: dict[str, int] = {}
    values = _Values(places)
    paths = [names(token.key.path) for token in tokens]
    return {
        "collections": [_collection(graph, each) for each in graph.collections.values()],
        "axes": _axes(graph, themes, families),
        "platforms": list(platform_names),
        "collection": [families[token.key[:2]] for token in tokens],
        "group": [groups.setdefault(path[:-1], len(groups)) for path in paths],
        "leaf": [path[-1] for path in paths],
        "type": [types.setdefault(token.type, len(types)) for token in tokens],
        "specimen": [SPECIMENS.index(each) for each in specimens_of(tokens)],
        "mark": [_mark(token) for token in tokens],
        "code": [values.written(token) for token in tokens],
        "name": [[of.get(token.key, "") for token in tokens] for of in platform_names.values()],
        "description": {str(place): each.description for place, each in enumerate(tokens) if each.description},
        "deprecated": {str(place): each.deprecated for place, each in enumerate(tokens) if each.deprecated},
        "groups": [list(path) for path in groups],
        "types": [[name, KINDS.get(name, "")] for name in types],
        "specimens": list(SPECIMENS),
        "values": values.distinct,
    }


def _listed(graph: TokenGraph) -> list[Token]:
    """Local tokens by collection, those of one group together; then those that they may refer to elsewhere."""
    local = in_order((each for each in graph.tokens.values() if each.origin == "local"), graph)
    together: dict[tuple[FamilyKey, str], list[Token]] = {}
    for token in local:
        together.setdefault((token.key[:2], token.key.path.rpartition(".")[0]), []).append(token)
    of_collection: dict[FamilyKey, list[Token]] = {}
    for (family, _), group in together.items():
        of_collection.setdefault(family, []).extend(group)
    listed = [token for several in of_collection.values() for token in several]
    return [*listed, *(each for each in graph.tokens.values() if each.origin != "local")]


def _collection(graph: TokenGraph, family: Collection) -> dict[str, Any]:
    several = len({each.file for each in graph.collections.values() if each.origin == "local"}) > 1
    extensions = _extension_names(family)
    return {
        "name": family.name,
        "handle": family.handle,
        "file": family.file if several else "",
        "modes": [[each.name, extensions.get(each.collection, ""), each.parent] for each in family.modes],
        "default": family.default_mode,
    }


def _axes(graph: TokenGraph, themes: Sequence[Theme], families: Mapping[FamilyKey, int]) -> list[dict[str, Any]]:
    """What a reader can choose: a configured theme, or a mode of each local collection that has several.

    A context is its name and pairs of a collection and a mode; one that chooses nothing is the default.
    """
    if themes:
        contexts = [
            ["default", []],
            *([each.name, [[families[key], mode] for key, mode in each.modes]] for each in themes),
        ]
        return [{"name": "Theme", "contexts": contexts}]
    axes = []
    for key, family in graph.collections.items():
        if family.origin == "local" and len(family.modes) > 1:
            extensions = _extension_names(family)
            order = [family.default_mode, *(at for at in range(len(family.modes)) if at != family.default_mode)]
            contexts = [[_context(family.modes[at], extensions), [[families[key], at]]] for at in order]
            axes.append({"name": family.name, "contexts": contexts})
    return axes


def _extension_names(family: Collection) -> dict[str, str]:
    """The extensions' names by handle, without the collection's own in front: ``Brand`` of ``Theme / Brand``."""
    own = f"{family.name} / "
    return {each.handle: each.name.removeprefix(own) or each.name for each in family.extensions}


def _context(mode: Mode, extensions: Mapping[str, str]) -> str:
    return f"{extensions[mode.collection]} · {mode.name}" if mode.collection in extensions else mode.name


def _mark(token: Token) -> int:
    return (
        HIDDEN * token.hidden
        | DEPRECATED * bool(token.deprecated)
        | UNPUBLISHED * (token.published is False and not token.hidden)
        | ELSEWHERE * (token.origin != "local")
    )


class _Values:
    """Values as codes: the place of the token that an alias leads to, or -1 less the number of a distinct value."""

    def __init__(self, places: Mapping[TokenKey, int]) -> None:
        self.places = places
        self.distinct: list[list[Any]] = []
        self._numbers: dict[tuple[type, Value, str], int] = {}

    def written(self, token: Token) -> int | list[int | None] | None:
        """A code a mode, None where nothing is written; the code alone where there is one mode."""
        codes = [None if value is None else self._code(value, token.type) for value in token.values]
        return codes[0] if len(codes) == 1 else codes

    def _code(self, value: Value, token_type: str) -> int:
        if isinstance(value, Alias):
            return self.places[value.target]
        key = (type(value), value, token_type if isinstance(value, Composite) else "")
        number = self._numbers.get(key)
        if number is None:
            spelled = self._spelled(value, token_type)
            number = self._numbers[key] = len(self.distinct)
            self.distinct.append(spelled)
        return -1 - number

    def _spelled(self, value: Value, token_type: str) -> list[Any]:
        match value:
            case Color():
                opaque = "#" + "".join(f"{channel(each):02x}" for each in (value.red, value.green, value.blue))
                return ["c", opaque, shortest(value.alpha)]
            case bool():
                return ["b", value]
            case float():
                return ["n", _decimal(value)]
            case Quantity(number=number, unit=unit):
                return ["q", _decimal(number), unit]
            case str():
                return ["s", value]
            case ComposedColor(color=color, opacity=opacity):
                return ["m", self._code(color, token_type), self._code(opacity, token_type)]
            case DanglingAlias(reference=reference):
                return ["d", reference]
            case Composite():
                return self._composite(value, token_type)
        raise TypeError(type(value).__name__)

    def _composite(self, value: Composite, token_type: str) -> list[Any]:
        """Its JSON, and what stands in it: the steps there, the part's type, the token's place, the kinds that fit."""
        try:
            tree = decoded(value.json)
        except (ValueError, RecursionError):
            return ["d", value.json]
        targets = dict(value.references)
        parts = [
            [list(part.path), part.type, self.places[targets[part.reference]], KINDS.get(part.type, "x")]
            for part in parts_of(token_type, tree)
            if part.reference is not None and targets.get(part.reference) in self.places
        ]
        return ["x", tree, parts]


def _decimal(number: float) -> str:
    return shortest(number) if isfinite(number) else str(number)
