"""The facts of a lock as a graph: the base of a merge. The lock tells no order; a merge takes none from its base."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

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
    float32,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.tokens import Value
    from tokensync.tokens.collection import FamilyKey

Fact = tuple[str, str, str, str, Any]
"""The file, the collection's handle, the token's path, what is said, and the value."""

_QUANTITY = re.compile(r"(-?[0-9.]+)([a-z%]+)")
_ORIGINS = ("local", "remote", "deleted", "withheld", "absent")


def locked_graph(facts: Iterable[Fact]) -> TokenGraph:
    """Return the graph that one file's facts are about. What does not make sense, or lacks its collection, is
    omitted.
    """
    about: dict[FamilyKey, dict[str, Any]] = {}
    tokens: dict[TokenKey, dict[str, Any]] = {}
    own: dict[str, Any] = {}
    place: tuple[str, str, str] | None = None
    for file, handle, path, said, value in facts:
        if place is None or place[2] != path or place[1] != handle or place[0] != file:
            place = (file, handle, path)  # the facts of a token stand together: a lock is sorted
            own = tokens.setdefault(TokenKey(file, handle, path), {}) if path else about.setdefault((file, handle), {})
        own[said] = value
    about = {key: said for key, said in about.items() if key[1]}
    collections = {key: _collection(*key, said) for key, said in about.items()}
    reader = _Values()
    columns = {
        key: {f"in {mode.context}": column for column, mode in enumerate(each.modes)}
        for key, each in collections.items()
    }
    return TokenGraph(
        collections.values(),
        (reader.token(key, said, columns[key[:2]]) for key, said in tokens.items() if key[:2] in columns),
    )


def _collection(file: str, handle: str, said: dict[str, Any]) -> Collection:
    told = [
        (name.removeprefix("mode "), *value)
        for name, value in said.items()
        if name.startswith("mode ") and isinstance(value, list) and len(value) == 4
    ]
    told.sort(key=lambda each: each[3] != handle)  # stable: the root's own come first
    contexts = {each[0]: column for column, each in enumerate(told)}
    modes = tuple(
        Mode(
            name=str(name),
            collection=str(owner),
            slug=context if owner == handle else context.removeprefix(f"{owner}."),
            context=context,
            id=str(identity),
            parent=contexts.get(parent),
        )
        for context, name, identity, owner, parent in told
    )
    extensions = tuple(
        _extension(name.removeprefix("extension "), value)
        for name, value in said.items()
        if name.startswith("extension ") and isinstance(value, list) and len(value) == 5
    )
    origin = said.get("origin")
    return Collection(
        file=file,
        handle=handle,
        name=str(said.get("name", "")),
        modes=modes,
        default_mode=contexts.get(said.get("default mode", ""), 0),
        extensions=extensions,
        id=str(said.get("id", "")),
        collection_key=str(said.get("collection key", "")),
        hidden=said.get("hidden") is True,
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
    """Reads tokens; equal values become one object, which makes comparing them cheap."""

    def __init__(self) -> None:
        self._aliases: dict[tuple[Any, ...], Alias] = {}
        self._colors: dict[tuple[Any, ...], Color] = {}
        self._numbers: dict[float, float] = {}

    def token(self, key: TokenKey, said: dict[str, Any], columns: dict[str, int]) -> Token:
        """Return a token from what is said of it."""
        get = said.get
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
        """Return the value that a fact tells: the inverse of what writes the lock."""
        kind = type(written)
        if kind is dict:
            return self._object(written)
        if kind is list:
            return self._color(tuple(written))
        if kind is str:
            quantity = _QUANTITY.fullmatch(written) if token_type in ("dimension", "duration") else None
            return Quantity(float32(float(quantity[1])), quantity[2]) if quantity else str(written)
        if kind is bool:
            return bool(written)
        return self._number(written) if kind is int or kind is float else None

    def _object(self, written: dict[str, Any]) -> Value | None:
        match written:
            case {"alias": [str(), str(), str()] as target}:
                key = tuple(target)
                found = self._aliases.get(key)
                if found is None:
                    found = self._aliases[key] = Alias(TokenKey(*target))
                return found
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
        found = self._colors.get(channels)
        if found is None and len(channels) == 4:
            found = self._colors[channels] = Color(*map(self._number, channels))
        return found

    def _number(self, number: float) -> float:
        known = self._numbers.get(number)
        if known is None:
            known = self._numbers[number] = float32(float(number))
        return known
