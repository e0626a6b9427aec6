"""The tokens folder on disk: the one place of this room that reads and writes files.

Only ``<file>/<handle>/*.tokens.json``, the same below ``.remote`` and its like, and ``<file>.resolver.json`` are ours.
Links are not followed (``tokensync.token_files``), and a file whose content stays is not touched.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokensync.disk import content_of, replace_file
from tokensync.dtcg import cache
from tokensync.dtcg.cache import (
    carry_over,
    entry_of,
    entry_of_place,
    remember,
    remembered,
    remembered_with_note,
)
from tokensync.dtcg.edits import edited
from tokensync.dtcg.reading import is_token_file, read
from tokensync.dtcg.writing import OutputText, Written, rewrite, written
from tokensync.errors import UsageError
from tokensync.token_files import files_of, link_on_the_way

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.problems import Problem
    from tokensync.tokens import Token, TokenGraph


class Reading(NamedTuple):
    """What a tokens folder holds of one file. ``files`` maps the paths below it to contents; empty: there are none."""

    graph: TokenGraph
    problems: tuple[Problem, ...]
    files: Mapping[str, bytes]


def read_folder(
    root: str, file: str, texts: Mapping[str, bytes] | None = None, *, like: TokenGraph | None = None
) -> Reading:
    """Read the token files of ``file`` below the tokens folder ``root``; problems name them below ``root``.

    ``texts`` are the contents of its files where they are known, as ``texts_of`` gives them. The graph may share with
    the graph ``like`` what the two have in common. Raises ProblemsError where
    the folder of ``file`` is a link, as ``changed_files`` and ``write_folder`` do.
    """
    paths = files_of(root, file) if texts is None else texts
    files: Mapping[str, bytes] = _Texts(root, [path for path in paths if is_token_file(path, file)])
    if texts is not None:
        files = {path: texts[path] for path in files}
    digests = _digests_of(files)
    entry = entry_of(root, file, digests) if digests else None
    graph = None
    if entry is not None:
        graph = remembered(entry, file, like) or _edited(root, file, files, digests, entry, like)
    if graph is not None:
        return Reading(graph, (), files)
    files = {path: content for path in files if (content := files.get(path)) is not None}
    graph, problems = read(files, file, shown_below=f"{root.rstrip('/')}/")
    if entry and not problems and digests == _digests_of(files):
        remember(entry, file, graph)
    return Reading(graph, problems, files)


def _digests_of(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the digest of each file; none where they are too small to be remembered."""
    digests: dict[str, bytes] = {}
    size = 0
    for path in files:
        content = files.get(path, b"")
        digests[path] = sha256(content).digest()
        size += len(content)
    return digests if size >= cache.LEAST else {}


def _edited(
    root: str,
    file: str,
    files: Mapping[str, bytes],
    digests: Mapping[str, bytes],
    entry: str,
    like: TokenGraph | None,
) -> TokenGraph | None:
    """Return the graph of files that were edited in few places since they were written; None where that is not known.

    It is remembered.
    """
    was = _last_written(root, file, like)
    if was is None or was.digests.keys() != digests.keys():
        return None
    paths = [path for path, digest in digests.items() if was.digests[path] != digest]
    of_written = entry_of(root, file, was.digests)
    if len(paths) > _MOST_EDITED or of_written is None or not os.path.exists(of_written):
        return None
    texts = {path: files.get(path, b"") for path in paths}
    if any(sha256(text).digest() != digests[path] for path, text in texts.items()):
        return None  # somebody is writing it
    graph = edited(was.written, file, was.digests, texts)
    if graph is not None:
        remember(entry, file, graph)
    return graph


_MOST_EDITED = 20
"""Where more files were edited, reading all of them takes no longer."""


class _Texts(Mapping[str, bytes]):
    """Contents of files below a folder by their paths, each read when it is asked for.

    Those of a large folder take more room than its graph, and who has the graph seldom asks for them.
    """

    def __init__(self, root: str, paths: Sequence[str]) -> None:
        self._root = root
        self._paths = dict.fromkeys(paths)

    def __getitem__(self, path: str) -> bytes:
        content = content_of(_place(self._root, path)) if path in self._paths else None
        if content is None:
            raise KeyError(path)
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class Outputs(NamedTuple):
    """The token files of a graph: those to be written, and the paths of others, which are there just so.

    ``written`` is of the graph; ``digests`` are those of the files that are there. ``is_alike`` tells that tokens refer
    to the same ones, and have the same ids, as when files were last written: nothing is wrong with them that was not.
    """

    files: tuple[OutputText, ...]
    kept: frozenset[str]
    written: Written
    digests: Mapping[str, bytes]
    is_alike: bool = False


def outputs_of(root: str, file: str, graph: TokenGraph) -> Outputs:
    """Return the token files of ``file`` in the graph. Those that are there already as they would be written may be
    left out.
    """
    was = _last_written(root, file, graph)
    if was is not None:
        known = {path: digest for path, digest in was.digests.items() if _digest_of(root, path) == digest}
        outputs = rewrite(graph, file, was.written, known.keys())
        if outputs is not None:
            kept = frozenset(known) - {each.path for each in outputs}
            digests = {path: known[path] for path in kept}
            is_alike = all(_is_alike(was.written.graph.tokens[key], token) for key, token in graph.tokens.items())
            return Outputs(outputs, kept, Written(graph, was.written.hints), digests, is_alike)
    return Outputs(*_whole(graph, file))


