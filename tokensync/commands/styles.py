"""The published styles of a file with their values, as a migration to variables needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.client.files import NODES
from tokensync.commands.bound_variables import aliases
from tokensync.commands.design_files import meant
from tokensync.errors import ServerError
from tokensync.tokens import Color, hexadecimal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.client import Client
    from tokensync.client.published_items import PublishedItem
    from tokensync.config import Project

NODES_AT_ONCE = 100
"""Ids in one request: more would make an address that is too long for some proxies."""

_MEMBERS = {"FILL": "fills", "TEXT": "style", "EFFECT": "effects", "GRID": "layoutGrids"}


class Style(NamedTuple):
    """A style and its ``value`` as the platform has it: paints, a text style, effects or layout grids.

    ``value`` is None where the node of the style is not there. ``variables`` are the ids that the value is bound to: a
    style that has any is on variables already.
    """

    item: PublishedItem
    value: Any
    variables: tuple[str, ...]


def styles(
    project: Project, client: Client, file: str, *, progress: Callable[[str], None] = lambda text: None
) -> tuple[Style, ...]:
    """Return the styles that a file publishes, in the platform's order. ``file`` is a configured name, a key
    or a URL.
    """
    key = meant(project, file, "FILE").main_key
    found = list(client.styles.of_file(key))
    nodes: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(found), NODES_AT_ONCE):
        progress(f"reading styles {start + 1} to {min(start + NODES_AT_ONCE, len(found))} of {len(found)}")
        nodes |= _nodes(client, key, [each.node_id for each in found[start : start + NODES_AT_ONCE]])
    return tuple(_style(each, nodes.get(each.node_id, {})) for each in found)


def in_words(style: Style) -> str:
    """Return the value for people: colours, a font with its size and line height, or kinds of effects."""
    match style.value:
        case list() as parts:
            return ", ".join(_part(each) for each in parts if isinstance(each, dict)) or "nothing"
        case dict() as text:
            size, height = (_number(text.get(name)) for name in ("fontSize", "lineHeightPx"))
            font = (str(text.get("fontFamily", "")), _number(text.get("fontWeight")), f"{size}/{height}")
            return " ".join(each for each in font if each)
        case _:
            return "unknown"


def _style(item: PublishedItem, node: Mapping[str, Any]) -> Style:
    value = node.get(_MEMBERS.get(item.style_type, ""))
    bound = {"own": value, "node": node.get("boundVariables")}
    return Style(item, value, tuple(dict.fromkeys(aliases(bound))))


class _Nodes(msgspec.Struct):
    nodes: dict[str, dict[str, Any] | None] = {}


def _nodes(client: Client, key: str, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    body = client.call(NODES, file_key=key, ids=tuple(ids))
    try:
        found = msgspec.json.decode(body, type=_Nodes).nodes
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        what = f"the nodes of its styles are not what the platform promises ({error})"
        raise ServerError(f"{key}: {what}; check base_url, and update tokensync", 200) from None
    documents = {id_: (each or {}).get("document") for id_, each in found.items()}
    return {id_: document for id_, document in documents.items() if isinstance(document, dict)}


def _part(part: Mapping[str, Any]) -> str:
    """Return a paint, an effect or a grid: its colour where it is one, and else what kind of it."""
    kind = str(part.get("type") or part.get("pattern") or "").lower().replace("_", " ")
    colour = part.get("color")
    if not isinstance(colour, dict):
        return kind
    channels = [colour.get(name, 1.0 if name == "a" else 0.0) for name in "rgba"]
    if not all(isinstance(each, int | float) for each in channels):
        return kind
    opacity = part.get("opacity", 1.0)
    channels[3] *= opacity if isinstance(opacity, int | float) else 1.0
    text = hexadecimal(Color(*map(float, channels)))
    return text if kind == "solid" else f"{kind} {text}"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else ""
