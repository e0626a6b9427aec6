"""Preservation: foreign members are put back into the files that a pull writes.

Those of a token go into the token that it has become, those of a group into the group that its tokens are in now. A
group that extends another one still does after a pull. Tokens that it inherits are written only if the platform changed
them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.destinations import Destinations
from tokensync.dtcg.extensions import has_stored_value
from tokensync.dtcg.families import edited_defaults, home_column, token_folder
from tokensync.dtcg.foreign import has_notation, is_in_written_order
from tokensync.dtcg.groups import expanded, is_token_of, without_identity
from tokensync.dtcg.layout import Inline, inline
from tokensync.dtcg.parse import ProblemCollector
from tokensync.dtcg.spelling import (
    DTCG_TYPES,
    EXTENSION_ORDER,
    RESOLVER_SUFFIX,
    ROOT,
    TOKENS_SUFFIX,
    is_reference,
    path_of_pointer,
    pointer_of,
)
from tokensync.system.wording import listed
from tokensync.tokens import Alias, TokenKey
from tokensync.tokens.paths import groups_around

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.dtcg.foreign import Foreign, ForeignMembers, Notation
    from tokensync.system.positions import Pointer
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token, TokenGraph

    Node = dict[str, Any]


class Preserved(NamedTuple):
    """The result of putting foreign members back.

    ``changed`` are the files that differ from those of the graph, ``extending`` those with a group that extends
    another one.
    """

    changed: frozenset[str] = frozenset()
    extending: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


def preserve(
    foreign: ForeignMembers, graph: TokenGraph, trees: Mapping[str, Node], resolver: Node, shown_below: str = ""
) -> Preserved:
    """Put foreign members into the trees of the files that were made from a graph, by path.

    ``shown_below`` is shown before paths in problems.
    """
    preservation = _Preservation(foreign, graph, trees, shown_below)
    preservation.put_members()
    preservation.leave_inherited()
    preservation.put_contexts()
    preservation.put_notations()
    preservation.put_in_resolver(resolver)
    preservation.arrange()
    return preservation.result()


def keys_in(tree: Node, file: str) -> Iterator[TokenKey]:
    """Yield the keys of a token file's tokens in file order, with those that groups inherit."""
    yield from (key for key, _ in _tokens_of(expanded(tree, b'"$extends"', _ignore), file))


