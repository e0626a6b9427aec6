"""Remember the graphs of large token folders, so that a folder that did not change is not parsed again.

An entry is a file in the user's own cache folder. Its name is a digest of all that the graph comes from: tokensync's
version and the files of its reader, and the paths and contents of the token files. An entry holds data only, in
columns, and values that repeat stand in it once. Only readings without problems are remembered.

A cache folder counts only if it belongs to the user, nobody else may write to it, and it is outside the checkout, whose
authors could otherwise say what a folder's tokens are. Where there is no such folder, or it cannot be written, nothing
is remembered, nor in CI. ``TOKENSYNC_CACHE=off`` turns all of it off.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from tokensync.boundary import is_within, work_tree
from tokensync.disk import open_file, replace_file
from tokensync.dtcg.extensions import BadKept, kept, value_of
from tokensync.dtcg.layout import inline
from tokensync.tokens import Alias, Collection, Color, Origin, Token, TokenGraph, TokenKey
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.tokens import Value


_FORMAT = 2
_SUFFIX = ".graph"
LEAST = 256 * 1024
"""Bytes of token files; less is read faster than it is worth remembering."""
_MOST = 256 * 1024 * 1024
"""Bytes of all entries together."""


def entry_of(root: str, file: str, digests: Mapping[str, bytes]) -> str | None:
    """Return the path of the entry for token files with these digests; None where nothing is remembered."""
    if _is_off():
        return None
    digest = _digest("token files", file)
    for path in sorted(digests):
        name = path.encode("utf-8", "surrogateescape")
        digest.update(b"%d %b %b" % (len(name), name, digests[path]))
    return _entry(root, digest)


def entry_of_place(root: str, file: str) -> str | None:
    """Return the path of the entry for what was last written of a file below the tokens folder ``root``."""
    return None if _is_off() else _entry(root, _digest("written", file, os.path.realpath(root)))


def entry_of_text(root: str, file: str, kind: str, text_digest: str) -> str | None:
    """Return the path of the entry for a graph that comes from one other text, of a kind and with this digest."""
    return None if _is_off() else _entry(root, _digest(kind, file, text_digest))


def _digest(*named: str) -> hashlib._Hash:
    return hashlib.sha256("\n".join((__version__, str(_FORMAT), _reader(), *named, "")).encode())


def _entry(root: str, digest: hashlib._Hash) -> str | None:
    folder = _folder(root)
    return None if folder is None else os.path.join(folder, digest.hexdigest() + _SUFFIX)


def _is_off() -> bool:
    # A CI job begins without a cache nearly always, and to fill one takes a tenth of a build.
    return os.environ.get("TOKENSYNC_CACHE") == "off" or bool(os.environ.get("CI"))


@cache
def _reader() -> str:
    """Return what tells the code that reads token files from that of another commit of the same version."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found: list[tuple[str, int, int]] = []
    for room in ("dtcg", "normalize", "project", "tokens"):
        for folder, _, names in os.walk(os.path.join(package, room)):
            for name in names:
                if name.endswith(".py"):
                    about = os.stat(os.path.join(folder, name))
                    found.append((name, about.st_size, about.st_mtime_ns))
    return str(sorted(found))


def remembered(entry: str, file: str, like: TokenGraph | None = None) -> TokenGraph | None:
    """Return the graph of an entry; None without one that can be trusted and read.

    What it has in common with the graph ``like`` is shared with it: most of the memory of the graphs of a merge.
    """
    found = remembered_with_note(entry, file, like)
    return None if found is None else found[0]


def remembered_with_note(entry: str, file: str, like: TokenGraph | None = None) -> tuple[TokenGraph, bytes] | None:
    """Return the graph of an entry and what was noted with it, as ``remembered`` does."""
    try:
        with open_file(entry) as content:
            if not _is_private(os.fstat(content.fileno())):
                return None
            found = _decoded(content.read(), file, like)
    except (OSError, msgspec.MsgspecError, LookupError, ValueError, TypeError, RecursionError, BadKept):
        return None
    with suppress(OSError):
        os.utime(entry)  # what is in use is removed last
    return found


