"""Foreign members: what people write in token files and a graph does not hold.

These are the members of groups and files, such as ``$description`` and ``$extends``, comments, the members of other
vendors, and notations: a reference as ``$ref``, or a token that takes its ``$type`` from its group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.document import location_of
from tokensync.dtcg.extensions import has_stored_value
from tokensync.dtcg.families import edited_defaults, home_column
from tokensync.dtcg.groups import is_token_of
from tokensync.dtcg.parse import parsed
from tokensync.dtcg.spelling import (
    EXTENSION_ORDER,
    FIGMA,
    FORMAT_SCHEMA,
    MODE_NAME,
    OURS,
    OURS_OF_TOKEN,
    RESOLVER_SCHEMA,
    RESOLVER_SUFFIX,
    ROOT,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.dtcg.document import Location
    from tokensync.system.positions import Pointer
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
_KNOWN_IN_TOKEN = frozenset(OURS_OF_TOKEN)


_PLAIN = frozenset({"$type", "$value", "$ref", "$description", "$extensions"})
_PLAIN_ELSEWHERE = _PLAIN - {"$description"}  # in the files of other modes than the default


_KNOWN_EXTENSIONS = frozenset({*EXTENSION_ORDER, FIGMA})


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
                is_plain = isinstance(tree, dict) and _is_plain_resolver(tree)
                is_edited = any(edited_defaults(tree, previous.graph.collections.values()))
                self.resolver = tree if isinstance(tree, dict) and (is_edited or not is_plain) else {}
                continue
            location = location_of(path, file)
            tree, _ = parsed(previous.files[path]) if location is not None else (None, ())
            if location is not None and isinstance(tree, dict):
                self.trees[path] = tree
                self.locations[path] = location
                self._scan(location, tree, previous.files[path])

    def __bool__(self) -> bool:
        return bool(self.items or self.notations or self.resolver)

    def group_of(self, path: str) -> str:
        """Return the name of a file's root group."""
        names = (name for name, each in self.trees[path].items() if name[:1] != "$" and isinstance(each, dict))
        return next(names, "")

    def _scan(self, location: Location, tree: Node, text: bytes) -> None:
        path = location.path
        is_home = (location.handle, location.slug) in self._homes or "collection" in _ours(tree)
        for name, value in tree.items():
            if name == "$extensions" and isinstance(value, dict):
                self.items += _of_file_extensions(path, value)
            elif name[:1] == "$" and (name, value) != ("$schema", FORMAT_SCHEMA):
                self.items.append(Foreign(path, (name,), "file", "", (name,), value))
        root = self.group_of(path)
        has_notations = b'"$ref"' in text or text.count(b'"colorSpace"') != text.count(b'"colorSpace": "srgb"')
        plain = _PLAIN if is_home else _PLAIN_ELSEWHERE
        pending: list[tuple[str, Node]] = [("", tree[root])] if root else []
        while pending:
            group, node = pending.pop()
            inside = f"{group}." if group else ""
            is_plain_group = bool(node)
            for name, member in node.items():
                if name[:1] == "$" and name != ROOT:
                    is_plain_group = False
                elif type(member) is not dict:
                    continue
                elif not is_token_of(tree, member):
                    pending.append((f"{inside}{name}", member))
                elif (
                    has_notations
                    or not is_in_written_order(member.get("$value"))
                    or "$type" not in member
                    or not member.keys() <= plain
                    or not ("$extensions" not in member or _is_plain(member["$extensions"]))
                ):
                    is_root = name == ROOT
                    owner = _Owner(path, "token", group if is_root else f"{inside}{name}", root, is_root=is_root)
                    self._scan_token(owner, member, is_home=is_home)
            if not is_plain_group:
                self._scan_group(_Owner(path, "group", group, root), node, is_home=is_home)

    def _scan_group(self, owner: _Owner, node: Node, *, is_home: bool) -> None:
        is_stored = has_stored_value(node)  # then the object is a token, too
        owner = owner._replace(kind="token") if is_stored else owner
        for name, value in node.items():
            if name[:1] != "$" or name == ROOT:
                continue
            if name == "$extensions" and isinstance(value, dict):
                if is_stored:
                    self._scan_extensions(owner, value, is_home=is_home)
                else:
                    self.items += (owner.member(("$extensions", key), each) for key, each in value.items())
            elif not (is_stored and is_home and name == "$description"):
                self.items.append(owner.member((name,), value))
        if not node:
            self.items.append(owner.member((), None))

    def _scan_token(self, owner: _Owner, node: Node, *, is_home: bool) -> None:
        is_usual = "$type" in node and "$value" in node
        if not is_usual or has_notation(node["$value"]) or not is_in_written_order(node["$value"]):
            self.notations.append(Notation(owner.file, owner.pointer, owner.path, node))
        plain = _PLAIN if is_home else _PLAIN_ELSEWHERE
        for name in (each for each in node if each not in plain):
            self.items.append(owner.member((name,), node[name], is_held=is_home and name == "$deprecated"))
        if isinstance(node.get("$extensions"), dict):
            self._scan_extensions(owner, node["$extensions"], is_home=is_home)

    def _scan_extensions(self, owner: _Owner, extensions: Node, *, is_home: bool) -> None:
        for name, value in extensions.items():
            if name == OURS and isinstance(value, dict):
                for own in (each for each in value if each not in _KNOWN_IN_TOKEN):
                    self.items.append(owner.member(("$extensions", OURS, own), value[own]))
            elif name not in _KNOWN_EXTENSIONS:
                self.items.append(owner.member(("$extensions", name), value, is_held=is_home))


class _Owner(NamedTuple):
    """A group or token of a file: its path in the collection, and the name of the file's root group."""

    file: str
    kind: str
    path: str
    root: str
    is_root: bool = False

    @property
    def pointer(self) -> Pointer:
        steps = (self.root, *(self.path.split(".") if self.path else ()))
        return (*steps, ROOT) if self.is_root else steps

    def member(self, within: tuple[str, ...], value: Any, *, is_held: bool = False) -> Foreign:
        return Foreign(self.file, (*self.pointer, *within), self.kind, self.path, within, value, is_held)


def _is_plain(extensions: Any) -> bool:
    """Return whether a token's ``$extensions`` hold only members that the writer writes."""
    if type(extensions) is not dict or not extensions.keys() <= _KNOWN_EXTENSIONS:
        return False
    ours = extensions.get(OURS)
    return ours is None or (type(ours) is dict and ours.keys() <= _KNOWN_IN_TOKEN)


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


_WRITTEN_ORDERS = frozenset(
    {
        ("value", "unit"),
        ("colorSpace", "components", "hex"),
        ("colorSpace", "components", "alpha", "hex"),
        ("colorSpace", "components", "alpha"),
        ("colorSpace", "components"),
    }
)
"""The members of dimensions, durations and colours as the writer orders them. It sorts those of other objects."""


def is_in_written_order(value: Any) -> bool:
    """Return whether the members of a value, and of the objects in it, have the order in which a pull writes them."""
    if type(value) is dict:
        return tuple(value) in _WRITTEN_ORDERS or _is_sorted(value)
    return type(value) is not list or _is_sorted(value)


def _is_sorted(value: Any) -> bool:
    if type(value) is dict:
        return [*value] == sorted(value) and all(map(_is_sorted, value.values()))
    return type(value) is not list or all(map(_is_sorted, value))


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
