"""A response in comparable form: by existing ids, and by names for new objects.

Two readings are equal when the same things stand in both libraries. Ids of what has been made in between are not
looked at, nor is the order of variables and collections; numbers are compared as float32.
"""

from __future__ import annotations

import json
from struct import Struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection as Holds

    from plan.library import Document

_SINGLE = Struct("<f")

Reading = dict[str, dict[str, Any]]
"""``collections`` and ``variables``, each by label."""


def ids_in(response: bytes) -> frozenset[str]:
    """The ids of everything in a response, modes too."""
    meta = json.loads(response)["meta"]
    modes = (mode["modeId"] for each in meta["variableCollections"].values() for mode in each["modes"])
    return frozenset((*meta["variables"], *meta["variableCollections"], *modes))


def reading_of(response: bytes, known: Holds[str] = frozenset()) -> Reading:
    """The live local part of a response. What has an id of ``known`` goes by it, all else by its names."""
    meta = json.loads(response)["meta"]
    return _Reader(meta["variables"], meta["variableCollections"], known).reading()


class _Reader:
    def __init__(self, variables: Document, collections: Document, known: Holds[str]) -> None:
        self._known = known
        self._collections = {id_: each for id_, each in collections.items() if _is_live(each)}
        self._variables = {id_: each for id_, each in variables.items() if _is_live(each)}
        self._gone = {id_ for id_, each in variables.items() if each.get("deletedButReferenced")}
        self._labels: dict[str, str] = {}
        taken: set[str] = set()
        for id_, each in self._collections.items():
            self._labels[id_] = self._label(id_, each["name"], taken)
        for id_, each in self._variables.items():
            owner = self._labels[each["variableCollectionId"]]
            self._labels[id_] = self._label(id_, f"{owner}/{each['name']}", taken)

    def reading(self) -> Reading:
        return {
            "collections": {self._labels[id_]: self._collection(each) for id_, each in self._collections.items()},
            "variables": {self._labels[id_]: self._variable(id_, each) for id_, each in self._variables.items()},
        }

    def _label(self, id_: str, name: str, taken: set[str]) -> str:
        """A unique label for each new object, so that duplicates are visible."""
        label = wanted = id_ if id_ in self._known else f"new {name}"
        number = 1
        while label in taken:
            number += 1
            label = f"{wanted} #{number}"
        taken.add(label)
        return label

    def _collection(self, collection: Document) -> Document:
        names = {mode["modeId"]: self._mode(collection, mode["modeId"]) for mode in collection["modes"]}
        parent = collection.get("parentVariableCollectionId")
        overrides = {
            self._labels.get(variable, variable): {
                names.get(mode, f"no mode {mode}"): self._value(value) for mode, value in values.items()
            }
            for variable, values in (collection.get("variableOverrides") or {}).items()
            if values and variable not in self._gone
        }
        return {
            "name": collection["name"],
            "hidden": collection["hiddenFromPublishing"],
            "parent": self._labels.get(parent, parent),
            "modes": {names[mode["modeId"]]: mode["name"] for mode in collection["modes"]},
            "default": names[collection["defaultModeId"]],
            "overrides": overrides,
        }

    def _mode(self, collection: Document, mode: str) -> str:
        """The root's mode, whatever extends it: its id, or its name when it is new."""
        of_root = mode.rpartition("/")[2]
        if of_root in self._known:
            return of_root
        return "new " + next(each["name"] for each in collection["modes"] if each["modeId"] == mode)

    def _variable(self, id_: str, variable: Document) -> Document:
        owner = self._collections[variable["variableCollectionId"]]
        scopes = {"FONT_STYLE" if each == "FONT_WEIGHT" else each for each in variable["scopes"]}
        return {
            "collection": self._labels[owner["id"]],
            "name": variable["name"],
            "type": variable["resolvedType"],
            "description": variable["description"],
            "hidden": variable["hiddenFromPublishing"],
            "scopes": sorted(scopes if variable["resolvedType"] == "FLOAT" else variable["scopes"]),
            "codeSyntax": variable["codeSyntax"],
            "values": {self._mode(owner, mode): self._value(each) for mode, each in variable["valuesByMode"].items()},
        }

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict) and value.get("type") == "VARIABLE_ALIAS":
            return ["alias", self._labels.get(value["id"], value["id"])]
        if isinstance(value, dict):
            members = value if "color" in value else {"a": 1, **value}
            return {name: self._value(each) for name, each in sorted(members.items())}
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _SINGLE.unpack(_SINGLE.pack(value))[0]
        return value


def _is_live(thing: Document) -> bool:
    return not thing["remote"] and not thing.get("deletedButReferenced")


def differences_of(found: Reading, expected: Reading) -> list[str]:
    """Return the differences between two readings in words, a line for each."""
    lines = []
    for kind in expected:
        for label in sorted(found[kind].keys() | expected[kind].keys()):
            one, other = found[kind].get(label), expected[kind].get(label)
            if one != other:
                members = [*(one or other or {})]
                changed = [each for each in members if (one or {}).get(each) != (other or {}).get(each)]
                lines += [f"{label}.{each}: {(one or {}).get(each)} for {(other or {}).get(each)}" for each in changed]
    return lines
