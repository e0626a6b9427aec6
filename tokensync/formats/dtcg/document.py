"""One token file as a flat list of entries: names checked, group properties handed down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.formats.dtcg.extends import with_extensions_of_groups
from tokensync.formats.dtcg.spelling import MEMBER_ORDER, OURS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.formats.dtcg.faults import Faults
    from tokensync.places import Pointer
    from tokensync.tokens import Origin

_OF_GROUPS = ("$schema", "$type", "$description", "$deprecated", "$extends", "$extensions", ROOT)


class Location(NamedTuple):
    """What the path of a token file tells: ``<file>/.remote/<handle>/<slug>.tokens.json``."""

    path: str
    origin: Origin
    handle: str
    slug: str


class Entry(NamedTuple):
    """One token of one file. ``inherited`` and ``deprecated`` are its groups'; a held one is no token to others."""

    path: str
    node: dict[str, Any]
    inherited: str | None
    deprecated: bool | str
    is_root: bool
    location: Location

    @property
    def pointer(self) -> Pointer:
        """Where it stands in its file, below the root group's own name."""
        steps = tuple(self.path.split("."))
        return (*steps, ROOT) if self.is_root else steps


class Document(NamedTuple):
    """A parsed token file. ``about`` and ``mode_name`` are what its root's ``$extensions`` say."""

    location: Location
    tree: dict[str, Any]
    group: str | None
    entries: dict[str, Entry]


def document(location: Location, tree: Any, faults: Faults, *, extends: bool) -> Document | None:
    """Flatten a file, noting every fault of its structure. ``extends`` tells that it may hold ``$extends``."""

    def report(pointer: Pointer, code: str, what: str, what_to_do: str) -> None:
        faults.at(location.path, pointer, code, what, what_to_do)

    if not isinstance(tree, dict):
        report((), "tokens-structure", "a token file is an object", "write groups and tokens into { }")
        return None
    if extends:
        tree = with_extensions_of_groups(tree, report)
    if "$value" in tree or ROOT in tree:
        report((), "tokens-structure", "the file itself holds a token", "put it in the group of its collection")
    names = [name for name in tree if name[:1] != "$"]
    entries: dict[str, Entry] = {}
    walk = _Walk(location, report, entries)
    walk.properties((), tree)
    for name in names[:1]:
        walk.run(name, tree)
    for name in names[1:]:
        what = f"a second root group stands beside {names[0][:60]!r}"
        report((name,), "tokens-root-group", what, "give each collection a folder and files of its own")
    return Document(location, tree, names[0] if names else None, entries)


class _Group(NamedTuple):
    """An open group: where it is, what it hands down, and what of it is still to be read."""

    path: str
    inherited: str | None
    deprecated: bool | str
    members: Iterator[tuple[str, Any]]


