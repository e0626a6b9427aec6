"""Files with trees of tokens: the tokens of each, and names of references as paths of tokens."""

from __future__ import annotations

import re
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tokensync.dtcg.groups import expanded
from tokensync.migrate.readers.token_tree import SETS, Form, has_token, read_tree
from tokensync.migrate.readers.variants import TokenInModes, Variants, add_files, add_tokens
from tokensync.migrate.source import Location, Source, TokenSet, Unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.migrate.readers.documents import Document
    from tokensync.system.positions import Pointer

_NAME = re.compile(r"\{([^{}]+)\}")
_NAME_IN_TEXT = re.compile(r"\{([^{}\"\n]{1,400})\}")  # of a file, whose other braces are not those of references
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*\)")
OLD_VALUE_NAMES = ("$value", "value", SETS)
"""The members with the value in files of Style Dictionary and of the first drafts of DTCG."""
_VALUE_ENDS = (".$value", ".value")


class TreeFiles:
    """The documents of a source, and the tokens of their trees. A tree that several sets have is read once."""

    def __init__(self, documents: Sequence[Document], value_names: tuple[str, ...] = ("$value",)) -> None:
        self.value_names = value_names
        self.documents = {document.path: document for document in documents}
        self.variants = Variants()
        self.unread: list[Unread] = []
        self._tokens: dict[tuple[str, Pointer], list[TokenInModes]] = {}
        self._named: frozenset[str] | None = None

    def has_tokens(self, document: Document) -> bool:
        """Return whether a document has tokens: objects, or texts that references of the source name."""
        return has_token(document.content, self._value_names(document.content)) or self._has_named_leaf(document)

    def read_all(self, documents: Iterable[Document]) -> None:
        """Read files, with modes as files, folders and members of tokens."""
        pending: list[tuple[str, list[TokenInModes]]] = []
        for document in documents:
            if document.kind == "text":
                continue
            if not isinstance(document.content, dict):
                self.report(document, "the file is no object of groups and tokens")
            elif not self.has_tokens(document):
                self.report(document, "the file has no tokens")
            else:
                pending.append((document.path, self.tokens_of(document, document.content, ())))
        sets = [add_tokens(self.variants, path, tokens, as_base=False) for path, tokens in pending]
        labels = {label for _, tokens in pending for token in tokens for label in token.modes}
        add_files(self.variants, sets, labels)

    def tokens_of(self, document: Document, tree: dict[str, Any], pointer: Pointer) -> list[TokenInModes]:
        """Return the tokens of a tree at a pointer."""
        key = (document.path, pointer)
        if key not in self._tokens:
            text = document.text.encode() if document.kind == "json" else b'"$extends""$ref"'
            grown = expanded(
                tree, text, lambda at, _, what, to_do: self._problem(document, (*pointer, *at), what, to_do)
            )
            names = self._value_names(tree)
            form = Form(
                names,
                leaves=self._references(),
                has_leaves=not has_token(tree, names),
                tree_of=lambda url: self._tree_of(document, url),
            )
            reading = read_tree(document, grown, form, pointer)
            self.unread += reading.unread
            self._tokens[key] = reading.tokens
        return self._tokens[key]

    def add_unnamed(self, document: Document, reason: str) -> None:
        """Add all tokens of a document to ``unread``."""
        for each in self.tokens_of(document, document.content, ()):
            for token in filter(None, (each.token, *each.modes.values())):
                self.unread.append(Unread(token.at, token.path, reason))

    def report(self, document: Document, reason: str) -> None:
        """Add a reason that concerns a whole document to ``unread``."""
        self.unread.append(Unread(Location(document.path, 1), "", reason, is_token=False))

    def _value_names(self, tree: Any) -> tuple[str, ...]:
        """Return the names of values in a tree: a file may be older than the others, and have no ``$`` in its names."""
        is_old = not has_token(tree, self.value_names) and has_token(tree, OLD_VALUE_NAMES)
        return OLD_VALUE_NAMES if is_old else self.value_names

    def _tree_of(self, document: Document, url: str) -> Any:
        found = self.documents.get(normpath(f"{dirname(document.path)}/{url}".lstrip("/")))
        return None if found is None else found.content

    def _problem(self, document: Document, pointer: Pointer, what: str, what_to_do: str) -> None:
        at = Location(document.path, document.line(pointer))
        self.unread.append(Unread(at, ".".join(map(str, pointer[:-1])), f"{what}; {what_to_do}", is_token=False))

    def _references(self) -> frozenset[str]:
        """Return the names of all references in the texts of the source."""
        if self._named is None:
            texts = (document.text for document in self.documents.values() if document.content is not None)
            self._named = frozenset(
                _without_end(_plain(each)) for text in texts for each in _NAME_IN_TEXT.findall(text)
            )
        return self._named

    def _has_named_leaf(self, document: Document) -> bool:
        if not isinstance(document.content, dict):
            return False
        named = self._references()
        pending: list[tuple[str, Any]] = [("", document.content)]
        while pending:
            path, node = pending.pop()
            if isinstance(node, dict):
                inner = f"{path}." if path else ""
                pending += ((f"{inner}{name}", each) for name, each in node.items() if name[:1] != "$")
            elif path in named:
                return True
        return False


