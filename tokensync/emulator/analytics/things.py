"""What a library publishes, as the rows of the reports name it (platform-api.md 2.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from tokensync.emulator.libraries import items

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from tokensync.emulator.libraries.items import Item

Kind = Literal["component", "style", "variable"]
KINDS: Final[tuple[Kind, ...]] = ("component", "style", "variable")

Fields = dict[str, str]


def published(connection: sqlite3.Connection, library: int, kind: Kind) -> Mapping[str, Fields]:
    """Key to the members that tell of the thing, for all of a kind that the library (a file's number) publishes."""
    if kind == "variable":
        return _variables(connection, library)
    found = items.published_of(connection, (library,), items.STYLE if kind == "style" else items.COMPONENT)
    return {each.key: _fields(connection, each) for each in found}


def is_published(connection: sqlite3.Connection, library: int, kind: Kind, key: str) -> bool:
    """Whether the library publishes the thing with this key."""
    if kind == "variable":
        return key in _variables(connection, library)
    item = items.find(connection, key)
    of_kind = items.STYLE if kind == "style" else items.COMPONENT
    return item is not None and (item.file, item.kind) == (library, of_kind) and item.published is not None


def _fields(connection: sqlite3.Connection, item: Item) -> Fields:
    draft = item.published.draft if item.published else items.Draft("")
    if item.kind == items.STYLE:
        return {"style_key": item.key, "style_name": draft.name, "style_type": draft.style_type or ""}
    fields = {"component_key": item.key, "component_name": draft.name}
    around = items.find(connection, draft.component_set) if draft.component_set else None
    if around is not None and around.published is not None:
        fields |= {"component_set_key": around.key, "component_set_name": around.published.draft.name}
    return fields


class _Published(msgspec.Struct, rename="camel"):
    key: str = ""
    name: str = ""
    resolved_type: str = ""
    resolved_data_type: str = ""
    variable_collection_id: str = ""


_decode = msgspec.json.Decoder(_Published).decode
_OF_KIND: Final = "SELECT id, document FROM published WHERE file = ? AND kind = ? ORDER BY number"


def _variables(connection: sqlite3.Connection, library: int) -> dict[str, Fields]:
    of_kind = {
        kind: {id_: _decode(document) for id_, document in connection.execute(_OF_KIND, (library, kind))}
        for kind in ("variable", "collection")
    }
    unknown = _Published()
    collections = of_kind["collection"]
    return {
        each.key: {
            "variable_key": each.key,
            "variable_name": each.name,
            "variable_type": each.resolved_type or each.resolved_data_type,
            "collection_key": collections.get(each.variable_collection_id, unknown).key,
            "collection_name": collections.get(each.variable_collection_id, unknown).name,
        }
        for each in of_kind["variable"].values()
    }
