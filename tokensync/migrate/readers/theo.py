"""Theo's files to a source: ``props`` and ``aliases`` in YAML or JSON, with ``global`` members and ``imports``.

Props and aliases are tokens; ``{!NAME}`` refers to an alias. What a file imports comes before its own tokens.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tokensync.migrate.readers.token_tree import text_of
from tokensync.migrate.readers.variants import Variants, add_files, file_modes
from tokensync.migrate.source import Location, Source, SourceToken, TokenSet, Unread
from tokensync.system.wording import quoted
from tokensync.tokens.algorithms import closure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.migrate.readers.documents import Document
    from tokensync.system.positions import Pointer

FORMAT = "theo"
ALIASES = "aliases"
"""The first name of an alias if a prop has the same name."""
_ROOT_MEMBERS = {"props", ALIASES, "imports", "global", "options", "meta", "$schema"}
_ALIAS = re.compile(r"\{\s*!([^{}]+)\}")
_TOKEN_MEMBERS = ("value", "type", "comment", "name", "deprecated")


def recognized(documents: Sequence[Document]) -> bool:
    """Return whether a document has props or aliases in the form of Theo."""
    return any(_is_theo(document.content) for document in documents)


def read(documents: Sequence[Document]) -> Source:
    """Return the source of Theo's files."""
    return _Reader(documents).source()


def _is_theo(content: Any) -> bool:
    if not isinstance(content, dict) or not content.keys() <= _ROOT_MEMBERS:
        return False
    has_imports, props = isinstance(content.get("imports"), list), content.get("props")
    if isinstance(props, list):
        return all(isinstance(prop, dict) and "name" in prop for prop in props)
    if isinstance(props, dict):
        return has_imports or any(isinstance(prop, dict) and "value" in prop for prop in props.values()) or not props
    return "props" not in content and (has_imports or isinstance(content.get(ALIASES), dict))


class _Reader:
    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = {document.path: document for document in documents}
        self.unread: list[Unread] = []
        self.props = {
            name for each in documents if _is_theo(each.content) for name, _, _ in _members(each.content, "props")
        }
        self.aliases: dict[str, SourceToken] = {}
        self.imports = {path: [*self._imports(document)] for path, document in self.documents.items()}

    def source(self) -> Source:
        """Return the source of all files, in the order of their imports.

        Theo compiles each file with its imports: files that give a name other values, and are no modes, have no theme.
        """
        sets: list[TokenSet] = []
        for document in self._in_order():
            if not _is_theo(document.content):
                if document.kind != "text":
                    self._report(Location(document.path, 1), "the file has neither props nor aliases")
                continue
            tokens = (*self._aliases(document), *self._props(document))
            if tokens:
                sets.append(TokenSet(document.path, tokens))
        variants = Variants()
        alone = self._contradicting(sets)
        add_files(variants, [file for file in sets if file.name not in alone])
        name = self.documents[sets[0].name].name if len(sets) == 1 else "tokens"
        source = variants.source(FORMAT, self.unread, name)
        return replace(source, sets=tuple(sets))

    def _contradicting(self, sets: Sequence[TokenSet]) -> set[str]:
        """Return the files, no modes, that give a name another value than one that they neither import nor are in."""
        paths = {file.name: frozenset(token.path for token in file.tokens) for file in sets}
        modes = {name for found in file_modes(paths) for names in found.files.values() for name in names}
        values: dict[str, dict[str, Any]] = {}
        for file in (file for file in sets if file.name not in modes):
            for token in file.tokens:
                values.setdefault(token.path, {})[file.name] = token.value
        imported = cache(lambda path: closure((path,), self.imports.__getitem__))
        found = set[str]()
        for by_file in values.values():
            for (first, value), (second, other) in combinations(by_file.items(), 2):
                if value != other and second not in imported(first) and first not in imported(second):
                    found |= {first, second}
        return found

    def _in_order(self) -> Iterator[Document]:
        """Yield each document after those that it imports."""
        done: dict[str, None] = {}
        for start in self.documents:
            pending = [(start, iter(self.imports[start]))]
            if start in done:
                continue
            done[start] = None
            while pending:
                path, imports = pending[-1]
                found = next(imports, None)
                if found is None:
                    pending.pop()
                    yield self.documents[path]
                elif found not in done:
                    done[found] = None
                    pending.append((found, iter(self.imports[found])))

    def _imports(self, document: Document) -> Iterator[str]:
        listed = document.content.get("imports") if isinstance(document.content, dict) else None
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            folder = dirname(document.path)
            path = normpath(f"{folder}/{each}" if folder else str(each))
            if path in self.documents:
                yield path
            else:
                at = Location(document.path, document.line(("imports", index)))
                self._report(at, f"the import {quoted(each)} is not in this source; give the folder that has both")

    def _aliases(self, document: Document) -> Iterator[SourceToken]:
        for name, node, pointer in _members(document.content, ALIASES):
            members = node if isinstance(node, dict) and "value" in node else {"value": node}
            path = (ALIASES, name) if name in self.props else (name,)
            token = self._token(document, path, members, pointer)
            earlier = self.aliases.setdefault(name, token)
            if earlier.value != token.value:
                what = f"the alias {quoted(name)} has another value in {earlier.at}; the last one counts for references"
                self._report(token.at, what, name)
            yield token

    def _props(self, document: Document) -> Iterator[SourceToken]:
        common = document.content.get("global")
        shared = common if isinstance(common, dict) else {}
        for name, node, pointer in _members(document.content, "props"):
            at = Location(document.path, document.line(pointer))
            if not isinstance(node, dict) or "value" not in {**shared, **node}:
                self.unread.append(Unread(at, name, "the prop has no value; write an object with a value"))
            else:
                yield self._token(document, (name,), {**shared, **node}, pointer)

    def _token(
        self, document: Document, name: tuple[str, ...], members: Mapping[str, Any], pointer: Pointer
    ) -> SourceToken:
        deprecated = members.get("deprecated", False)
        return SourceToken(
            name,
            self._value(members["value"]),
            Location(document.path, document.line(pointer)),
            type=text_of(members.get("type")),
            description=text_of(members.get("comment")),
            deprecated=deprecated if isinstance(deprecated, str | bool) else False,
            extensions={key: each for key, each in members.items() if key not in _TOKEN_MEMBERS},
        )

    def _value(self, value: Any) -> Any:
        match value:
            case str():
                return _ALIAS.sub(self._reference, value)
            case list():
                return [self._value(each) for each in value]
            case dict():
                return {name: self._value(each) for name, each in value.items()}
        return value

    def _reference(self, match: re.Match[str]) -> str:
        name = match[1].strip()
        return f"{{{ALIASES}.{name}}}" if name in self.props else f"{{{name}}}"

    def _report(self, at: Location, reason: str, name: str = "") -> None:
        self.unread.append(Unread(at, name, reason, is_token=False))


def _members(content: Any, key: str) -> Iterator[tuple[str, Any, Pointer]]:
    """Yield the name, value and pointer of each prop or alias: of an object, or of a list of objects with names."""
    node = content.get(key)
    if isinstance(node, dict):
        yield from ((name, each, (key, name)) for name, each in node.items())
    elif isinstance(node, list):
        for index, each in enumerate(node):
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                yield each["name"], each, (key, index)
