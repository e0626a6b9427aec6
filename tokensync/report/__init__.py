"""The page of all tokens: one HTML file with inline style, script and data, and no external resources.

Design file content is treated as untrusted. It occurs in the title, which Jinja escapes, and in the data, which is JSON
that cannot close its script element. A policy permits only the constant style and script, by their digests.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Struct

from tokensync.generate.naming import in_order, rendered_bytes
from tokensync.generate.naming.templates import Template, doc
from tokensync.normalize.mapping import SCOPES, TypeRules, opacities, path_of_name
from tokensync.report.differences import in_counts, in_words
from tokensync.system import resources
from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.outlet import readable
from tokensync.system.outlet.characters import javascript
from tokensync.system.outlet.documents import in_json
from tokensync.system.wording import counted
from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    TokenGraph,
    TokenKey,
    hexadecimal,
    shortest,
)
from tokensync.tokens.composites import LINE_HEIGHT, MEMBERS, decoded, parts_of
from tokensync.tokens.paths import decoded as decoded_name
from tokensync.tokens.paths import names
from tokensync.tokens.values import AS_TEXT, KEYWORDS, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.plan.comparing import Difference
    from tokensync.tokens import Collection, FamilyKey, Theme, Token, Value


class Since(NamedTuple):
    """An earlier state, to show beside the tokens: its name and graph, and the differences from it.

    ``formers`` are the earlier keys of tokens. ``location`` returns the path and the line of a token in a mode, or of
    one that is gone, and ``folder`` is the path from the page to these files.
    """

    label: str
    graph: TokenGraph
    differences: Sequence[Difference]
    formers: Mapping[TokenKey, TokenKey]
    location: Callable[[TokenKey, str | None], str]
    folder: str


class Page(Struct, frozen=True):
    """The page's texts. The template escapes those that come from a design file, except for the JSON."""

    title: Annotated[str, doc("the page's title, escaped by the template", "Harbor")]
    summary: Annotated[str, doc("the number of tokens and collections", "99 tokens in 5 collections")]
    policy: Annotated[
        str, doc("the Content-Security-Policy, with the digests of style and script", "default-src 'none'")
    ]
    style: Annotated[str, doc("the page's style sheet", ":root { color-scheme: light dark; }")]
    script: Annotated[str, doc("the page's script", '"use strict";')]
    data: Annotated[str, doc("the tokens as JSON that is safe in a script element", "{}")]
    since: Annotated[str, doc("what changed since an earlier state, or empty", "2 tokens changed since main")]
    viewer: Annotated[bool, doc("whether the page reads files that are dropped on it", False)]


TEMPLATE = Template("report/page.html.j2", "report", "The page of `tokensync report`.", Page)


SCRIPTS = ("graph.js", "words.js", "specimens.js", "rows.js", "page.js", "controls.js")
"""In order of dependency; the page concatenates them."""
VIEWER = ("reader.js", "viewer.js")
"""What the viewer has beside them: files to the page's data, and how they are chosen."""

_SCRIPT_ENDS = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&"})
"""Characters that could close a script element, as JSON escapes them."""


def report_page(
    graph: TokenGraph,
    names: Mapping[str, Mapping[TokenKey, str]],
    *,
    title: str,
    themes: Sequence[Theme] = (),
    since: Since | None = None,
) -> bytes:
    """Return the page; ``names`` has the names in code by output, ``themes`` the configured themes.

    Deterministic. The time is linear in the number of values.
    """
    document = document_of(graph, names, themes)
    changes = ""
    if since is not None:
        document["since"] = _changes(graph, since)
        changes = f"{in_counts(since.differences)} since {readable(since.label)}"
    return _page(document, SCRIPTS, title=readable(title), summary=_summary(graph), since=changes)


def _changes(graph: TokenGraph, since: Since) -> dict[str, Any]:
    """Return the earlier state as the page's data, with the changes of tokens as words, modes and locations."""
    now, then = _indices(graph), _indices(since.graph)
    changes: dict[str, list[Any]] = {}
    gone: dict[str, list[Any]] = {}
    for difference in since.differences:
        key = TokenKey(difference.file, difference.collection, path_of_name(difference.token))
        own, side, indices = (gone, since.graph, then) if difference.kind == "gone" else (changes, graph, now)
        if not difference.token or key not in indices:
            continue
        modes = [mode.context for mode in side.collections[key[:2]].modes]
        members = [("removed" if own is gone else "added", "")]
        if difference.kind == "changed":
            members = [(change.member, in_words(change)) for change in difference.changes]
        rows = own[str(indices[key])] = []
        for member, words in members:
            context = member.removeprefix("in ")
            mode = modes.index(context) if context != member and context in modes else None
            rows.append([member, words, mode, since.location(key, None if mode is None else context)])
    return {
        "label": since.label,
        "folder": since.folder,
        "before": document_of(since.graph, {}),
        "was": [then.get(since.formers[key], -1) if key in since.formers else -1 for key in now],
        "changes": changes,
        "gone": gone,
    }


