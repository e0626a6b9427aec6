"""One token file as a flat list of tokens, and the targets of references: all tokens of a file by every address.

A group extends a group of the same file (DTCG 2025.10 Format, Extending groups). The extended group is merged under the
local one; a local token at the same path replaces the inherited token as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.extensions import is_held
from tokensync.dtcg.parse import BadToken, UnreadTarget
from tokensync.dtcg.spelling import MEMBER_ORDER, ROOT, is_reference, path_of_pointer
from tokensync.tokens import Alias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from tokensync.tokens import TokenKey


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.dtcg.parse import Faults
    from tokensync.positions import Pointer
    from tokensync.tokens import Origin

    Report = Callable[[Pointer, str, str, str], None]


_OF_GROUPS = ("$schema", "$type", "$description", "$deprecated", "$extends", "$extensions", ROOT)
_OF_TOKENS = frozenset(MEMBER_ORDER) - {"$extends", "$schema"}


class Location(NamedTuple):
    """What the path of a token file tells: ``<file>/.remote/<handle>/<slug>.tokens.json``."""

    path: str
    origin: Origin
    handle: str
    slug: str


class Context(NamedTuple):
    """What a token has from where it stands: its groups' ``$type`` and ``$deprecated``; whether it is a ``$root``."""

    inherited: str | None = None
    deprecated: bool | str = False
    is_root: bool = False


_NO_CONTEXT = Context()


class Entry(NamedTuple):
    """One token of one file, with all that is needed to report a problem of it."""

    path: str
    node: dict[str, Any]
    context: Context
    location: Location
    group: str

    @property
    def pointer(self) -> Pointer:
        """Return where it stands in its file."""
        steps = (self.group, *self.path.split("."))
        return (*steps, ROOT) if self.context.is_root else steps


class Document(NamedTuple):
    """A parsed token file: the path and the JSON of each token, and the contexts of those that have one."""

    location: Location
    tree: dict[str, Any]
    group: str | None
    paths: list[str]
    nodes: list[dict[str, Any]]
    contexts: dict[str, Context]

    def entry(self, path: str, node: dict[str, Any]) -> Entry:
        """Return one of its tokens."""
        return Entry(path, node, self.contexts.get(path, _NO_CONTEXT), self.location, self.group or "")


def document(location: Location, tree: Any, text: bytes, faults: Faults) -> Document | None:
    """Flatten a file, noting every fault of its structure."""
    plain = _plain_document(location, tree)
    if plain is not None:
        return plain

    def report(pointer: Pointer, code: str, what: str, what_to_do: str) -> None:
        faults.at(location.path, pointer, code, what, what_to_do)

    if not isinstance(tree, dict):
        report((), "tokens-structure", "a token file is an object", "write groups and tokens into { }")
        return None
    if b'"$extends"' in text:
        tree = with_extensions_of_groups(tree, report)
    if "$value" in tree or ROOT in tree:
        report((), "tokens-structure", "the file itself holds a token", "put it in the group of its collection")
    names = [name for name in tree if name[:1] != "$"]
    group = names[0] if names else None
    walk = _Walk(location, report)
    walk.properties((), tree)
    for name in names[:1]:
        walk.run(name, tree)
    for name in names[1:]:
        what = f"there is a second root group beside {names[0][:60]!r}"
        report((name,), "tokens-root-group", what, "give each collection a folder and files of its own")
    return Document(location, tree, group, [*walk.nodes], [*walk.nodes.values()], walk.contexts)


_OF_PLAIN_FILES = frozenset({"$schema", "$description", "$extensions"})


def _plain_document(location: Location, tree: Any) -> Document | None:
    """Return the document of a file of groups that hold only groups and tokens; None where anything else is in it."""
    if type(tree) is not dict or type(tree.get("$extensions", {})) is not dict:
        return None
    roots = [name for name in tree if name not in _OF_PLAIN_FILES]
    if len(roots) != 1 or type(tree[roots[0]]) is not dict:
        return None
    names: set[str] = set(roots)
    paths: list[str] = []
    nodes: list[dict[str, Any]] = []

    def visit(prefix: str, group: dict[str, Any]) -> None:
        names.update(group)
        for name, node in group.items():
            if type(node) is not dict:
                raise TypeError
            if "$value" in node:
                paths.append(prefix + name)
                nodes.append(node)
            else:
                visit(f"{prefix}{name}.", node)

    try:
        visit("", tree[roots[0]])
    except (TypeError, RecursionError):
        return None
    members: set[str] = set().union(*nodes)
    if not members <= _OF_TOKENS or not all(name[:1] != "$" and _is_name(name) for name in names):
        return None  # also where a group has "$value" or "$ref", which make it a token
    return Document(location, tree, roots[0], paths, nodes, {})


