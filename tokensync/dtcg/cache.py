"""The cache of the graphs of large token folders.

An entry is a file in the user's cache folder. Its name is a digest of the sources of the graph: tokensync's code and
rules, and the paths and contents of the token files.
An entry contains only data, in columns, and each distinct value once, and the problems of the files, with their paths
below the tokens folder. Graphs with errors are not cached, nor those that depend on anything else, such as the lock.

A cache folder is used only if it belongs to the user, nobody else can write to it, and it is outside the checkout.
Otherwise the authors of a checkout could forge the tokens of a folder. Nothing is cached if there is no such folder, if
it cannot be written, in CI, or with ``TOKENSYNC_CACHE=off``.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from tokensync.dtcg.extensions import BadKept, kept, value_of
from tokensync.dtcg.layout import inline
from tokensync.system.boundary import is_within, work_tree
from tokensync.system.disk import open_file, replace_file
from tokensync.system.problems import Problem
from tokensync.system.resources import program_digest
from tokensync.tokens import Alias, Collection, Color, Origin, Token, TokenGraph, TokenKey
from tokensync.tokens.values import Notation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.tokens import Value


_SUFFIX = ".graph"
_ROOT = "\0"
"""The tokens folder in problems: a copy of it has the same entry."""
LEAST = 256 * 1024
"""The size in bytes below which token files are not cached, because reading them is fast."""
_MOST = 256 * 1024 * 1024
"""The maximum size in bytes of all entries."""
_DIGEST_SIZE = 32
"""The size in bytes of the SHA-256 at the start of an entry, which detects damage."""


def entry_of(root: str, file: str, digests: Mapping[str, bytes]) -> str | None:
    """Return the path of the entry for token files with these digests; None if nothing is cached."""
    # CI jobs rarely start with a cache, and filling it takes a tenth of a build.
    if os.environ.get("TOKENSYNC_CACHE") == "off" or os.environ.get("CI"):
        return None
    digest = hashlib.sha256(f"{program_digest()}\n{file}\n".encode())
    for path in sorted(digests):
        name = path.encode("utf-8", "surrogateescape")
        digest.update(b"%d %b %b" % (len(name), name, digests[path]))
    folder = _folder(root)
    return None if folder is None else os.path.join(folder, digest.hexdigest() + _SUFFIX)


def load(
    entry: str, file: str, like: TokenGraph | None = None, *, shown_below: str
) -> tuple[TokenGraph, tuple[Problem, ...]] | None:
    """Return the graph and the problems of an entry; None if there is no entry that can be trusted and read.

    Problems show ``shown_below`` before paths.

    The graph shares equal tokens, texts and values with the graph ``like``, which is most of the memory of a merge.
    """
    try:
        with open_file(entry) as content:
            if not _is_private(os.fstat(content.fileno())):
                return None
            stored = content.read()
        payload = memoryview(stored)[_DIGEST_SIZE:]
        if hashlib.sha256(payload).digest() != stored[:_DIGEST_SIZE]:
            return None
        graph, problems = _decoded(payload, file, like)
    except (OSError, msgspec.MsgspecError, LookupError, ValueError, TypeError, RecursionError, BadKept):
        return None
    with suppress(OSError):
        os.utime(entry)  # the least recently used entries are removed first
    return graph, tuple(problem.rewritten(lambda text: text.replace(_ROOT, shown_below)) for problem in problems)


def store(entry: str, file: str, graph: TokenGraph, problems: Iterable[Problem], *, shown_below: str) -> None:
    """Write the entry of a graph, and remove the least recently used entries above the maximum size."""
    with suppress(OSError, UnicodeEncodeError, RecursionError):
        below_root = (problem.rewritten(lambda text: text.replace(shown_below, _ROOT)) for problem in problems)
        payload = _encoded(graph, file, tuple(below_root))
        replace_file(entry, (hashlib.sha256(payload).digest(), payload), durable=False, private=True)
        _remove_oldest(os.path.dirname(entry))


def _folder(root: str) -> str | None:
    """Return the folder of the entries, and create it if it is missing; None if it cannot be trusted."""
    if sys.platform == "win32":
        choices = (os.environ.get("LOCALAPPDATA", ""), os.path.expanduser("~\\AppData\\Local"))
    elif sys.platform == "darwin":
        choices = (os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/Library/Caches"))
    else:
        choices = (os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache"))
    base = next(filter(os.path.isabs, choices), None)
    if base is None:
        return None
    top = work_tree(root) or os.path.dirname(os.path.realpath(root))
    if is_within(os.path.realpath(base), top):
        return None
    folder = os.path.join(os.path.realpath(base), "tokensync")
    try:
        for each in (os.path.dirname(folder), folder):
            with suppress(FileExistsError):
                os.mkdir(each, 0o700)  # but never the home folder itself
            status = os.lstat(each)
            if not (stat.S_ISDIR(status.st_mode) and _is_private(status)):
                return None
    except OSError:
        return None
    return folder


def _is_private(status: os.stat_result) -> bool:
    """Return whether the user is the owner and nobody else can write. Windows protects the user's profile itself."""
    return sys.platform == "win32" or (status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o022)


def _remove_oldest(folder: str) -> None:
    with os.scandir(folder) as scanned:
        entries = [(entry.stat(), entry.path) for entry in scanned if entry.name.endswith(_SUFFIX)]
    capacity = _MOST
    for status, path in sorted(entries, key=lambda each: -each[0].st_mtime):
        capacity -= status.st_size
        if capacity < 0:
            os.unlink(path)


_Traits = tuple[str, tuple[str, ...], bool, Origin, bool | None, bool | str]
"""Members with few distinct values: type, scopes, hidden, origin, published and deprecated."""


