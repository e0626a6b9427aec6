"""Documents: one token file as a flat list of tokens, ``$extends`` applied, and the targets of references.

A group can extend a group of the same file (DTCG 2025.10 Format, Extending groups). Its own members are merged over
the inherited ones; a token replaces an inherited token at the same path as a whole. A group's ``$ref`` means the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.extensions import has_stored_value
from tokensync.dtcg.groups import expanded
from tokensync.dtcg.layout import string_text
from tokensync.dtcg.parse import BadToken, ProblemCollector, UnreadTarget
from tokensync.dtcg.spelling import (
    COMMENT,
    FIGMA,
    FOLDERS,
    MEMBER_ORDER,
    ROOT,
    TOKENS_SUFFIX,
    VARIABLE_ID,
    is_reference,
    path_of_pointer,
    pointer_advice,
)
from tokensync.system.positions import Pointer, pointer_text
from tokensync.system.wording import SimilarNames, mistyped, quoted
from tokensync.tokens import Alias, Origin, TokenKey
from tokensync.tokens.paths import encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from tokensync.tokens.resolver import TokenIndex

    Report = Callable[[Pointer, str, str, str], None]


_GROUP_MEMBERS = ("$schema", "$type", COMMENT, "$description", "$deprecated", "$extends", "$extensions", ROOT)
_TOKEN_MEMBERS = frozenset(MEMBER_ORDER) - {"$extends", "$schema"}
_RESERVED_MEMBERS = (*MEMBER_ORDER, ROOT)
_PLAIN_FILE_MEMBERS = frozenset({"$schema", "$description", "$extensions"})
_UNKNOWN_MEMBER_ADVICE = "remove it, or move it into $extensions"


class Location(NamedTuple):
    """The parts of a token file's path: ``<file>/.remote/<handle>/<slug>.tokens.json``."""

    path: str
    origin: Origin
    handle: str
    slug: str

    @staticmethod
    def of(path: str) -> Location:
        """Return the parts of the path of a file that may be outside of a tokens folder."""
        handle, _, name = path.replace("\\", "/").rpartition("/")
        return Location(path, "local", handle.rpartition("/")[2], name.removesuffix(TOKENS_SUFFIX))

    @property
    def file(self) -> str:
        """Return the name of the folder of the design file; empty if the path has none."""
        steps = self.path.replace("\\", "/").split("/")[:-2]
        above = steps[:-1] if steps and steps[-1].startswith(".") else steps
        return above[-1] if above else ""


_ORIGINS: dict[str, Origin] = {folder.rstrip("/"): origin for origin, folder in FOLDERS.items()}


def location_of(path: str, file: str) -> Location | None:
    """Return the parts of a token file's path; None for other paths."""
    steps = path.split("/")
    if steps[0] != file or not path.endswith(TOKENS_SUFFIX) or len(steps) not in (3, 4):
        return None
    origin = _ORIGINS.get(steps[1] if len(steps) == 4 else "")
    if origin is None or (len(steps) == 3 and steps[1] in _ORIGINS):
        return None
    return Location(path, origin, steps[-2], steps[-1][: -len(TOKENS_SUFFIX)])


class Context(NamedTuple):
    """The ``$type`` and ``$deprecated`` that a token inherits, and whether it is the ``$root`` of its group."""

    inherited: str | None = None
    deprecated: bool | str = False
    is_root: bool = False


_NO_CONTEXT = Context()


class Entry(NamedTuple):
    """One token of one file, with its location for problems."""

    path: str
    node: dict[str, Any]
    context: Context
    location: Location
    base: Pointer
    tree: dict[str, Any] | None

    @property
    def pointer(self) -> Pointer:
        """Return the token's JSON pointer."""
        steps = (*self.base, *self.path.split("."))
        return (*steps, ROOT) if self.context.is_root else steps


