"""Style Dictionary files to a source: ``value`` or ``$value``, JSON, JSON5 or YAML, with or without configurations.

Style Dictionary has no modes; each configuration is a build with its own list of files. So each configuration is a
theme if there are several. Without any, files and folders with the same tokens are modes.
"""

from __future__ import annotations

import re
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Any

from tokensync.migrate.readers.source_files import alternatives, matches
from tokensync.migrate.readers.token_tree import OLD_VALUE_NAMES, TreeFiles, has_token, with_full_names
from tokensync.migrate.readers.variants import add_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.migrate.readers.documents import Document
    from tokensync.migrate.source import Source, TokenSet

FORMAT = "style-dictionary"
_CONFIGURATION_WORDS = ("config", "sd", "tokens", "")


def recognized(documents: Sequence[Document]) -> bool:
    """Return whether a document is a configuration, or has a token with a ``value``."""
    return any(is_configuration(each.content) or has_token(each.content, OLD_VALUE_NAMES) for each in documents)


def read(documents: Sequence[Document]) -> Source:
    """Return the source of Style Dictionary's files."""
    files = TreeFiles(documents, OLD_VALUE_NAMES)
    configurations = [document for document in documents if is_configuration(document.content)]
    if configurations:
        _read_configurations(files, configurations)
    else:
        files.read_all(documents)
    named = [each for each in documents if not is_configuration(each.content) and files.has_tokens(each)]
    name = named[0].name if len(named) == 1 else "tokens"
    return with_full_names(files.variants.source(FORMAT, files.unread, name), from_any_group=True)


def is_configuration(content: Any) -> bool:
    """Return whether a JSON value is a configuration of Style Dictionary: lists of files, or tokens, and platforms."""
    if not isinstance(content, dict):
        return False
    lists = [content[each] for each in ("source", "include") if each in content]
    return bool(lists) and all(isinstance(each, list) and all(isinstance(one, str) for one in each) for each in lists)


def _read_configurations(files: TreeFiles, configurations: Sequence[Document]) -> None:
    """Read the files that configurations list: those to include come first, and later ones replace earlier ones."""
    builds: dict[str, tuple[str, ...]] = {}
    for each in configurations:
        paths = tuple(dict.fromkeys(path for pattern in _patterns(each) for path in _matching(files, each, pattern)))
        if not paths:
            files.report(each, "none of the files that this configuration lists is in the source")
        elif paths not in builds.values():
            builds[_build_name(each)] = paths
    listed = {path for paths in builds.values() for path in paths}
    sets: dict[str, TokenSet] = {}
    for path, document in files.documents.items():
        if path in listed:
            tokens = files.tokens_of(document, document.content, ())
            sets[path] = add_tokens(files.variants, path, tokens, as_base=False)
        elif document not in configurations and files.has_tokens(document):
            files.add_unnamed(document, "no configuration lists its file")
    common = set(listed).intersection(*builds.values()) if builds else set()
    if len(builds) > 1:
        files.variants.block = 1
        modes = {name: [sets[path] for path in paths if path not in common] for name, paths in builds.items()}
        files.variants.add_modes(modes, name="theme", default=next(iter(builds)), inherits=False)
        files.variants.block = 0
    for path in next(iter(builds.values()), ()):
        if path in common:
            files.variants.add(sets[path])


def _build_name(document: Document) -> str:
    """Return the name of a build: that of its configuration's file without the word for it, or of its folder."""
    words = [each for each in re.split(r"[.\-_]", document.name) if each.casefold() not in _CONFIGURATION_WORDS]
    return "-".join(words) or dirname(document.path).rpartition("/")[2] or "default"


def _patterns(document: Document) -> Iterator[str]:
    for name in ("include", "source"):
        yield from document.content.get(name, ())


def _matching(files: TreeFiles, document: Document, pattern: str) -> list[str]:
    """Return the paths of documents with tokens that a pattern of a configuration matches, in their order."""
    folder = dirname(document.path)
    patterns = [normpath(f"{folder}/{alternative}" if folder else alternative) for alternative in alternatives(pattern)]
    return [
        path
        for path, each in files.documents.items()
        if any(matches(pattern, path) for pattern in patterns)
        and not is_configuration(each.content)
        and isinstance(each.content, dict)
        and files.has_tokens(each)
    ]
