"""Edits of the token files that are there: a pull changes what differs from the wanted graph, and nothing else.

What people write besides it stays by construction: members of groups and files, comments, members of other vendors, the
order of tokens, a reference as ``$ref``, and a token that takes its ``$type`` from its group. A token moves with all of
its members. The members of a group move to the group that most of its tokens are in now. A group that extends another
one still does after a pull; tokens that it inherits are written only if the platform changed them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.destinations import Destinations
from tokensync.dtcg.document import Location, location_of
from tokensync.dtcg.extensions import has_stored_value, own_members
from tokensync.dtcg.families import as_object, home_column, put_in_resolver
from tokensync.dtcg.groups import expanded, is_token_of, walk, without_identity
from tokensync.dtcg.layout import Inline, inline
from tokensync.dtcg.parse import ProblemCollector, parsed
from tokensync.dtcg.spelling import (
    DTCG_TYPES,
    EXTENSION_ORDER,
    FIGMA,
    FORMAT_SCHEMA,
    MODE_NAME,
    OURS,
    OURS_OF_FILE,
    OURS_OF_TOKEN,
    RESOLVER_SUFFIX,
    ROOT,
    is_reference,
    pointer_of,
)
from tokensync.system.wording import listed
from tokensync.tokens import Alias, Collection, Token, TokenGraph, TokenKey
from tokensync.tokens.collection import OF_STYLE
from tokensync.tokens.composites import TYPOGRAPHY
from tokensync.tokens.paths import groups_around

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.system.positions import Pointer
    from tokensync.system.problems import Problem

    Node = dict[str, Any]
    Steps = tuple[str, ...]


class Previous(NamedTuple):
    """The token files before a pull: their graph and contents, and their keys by the keys of the new graph.

    ``joined`` are the new keys of other tokens of the graph: a token that is renamed in one file only is two.
    """

    graph: TokenGraph
    files: Mapping[str, bytes]
    keys: Callable[[], Mapping[TokenKey, TokenKey]]
    joined: Mapping[TokenKey, TokenKey] = {}


class Wanted(NamedTuple):
    """The trees of the files of a graph by path, and its resolver document.

    The files of ``current`` have their trees already. ``add_hints`` writes the hints about the order of tokens in other
    trees into the head of the ``trees``.
    """

    trees: Mapping[str, Node]
    resolver: Node
    current: Container[str]
    add_hints: Callable[[Mapping[str, Node]], None]


class Edited(NamedTuple):
    """The trees of the new files by path, those of them that differ from the present file, and problems.

    ``former`` are the former addresses of what has another address in its file, by path.
    """

    trees: dict[str, Node]
    changed: set[str]
    problems: tuple[Problem, ...]
    former: dict[str, dict[Steps, Steps]]


def edited(
    previous: Previous,
    graph: TokenGraph,
    file: str,
    wanted: Wanted,
    shown_below: str = "",
    only: Container[TokenKey] | None = None,
) -> Edited:
    """Return the trees of the present files with the edits after which they have a graph, of which ``wanted`` is made.

    The resolver document in ``wanted`` gets the members of the present one. ``shown_below`` is shown before paths in
    problems. With ``only``, no other tokens change, and nothing else but names and the order of tokens.
    """
    report = _Report(previous.files, shown_below)
    path = f"{file}{RESOLVER_SUFFIX}"

    def lose(owner: tuple[str, str], names: Sequence[str]) -> None:
        report.lose(path, owner, [(name,) for name in names], "the collection was deleted in Figma")

    put_in_resolver(parsed(previous.files.get(path, b"{}"))[0], file, previous.graph, wanted.resolver, lose)
    if only is None and not any(location_of(path, file) for path in previous.files):
        return Edited(dict(wanted.trees), {*wanted.trees}, report.problems(), {})
    destinations = Destinations(file, previous.graph, graph, previous.keys(), previous.joined)
    files = _Files(previous, file, wanted, destinations)
    moves = _Moves(files, destinations, report)
    moves.move_tokens(with_deleted=only is None)
    moves.move_groups()
    updates = _Updates(graph, moves)
    updates.update_tokens(only)
    updates.leave_inherited()
    files.arrange()
    wanted.add_hints(files.trees)
    updates.update_heads(with_all=only is None)
    return Edited(files.trees, files.changed, report.problems(), moves.former)


def keys_in(tree: Node, file: str) -> Iterator[TokenKey]:
    """Yield the keys of a token file's tokens in the order in which it is read, with those that groups inherit."""
    yield from (key for key, _ in _tokens_of(expanded(tree, b'"$extends" "$ref"', _ignore), file))


