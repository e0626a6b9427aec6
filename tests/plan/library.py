"""A simulated design file with the edits of the editor, as the expected result of plans.

It is the JSON of ``GET variables/local`` taken apart, so that what an edited library says can be compared with what the
platform answers. It knows nothing of graphs, states or plans. What an edit makes has an id of ``NEW``, a session number
that no platform gives.
"""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW = 9000
TYPES = ("COLOR", "FLOAT", "STRING", "BOOLEAN")
ALIAS = "VARIABLE_ALIAS"
_ID_OF_NEW = re.compile(rf"(^|:){NEW}:\d+$")

Document = dict[str, Any]


def alias(identity: str) -> Document:
    """A reference to a variable."""
    return {"type": ALIAS, "id": identity}


def targets(value: object) -> Iterator[str]:
    """The ids that a value refers to."""
    if isinstance(value, dict):
        if value.get("type") == ALIAS:
            yield value["id"]
        for each in value.values():
            yield from targets(each)


def is_new(identity: str) -> bool:
    """Whether an edit created the object with this id."""
    return _ID_OF_NEW.search(identity) is not None


class Library:
    """Collections and variables by id, as a response has them; ``ghosts`` are variables that an edit deleted.

    ``leftovers`` are those that had been deleted before and are still referred to, as responses show them.
    """

    def __init__(self) -> None:
        self.collections: dict[str, Document] = {}
        self.variables: dict[str, Document] = {}
        self.ghosts: dict[str, Document] = {}
        self.leftovers: dict[str, Document] = {}
        self.session = 1
        self._numbers = 0

    def copy(self) -> Library:
        """An equal copy, five times as fast as ``deepcopy``."""
        same: Library = pickle.loads(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))
        return same

    def response(self) -> bytes:
        """The bytes of ``GET variables/local``."""
        meta = {"variables": self.variables | self.leftovers, "variableCollections": self.collections}
        return json.dumps({"status": 200, "error": False, "meta": meta}).encode()

    def roots(self) -> list[Document]:
        """The collections that own variables and can be changed."""
        return [each for each in self.collections.values() if not each["isExtension"] and not each["remote"]]

    def extensions(self, root: str | None = None) -> list[Document]:
        """The extensions, of every collection or of one root; a parent stands before its own."""
        found = [each for each in self.collections.values() if each["isExtension"]]
        return [each for each in found if root in (None, each["rootVariableCollectionId"])]

    def owned(self, collection: str) -> list[Document]:
        """The live variables of a root collection, in order."""
        return [self.variables[each] for each in self.collections[collection]["variableIds"] if each in self.variables]

    def local(self) -> list[Document]:
        """The variables that can be changed."""
        return [each for each in self.variables.values() if not each["remote"]]

    def new_id(self, prefix: str = "") -> str:
        """An unused id."""
        self._numbers += 1
        return f"{prefix}{self.session}:{self._numbers}"

    def add_collection(self, name: str, modes: list[str], **members: object) -> Document:
        """A root collection; the first mode is its default."""
        identity = self.new_id("VariableCollectionId:")
        listed = [{"modeId": self.new_id(), "name": each} for each in modes]
        self.collections[identity] = {
            "id": identity,
            "name": name,
            "key": key_of(identity),
            "modes": listed,
            "defaultModeId": listed[0]["modeId"],
            "remote": False,
            "hiddenFromPublishing": False,
            "isExtension": False,
            "variableIds": [],
            **members,
        }
        return self.collections[identity]

    def add_extension(self, name: str, parent: Document) -> Document:
        """A collection that extends another, itself an extension or not, and overrides nothing yet."""
        made = self.add_collection(name, [""], isExtension=True)
        root = parent.get("rootVariableCollectionId", parent["id"])
        made |= {
            "modes": [],
            "defaultModeId": _extended(made["id"], parent["defaultModeId"]),
            "parentVariableCollectionId": parent["id"],
            "rootVariableCollectionId": root,
            "variableIds": [*parent["variableIds"]],
            "inheritedVariableIds": [*parent["variableIds"]],
            "localVariableIds": [],
            "variableOverrides": {},
        }
        for each in parent["modes"]:
            self._extend_mode(made, each)
        return made

    def add_mode(self, root: Document, name: str) -> str:
        """A mode of a root collection, with the default mode's values, and of every extension of it."""
        mode = self.new_id()
        root["modes"].append({"modeId": mode, "name": name})
        for each in self.owned(root["id"]):
            each["valuesByMode"][mode] = copy.deepcopy(each["valuesByMode"][root["defaultModeId"]])
        for each in self.extensions(root["id"]):
            self._extend_mode(each, {"modeId": mode, "name": name})
        return mode

    def add_variable(self, root: Document, name: str, kind: str, values: list[object], **members: object) -> Document:
        """A variable with a value in each mode of its collection."""
        identity = self.new_id("VariableID:")
        modes = [each["modeId"] for each in root["modes"]]
        self.variables[identity] = {
            "id": identity,
            "name": name,
            "key": key_of(identity),
            "variableCollectionId": root["id"],
            "resolvedType": kind,
            "valuesByMode": dict(zip(modes, values, strict=True)),
            "remote": root["remote"],
            "description": "",
            "hiddenFromPublishing": root["remote"],
            "scopes": ["ALL_SCOPES"],
            "codeSyntax": {},
            **members,
        }
        for each in (root, *self.extensions(root["id"])):
            for member in {"variableIds", "inheritedVariableIds"} & each.keys():
                each[member].append(identity)
        return self.variables[identity]

    def remove_variable(self, identity: str) -> None:
        """Delete a variable with its overrides; references to it stay."""
        gone = self.ghosts[identity] = self.variables.pop(identity)
        root = gone["variableCollectionId"]
        for each in (self.collections[root], *self.extensions(root)):
            for member in {"variableIds", "inheritedVariableIds"} & each.keys():
                each[member].remove(identity)
            each.get("variableOverrides", {}).pop(identity, None)

    def remove_mode(self, root: Document, mode: str) -> None:
        """Delete a mode of a root collection and its extensions; the first remaining mode replaces a default one."""
        for each in (root, *self.extensions(root["id"])):
            of_it = mode if each is root else _extended(each["id"], mode)
            each["modes"] = [one for one in each["modes"] if one["modeId"] != of_it]
            if each["defaultModeId"] == of_it:
                each["defaultModeId"] = each["modes"][0]["modeId"]
            for variable, values in [*each.get("variableOverrides", {}).items()]:
                values.pop(of_it, None)
                if not values:
                    del each["variableOverrides"][variable]
        for each in self.owned(root["id"]):
            del each["valuesByMode"][mode]

    def remove_collection(self, identity: str) -> None:
        """Delete a collection with its variables and extensions."""
        for each in [one for one in self.extensions() if one["parentVariableCollectionId"] == identity]:
            if each["id"] in self.collections:
                self.remove_collection(each["id"])
        if not self.collections[identity]["isExtension"]:
            for each in self.owned(identity):
                self.remove_variable(each["id"])
        gone = [each for each, one in self.leftovers.items() if one["variableCollectionId"] == identity]
        for each in gone:
            del self.leftovers[each]
        del self.collections[identity]

    def rename_mode(self, root: Document, mode: str, name: str) -> None:
        """Rename a mode and the modes that extend it."""
        for each in (root, *self.extensions(root["id"])):
            for one in each["modes"]:
                if one["modeId"].rpartition("/")[2] == mode:
                    one["name"] = name

    def places(self, variable: Document) -> Iterator[tuple[Document, str]]:
        """Every value that a variable has, its overrides too, as a mapping and the mode's key in it."""
        for mode in variable["valuesByMode"]:
            yield variable["valuesByMode"], mode
        for each in self.extensions(variable["variableCollectionId"]):
            held = each["variableOverrides"].get(variable["id"], {})
            for mode in held:
                yield held, mode

    def is_sound(self) -> bool:
        """Whether the platform could hold this: no cycle of aliases, names once in a collection, aliases of a type.

        A cycle counts through deleted variables as well, which a file keeps as long as something refers to them.
        """
        edges: dict[str, set[str]] = {}
        for identity, each in (self.variables | self.ghosts).items():
            aliased = {target for held, mode in self.places(each) for target in targets(held[mode])}
            edges[identity] = aliased
        names = [(each["variableCollectionId"], each["name"]) for each in self.local()]
        return len(names) == len(set(names)) and not _has_cycle(edges)

    def refers_to_ghosts(self) -> bool:
        """Whether something holds an alias to a variable that an edit deleted."""
        places = [place for each in self.variables.values() for place in self.places(each)]
        return any(target in self.ghosts for held, mode in places for target in targets(held[mode]))

    def _extend_mode(self, extension: Document, mode: Document) -> None:
        parent = extension["parentVariableCollectionId"]
        above = mode["modeId"].rpartition("/")[2]
        of_parent = above if parent == extension["rootVariableCollectionId"] else _extended(parent, above)
        made = {"modeId": _extended(extension["id"], above), "name": mode["name"], "parentModeId": of_parent}
        extension["modes"].append(made)


def key_of(identity: str) -> str:
    """A key as the platform makes them: forty hexadecimal digits."""
    return hashlib.sha1(identity.encode(), usedforsecurity=False).hexdigest()


def _extended(collection: str, mode: str) -> str:
    return f"{collection}/{mode.rpartition('/')[2]}"


def _has_cycle(edges: dict[str, set[str]]) -> bool:
    left = {each: targets & edges.keys() for each, targets in edges.items()}
    while ends := [each for each, aliased in left.items() if not aliased & left.keys()]:
        for each in ends:
            del left[each]
    return bool(left)