class _LastWritten(NamedTuple):
    """What was last written of a file, and the digests of its token files."""

    written: Written
    digests: Mapping[str, bytes]


def _last_written(root: str, file: str, like: TokenGraph | None) -> _LastWritten | None:
    entry = entry_of_place(root, file)
    found = remembered_with_note(entry, file, like) if entry else None
    if found is None:
        return None
    graph, note = found
    digests, hints = msgspec.msgpack.decode(note, type=_Note)
    keys = list(graph.tokens)
    return _LastWritten(Written(graph, {keys[at]: None if after < 0 else keys[after] for at, after in hints}), digests)


_Note = tuple[dict[str, bytes], list[tuple[int, int]]]
"""Digests of files by their paths, and the hints: a token's number, and that of the one that it comes after."""


def _is_alike(one: Token, other: Token) -> bool:
    return one is other or (one.id == other.id and one.references == other.references)


def _whole(graph: TokenGraph, file: str) -> tuple[tuple[OutputText, ...], frozenset[str], Written, dict[str, bytes]]:
    outputs, state = written(graph, file)
    return outputs, frozenset(), state, {}


def _digest_of(root: str, path: str) -> bytes:
    with suppress(OSError):
        content = content_of(_place(root, path))
        return b"" if content is None else sha256(content).digest()
    return b""


def changed_files(
    root: str, file: str, outputs: Sequence[OutputText], kept: AbstractSet[str] = frozenset()
) -> tuple[str, ...]:
    """Return the paths that ``write_folder`` would write or remove, sorted.

    Raises UsageError for a path that is none of the file's token files, or that a link leads elsewhere.
    """
    wanted = {each.path: each.content for each in outputs}
    for path in (*wanted, *kept):
        _refuse_strays(root, file, path)
    present = [path for path in files_of(root, file) if is_token_file(path, file)]
    fresh = (path for path, text in wanted.items() if path not in present or content_of(_place(root, path)) != text)
    gone = (path for path in present if path not in wanted and path not in kept)
    return tuple(sorted({*fresh, *gone}))


def write_folder(
    root: str, file: str, outputs: Sequence[OutputText], kept: AbstractSet[str] = frozenset()
) -> tuple[str, ...]:
    """Bring the token files of ``file`` to these contents: each written whole or not at all, stale ones removed.

    The files at the paths ``kept`` stay as they are. Returns what changed. Raises what ``changed_files`` raises before
    anything is written.
    """
    wanted = {each.path: each.content for each in outputs}
    changed = changed_files(root, file, outputs, kept)
    for path in changed:
        if path in wanted:
            place = _place(root, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            replace_file(place, wanted[path])
    for path in changed:
        if path not in wanted:
            _remove(root, path)
    return changed


def remember_written(root: str, file: str, outputs: Outputs, *, are_sound: bool = False) -> None:
    """Remember the files that were just written, so that the next ``outputs_of`` makes those anew that change.

    ``are_sound`` tells that reading what was there before, and so what is there now, makes no problems.
    """
    entry = entry_of_place(root, file)
    size = sum(len(each.content) for each in outputs.files)
    if entry is None or not outputs.files or (size < cache.LEAST and not outputs.kept):
        return
    digests = {**outputs.digests, **{each.path: sha256(each.content).digest() for each in outputs.files}}
    graph, hints = outputs.written
    numbers = {key: number for number, key in enumerate(graph.tokens)}
    told = [(numbers[key], -1 if after is None else numbers[after]) for key, after in hints.items()]
    remember(entry, file, graph, msgspec.msgpack.encode((digests, told)))
    if are_sound and outputs.is_alike and not any(each.opaque for each in graph.collections.values()):
        of_written = entry_of(root, file, digests)
        if of_written is not None:
            carry_over(entry, of_written)


def _place(root: str, path: str) -> str:
    return os.path.join(root, *path.split("/"))


def _refuse_strays(root: str, file: str, path: str) -> None:
    steps = path.split("/")
    unsafe = any(each in ("", ".", "..") or "\\" in each or "\0" in each or os.path.isabs(each) for each in steps)
    if unsafe or not is_token_file(path, file):
        raise UsageError(f"{path[:200]}: this is not a valid path for a token file of {file}; give it a plain name")
    if link := link_on_the_way(root, path):
        raise UsageError(f"{link}: this is a link, and tokens are not written through links; remove it")


def _remove(root: str, path: str) -> None:
    """Remove a stale file, and its folders as far as they are empty then."""
    steps = path.split("/")
    os.unlink(os.path.join(root, *steps))
    for end in range(len(steps) - 1, 0, -1):
        try:
            os.rmdir(os.path.join(root, *steps[:end]))
        except OSError:
            return