class _Group(NamedTuple):
    """An open group: where it is, what it hands down, and what of it is still to be read."""

    path: str
    inherited: str | None
    deprecated: bool | str
    members: Iterator[tuple[str, Any]]


class _Walk:
    """Visits a root group that holds more than groups and tokens, and reports what is wrong with it."""

    def __init__(self, location: Location, report: Any) -> None:
        self.location = location
        self.report = report
        self.nodes: dict[str, dict[str, Any]] = {}
        self.contexts: dict[str, Context] = {}
        self.root = ""

    def run(self, root: str, tree: dict[str, Any]) -> None:
        """Visit a root group without recursion: names may nest as deep as someone likes."""
        self.root = root
        node = tree[root]
        if not self._is_group((root,), node):
            return
        top = _Group("", tree.get("$type"), tree.get("$deprecated", False), iter(()))
        open_at = [self._opened("", node, top)]
        while open_at:
            group = open_at[-1]
            path, inherited, deprecated, members = group
            prefix = f"{path}." if path else ""
            hands_down = inherited is not None or deprecated is not False
            for name, node in members:
                if name[:1] == "$":
                    if name == ROOT:
                        self._root_token(group, node)
                    continue
                if type(node) is not dict or not _is_name(name):
                    self._refuse(group.path, name)
                    continue
                path = prefix + name
                if "$value" in node or "$ref" in node:
                    if hands_down or path in self.nodes or not _OF_TOKENS.issuperset(node):
                        self._token(path, node, group, is_root=False)
                    else:
                        self.nodes[path] = node
                else:
                    open_at.append(self._opened(path, node, group))
                    if "$extensions" in node and is_held(node):
                        self._note(path, node, _NO_CONTEXT)
                    break
            else:
                open_at.pop()

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
            what = "this is neither a token nor a group"
            self.report(pointer, "tokens-structure", what, 'write an object; a token has a "$value"')
            return False
        if "$value" in node or "$ref" in node:
            what = "there is a token in place of the collection's group"
            self.report(pointer, "tokens-root-group", what, "put it in the group of its collection")
            return False
        return True

    def _opened(self, path: str, node: dict[str, Any], around: _Group) -> _Group:
        if any(name[:1] == "$" and name not in ("$extensions", ROOT) for name in node):
            self.properties(self._pointer(path), node)
        inherited, deprecated = node.get("$type", around.inherited), node.get("$deprecated", around.deprecated)
        return _Group(path, inherited, deprecated, iter(node.items()))

    def _refuse(self, around: str, name: str) -> None:
        if _is_name(name):
            self._is_group(self._pointer(f"{around}.{name}" if around else name), None)
            return
        what = f"{name[:60]!r} is not a valid name for a token or group" if name else "a name is empty"
        to_do = "use no dots and braces, and no leading dollar sign; %2E stands for a dot"
        self.report(self._pointer(around, name), "tokens-name", what, to_do)

    def _root_token(self, group: _Group, node: Any) -> None:
        if not group.path:
            what = "there is a token in place of the collection itself"
            self.report((self.root, ROOT), "tokens-root-group", what, "give it a name within the collection")
        elif not isinstance(node, dict) or ("$value" not in node and "$ref" not in node):
            what = "$root is not a token"
            self.report(self._pointer(group.path, ROOT), "tokens-structure", what, 'give it a "$value"')
        else:
            self._token(group.path, node, group, is_root=True)

    def _token(self, path: str, node: dict[str, Any], group: _Group, *, is_root: bool) -> None:
        if not _OF_TOKENS.issuperset(node):
            self._report_members(path, node, is_root=is_root)
        if is_root or group.inherited is not None or group.deprecated is not False:
            self._note(path, node, Context(group.inherited, group.deprecated, is_root))
        else:
            self._note(path, node, _NO_CONTEXT)

    def _report_members(self, path: str, node: dict[str, Any], *, is_root: bool) -> None:
        for name in node:
            if name[:1] != "$" or name == ROOT:
                what = f"a token holds {name[:60]!r}, as only a group may"
                to_do = f'make it a group, and the token its "{ROOT}"'
                self.report(self._pointer(path, name), "tokens-structure", what, to_do)
            elif name not in _OF_TOKENS:
                steps = (ROOT, name) if is_root else (name,)
                self.report(self._pointer(path, *steps), "tokens-member-unknown", *_UNKNOWN)

    def _note(self, path: str, node: dict[str, Any], context: Context) -> None:
        if path in self.nodes:
            what = "the group has both a $root and a value kept in org.tokensync"
            self.report(self._pointer(path), "tokens-structure", what, "keep one of the two")
            self.contexts.pop(path, None)
        self.nodes[path] = node
        if context is not _NO_CONTEXT:
            self.contexts[path] = context