class Document(NamedTuple):
    """A parsed token file: the path and the JSON of each token, and the contexts that are not the default.

    ``base`` is the pointer of the group or object that the paths start in. If ``is_merged``, ``tree`` holds the tokens
    of all files, and pointers into values are followed in it only.
    """

    location: Location
    tree: dict[str, Any]
    group: str | None
    paths: list[str]
    nodes: list[dict[str, Any]]
    contexts: dict[str, Context]
    base: Pointer = ()
    is_merged: bool = False

    def entry(self, path: str, node: dict[str, Any]) -> Entry:
        """Return a token of this file."""
        context, tree = self.contexts.get(path, _NO_CONTEXT), self.tree if self.is_merged else None
        return Entry(path, node, context, self.location, self.base, tree)


def document(location: Location, tree: Any, text: bytes, collector: ProblemCollector) -> Document | None:
    """Return a token file's document. Report problems of its structure; None if the file is not an object."""
    plain = plain_document(location, tree)
    if plain is not None:
        return plain

    def report(pointer: Pointer, code: str, what: str, what_to_do: str) -> None:
        collector.add(location.path, pointer, code, what, what_to_do)

    if not isinstance(tree, dict):
        report((), "tokens-structure", "a token file must be a JSON object", "put the groups and tokens in an object")
        return None
    if extending := [name for name in ("$extends", "$ref") if name in tree]:
        what = f"the file as a whole extends a group, but it can contain the group {location.handle[:60]!r} only"
        report((extending[0],), "group-extends", what, "move it into the group that inherits the tokens, or remove it")
        tree = {name: each for name, each in tree.items() if name not in extending}
    tree = expanded(tree, text, report)
    if "$value" in tree or ROOT in tree:
        what = "there is a token outside the collection's group"
        report((), "tokens-structure", what, f"move it into the group {location.handle[:60]!r}")
    names = sorted((name for name in tree if name[:1] != "$"), key=lambda name: name != location.handle)
    group = names[0] if names else None
    walk = _Walk(location, report)
    walk.properties((), tree)
    for name in names[:1]:
        walk.run(name, tree)
    for name in names[1:]:
        what = f"there is a second root group besides {names[0][:60]!r}"
        report((name,), "tokens-root-group", what, "move it to a file in a folder of its own")
    return Document(location, tree, group, [*walk.nodes], [*walk.nodes.values()], walk.contexts, (group or "",))


def plain_document(location: Location, tree: Any) -> Document | None:
    """Return the document of a valid file whose groups hold only groups and tokens; None if it needs all checks."""
    if type(tree) is not dict or type(tree.get("$extensions", {})) is not dict:
        return None
    roots = [name for name in tree if name not in _PLAIN_FILE_MEMBERS]
    if len(roots) != 1 or type(tree[roots[0]]) is not dict:
        return None
    names: set[str] = set(roots)
    tokens: dict[str, dict[str, Any]] = {}

    def visit(prefix: str, group: dict[str, Any]) -> None:
        for name, node in group.items():
            if type(node) is not dict:
                raise TypeError
            names.add(name)
            if "$value" in node:
                tokens[prefix + name] = node
            else:
                visit(f"{prefix}{name}.", node)

    try:
        visit("", tree[roots[0]])
    except (TypeError, RecursionError):
        return None
    members: set[str] = set().union(*tokens.values())
    if not members <= _TOKEN_MEMBERS or not all(name[:1] != "$" and _is_name(name) for name in names):
        return None  # includes groups with "$value" or "$ref", which are tokens
    return Document(location, tree, roots[0], [*tokens], [*tokens.values()], {}, (roots[0],))


class _Group(NamedTuple):
    """An open group: its path, the members that its tokens inherit, and an iterator over its unread members."""

    path: str
    inherited: str | None
    deprecated: bool | str
    members: Iterator[tuple[str, Any]]


def _unknown_member(name: str, node: dict[str, Any]) -> tuple[str, str, str]:
    """Return the code, problem and remedy of a reserved member that DTCG does not define."""
    what = "DTCG does not define this member"
    if likely := mistyped(name, [member for member in _RESERVED_MEMBERS if member not in node]):
        return "tokens-member-mistyped", what, f"write {likely}, or move it into $extensions"
    return "tokens-member-unknown", what, _UNKNOWN_MEMBER_ADVICE