class _Walk:
    def __init__(self, location: Location, report: Any, entries: dict[str, Entry]) -> None:
        self.location = location
        self.report = report
        self.entries = entries
        self.root = ""

    def run(self, root: str, tree: dict[str, Any]) -> None:
        """Visit a root group without recursion: names may nest as deep as someone likes."""
        self.root = root
        top = _Group("", tree.get("$type"), tree.get("$deprecated", False), iter(()))
        node = tree[root]
        if not self._is_group((root,), node):
            return
        open_at = [self._opened("", node, top)]
        while open_at:
            group = open_at[-1]
            step = next(group.members, None)
            if step is None:
                open_at.pop()
                continue
            name, node = step
            if name == ROOT:
                self._root_token(group, node)
            elif name[:1] != "$":
                inner = self._member(group, name, node)
                if inner is not None:
                    open_at.append(inner)

    def properties(self, pointer: Pointer, node: dict[str, Any]) -> None:
        """Check the members of a group that are no tokens."""
        for name, value in node.items():
            if name[:1] != "$":
                continue
            if name not in _OF_GROUPS:
                self.report((*pointer, name), "tokens-member-unknown", *_UNKNOWN)
            elif name == "$extensions" and not isinstance(value, dict):
                self.report((*pointer, name), "tokens-structure", "$extensions is to be an object", "write { }")

    def _pointer(self, path: str, *more: str) -> Pointer:
        return (self.root, *(path.split(".") if path else ()), *more)

    def _is_group(self, pointer: Pointer, node: Any) -> bool:
        if not isinstance(node, dict):
            what = "neither a token nor a group stands here"
            self.report(pointer, "tokens-structure", what, 'write an object; a token has a "$value"')
            return False
        if "$value" in node or "$ref" in node:
            what = "a token stands where the group of the collection is to be"
            self.report(pointer, "tokens-root-group", what, "put it in the group of its collection")
            return False
        return True

    def _opened(self, path: str, node: dict[str, Any], around: _Group) -> _Group:
        for name in node:
            if name[:1] == "$" and name not in ("$extensions", ROOT):
                self.properties(self._pointer(path), node)
                break
        inherited = node.get("$type", around.inherited)
        return _Group(path, inherited, node.get("$deprecated", around.deprecated), iter(node.items()))

    def _member(self, group: _Group, name: str, node: Any) -> _Group | None:
        """Note a token, or open the group that it is."""
        if not _is_name(name):
            what = f"{name[:60]!r} is no name for a token or group" if name else "a name is empty"
            to_do = "use no dots and braces, and no leading dollar sign; %2E stands for a dot"
            self.report(self._pointer(group.path, name), "tokens-name", what, to_do)
            return None
        path = f"{group.path}.{name}" if group.path else name
        if not isinstance(node, dict):
            self._is_group(self._pointer(path), node)
            return None
        if "$value" in node or "$ref" in node:
            self._token(path, node, group, is_root=False)
            return None
        inner = self._opened(path, node, group)
        if is_held(node):
            self._note(Entry(path, node, None, False, False, self.location))
        return inner

    def _root_token(self, group: _Group, node: Any) -> None:
        if not group.path:
            what = "a token stands for the collection itself"
            self.report((self.root, ROOT), "tokens-root-group", what, "give it a name within the collection")
        elif not isinstance(node, dict) or ("$value" not in node and "$ref" not in node):
            what = "$root is no token"
            self.report(self._pointer(group.path, ROOT), "tokens-structure", what, 'give it a "$value"')
        else:
            self._token(group.path, node, group, is_root=True)

    def _token(self, path: str, node: dict[str, Any], group: _Group, *, is_root: bool) -> None:
        for name in node:
            if name[:1] != "$" or name == ROOT:
                what = f"a token holds {name[:60]!r}, as only a group may"
                to_do = f'make it a group, and the token its "{ROOT}"'
                self.report(self._pointer(path, name), "tokens-structure", what, to_do)
            elif name not in MEMBER_ORDER or name in ("$extends", "$schema"):
                steps = (ROOT, name) if is_root else (name,)
                self.report(self._pointer(path, *steps), "tokens-member-unknown", *_UNKNOWN)
        self._note(Entry(path, node, group.inherited, group.deprecated, is_root, self.location))

    def _note(self, entry: Entry) -> None:
        if entry.path in self.entries:
            what = "the group has both a $root and a value kept in org.tokensync"
            self.report(self._pointer(entry.path), "tokens-structure", what, "keep one of the two")
        self.entries[entry.path] = entry


_UNKNOWN = ("DTCG has no member of this name", "remove it, or put it into $extensions")


def _is_name(name: str) -> bool:
    return bool(name) and "." not in name and "{" not in name and "}" not in name


def is_held(node: dict[str, Any]) -> bool:
    """Whether our extension keeps the value: beside a ``$value`` that only stands for it, or in place of one."""
    extensions = node.get("$extensions")
    if not isinstance(extensions, dict):
        return False
    ours = extensions.get(OURS)
    return isinstance(ours, dict) and "value" in ours
