"""Read token files that were edited since they were written, without reading those that were not.

Most edits change a few values. The graph of the files as they were written is known then, and so is the text that each
edited file had: what the two texts do not share are the edited tokens. Anything but plain values and descriptions, or
what could make a problem anywhere, is left to ``read``, which reads all files.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from tokensync.dtcg.document import plain_document
from tokensync.dtcg.extensions import has_stored_value
from tokensync.dtcg.families import home_column
from tokensync.dtcg.literals import PLAIN_READERS
from tokensync.dtcg.parse import BadToken, parsed
from tokensync.dtcg.reading import location_of
from tokensync.dtcg.spelling import ALIAS_DATA, DTCG_TYPES, Spelling, is_reference, kind
from tokensync.dtcg.writing import dependents, rewrite
from tokensync.tokens import Alias, ComposedColor, Composite, TokenGraph, TokenKey
from tokensync.tokens.algorithms import on_cycles
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.dtcg.writing import Written
    from tokensync.tokens import Collection, Token, Value

    Node = dict[str, Any]


class _NotPlain(Exception):
    """An edit that takes reading all files."""


def edited(was: Written, file: str, digests: Mapping[str, bytes], texts: Mapping[str, bytes]) -> TokenGraph | None:
    """Return the graph of files of which ``texts`` are those that are not as they were written; None for others.

    ``digests`` are those of all files as they were written, of which reading makes the graph without a problem.
    """
    before = rewrite(was.graph, file, was, digests.keys() - texts.keys())
    if before is None or {each.path: sha256(each.content).digest() for each in before} != {
        path: digests[path] for path in texts
    }:
        return None
    try:
        return _Edits(was.graph, file).graph((each.path, each.content, texts[each.path]) for each in before)
    except (_NotPlain, BadToken):
        return None


class _Edits:
    def __init__(self, graph: TokenGraph, file: str) -> None:
        self.file = file
        self.was = graph
        self.spelling = Spelling(graph.tokens)
        self.changed: dict[TokenKey, Token] = {}
        self.has_new_references = False

    def graph(self, texts: Iterator[tuple[str, bytes, bytes]]) -> TokenGraph:
        for path, before, now in texts:
            self._read(path, before, now)
        graph = TokenGraph(
            self.was.collections.values(), (self.changed.get(key, token) for key, token in self.was.tokens.items())
        )
        # What shows a changed value and has it resolved beside it would be told to be stale.
        if any(map(_has_resolved_value, (graph.tokens[key] for key in dependents(graph, self.changed)))):
            raise _NotPlain
        if self.has_new_references and on_cycles(graph.references()):
            raise _NotPlain
        return graph

    def _read(self, path: str, before: bytes, now: bytes) -> None:
        location = location_of(path, self.file)
        if location is None or location.origin != "local":
            raise _NotPlain
        trees = []
        for text in (before, now):
            tree, problems = parsed(text)
            if problems:
                raise _NotPlain
            trees.append(tree)
        old, new = (plain_document(location, tree) for tree in trees)
        if old is None or new is None or old.paths != new.paths or old.group != new.group:
            raise _NotPlain
        if _bytes(_members(old.tree)) != _bytes(_members(new.tree)):
            raise _NotPlain
        family, column = self._mode(location.handle, location.slug)
        if old.group != family.handle:
            raise _NotPlain
        for token_path, was, is_now in zip(old.paths, old.nodes, new.nodes, strict=True):
            if _bytes(was) != _bytes(is_now):
                self._change(TokenKey(self.file, family.handle, token_path), family, column, was, is_now)

    def _mode(self, handle: str, slug: str) -> tuple[Collection, int]:
        for family in self.was.collections.values():
            for column, mode in enumerate(family.modes):
                if (mode.collection, mode.slug) == (handle, slug):
                    return family, column
        raise _NotPlain

    def _change(self, key: TokenKey, family: Collection, column: int, was: Node, now: Node) -> None:
        token = self.changed.get(key) or self.was.tokens.get(key)
        if token is None or token.origin != "local" or token.values[column] is None:
            raise _NotPlain
        differing = {name for name in {**was, **now} if _bytes(was.get(name)) != _bytes(now.get(name))}
        at_home = column == home_column(family)
        if was.keys() != now.keys() or not differing <= {"$value", *(("$description",) if at_home else ())}:
            raise _NotPlain
        if "$description" in differing:
            if type(now["$description"]) is not str:
                raise _NotPlain
            token = replace(token, description=now["$description"])
        if "$value" in differing:
            values = list(token.values)
            values[column] = self._value(token, now)
            token = replace(token, values=tuple(values))
        self.changed[key] = token

    def _value(self, token: Token, node: Node) -> Value:
        extensions = node.get("$extensions", {})
        read = PLAIN_READERS.get(token.type)
        # The type of a weight depends on what it refers to.
        if read is None or token.type in ("fontWeight", AS_TEXT) or "$ref" in node:
            raise _NotPlain
        if type(extensions) is not dict or ALIAS_DATA in extensions or has_stored_value(node):
            raise _NotPlain
        value = node["$value"]
        if is_reference(value):
            handle, _, path = value[1:-1].partition(".")
            key = TokenKey(self.file, handle, path)
            target = self.was.tokens.get(key)
            if target is None or self.spelling.is_root(key) or kind(target.type) != kind(token.type):
                raise _NotPlain
            self.has_new_references = True
            return Alias(key)
        if node.get("$type") != DTCG_TYPES[token.type]:
            raise _NotPlain
        return read(value)


def _has_resolved_value(token: Token) -> bool:
    return any(
        type(value) is ComposedColor or (type(value) is Composite and bool(value.references)) or is_reference(value)
        for value in token.values
    )


def _members(tree: Node) -> Node:
    return {name: member for name, member in tree.items() if name[:1] == "$"}


def _bytes(value: Any) -> bytes:
    """Return what tells 1 from true, which Python takes for equal."""
    return msgspec.json.encode(value)
