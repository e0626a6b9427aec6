"""Tokens Studio to a source: a file for all sets, or a file for each set with ``$themes.json`` and ``$metadata.json``.

A set's name is not part of its tokens' names. ``tokenSetOrder`` says which set replaces which; sets that it lacks come
last. A theme's group is its collection. Without themes, each set is a theme of its own, as in the plugin's free plan.
"""

from __future__ import annotations

import re
from posixpath import dirname
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tokensync.dtcg.extensions import members_of
from tokensync.dtcg.spelling import FIGMA, OURS
from tokensync.migrate.readers.token_tree import text_of
from tokensync.migrate.source import EMPTY, Location, Source, SourceTheme, SourceToken, TokenSet, Unread, references_in
from tokensync.system.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.migrate.readers.documents import Document
    from tokensync.migrate.source import SetRole

    Node = dict[str, Any]

FORMAT = "tokens-studio"
THEMES, METADATA = "$themes", "$metadata"
_VALUES = "values"
"""The member of all sets in the plugin's oldest files."""
_KEY = re.compile(r"[0-9a-f]{40}")
_TYPES = frozenset(
    "fontSizes lineHeights letterSpacing fontFamilies fontWeights borderRadius borderWidth boxShadow sizing spacing"
    " paragraphSpacing textCase textDecoration composition".split()
)
"""Types that no other format has."""
_DESCRIPTIONS = ("$description", "description", "comment", "$comment")
_OF_TOKENS = frozenset({
    "$value", "value", "$type", "type", "$extensions", "$deprecated", "deprecated", *_DESCRIPTIONS,
    "name", "parent", "internal__Parent", "inheritTypeLevel", "rawValue",
})  # fmt: skip
"""Members of tokens that are neither tokens themselves nor kept."""
_OF_GROUPS = frozenset({"$type", "type", "$extensions", "$deprecated", "_comment", *_DESCRIPTIONS})

_OF_FILES = (THEMES, METADATA, "$schema", "$root")


def recognized(documents: Sequence[Document]) -> bool:
    """Return whether documents are of Tokens Studio: they have its themes, its order of sets, or lists of tokens."""
    return bool(_roots(documents)) or any(_is_whole(document.content) for document in documents)


def may_be(documents: Sequence[Document]) -> bool:
    """Return whether documents may be sets of the plugin, although nothing says so: their types have its names.

    Files of Style Dictionary have these types, too, if they come from the plugin.
    """
    trees = (document.content for document in documents if isinstance(document.content, dict))
    return any(_type(node) in _TYPES for tree in trees for _, node in _leaves(tree))


def read(documents: Sequence[Document]) -> Source:
    """Return the source of all documents."""
    reader = _Reader()
    whole = [document for document in documents if _is_whole(document.content)]
    for document in whole:
        content = document.content
        prefix = f"{document.name}/" if len(whole) > 1 else ""
        outer = (_VALUES,) if _has_values(content) else ()
        for name, each in (content[_VALUES] if outer else content).items():
            if name[:1] != "$":
                reader.add_set(f"{prefix}{name}", document, each, (*outer, name))
            else:
                reader.add_foreign(document, outer, name, each)
        reader.add_order(content.get(METADATA), prefix)
        reader.add_themes(document, content.get(THEMES), (THEMES,), prefix)
    roots = _roots(documents)
    for document in (document for document in documents if document not in whole and document.kind != "text"):
        root = next((root for root in roots if document.path.startswith(root)), None)
        if root is None and (roots or whole):
            reader.skip(document, "the file is not in the folder of the sets; move it there if it is one")
            continue
        name = re.sub(r"(?i)\.json5?$", "", document.path.removeprefix(root or ""))
        prefix = root if root is not None and len(roots) > 1 else ""
        if name == METADATA:
            reader.add_order(document.content, prefix)
        elif name == THEMES:
            reader.add_themes(document, document.content, (), prefix)
        else:
            reader.add_set(f"{prefix}{name}", document, document.content, ())
    return reader.source()


def _roots(documents: Sequence[Document]) -> list[str]:
    """Return the folders with a ``$themes.json`` or ``$metadata.json``, each ending in a slash unless it is the top."""
    found = {
        dirname(document.path)
        for document in documents
        if document.path.rpartition("/")[2] in (f"{THEMES}.json", f"{METADATA}.json")
    }
    return sorted((f"{each}/" if each else "" for each in found), key=len, reverse=True)