class _Preservation:
    def __init__(self, foreign: ForeignMembers, graph: TokenGraph, trees: Mapping[str, Node], shown_below: str) -> None:
        self.foreign = foreign
        self.graph = graph
        self.trees = trees
        self.to = Destinations(foreign.file, foreign.previous.graph, graph, foreign.previous.keys())
        self.collector = ProblemCollector(foreign.previous.files, shown_below)
        self.changed: set[str] = set()
        self.lost: dict[tuple[str, Pointer, str], list[str]] = {}
        self.extending: dict[str, list[tuple[str, str, Foreign]]] = {}  # (handle, group, item) by file

    def result(self) -> Preserved:
        for (path, pointer, why), names in self.lost.items():
            what = f"a pull removes {', '.join(names)}, because {why}"
            self.collector.add(path, pointer, "tokens-member-removed", what, "restore it from git if you need it")
        return Preserved(frozenset(self.changed), frozenset(self.extending), self.collector.problems())

    def put_members(self) -> None:
        moved: list[Foreign] = []
        for item in self.foreign.items:
            if item.owner == "file":
                self._put_in_file(item)
            elif item.owner == "token":
                self._put_in_token(item)
            elif self.to.group(self.foreign.group_of(item.file), item.path) == item.path:
                self._put_in_group(item)
            else:
                moved.append(item)
        for item in moved:  # a group that stays is the first to keep its members
            self._put_in_group(item)

    def _put_in_file(self, item: Foreign) -> None:
        path = self._file_of(item)
        if path is not None and not self._set(path, self.trees[path], item):
            self._refuse(item)

    def _put_in_group(self, item: Foreign) -> None:
        handle = self.foreign.group_of(item.file)
        group = self.to.group(handle, item.path)
        path = self._file_of(item)
        if path is None:
            return
        if group is None:
            self._lose(item, "the tokens of the group were deleted on the platform")
            return
        extends = item.within in (("$extends",), ("$ref",))
        if extends:
            reference = self.to.reference(item.value)
            if reference is None:
                self._lose(item, "the group that it names was deleted on the platform")
                return
            item = item._replace(value=reference)
        for place in dict.fromkeys((group, item.path)):  # of two groups that became one, the second stays where it was
            node = self._group(path, handle, place, item)
            if node is not None and (not item.within or self._set(path, node, item)):
                if extends:
                    self.extending.setdefault(path, []).append((handle, place, item))
                return
        if any(self.to.is_plain(handle, each) for each in (group, *groups_around(group))):
            self._lose(item, "the other tokens of the group were deleted on the platform")
        else:
            self._refuse(item)

    def _put_in_token(self, item: Foreign) -> None:
        handle = self.foreign.group_of(item.file)
        token = self.to.token(handle, item.path)
        if token is None:
            self._lose(item, "the token was deleted on the platform")
            return
        path = self.to.file_of(self.foreign.locations[item.file], token)
        node = self._token(path, token.key) if path is not None else None
        if path is None or node is None:
            self._lose(item, "the token has no value in this mode any more")
        elif item.is_held:
            self._restore_order(path, node, item)
        elif not self._set(path, node, item):
            self._refuse(item)

    def _file_of(self, item: Foreign) -> str | None:
        """Return the path of the new file that a member of a file or group goes into, or report that it is lost."""
        path = self._moved(item.file)
        if path is None:
            self._lose(item, "nothing in the design file needs this file any more")
        return path

    def _moved(self, path: str) -> str | None:
        """Return the path of the file that a previous file has become; None if there is no new file for it."""
        if path in self.trees:
            return path
        new = self.to.file_of(self.foreign.locations[path])
        return new if new in self.trees and new not in self.foreign.trees else None

    def _group(self, path: str, handle: str, group: str, item: Foreign) -> Node | None:
        """Return the object of a group, which is added if it has no tokens; None if there is a token in its place.

        A group that already has another member of the item's name is not the place for it, either.
        """
        node: Any = self.trees[path]
        names = (handle, *(group.split(".") if group else ()))
        for name in names:
            node = node.get(name, {})
            if not isinstance(node, dict) or "$value" in node:
                return None
        for name in item.within:
            node = node.get(name) if isinstance(node, dict) else None
        if item.within and node is not None and inline(node) != inline(item.value):
            return None
        group_node: Node = self.trees[path]
        before: Any = self.foreign.trees.get(path, {})
        for name in names:
            if name not in group_node:
                _insert(group_node, name, {}, before)
                self.changed.add(path)
            group_node, before = group_node[name], before.get(name, {}) if isinstance(before, dict) else {}
        return group_node

    def _token(self, path: str, key: TokenKey) -> Node | None:
        """Return the object of a token in a new file; None if the file does not define it."""
        node: Any = self.trees.get(path, {})
        for name in (key.collection, *key.path.split(".")):
            node = node.get(name) if isinstance(node, dict) else None
        if isinstance(node, dict) and not ("$value" in node or has_stored_value(node)):
            node = node.get(ROOT)
        return node if isinstance(node, dict) else None

    def _restore_order(self, path: str, node: Node, item: Foreign) -> None:
        """Write a member of ``$extensions`` as it was, after those before it; the graph sorts them."""
        extensions = node.get("$extensions")
        if item.within[0] != "$extensions" or not isinstance(extensions, dict) or item.within[1] not in extensions:
            return
        before = [(name, inline(each)) for name, each in extensions.items() if name not in EXTENSION_ORDER]
        del extensions[item.within[1]]
        extensions[item.within[1]] = item.value
        if [(name, inline(each)) for name, each in extensions.items() if name not in EXTENSION_ORDER] != before:
            self.changed.add(path)

    def _set(self, path: str, node: Node, item: Foreign) -> bool:
        """Add a member to an object; return False if it has another member of that name."""
        for name in item.within[:-1]:
            if type(node.setdefault(name, {})) is not dict:
                return False
            node = node[name]
        name = item.within[-1]
        if name in node and inline(node[name]) != inline(item.value) and item.within != ("$schema",):
            return False
        if name not in node or inline(node[name]) != inline(item.value):
            node[name] = item.value
            self.changed.add(path)
        return True

    def _lose(self, item: Foreign, why: str) -> None:
        if item.within:
            owner = item.pointer[: len(item.pointer) - len(item.within)]
            self.lost.setdefault((item.file, (*owner, item.within[0]), why), []).append(".".join(item.within))

    def _refuse(self, item: Foreign) -> None:
        what = f"a pull would replace {'.'.join(item.within)} by the member of the same name from elsewhere"
        to_do = "remove one of the two, or move it into another group"
        self.collector.add(item.file, item.pointer, "tokens-member-unplaced", what, to_do)

    # groups that extend others

    def leave_inherited(self) -> None:
        """Remove the tokens that a file inherited and that the platform did not change."""
        for path, groups in self.extending.items():
            tree = self.trees[path]
            written = dict(_tokens_of(tree, self.foreign.file))
            taken: list[tuple[TokenKey, Node]] = []
            for handle, group, item in groups:
                for key in written:
                    if _is_within(key, handle, group) and self._was_inherited(item.file, key):
                        node = _taken_out(tree, self.to.address(key))
                        if node is not None:
                            taken.append((key, node))
            inherited = dict(_tokens_of(expanded(tree, b'"$extends"', _ignore), self.foreign.file))
            for key, node in taken:
                if not self._is_unchanged(path, key) and not _are_same(node, inherited.get(key)):
                    _put_in(tree, self.to.address(key), node)
            self.changed.add(path)
            found = dict(_tokens_of(expanded(tree, b'"$extends"', _ignore), self.foreign.file)).keys() - written.keys()
            for handle, group, item in groups:
                new = sorted(key.path for key in found if _is_within(key, handle, group))
                if new:
                    what = f"the group inherits {listed(new)}, which the design file does not have"
                    to_do = "do nothing to keep it: a plan creates it; otherwise replace the reference by the tokens"
                    self.collector.add(item.file, item.pointer, "tokens-inherited", what, to_do)

    def _was_inherited(self, path: str, key: TokenKey) -> bool:
        """Return whether a token was in the previous graph, but not in the text of this file."""
        old = self.to.old_keys.get(key)
        if old is None:
            return False
        node: Any = self.foreign.trees[path]
        for name in (old.collection, *old.path.split(".")):
            node = node.get(name) if isinstance(node, dict) else None
        return not isinstance(node, dict) or not (is_token_of(self.foreign.trees[path], node) or ROOT in node)

    def _is_unchanged(self, path: str, key: TokenKey) -> bool:
        """Return whether the members of a token that a file holds are those of the previous graph."""
        new, old = self.graph.tokens[key], self.to.previous.tokens[self.to.old_keys[key]]
        family = self.graph.collections[key[:2]]
        for column, mode in enumerate(family.modes):
            if f"{self.foreign.file}/{token_folder(new, family, column)}/{mode.slug}{TOKENS_SUFFIX}" != path:
                continue
            if not self.to.is_unchanged(old, new, column, (mode.collection, mode.slug)):
                return False
            if column == home_column(family):
                return all(getattr(old, name) == getattr(new, name) for name in _HELD_BY_HOME)
        return True

    # contexts and notations

    def put_contexts(self) -> None:
        """Omit what tokens inherit from their groups, if they did before; add what would be inherited otherwise."""
        with_context = {
            path
            for item in self.foreign.items
            if item.owner != "token"
            and item.within in (("$type",), ("$deprecated",), ("$extends",), ("$ref",))
            and (path := self._moved(item.file)) is not None
        }
        file = self.foreign.file
        contexts = {path: dict(_contexts_of(self.trees[path], file)) for path in with_context & self.trees.keys()}
        for path, of_tokens in contexts.items():
            before = dict(_tokens_of(self.foreign.trees.get(path, {}), file))
            for key, node in _tokens_of(self.trees[path], file):
                inherited = of_tokens.get(key, (None, False))[1]
                if inherited is False or "$value" not in node or not self._is_home(path, key):
                    continue
                old = self.to.old_keys.get(key)
                had_own = old is None or "$deprecated" in before.get(old, node)
                if "$deprecated" not in node:
                    node["$deprecated"] = False
                    self.changed.add(path)
                elif node["$deprecated"] == inherited and not had_own:
                    del node["$deprecated"]
                    self.changed.add(path)
        for each in self.foreign.notations:
            placed = self._placed(each)
            if placed is not None and "$type" not in each.node:
                path, token, node, _ = placed
                inherited_type = contexts.get(path, {}).get(token.key, (None, False))[0]
                if self._has_type_without(path, token, node, inherited_type):
                    del node["$type"]
                    self.changed.add(path)

    def _has_type_without(self, path: str, token: Token, node: Node, inherited: Any) -> bool:
        """Return whether a token has the same type without its ``$type``."""
        if node.get("$type") != DTCG_TYPES[token.type]:
            return False
        if not self._is_home(path, token.key):
            return True
        value = _decoded(node["$value"])
        if not is_reference(value):
            return bool(inherited == node["$type"])
        targets = (each.target for each in token.values if isinstance(each, Alias))
        return all(self.graph.tokens[each].type == token.type for each in targets if each in self.graph.tokens)

    def _is_home(self, path: str, key: TokenKey) -> bool:
        token, family = self.graph.tokens[key], self.graph.collections[key[:2]]
        home = home_column(family)
        folder, slug = token_folder(token, family, home), family.modes[home].slug
        return path == f"{self.foreign.file}/{folder}/{slug}{TOKENS_SUFFIX}"

    def put_notations(self) -> None:
        """Write pointers where they were, values that only text can hold, and the members of values in their order."""
        for each in self.foreign.notations:
            placed = self._placed(each)
            if placed is None:
                continue
            path, token, node, column = placed
            pointer = each.node.get("$ref", each.node.get("$value"))
            if isinstance(pointer, dict) and pointer.keys() == {"$ref"}:
                pointer = pointer["$ref"]
            value = _decoded(node["$value"])
            if is_reference(value) and isinstance(pointer, str) and pointer[:1] == "#":
                text = pointer_of(value[1:-1].split(".")) + ("/$value" if pointer.endswith("/$value") else "")
                self.changed.add(path)
                if "$ref" in each.node:
                    del node["$value"]
                    node["$ref"] = text
                else:
                    node["$value"] = {"$ref": text}
            elif has_notation(each.node.get("$value")) and not is_reference(value):
                self._put_value(each, path, token, node, column)
            elif value == each.node.get("$value", ...) and not is_in_written_order(each.node["$value"]):
                node["$value"] = each.node["$value"]
                self.changed.add(path)

    def _put_value(self, each: Notation, path: str, token: Token, node: Node, column: int) -> None:
        location = self.foreign.locations[each.file]
        old = self.to.previous.tokens[self.to.old_keys[token.key]]
        if not self.to.is_unchanged(old, token, column, (location.handle, location.slug)):
            return
        try:
            node["$value"] = self._repointed(each.node["$value"])
            self.changed.add(path)
        except KeyError:
            key = (each.file, (*each.pointer, "$value"), "the token that it refers to was deleted on the platform")
            self.lost.setdefault(key, []).append("$ref")

    def _repointed(self, value: Any) -> Any:
        """Return a value with the references to tokens that moved. Raises KeyError if a token was deleted."""
        if isinstance(value, list):
            return [self._repointed(each) for each in value]
        if is_reference(value):
            reference = self.to.braces(value)
            if reference is None:
                raise KeyError(value)
            return reference
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("$ref"), str):
            pointer = self.to.pointer(value["$ref"])
            if pointer is None:
                raise KeyError(value["$ref"])
            return {**value, "$ref": pointer}
        return {name: self._repointed(each) for name, each in value.items()}

    def _placed(self, each: Notation) -> tuple[str, Token, Node, int] | None:
        """Return the file, token, object and column of a token with a notation; None if it has no ``$value`` there."""
        location = self.foreign.locations[each.file]
        token = self.to.token(self.foreign.group_of(each.file), each.path)
        path = self.to.file_of(location, token) if token is not None else None
        node = self._token(path, token.key) if token is not None and path is not None else None
        if token is None or path is None or node is None or "$value" not in node:
            return None
        modes = self.graph.collections[token.key[:2]].modes
        column = next(at for at, mode in enumerate(modes) if (mode.collection, mode.slug) == location[2:])
        return path, token, node, column

    def arrange(self) -> None:
        """Leave the tokens and groups of each file in their order, so that no lines move; hints restore the graph's."""
        for path, before in self.foreign.trees.items():
            if path in self.trees and _arrange(self.trees[path], before):
                self.changed.add(path)

    # the resolver document

    def put_in_resolver(self, document: Node) -> None:
        """Put the foreign members of the previous resolver document into the new one."""
        path, before = f"{self.foreign.file}{RESOLVER_SUFFIX}", self.foreign.resolver
        if not before:
            return
        for name, value in before.items():
            if name not in ("version", "sets", "modifiers", "resolutionOrder"):
                document[name] = value
        for family, default in edited_defaults(before, self.to.previous.collections.values()):
            modifier = document.get("modifiers", {}).get(family.handle)
            if modifier is not None and default in modifier["contexts"]:
                modifier["default"] = default
        for kind in ("sets", "modifiers"):
            for name, each in _object(before.get(kind)).items():
                owner = document.get("sets", {}).get(name) or document.get("modifiers", {}).get(name)
                if owner is not None:
                    self._put_in_owner((kind, name), _object(each), owner)
                elif (self.foreign.file, name) not in self.to.previous.collections:
                    document.setdefault(kind, {})[name] = each
                else:
                    lost = [own for own in _object(each) if own not in ("sources", "contexts", "default")]
                    if lost:
                        key = (path, (kind, name, lost[0]), "the collection was deleted on the platform")
                        self.lost.setdefault(key, []).extend(lost)
        names = {(kind, name) for kind in ("sets", "modifiers") for name in document.get(kind, {})}
        order = before.get("resolutionOrder")
        document["resolutionOrder"] = _with_foreign(order, document["resolutionOrder"], lambda steps: steps in names)
        if "sets" in document and "modifiers" in document:  # the order of their members
            document.update({kind: document.pop(kind) for kind in ("sets", "modifiers", "resolutionOrder")})

    def _put_in_owner(self, pointer: tuple[str, str], before: Node, owner: Node) -> None:
        for name, value in before.items():
            if name == "sources" and name in owner:
                owner[name] = _with_foreign(value, owner[name])
            elif name == "contexts" and name in owner:
                for context, sources in _object(value).items():
                    if context in owner[name]:
                        owner[name][context] = _with_foreign(sources, owner[name][context])
            elif name not in ("sources", "contexts", "default"):
                owner.setdefault(name, value)


