"""The lock: the state that both sides last agreed on, with one fact per line."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokensync.project.facts import Fact, facts, is_fact, locked_graph
from tokensync.system.disk import content_of, replace_file
from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from tokensync.dtcg.assembly import LockedValue
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token, TokenGraph, TokenKey, Value


LOCK = "tokensync.lock"
_PART = 4 * 1024 * 1024
"""The size in bytes of the lines that are decoded at once. Decoded facts take ten times as much memory."""
_MARKS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def locked_values(folder: str, file: str) -> LockedValue:
    """Return a function from a token and a mode of a file to the value in the lock of a folder.

    Both are found by their ids, which stay if they are moved, or else by the token's key and the mode's context. The
    value is None if there is none, or if the sides of a git conflict differ. The lock is read when it is called.
    """
    return _values_of(lambda: Lock(folder).graphs(file))


def values_in(content: Callable[[], bytes], file: str) -> LockedValue:
    """Return the function of ``locked_values`` for another lock, of which ``content`` returns the text."""
    return _values_of(lambda: tuple(locked_graph(_Reader(side, file)) for side in whole_sides(content())))


def _values_of(graphs: Callable[[], tuple[TokenGraph, ...]]) -> LockedValue:
    @cache
    def sides() -> tuple[tuple[TokenGraph, dict[str, Token]], ...]:
        return tuple((graph, {each.id: each for each in graph.tokens.values() if each.id}) for graph in graphs())

    def value(key: TokenKey, context: str, token_id: str, mode_id: str) -> Value | None:
        found = []
        for graph, by_id in sides():
            token = by_id.get(token_id) or graph.tokens.get(key)
            is_moved = token is not None and token.key.collection != key.collection
            found.append(_value_in(graph, token, context, "" if is_moved else mode_id))
        return found[0] if found and all(each == found[0] for each in found) else None

    return value


def _value_in(graph: TokenGraph, token: Token | None, context: str, mode_id: str) -> Value | None:
    """Return the value of a token in a mode; None if there is no such token or mode."""
    if token is None:
        return None
    modes = graph.collections[token.key[:2]].modes
    ids, contexts = [each.id for each in modes], [each.context for each in modes]
    if mode_id and mode_id in ids:
        return token.values[ids.index(mode_id)]
    if context in contexts:
        return token.values[contexts.index(context)]
    return token.values[0] if len(modes) == 1 else None  # a token may have been moved to another collection


class Locked(NamedTuple):
    """The facts about one file.

    ``any_side`` has the facts of at least one side of a git conflict in the lock, ``every_side`` those of both sides.
    They are equal if there is no conflict.
    """

    any_side: frozenset[str] = frozenset()
    every_side: frozenset[str] = frozenset()


class Lock:
    """The content of a lock: one state, or two if the lock contains a git conflict.

    ``problems`` report a git conflict, and lines that are not facts, for which a merge has no base.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._known: dict[str, _Read] = {}

    def graphs(self, file: str) -> tuple[TokenGraph, ...]:
        """Return the states of a file when both sides last agreed; empty if the lock does not contain the file."""
        return self._read(file).graphs

    def keys(self, file: str) -> frozenset[str]:
        """Return the platform's keys of the file or branch whose state is locked."""
        return self._read(file).keys

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with the lock."""
        is_sound = all(read.is_sound for read in self._known.values()) if self._known else self._read("").is_sound
        return () if is_sound else tuple(_flaws(self._content() or b""))

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the text; empty if there is no lock."""
        content = self._content()
        return "" if content is None else hashlib.sha256(content).hexdigest()

    def _content(self) -> bytes | None:
        # Not cached: the text of a large lock would take as much memory as the rest of a merge.
        return content_of(os.path.join(self.folder, LOCK))

    def _read(self, file: str) -> _Read:
        """Parse the facts of one file. All facts of the lock would take many times its size in memory."""
        if file not in self._known:
            content = self._content()
            graphs: list[TokenGraph] = []
            keys: set[str] = set()
            sides = whole_sides(content) if content else ()
            is_sound = len(sides) < 2
            for side in sides:
                reader = _Reader(side, file)
                graph = locked_graph(reader)
                if reader.has_file:
                    graphs.append(graph)
                keys |= reader.keys
                is_sound = is_sound and reader.is_whole
            self._known[file] = _Read(tuple(graphs), frozenset(keys), is_sound)
        return self._known[file]


