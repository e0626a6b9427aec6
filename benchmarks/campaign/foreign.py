"""Edits by another user during an apply, and the check that they survived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from random import Random

    from campaign.platform import DesignFile

MARK = "somebody else's"
_LITERALS: dict[str, Any] = {
    "COLOR": {"r": 0.125, "g": 0.125, "b": 0.125, "a": 1},
    "FLOAT": 777,
    "STRING": MARK,
    "BOOLEAN": True,
}

Meta = dict[str, Any]
"""The ``meta`` of a response."""


class Edit(NamedTuple):
    """An edit of a variable or collection that was there from the start (``subject``), or something new.

    ``kind`` is "describe", "value", "rename", "variable" (a new one in the collection ``subject``) or "collection" (a
    new one of the name ``subject``). ``mode`` and ``value`` are those of "value".
    """

    kind: str
    subject: str
    mode: str = ""
    value: Any = None

    def do(self, file: DesignFile) -> bool:
        """Send it; False when the file has no room for it any more."""
        return file.change(self._body())

    def on(self, meta: Meta) -> None:
        """Apply the edit to a response, except for new objects, which ``take_out`` looks for."""
        variable = meta["variables"].get(self.subject, {})
        if self.kind == "describe":
            variable["description"] = MARK
        elif self.kind == "rename":
            variable["name"] = MARK
        elif self.kind == "value" and self.mode in variable.get("valuesByMode", {}):
            variable["valuesByMode"][self.mode] = self.value

    def take_out(self, meta: Meta) -> bool:
        """Take out of a response what the edit made; whether it is there, once and untouched. Nothing for a change."""
        if self.kind not in ("variable", "collection"):
            return True
        variables, collections = meta["variables"], meta["variableCollections"]
        created = [each for each in variables.values() if each["name"] == MARK]
        for each in created:
            del variables[each["id"]]
            for collection in collections.values():
                for member in {"variableIds", "inheritedVariableIds"} & collection.keys():
                    collection[member] = [one for one in collection[member] if one != each["id"]]
            if self.kind == "collection":
                del collections[each["variableCollectionId"]]
        return (
            len(created) == 1 and created[0]["description"] == MARK and set(created[0]["valuesByMode"].values()) == {""}
        )

    def _body(self) -> dict[str, Any]:
        if self.kind == "value":
            return {"variableModeValues": [{"variableId": self.subject, "modeId": self.mode, "value": self.value}]}
        if self.kind in ("describe", "rename"):
            member = "description" if self.kind == "describe" else "name"
            return {"variables": [{"action": "UPDATE", "id": self.subject, member: MARK}]}
        new_variable = {"action": "CREATE", "name": MARK, "resolvedType": "STRING", "description": MARK}
        if self.kind == "variable":
            return {"variables": [{**new_variable, "variableCollectionId": self.subject}]}
        return {
            "variableCollections": [{"action": "CREATE", "id": "c", "name": self.subject}],
            "variables": [{**new_variable, "variableCollectionId": "c"}],
        }


def drawn(dice: Random, before: Meta, after: Meta) -> Edit:
    """Return an edit of an object that existed before the plan; the plan changes about half of these."""
    variables = [each for each in before["variables"].values() if not each["remote"]]
    changed = [each for each in variables if after["variables"].get(each["id"]) != each]
    there, wanted = before["variableCollections"], after["variableCollections"]
    new = [each["name"] for id_, each in wanted.items() if id_ not in there]
    roots = [each["id"] for each in there.values() if not each["isExtension"] and not each["remote"]]
    way = dice.randrange(6)
    if way == 0 and new:
        return Edit("collection", dice.choice(new))
    if way <= 1 or not variables:
        return Edit("variable", dice.choice(roots))
    chosen = dice.choice(changed if changed and dice.randrange(2) else variables)
    if way == 2:
        return Edit("describe", chosen["id"])
    if way == 3:
        return Edit("rename", chosen["id"])
    mode = dice.choice([*chosen["valuesByMode"]])
    value = _LITERALS[chosen["resolvedType"]]
    return Edit("value", chosen["id"], mode, chosen["valuesByMode"][mode] is not True if value is True else value)