_HELD_BY_HOME = ("type", "description", "scopes", "hidden", "code_syntax", "deprecated", "extensions")


def _ignore(*_: object) -> None:
    """Ignore problems, which were reported when the previous files were read."""


def _object(value: Any) -> Node:
    return value if isinstance(value, dict) else {}


def _decoded(value: Any) -> Any:
    return json.loads(value) if type(value) is Inline else value


def _insert(node: Node, name: str, value: Any, before: Any) -> None:
    """Add a group to the tokens and groups of an object, after those that it followed before."""
    names = [each for each in before if each[:1] != "$"] if isinstance(before, dict) else []
    earlier = names[: names.index(name)] if name in names else [*node]
    members = [*node.items()]
    at = 1 + max((place for place, (each, _) in enumerate(members) if each in earlier), default=-1)
    node.clear()
    node.update([*members[:at], (name, value), *members[at:]])


def _arrange(root: Node, root_before: Node) -> bool:
    """Put the members of a tree into the order of another one, new ones after their predecessors.

    Return whether the order changed.
    """
    has_changed = False
    pending = [(root, root_before)]
    while pending:
        node, before = pending.pop()
        names = [name for name in node if name[:1] != "$"]
        old = {name: place for place, name in enumerate(before)}
        common = [name for name in names if name in old]
        in_order = sorted(common, key=old.__getitem__)
        if in_order != common:
            has_changed = True
            followers: dict[str | None, list[str]] = {}  # runs of new members, by the member before them
            previous: str | None = None
            for name in names:
                if name in old:
                    previous = name
                else:
                    followers.setdefault(previous, []).append(name)
            arranged = [
                *followers.get(None, ()),
                *(new for name in in_order for new in (name, *followers.get(name, ()))),
            ]
            members = {name: node.pop(name) for name in names}
            node.update((name, members[name]) for name in arranged)
        for name in common:
            inner, inner_before = node[name], before[name]
            if isinstance(inner, dict) and isinstance(inner_before, dict) and "$value" not in inner:
                pending.append((inner, inner_before))
    return has_changed


