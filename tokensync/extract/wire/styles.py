"""Published styles of a file, with the values and bindings of the nodes that hold them (Figma REST API: Styles, Files).

The listing of styles has no values: they are members of a node with the style's ``node_id``. Nodes are requested by the
hundred, because some seats have only a few such requests a month.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.extract.client.endpoints import BY_NAME
from tokensync.extract.client.groups import PublishedItem
from tokensync.extract.wire import ALIAS, WireObject, whole_characters
from tokensync.system.errors import DECODE_ERRORS, ServerError
from tokensync.tokens import Color, float32

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Send = Callable[..., bytes]
    """``Client.call``, or a function that calls an endpoint in the same way."""

NODES_AT_ONCE: Final = 100
"""Ids per request; more would make the URL too long for some proxies."""

_MEMBERS: Final = {"FILL": "fills", "TEXT": "style", "EFFECT": "effects", "GRID": "layoutGrids"}


class Vector(Struct, frozen=True):
    """An offset in pixels."""

    x: float = 0.0
    y: float = 0.0


class Stop(Struct, rename="camel", frozen=True):
    """A stop of a gradient; ``position`` is from 0 to 1."""

    position: float
    color: WireObject
    bound_variables: dict[str, Any] = {}


class Part(Struct, rename="camel", frozen=True):
    """A paint, an effect or a grid, whose type is its ``pattern`` and ``offset`` a number; lengths are in pixels."""

    type: str = ""
    pattern: str = ""
    visible: bool = True
    opacity: float = 1.0
    color: WireObject | None = None
    gradient_stops: tuple[Stop, ...] = ()
    gradient_handle_positions: tuple[Vector, ...] = ()
    offset: Vector | float | None = None
    radius: float = 0.0
    spread: float = 0.0
    section_size: float | None = None
    gutter_size: float | None = None
    count: float | None = None
    alignment: str = ""
    bound_variables: dict[str, Any] = {}

    @property
    def kind(self) -> str:
        """Return the type in words: ``drop shadow``."""
        return (self.type or self.pattern).lower().replace("_", " ")[:60]


class Text(Struct, rename="camel", frozen=True):
    """The members of a text style that code can use; lengths are in pixels.

    ``line_height_unit`` is PIXELS, ``FONT_SIZE_%`` or ``INTRINSIC_%``, which is the font's own line height.
    """

    font_family: str = ""
    font_weight: float | None = None
    font_size: float | None = None
    font_style: str | None = None
    italic: bool = False
    letter_spacing: float = 0.0
    line_height_px: float | None = None
    line_height_percent_font_size: float | None = None
    line_height_unit: str = "PIXELS"
    text_case: str = "ORIGINAL"
    text_decoration: str = "NONE"
    paragraph_spacing: float = 0.0
    paragraph_indent: float = 0.0


class Style(NamedTuple):
    """A style with the paints, text style, effects or grids of its node, if it has one, and its ``boundVariables``."""

    item: PublishedItem
    value: Any = None
    bound: Any = None

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the ids of the variables that the value is bound to."""
        return tuple(dict.fromkeys(aliases([self.value, self.bound])))

    def parts(self) -> list[Part]:
        """Return the paints, effects or grids. One that is not as documented has only its type."""
        parts = self.value if isinstance(self.value, list) else []
        objects = [part for part in parts if isinstance(part, dict)]
        return [_converted(part, Part) or Part(type=str(part.get("type") or part.get("pattern"))) for part in objects]

    def text(self) -> Text | None:
        """Return the text style; None if it is not as documented."""
        return _converted(self.value, Text) if isinstance(self.value, dict) else None


def _converted(value: Any, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError):
        return None


def color_of(value: WireObject | None, opacity: float = 1.0) -> Color | None:
    """Return the colour of a paint or an effect; None if a channel is missing, or is not between 0 and 1."""
    if value is None:
        return None
    written = (value.r, value.g, value.b, 1.0 if value.a is None else value.a, opacity)
    channels = [channel for channel in map(length_of, written) if channel is not None and 0 <= channel <= 1]
    if len(channels) != len(written):
        return None
    red, green, blue, alpha, opacity = channels
    return Color(red, green, blue, float32(alpha * opacity))


def length_of(value: float | None) -> float | None:
    """Return a number as the platform stores it; None without one."""
    return float32(value) if value is not None and isfinite(value) and abs(value) < 1e38 else None


class _Meta(Struct):
    styles: list[PublishedItem]


class _Listing(Struct):
    meta: _Meta


class _Holder(Struct):
    document: dict[str, Any] = {}


class _Nodes(Struct):
    nodes: dict[str, _Holder | None] = {}


def listing(send: Send, key: str) -> tuple[PublishedItem, ...]:
    """Return the styles that the file with this key publishes, without values, in the platform's order."""
    body = send(BY_NAME["styles file"], file_key=key)
    return tuple(_decoded(body, _Listing, key, "the list of its styles does").meta.styles)


def styles_of(
    send: Send, key: str, items: Sequence[PublishedItem], progress: Callable[[str], None] = lambda text: None
) -> tuple[Style, ...]:
    """Return styles of the file with this key, with their values. Raises the client's errors."""
    nodes: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(items), NODES_AT_ONCE):
        batch = items[start : start + NODES_AT_ONCE]
        progress(f"reading styles {start + 1} to {start + len(batch)} of {len(items)}")
        body = send(BY_NAME["files nodes"], file_key=key, ids=tuple(item.node_id for item in batch))
        holders = _decoded(body, _Nodes, key, "the nodes of its styles do").nodes
        nodes |= {id_: holder.document for id_, holder in holders.items() if holder is not None}
    return tuple(style_in(item, nodes.get(item.node_id, {})) for item in items)


def style_in(item: PublishedItem, node: Mapping[str, Any]) -> Style:
    """Return the style that a node holds."""
    return Style(item, node.get(_MEMBERS.get(item.style_type, "")), node.get("boundVariables"))


def _decoded(body: bytes, kind: type[Any], key: str, what: str) -> Any:
    try:
        return msgspec.json.decode(whole_characters(body, key)[0], type=kind)
    except DECODE_ERRORS as error:
        what = f"{what} not have the documented structure ({error})"
        raise ServerError(f"{key}: {what}; check base_url, and update tokensync", 200) from None


def aliases(value: Any) -> Iterator[str]:
    """Yield the ids of all variable aliases in a JSON value, at any depth, in order."""
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("type") == ALIAS and isinstance(node.get("id"), str):
                yield node["id"]
            pending += reversed(node.values())
        elif isinstance(node, list):
            pending += reversed(node)