def _is_whole(content: Any) -> bool:
    """Return whether a document has all sets: with themes or an order of sets, or in a form of older versions."""
    if not isinstance(content, dict):
        return False
    if isinstance(content.get(THEMES), list) or _order_of(content.get(METADATA)):
        return True
    if any(map(_is_list_of_tokens, (content[_VALUES] if _has_values(content) else content).values())):
        return True
    return _has_sets_of_plugin(content)


def _has_values(content: Node) -> bool:
    return isinstance(content.get(_VALUES), dict) and content.keys() <= {_VALUES, "version", "updatedAt", THEMES}


def _is_list_of_tokens(node: Any) -> bool:
    return isinstance(node, list) and any(isinstance(each, dict) and {"name", "value"} <= each.keys() for each in node)


def _has_sets_of_plugin(content: Node) -> bool:
    """Return whether the members of a document are sets of the plugin, which says so neither in themes nor in an order.

    Its types have names of their own, and references lack the name of the set; tokens of old versions name their set.
    """
    leaves = [*_leaves(content)]
    if any(len(name) > 1 and node.get("parent") == name[0] for name, node in leaves):
        return True
    if not any(_type(node) in _TYPES for _, node in leaves):
        return False
    full = {".".join(name) for name, _ in leaves}
    short = {".".join(name[1:]) for name, _ in leaves if len(name) > 1}
    named = {reference.name for _, node in leaves for reference in references_in(node.get("value", node.get("$value")))}
    return len(named & short) > len(named & full)


def _leaves(content: Node) -> Iterator[tuple[tuple[str, ...], Node]]:
    pending: list[tuple[tuple[str, ...], Node]] = [((), content)]
    while pending:
        name, node = pending.pop()
        if _is_token(node):
            yield name, node
        else:
            pending += (((*name, own), each) for own, each in node.items() if isinstance(each, dict))


def _order_of(metadata: Any) -> list[str]:
    order = metadata.get("tokenSetOrder") if isinstance(metadata, dict) else None
    return [each for each in order if isinstance(each, str)] if isinstance(order, list) else []