def _tokens_of(tree: Node, file: str) -> Iterator[tuple[TokenKey, Node]]:
    """Yield the tokens of a token file's tree with their keys, in file order."""
    pending = [(name, "", each) for name, each in tree.items() if name[:1] != "$" and isinstance(each, dict)]
    while pending:
        handle, path, node = pending.pop()
        is_token = is_token_of(tree, node)
        if is_token or has_stored_value(node):
            yield TokenKey(file, handle, path), node
        if is_token:
            continue
        if isinstance(node.get(ROOT), dict):
            yield TokenKey(file, handle, path), node[ROOT]
        inner = [(name, each) for name, each in node.items() if name[:1] != "$" and isinstance(each, dict)]
        pending += ((handle, f"{path}.{name}" if path else name, each) for name, each in reversed(inner))


def _contexts_of(tree: Node, file: str) -> Iterator[tuple[TokenKey, tuple[Any, Any]]]:
    """Yield the ``$type`` and ``$deprecated`` that each token of a tree inherits."""
    tree = expanded(tree, b'"$extends"', _ignore)
    above = (tree.get("$type"), tree.get("$deprecated", False))
    pending = [(name, "", each, above) for name, each in tree.items() if name[:1] != "$" and isinstance(each, dict)]
    while pending:
        handle, path, node, context = pending.pop()
        if "$value" in node or "$ref" in node:
            yield TokenKey(file, handle, path), context
            continue
        context = (node.get("$type", context[0]), node.get("$deprecated", context[1]))
        if ROOT in node:
            yield TokenKey(file, handle, path), context
        for name, each in node.items():
            if name[:1] != "$" and isinstance(each, dict):
                pending.append((handle, f"{path}.{name}" if path else name, each, context))