def _indices(graph: TokenGraph) -> dict[TokenKey, int]:
    """Return the position of each token in the page's data."""
    return {token.key: index for index, token in enumerate(_ordered(graph, _groups(graph)))}


def viewer_page() -> bytes:
    """Return the page without tokens: it reads those of the files that somebody drops on it."""
    rules = TypeRules()
    reading = {
        "kinds": KINDS,
        "members": MEMBERS,
        "types": {
            kind: {scope: rules.type_of(kind, (scope,), "", "") for scope in sorted(scopes)}
            for kind, scopes in SCOPES.items()
        },
    }
    document = document_of(TokenGraph((), ()), {}) | {"reading": reading}
    return _page(document, (*SCRIPTS, *VIEWER), title="Token viewer", summary="Nothing is sent anywhere.")


def _page(document: Mapping[str, Any], scripts: Sequence[str], *, title: str, summary: str, since: str = "") -> bytes:
    style = _part("page.css")
    script = "\n".join(('"use strict";', f"const UNSEEN = /{javascript()}/gu;", *map(_part, scripts)))
    return rendered_bytes(
        "report/page.html.j2",
        None,
        title=title,
        summary=summary,
        policy=_policy(style, script),
        style=style,
        script=script,
        data=script_json(document),
        since=since,
        viewer="reading" in document,
    )


def script_json(document: Any) -> str:
    """Return JSON that is safe in a script element, with unsafe and misleading characters escaped."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return in_json(text).translate(_SCRIPT_ENDS)


def _part(name: str) -> str:
    """Return a part of the page with the line ends that browsers normalize to, for the policy's digests."""
    return resources.read_text("templates", "report", name).replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _summary(graph: TokenGraph) -> str:
    """Return ``99 tokens in 5 collections``: the local ones, including extensions."""
    tokens = sum(token.origin == "local" for token in graph.tokens.values())
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
    LINE_HEIGHT: "nq",
    **dict.fromkeys(KEYWORDS, "s"),
}
"""The kinds of literal that a token, or a part of a composite, of each type can have; any kind for other types.

``w`` is a number, or a text that names a weight.
"""

HIDDEN, DEPRECATED, UNPUBLISHED, ELSEWHERE, ROOT = 1, 2, 4, 8, 16
"""Bit flags of a token. ELSEWHERE: remote or deleted. ROOT: the root token of the group with its name."""


def document_of(
    graph: TokenGraph, platform_names: Mapping[str, Mapping[TokenKey, str]], themes: Sequence[Theme] = ()
) -> dict[str, Any]:
    """Return the page's data as a JSON object; ``themes`` are the configured themes."""
    group_keys = _groups(graph)
    tokens = _ordered(graph, group_keys)
    indices = {token.key: index for index, token in enumerate(tokens)}
    collections = {key: index for index, key in enumerate(graph.collections)}
    groups: dict[str, int] = {}
    scopes: dict[tuple[str, ...], int] = {}
    types = {token.type: token.public_type for token in tokens}
    type_indices = {each: index for index, each in enumerate(types)}
    values = _Values(indices)
    units = opacities(graph)
    # A platform answers with an empty response for a file that is no library.
    publishing = {token.key.file for token in tokens if token.published}
    of_group = [_group(token.key, group_keys) for token in tokens]
    return {
        "collections": [_collection(graph, collection) for collection in graph.collections.values()],
        "axes": _axes(themes, collections),
        "platforms": list(platform_names),
        "collection": [collections[token.key[:2]] for token in tokens],
        "group": [groups.setdefault(path, len(groups)) for path in of_group],
        "leaf": [decoded_name(token.key.path.rpartition(".")[2]) for token in tokens],
        "type": [type_indices[token.type] for token in tokens],
        "scope": [scopes.setdefault(token.scopes, len(scopes)) for token in tokens],
        "opacity": {str(at): units[each.key].unit for at, each in enumerate(tokens) if each.key in units},
        "mark": [
            _mark(token, token.key.file in publishing) | ROOT * (path == token.key.path)
            for token, path in zip(tokens, of_group, strict=True)
        ],
        "code": [values.codes(token) for token in tokens],
        "name": [[name.get(token.key, "") for token in tokens] for name in platform_names.values()],
        "description": {str(index): each.description for index, each in enumerate(tokens) if each.description},
        "deprecated": {str(index): each.deprecated for index, each in enumerate(tokens) if each.deprecated},
        "groups": [list(names(path)) if path else [] for path in groups],
        "types": [[public_type, KINDS.get(each, "")] for each, public_type in types.items()],
        "scopes": list(scopes),
        "values": values.distinct,
    }


