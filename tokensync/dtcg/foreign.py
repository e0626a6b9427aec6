"""Foreign members: what people write in token files and a graph does not hold.

These are the members of groups and files, such as ``$description`` and ``$extends``, comments, the members of other
vendors, and notations: a reference as ``$ref``, or a token that takes its ``$type`` from its group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.document import location_of
from tokensync.dtcg.extensions import has_stored_value
from tokensync.dtcg.families import home_column
from tokensync.dtcg.groups import is_token_of
from tokensync.dtcg.parse import parsed
from tokensync.dtcg.spelling import (
    ALIAS_DATA,
    FIGMA,
    FORMAT_SCHEMA,
    MODE_NAME,
    OURS,
    RESOLVER_SCHEMA,
    RESOLVER_SUFFIX,
    ROOT,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.dtcg.document import Location
    from tokensync.positions import Pointer
    from tokensync.tokens import TokenGraph, TokenKey

    Node = dict[str, Any]


class Previous(NamedTuple):
    """The token files before a pull: their graph and contents, and their keys by the keys of the new graph."""

    graph: TokenGraph
    files: Mapping[str, bytes]
    keys: Callable[[], Mapping[TokenKey, TokenKey]]


class Foreign(NamedTuple):
    """A foreign member of a token file: its value, and where it is.

    ``owner`` is "file", "group" or "token", ``path`` the owner's path in its collection, and ``within`` the names from
    the owner to the member; empty for a group without members and tokens. ``is_held`` means that the graph holds the
    member, too, so only its order, and the deletion of its token, matter.
    """

    file: str
    pointer: Pointer
    owner: str
    path: str
    within: tuple[str, ...]
    value: Any
    is_held: bool = False


class Notation(NamedTuple):
    """A token whose ``$type`` is missing, or whose value has a form that a graph does not hold."""

    file: str
    pointer: Pointer
    path: str
    node: Node


_KNOWN_IN_FILE = {
    "mode": frozenset({"id", "parent", "context"}),
    "collection": frozenset({"name", "id", "key", "hidden", "default"}),
    "extensions": None,
    "after": None,
}
"""The members of our extension of a file that the writer writes, and the members of these; None for any."""
_KNOWN_IN_TOKEN = frozenset({"key", "type", "published", "deprecated", "after", "text", "value"})


_PLAIN = frozenset({"$type", "$value", "$ref", "$description", "$extensions"})
_PLAIN_ELSEWHERE = _PLAIN - {"$description"}  # in the files of other modes than the default


def _is_figma(name: str) -> bool:
    return name == FIGMA or name.startswith(f"{FIGMA}.")


class ForeignMembers:
    """The foreign members of the token files of a design file.

    ``paths`` limits the files that are examined. ``resolver`` is the resolver document if it has foreign members.
    """

    def __init__(self, previous: Previous, file: str, paths: Iterable[str] | None = None) -> None:
        self.previous = previous
        self.file = file
        self.items: list[Foreign] = []
        self.notations: list[Notation] = []
        self.trees: dict[str, Node] = {}
        self.locations: dict[str, Location] = {}
        self._homes = {
            (family.modes[column].collection, family.modes[column].slug)
            for family in previous.graph.collections.values()
            for column in (home_column(family),)
        }
        self.resolver: Node = {}
        for path in previous.files if paths is None else paths:
            if path == f"{file}{RESOLVER_SUFFIX}":
                tree, _ = parsed(previous.files[path])
                self.resolver = tree if isinstance(tree, dict) and not _is_plain_resolver(tree) else {}
                continue
            location = location_of(path, file)
            tree, _ = parsed(previous.files[path]) if location is not None else (None, ())
            if location is not None and isinstance(tree, dict):
                self.trees[path] = tree
                self.locations[path] = location
                self._scan(location, tree)

    def __bool__(self) -> bool:
        return bool(self.items or self.notations or self.resolver)

    def group_of(self, path: str) -> str:
        """Return the name of a file's root group."""
        names = (name for name, each in self.trees[path].items() if name[:1] != "$" and isinstance(each, dict))
        return next(names, "")

    def _scan(self, location: Location, tree: Node) -> None:
        path = location.path
        is_home = (location.handle, location.slug) in self._homes or "collection" in _ours(tree)
        for name, value in tree.items():
            if name == "$extensions" and isinstance(value, dict):
                self.items += _of_file_extensions(path, value)
            elif name[:1] == "$" and (name, value) != ("$schema", FORMAT_SCHEMA):
                self.items.append(Foreign(path, (name,), "file", "", (name,), value))
        root = self.group_of(path)
        pending: list[tuple[Pointer, str, Node]] = [((root,), "", tree[root])] if root else []
        while pending:
            pointer, group, node = pending.pop()
            if is_token_of(tree, node):
                self._scan_token(path, pointer, group, node, is_home=is_home)
                continue
            self._scan_group(path, pointer, group, node, is_home=is_home)
            if isinstance(node.get(ROOT), dict):
                self._scan_token(path, (*pointer, ROOT), group, node[ROOT], is_home=is_home)
            for name, member in node.items():
                if name[:1] != "$" and isinstance(member, dict):
                    pending.append(((*pointer, name), f"{group}.{name}" if group else name, member))

    def _scan_group(self, path: str, pointer: Pointer, group: str, node: Node, *, is_home: bool) -> None:
        is_stored = has_stored_value(node)
        for name, value in node.items():
            if name[:1] != "$" or name == ROOT:
                continue
            if name == "$extensions" and isinstance(value, dict):
                if is_stored:
                    self._scan_extensions(path, pointer, group, value, is_home=is_home)
                else:
                    for key, each in value.items():
                        within = ("$extensions", key)
                        self.items.append(Foreign(path, (*pointer, *within), "group", group, within, each))
            elif not (is_stored and is_home and name == "$description"):
                self.items.append(Foreign(path, (*pointer, name), "group", group, (name,), value))
        if not node:
            self.items.append(Foreign(path, pointer, "group", group, (), None))

    def _scan_token(self, path: str, pointer: Pointer, token: str, node: Node, *, is_home: bool) -> None:
        if "$type" not in node or "$value" not in node or has_notation(node["$value"]):
            self.notations.append(Notation(path, pointer, token, node))
        plain = _PLAIN if is_home else _PLAIN_ELSEWHERE
        if not node.keys() <= plain:
            for name in (each for each in node if each not in plain):
                is_held = is_home and name == "$deprecated"
                self.items.append(Foreign(path, (*pointer, name), "token", token, (name,), node[name], is_held))
        if isinstance(node.get("$extensions"), dict):
            self._scan_extensions(path, pointer, token, node["$extensions"], is_home=is_home)

    def _scan_extensions(self, path: str, pointer: Pointer, token: str, extensions: Node, *, is_home: bool) -> None:
        for name, value in extensions.items():
            if name == OURS and isinstance(value, dict):
                for own in (each for each in value if each not in _KNOWN_IN_TOKEN):
                    inner = ("$extensions", OURS, own)
                    self.items.append(Foreign(path, (*pointer, *inner), "token", token, inner, value[own]))
            elif name != OURS and name != ALIAS_DATA and not _is_figma(name):
                within = ("$extensions", name)
                self.items.append(Foreign(path, (*pointer, *within), "token", token, within, value, is_home))