def group_problem(name: str, node: dict[str, Any]) -> tuple[str, str, str] | None:
    """Return the code, problem and remedy of a group's member that is reserved and invalid; None for other members."""
    if name[:1] == "$" and name not in _GROUP_MEMBERS:
        return _unknown_member(name, node)
    if name == "$extensions" and not isinstance(node[name], dict):
        return "tokens-structure", "$extensions must be an object", "write an object, or remove it"
    return None


def member_problem(group: str, name: str, node: Any) -> tuple[str, str, str] | None:
    """Return the code, problem and remedy of a group's member that is neither a token nor a group."""
    if not isinstance(node, dict):
        return "tokens-structure", "this is neither a token nor a group", 'write an object; a token has a "$value"'
    if name == ROOT:
        if group and ("$value" in node or "$ref" in node):
            return None
        return "tokens-structure", "$root is not a token of a group", 'give it a "$value", and a group around it'
    if not name:
        return "tokens-name", "a name is empty", "give the token or group a name"
    if any(each in name for each in ".{}"):
        what = f"{name[:60]!r} is not a valid name for a token or group"
        return "tokens-name", what, f"rename it, for example to {re.sub('[.{}]', '-', name[:60])!r}"
    return None


class _Walk:
    """Flattens a root group and reports the problems of its structure."""

    def __init__(self, location: Location, report: Any) -> None:
        self.location = location
        self.report = report
        self.nodes: dict[str, dict[str, Any]] = {}
        self.contexts: dict[str, Context] = {}
        self.root = ""

    def run(self, root: str, tree: dict[str, Any]) -> None:
        """Flatten a root group without recursion, because groups can nest to any depth."""
        self.root = root
        node = tree[root]
        if not self._is_group((root,), node):
            return
        top = _Group("", tree.get("$type"), tree.get("$deprecated", False), iter(()))
        open_groups = [self._opened("", node, top)]
        while open_groups:
            group = open_groups[-1]
            prefix = f"{group.path}." if group.path else ""
            has_context = group.inherited is not None or group.deprecated is not False
            for name, node in group.members:
                if name[:1] == "$":
                    if name == ROOT:
                        self._root_token(group, node)
                    continue
                if type(node) is not dict or not _is_name(name):
                    self._reject(group.path, name)
                    continue
                path = prefix + name
                if "$value" in node or "$ref" in node:
                    if has_context or path in self.nodes or not _TOKEN_MEMBERS.issuperset(node):
                        self._token(path, node, group, is_root=False)
                    else:
                        self.nodes[path] = node
                else:
                    open_groups.append(self._opened(path, node, group))
                    if "$extensions" in node and has_stored_value(node):
                        self._add(path, node, _NO_CONTEXT)
                    break
            else:
                open_groups.pop()

    def properties(self, pointer: Pointer, node: dict[str, Any]) -> None:
        """Check the reserved members of a group."""
        for name in node:
            if (problem := group_problem(name, node)) is not None:
                self.report((*pointer, name), *problem)

    def _pointer(self, path: str, *more: str) -> Pointer:
        return (self.root, *(path.split(".") if path else ()), *more)

    def _is_group(self, pointer: Pointer, node: Any) -> bool:
        if not isinstance(node, dict):
            what = "this is neither a token nor a group"
            self.report(pointer, "tokens-structure", what, 'write an object; a token has a "$value"')
            return False
        if "$value" in node or "$ref" in node:
            what = "there is a token in place of the collection's group"
            self.report(pointer, "tokens-root-group", what, f"move it into the group {self.location.handle[:60]!r}")
            return False
        return True

    def _opened(self, path: str, node: dict[str, Any], parent: _Group) -> _Group:
        if any(name[:1] == "$" and name not in ("$extensions", ROOT) for name in node):
            self.properties(self._pointer(path), node)
        extensions = node.get("$extensions")
        has_variable = isinstance(extensions, dict) and VARIABLE_ID in extensions  # of a token without a value
        for name in extensions if isinstance(extensions, dict) and not has_variable else ():
            if name.startswith(f"{FIGMA}."):
                what = "groups have no such member in Figma, so no token has it"
                self.report(
                    self._pointer(path, "$extensions", name), "extension-unheeded", what, "move it to the tokens"
                )
        inherited, deprecated = node.get("$type", parent.inherited), node.get("$deprecated", parent.deprecated)
        return _Group(path, inherited, deprecated, iter(node.items()))

    def _reject(self, parent: str, name: str) -> None:
        if _is_name(name):
            self._is_group(self._pointer(f"{parent}.{name}" if parent else name), None)
            return
        what, to_do = "a name is empty", "give the token or group a name"
        if name:
            what = f"{name[:60]!r} is not a valid name for a token or group"
            to_do = f"rename it, or write {encoded(name[:60])!r}"
        self.report(self._pointer(parent, name), "tokens-name", what, to_do)

    def _root_token(self, group: _Group, node: Any) -> None:
        if not group.path:
            what = "there is a token in place of the collection"
            self.report((self.root, ROOT), "tokens-root-group", what, "give it a name within the collection")
        elif not isinstance(node, dict) or ("$value" not in node and "$ref" not in node):
            what = "$root is not a token"
            self.report(self._pointer(group.path, ROOT), "tokens-structure", what, 'give it a "$value"')
        else:
            self._token(group.path, node, group, is_root=True)

    def _token(self, path: str, node: dict[str, Any], group: _Group, *, is_root: bool) -> None:
        if not _TOKEN_MEMBERS.issuperset(node):
            self._report_members(path, node, is_root=is_root)
        if is_root or group.inherited is not None or group.deprecated is not False:
            self._add(path, node, Context(group.inherited, group.deprecated, is_root))
        else:
            self._add(path, node, _NO_CONTEXT)

    def _report_members(self, path: str, node: dict[str, Any], *, is_root: bool) -> None:
        for name, value in node.items():
            if name[:1] != "$" or name == ROOT:
                is_group = isinstance(value, dict)
                reason = "only groups can have" if is_group else "DTCG does not define"
                to_do = f'make it a group, with the token as "{ROOT}"' if is_group else _UNKNOWN_MEMBER_ADVICE
                what = f"a token has the member {name[:60]!r}, which {reason}"
                self.report(self._pointer(path, name), "tokens-structure", what, to_do)
            elif name not in _TOKEN_MEMBERS:
                steps = (ROOT, name) if is_root else (name,)
                self.report(self._pointer(path, *steps), *_unknown_member(name, node))

    def _add(self, path: str, node: dict[str, Any], context: Context) -> None:
        if path in self.nodes:
            what = "the group has both a $root and a value stored in org.tokensync"
            self.report(self._pointer(path), "tokens-structure", what, "remove one of the two")
            self.contexts.pop(path, None)
        self.nodes[path] = node
        if context is not _NO_CONTEXT:
            self.contexts[path] = context