_OWN_EXTENSIONS = (*(name for name in EXTENSION_ORDER if name != OURS), FIGMA)
"""The members of a token's ``$extensions`` that the graph holds."""
_KNOWN_IN_FILE = {"mode": ("id", "parent", "context"), "collection": ("name", "id", "key", "hidden", "default")}
"""The members that the writer writes, of those members of our extension of a file in which people may have others."""
_HELD_BY_HOME = ("type", "description", "scopes", "hidden", "code_syntax", "deprecated", "extensions")
_DELETED_TOKEN = "the token was deleted in Figma"  # noqa: S105 - no password
_NO_VALUE = "the token has no value in this mode any more"
_DELETED_REST = "the other tokens of the group were deleted in Figma"
_DELETED_BASE = "the group that it names was deleted in Figma"
_DELETED_TARGET = "the token that it refers to was deleted in Figma"
_DELETED_GROUP = "the tokens of the group were deleted in Figma"


class _Owner(NamedTuple):
    """A token, group or member of the present files, for problems."""

    file: str
    steps: Steps


class _GroupMember(NamedTuple):
    """A member of a group, or the group itself if it is empty, on its way to the group with a path."""

    owner: _Owner
    group: str
    within: Steps
    value: Any


class _Extending(NamedTuple):
    """A group that extends another one, and the member that says so."""

    handle: str
    group: str
    reference: _Owner


class _Report:
    """The problems of what a pull removes or cannot place."""

    def __init__(self, files: Mapping[str, bytes], shown_below: str) -> None:
        self.collector = ProblemCollector(files, shown_below)
        self.lost: dict[tuple[str, Pointer, str], list[str]] = {}

    def problems(self) -> tuple[Problem, ...]:
        for (path, pointer, why), names in self.lost.items():
            what = f"a pull removes {', '.join(names)}, because {why}"
            self.collector.add(path, pointer, "tokens-member-removed", what, "restore it from git if you need it")
        return self.collector.problems()

    def lose(self, file: str, owner: Pointer, members: Iterable[Steps], why: str) -> None:
        for within in members:
            self.lost.setdefault((file, (*owner, within[0]), why), []).append(".".join(within))

    def refuse(self, file: str, owner: Pointer, within: Steps) -> None:
        what = f"a pull would replace {'.'.join(within)} by the member of the same name from elsewhere"
        to_do = "remove one of the two, or move it into another group"
        self.collector.add(file, (*owner, *within), "tokens-member-unplaced", what, to_do)


