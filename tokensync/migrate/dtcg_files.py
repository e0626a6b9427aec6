"""DTCG files to a source: 2025.10 with resolver documents, and older drafts (hex texts, "4px", untyped tokens).

A file is a set. A resolver document says which sets there are and in which order they replace each other, and each of
its modifiers is a group of themes. Without one, files and folders with the same tokens are modes.
"""

from __future__ import annotations

import json
import re
from posixpath import dirname
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.groups import expanded
from tokensync.dtcg.parse import ProblemCollector, parsed
from tokensync.dtcg.resolver import ResolverReader
from tokensync.dtcg.spelling import RESOLVER_SUFFIX, VERSION
from tokensync.migrate.source import Location, Source, TokenSet, Unread
from tokensync.migrate.token_tree import Form, has_token, read_tree
from tokensync.migrate.variants import Variants, add_files, split_modes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.dtcg.resolver import Layer
    from tokensync.dtcg.resolver import Source as LayerSource
    from tokensync.migrate.documents import Document
    from tokensync.migrate.token_tree import TreeToken
    from tokensync.positions import Pointer

FORMAT = "dtcg"
_PLACE = re.compile(r"(.*?):(\d+)(?::\d+)?(?: |$)")


def recognised(documents: Sequence[Document]) -> bool:
    """Return whether a document is a resolver document, or has a token with a ``$value``."""
    return any(is_resolver(each.content) or has_token(each.content) for each in documents)


def read(documents: Sequence[Document]) -> Source:
    """Return the source of DTCG files; with resolver documents, of the files that these name."""
    reader = _Reader(documents)
    resolvers = [each for each in documents if is_resolver(each.content)]
    for each in resolvers:
        reader.read_resolver(each)
    if not resolvers:
        reader.read_files()
    name = (resolvers or [*reader.with_tokens(), *documents])[0].name if documents else ""
    is_single = len(resolvers) == 1 or len(reader.with_tokens()) == 1
    return reader.variants.source(FORMAT, reader.unread, name if is_single else "tokens")


def is_resolver(content: Any) -> bool:
    """Return whether a JSON value is a resolver document."""
    return isinstance(content, dict) and isinstance(content.get("resolutionOrder"), list)


def add_split(variants: Variants, name: str, tokens: Sequence[TreeToken], *, as_base: bool = True) -> TokenSet:
    """Add the modes of single tokens to the variants. Return the set without modes, which is added if ``as_base``."""
    base, modes = split_modes(name, tokens)
    for labels in _together(frozenset(each.modes) for each in tokens if each.modes):
        variants.add_modes({label: [each] for label, each in modes.items() if label in labels})
    if as_base:
        variants.add(base)
    return base


def _together(of_tokens: Iterable[frozenset[str]]) -> list[set[str]]:
    """Return the labels of modes by dimension: those that one token has belong together."""
    groups: list[set[str]] = []
    for labels in dict.fromkeys(of_tokens):
        joined = {*labels}
        for each in [each for each in groups if each & joined]:
            joined |= each
            groups.remove(each)
        groups.append(joined)
    return groups


