"""The facts of a lock: a file's graph as JSON lines, and the graph of such lines."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import msgspec

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
    from collections.abc import Iterable, Iterator

    from tokensync.tokens import Value
    from tokensync.tokens.collection import FamilyKey


def facts(graph: TokenGraph, file: str, key: str) -> frozenset[str]:
    """Return the lines for one file's graph. ``key`` is the platform's key of the file or branch."""
    return frozenset((_line(file, "", "", "key", key), *graph_facts(graph)))


def graph_facts(graph: TokenGraph) -> Iterator[str]:
    """Yield the lines for the collections and tokens of a graph."""
    for collection in graph.collections.values():
        yield from _collection_facts(collection)
    encoder = _TokenFacts(graph)
    for token in graph.tokens.values():
        yield from encoder.lines(token)


def _collection_facts(collection: Collection) -> Iterator[str]:
    def fact(name: str, value: Any) -> str:
        return _line(collection.file, collection.handle, "", name, value)

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


class _TokenFacts:
    """Encodes the facts about the tokens of a graph. A large lock has 100,000 lines: parts of them are encoded once."""

    def __init__(self, graph: TokenGraph) -> None:
        encode = msgspec.json.encode
        self._modes = {
            key: [encode(f"in {mode.context}") for mode in each.modes] for key, each in graph.collections.items()
        }
        self._texts: dict[Value, bytes] = {}

    def lines(self, token: Token) -> list[str]:
        """Return the lines about a token."""
        key, encode = token.key, msgspec.json.encode
        start = encode([key.file, key.collection, key.path])[:-1]
        lines = [
            b'%b,"type",%b]' % (start, encode(token.type)),
            b'%b,"id",%b]' % (start, encode(token.id)),
            b'%b,"variable key",%b]' % (start, encode(token.variable_key)),
            b'%b,"origin",%b]' % (start, encode(token.origin)),
        ]
        optional = (
            (b"description", token.description),
            (b"scopes", sorted(token.scopes)),
            (b"code syntax", dict(token.code_syntax)),
            (b"hidden", token.hidden),
            (b"published", token.published),
            (b"deprecated", token.deprecated),
            (b"extensions", token.extensions),
        )
        lines += [b'%b,"%b",%b]' % (start, name, encode(value)) for name, value in optional if value]
        for mode, value in zip(self._modes[key[:2]], token.values, strict=True):
            if value is not None:
                lines.append(b"%b,%b,%b]" % (start, mode, self._text(value)))
        return [each.decode() for each in lines]

    def _text(self, value: Value) -> bytes:
        if type(value) is not Alias and type(value) is not Color:  # 1.0 equals True, but has another text
            return msgspec.json.encode(json_value(value))
        text = self._texts.get(value)
        if text is None:
            text = self._texts[value] = msgspec.json.encode(json_value(value))
        return text


def _line(file: str, collection: str, path: str, name: str, value: Any) -> str:
    return msgspec.json.encode([file, collection, path, name, value]).decode()


Fact = tuple[str, str, str, str, Any]
"""The file, the collection's handle, the token's path, the property, and its value."""

_QUANTITY = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?|-?\.[0-9]+)([a-z%]+)")
_ORIGINS = ("local", "remote", "deleted", "withheld", "absent")


_TEXTS = frozenset(
    (
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


def is_fact(fact: Fact) -> bool:
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
                _has_form(each, (str, str, str)) for each in references.values()
            )
    return False


def locked_graph(facts: Iterable[Fact]) -> TokenGraph:
    """Return the graph of one file's facts, without invalid values and without tokens of missing collections."""
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
    reader = _Values()
    columns = {
        key: {f"in {mode.context}": column for column, mode in enumerate(each.modes)}
        for key, each in collections.items()
    }
    return TokenGraph(
        collections.values(),
        (reader.token(key, own, columns[key[:2]]) for key, own in tokens.items() if key[:2] in columns),
    )


