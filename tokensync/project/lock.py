"""The lock: the state that both sides last agreed on, with one fact per line."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from contextlib import suppress
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.system.disk import content_of, open_file, replace_file
from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.formats import format_line, refuse_newer_lines
from tokensync.system.problems import Problem, problem
from tokensync.tokens import (
    Alias,
    Collection,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Extension,
    Mode,
    Quantity,
    Token,
    TokenGraph,
    TokenKey,
    normalized,
)
from tokensync.tokens.values import json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.dtcg.assembly import LockedValue
    from tokensync.tokens import Value
    from tokensync.tokens.collection import FamilyKey


LOCK = "tokensync.lock"
FORMAT = 1
_HEADER = format_line(FORMAT, since="0.2.0")
_PART = 256 * 1024
"""The size in bytes of the lines that are decoded at once. Decoded facts take ten times as much memory."""
_MARKS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")

Fact = tuple[str, str, str, str, Any]
"""The file, the collection's handle, the token's path, the property, and its value."""


def locked_values(folder: str, file: str) -> LockedValue:
    """Return a function from a token and a mode of a file to the value in the lock of a folder.

    Both are found by their ids, which stay if they are moved, or else by the token's key and the mode's context. The
    value is None if there is none, or if the sides of a git conflict differ. The lock is read when it is called.
    """
    return _values_of(lambda: Lock(folder).graphs(file))


def values_in(content: Callable[[], bytes], file: str) -> LockedValue:
    """Return the function of ``locked_values`` for another lock, of which ``content`` returns the text."""
    return _values_of(lambda: tuple(_read_side(side, file).graph for side in whole_sides(content())))


def _values_of(graphs: Callable[[], tuple[TokenGraph, ...]]) -> LockedValue:
    @cache
    def sides() -> tuple[tuple[TokenGraph, dict[str, Token]], ...]:
        return tuple((graph, {token.id: token for token in graph.tokens.values() if token.id}) for graph in graphs())

    def value(key: TokenKey, context: str, token_id: str, mode_id: str) -> Value | None:
        values = []
        for graph, by_id in sides():
            token = by_id.get(token_id) or graph.tokens.get(key)
            is_moved = token is not None and token.key.collection != key.collection
            values.append(_value_in(graph, token, context, "" if is_moved else mode_id))
        return values[0] if values and all(value == values[0] for value in values) else None

    return value


def _value_in(graph: TokenGraph, token: Token | None, context: str, mode_id: str) -> Value | None:
    """Return the value of a token in a mode; None if there is no such token or mode."""
    if token is None:
        return None
    modes = graph.collections[token.key[:2]].modes
    ids, contexts = [mode.id for mode in modes], [mode.context for mode in modes]
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


class Lock(Struct, eq=False):
    """The content of a lock: one state, or two if the lock contains a git conflict.

    ``problems`` report a git conflict, and lines that are not facts, for which a merge has no base.
    """

    folder: str
    _known: dict[str, tuple[_Side, ...]] = {}

    def graphs(self, file: str) -> tuple[TokenGraph, ...]:
        """Return the states of a file when both sides last agreed; empty if the lock does not contain the file."""
        return tuple(side.graph for side in self._sides(file) if side.has_file)

    def keys(self, file: str) -> frozenset[str]:
        """Return the platform's keys of the file or branch whose state is locked."""
        return frozenset(key for side in self._sides(file) for key in side.keys)

    def styles(self, file: str) -> tuple[tuple[str, TokenGraph], ...]:
        """Return the digests of the lists of styles that were last read, each with the graph of that time."""
        return tuple((side.styles, side.graph) for side in self._sides(file) if side.styles)

    def captured(self, file: str) -> str:
        """Return the time of the last capture of a file that has changed something; empty if there was none."""
        return max((side.captured for side in self._sides(file)), default="")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with the lock."""
        reads = [*self._known.values()]
        if not reads:
            content = _content(self.folder) or b""
            with suppress(UnicodeDecodeError):
                content.decode()
                content = _USUAL.sub(b"", content)
            reads = [tuple(_read_side(side, "") for side in whole_sides(content))]
        is_sound = all(len(sides) < 2 and all(side.is_whole for side in sides) for sides in reads)
        return () if is_sound else tuple(_flaws(_content(self.folder) or b""))

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the text; empty if there is no lock."""
        content = _content(self.folder)
        return "" if content is None else hashlib.sha256(content).hexdigest()

    def _sides(self, file: str) -> tuple[_Side, ...]:
        """Parse the facts of one file. All facts of the lock would take many times its size in memory."""
        if file not in self._known:
            content = _content(self.folder)
            self._known[file] = tuple(_read_side(side, file) for side in whole_sides(content)) if content else ()
        return self._known[file]