class _Files:
    """The trees of the present files, which are edited, and those of the wanted ones, by path."""

    def __init__(self, previous: Previous, file: str, wanted: Wanted, destinations: Destinations) -> None:
        self.file = file
        self.wanted = wanted.trees
        self.current = wanted.current
        self.changed: set[str] = set()
        self.before: dict[str, Node] = {}
        self.locations: dict[str, Location] = {}
        self.moved: dict[str, str | None] = {}  # the new paths of the present files
        self.trees: dict[str, Node] = {}
        self.origins: dict[str, str] = {}  # the present paths of the new files
        self.additions: dict[int, tuple[str, Steps, Node]] = {}  # groups with new members, by their id()
        self.homes = {
            (family.modes[column].collection, family.modes[column].slug)
            for family in previous.graph.collections.values()
            for column in (home_column(family),)
        }
        for path, content in previous.files.items():
            location = location_of(path, file)
            if location is None:
                continue
            tree = self.wanted[path] if path in self.current else parsed(content)[0]
            if isinstance(tree, dict):
                self.before[path], self.locations[path] = tree, location
        for path in self.before:
            new = path if path in self.wanted else destinations.file_of(self.locations[path])
            new = new if new in self.wanted and (new == path or new not in self.before) else None
            self.moved[path] = new
            if new is not None:
                self.trees[new], misread = (
                    (self.before[path], []) if path in self.current else parsed(previous.files[path])
                )
                self.origins[new] = path
                if misread:  # half of a surrogate pair is written as the character that it was read as
                    self.changed.add(new)
        for path, tree in self.wanted.items():
            if path not in self.trees:
                self.trees[path] = {name: value for name, value in tree.items() if name[:1] == "$"}
            if self.origins.get(path) != path:
                self.changed.add(path)

    def edited(self) -> Iterator[tuple[str, Node]]:
        """Yield the present files that have another tree than the wanted one."""
        yield from ((path, tree) for path, tree in self.before.items() if path not in self.current)

    def was_home(self, file: str) -> bool:
        """Return whether a present file held the descriptions and the other members of its tokens."""
        location = self.locations[file]
        return (location.handle, location.slug) in self.homes or "collection" in own_members(self.before[file])

    def node(self, path: str, steps: Steps) -> Node | None:
        node: Any = self.trees[path]
        for step in steps:
            node = node.get(step) if isinstance(node, dict) else None
        return node if isinstance(node, dict) else None

    def put(self, path: str, node: Node, name: str, value: Any) -> None:
        """Write a member of an object in a file, unless it has this value."""
        if name not in node or not _is_equal(node[name], value):
            node[name] = value
            self.changed.add(path)

    def drop(self, path: str, node: Node, *names: str) -> None:
        """Remove members from an object in a file."""
        for name in names:
            if name in node:
                del node[name]
                self.changed.add(path)

    def copy(self, path: str, node: Node, wanted: Node, name: str) -> None:
        """Write a member as another object has it, or remove it if that has none."""
        if name in wanted:
            self.put(path, node, name, wanted[name])
        else:
            self.drop(path, node, name)

    def add(self, path: str, steps: Steps, node: Node) -> None:
        """Add a token or group, which ``arrange`` puts in order; if there is a group in its place, add its members."""
        group = self.trees[path]
        for number, name in enumerate(steps[:-1]):
            if type(group.get(name)) is not dict:
                group[name] = {}
                self.additions[id(group)] = (path, steps[:number], group)
            group = group[name]
        name = steps[-1]
        present = group.get(name)
        if isinstance(present, dict) and not is_token_of(self.trees[path], present) and "$value" not in node:
            present.update(node)
        else:
            if name not in group:
                self.additions[id(group)] = (path, steps[:-1], group)
            group[name] = node
        self.changed.add(path)

    def remove(self, path: str, steps: Steps, *, only_members: bool = False) -> None:
        """Remove a token, or the members of an object that is a group, too, and the groups that are then empty."""
        groups = [self.trees[path]]
        for step in steps[:-1]:
            groups.append(groups[-1][step])
        node = groups[-1][steps[-1]] if only_members else {}
        rest = {name: each for name, each in node.items() if name[:1] != "$" or name == ROOT}
        if rest:
            groups[-1][steps[-1]] = rest  # in its place
        else:
            del groups[-1][steps[-1]]
        self.changed.add(path)
        for outer, step, group in reversed([*zip(groups, steps, groups[1:], strict=False)]):
            if group:
                break
            del outer[step]

    def arrange(self) -> None:
        """Leave the members of changed groups in their order, and put others after those that they follow in the
        wanted files.
        """
        for path, steps, group in self.additions.values():
            present, wanted = self.before.get(self.origins.get(path, ""), {}), self.wanted[path]
            for step in steps:
                present, wanted = as_object(present.get(step)), as_object(wanted.get(step))
            ranks = {name: rank for rank, name in enumerate(present)}
            children = dict.fromkeys(name for name in group if name[:1] != "$" or name == ROOT)
            followers: dict[str | None, list[str]] = {}  # runs of new members, by the member before them
            last: str | None = None
            for name in (name for name in wanted if name in children):
                if name in ranks:
                    last = name
                else:
                    followers.setdefault(last, []).append(name)
            names = followers.get(None, [])
            for name in sorted((name for name in children if name in ranks), key=ranks.__getitem__):
                names += (name, *followers.get(name, ()))
            names += (name for name in children if name not in ranks and name not in wanted)
            members = {name: group.pop(name) for name in children}
            group.update((name, members[name]) for name in names)
        self.additions.clear()

    def wanted_address(self, path: str | None, key: TokenKey) -> Steps | None:
        """Return the address of a token in a wanted file; None if it does not define the token.

        A token without ``$value`` is the object of its group, and not its ``$root``.
        """
        steps = (key.collection, *key.path.split("."))
        node: Any = self.wanted.get(path or "", {})
        for name in steps:
            node = node.get(name) if isinstance(node, dict) else None
        if not isinstance(node, dict):
            return None
        if "$value" in node or has_stored_value(node):
            return steps
        return (*steps, ROOT) if ROOT in node else None