class _Reader:
    """Collects the sets and themes of documents."""

    def __init__(self) -> None:
        self._sets: dict[str, list[SourceToken]] = {}
        self._at: dict[str, Location] = {}
        self._order: dict[str, None] = {}
        self._themes: list[tuple[SourceTheme, Mapping[str, Any], Location]] = []
        self._unread: list[Unread] = []

    def skip(self, document: Document, reason: str) -> None:
        """Report a file that is no set."""
        self._unread.append(Unread(Location(document.path, 1), "", reason, is_token=False))

    def add_order(self, metadata: Any, prefix: str) -> None:
        """Add the order of sets."""
        self._order |= dict.fromkeys(f"{prefix}{each}" for each in _order_of(metadata))

    def add_set(self, name: str, document: Document, content: Any, pointer: tuple[str, ...]) -> None:
        """Add the tokens of a set: a tree, or a list as in older versions."""
        tokens = self._sets.setdefault(name, [])
        self._at.setdefault(name, Location(document.path, document.line(pointer)))
        if isinstance(content, dict):
            tokens += _Tree(document, pointer, self._unread).read(content)
        elif isinstance(content, list):
            tree = _Tree(document, pointer, self._unread)
            for index, each in enumerate(content):
                if isinstance(each, dict) and isinstance(each.get("name"), str):
                    tokens.append(tree.token(each, tuple(each["name"].split(".")), _type(each)))
                else:
                    at = Location(document.path, document.line((*pointer, index)))
                    self._unread.append(Unread(at, name, f"{quoted(each)} is not a token with a name"))
        else:
            reason = f"the set {quoted(name)} is neither an object nor a list of tokens"
            self._unread.append(Unread(self._at[name], name, reason))

    def add_foreign(self, document: Document, pointer: tuple[str, ...], name: str, member: Any) -> None:
        """Report a member with a dollar sign that is no set, unless it is one of the format."""
        _Tree(document, pointer, self._unread).add_foreign(name, member, ())

    def add_themes(self, document: Document, themes: Any, pointer: tuple[str, ...], prefix: str) -> None:
        """Add themes. ``prefix`` is that of the names of the sets, if there are several files."""
        if not isinstance(themes, list):
            if themes is not None:
                self.skip(document, f"{THEMES} is not a list")
            return
        for index, each in enumerate(themes):
            at = Location(document.path, document.line((*pointer, index)))
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                self._add_theme(each, at, prefix)
            else:
                self._unread.append(Unread(at, "", "the theme is not an object with a name", is_token=False))

    def _add_theme(self, theme: Node, at: Location, prefix: str) -> None:
        name, selected, group = theme["name"], theme.get("selectedTokenSets"), theme.get("group")
        if isinstance(selected, list):
            selected = {each.get("id"): each.get("status") for each in selected if isinstance(each, dict)}
        roles: dict[str, SetRole] = {}
        for own, role in selected.items() if isinstance(selected, dict) else ():
            if role in ("enabled", "source"):
                roles[f"{prefix}{own}"] = role
            elif role != "disabled":
                reason = f"the theme {quoted(name)} gives the set {quoted(own)} the unknown status {quoted(role)}"
                self._unread.append(Unread(at, name, reason, is_token=False))
        keys = theme.get("$figmaVariableReferences")
        found = SourceTheme(
            name,
            roles,
            text_of(group),
            collection_id=text_of(theme.get("$figmaCollectionId")),
            mode_id=text_of(theme.get("$figmaModeId")),
        )
        self._themes.append((found, keys if isinstance(keys, dict) else {}, at))

    def source(self) -> Source:
        """Return the source."""
        names = [each for each in self._order if each in self._sets]
        late = [set_ for set_ in self._sets if set_ not in self._order]
        for each in late if names else ():
            reason = f"the order of sets lacks {quoted(each)}; it comes after the others"
            self._unread.append(Unread(self._at[each], each, reason, is_token=False))
        order = {name: index for index, name in enumerate((*names, *late))}
        sets = tuple(TokenSet(name, tuple(self._sets[name])) for name in order)
        themes = [self._theme(*theme, order) for theme in self._themes]
        if not themes:
            guess = "sets without themes have names in common"
            themes = [SourceTheme(name, {name: "enabled"}, guess=guess) for name in order if self._sets[name]]
        return Source(FORMAT, sets, tuple(themes), tuple(self._unread))

    def _theme(
        self, theme: SourceTheme, keys: Mapping[str, Any], at: Location, order: Mapping[str, int]
    ) -> SourceTheme:
        """Return a theme with its sets in order, and the keys of variables that exist."""
        for missing in (set_ for set_ in theme.sets if set_ not in order):
            reason = f"the theme {quoted(theme.name)} names the set {quoted(missing)}, and there is no such set"
            self._unread.append(Unread(at, theme.name, reason, is_token=False))
        roles = {name: theme.sets[name] for name in order if name in theme.sets}
        valid: dict[str, str] = {}
        if keys:
            paths = {token.path for name in roles for token in self._sets[name]}
            for path, key in keys.items():
                if _KEY.fullmatch(str(key)) is None:
                    reason = f"{quoted(key)} is not the key of a variable, which has 40 hexadecimal digits"
                elif path not in paths:
                    reason = f"the theme {quoted(theme.name)} has a variable for this token, and there is no such token"
                else:
                    valid[path] = key
                    continue
                self._unread.append(Unread(at, path, reason, is_token=False))
        return SourceTheme(
            theme.name, roles, theme.group, collection_id=theme.collection_id, mode_id=theme.mode_id, keys=valid
        )


