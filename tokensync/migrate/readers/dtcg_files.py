"""DTCG files to a source: 2025.10 with resolver documents, and older drafts (hex texts, "4px", untyped tokens).

A file is a set. A resolver document says which sets there are and in which order they replace each other, and each of
its modifiers is a group of themes. Without one, files and folders with the same tokens are modes.
"""

from __future__ import annotations

import json
import re
from posixpath import dirname
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.parse import ProblemCollector, parsed
from tokensync.dtcg.resolver import Layer, ResolverReader
from tokensync.dtcg.spelling import RESOLVER_SUFFIX, VERSION
from tokensync.migrate.readers.token_tree import TreeFiles, has_token, relative, with_full_names
from tokensync.migrate.readers.variants import add_tokens
from tokensync.migrate.source import Location, Source, TokenSet, Unread
from tokensync.system.errors import UsageError
from tokensync.system.token_files import named_files
from tokensync.system.wording import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.dtcg.resolver import Source as LayerSource
    from tokensync.migrate.readers.documents import Document

FORMAT = "dtcg"
_LOCATION = re.compile(r"(.*?):(\d+)(?::\d+)?(?: |$)")


def recognized(documents: Sequence[Document]) -> bool:
    """Return whether a document is a resolver document, or has a token with a ``$value``."""
    return any(is_resolver(each.content) or (_may_have_token(each) and has_token(each.content)) for each in documents)


def _may_have_token(document: Document) -> bool:
    """Return whether the text has the name of a member that tokens have; a backslash may escape its characters.

    Searching the text takes a hundredth of the time of searching the tree of a large file of another format.
    """
    return any(each in document.text for each in ("$value", "$ref", "$type", "\\"))


def read(documents: Sequence[Document]) -> Source:
    """Return the source of DTCG files; with a resolver document, of the files that it names.

    Raises UsageError if there are several resolver documents.
    """
    files = TreeFiles(documents)
    resolvers = [document for document in documents if is_resolver(document.content)]
    if len(resolvers) > 1:
        names = listed([resolver.path for resolver in resolvers])
        raise UsageError(f"{resolvers[0].path}: there are several resolver documents ({names}); migrate one of them")
    if resolvers:
        _read_resolver(files, resolvers[0])
    else:
        files.read_all(documents)
    named = resolvers or [document for document in documents if files.has_tokens(document)]
    name = named[0].name if len(named) == 1 else "tokens"
    return with_full_names(files.variants.source(FORMAT, files.unread, name))


def is_resolver(content: Any) -> bool:
    """Return whether a JSON value is a resolver document."""
    return isinstance(content, dict) and isinstance(content.get("resolutionOrder"), list)


def _read_resolver(files: TreeFiles, document: Document) -> None:
    """Read the sets and modifiers of a resolver document in its order."""
    folder = dirname(document.path)
    name = document.path.rpartition("/")[2].removesuffix(".json").removesuffix(".resolver")
    below = {relative(path, folder): each for path, each in files.documents.items() if _is_below(path, folder)}
    known = [path for path in named_files(_json_of(document)) if path in below]
    texts = {path: _json_of(below[path]) for path in known if isinstance(below[path].content, dict)}
    texts[name + RESOLVER_SUFFIX] = _json_of(document)
    collector = ProblemCollector(texts, f"{folder}/" if folder else "")
    if document.content.get("version") != VERSION:
        files.report(document, f'the version is not "{VERSION}"; the document is read as if it were')
    layers = ResolverReader(document.content, name, texts, collector).layers()
    for problem in collector.problems():
        found = _LOCATION.match(problem.where)
        file = found[1] if found and found[1] in files.documents else document.path
        at = Location(file, int(found[2]) if found else 1)
        files.unread.append(Unread(at, "", f"{problem.what}; {problem.what_to_do}", is_token=False))
    by_path = {**below, name + RESOLVER_SUFFIX: document}
    for block, layer in enumerate(layers):
        files.variants.block = block
        _add_layer(files, layer, by_path)
    named = {source.path for layer in layers for sources in layer.contexts.values() for source in sources}
    for path, each in files.documents.items():
        if relative(path, folder) not in named and each is not document and has_token(each.content):
            files.add_unnamed(each, "no resolver document names its file")


def _add_layer(files: TreeFiles, layer: Layer, by_path: Mapping[str, Document]) -> None:
    contexts: dict[str, list[TokenSet]] = {}
    for context, sources in layer.contexts.items():
        sets = contexts.setdefault(context, [])
        for source in sources:
            document = by_path[source.path]
            tokens = files.tokens_of(document, source.tree, source.pointer)
            name = _set_name(layer, context, source, document)
            sets.append(add_tokens(files.variants, name, tokens, as_base=not layer.is_modifier))
    if layer.is_modifier:
        files.variants.add_modes(contexts, name=layer.name, default=layer.default, inherits=False)


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