class _Moves:
    """Moves the tokens and groups that have another name or belong into another file.

    ``came_from`` has the present places of moved tokens by the id() of their object, ``former`` their former addresses
    in the same file, and ``extending`` the groups that extend others, by path.
    """

    def __init__(self, files: _Files, destinations: Destinations, report: _Report) -> None:
        self.files = files
        self.destinations = destinations
        self.report = report
        self.came_from: dict[int, _Owner] = {}
        self.former: dict[str, dict[Steps, Steps]] = {}
        self.extending: dict[str, list[_Extending]] = {}

    def move_tokens(self, *, with_deleted: bool) -> None:
        """Move the tokens that have another name or belong into another file, and remove those that were deleted."""
        moved: list[tuple[str, Steps, Node, _Owner]] = []
        for file, tree in self.files.edited():
            new_file = self.files.moved[file]
            for steps, node, is_token in walk(tree):
                if len(steps) == 1 or not (is_token or has_stored_value(node)):
                    continue
                key = _key_of(self.files.file, steps)
                token = self.destinations.token(key.collection, key.path)
                to_file = None if token is None else self.destinations.file_of(self.files.locations[file], token)
                address = None if token is None else self.files.wanted_address(to_file, token.key)
                if to_file is not None and address is not None:
                    if address == steps and to_file == new_file:
                        continue
                    members = node if is_token else _members_without_tokens(node)
                    moved.append((to_file, address, members, _Owner(file, steps)))
                elif with_deleted:
                    is_deleted, lost = token is None, _members_of_token(node, is_home=self.files.was_home(file))
                    self.report.lose(file, steps, lost, _DELETED_TOKEN if is_deleted else _NO_VALUE)
                else:
                    continue
                if new_file is not None:
                    self.files.remove(new_file, steps, only_members=not is_token)
        for to_file, address, members, owner in moved:
            self.files.add(to_file, address, members)
            self.came_from[id(self.files.node(to_file, address))] = owner
            self._note_former(owner, to_file, address)

    def _note_former(self, owner: _Owner, path: str, steps: Steps) -> None:
        if self.files.origins.get(path) == owner.file:
            self.former.setdefault(path, {})[steps] = owner.steps

    def move_groups(self) -> None:
        """Move the members of groups to the groups that their tokens are in now, and update references to groups."""
        gone = "nothing in the design file needs this file any more"
        moving: list[_GroupMember] = []
        for file, tree in self.files.edited():
            new_file = self.files.moved[file]
            if new_file is None:
                self.report.lose(file, (), _members_of_file(tree), gone)
            for steps, node, is_token in walk(tree):
                members = [*_members_of_group(node)]
                if is_token or has_stored_value(node) or (node and not members):
                    continue
                if new_file is None:
                    self.report.lose(file, steps, members, gone)
                    continue
                group = self.destinations.group(steps[0], ".".join(steps[1:]))
                if group == ".".join(steps[1:]) and not self._is_taken(steps[0], group):  # no token is in its place
                    self._update_references(_Owner(file, steps), new_file, steps)
                    continue
                if group is None:
                    self.report.lose(file, steps, members, _DELETED_GROUP)
                else:
                    owner = _Owner(file, steps)
                    moving += (_GroupMember(owner, group, member, _member(node, member)) for member in members or [()])
                if self.files.node(new_file, steps) is not None:
                    self.files.remove(new_file, steps, only_members=True)
        for member in moving:
            self._place(member)

    def _is_taken(self, handle: str, group: str) -> bool:
        """Return whether there is a token in the place of a group, or of one around it."""
        return any(self.destinations.is_plain(handle, path) for path in (group, *groups_around(group)))

    def _place(self, member: _GroupMember) -> None:
        """Add a member to the group that its group has become."""
        owner, within, value = member.owner, member.within, member.value
        handle, path, new_file = owner.steps[0], ".".join(owner.steps[1:]), self.files.moved[owner.file] or ""
        for place in dict.fromkeys((member.group, path)):  # of two groups that became one, the second stays in place
            if self._is_taken(handle, place):
                continue
            steps = (handle, *(place.split(".") if place else ()))
            group = self.files.node(new_file, steps)
            if group is None:
                group = {}
                self.files.add(new_file, steps, group)
            self._note_former(owner, new_file, steps)
            if not within:
                return
            known = _member(group, within)
            if known is None or inline(known) == inline(value):
                owner_node = group.setdefault(within[0], {}) if len(within) > 1 else group
                owner_node[within[-1]] = value
                self.files.changed.add(new_file)
                if within[0] in ("$extends", "$ref"):
                    self._update_references(owner, new_file, steps)
                return
        if self._is_taken(handle, member.group):
            self.report.lose(owner.file, owner.steps, [within], _DELETED_REST)
        else:
            self.report.refuse(owner.file, owner.steps, within)

    def _update_references(self, owner: _Owner, path: str, steps: Steps) -> None:
        """Let a group extend the group that the one it extends has become."""
        node = self.files.node(path, steps) or {}
        for name in ("$extends", "$ref"):
            if name not in node:
                continue
            reference = self.destinations.reference(node[name])
            if reference is None:
                self.report.lose(owner.file, owner.steps, [(name,)], _DELETED_BASE)
                self.files.drop(path, node, name)
                continue
            self.files.put(path, node, name, reference)
            extending = _Extending(steps[0], ".".join(steps[1:]), _Owner(owner.file, (*owner.steps, name)))
            self.extending.setdefault(path, []).append(extending)