def _ours(tree: Node) -> Node:
    extensions = tree.get("$extensions")
    ours = extensions.get(OURS) if isinstance(extensions, dict) else None
    return ours if isinstance(ours, dict) else {}


def _of_file_extensions(path: str, extensions: Node) -> Iterator[Foreign]:
    for name, value in extensions.items():
        if name != OURS or not isinstance(value, dict):
            if name not in (MODE_NAME, OURS):
                yield Foreign(path, ("$extensions", name), "file", "", ("$extensions", name), value)
            continue
        for own, each in value.items():
            if own not in _KNOWN_IN_FILE:
                yield Foreign(path, ("$extensions", OURS, own), "file", "", ("$extensions", OURS, own), each)
            elif (known := _KNOWN_IN_FILE[own]) is not None and isinstance(each, dict):
                for inner in (name for name in each if name not in known):
                    within = ("$extensions", OURS, own, inner)
                    yield Foreign(path, within, "file", "", within, each[inner])


def has_notation(value: Any) -> bool:
    """Return whether a value contains a ``$ref``, or is a colour in another space than sRGB."""
    if type(value) is dict:
        return "$ref" in value or value.get("colorSpace", "srgb") != "srgb" or any(map(has_notation, value.values()))
    return type(value) is list and any(map(has_notation, value))


def _is_plain_resolver(document: Node) -> bool:
    """Return whether a resolver document has only the members that the writer writes."""
    if not document.keys() <= {"$schema", "name", "version", "sets", "modifiers", "resolutionOrder"}:
        return False
    lists = [document.get("resolutionOrder")]
    for kind, members in (("sets", {"sources"}), ("modifiers", {"contexts", "default"})):
        owners = document.get(kind, {})
        for each in owners.values() if isinstance(owners, dict) else ():
            if not isinstance(each, dict) or not each.keys() <= members:
                return False
            contexts = each.get("contexts", {})
            lists += [each.get("sources", []), *(contexts.values() if isinstance(contexts, dict) else ())]
    return document.get("$schema") == RESOLVER_SCHEMA and all(
        isinstance(each, list) and all(isinstance(one, dict) and one.keys() == {"$ref"} for one in each)
        for each in lists
    )