def _content(folder: str) -> bytes | None:
    """Return the text of a lock; None if there is none. It is not kept: that would take as much memory as a merge."""
    path = os.path.join(folder, LOCK)
    content = content_of(path)
    refuse_newer_lines(path, content or b"", FORMAT)
    return content


_PLAIN = rb"[ !#-\[\]-~\x80-\xff]*+"
_TEXT = rb'"%b"' % _PLAIN
_NUMBER = rb"-?(?:0|[1-9][0-9]{0,14}+)(?:\.[0-9]{1,20}+)?(?:e-?[0-9]{1,2})?"
_VALUE = rb'%b|%b|\[%b(?:,%b){3}\]|\{"alias":\[%b(?:,%b){2}\]\}|true|false' % (_TEXT, *[_NUMBER] * 3, _TEXT, _TEXT)
_USUAL = re.compile(
    rb'^\[%b(?:,%b){2},"(?:in %b",(?:%b)' % (_TEXT, _TEXT, _PLAIN, _VALUE)
    + rb'|(?:key|name|id|(?:variable|collection) key|origin|type|description)",%b' % _TEXT
    + rb'|(?:hidden|published)",(?:true|false)|scopes",\[%b(?:,%b)*+\]' % (_TEXT, _TEXT)
    + rb'|code syntax",\{%b:%b(?:,%b:%b)*+\})\]\n' % ((_TEXT,) * 4),
    re.MULTILINE,
)
"""The lines of nearly all facts, without escapes. To decode them would take a tenth of a check."""


class _Side(NamedTuple):
    """A lock, or one side of a git conflict in it. ``is_whole``: all lines are facts."""

    graph: TokenGraph
    keys: frozenset[str]
    has_file: bool
    is_whole: bool
    styles: str = ""
    captured: str = ""


def _read_side(lines: bytes, file: str) -> _Side:
    number, keys, has_file, of_file = 0, set[str](), False, dict[str, str]()

    def own_facts() -> Iterator[Fact]:
        nonlocal number, has_file
        begin, size = 0, len(lines)
        while begin < size:  # all facts of a lock would take many times its size in memory
            end = lines.find(b"\n", min(begin + _PART, size))
            end = size if end < 0 else end + 1
            facts = facts_of_lines(lines[begin:end])
            begin = end
            number += len(facts)
            for fact in facts:
                if fact[0] == file:
                    has_file = True
                    if fact[1] == fact[2] == "":
                        keys.update([fact[4]] if fact[3] == "key" else ())
                        of_file[fact[3]] = fact[4]
                    yield fact

    graph = locked_graph(own_facts())
    text = lines.strip()
    is_whole = number == (text.count(b"\n") + 1 if text else 0)
    return _Side(graph, frozenset(keys), has_file, is_whole, of_file.get(_STYLES, ""), of_file.get(_CAPTURED, ""))