class _Updates:
    """Writes what a graph holds into the files, after the tokens and groups have moved."""

    def __init__(self, graph: TokenGraph, moves: _Moves) -> None:
        self.graph = graph
        self.moves = moves
        self.files = moves.files
        self.destinations = moves.destinations
        self.report = moves.report
        self.inherited: dict[str, list[tuple[TokenKey, Node]]] = {}  # tokens that may stay unwritten

    def update_tokens(self, only: Container[TokenKey] | None = None) -> None:
        """Write into each token what the graph holds, and add the tokens that are missing."""
        for path, wanted in self.files.wanted.items():
            if path in self.files.current:
                continue
            tree = self.files.trees[path]
            contexts = _contexts_of(tree)
            for steps, node, is_token in walk(wanted):
                if len(steps) == 1 or not (is_token or has_stored_value(node)):
                    continue
                key = _key_of(self.files.file, steps)
                present = self.files.node(path, steps)
                if only is not None and key not in only and not _has_pointers(present):
                    continue
                if present is not None and steps[-1] == ROOT and not _is_first(self.files.node(path, steps[:-1])):
                    self.files.changed.add(path)
                is_known = id(present) in self.moves.came_from or path in self.files.origins
                if (
                    present is not None
                    and is_known
                    and (not is_token or is_token_of(tree, present) or has_stored_value(present))
                ):
                    self.update_token(path, steps, present, node, contexts)
                elif self._was_inherited(path, key):
                    self.inherited.setdefault(path, []).append((key, node))
                else:
                    self._add_new(path, steps, node, contexts)
            if only is None:
                self._remove_strangers(path)

    def _add_new(self, path: str, steps: Steps, wanted: Node, contexts: Mapping[Steps, _Context]) -> None:
        node = wanted if "$value" in wanted else _members_without_tokens(wanted)
        if _context_of(contexts, steps).deprecated is not False and "$deprecated" not in node and "$value" in node:
            node = {**node, "$deprecated": False}
        self.files.add(path, steps, node)

    def _remove_strangers(self, path: str) -> None:
        """Remove what is neither a token nor a group of the collection, which is left of invalid files."""
        root = next((name for name in self.files.wanted[path] if name[:1] != "$"), None)
        tree = self.files.trees[path]
        for name in [name for name in tree if name[:1] != "$" and root is not None and name != root]:
            del tree[name]
            self.files.changed.add(path)

    def leave_inherited(self) -> None:
        """Write the inherited tokens that the platform changed, and report those that it does not have."""
        for path in sorted({*self.inherited, *self.moves.extending}):
            self.files.arrange()
            tree = self.files.trees[path]
            inherited = dict(_tokens_of(expanded(tree, b'"$extends" "$ref"', _ignore), self.files.file))
            for key, wanted in self.inherited.get(path, ()):
                node = inherited.get(key)
                if node is None or not (self._is_unchanged(path, key) or _are_same(wanted, node)):
                    self.files.add(path, self.destinations.address(key), wanted)
            for handle, group, reference in self.moves.extending.get(path, ()):
                new = sorted(
                    key.path
                    for key in inherited
                    if _is_within(key, handle, group) and self.files.wanted_address(path, key) is None
                )
                if new:
                    what = f"the group inherits {listed(new)}, which the design file does not have"
                    to_do = "do nothing to keep it: a plan creates it; otherwise replace the reference by the tokens"
                    self.report.collector.add(*reference, "tokens-inherited", what, to_do)

    def _was_inherited(self, path: str, key: TokenKey) -> bool:
        """Return whether a token was in the previous graph, but not in the text of this file."""
        old = self.destinations.old_keys.get(key)
        return old is not None and old in self.destinations.previous.tokens and self.files.origins.get(path) is not None

    def _is_unchanged(self, path: str, key: TokenKey) -> bool:
        """Return whether the members of a token that a file holds are those of the previous graph."""
        new, old = self.graph.tokens[key], self.destinations.previous.tokens[self.destinations.old_keys[key]]
        location = location_of(path, self.files.file)
        if location is None:
            return False
        family, column = self.destinations.columns[location.handle, location.slug]
        if not self.destinations.is_unchanged(old, new, column, (location.handle, location.slug)):
            return False
        return column != home_column(family) or all(getattr(old, name) == getattr(new, name) for name in _HELD_BY_HOME)

    def update_heads(self, *, with_all: bool) -> None:
        """Write the members of files that the graph holds, or only the hints about the order of tokens."""
        for path, wanted in self.files.wanted.items():
            tree = self.files.trees[path]
            extensions, wanted_extensions = as_object(tree.get("$extensions")), wanted.get("$extensions", {})
            ours, wanted_ours = own_members(tree), own_members(wanted)
            if with_all:
                self.files.put(path, tree, "$schema", tree.get("$schema", FORMAT_SCHEMA))
                self.files.copy(path, extensions, wanted_extensions, MODE_NAME)
            for name, known in _KNOWN_IN_FILE.items() if with_all else ():
                others = {each: value for each, value in as_object(ours.get(name)).items() if each not in known}
                if others:
                    wanted_ours = {**wanted_ours, name: {**wanted_ours.get(name, {}), **others}}
            joined = _joined(ours, wanted_ours, OURS_OF_FILE if with_all else ("after",))
            self.files.copy(path, extensions, {OURS: joined} if joined else {}, OURS)
            self.files.copy(path, tree, {"$extensions": extensions} if extensions else {}, "$extensions")

    def column_of(self, path: str) -> tuple[Collection, int]:
        """Return the collection family and the column of a token file."""
        location = location_of(path, self.files.file)
        return self.destinations.columns[location.handle, location.slug]  # type: ignore[union-attr]  # it is a token file

    def update_token(
        self, path: str, steps: Steps, present: Node, wanted: Node, contexts: Mapping[Steps, _Context]
    ) -> None:
        """Write into a token what the graph holds. Members that it does not hold stay."""
        family, column = self.column_of(path)
        token = self.graph.tokens[_key_of(self.files.file, steps)]
        owner = self.moves.came_from.get(id(present)) or _Owner(self.files.origins[path], steps)
        is_home, was_home = column == home_column(family), self.files.was_home(owner.file)
        context = _context_of(contexts, steps)
        if is_home == was_home and context == _NO_CONTEXT and inline(present) == inline(wanted):  # nearly all tokens
            return
        wanted = self._as_written(path, present, wanted, token)
        if "$value" not in wanted:
            self.files.drop(path, present, "$value", "$ref", "$type", *(["$deprecated"] if is_home else []))
        else:
            has_own_type = "$type" in present or not present.keys() & {"$value", "$ref"}
            self._update_value(path, present, wanted, token, owner)
            if has_own_type or not self._has_type_without(wanted, token, context, is_home=is_home):
                self.files.put(path, present, "$type", wanted["$type"])
            if is_home:
                deprecated = wanted.get("$deprecated", False)
                if present.get("$deprecated", context.deprecated) != deprecated:
                    if deprecated is False and context.deprecated is False:
                        self.files.drop(path, present, "$deprecated")
                    else:
                        self.files.put(path, present, "$deprecated", deprecated)
        if was_home and not is_home:
            self.files.drop(path, present, "$deprecated")
        self._update_held(path, present, "$description", wanted, owner, is_home=is_home)
        self._update_extensions(path, present, wanted.get("$extensions", {}), owner, is_home=is_home)

    def _update_extensions(
        self, path: str, present: Node, wanted_extensions: Node, owner: _Owner, *, is_home: bool
    ) -> None:
        extensions = as_object(present.get("$extensions"))
        for name in _OWN_EXTENSIONS:
            self.files.copy(path, extensions, wanted_extensions, name)
        for name in {**extensions, **wanted_extensions}:
            if name not in _OWN_EXTENSIONS and name != OURS:
                self._update_held(path, extensions, name, wanted_extensions, owner, is_home=is_home)
        joined = _joined(as_object(extensions.get(OURS)), wanted_extensions.get(OURS, {}), OURS_OF_TOKEN)
        self.files.copy(path, extensions, {OURS: joined} if joined else {}, OURS)
        self.files.copy(path, present, {"$extensions": extensions} if extensions else {}, "$extensions")

    def _update_held(self, path: str, present: Node, name: str, wanted: Node, owner: _Owner, *, is_home: bool) -> None:
        """Write a member that the graph holds in the default mode's file only; in other files, it is of people."""
        was_home = self.files.was_home(owner.file)
        if is_home and name in wanted:
            if not was_home and name in present and not _is_equal(present[name], wanted[name]):
                self.report.refuse(owner.file, owner.steps, (name,) if name[:1] == "$" else ("$extensions", name))
            self.files.put(path, present, name, wanted[name])
        elif was_home and present.get(name, "") not in ("", {}):
            self.files.drop(path, present, name)

    def _update_value(self, path: str, present: Node, wanted: Node, token: Token, owner: _Owner) -> None:
        """Write a value, as a pointer where one was. A notation that the graph does not hold stays with its value."""
        before, value = present.get("$value"), _decoded(wanted["$value"])
        pointer = present.get("$ref", before)
        if isinstance(pointer, dict) and pointer.keys() == {"$ref"}:
            pointer = pointer["$ref"]
        if is_reference(value) and isinstance(pointer, str) and pointer[:1] == "#":
            text = pointer_of(value[1:-1].split(".")) + ("/$value" if pointer.endswith("/$value") else "")
            is_whole = "$ref" in present
            self.files.put(path, present, "$ref" if is_whole else "$value", text if is_whole else {"$ref": text})
            return
        self.files.drop(path, present, "$ref")
        if _has_notation(before) and not is_reference(value) and self._has_value_of(path, token):
            try:
                value = self._repointed(before)
            except KeyError:
                self.report.lost.setdefault((owner.file, (*owner.steps, "$value"), _DELETED_TARGET), []).append("$ref")
        if not _is_equal(before, value):
            present["$value"] = wanted["$value"] if value == _decoded(wanted["$value"]) else value
            self.files.changed.add(path)

    def _as_written(self, path: str, present: Node, wanted: Node, token: Token) -> Node:
        """Return the wanted token with a text style as people wrote it, if only our extension could hold its value."""
        ours = own_members(wanted)
        is_stored = "value" in ours and token.type == TYPOGRAPHY and "value" not in own_members(present)
        if not is_stored or type(present.get("$value")) is not dict or not self._has_value_of(path, token):
            return wanted
        try:
            value = self._repointed(present["$value"])
        except KeyError:  # it refers to a deleted token
            return wanted
        kept = {name: member for name, member in ours.items() if name not in ("value", "written", "type", "deprecated")}
        deprecated = {"$deprecated": ours["deprecated"]} if "deprecated" in ours else {}  # where there is no $value
        extensions = {**wanted["$extensions"], OURS: kept}
        return {**wanted, "$type": TYPOGRAPHY, "$value": value, **deprecated, "$extensions": extensions}

    def _has_value_of(self, path: str, token: Token) -> bool:
        """Return whether a token has the value of the previous graph in the mode of a file."""
        old = self.destinations.previous.tokens.get(self.destinations.old_keys.get(token.key, token.key))
        (family, column) = self.column_of(path)
        mode = family.modes[column]
        return old is not None and self.destinations.is_unchanged(old, token, column, (mode.collection, mode.slug))

    def _repointed(self, value: Any) -> Any:
        """Return a value with the references to tokens that moved. Raises KeyError if a token was deleted."""
        if isinstance(value, list):
            return [self._repointed(each) for each in value]
        if is_reference(value):
            reference = self.destinations.braces(value)
            if reference is None:
                raise KeyError(value)
            return reference
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("$ref"), str):
            pointer = self.destinations.pointer(value["$ref"])
            if pointer is None:
                raise KeyError(value["$ref"])
            return {**value, "$ref": pointer}
        return {name: self._repointed(each) for name, each in value.items()}

    def _has_type_without(self, wanted: Node, token: Token, context: _Context, *, is_home: bool) -> bool:
        """Return whether a token has the same type without its ``$type``."""
        if wanted["$type"] != DTCG_TYPES[token.type]:
            return False
        if not is_home:
            return True
        if not is_reference(_decoded(wanted["$value"])):
            return bool(context.type == wanted["$type"])
        targets = (value.target for value in token.values if isinstance(value, Alias))
        return all(self.graph.tokens[target].type == token.type for target in targets if target in self.graph.tokens)


