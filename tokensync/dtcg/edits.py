"""Read token files that were edited after they were written, without reading the others.

Most edits change a few values. The graph of the written files is cached, and the previous text of an edited file can be
computed from it, so only the tokens that differ between the two texts have to be read. If anything other than a plain
value or a description differs, or an edit could cause a problem in another file, ``read`` has to read all files.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from tokensync.dtcg.document import location_of, plain_document
from tokensync.dtcg.extensions import has_stored_value
from tokensync.dtcg.families import home_column
from tokensync.dtcg.literals import PLAIN_READERS
from tokensync.dtcg.parse import BadToken, parsed
from tokensync.dtcg.spelling import ALIAS_DATA, DTCG_TYPES, Spelling, is_reference, kind
from tokensync.dtcg.writing import dependents, rewrite
from tokensync.tokens import Alias, ComposedColor, Composite, TokenGraph, TokenKey
from tokensync.tokens.algorithms import on_cycles
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.dtcg.writing import WrittenState
    from tokensync.tokens import Collection, Token, Value

    Node = dict[str, Any]


class _NeedsFullRead(Exception):
    """An edit for which all files must be read."""


def read_edits(
    written: WrittenState, file: str, digests: Mapping[str, bytes], texts: Mapping[str, bytes]
) -> TokenGraph | None:
    """Return the graph of written files, some of which were edited (``texts``); None if all files must be read.

    ``digests`` are those of all files as they were written. Reading these must have reported no problems.
    """
    previous = rewrite(written.graph, file, written, digests.keys() - texts.keys())
    if previous is None or {each.path: sha256(each.content).digest() for each in previous} != {
        path: digests[path] for path in texts
    }:
        return None
    try:
        return _Edits(written.graph, file).graph((each.path, each.content, texts[each.path]) for each in previous)
    except (_NeedsFullRead, BadToken):
        return None


class _Edits:
    def __init__(self, graph: TokenGraph, file: str) -> None:
        self.file = file
        self.previous = graph
        self.spelling = Spelling(graph.tokens)
        self.changed: dict[TokenKey, Token] = {}
        self.has_new_references = False

    def graph(self, texts: Iterable[tuple[str, bytes, bytes]]) -> TokenGraph:
        """Return the graph after edits, each a path with its previous and its new text."""
        for path, before, after in texts:
            self._read(path, before, after)
        # Token files do not contain the opaque variables of the platform.
        graph = TokenGraph(
            (replace(each, opaque=()) if each.opaque else each for each in self.previous.collections.values()),
            (self.changed.get(key, token) for key, token in self.previous.tokens.items()),
        )
        # A resolved value that was stored next to its reference is now stale, which ``read`` reports.
        if any(map(_has_resolved_value, (graph.tokens[key] for key in dependents(graph, self.changed)))):
            raise _NeedsFullRead
        if self.has_new_references and on_cycles(graph.references()):
            raise _NeedsFullRead
        return graph

    def _read(self, path: str, before: bytes, after: bytes) -> None:
        location = location_of(path, self.file)
        if location is None or location.origin != "local":
            raise _NeedsFullRead
        trees = []
        for text in (before, after):
            tree, problems = parsed(text)
            if problems:
                raise _NeedsFullRead
            trees.append(tree)
        old, new = (plain_document(location, tree) for tree in trees)
        if old is None or new is None or old.paths != new.paths or old.group != new.group:
            raise _NeedsFullRead
        if _encoded(_file_members(old.tree)) != _encoded(_file_members(new.tree)):
            raise _NeedsFullRead
        family, column = self._mode(location.handle, location.slug)
        if old.group != family.handle:
            raise _NeedsFullRead
        for token_path, old_node, new_node in zip(old.paths, old.nodes, new.nodes, strict=True):
            if _encoded(old_node) != _encoded(new_node):
                self._change(TokenKey(self.file, family.handle, token_path), family, column, old_node, new_node)

    def _mode(self, handle: str, slug: str) -> tuple[Collection, int]:
        for family in self.previous.collections.values():
            for column, mode in enumerate(family.modes):
                if (mode.collection, mode.slug) == (handle, slug):
                    return family, column
        raise _NeedsFullRead

    def _change(self, key: TokenKey, family: Collection, column: int, old: Node, new: Node) -> None:
        token = self.changed.get(key) or self.previous.tokens.get(key)
        if token is None or token.origin != "local" or token.values[column] is None or token.notations:
            raise _NeedsFullRead
        edited_members = {name for name in {**old, **new} if _encoded(old.get(name)) != _encoded(new.get(name))}
        editable = {"$value", "$description"} if column == home_column(family) else {"$value"}
        if old.keys() != new.keys() or not edited_members <= editable:
            raise _NeedsFullRead
        if "$description" in edited_members:
            if type(new["$description"]) is not str:
                raise _NeedsFullRead
            token = replace(token, description=new["$description"])
        if "$value" in edited_members:
            values = list(token.values)
            values[column] = self._value(token, new)
            token = replace(token, values=tuple(values))
        self.changed[key] = token

    def _value(self, token: Token, node: Node) -> Value:
        extensions = node.get("$extensions", {})
        read = PLAIN_READERS.get(token.type)
        # The type of a font weight depends on the tokens that it refers to.
        if read is None or token.type in ("fontWeight", AS_TEXT) or "$ref" in node:
            raise _NeedsFullRead
        if type(extensions) is not dict or ALIAS_DATA in extensions or has_stored_value(node):
            raise _NeedsFullRead
        value = node["$value"]
        if is_reference(value):
            handle, _, path = value[1:-1].partition(".")
            key = TokenKey(self.file, handle, path)
            target = self.previous.tokens.get(key)
            if target is None or self.spelling.is_root(key) or kind(target.type) != kind(token.type):
                raise _NeedsFullRead
            self.has_new_references = True
            return Alias(key)
        if node.get("$type") != DTCG_TYPES[token.type]:
            raise _NeedsFullRead
        return read(value)


def _has_resolved_value(token: Token) -> bool:
    return any(
        type(value) is ComposedColor or (type(value) is Composite and bool(value.references)) or is_reference(value)
        for value in token.values
    )


def _file_members(tree: Node) -> Node:
    return {name: member for name, member in tree.items() if name[:1] == "$"}


def _encoded(value: Any) -> bytes:
    """Encode a value for a comparison that distinguishes 1 from true, as Python's does not.

    Raises _NeedsFullRead for lone surrogates, deep nesting and large integers, which msgspec does not encode.
    """
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, RecursionError, OverflowError):
        raise _NeedsFullRead from None