def _is_name(name: str) -> bool:
    return bool(name) and "." not in name and "{" not in name and "}" not in name


_CODE = "token-reference"
_DEEPEST = 64
_LONGEST_REFERENCE = 200  # characters
_WORD = re.compile(r"[^\W_]+")


def _folded(text: str) -> str:
    """Return the words of a path or name without what separates them: ``a-b`` for ``a.B``, ``a/b`` and ``--a-b``."""
    return "-".join(_WORD.findall(text.casefold()))


class Targets:
    """The tokens of a design file by address. A token's row is its index in ``keys``.

    An address starts with the collection's handle. ``unread`` holds the handles of collections with unreadable files.
    With ``addresses``, an address is a token's path, unless they name another one, and ``unread`` holds the addresses
    of omitted tokens. ``libraries`` are the handles of library collections, of which the design file has some tokens.
    """

    def __init__(
        self,
        keys: Sequence[TokenKey],
        unread: Collection[str] = (),
        addresses: Mapping[TokenKey, str] | None = None,
        libraries: Collection[str] = (),
    ) -> None:
        self._libraries = libraries
        self._unread = unread
        self._addresses = addresses
        self._keys = keys
        self._rows = {self._address(key): row for row, key in enumerate(keys)}
        self._roots: set[str] = set()
        self._groups: set[str] | None = None
        self._tree: dict[str, Any] = {}
        self._ends: dict[str, str | None] = {}  # addresses by what follows their first steps; None for several
        self._folded: dict[str, str | None] = {}  # addresses by their names without punctuation; None for several
        self._similar_names = SimilarNames()

    def add_root(self, key: TokenKey, *, only: bool) -> None:
        """Register a token as the ``$root`` of a group; unless ``only``, its plain address stays valid."""
        address = self._address(key)
        self._rows[f"{address}.{ROOT}"] = self._rows.pop(address) if only else self._rows[address]
        self._roots.add(address)

    def _address(self, key: TokenKey) -> str:
        if self._addresses is None:
            return f"{key.collection}.{key.path}"
        return self._addresses.get(key, key.path)

    def in_braces(self, indices: Mapping[int, TokenIndex]) -> dict[str, TokenIndex]:
        """Return the index of every token by each of its references in braces; ``indices`` has them by row."""
        return {f"{{{address}}}": indices[row] for address, row in self._rows.items()}

    def of_braces(self, text: str) -> Alias:
        """Return the target of ``{a.b}``. Raises BadToken."""
        row = self._rows.get(text[1:-1])
        if row is None:
            raise self._unknown(text[1:-1], text)
        return Alias(self._keys[row])

    def of_pointer(self, pointer: str) -> Alias | None:
        """Return the target of ``#/a/b`` or ``#/a/b/$value``; None for a pointer to a part of a value.

        Raises BadToken.
        """
        steps = path_of_pointer(pointer)
        if not steps:
            raise BadToken(_CODE, f"{pointer[:80]!r} does not point at a token", pointer_advice(pointer))
        if steps[-1] == "$value":
            steps = steps[:-1]
        elif "$value" in steps:
            return None
        row = self._rows.get(".".join(steps))
        if row is None:
            raise self._unknown(".".join(steps), pointer)
        return Alias(self._keys[row])

    def of_reference(self, reference: str) -> Alias | None:
        """Return the target of a reference in either syntax. Raises BadToken."""
        return self.of_braces(reference) if reference[:1] == "{" else self.of_pointer(reference)

    def unfinished(self, value: Any) -> BadToken | None:
        """Return the error for a value that is probably meant as a reference, but lacks braces; None for others."""
        members = [*(value.values() if isinstance(value, dict) else value)] if isinstance(value, dict | list) else []
        text = members[0] if len(members) == 1 else value
        if not isinstance(text, str) or len(text) > _LONGEST_REFERENCE or is_reference(value):
            return None
        begins, ends = text[:1] == "{", text[-1:] == "}"
        if text is not value:
            what = f"the reference is within an {'object' if isinstance(value, dict) else 'array'}"
        elif begins is ends:
            what = f"{string_text(text)} names a token, but is not a reference"
        else:
            what = f"{string_text(text)} has no {'closing' if begins else 'opening'} brace"
        address = self._named(text)
        if address is not None:
            return BadToken(_CODE, what, f"write {string_text(f'{{{address}}}')}")
        if begins or ends:
            try:
                self.of_braces(f"{{{text.strip('{} ')}}}")
            except BadToken as error:
                return BadToken(_CODE, f"{what}, and there is no such token", error.what_to_do)
        return None

    def _named(self, text: str) -> str | None:
        """Return the address of the only token with these names, whatever is between them; its first may be missing."""
        if not self._folded:
            for row in self._rows:
                steps = [_folded(step) for step in row.split(".")]
                for start in range(1, len(steps)):
                    end = "-".join(steps[start:])
                    self._folded[end] = None if end in self._folded else row
            complete: dict[str, str | None] = {}
            for each in self._rows:
                name = _folded(each)
                complete[name] = None if name in complete else each
            self._folded |= complete
        bare = text.strip("{} ")
        if bare in self._rows:
            return bare
        if bare == text and not any(map(str.isalpha, text)):  # 50% is a wrong value, not the token slate/50
            return None
        return self._folded.get(_folded(text.removeprefix("var(")))

    def _unknown(self, address: str, spelled: str) -> BadToken:
        if address in self._roots:
            to_do = f"write {{{address[:120]}.{ROOT}}} for the group's own token"
            return BadToken(_CODE, f"{spelled[:120]} names a group", to_do)
        if self._groups is None:
            self._groups = {row[:end] for row in self._rows for end in range(len(row)) if row[end] == "."}
        if address in self._groups:
            return BadToken(_CODE, f"{spelled[:120]} names a group, not a token", "name a token within it")
        if self._addresses is not None:
            if address in self._unread:
                return BadToken(_CODE, f"{spelled[:120]} refers to an invalid token", "correct that token")
            return BadToken(_CODE, f"no such token: {spelled[:120]}", "correct the path, or add the token")
        if address.partition(".")[0] in self._unread:
            return UnreadTarget(_CODE, f"{spelled[:120]} refers to an unreadable file", "correct that file")
        to_do = "correct the path, which starts with the collection's handle"
        if similar := self._similar(address):
            similar = f"{{{similar}}}" if spelled[:1] == "{" else pointer_text(tuple(similar.split(".")))
            to_do = f"did you mean {similar[:120]}?"
        if (library := address.partition(".")[0]) in self._libraries:
            # Figma's REST API accepts aliases to library variables that the file already has, and to no others.
            what = f"no such token: {spelled[:120]} (of the library {library[:60]}, only tokens in use here are known)"
            other = "use the token once in this design file in Figma, and run tokensync pull"
            return BadToken(_CODE, what, f"{to_do} If not, {other}" if similar else other)
        return BadToken(_CODE, f"no such token: {spelled[:120]}", to_do)

    def _similar(self, address: str) -> str | None:
        """Return the address of the token that this address misspells, or None."""
        if not self._tree:
            for row in self._rows:
                node, end = self._tree, row
                for step in row.split("."):
                    node = node.setdefault(step, {})
                    if end := end[len(step) + 1 :]:
                        self._ends[end] = None if end in self._ends else row
        steps = self._similar_names.path(self._tree, address.split("."))
        for similar in (".".join(steps), f"{'.'.join(steps)}.{ROOT}") if steps else ():
            if similar in self._rows:
                return similar
        without_collection = self._ends.get(address)
        return without_collection or self._similar_names.nearest(address, self._rows)