def update_lock(
    folder: str, configured: Container[str], changes: Mapping[str, tuple[TokenGraph, str, str, str]]
) -> bytes | None:
    """Update the lock with the graph and the other arguments of ``facts`` of each changed file, by name.

    Other files remain in the lock if they are configured. Return what ``write_lock`` returns.
    """
    others = read_lock(folder, without=changes)
    locked = {name: own.every_side for name, own in others.items() if name in configured}
    locked |= {file: facts(graph, file, *of_file) for file, (graph, *of_file) in changes.items()}
    return write_lock(folder, locked.values())


def read_lock(folder: str, *, without: Iterable[str] = ()) -> dict[str, Locked]:
    """Return the locked facts by file name; ``without`` names files to omit. Lines that are not facts are ignored."""
    content = _content(folder)
    omitted = tuple(b"[%s," % msgspec.json.encode(file) for file in ("", *without))  # the format is of no file
    sides: list[dict[str, set[str]]] = []
    for text in whole_sides(content) if content else ():
        sides.append({})
        for line in BytesIO(text):  # a list of all lines would take twice the memory of the lock
            if not line.startswith(omitted) and (fact := _fact(line)) is not None:
                sides[-1].setdefault(fact[0], set()).add(line.rstrip(b"\n").decode())
    locked: dict[str, Locked] = {}
    for file in dict.fromkeys(file for side in sides for file in side):
        lines = [frozenset(side.get(file, ())) for side in sides]
        locked[file] = Locked(frozenset().union(*lines), lines[0].intersection(*lines))
    return locked


def write_lock(folder: str, locked: Iterable[frozenset[str]]) -> bytes | None:
    """Replace the lock with these facts, and return its text; None if it already contains these.

    The time of a capture alone changes nothing: that would be a commit about nothing.
    """
    lines = sorted(line for own in locked for line in own)
    content = "\n".join((_HEADER, *lines, "")).encode()
    path = os.path.join(folder, LOCK)
    present = content_of(path)
    if present == content:
        return None
    if b',"","","captured",' in content and _CAPTURES.sub(b"", present or b"") == _CAPTURES.sub(b"", content):
        return None
    replace_file(path, content, text=True)
    return content


def with_captured(lines: frozenset[str], file: str, time: str) -> frozenset[str]:
    """Return the lines for a file with the time when it was read."""
    former = _line(file, "", "", _CAPTURED, "").removesuffix('""]')
    return frozenset((*(line for line in lines if not line.startswith(former)), _line(file, "", "", _CAPTURED, time)))


def with_changes(current: bytes, before: bytes, after: bytes) -> bytes:
    """Return a lock with the changes from one lock to another, except for facts that it has changed itself.

    The names of tokens and modes that it has renamed itself are such facts.
    """
    for content in (current, before, after):
        refuse_newer_lines(LOCK, content, FORMAT)
    if len(whole_sides(current)) > 1:
        return current
    now, old, new = ({*lock.split(b"\n")} - {b""} for lock in (current, before, after))
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
    names: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for file, handle, path, name, value in filter(None, map(_fact, lines)):
        kind, _, context = name.partition(" ")
        if path and name == "id" and value:
            names[file, handle, value] = (file, handle, path)
        elif not path and kind == "mode" and value[1]:
            names[file, handle, f"mode {value[1]}"] = (file, handle, "", context)
    return names


def conflicts_of_lock(folder: str) -> tuple[Problem, ...]:
    """Return the problem of a lock in which git has left a conflict; nothing for a lock that cannot be read."""
    path = os.path.join(folder, LOCK)
    try:
        with open_file(path) as file:  # of which a build needs no more, and which may have 25 MB
            is_marked = False
            for lines in iter(lambda: file.read(_PART) + file.readline(), b""):
                refuse_newer_lines(path, lines, FORMAT)
                is_marked = is_marked or b"<<<<<<<" in lines
        if not is_marked:
            return ()
        content = _content(folder) or b""
    except OSError:  # a link or a pipe; commands that need the lock report it
        return ()
    if len(whole_sides(content)) == 1:
        return ()
    return tuple(flaw for flaw in _flaws(content) if flaw.code == "lock-conflicted")


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
                for side in current:
                    side.append(line)
    return b"\n".join(ours), b"\n".join(theirs)