class _Tree:
    """Reads the tree of a set."""

    def __init__(self, document: Document, pointer: tuple[str, ...], unread: list[Unread]) -> None:
        self._path = document.path
        self._line_of = document.line_of
        self._document = document
        self._pointer = pointer
        self._unread = unread
        self._tokens: list[SourceToken] = []

    def read(self, tree: Node) -> list[SourceToken]:
        """Return the tokens in the order of the file."""
        if _is_token(tree):
            self._unread.append(Unread(Location(self._path, self._line_of(tree)), "", "the token has no name"))
            self._inner(tree, (), _type(tree))
        else:
            self._group(tree, (), _type(tree))
        return self._tokens

    def _group(self, node: Node, name: tuple[str, ...], inherited: str) -> None:
        for own, each in node.items():
            if type(each) is dict:
                if own[:1] == "$" and own not in ("$root", "$value"):
                    self.add_foreign(own, each, name)
                    continue
                path = (*name, own.removeprefix("$") if own == "$value" else own)
                own_type = _type(each) or inherited
                if not _is_token(each):
                    self._group(each, path, own_type)
                elif len(each) == 2 + ("description" in each) and "type" in each and "value" in each:
                    description = each.get("description", "")
                    at = Location(self._path, self._line_of(each))
                    self._tokens.append(SourceToken(path, each["value"], at, own_type, text_of(description)))
                else:
                    self._tokens.append(self.token(each, path, own_type))
                    self._inner(each, path, own_type)
            elif own[:1] == "$":
                self.add_foreign(own, each, name)
            elif own not in _OF_GROUPS:
                at = Location(self._path, self._document.line((*self._pointer, *name, own)))
                reason = f"{quoted(each)} is neither a token nor a group; write an object with a value"
                self._unread.append(Unread(at, ".".join((*name, own)), reason))

    def add_foreign(self, own: str, member: Any, name: tuple[str, ...]) -> None:
        """Report a member with a dollar sign of its own, and the tokens in it; nothing for members of the format."""
        if own in _OF_TOKENS or own in _OF_FILES:
            return
        at = Location(self._path, self._document.line((*self._pointer, *name, own)))
        number = sum(1 for _ in _leaves({own: member})) if isinstance(member, dict) else 0
        reason = f"its member {quoted(own)} is not read, because names cannot begin with a dollar sign; rename it"
        for _ in range(number or 1):
            self._unread.append(Unread(at, ".".join(name), reason, is_token=bool(number)))

    def _inner(self, node: Node, name: tuple[str, ...], inherited: str) -> None:
        """Read the tokens inside of a token, which is a group at the same time."""
        for own, each in node.items():
            if own not in _OF_TOKENS and own[:1] != "$" and isinstance(each, dict) and _has_token(each):
                self._group({own: each}, name, inherited)

    def token(self, node: Node, name: tuple[str, ...], own_type: str) -> SourceToken:
        """Return a token."""
        value = node["$value"] if "$value" in node else node.get("value")
        at = Location(self._path, self._line_of(node))
        description = next((text_of(node[each]) for each in _DESCRIPTIONS if each in node), "")
        extensions = node.get("$extensions")
        deprecated = node.get("$deprecated", node.get("deprecated"))
        for own in node:
            if own[:1] == "$":
                self.add_foreign(own, node[own], name)
        if not extensions and not deprecated:
            return SourceToken(name, value, at, own_type, description)
        return self._with_members(
            SourceToken(
                name,
                value,
                at,
                own_type,
                description,
                deprecated if isinstance(deprecated, str | bool) else False,
                extensions=extensions if isinstance(extensions, dict) else EMPTY,
            )
        )

    def _with_members(self, token: SourceToken) -> SourceToken:
        """Return a token with what its extensions say about its variable."""
        known = [extension for extension in token.extensions if extension.startswith((FIGMA, OURS))]
        if not known:
            return token
        members = members_of(
            token.extensions,
            lambda name, what: self._unread.append(Unread(token.at, token.path, f"{name}: {what}", is_token=False)),
        )
        return replace(
            token,
            key=members.variable_key,
            id=members.id,
            scopes=members.scopes,
            code_syntax=members.code_syntax,
            is_hidden=members.hidden,
            extensions={name: each for name, each in token.extensions.items() if name not in known},
        )


def _type(node: Node) -> str:
    return text_of(node.get("$type", node.get("type")))


def _is_token(node: Node) -> bool:
    """Return whether an object is a token: it has a value that is no group of tokens."""
    if "$value" in node:
        value = node["$value"]
    elif "value" in node:
        value = node["value"]
    else:
        return False
    return type(value) is not dict or not _has_typed_token(value)


def _has_typed_token(node: Node) -> bool:
    """Return whether an object is a token with a type, or has one in it. Members of composites have no type."""
    pending = [node]
    while pending:
        each = pending.pop()
        if ("value" in each or "$value" in each) and ("type" in each or "$type" in each):
            return True
        pending += (member for member in each.values() if isinstance(member, dict))
    return False


def _has_token(node: Node) -> bool:
    pending = [node]
    while pending:
        each = pending.pop()
        if _is_token(each):
            return True
        pending += (member for member in each.values() if isinstance(member, dict))
    return False