def without_pointers(
    value: Any, trees: Sequence[dict[str, Any]], preserve: Callable[[dict[str, Any]], bool], depth: int = 0
) -> Any:
    """Return a ``$value`` with each ``$ref`` replaced by the value that it points at. Raises BadToken.

    ``preserve`` returns true for the ``$ref`` objects that stay unchanged. ``depth`` is that of a part.
    """
    if depth > _DEEPEST:
        what = "its references form a cycle, or are nested too deeply"
        raise BadToken(_CODE, what, "refer to a literal", ("$value",))
    if isinstance(value, list):
        return [without_pointers(each, trees, preserve, depth + 1) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" not in value:
        return {name: without_pointers(each, trees, preserve, depth + 1) for name, each in value.items()}
    if preserve(value):
        return value
    steps = path_of_pointer(value["$ref"]) if isinstance(value["$ref"], str) else None
    if not steps:
        what = f'"$ref" is {quoted(value["$ref"])}, which does not point at a token'
        raise BadToken(_CODE, what, pointer_advice(value["$ref"]), ("$value",))
    for tree in trees:
        exists, node = _walked(tree, steps)
        if exists:
            return without_pointers(node, trees, preserve, depth + 1)
    what = f"{value['$ref'][:120]!r} does not exist"
    raise BadToken(_CODE, what, "point at a literal in these files, not at a part of an alias", ("$value",))


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