class _Context(NamedTuple):
    """The ``$type`` and ``$deprecated`` that the tokens of a group inherit."""

    type: Any = None
    deprecated: Any = False


_NO_CONTEXT = _Context()


def _contexts_of(tree: Node) -> dict[Steps, _Context]:
    """Return the contexts of the groups of a file that are not the usual one."""
    tree = expanded(tree, b'"$extends" "$ref"', _ignore)
    contexts: dict[Steps, _Context] = {(): _Context(tree.get("$type"), tree.get("$deprecated", False))}
    for steps, node, is_token in walk(tree):
        if not is_token and ("$type" in node or "$deprecated" in node):
            around = _context_of(contexts, steps)
            contexts[steps] = _Context(node.get("$type", around.type), node.get("$deprecated", around.deprecated))
    return contexts


def _context_of(contexts: Mapping[Steps, _Context], steps: Steps) -> _Context:
    """Return the context of something in the nearest group that has one."""
    if len(contexts) > 1:
        for end in range(len(steps) - 1, 0, -1):
            if steps[:end] in contexts:
                return contexts[steps[:end]]
    return contexts.get((), _NO_CONTEXT)


def _ignore(*_: object) -> None:
    """Ignore problems, which were reported when the present files were read."""


def _key_of(file: str, steps: Steps) -> TokenKey:
    return TokenKey(file, steps[0], ".".join(step for step in steps[1:] if step != ROOT))


