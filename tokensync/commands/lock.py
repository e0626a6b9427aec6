"""tokensync.lock: the state at the last synchronisation, one fact a line, sorted, so that git merges it.

A fact is a JSON array: the file, the collection's handle, the token's path (empty for the collection itself), what is
said, and the value. Facts of the file itself have no collection.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.commands.files import replace_file
from tokensync.tokens import Alias, Color, ComposedColor, Composite, DanglingAlias, Quantity, shortest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.tokens import Collection, Token, TokenGraph, Value

LOCK = "tokensync.lock"
_CONFLICT_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


def facts(graph: TokenGraph, file: str, key: str) -> frozenset[str]:
    """The facts about one file's graph, each as its line; ``key`` is the platform's key of the file or branch."""
    lines = {_line(file, "", "", "key", key)}
    for collection in graph.collections.values():
        lines.update(_collection_facts(collection))
    for token in graph.tokens.values():
        lines.update(_token_facts(token, graph.collection_of(token)))
    return frozenset(lines)


def read_lock(folder: str) -> dict[str, frozenset[str]] | None:
    """The locked facts by file name; None when there is no lock, or a merge left conflict marks in it."""
    try:
        with open(os.path.join(folder, LOCK), encoding="utf-8") as lock:
            lines = lock.read().splitlines()
    except FileNotFoundError:
        return None
    if any(line.startswith(_CONFLICT_MARKS) for line in lines):
        return None
    locked: dict[str, set[str]] = {}
    for line in lines:
        try:
            locked.setdefault(str(msgspec.json.decode(line)[0]), set()).add(line)
        except (msgspec.DecodeError, TypeError, LookupError):
            return None
    return {file: frozenset(own) for file, own in locked.items()}


def write_lock(folder: str, locked: dict[str, frozenset[str]]) -> None:
    """Replace the lock with these facts."""
    lines = sorted(line for own in locked.values() for line in own)
    content = "".join(f"{line}\n" for line in lines).encode()
    path = os.path.join(folder, LOCK)
    try:
        with open(path, "rb") as current:
            if current.read() == content:
                return
    except FileNotFoundError:
        pass
    replace_file(path, content)


def about(line: str) -> str:
    """What a fact is about, for people: ``collection / path / what is said``."""
    _, collection, path, said, _ = msgspec.json.decode(line)
    return " / ".join(part for part in (collection, path, said) if part)


def _collection_facts(collection: Collection) -> Iterator[str]:
    def fact(said: str, value: Any) -> str:
        return _line(collection.file, collection.handle, "", said, value)

    yield fact("name", collection.name)
    yield fact("id", collection.id)
    yield fact("collection key", collection.collection_key)
    yield fact("hidden", collection.hidden)
    yield fact("origin", collection.origin)
    yield fact("default mode", collection.modes[collection.default_mode].context if collection.modes else "")
    for mode in collection.modes:
        parent = None if mode.parent is None else collection.modes[mode.parent].context
        yield fact(f"mode {mode.context}", [mode.name, mode.id, mode.collection, parent])
    for each in collection.extensions:
        yield fact(f"extension {each.handle}", [each.name, each.id, each.collection_key, each.hidden, each.parent])


def _token_facts(token: Token, collection: Collection) -> Iterator[str]:
    def fact(said: str, value: Any) -> str:
        return _line(token.key.file, token.key.collection, token.key.path, said, value)

    yield fact("type", token.type)
    yield fact("id", token.id)
    yield fact("variable key", token.variable_key)
    yield fact("origin", token.origin)
    optional = (
        ("description", token.description),
        ("scopes", sorted(token.scopes)),
        ("code syntax", dict(token.code_syntax)),
        ("hidden", token.hidden),
        ("published", token.published),
        ("deprecated", token.deprecated),
        ("extensions", token.extensions),
    )
    yield from (fact(said, value) for said, value in optional if value not in ("", [], {}, False, None))
    for mode, value in zip(collection.modes, token.values, strict=True):
        if value is not None:
            yield fact(f"in {mode.context}", _written(value))


def _written(value: Value) -> Any:
    match value:
        case Alias(target=target):
            return {"alias": list(target)}
        case DanglingAlias(reference=reference):
            return {"dangling": reference}
        case Color():
            return [_number(each) for each in (value.red, value.green, value.blue, value.alpha)]
        case ComposedColor(color=color, opacity=opacity):
            return {"color": _written(color), "opacity": _written(opacity)}
        case Quantity(number=number, unit=unit):
            return f"{shortest(number)}{unit}"
        case Composite(json=text):
            return {"composite": text}
        case bool() | str():
            return value
        case _:
            return _number(value)


def _number(number: float) -> float | int:
    text = shortest(number)
    return float(text) if "." in text else int(text)


def _line(file: str, collection: str, path: str, said: str, value: Any) -> str:
    return msgspec.json.encode([file, collection, path, said, value]).decode()