class _Read(NamedTuple):
    """The content of a lock for one file. ``is_sound`` means that the lock has no conflict, and only facts."""

    graphs: tuple[TokenGraph, ...]
    keys: frozenset[str]
    is_sound: bool


class _Reader:
    """An iterator over the facts of one file that decodes the lines in parts."""

    def __init__(self, lines: bytes, file: str) -> None:
        self._lines = lines
        self._file = file
        self._facts = 0
        self.has_file = False
        self.keys: set[str] = set()

    def __iter__(self) -> Iterator[Fact]:
        begin, size = 0, len(self._lines)
        while begin < size:
            end = self._lines.find(b"\n", min(begin + _PART, size))
            end = size if end < 0 else end + 1
            facts = facts_of_lines(self._lines[begin:end])
            self._facts += len(facts)
            begin = end
            for each in facts:
                if each[0] == self._file:
                    self.has_file = True
                    if each[3] == "key" and each[1] == each[2] == "" and isinstance(each[4], str):
                        self.keys.add(each[4])
                    yield each

    @property
    def is_whole(self) -> bool:
        """Return whether each line is a fact. All facts must have been read."""
        text = self._lines.strip()
        return self._facts == (text.count(b"\n") + 1 if text else 0)


def update_lock(folder: str, configured: Container[str], changes: Mapping[str, tuple[TokenGraph, str]]) -> None:
    """Update the lock with the graph and the platform's key of each changed file, by name.

    Other files remain in the lock if they are configured.
    """
    others = read_lock(folder, without=changes)
    locked = {name: own.every_side for name, own in others.items() if name in configured}
    locked |= {file: facts(graph, file, key) for file, (graph, key) in changes.items()}
    write_lock(folder, locked.values())


def read_lock(folder: str, *, without: Iterable[str] = ()) -> dict[str, Locked]:
    """Return the locked facts by file name, but need not those of some files. Lines that are not facts are ignored."""
    content = content_of(os.path.join(folder, LOCK))
    omitted = tuple(b"[%s," % msgspec.json.encode(file) for file in without)
    sides = [_lines_by_file(each, omitted) for each in whole_sides(content)] if content else []
    none = frozenset[str]()
    return {
        file: Locked(none.union(*said), said[0].intersection(*said))
        for file in dict.fromkeys(each for side in sides for each in side)
        for said in ([side.get(file, none) for side in sides],)
    }


def write_lock(folder: str, locked: Iterable[frozenset[str]]) -> None:
    """Replace the lock with these facts, unless it already contains exactly these."""
    lines = sorted(line for own in locked for line in own)
    content = "".join(f"{line}\n" for line in lines).encode()
    path = os.path.join(folder, LOCK)
    if content_of(path) != content:
        replace_file(path, content, text=True)


def with_changes(current: bytes, before: bytes, after: bytes) -> bytes:
    """Return a lock with the changes from one lock to another, except for facts that it has changed itself.

    The names of tokens and modes that it has renamed itself are such facts.
    """
    if len(whole_sides(current)) > 1:
        return current
    now, old, new = ({*each.split(b"\n")} - {b""} for each in (current, before, after))
    own = {fact[:4] for line in now ^ old if (fact := _fact(line)) is not None}
    was, renamed, wanted = _names_by_id(old - now), _names_by_id(now - old), _names_by_id(new - old)
    former = {name for id_, name in wanted.items() if renamed.get(id_, name) not in (name, was.get(id_))}

    def is_own(fact: Fact) -> bool:
        context = fact[3].partition(" ")[2]
        return fact[:4] in own or {fact[:3], (*fact[:2], "", context)} & former != set()

    taken = {line for line in old ^ new if (fact := _fact(line)) is not None and not is_own(fact)}
    return b"".join(line + b"\n" for line in sorted((now - (taken - new)) | (taken & new)))


