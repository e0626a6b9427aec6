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
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tokensync.dtcg.extensions import BadKept, kept, value_of
from tokensync.dtcg.layout import inline
from tokensync.system.boundary import is_within, work_tree
from tokensync.system.disk import open_file, replace_file
from tokensync.system.problems import Problem
from tokensync.system.resources import program_digest
from tokensync.tokens import Collection, Color, Origin, TokenGraph, Unresolved
from tokensync.tokens.resolver import NEEDS_RESOLVER, Code, LiteralIndex, TokenIndex, TokenTable
from tokensync.tokens.values import Notation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.tokens import Token, Value


_SUFFIX = ".graph"
_ROOT = "\0"
"""The tokens folder in problems: a copy of it has the same entry."""
LEAST = 256 * 1024
"""The size in bytes below which token files are not cached, because reading them is fast."""
_MOST = 256 * 1024 * 1024
"""The maximum size in bytes of all entries."""
_DIGEST_SIZE = 32
"""The size in bytes of the SHA-256 at the start of an entry, which detects damage."""


def is_on() -> bool:
    """Return whether the environment permits a cache."""
    # CI jobs rarely start with a cache, and filling it takes a tenth of a build.
    return os.environ.get("TOKENSYNC_CACHE") != "off" and not os.environ.get("CI")


def entry_of(root: str, file: str, digests: Mapping[str, bytes]) -> str | None:
    """Return the path of the entry for token files with these digests; None if nothing can be cached."""
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

_Stored = bool | float | str | list[float | str]
"""A value: four numbers for a colour, a list with the JSON of token files for one without a simple JSON form. A literal
can also be two texts, the reason for a missing one.
"""


_MEMBERS_OF_TRAITS = ("types", "scopes", "hidden", "origins", "published", "deprecated")
_SAME = ("paths", "descriptions", "code_syntax", "ids", "variable_keys", "extensions")
"""The columns of a table that an entry has as they are."""


class _Columns(Struct, array_like=True):
    """The table of a graph. ``rows`` and the lists from ``families`` on have one element for each token.

    ``rows`` are those of the table: the order of ``literals`` tells their codes. ``weights`` has the texts of weights
    that are stored as text, by literal. ``others`` has the values without a code, and None for the rest, by token.
    """

    collections: tuple[Collection, ...]
    traits: list[_Traits]
    literals: list[_Stored]
    weights: dict[LiteralIndex, str]
    rows: list[tuple[Code, ...]]
    others: dict[TokenIndex, list[_Stored | None]]
    families: list[int]
    paths: list[str]
    of_traits: list[int]
    descriptions: list[str]
    code_syntax: list[tuple[tuple[str, str], ...]]
    ids: list[str]
    variable_keys: list[str]
    extensions: list[str]
    notations: dict[TokenIndex, list[tuple[str, _Stored, str, str]]]
    problems: tuple[Problem, ...]


def _encoded(graph: TokenGraph, file: str, problems: tuple[Problem, ...] = ()) -> bytes:
    table = graph.table
    families = {key: index for index, key in enumerate(graph.collections)}
    rows: Iterable[_Traits] = zip(*(getattr(table, name) for name in _MEMBERS_OF_TRAITS), strict=True)
    traits: dict[_Traits, int] = {}
    columns = _Columns(
        of_traits=[traits.setdefault(row, len(traits)) for row in rows],
        traits=[*traits],
        collections=tuple(graph.collections.values()),
        literals=[
            [literal.reason, literal.at] if isinstance(literal, Unresolved) else _literal(literal, file)
            for literal in table.literals.values
        ],
        weights=table.literals.texts,
        rows=table.rows,
        others={
            index: [
                None if value is None or code != NEEDS_RESOLVER else _literal(value, file)
                for code, value in zip(table.rows[index], values, strict=True)
            ]
            for index, values in table.others.items()
        },
        families=[families[family] for family in table.families],
        notations={
            index: [(of.context, _literal(of.value, file), of.text, of.wide) for of in notations]
            for index, notations in zip(table.order, table.notations, strict=True)
            if notations
        },
        problems=problems,
        **{name: getattr(table, name) for name in _SAME},
    )
    return msgspec.msgpack.encode(columns)


def _literal(value: Value, file: str) -> _Stored:
    if isinstance(value, bool | float | str):
        return value
    if type(value) is Color:
        return [value.red, value.green, value.blue, value.alpha]
    return [inline(kept(value, file))]


def _value(literal: _Stored, file: str) -> Value:
    if type(literal) is not list:
        return literal  # type: ignore[return-value]
    return Color(*literal) if len(literal) == 4 else value_of(msgspec.json.decode(literal[0]), file)  # type: ignore[arg-type, return-value]


def _decoded(
    content: bytes | memoryview, file: str, like: TokenGraph | None = None
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    columns = msgspec.msgpack.decode(content, type=_Columns)
    families = [collection.key for collection in columns.collections]
    traits = zip(*map(columns.traits.__getitem__, columns.of_traits), strict=True)  # none without tokens
    kept_columns: dict[str, Any] = dict(zip(_MEMBERS_OF_TRAITS, map(list, traits), strict=False))
    kept_columns |= {name: getattr(columns, name) for name in _SAME}
    table = TokenTable(
        collections=dict(zip(families, columns.collections, strict=True)),
        families=[families[family] for family in columns.families],
        **kept_columns,
        units=[""] * len(columns.paths),
        notations=[()] * len(columns.paths),
    )
    for index, literal in enumerate(columns.literals):
        if (text := columns.weights.get(index)) is not None:  # type: ignore[call-overload]
            table.literals.code_of_weight(text)
        elif type(literal) is list and len(literal) == 2:
            table.literals.code(Unresolved(*literal))  # type: ignore[arg-type]
        else:
            table.literals.code(_value(literal, file))  # type: ignore[arg-type]
    table.rows = columns.rows
    widths = [len(collection.modes) for collection in columns.collections]
    codes = {NEEDS_RESOLVER, *chain.from_iterable(columns.rows)}
    if (
        len(table.literals.values) != len(columns.literals)  # two are equal, so that the codes after them are others
        or [*map(len, columns.rows)] != [widths[family] for family in columns.families]
        or not NEEDS_RESOLVER - len(columns.literals) <= min(codes) <= max(codes) < len(columns.paths)
    ):
        raise ValueError("codes of other literals or tokens")
    for index, values in columns.others.items():
        pairs = zip(table.values_of(index), values, strict=True)
        table.others[index] = tuple(coded if value is None else _value(value, file) for coded, value in pairs)
    for index, notations in columns.notations.items():
        table.notations[index] = tuple(
            Notation(context, _value(value, file), text, wide) for context, value, text, wide in notations
        )
    graph = TokenGraph(columns.collections, table)
    if like is None:
        return graph, columns.problems
    others = like.tokens
    tokens = (_sharing(token, others[key]) if key in others else token for key, token in graph.tokens.items())
    return TokenGraph(columns.collections, tokens), columns.problems


_TEXTS = ("key", "values", "description", "code_syntax", "id", "variable_key")
"""The members that are most of a token's memory."""


def _sharing(token: Token, other: Token) -> Token:
    """Return the other token if it is equal, else the token with those of its texts and values that are equal."""
    if token == other:
        return other
    same = [name for name in _TEXTS if getattr(token, name) == getattr(other, name)]
    if token.type != other.type:  # a number equals a boolean
        same = [name for name in same if name != "values"]
    return replace(token, **{name: getattr(other, name) for name in same})