def relative(path: str, folder: str) -> str:
    """Return a path relative to a folder that it is in, or as it is."""
    return path.removeprefix(f"{folder}/") if folder else path


def with_full_names(source: Source, *, from_any_group: bool = False) -> Source:
    """Return the source with the names in references as paths of its tokens.

    ``{a.b.value}`` and ``{!a.b}`` are ``{a.b}``, and ``var(--b)`` is the only token named ``--b``. ``from_any_group``
    reads a name without its first groups as the only path that ends with it; each such name is reported.
    """
    names = _Names(source, from_any_group=from_any_group)
    sets = tuple(TokenSet(set_.name, tuple(map(names.with_full_names, set_.tokens))) for set_ in source.sets)
    return replace(source, sets=sets, unread=(*source.unread, *names.reported))


class _Names:
    def __init__(self, source: Source, *, from_any_group: bool) -> None:
        self.paths = {token.path for _, token in source.tokens()}
        named: dict[str, list[str]] = {}
        for path in self.paths:
            if "--" in path:
                named.setdefault(path.rpartition(".")[2], []).append(path)
        self.properties = {name: paths[0] for name, paths in named.items() if len(paths) == 1}
        self.from_any_group = from_any_group
        self.reported: list[Unread] = []
        self._ends: dict[str, str | None] | None = None
        self._found: dict[str, str | None] = {}

    def with_full_names(self, token: Any) -> Any:
        """Return a token with full names in its references."""
        if token.is_text:
            return token
        value = self._value(token.value, token)
        return token if value is token.value else replace(token, value=value)

    def _value(self, value: Any, token: Any) -> Any:
        match value:
            case str():
                if "var(--" in value and self.properties:
                    value = _VAR.sub(self._property, value)
                return _NAME.sub(lambda match: self._reference(match, token), value) if "{" in value else value
            case list():
                elements = [self._value(each, token) for each in value]
                return elements if any(one is not other for one, other in zip(elements, value, strict=True)) else value
            case dict():
                members = {name: self._value(each, token) for name, each in value.items()}
                return members if any(members[name] is not each for name, each in value.items()) else value
        return value

    def _property(self, match: re.Match[str]) -> str:
        path = self.properties.get(match[1])
        return match[0] if path is None else f"{{{path}}}"

    def _reference(self, match: re.Match[str], token: Any) -> str:
        name = match[1]
        if name in self.paths:
            return match[0]
        name = _plain(name)
        if name in self.paths:
            return f"{{{name}}}"
        if name not in self._found:
            self._found[name] = self._path(name, token)
        found = self._found[name]
        return match[0] if found is None else f"{{{found}}}"

    def _path(self, name: str, token: Any) -> str | None:
        short = _without_end(name)
        if short in self.paths:
            return short
        if not self.from_any_group:
            return None
        if self._ends is None:
            self._ends = {}
            for path in self.paths:
                at = path.find(".") + 1
                while at:
                    end = path[at:]
                    self._ends[end] = None if end in self._ends else path
                    at = path.find(".", at) + 1
        found = self._ends.get(short)
        if found is not None:
            reason = f"{{{name[:60]}}} is read as {{{found[:120]}}}, the only token whose name ends so"
            self.reported.append(Unread(token.at, token.path, reason, is_token=False))
        return found


def _plain(name: str) -> str:
    """Return a name without spaces around it, and without the ``!`` of Theo's aliases."""
    return name.strip().removeprefix("!").lstrip()


def _without_end(name: str) -> str:
    return next((name.removesuffix(end) for end in _VALUE_ENDS if name.endswith(end)), name)
