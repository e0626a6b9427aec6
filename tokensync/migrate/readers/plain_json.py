"""JSON and YAML in no format of their own to a source: variables that plugins export, and names with values.

- ``{"collections": [{"name", "modes": ["Light"], "variables": [{"name", "type", "values": {"Light": "#fff"}}]}]}``
- ``[{"Collection": {"modes": {"Light": {...}}}}]``, where each mode has a tree of DTCG
- ``{"color-red": "#f00", "sizes": {"small": "4px"}}``: values of style sheets; files with the same names are modes
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tokensync.migrate.readers.css.stylesheet import Declaration, parsed, rendered
from tokensync.migrate.readers.css.values import typed
from tokensync.migrate.readers.platform_files import grouped
from tokensync.migrate.readers.token_tree import VALUE, Form, add_documents, has_token, read_tree, text_of
from tokensync.migrate.readers.variants import TokenInModes, Variants, add_files
from tokensync.migrate.source import Location, SetRole, Source, SourceTheme, SourceToken, TokenSet, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.migrate.readers.documents import Document
    from tokensync.system.positions import Pointer

FORMAT = "json"
_VALUES = ("values", "valuesByMode")
_LONGEST = 1_000
"""Characters of a text that is a value."""
_NAMED = re.compile(r"(?:\{([^{}]+)\}|[$\N{RIGHTWARDS ARROW}]\s*(\S.*))")
"""A reference to a variable: ``{a.b}``, ``$Collection/a/b`` or an arrow before ``a/b``."""


def recognized(documents: Sequence[Document]) -> bool:
    """Return whether a document has variables of a plugin, or names with values of which most are no plain text."""
    return any(
        collections_in(document.content)
        or (_is_plain(document.content) and any(_is_value(value) for _, value in _leaves(document.content)))
        for document in documents
    )


def read(documents: Sequence[Document]) -> Source:
    """Return the source of the variables of plugins, or else that of names and values."""
    unread: list[Unread] = []
    exported = [document for document in documents if collections_in(document.content)]
    plain = [] if exported else [document for document in documents if _is_plain(document.content)]
    for document in documents:
        if document.kind != "text" and document not in (*exported, *plain):
            reason = "the file has neither names with values nor variables of a plugin"
            unread.append(Unread(Location(document.path, 1), "", reason, is_token=False))
    if exported:
        return _Exports(exported, unread).source()
    leaves = [(document, path, value) for document in plain for path, value in _leaves(document.content)]
    groups = grouped(dict.fromkeys(path[0] for _, path, _ in leaves if len(path) == 1), "-")
    sets: dict[str, list[SourceToken]] = {}
    for document, path, value in leaves:
        at = Location(document.path, document.line(path))
        name = groups[path[0]] if len(path) == 1 else path
        if not isinstance(value, str | int | float):
            unread.append(Unread(at, ".".join(name), "it is no text or number; write its values with names"))
            continue
        written, type_ = _css(path[-1], value) if isinstance(value, str) else (value, "")
        sets.setdefault(document.path, []).append(SourceToken(name, written, at, type_))
    variants = Variants()
    if all(len(path) > 1 for _, path, _ in leaves):
        add_documents(variants, [(path, [TokenInModes(token, {}) for token in own]) for path, own in sets.items()])
    else:  # code has the names of a flat list
        add_files(variants, [TokenSet(path, tuple(tokens)) for path, tokens in sets.items()])
    return variants.source(FORMAT, unread, plain[0].name if len(plain) == 1 else "tokens")


def _is_plain(content: Any) -> bool:
    """Return whether at least half of the leaves of an object look like values of a style sheet, or are numbers."""
    if not isinstance(content, dict) or any(str(name)[:1] == "$" for name in content):
        return False
    leaves = [value for _, value in _leaves(content)]
    return 0 < len(leaves) <= 2 * sum(type(value) in (int, float) or _is_value(value) for value in leaves)


def _is_value(value: Any) -> bool:
    """Return whether a text is a value, a list of some, or a function."""
    return isinstance(value, str) and (
        "(" in value or "," in value or any(map(VALUE.fullmatch, value.split() if len(value) < _LONGEST else ()))
    )


def _leaves(node: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in node.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, str(name)))
        else:
            yield (*path, str(name)), value


def _css(name: str, text: str) -> tuple[Any, str]:
    """Return a value of a style sheet with its type."""
    entry = next(iter(parsed(f"--x:{text}", name, is_scss=False)), None)
    if not isinstance(entry, Declaration) or entry.broken:
        return text, ""
    name = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "-", name).lower()
    return typed(name, entry.value, rendered(entry.value), "")


def collections_in(content: Any) -> dict[str, tuple[Pointer, Any]]:
    """Return the collections of variables in a document by their names, with their pointers."""
    found: dict[str, tuple[Pointer, Any]] = {}
    if isinstance(content, dict) and isinstance(content.get("collections"), list):
        for at, node in enumerate(content["collections"]):
            if isinstance(node, dict) and isinstance(node.get("name"), str) and isinstance(node.get("variables"), list):
                found[node["name"]] = (("collections", at), node)
    for at, part in enumerate(content if isinstance(content, list) else [content]):
        named = {name: node for name, node in part.items() if name[:1] != "$"} if isinstance(part, dict) else {}
        if all(isinstance(node, dict) and has_token(node.get("modes")) and "modes" in node for node in named.values()):
            steps = (at,) if isinstance(content, list) else ()
            found.update((name, ((*steps, name), node)) for name, node in named.items())
    return found


class _Exports:
    """The variables of plugins. Each collection is a group of themes, the first of its modes the default."""

    def __init__(self, documents: Sequence[Document], unread: list[Unread]) -> None:
        self.unread = unread
        self.modes: dict[str, dict[str, list[SourceToken]]] = {}
        for document in documents:
            for collection, (pointer, node) in collections_in(document.content).items():
                modes = self.modes.setdefault(collection, {})
                if isinstance(node.get("modes"), dict) and "variables" not in node:
                    for mode, tree in node["modes"].items():
                        reading = read_tree(
                            document, tree if isinstance(tree, dict) else {}, Form(), (*pointer, "modes", mode)
                        )
                        self.unread += reading.unread
                        modes.setdefault(mode, []).extend(entry.token for entry in reading.tokens if entry.token)
                else:
                    self._read_list(document, (*pointer, "variables"), node["variables"], modes)
        self.paths = {token.path for modes in self.modes.values() for tokens in modes.values() for token in tokens}

    def _read_list(
        self, document: Document, pointer: Pointer, variables: list[Any], modes: dict[str, list[SourceToken]]
    ) -> None:
        for at, variable in enumerate(variables):
            where = Location(document.path, document.line((*pointer, at)))
            name = text_of(variable.get("name")) if isinstance(variable, dict) else ""
            values: Mapping[str, Any] = {}
            for member in _VALUES if name else ():
                values = variable[member] if isinstance(variable.get(member), dict) else values
            if not values:
                self.unread.append(Unread(where, name, "the variable has no name, or no values of modes"))
            token_type = {"float": "number"}.get(kind := text_of(variable.get("type")).lower(), kind) if values else ""
            for mode, value in values.items():
                description = text_of(variable.get("description"))
                token = SourceToken(tuple(name.split("/")), value, where, token_type, description)
                modes.setdefault(mode, []).append(token)

    def source(self) -> Source:
        """Return the source of all collections."""
        sets = {
            (collection, mode): TokenSet(f"{collection}/{mode}", tuple(map(self._referring, tokens)))
            for collection, modes in self.modes.items()
            for mode, tokens in modes.items()
        }
        default = {name: f"{name}/{next(iter(modes))}" for name, modes in self.modes.items() if modes}
        themes = []
        for collection, mode in sets:
            roles: dict[str, SetRole] = {set_: "source" for name, set_ in default.items() if name != collection}
            roles[f"{collection}/{mode}"] = "enabled"
            is_default = default[collection] == f"{collection}/{mode}"
            themes.append(SourceTheme(mode, roles, collection, is_default))
        return Source("figma", tuple(sets.values()), tuple(themes), tuple(self.unread))

    def _referring(self, token: SourceToken) -> SourceToken:
        """Return a token with its reference as the path of a variable, and a colour of the platform as one of DTCG."""
        value: Any = token.value
        match value:
            case {"type": "VARIABLE_ALIAS"}:
                name = next(filter(None, (text_of(value.get(member)) for member in ("name", "key", "id"))), "")
            case {"r": red, "g": green, "b": blue}:
                color = {"colorSpace": "srgb", "components": [red, green, blue], "alpha": value.get("a", 1)}
                return replace(token, value=color)
            case str() if found := _NAMED.fullmatch(value):
                name = found[1] or found[2]
            case _:
                return token
        path = name.strip().replace("/", ".")
        steps = path.split(".")
        is_in_collection = path not in self.paths and steps[0] in self.modes
        return replace(token, value=f"{{{'.'.join(steps[1:]) if is_in_collection else path}}}")
