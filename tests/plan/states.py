"""Short constructors for states of a file, and their conversion to and from the platform's JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, VariableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.plan.state import Ref, StateValue

FIRST = "VariableCollectionId:1:0"


def root(ref: Ref = FIRST, *modes: Ref, name: str = "", default: Ref = "", **members: Any) -> CollectionState:
    """A root collection; a mode's name is its ref."""
    listed = tuple(ModeState(mode, f"Mode {mode}") for mode in modes or ("1:1",))
    found = default or listed[0].ref
    return CollectionState(ref=ref, name=name or f"C {ref}", root=ref, modes=listed, default=found, **members)


def extending(ref: Ref, parent: CollectionState, *, temporary: bool = False, name: str = "") -> CollectionState:
    """An extension; its modes have the platform's ids, or the temporary refs ``<ref>~<root mode>``."""
    sign = "~" if temporary or not ref.startswith("VariableCollectionId:") else "/"
    modes = tuple(
        ModeState(f"{ref}{sign if _is_id(of) else '~'}{of}", mode.name, mode.ref)
        for mode in parent.modes
        for of in (mode.ref.rpartition("/")[2].rpartition("~")[2],)
    )
    default = next(mode.ref for mode in modes if mode.parent == parent.default)
    return CollectionState(
        ref=ref, name=name or f"C {ref}", root=parent.root, modes=modes, default=default, parent=parent.ref
    )


def _is_id(mode: Ref) -> bool:
    return mode[:1].isdigit()


def variable(
    ref: Ref, collection: CollectionState, *values: StateValue, name: str = "", **members: Any
) -> VariableState:
    """A number (or what ``type`` says) with a value for each mode of its collection; overrides as ``more``."""
    more: Mapping[Ref, StateValue] = members.pop("more", {})
    held = {mode.ref: value for mode, value in zip(collection.modes, values, strict=True)}
    defaults = {"type": "FLOAT", "scopes": ("ALL_SCOPES",), "name": name or ref, **members}
    return VariableState(ref=ref, collection=collection.ref, values={**held, **more}, **defaults)


def to(ref: Ref) -> ObjectValue:
    """An alias."""
    return ObjectValue(alias=ref)


def state(collections: Iterable[CollectionState], variables: Iterable[VariableState] = ()) -> FileState:
    """The whole file."""
    return FileState({each.ref: each for each in collections}, {each.ref: each for each in variables})


def response_of(file: FileState) -> bytes:
    """The response of ``GET variables/local`` for a state, to seed an emulator with."""
    return json.dumps(
        {
            "status": 200,
            "error": False,
            "meta": {
                "variableCollections": {ref: _collection(file, each) for ref, each in file.collections.items()},
                "variables": {ref: _variable(file, each) for ref, each in file.variables.items()},
            },
        }
    ).encode()


def state_in(response: bytes) -> FileState:
    """The live part of an answer."""
    meta = json.loads(response)["meta"]
    collections = {ref: _read(each) for ref, each in meta["variableCollections"].items() if _is_live(each)}
    overrides: dict[str, dict[str, Any]] = {}
    for each in meta["variableCollections"].values():
        for ref, values in each.get("variableOverrides", {}).items():
            overrides.setdefault(ref, {}).update(values)
    variables = {}
    for ref, each in meta["variables"].items():
        if _is_live(each):
            values = {**each["valuesByMode"], **overrides.get(ref, {})}
            variables[ref] = VariableState(
                ref=ref,
                collection=each["variableCollectionId"],
                name=each["name"],
                type=each["resolvedType"],
                values={mode: _value_in(value) for mode, value in values.items()},
                description=each["description"],
                scopes=tuple(sorted(each["scopes"])),
                hidden=each["hiddenFromPublishing"],
                code_syntax=tuple(sorted(each["codeSyntax"].items())),
                fixed=each["remote"],
            )
    return FileState(collections, variables)


def _is_live(thing: dict[str, Any]) -> bool:
    return not thing.get("deletedButReferenced")


def _collection(file: FileState, collection: CollectionState) -> dict[str, Any]:
    owned = [each.ref for each in file.variables.values() if each.collection == collection.root]
    modes = [{"modeId": mode.ref, "name": mode.name} for mode in collection.modes]
    made = {
        "id": collection.ref,
        "name": collection.name,
        "key": f"key of {collection.ref}",
        "modes": modes,
        "defaultModeId": collection.default,
        "remote": collection.fixed,
        "hiddenFromPublishing": collection.hidden,
        "isExtension": collection.parent is not None,
        "variableIds": owned,
    }
    if collection.parent is None:
        return made
    for mode, of in zip(modes, collection.modes, strict=True):
        mode["parentModeId"] = of.parent or ""
    own = {mode.ref for mode in collection.modes}
    overrides = {
        ref: held
        for ref, each in file.variables.items()
        if (held := {mode: _wire(value) for mode, value in each.values.items() if mode in own})
        and each.collection == collection.root
    }
    return made | {
        "parentVariableCollectionId": collection.parent,
        "rootVariableCollectionId": collection.root,
        "inheritedVariableIds": owned,
        "localVariableIds": [],
        "variableOverrides": overrides,
    }


def _variable(file: FileState, variable: VariableState) -> dict[str, Any]:
    own = {mode.ref for mode in file.collections[variable.collection].modes}
    return {
        "id": variable.ref,
        "name": variable.name,
        "key": f"key of {variable.ref}",
        "variableCollectionId": variable.collection,
        "resolvedType": variable.type,
        "valuesByMode": {mode: _wire(value) for mode, value in variable.values.items() if mode in own},
        "remote": variable.fixed,
        "description": variable.description,
        "hiddenFromPublishing": variable.hidden,
        "scopes": list(variable.scopes),
        "codeSyntax": dict(variable.code_syntax),
    }


def _wire(value: StateValue) -> Any:
    if not isinstance(value, ObjectValue):
        return value
    if value.alias is not None:
        return {"type": "VARIABLE_ALIAS", "id": value.alias}
    if value.color is not None and value.opacity is not None:
        return {"color": _wire(value.color), "opacity": _wire(value.opacity)}
    return {name: getattr(value, name) for name in "rgba"}


def _read(collection: dict[str, Any]) -> CollectionState:
    return CollectionState(
        ref=collection["id"],
        name=collection["name"],
        root=collection.get("rootVariableCollectionId", collection["id"]),
        modes=tuple(ModeState(each["modeId"], each["name"], each.get("parentModeId")) for each in collection["modes"]),
        default=collection["defaultModeId"],
        parent=collection.get("parentVariableCollectionId"),
        hidden=collection["hiddenFromPublishing"],
        fixed=collection["remote"],
    )


def _value_in(value: Any) -> StateValue:
    if not isinstance(value, dict):
        return msgspec.convert(value, bool | float | str)
    if "id" in value:
        return to(value["id"])
    if "color" in value:
        return ObjectValue(color=_value_in(value["color"]), opacity=_value_in(value["opacity"]))  # type: ignore[arg-type]
    return ObjectValue(**value)