def _is_within(key: TokenKey, handle: str, group: str) -> bool:
    """Return whether a token is in a group, or its ``$root``."""
    return key.collection == handle and (not group or key.path == group or key.path.startswith(f"{group}."))


def _taken_out(tree: Node, steps: tuple[str, ...]) -> Node | None:
    """Remove a token from a tree, and the groups that are then empty. Return the token."""
    groups = [tree]
    for step in steps[:-1]:
        groups.append(groups[-1].get(step, {}))
    token: Node | None = groups[-1].pop(steps[-1], None)
    for outer, step, group in reversed([*zip(groups, steps, groups[1:], strict=False)]):
        if token is not None and not group:
            del outer[step]
    return token


def _put_in(tree: Node, steps: tuple[str, ...], token: Node) -> None:
    for step in steps[:-1]:
        tree = tree.setdefault(step, {})
    tree[steps[-1]] = token


def _are_same(token: Node, other: Node | None) -> bool:
    """Return whether two tokens are equal, apart from members that no two tokens can have."""
    return other is not None and inline(without_identity(token)) == inline(without_identity(other))


def _with_foreign(before: Any, after: list[Any], is_kept: Callable[[tuple[str, ...]], bool] = bool) -> list[Any]:
    """Return the reference objects of a resolver document with their foreign members, and inline objects.

    ``is_kept`` returns whether a pointer within the document, which tokensync did not write, stays.
    """
    written = {each["$ref"]: each for each in after}
    foreign: list[tuple[int, Any]] = []
    for at, each in enumerate(before if isinstance(before, list) else ()):
        reference = each.get("$ref") if isinstance(each, dict) else None
        if not isinstance(reference, str):
            foreign.append((at, each))
        elif reference in written:
            written[reference].update(each)
        elif reference[:1] == "#" and is_kept(path_of_pointer(reference) or ()):
            foreign.append((at, each))
    result = [*after]
    for at, each in foreign:
        result.insert(at, each)
    return result