def _names_by_id(lines: Iterable[bytes]) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """Return the names of the tokens and modes whose ids are in these lines: a path, or an empty one and a context."""
    found: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for file, handle, path, name, value in filter(None, map(_fact, lines)):
        kind, _, context = name.partition(" ")
        if path and name == "id" and value:
            found[file, handle, value] = (file, handle, path)
        elif not path and kind == "mode" and value[1]:
            found[file, handle, f"mode {value[1]}"] = (file, handle, "", context)
    return found


def conflicts_of_lock(folder: str) -> tuple[Problem, ...]:
    """Return the problem of a lock in which git has left a conflict; nothing for a lock that cannot be read."""
    try:
        content = content_of(os.path.join(folder, LOCK)) or b""
    except OSError:  # a link or a pipe; commands that need the lock report it
        return ()
    if len(whole_sides(content)) == 1:
        return ()
    return tuple(each for each in _flaws(content) if each.code == "lock-conflicted")


def whole_sides(content: bytes) -> tuple[bytes, ...]:
    """Return a text as each side of its git conflicts has it; one text if there is no conflict."""
    if b"\n<<<<<<<" not in content and not content.startswith(b"<<<<<<<"):
        return (content,)
    ours: list[bytes] = []
    theirs: list[bytes] = []
    current: tuple[list[bytes], ...] = (ours, theirs)
    for line in content.split(b"\n"):
        match line[:7]:
            case b"<<<<<<<":
                current = (ours,)
            case b"|||||||":
                current = ()
            case b"=======":
                current = (theirs,)
            case b">>>>>>>":
                current = (ours, theirs)
            case _:
                for each in current:
                    each.append(line)
    return b"\n".join(ours), b"\n".join(theirs)


def facts_of_lines(lines: bytes) -> list[Fact]:
    """Return the facts in the lines. Decode all lines at once, and one by one only if a line is invalid."""
    if not lines.strip():
        return []
    try:
        found = msgspec.json.decode(b"[%s]" % lines.strip().replace(b"\n", b","), type=list[Fact])
    except DECODE_ERRORS:
        return [fact for line in lines.split(b"\n") if (fact := _fact(line)) is not None]
    return [each for each in found if is_fact(each)]


def _fact(line: bytes) -> Fact | None:
    """Return the fact in a line; None if there is none."""
    try:
        fact: Fact = msgspec.json.decode(line, type=Fact)
    except DECODE_ERRORS:
        return None
    return fact if is_fact(fact) else None


def _flaws(content: bytes) -> Iterator[Problem]:
    """Yield a problem for the first conflict of git, and one for the first line that is not a fact.

    Usually the lines after that are damaged, too.
    """
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line[:7] == _MARKS[0]:
            what = "git has left a conflict here, and both sides count until it is resolved"
            yield problem(
                "lock-conflicted", f"{LOCK}:{number}", what, "tokensync pull merges both sides, and removes it"
            )
            break
    for number, line in enumerate(lines, 1):
        if line[:7] in _MARKS or not line.strip():
            continue
        if _fact(line) is None:
            what = "the lines from here on are not valid in a lock and are ignored"
            yield problem(
                "lock-unreadable", f"{LOCK}:{number}", what, "restore the file with git, or run tokensync pull"
            )
            return


def _lines_by_file(lines: bytes, omitted: tuple[bytes, ...]) -> dict[str, frozenset[str]]:
    """Return the lines that are facts, by their design file, without those with an ``omitted`` start."""
    found: dict[str, set[str]] = {}
    for line in lines.split(b"\n"):
        if not line.startswith(omitted) and (fact := _fact(line)) is not None:
            found.setdefault(fact[0], set()).add(line.decode())
    return {file: frozenset(own) for file, own in found.items()}
