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
    hexadecimal,
    shortest,
)
from tokensync.tokens.composites import decoded, parts_of
from tokensync.tokens.paths import decoded as decoded_name
from tokensync.tokens.paths import names
from tokensync.tokens.weights import AS_TEXT, weight_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.tokens import Collection, FamilyKey, Mode, Theme, Token, TokenGraph, TokenKey, Value

KINDS = {
    "color": "c",
    "dimension": "nq",
    "duration": "q",
    "number": "n",
    "fontWeight": "n",
    AS_TEXT: "w",
    "string": "s",
    "fontFamily": "sx",
    "boolean": "b",
}
"""The kinds of literal that a token of each type can show; any, for a type that is not here.

``w`` is a number, or a text that names a weight.
"""

HIDDEN, DEPRECATED, UNPUBLISHED, ELSEWHERE, ROOT = 1, 2, 4, 8, 16
"""Marks of a token: among them one that these files do not declare (remote, deleted), and one that has the name of a
group, in which it stands."""


def document_of(
    graph: TokenGraph, platform_names: Mapping[str, Mapping[TokenKey, str]], themes: Sequence[Theme] = ()
) -> dict[str, Any]:
    """Return all that the page shows, as JSON; ``themes`` are the configured ones."""
    known = _groups(graph)
    tokens = _listed(graph, known)
    places = {token.key: place for place, token in enumerate(tokens)}
    families = {key: index for index, key in enumerate(graph.collections)}
    groups: dict[str, int] = {}
    types = {token.type: token.public_type for token in tokens}
    type_indices = {each: index for index, each in enumerate(types)}
    values = _Values(places)
    of_group = [_group(token.key, known) for token in tokens]
    return {
        "collections": [_collection(graph, each) for each in graph.collections.values()],
        "axes": _axes(graph, themes, families),
        "platforms": list(platform_names),
        "collection": [families[token.key[:2]] for token in tokens],
        "group": [groups.setdefault(path, len(groups)) for path in of_group],
        "leaf": [decoded_name(token.key.path.rpartition(".")[2]) for token in tokens],
        "type": [type_indices[token.type] for token in tokens],
        "specimen": [SPECIMENS.index(each) for each in specimens_of(tokens)],
        "mark": [_mark(token) | ROOT * (path == token.key.path) for token, path in zip(tokens, of_group, strict=True)],
        "code": [values.written(token) for token in tokens],
        "name": [[of.get(token.key, "") for token in tokens] for of in platform_names.values()],
        "description": {str(place): each.description for place, each in enumerate(tokens) if each.description},
        "deprecated": {str(place): each.deprecated for place, each in enumerate(tokens) if each.deprecated},
        "groups": [list(names(path)) if path else [] for path in groups],
        "types": [[public_type, KINDS.get(each, "")] for each, public_type in types.items()],
        "specimens": list(SPECIMENS),
        "values": values.distinct,
    }


def _listed(graph: TokenGraph, groups: AbstractSet[tuple[FamilyKey, str]]) -> list[Token]:
    """Local tokens by collection, those of one group together, those of none first; then the tokens elsewhere."""
    local = in_order((each for each in graph.tokens.values() if each.origin == "local"), graph)
    together: dict[FamilyKey, dict[str, list[Token]]] = {}
    for token in local:
        of_collection = together.setdefault(token.key[:2], {"": []})
        of_collection.setdefault(_group(token.key, groups), []).append(token)
    listed = [token for each in together.values() for several in each.values() for token in several]
    return [*listed, *(each for each in graph.tokens.values() if each.origin != "local")]


def _groups(graph: TokenGraph) -> set[tuple[FamilyKey, str]]:
    """Return every group that a token stands in directly."""
    return {(key[:2], key.path.rpartition(".")[0]) for key in graph.tokens}


def _group(key: TokenKey, groups: AbstractSet[tuple[FamilyKey, str]]) -> str:
    """Return the path of the token's group: its own, when it has the name of a group."""
    return key.path if (key[:2], key.path) in groups else key.path.rpartition(".")[0]


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
    """Return what a reader can choose: a configured theme, or a mode of each local collection that has several.

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
    """Return the extensions' names by handle, without the collection's own in front: ``Brand`` of ``Theme / Brand``."""
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
        """Return a code a mode, None where nothing is written; the code alone where there is one mode."""
        codes = [None if value is None else self._code(value, token.type) for value in token.values]
        return codes[0] if len(codes) == 1 else codes

    def _code(self, value: Value, token_type: str) -> int:
        if isinstance(value, Alias):
            place = self.places.get(value.target)
            if place is not None:
                return place
            value = DanglingAlias(f"{value.target.collection}.{value.target.path}")
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
                opaque = hexadecimal(Color(value.red, value.green, value.blue))
                return ["c", opaque, shortest(value.alpha)]
            case bool():
                return ["b", value]
            case float():
                return ["n", _decimal(value)]
            case Quantity(number=number, unit=unit):
                return ["q", _decimal(number), unit]
            case str():
                weight = weight_of(value)
                return ["s", value] if weight is None else ["s", value, _decimal(weight)]
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