def facts_of_lines(lines: bytes) -> list[Fact]:
    """Return the facts in the lines. Decode all lines at once, and one by one only if a line is invalid."""
    if not lines.strip():
        return []
    try:
        facts = msgspec.json.decode(b"[%s]" % lines.strip().replace(b"\n", b","), type=list[Fact])
    except DECODE_ERRORS:
        return [fact for line in lines.split(b"\n") if (fact := _fact(line)) is not None]
    return [fact for fact in facts if _is_fact(fact)]


def _fact(line: bytes) -> Fact | None:
    """Return the fact in a line; None if there is none."""
    try:
        fact: Fact = msgspec.json.decode(line, type=Fact)
    except DECODE_ERRORS:
        return None
    return fact if _is_fact(fact) else None


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


# --- graphs as facts -------------------------------------------------------------------------------------------------


def facts(graph: TokenGraph, file: str, key: str, styles: str = "", captured: str = "") -> frozenset[str]:
    """Return the lines for a file: its graph, its or its branch's key, the digest of its list of styles, and the time
    of its capture.
    """
    of_file = {"key": key, **({_STYLES: styles} if styles else {}), **({_CAPTURED: captured} if captured else {})}
    return frozenset((*(_line(file, "", "", name, value) for name, value in of_file.items()), *graph_facts(graph)))


def graph_facts(graph: TokenGraph) -> Iterator[str]:
    """Yield the lines for the collections and tokens of a graph."""
    encode = msgspec.json.encode
    for collection in graph.collections.values():
        start = (collection.file, collection.handle, "")
        default = collection.modes[collection.default_mode].context if collection.modes else ""
        yield _line(*start, "name", collection.name)
        yield _line(*start, "id", collection.id)
        yield _line(*start, "collection key", collection.collection_key)
        yield _line(*start, "hidden", collection.hidden)
        yield _line(*start, "origin", collection.origin)
        yield _line(*start, "default mode", default)
        for mode in collection.modes:
            parent = None if mode.parent is None else collection.modes[mode.parent].context
            yield _line(*start, f"mode {mode.context}", [mode.name, mode.id, mode.collection, parent])
        for extension in collection.extensions:
            members = [extension.name, extension.id, extension.collection_key, extension.hidden, extension.parent]
            yield _line(*start, f"extension {extension.handle}", members)
    modes = {
        key: [encode(f"in {mode.context}").decode() for mode in collection.modes]
        for key, collection in graph.collections.items()
    }
    # A large lock has 100,000 lines: parts of them are encoded once.
    texts: dict[Value, str] = {}
    for token in graph.tokens.values():
        yield from _token_facts(token, modes[token.key[:2]], texts)


def _token_facts(token: Token, modes: Sequence[str], texts: dict[Value, str]) -> list[str]:
    """Return the lines about a token. ``texts`` has the encoded values of other tokens."""
    key, encode = token.key, msgspec.json.encode
    start = encode([key.file, key.collection, key.path])[:-1].decode()
    lines = [
        f'{start},"type",{encode(token.type).decode()}]',
        f'{start},"id",{encode(token.id).decode()}]',
        f'{start},"variable key",{encode(token.variable_key).decode()}]',
        f'{start},"origin",{encode(token.origin).decode()}]',
    ]
    optional = (
        ("description", token.description),
        ("scopes", token.scopes and sorted(token.scopes)),
        ("code syntax", token.code_syntax and dict(token.code_syntax)),
        ("hidden", token.hidden),
        ("published", token.published),
        ("deprecated", token.deprecated),
        ("extensions", token.extensions),
    )
    lines += [f'{start},"{name}",{encode(value).decode()}]' for name, value in optional if value]
    for mode, value in zip(modes, token.values, strict=True):
        if value is None:
            continue
        text = texts.get(value) if type(value) is Alias or type(value) is Color else None
        if text is None:
            text = encode(json_value(value)).decode()
            if type(value) is Alias or type(value) is Color:  # 1.0 equals True, but has another text
                texts[value] = text
        lines.append(f"{start},{mode},{text}]")
    return lines


