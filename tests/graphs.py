"""Token graphs by hand, for the tests of rooms that work on graphs."""

from collections.abc import Iterable
from typing import Any

from tokensync.normalize.mapping import slug
from tokensync.tokens import (
    Alias,
    Collection,
    Color,
    Extension,
    Mode,
    Token,
    TokenGraph,
    TokenKey,
    float32,
)
from tokensync.tokens.paths import path_of

FILE = "design"


def key(collection: str, name: str, file: str = FILE) -> TokenKey:
    """Return the key of the token with the design-file name ``name`` (``a/b``)."""
    return TokenKey(file, slug(collection, "collection"), path_of(name.split("/")))


def alias(collection: str, name: str) -> Alias:
    """A reference to that token."""
    return Alias(key(collection, name))


def color(text: str, alpha: float = 1.0) -> Color:
    """An opaque colour from ``#rrggbb``, or one of this alpha."""
    red, green, blue = (float32(int(text[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return Color(red, green, blue, float32(alpha))


def collection(name: str, *modes: str, extensions: Iterable[tuple[str, str]] = (), **rest: Any) -> Collection:
    """A collection of these modes (one called Value when none is given), and extensions of it as (name, parent)."""
    handle = slug(name, "collection")
    own = [
        Mode(name=each, collection=handle, slug=slug(each, "mode"), context=slug(each, "mode"))
        for each in modes or ("Value",)
    ]
    columns = {handle: list(range(len(own)))}
    extending = []
    for extension, parent in extensions:
        of = slug(extension, "collection")
        first = len(own)
        extending.append(Extension(handle=of, name=extension, parent=slug(parent, "collection"), default_mode=first))
        columns[of] = []
        for at in columns[slug(parent, "collection")]:
            columns[of].append(len(own))
            mode = own[at]
            own.append(Mode(name=mode.name, collection=of, slug=mode.slug, context=f"{of}.{mode.slug}", parent=at))
    return Collection(file=FILE, handle=handle, name=name, modes=tuple(own), extensions=tuple(extending), **rest)


def token(of: Collection, name: str, *values: Any, type: str = "color", **rest: Any) -> Token:  # noqa: A002
    """Return a token of the collection; a single value applies to every mode, and numbers become float32."""
    kept = tuple(float32(each) if type_of(each) is float else each for each in values)
    several = kept * len(of.modes) if len(kept) == 1 and not of.extensions else kept
    several += (None,) * (len(of.modes) - len(several))
    origin = rest.pop("origin", of.origin)
    return Token(key=key(of.name, name, of.file), type=type, values=several, origin=origin, **rest)


def type_of(value: Any) -> type:
    """The type of a value, an int counting as a number."""
    return float if type(value) is int else type(value)


def graph(*parts: Collection | Token) -> TokenGraph:
    """A graph of these collections and tokens."""
    collections = [each for each in parts if isinstance(each, Collection)]
    return TokenGraph(collections, [each for each in parts if isinstance(each, Token)])