class _Reader:
    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = {each.path: each for each in documents}
        self.variants = Variants()
        self.unread: list[Unread] = []
        self._tokens: dict[tuple[str, Pointer], list[TreeToken]] = {}

    def with_tokens(self) -> list[Document]:
        """Return the documents that have tokens."""
        return [each for each in self.documents.values() if has_token(each.content)]

    def read_files(self) -> None:
        """Read all files, with modes as files, folders and members of tokens."""
        sets: list[TokenSet] = []
        pending: list[tuple[str, list[TreeToken]]] = []
        for document in self.documents.values():
            if not isinstance(document.content, dict):
                if document.kind != "text":
                    self._report(document, "the file is no object of groups and tokens")
                continue
            if not has_token(document.content):
                self._report(document, "the file has no tokens")
                continue
            tokens = self._tokens_of(document, document.content, ())
            pending.append((document.path, tokens))
            sets.append(split_modes(document.path, tokens)[0])
        for path, tokens in pending:
            add_split(self.variants, path, tokens, as_base=False)
        labels = {label for _, tokens in pending for each in tokens for label in each.modes}
        add_files(self.variants, sets, labels)

    def read_resolver(self, document: Document) -> None:
        """Read the sets and modifiers of a resolver document in its order."""
        folder = dirname(document.path)
        name = document.path.rpartition("/")[2].removesuffix(".json").removesuffix(".resolver")
        files = {_relative(path, folder): each for path, each in self.documents.items() if _is_below(path, folder)}
        texts = {path: _json_of(each) for path, each in files.items() if isinstance(each.content, dict)}
        texts[name + RESOLVER_SUFFIX] = _json_of(document)
        collector = ProblemCollector(texts, f"{folder}/" if folder else "")
        content = document.content
        if content.get("version") != VERSION:
            self._report(document, f'the version is not "{VERSION}"; the document is read as if it were')
        layers = ResolverReader(content, name, texts, collector).layers()
        named = {source.path for layer in layers for sources in layer.contexts.values() for source in sources}
        for problem in collector.problems():
            place = _PLACE.match(problem.where)
            at = Location(place[1], int(place[2])) if place else Location(document.path, 1)
            self.unread.append(Unread(at, "", f"{problem.what}; {problem.what_to_do}", is_token=False))
        for block, layer in enumerate(layers):
            self.variants.block = block
            self._add_layer(layer, {name + RESOLVER_SUFFIX: document, **files})
        for path, each in files.items():
            if path not in named and not is_resolver(each.content) and has_token(each.content):
                for one in self._tokens_of(each, each.content, ()):
                    for token in filter(None, (one.token, *one.modes.values())):
                        self.unread.append(Unread(token.at, token.path, "no resolver document names its file"))

    def _add_layer(self, layer: Layer, files: Mapping[str, Document]) -> None:
        contexts: dict[str, list[TokenSet]] = {}
        for context, sources in layer.contexts.items():
            for source in sources:
                document = files[source.path]
                tokens = self._tokens_of(document, source.tree, source.pointer)
                name = _set_name(layer, context, source, document)
                base = add_split(self.variants, name, tokens, as_base=not layer.is_modifier)
                contexts.setdefault(context, []).append(base)
            contexts.setdefault(context, [])
        if layer.is_modifier:
            self.variants.add_modes(contexts, name=layer.name, default=layer.default, inherits=False)

    def _tokens_of(self, document: Document, tree: dict[str, Any], pointer: Pointer) -> list[TreeToken]:
        """Return the tokens of a tree; a tree that several sets have is read once."""
        key = (document.path, pointer)
        if key not in self._tokens:
            text = document.text.encode() if document.kind == "json" else b'"$extends""$ref"'
            grown = expanded(
                tree, text, lambda at, _, what, to_do: self._problem(document, (*pointer, *at), what, to_do)
            )
            folder = dirname(document.path)
            trees = {_relative(path, folder): each.content for path, each in self.documents.items()}
            reading = read_tree(
                document, grown, Form(trees={**trees, **{f"./{at}": each for at, each in trees.items()}}), pointer
            )
            self.unread += reading.unread
            self._tokens[key] = reading.tokens
        return self._tokens[key]

    def _problem(self, document: Document, pointer: Pointer, what: str, what_to_do: str) -> None:
        at = Location(document.path, document.line(pointer))
        self.unread.append(Unread(at, ".".join(map(str, pointer[:-1])), f"{what}; {what_to_do}", is_token=False))

    def _report(self, document: Document, reason: str) -> None:
        self.unread.append(Unread(Location(document.path, 1), "", reason, is_token=False))


def _set_name(layer: Layer, context: str, source: LayerSource, document: Document) -> str:
    """Return the name of a set: the path of its file, or where it is in the resolver document."""
    if not source.pointer:
        return document.path
    return "/".join((layer.name, *filter(None, (context,)), *(str(each) for each in source.pointer[-1:])))


def _json_of(document: Document) -> bytes:
    """Return a document as strict JSON: its own text, which has the locations of problems, if it is."""
    text = document.text.encode("utf-8", "replace")
    is_strict = document.kind == "json" and parsed(text)[0] is not None
    return text if is_strict else json.dumps(document.content).encode()


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _relative(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/") if folder else path