def _tokens_of(tree: Node, file: str) -> Iterator[tuple[TokenKey, Node]]:
    """Yield the tokens of a token file's tree with their keys, in the order in which they are read."""
    for steps, node, is_token in walk(tree):
        if len(steps) > 1 and (is_token or has_stored_value(node)):
            yield _key_of(file, steps), node


def _decoded(value: Any) -> Any:
    return json.loads(value) if type(value) is Inline else value


def _is_equal(present: Any, wanted: Any) -> bool:
    """Return whether two values have the same JSON, apart from the order of members and the notation of numbers."""
    if present is wanted or (type(present) is str and type(wanted) is str):
        return bool(present == wanted)
    text = inline(wanted)
    return inline(present) == text or bool(present == json.loads(text))


def _has_notation(value: Any) -> bool:
    """Return whether a value contains a ``$ref``, or is a colour in another space than sRGB."""
    if type(value) is dict:
        return "$ref" in value or value.get("colorSpace", "srgb") != "srgb" or any(map(_has_notation, value.values()))
    return type(value) is list and any(map(_has_notation, value))


def _has_pointers(token: Node | None) -> bool:
    return token is not None and ("$ref" in token or _has_notation(token.get("$value")))


def _members_without_tokens(node: Node) -> Node:
    """Return the members of a token without ``$value``, whose object may contain others."""
    return {name: each for name, each in node.items() if name[:1] == "$" and name != ROOT}


