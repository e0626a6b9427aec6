"""The page of all tokens: one HTML file with its style, its script and its data inside, and nothing fetched.

What comes from the design file is in the title, which Jinja escapes, and in the data, which is JSON that cannot end its
script element. Style and script are always the same text, and a policy allows those two alone, by their digests.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync import resources
from tokensync.naming import in_order, readable, rendered_bytes, words
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
from tokensync.tokens.values import AS_TEXT, weight_of
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.tokens import Collection, FamilyKey, Mode, Theme, Token, TokenGraph, TokenKey, Value


SCRIPTS = ("graph.js", "words.js", "specimens.js", "rows.js", "page.js", "controls.js")
"""In the order in which they build on each other; the page has them as one."""

_TELLING = re.compile("[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")
"""What would end a script element, what UTF-8 has not, and what turns text around for those who read the source."""


def report_page(
    graph: TokenGraph,
    names: Mapping[str, Mapping[TokenKey, str]],
    *,
    title: str,
    themes: Sequence[Theme] = (),
) -> bytes:
    """Return the page; ``names`` holds each platform's identifiers, ``themes`` the configured themes.

    The same input gives the same bytes. Linear in tokens x modes of their own collection.
    """
    style = _part("page.css")
    script = "\n".join(map(_part, SCRIPTS))
    document = document_of(graph, names, themes)
    return rendered_bytes(
        "report/page.html.j2",
        None,
        title=readable(title),
        summary=_summary(graph),
        policy=_policy(style, script),
        style=style,
        script=script,
        data=script_json(document),
    )


def script_json(document: Any) -> str:
    """JSON that stands in a script element whatever its strings hold, as ASCII where a reader could be misled."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _TELLING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _part(name: str) -> str:
    """Return a part of the page, with the line ends that a browser sees, since the policy's digests are of those."""
    return resources.read_text("templates", "report", name).replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _summary(graph: TokenGraph) -> str:
    """``99 tokens in 5 collections``: those that the files declare, extensions among them."""
    tokens = sum(each.origin == "local" for each in graph.tokens.values())
    collections = sum(1 + len(each.extensions) for each in graph.collections.values() if each.origin == "local")
    return f"{counted(tokens, 'token')} in {counted(collections, 'collection')}"


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


OF_SCOPE = {
    "CORNER_RADIUS": "radius",
    "FONT_FAMILY": "font",
    "FONT_SIZE": "font-size",
    "FONT_STYLE": "string",
    "FONT_WEIGHT": "weight",
    "GAP": "length",
    "LETTER_SPACING": "letter-spacing",
    "LINE_HEIGHT": "line-height",
    "OPACITY": "opacity",
    "PARAGRAPH_INDENT": "length",
    "PARAGRAPH_SPACING": "length",
    "STROKE_FLOAT": "stroke",
    "WIDTH_HEIGHT": "length",
}
OF_WORD = {
    "corner": "radius",
    "corners": "radius",
    "radii": "radius",
    "radius": "radius",
    "rounded": "radius",
    "stroke": "stroke",
    "border": "stroke",
    "outline": "stroke",
    "leading": "line-height",
    "tracking": "letter-spacing",
}
OF_WORDS = {
    ("font", "size"): "font-size",
    ("text", "size"): "font-size",
    ("line", "height"): "line-height",
    ("letter", "spacing"): "letter-spacing",
}
OF_TYPE = {
    "border": "border",
    "boolean": "boolean",
    "color": "color",
    "cubicBezier": "curve",
    "duration": "duration",
    "fontFamily": "font",
    "fontWeight": "weight",
    AS_TEXT: "weight",
    "gradient": "gradient",
    "shadow": "shadow",
    "string": "string",
    "strokeStyle": "stroke-style",
    "transition": "transition",
    "typography": "typography",
}

SPECIMENS = tuple(dict.fromkeys((*OF_TYPE.values(), *OF_SCOPE.values(), "length", "number", "none")))
"""Every specimen that the page can draw."""

_LENGTHS = frozenset(("font-size", "letter-spacing", "line-height", "length", "radius", "stroke"))
_NUMBERS = frozenset(("letter-spacing", "line-height", "opacity"))


def specimens_of(tokens: Iterable[Token]) -> list[str]:
    """Return the specimen of each token."""
    return [_specimen(each) for each in tokens]


def _specimen(token: Token) -> str:
    of_type = OF_TYPE.get(token.type)
    if of_type is not None:
        return of_type
    if token.is_percentage:
        return "opacity"
    possible = {"dimension": _LENGTHS, "number": _NUMBERS}.get(token.type, frozenset())
    of_scopes = {OF_SCOPE.get(each, "") for each in token.scopes}
    if len(of_scopes) == 1 and (found := of_scopes.pop()) in possible:
        return found
    spelled = [word for name in names(token.key.path) for word in words(name)]
    told = (*(OF_WORDS.get(pair) for pair in pairwise(spelled)), *(OF_WORD.get(each) for each in spelled))
    for by_name in told:
        if by_name in possible:
            return by_name
    return {"dimension": "length", "number": "number"}.get(token.type, "none")