def _line(file: str, collection: str, path: str, name: str, value: Any) -> str:
    return msgspec.json.encode([file, collection, path, name, value]).decode()


_QUANTITY = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?|-?\.[0-9]+)([a-z%]+)")
_ORIGINS = ("local", "remote", "deleted", "withheld", "absent")


_STYLES = "styles"
_CAPTURED = "captured"
_CAPTURES = re.compile(rb'^\["[^"]*","","","captured",.*\n', re.MULTILINE)
_TEXTS = frozenset(
    (
        _STYLES,
        _CAPTURED,
        "key",
        "name",
        "id",
        "collection key",
        "variable key",
        "origin",
        "default mode",
        "type",
        "description",
        "extensions",
    )
)


def _is_fact(fact: Fact) -> bool:
    """Return whether the value of a fact has a form in which tokensync writes the property."""
    *_, name, value = fact
    if name.startswith("in "):
        return _is_value(value)
    if name in _TEXTS:
        return isinstance(value, str)
    match name, value:
        case ("hidden" | "published", bool()) | ("deprecated", bool() | str()):
            return True
        case "scopes", list():
            return all(isinstance(each, str) for each in value)
        case "code syntax", dict():
            return all(isinstance(each, str) for each in value.values())
        case (("hidden" | "published" | "deprecated" | "scopes" | "code syntax"), _):
            return False
    if name.startswith("mode "):
        return _has_form(value, (str, str, str, str | None))
    return not name.startswith("extension ") or _has_form(value, (str, str, str, bool, str))


def _has_form(value: Any, types: tuple[Any, ...]) -> bool:
    is_list = isinstance(value, list) and len(value) == len(types)
    return is_list and all(isinstance(each, kind) for each, kind in zip(value, types, strict=True))


def _is_value(value: Any) -> bool:
    if type(value) is dict and len(value) == 1 and type(target := value.get("alias")) is list:  # most values
        return _has_form(target, (str, str, str))
    match value:
        case str() | bool():
            return True
        case int() | float():
            return abs(value) <= sys.float_info.max
        case list():
            return len(value) == 4 and all(type(each) in (int, float) and _is_value(each) for each in value)
        case {"alias": target}:
            return _has_form(target, (str, str, str))
        case {"dangling": str()}:
            return True
        case {"color": color, "opacity": opacity}:
            return _is_value(color) and _is_value(opacity)
        case {"composite": str()}:
            references = value.get("references", {})
            return isinstance(references, dict) and all(
                _has_form(reference, (str, str, str)) for reference in references.values()
            )
    return False


def locked_graph(facts: Iterable[Fact]) -> TokenGraph:
    """Return the graph of one file's facts, which have the forms of ``_is_fact``.

    Tokens of missing collections are omitted.
    """
    families: dict[FamilyKey, dict[str, Any]] = {}
    tokens: dict[TokenKey, dict[str, Any]] = {}
    properties: dict[str, Any] = {}
    current: tuple[str, str, str] | None = None
    for file, handle, path, name, value in facts:
        if current is None or current[2] != path or current[1] != handle or current[0] != file:
            current = (file, handle, path)  # the facts of a token are adjacent, because a lock is sorted
            if path:
                properties = tokens.setdefault(TokenKey(file, handle, path), {})
            else:
                properties = families.setdefault((file, handle), {})
        properties[name] = value
    families = {key: properties for key, properties in families.items() if key[1]}
    collections = {key: _collection(*key, properties) for key, properties in families.items()}
    known: dict[Any, Any] = {}
    columns = {
        key: {f"in {mode.context}": column for column, mode in enumerate(each.modes)}
        for key, each in collections.items()
    }
    return TokenGraph(
        collections.values(),
        (_token(key, own, columns[key[:2]], known) for key, own in tokens.items() if key[:2] in columns),
    )