def _joined(present: Node, wanted: Node, names: Container[str]) -> Node:
    """Return the members with these names of a wanted object in their order, and the others of the present one."""
    others = {name: value for name, value in present.items() if name not in names}
    return {**{name: value for name, value in wanted.items() if name in names or name in others}, **others}


def _is_first(group: Node | None) -> bool:
    """Return whether the ``$root`` of a group is before its other tokens, where it is written."""
    return next((name for name in group or () if name == ROOT or name[:1] != "$"), ROOT) == ROOT


def _member(node: Node, within: Steps) -> Any:
    value: Any = node
    for name in within:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _members_of_token(node: Node, *, is_home: bool) -> Iterator[Steps]:
    """Yield the members of a token that its deletion loses; ``is_home`` means that the graph holds its description."""
    for name, value in node.items():
        if name == "$extensions" and isinstance(value, dict):
            for vendor, members in value.items():
                if vendor == OURS and isinstance(members, dict):
                    yield from ((name, OURS, own) for own in members if own not in OURS_OF_TOKEN)
                elif vendor not in (*EXTENSION_ORDER, FIGMA, OF_STYLE):
                    yield (name, vendor)
        elif (
            name[:1] == "$"
            and name not in ("$type", "$value", "$ref", ROOT)
            and not (is_home and name == "$description")
        ):
            yield (name,)


def _members_of_group(node: Node) -> Iterator[Steps]:
    for name, value in node.items():
        if name == "$extensions" and isinstance(value, dict):
            yield from ((name, vendor) for vendor in value)
        elif name[:1] == "$" and name != ROOT:
            yield (name,)


def _members_of_file(tree: Node) -> Iterator[Steps]:
    """Yield the members of a file that the graph does not hold."""
    for name, value in tree.items():
        if name != "$extensions" or not isinstance(value, dict):
            if name[:1] == "$" and (name, value) != ("$schema", FORMAT_SCHEMA):
                yield (name,)
            continue
        for vendor in value:
            if vendor not in (MODE_NAME, OURS):
                yield (name, vendor)
            for own, members in own_members(tree).items() if vendor == OURS else ():
                known = _KNOWN_IN_FILE.get(own)
                if own not in OURS_OF_FILE:
                    yield (name, OURS, own)
                elif known is not None and isinstance(members, dict):
                    yield from ((name, OURS, own, inner) for inner in members if inner not in known)


def _is_within(key: TokenKey, handle: str, group: str) -> bool:
    """Return whether a token is in a group, or its ``$root``."""
    return key.collection == handle and (not group or key.path == group or key.path.startswith(f"{group}."))


def _are_same(token: Node, other: Node) -> bool:
    """Return whether two tokens are equal, apart from members that no two tokens can have."""
    return _is_equal(without_identity(other), without_identity(token))