_UNKNOWN = ("DTCG has no member of this name", "remove it, or put it into $extensions")


def _is_name(name: str) -> bool:
    return bool(name) and "." not in name and "{" not in name and "}" not in name


_DEEPEST_EXTENSION = 200
_CODE_OF_EXTENDS = "group-extends"
_NO_REFERENCE = ("$extends is no reference to a group", 'write "{group}" or "#/group"')


def with_extensions_of_groups(tree: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the tree with every ``$extends`` carried out. What cannot be is reported and omitted."""
    return _Extender(tree, report).expanded(tree, (), ())


class _Extender:
    def __init__(self, tree: dict[str, Any], report: Report) -> None:
        self.tree = tree
        self.report = report

    def expanded(self, group: dict[str, Any], pointer: Pointer, on_the_way: tuple[Pointer, ...]) -> dict[str, Any]:
        """Return a group with all that it and the groups within inherit. ``on_the_way`` are the groups being
        expanded.
        """
        if len(pointer) + len(on_the_way) > _DEEPEST_EXTENSION:
            self.report(pointer, _CODE_OF_EXTENDS, "groups that extend others nest too deep", "nest less")
            return group
        local = {
            name: self.expanded(member, (*pointer, name), on_the_way)
            if isinstance(member, dict) and name[:1] != "$" and not _is_token(member)
            else member
            for name, member in group.items()
            if name != "$extends"
        }
        if "$extends" not in group:
            return local
        inherited = self._target(group["$extends"], pointer, (*on_the_way, pointer))
        return _merged(inherited, local) if inherited is not None else local

    def _target(self, reference: Any, pointer: Pointer, on_the_way: tuple[Pointer, ...]) -> dict[str, Any] | None:
        steps = _steps_of(reference)
        refusal = self._refusal(steps, on_the_way)
        if steps is None or refusal is not None:
            what, what_to_do = refusal or _NO_REFERENCE
            self.report((*pointer, "$extends"), _CODE_OF_EXTENDS, what, what_to_do)
            return None
        return self.expanded(self._node(steps), steps, on_the_way)

    def _node(self, steps: tuple[str, ...]) -> Any:
        node: Any = self.tree
        for step in steps:
            node = node.get(step) if isinstance(node, dict) else None
        return node

    def _refusal(self, steps: tuple[str, ...] | None, on_the_way: tuple[Pointer, ...]) -> tuple[str, str] | None:
        """Return why a group cannot be extended, and what to do; None when it can."""
        if steps is None:
            return _NO_REFERENCE
        node = self._node(steps)
        if not isinstance(node, dict):
            return f"there is no group {'.'.join(steps)[:80]!r} in this file", "name a group of this file"
        if _is_token(node):
            return "it extends a token", "name a group; a token is referred to in $value"
        if any(each[: len(steps)] == steps for each in on_the_way):
            around = ", ".join(".".join(map(str, each)) for each in on_the_way)
            return f"groups extend each other in a circle: {around[:200]}", "take one of them out"
        return None


def _steps_of(reference: Any) -> tuple[str, ...] | None:
    if is_reference(reference) and len(reference) > 2:
        return tuple(reference[1:-1].split("."))
    return (path_of_pointer(reference) or None) if isinstance(reference, str) else None


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, member in above.items():
        under = merged.get(name)
        if name[:1] != "$" and isinstance(under, dict) and _is_plain_group(under) and _is_plain_group(member):
            merged[name] = _merged(under, member)
        else:
            merged[name] = member
    return merged


def _is_token(node: dict[str, Any]) -> bool:
    return "$value" in node or "$ref" in node


def _is_plain_group(node: Any) -> bool:
    return isinstance(node, dict) and not _is_token(node)


_CODE = "token-reference"
_DEEPEST = 64


class Targets:
    """Finds the token that a reference names: its row, which is its index in ``keys``, or an alias of it.

    ``unread`` are handles of collections that are not known whole.
    """

    def __init__(self, keys: Sequence[TokenKey], unread: Collection[str] = ()) -> None:
        self._unread = unread
        self.aliases = [Alias(key) for key in keys]
        self._rows = {f"{handle}.{path}": row for row, (_, handle, path) in enumerate(keys)}
        self._roots: set[str] = set()
        self._groups: set[str] | None = None

    def add_root(self, key: TokenKey, *, only: bool) -> None:
        """Make one of the tokens known as the ``$root`` of a group, ``only`` so or by its plain address, too."""
        address = f"{key.collection}.{key.path}"
        self._rows[f"{address}.{ROOT}"] = self._rows.pop(address) if only else self._rows[address]
        self._roots.add(address)

    def in_braces(self) -> dict[str, int]:
        """Return the row of every token by each spelling of its address, in braces."""
        return {f"{{{address}}}": row for address, row in self._rows.items()}

    def of_braces(self, text: str) -> Alias:
        """Return the target of ``{a.b}``. Raises BadToken."""
        row = self._rows.get(text[1:-1])
        if row is None:
            raise self._unknown(text[1:-1], text)
        return self.aliases[row]

    def of_pointer(self, pointer: str) -> Alias | None:
        """Return the target of ``#/a/b`` or ``#/a/b/$value``; None when the pointer refers to a part of a value."""
        steps = path_of_pointer(pointer)
        if not steps:
            raise BadToken(_CODE, f"{pointer[:80]!r} is no pointer into the tokens", 'write "#/collection/token"')
        if steps[-1] == "$value":
            steps = steps[:-1]
        elif "$value" in steps:
            return None
        row = self._rows.get(".".join(steps))
        if row is None:
            raise self._unknown(".".join(steps), pointer)
        return self.aliases[row]

    def of_reference(self, reference: str) -> Alias | None:
        """Return the target of either spelling. Raises BadToken."""
        return self.of_braces(reference) if reference[:1] == "{" else self.of_pointer(reference)

    def _unknown(self, address: str, spelled: str) -> BadToken:
        if address in self._roots:
            return BadToken(
                _CODE, f"{spelled[:120]} names a group", f"write {{{address[:120]}.{ROOT}}} for its own token"
            )
        if self._groups is None:
            self._groups = {each[:end] for each in self._rows for end in range(len(each)) if each[end] == "."}
        if address in self._groups:
            return BadToken(_CODE, f"{spelled[:120]} names a group, not a token", "name a token within it")
        if address.partition(".")[0] in self._unread:
            return UnreadTarget(_CODE, f"{spelled[:120]} leads to a file that cannot be read", "correct that file")
        to_do = "correct the path: it starts with the collection's handle"
        return BadToken(_CODE, f"there is no token {spelled[:120]}", to_do)


def without_pointers(
    value: Any, documents: Iterable[Document], stays: Callable[[dict[str, Any]], bool] = lambda _: False
) -> Any:
    """Return a ``$value`` in which every ``$ref`` into another value has become what it points at. Raises BadToken.

    ``stays`` tells which objects with a ``$ref`` are to stay as they are.
    """
    trees = [each.tree for each in documents]
    return _expanded(value, trees, stays, 0)


def _expanded(value: Any, trees: list[dict[str, Any]], stays: Callable[[dict[str, Any]], bool], depth: int) -> Any:
    if depth > _DEEPEST:
        raise BadToken(_CODE, "its references lead in a circle, or too deep", "refer to a literal", ("$value",))
    if isinstance(value, list):
        return [_expanded(each, trees, stays, depth + 1) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" not in value:
        return {name: _expanded(each, trees, stays, depth + 1) for name, each in value.items()}
    if stays(value):
        return value
    steps = path_of_pointer(value["$ref"]) if isinstance(value["$ref"], str) else None
    if not steps:
        raise BadToken(_CODE, '"$ref" is no pointer into the tokens', 'write "#/collection/token"', ("$value",))
    for tree in trees:
        found, node = _walked(tree, steps)
        if found:
            return _expanded(node, trees, stays, depth + 1)
    what = f"{value['$ref'][:120]!r} refers to nothing"
    raise BadToken(_CODE, what, "point at a literal of these files, not through an alias", ("$value",))


def _walked(tree: Any, steps: tuple[str, ...]) -> tuple[bool, Any]:
    node = tree
    for step in steps:
        if isinstance(node, dict) and step in node:
            node = node[step]
        elif isinstance(node, list) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            return False, None
    return True, node