def _ordered(graph: TokenGraph, groups: AbstractSet[tuple[FamilyKey, str]]) -> list[Token]:
    """Return local tokens by collection and group, ungrouped tokens first, then all other tokens."""
    local = in_order((token for token in graph.tokens.values() if token.origin == "local"), graph)
    by_collection: dict[FamilyKey, dict[str, list[Token]]] = {}
    for token in local:
        by_group = by_collection.setdefault(token.key[:2], {"": []})
        by_group.setdefault(_group(token.key, groups), []).append(token)
    ordered = [token for by_group in by_collection.values() for group in by_group.values() for token in group]
    return [*ordered, *(token for token in graph.tokens.values() if token.origin != "local")]


def _groups(graph: TokenGraph) -> set[tuple[FamilyKey, str]]:
    """Return every group that directly contains a token."""
    return {(key[:2], key.path.rpartition(".")[0]) for key in graph.tokens}


def _group(key: TokenKey, groups: AbstractSet[tuple[FamilyKey, str]]) -> str:
    """Return the path of a token's group; a token with the name of a group belongs to that group."""
    return key.path if (key[:2], key.path) in groups else key.path.rpartition(".")[0]


def _collection(graph: TokenGraph, collection: Collection) -> dict[str, Any]:
    several = len({collection.file for collection in graph.collections.values() if collection.origin == "local"}) > 1
    extensions = _extension_names(collection)
    return {
        "name": collection.name,
        "handle": collection.handle,
        "file": collection.file if several else "",
        "modes": [[mode.name, extensions.get(mode.collection, ""), mode.parent] for mode in collection.modes],
        "default": collection.default_mode,
    }


def _axes(themes: Sequence[Theme], collections: Mapping[FamilyKey, int]) -> list[dict[str, Any]]:
    """Return the choice of a configured theme; without any, the page has one for each collection with several modes.

    A context is a name and pairs of a collection and a mode; without pairs, it is the default.
    """
    contexts = [[theme.name, [[collections[key], mode] for key, mode in theme.modes]] for theme in themes]
    return [{"name": "Theme", "contexts": [["default", []], *contexts]}] if themes else []


def _extension_names(collection: Collection) -> dict[str, str]:
    """Return the extensions' names by handle, without the collection's name: ``Brand`` of ``Theme / Brand``."""
    own = f"{collection.name} / "
    return {extension.handle: extension.name.removeprefix(own) or extension.name for extension in collection.extensions}


def _mark(token: Token, is_of_library: bool) -> int:
    return (
        HIDDEN * token.hidden
        | DEPRECATED * bool(token.deprecated)
        | UNPUBLISHED * (token.published is False and is_of_library and not token.hidden)
        | ELSEWHERE * (token.origin != "local")
    )


class _Values:
    """Values as codes: the index of an alias's target, or -1 minus the index of a distinct literal."""

    def __init__(self, indices: Mapping[TokenKey, int]) -> None:
        self._indices = indices
        self.distinct: list[list[Any]] = []
        self._numbers: dict[tuple[type, Value, str], int] = {}

    def codes(self, token: Token) -> int | list[int | None] | None:
        """Return a code per mode, None where it inherits; for a single mode, return the code itself."""
        codes = [None if value is None else self._code(value, token.type) for value in token.values]
        return codes[0] if len(codes) == 1 else codes

    def _code(self, value: Value, token_type: str) -> int:
        if isinstance(value, Alias):
            index = self._indices.get(value.target)
            if index is not None:
                return index
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
        """Return the value as JSON with its references: path, type of the part, index of the token, permitted kinds."""
        try:
            tree = decoded(value.json)
        except DECODE_ERRORS:
            return ["d", value.json]
        targets = dict(value.references)
        parts = [
            [list(part.path), part.type, self._indices[targets[part.reference]], KINDS.get(part.type, "x")]
            for part in parts_of(token_type, tree)
            if part.reference is not None and targets.get(part.reference) in self._indices
        ]
        return ["x", tree, parts]


def _decimal(number: float) -> str:
    return shortest(number) if isfinite(number) else str(number)