class _Columns(Struct, array_like=True):
    """A graph in columns. The lists from ``families`` on have one element for each token.

    ``codes`` contains the values of all tokens, token by token, as indices: 0 is no value, then comes an alias to each
    token, then all ``literals``. A colour literal is four numbers. A literal without a simple JSON form is a list with
    the JSON text that token files store. ``notations`` holds those of the few tokens that have some, by token index.
    """

    collections: tuple[Collection, ...]
    traits: list[_Traits]
    literals: list[bool | float | str | list[float | str]]
    codes: list[int]
    families: list[int]
    paths: list[str]
    of_traits: list[int]
    descriptions: list[str]
    code_syntax: list[tuple[tuple[str, str], ...]]
    ids: list[str]
    variable_keys: list[str]
    extensions: list[str]
    notations: dict[int, list[tuple[str, bool | float | str | list[float | str], str, str]]]
    problems: tuple[Problem, ...]


def _encoded(graph: TokenGraph, file: str, problems: tuple[Problem, ...] = ()) -> bytes:
    tokens = graph.tokens.values()
    codes_of: dict[type, dict[Value, int]] = {Alias: {Alias(key): at for at, key in enumerate(graph.tokens, start=1)}}
    literals: list[bool | float | str | list[float | str]] = []
    codes: list[int] = []
    for token in tokens:
        for value in token.values:
            if value is None:
                codes.append(0)
                continue
            known = codes_of.get(type(value))  # by class, since 1.0 equals True
            if known is None:
                known = codes_of[type(value)] = {}
            code = known.get(value)
            if code is None:
                literals.append(_literal(value, file))
                code = known[value] = len(graph.tokens) + len(literals)
            codes.append(code)
    families = {key: index for index, key in enumerate(graph.collections)}
    traits: dict[_Traits, int] = {}
    of_traits = []
    for each in tokens:
        common = (each.type, each.scopes, each.hidden, each.origin, each.published, each.deprecated)
        of_traits.append(traits.setdefault(common, len(traits)))
    columns = _Columns(
        collections=tuple(graph.collections.values()),
        traits=[*traits],
        literals=literals,
        codes=codes,
        families=[families[token.key[:2]] for token in tokens],
        paths=[token.key.path for token in tokens],
        of_traits=of_traits,
        descriptions=[token.description for token in tokens],
        code_syntax=[token.code_syntax for token in tokens],
        ids=[token.id for token in tokens],
        variable_keys=[token.variable_key for token in tokens],
        extensions=[token.extensions for token in tokens],
        notations={
            index: [(of.context, _literal(of.value, file), of.text, of.wide) for of in each.notations]
            for index, each in enumerate(tokens)
            if each.notations
        },
        problems=problems,
    )
    return msgspec.msgpack.encode(columns)


def _literal(value: Value, file: str) -> bool | float | str | list[float | str]:
    if isinstance(value, bool | float | str):
        return value
    if type(value) is Color:
        return [value.red, value.green, value.blue, value.alpha]
    return [inline(kept(value, file))]


def _value(literal: bool | float | str | list[Any], file: str) -> Value | None:
    if type(literal) is not list:
        return literal  # type: ignore[return-value]
    return Color(*literal) if len(literal) == 4 else value_of(msgspec.json.decode(literal[0]), file)


def _decoded(
    content: bytes | memoryview, file: str, like: TokenGraph | None = None
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    columns = msgspec.msgpack.decode(content, type=_Columns)
    collections = columns.collections
    keys = [
        TokenKey(file, collections[family].handle, path)
        for family, path in zip(columns.families, columns.paths, strict=True)
    ]
    pool = [None, *map(Alias, keys), *(_value(literal, file) for literal in columns.literals)]
    values = map(pool.__getitem__, columns.codes)
    widths = [len(collection.modes) for collection in collections]
    rows = zip(
        keys,
        columns.families,
        columns.of_traits,
        columns.descriptions,
        columns.code_syntax,
        columns.ids,
        columns.variable_keys,
        columns.extensions,
        strict=True,
    )
    tokens = []
    like_tokens = {} if like is None else like.tokens
    notations = {
        index: tuple(Notation(context, _value(each, file), text, wide) for context, each, text, wide in of_token)  # type: ignore[arg-type]
        for index, of_token in columns.notations.items()
    }
    for index, (key, family, trait, description, code_syntax, identity, variable_key, extensions) in enumerate(rows):
        token_type, scopes, hidden, origin, published, deprecated = columns.traits[trait]
        token = Token(
            key=key,
            type=token_type,
            values=tuple(islice(values, widths[family])),
            description=description,
            scopes=scopes,
            code_syntax=code_syntax,
            hidden=hidden,
            origin=origin,
            published=published,
            deprecated=deprecated,
            id=identity,
            variable_key=variable_key,
            extensions=extensions,
            notations=notations.get(index, ()),
        )
        other = like_tokens.get(key)
        tokens.append(token if other is None else other if token == other else _sharing(token, other))
    return TokenGraph(collections, tokens), columns.problems


def _sharing(token: Token, other: Token) -> Token:
    """Return the token with the equal texts and values of another one, which are most of a token's memory."""
    return Token(
        key=other.key,
        type=token.type,
        values=other.values if token.values == other.values and token.type == other.type else token.values,
        description=other.description if token.description == other.description else token.description,
        scopes=token.scopes,
        code_syntax=other.code_syntax if token.code_syntax == other.code_syntax else token.code_syntax,
        hidden=token.hidden,
        origin=token.origin,
        published=token.published,
        deprecated=token.deprecated,
        id=other.id if token.id == other.id else token.id,
        variable_key=other.variable_key if token.variable_key == other.variable_key else token.variable_key,
        extensions=token.extensions,
        notations=token.notations,
    )