def _collection(file: str, handle: str, properties: dict[str, Any]) -> Collection:
    declared = [
        (name.removeprefix("mode "), *value)
        for name, value in properties.items()
        if name.startswith("mode ") and isinstance(value, list) and len(value) == 4
    ]
    declared.sort(key=lambda each: each[3] != handle)  # stable, with the modes of the root first
    contexts = {each[0]: column for column, each in enumerate(declared)}
    modes = tuple(
        Mode(
            name=str(name),
            collection=str(owner),
            slug=context if owner == handle else context.removeprefix(f"{owner}."),
            context=context,
            id=str(identity),
            parent=contexts.get(parent),
        )
        for context, name, identity, owner, parent in declared
    )
    extensions = tuple(
        _extension(name.removeprefix("extension "), value)
        for name, value in properties.items()
        if name.startswith("extension ") and isinstance(value, list) and len(value) == 5
    )
    origin = properties.get("origin")
    return Collection(
        file=file,
        handle=handle,
        name=str(properties.get("name", "")),
        modes=modes,
        default_mode=contexts.get(properties.get("default mode", ""), 0),
        extensions=extensions,
        id=str(properties.get("id", "")),
        collection_key=str(properties.get("collection key", "")),
        hidden=properties.get("hidden") is True,
        origin=origin if origin in _ORIGINS else "local",
    )


def _extension(handle: str, value: list[Any]) -> Extension:
    name, identity, key, hidden, parent = value
    return Extension(
        handle=handle,
        name=str(name),
        parent=str(parent),
        id=str(identity),
        collection_key=str(key),
        hidden=hidden is True,
    )


class _Values:
    """A reader of tokens that returns one object for equal values, so that comparing them is cheap."""

    def __init__(self) -> None:
        self._aliases: dict[tuple[Any, ...], Alias] = {}
        self._colors: dict[tuple[Any, ...], Color] = {}
        self._numbers: dict[float, float] = {}

    def token(self, key: TokenKey, properties: dict[str, Any], columns: dict[str, int]) -> Token:
        """Return the token with these properties."""
        get = properties.get
        token_type = get("type", "string")
        values: list[Value | None] = [None] * len(columns)
        for name, column in columns.items():
            written = get(name)
            if written is not None:
                values[column] = self.value(written, token_type)
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

    def value(self, written: Any, token_type: str) -> Value | None:
        """Return the value of a fact, the inverse of ``json_value``."""
        kind = type(written)
        if kind is dict:
            return self._object(written)
        if kind is list:
            return self._color(tuple(written))
        if kind is str:
            quantity = _QUANTITY.fullmatch(written) if token_type in ("dimension", "duration") else None
            return Quantity(normalized(float(quantity[1])), quantity[2]) if quantity else str(written)
        if kind is bool:
            return bool(written)
        return self._number(written) if kind is int or kind is float else None

    def _object(self, written: dict[str, Any]) -> Value | None:
        match written:
            case {"alias": [str(), str(), str()] as target}:
                key = tuple(target)
                alias = self._aliases.get(key)
                if alias is None:
                    alias = self._aliases[key] = Alias(TokenKey(*target))
                return alias
            case {"dangling": str(reference)}:
                return DanglingAlias(reference)
            case {"color": color, "opacity": opacity}:
                base, share = self.value(color, "color"), self.value(opacity, "number")
                return ComposedColor(base, share)  # type: ignore[arg-type]
            case {"composite": str(text)}:
                references = written.get("references", {})
                return Composite(text, tuple((each, TokenKey(*target)) for each, target in references.items()))
            case _:
                return None

    def _color(self, channels: tuple[Any, ...]) -> Color | None:
        color = self._colors.get(channels)
        if color is None and len(channels) == 4:
            red, green, blue, alpha = map(self._number, channels)
            color = self._colors[channels] = Color(red, green, blue, alpha)
        return color

    def _number(self, number: float) -> float:
        single = self._numbers.get(number)
        if single is None:
            single = self._numbers[number] = normalized(float(number))
        return single
