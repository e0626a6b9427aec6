"""A naive request body with one element for each operation, regardless of the platform's rules."""

from __future__ import annotations

from typing import Any

from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.state import ObjectValue

MEMBERS = {
    "name": "name",
    "description": "description",
    "hidden": "hiddenFromPublishing",
    "scopes": "scopes",
    "code_syntax": "codeSyntax",
}


def body(operations) -> dict[str, Any]:
    """One request for all of them."""
    made: dict[str, list[Any]] = {
        each: [] for each in ("variableCollections", "variableModes", "variables", "variableModeValues")
    }
    for each in operations:
        add(each, *made.values())
    return {name: changes for name, changes in made.items() if changes} or {"variables": []}


def add(operation, collections, modes, variables, values):
    match operation:
        case CreateCollection(ref=ref, name=name, modes=(first, *rest), hidden=hidden):
            collections.append(create(ref, name=name, initialModeId=first.ref, hiddenFromPublishing=hidden))
            modes.append(update(first.ref, name=first.name, variableCollectionId=ref))
            modes.extend(create(mode.ref, name=mode.name, variableCollectionId=ref) for mode in rest)
        case CreateExtension(ref=ref, name=name, parent=parent, modes=own):
            mapping = {mode.parent: mode.ref for mode in own}
            members = {"parentVariableCollectionId": parent, "initialModeIdToParentModeIdMapping": mapping}
            collections.append(create(ref, name=name, **members))
        case UpdateCollection(ref=ref):
            collections.append(update(ref, **changed(operation, "name", "hidden")))
        case CreateMode(ref=ref, collection=collection, name=name):
            modes.append(create(ref, name=name, variableCollectionId=collection))
        case RenameMode(ref=ref, collection=collection, name=(_, name)):
            modes.append(update(ref, name=name, variableCollectionId=collection))
        case CreateVariable(variable=variable):
            members = {wire: written(name, getattr(variable, name)) for name, wire in MEMBERS.items()}
            kind = {"variableCollectionId": variable.collection, "resolvedType": variable.type}
            variables.append(create(variable.ref, **members, **kind))
            values.extend(value_of(variable.ref, mode, value) for mode, value in variable.values.items())
        case UpdateVariable(ref=ref):
            variables.append(update(ref, **changed(operation, *MEMBERS)))
        case SetValue(variable=variable, mode=mode, after=value):
            values.append(value_of(variable, mode, value))
        case DeleteCollection(ref=ref):
            collections.append({"action": "DELETE", "id": ref})
        case DeleteMode(ref=ref, collection=collection):
            modes.append({"action": "DELETE", "id": ref, "variableCollectionId": collection})
        case DeleteVariable(ref=ref):
            variables.append({"action": "DELETE", "id": ref})


def create(ref, **members):
    return {"action": "CREATE", "id": ref, **members}


def update(ref, **members):
    return {"action": "UPDATE", "id": ref, **members}


def changed(operation, *names):
    pairs = ((name, getattr(operation, name)) for name in names)
    return {MEMBERS[name]: written(name, pair[1]) for name, pair in pairs if pair is not None}


def written(name, value):
    if name == "code_syntax":
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def value_of(variable, mode, value):
    return {"variableId": variable, "modeId": mode, "value": wire(value)}


def wire(value):
    """A value as the API writes it."""
    if not isinstance(value, ObjectValue):
        return value
    if value.alias is not None:
        return {"type": "VARIABLE_ALIAS", "id": value.alias}
    if value.color is None and value.opacity is None:
        return {name: getattr(value, name) for name in "rgba" if getattr(value, name) is not None}
    return {"color": wire(value.color), "opacity": wire(value.opacity)}