def _collection(file: str, handle: str, properties: dict[str, Any]) -> Collection:
    declared = [(name.removeprefix("mode "), *value) for name, value in properties.items() if name.startswith("mode ")]
    declared.sort(key=lambda mode: mode[3] != handle)  # stable, with the modes of the root first
    contexts = {context: column for column, (context, *_) in enumerate(declared)}
    modes = tuple(
        Mode(
            name=name,
            collection=owner,
            slug=context if owner == handle else context.removeprefix(f"{owner}."),
            context=context,
            id=identity,
            parent=contexts.get(parent),
        )
        for context, name, identity, owner, parent in declared
    )
    extensions = tuple(
        Extension(
            handle=name.removeprefix("extension "),
            name=value[0],
            id=value[1],
            collection_key=value[2],
            hidden=value[3],
            parent=value[4],
        )
        for name, value in properties.items()
        if name.startswith("extension ")
    )
    origin = properties.get("origin")
    return Collection(
        file=file,
        handle=handle,
        name=properties.get("name", ""),
        modes=modes,
        default_mode=contexts.get(properties.get("default mode", ""), 0),
        extensions=extensions,
        id=properties.get("id", ""),
        collection_key=properties.get("collection key", ""),
        hidden=properties.get("hidden", False),
        origin=origin if origin in _ORIGINS else "local",
    )


def _token(key: TokenKey, properties: dict[str, Any], columns: dict[str, int], known: dict[Any, Any]) -> Token:
    """Return the token with these properties. ``known`` has one object for equal values, so that they compare fast."""
    get = properties.get
    token_type = get("type", "string")
    values: list[Value | None] = [None] * len(columns)
    for name, column in columns.items():
        written = get(name)
        if written is not None:
            values[column] = _value(written, token_type, known)
    origin = get("origin")
    return Token(
        key=key,
        type=token_type,
        values=tuple(values),
        description=get("description", ""),
        scopes=tuple(get("scopes", ())),
        code_syntax=tuple(sorted(get("code syntax", {}).items())),
        hidden=get("hidden", False),
        origin=origin if origin in _ORIGINS else "local",
        published=get("published"),
        deprecated=get("deprecated", False),
        id=get("id", ""),
        variable_key=get("variable key", ""),
        extensions=get("extensions", ""),
    )


def _value(written: Any, token_type: str, known: dict[Any, Any]) -> Any:
    """Return the value of a fact, the inverse of ``json_value``."""
    kind = type(written)
    if kind is bool:
        return written
    if kind is str:
        quantity = _QUANTITY.fullmatch(written) if token_type in ("dimension", "duration") else None
        return Quantity(normalized(float(quantity[1])), quantity[2]) if quantity else written
    if kind is list:
        channels = tuple(written)
        color = known.get(channels)
        if color is None:
            color = known[channels] = Color(*(_value(channel, "number", known) for channel in channels))
        return color
    if kind is not dict:
        number = known.get(written)
        if number is None:
            number = known[written] = normalized(float(written))
        return number
    match written:
        case {"alias": target}:
            name = tuple(target)
            alias = known.get(name)
            if alias is None:
                alias = known[name] = Alias(TokenKey(*name))
            return alias
        case {"dangling": reference}:
            return DanglingAlias(reference)
        case {"color": color, "opacity": opacity}:
            return ComposedColor(_value(color, "color", known), _value(opacity, "number", known))
    references = written.get("references", {})
    return Composite(written["composite"], tuple((name, TokenKey(*target)) for name, target in references.items()))