def remember(entry: str, file: str, graph: TokenGraph, note: bytes = b"") -> None:
    """Write a graph to an entry, with a note, and remove the oldest entries where there are too many."""
    with suppress(OSError, UnicodeEncodeError, RecursionError):
        replace_file(entry, _encoded(graph, file, note), durable=False, private=True)
        _remove_oldest(os.path.dirname(entry))


def carry_over(old: str, new: str) -> None:
    """Let an entry stand for another text, too, which says the same of its file."""
    with suppress(OSError), open_file(old) as content:
        replace_file(new, content.read(), durable=False, private=True)


def _folder(root: str) -> str | None:
    """Return the folder of the entries, made if it is not there; None without one that can be trusted."""
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
                os.mkdir(each, 0o700)  # not the home itself, if there is none
            about = os.lstat(each)
            if not (stat.S_ISDIR(about.st_mode) and _is_private(about)):
                return None
    except OSError:
        return None
    return folder


def _is_private(about: os.stat_result) -> bool:
    """Return whether this is the user's own and nobody else may write to it. Windows keeps a profile to its user."""
    return sys.platform == "win32" or (about.st_uid == os.getuid() and not stat.S_IMODE(about.st_mode) & 0o022)


def _remove_oldest(folder: str) -> None:
    with os.scandir(folder) as found:
        entries = [(each.stat(), each.path) for each in found if each.name.endswith(_SUFFIX)]
    room = _MOST
    for about, path in sorted(entries, key=lambda each: -each[0].st_mtime):
        room -= about.st_size
        if room < 0:
            os.unlink(path)


_Traits = tuple[str, tuple[str, ...], bool, Origin, bool | None, bool | str]
"""What many tokens have in common: type, scopes, whether it is hidden, origin, whether it is published, deprecation."""


class _Columns(Struct, array_like=True):
    """A graph in columns; the lists from ``families`` on have an element for each token.

    ``codes`` has the values of all tokens, each token's one after the other, as indices: 0 is no value, then there is
    an alias of each token, then all ``literals``. A colour is four numbers there, and what JSON has no plain form for
    is the form that token files keep it in, as JSON text in a list.
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
    note: bytes = b""


def _encoded(graph: TokenGraph, file: str, note: bytes = b"") -> bytes:
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
        families=[families[each.key[:2]] for each in tokens],
        paths=[each.key.path for each in tokens],
        of_traits=of_traits,
        descriptions=[each.description for each in tokens],
        code_syntax=[each.code_syntax for each in tokens],
        ids=[each.id for each in tokens],
        variable_keys=[each.variable_key for each in tokens],
        extensions=[each.extensions for each in tokens],
        note=note,
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


def _decoded(content: bytes, file: str, like: TokenGraph | None = None) -> tuple[TokenGraph, bytes]:
    columns = msgspec.msgpack.decode(content, type=_Columns)
    collections = columns.collections
    keys = [
        TokenKey(file, collections[family].handle, path)
        for family, path in zip(columns.families, columns.paths, strict=True)
    ]
    pool = [None, *map(Alias, keys), *(_value(each, file) for each in columns.literals)]
    values = map(pool.__getitem__, columns.codes)
    widths = [len(each.modes) for each in collections]
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
    known = {} if like is None else like.tokens
    for key, family, trait, description, code_syntax, identity, variable_key, extensions in rows:
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
        )
        other = known.get(key)
        tokens.append(token if other is None else other if token == other else _sharing(token, other))
    return TokenGraph(collections, tokens), columns.note


def _sharing(token: Token, other: Token) -> Token:
    """Return the token with the texts and values of the other that are equal: most of a token's memory."""
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
    )
