"""VariableCollectionChange: a collection is made, extended, renamed, hidden or deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.emulator.variables import states
from tokensync.emulator.variables.change import CREATE, DELETE
from tokensync.emulator.variables.deletion import delete_collection
from tokensync.emulator.variables.draft import Collection
from tokensync.emulator.variables.mode_ids import extended, original

if TYPE_CHECKING:
    from tokensync.emulator.variables.change import Change
    from tokensync.emulator.variables.draft import Draft

_FIRST_MODE = "Mode 1"
_PARENT = "parentVariableCollectionId"
_INITIAL = "initialModeId"
_MAPPING = "initialModeIdToParentModeIdMapping"


def apply(draft: Draft, change: Change) -> None:
    """Carry out one change; a rule that it breaks is a Refusal."""
    action = change.action()
    if action == CREATE:
        _create(draft, change)
    elif action == DELETE:
        delete_collection(draft, draft.local_collection(change, "id"))
    else:
        _update(draft, change)


def _create(draft: Draft, change: Change) -> None:
    name = change.required_text("name")
    if _PARENT in change.members:
        document = _extension(draft, change)
    elif _MAPPING in change.members:
        raise change.refusal(_MAPPING, f"can only be used together with {_PARENT}")
    else:
        document = _original(draft, change)
    document |= {"name": name, "hiddenFromPublishing": change.flag("hiddenFromPublishing") or False}
    parent = document.get(_PARENT)
    draft.add_collection(Collection(document["id"], parent, states.LIVE, document, is_new=True))


def _original(draft: Draft, change: Change) -> dict[str, Any]:
    """Return a collection of its own, with one mode."""
    id_, mode = draft.new_id("VariableCollectionId:"), draft.new_id()
    draft.claim(change, "id", change.text("id"), id_)
    draft.claim(change, _INITIAL, change.text(_INITIAL), mode)
    modes = [{"modeId": mode, "name": _FIRST_MODE}]
    return _document(draft, id_) | {"defaultModeId": mode, "modes": modes, "isExtension": False, "variableIds": []}


def _extension(draft: Draft, change: Change) -> dict[str, Any]:
    """Return a collection that extends another: the parent's modes and variables, no values of its own yet."""
    if _INITIAL in change.members:
        raise change.refusal(_INITIAL, f"cannot be combined with {_PARENT}")
    parent = draft.local_collection(change, _PARENT)
    if not parent.modes:
        raise change.refusal(_PARENT, "has no modes to extend")
    id_ = draft.new_id("VariableCollectionId:")
    draft.claim(change, "id", change.text("id"), id_)
    modes = [
        {"modeId": extended(id_, mode["modeId"]), "name": mode.get("name", ""), "parentModeId": mode["modeId"]}
        for mode in parent.modes
    ]
    _claim_modes(draft, change, parent, id_)
    variables = [*parent.document.get("variableIds", ())]
    return _document(draft, id_) | {
        "defaultModeId": extended(id_, parent.default_mode or parent.mode_ids[0]),
        "modes": modes,
        "isExtension": True,
        "variableIds": variables,
        _PARENT: parent.id,
        "rootVariableCollectionId": parent.root,
        "inheritedVariableIds": [*variables],
        "localVariableIds": [],
        "variableOverrides": {},
    }


def _claim_modes(draft: Draft, change: Change, parent: Collection, id_: str) -> None:
    """Temporary ids for the modes of a new extension, by the ids of the parent's modes; some or all of them."""
    mapping = change.members.get(_MAPPING, {})
    if not isinstance(mapping, dict):
        raise change.refusal(_MAPPING, "must be an object")
    for given, temporary in mapping.items():
        mode = draft.real(given)
        if mode not in parent.mode_ids:
            raise change.refusal(_MAPPING, f"{given!r} is not a mode of the parent collection")
        if not isinstance(temporary, str):
            raise change.refusal(_MAPPING, "must map mode ids to temporary ids, which are strings")
        draft.claim(change, _MAPPING, temporary, extended(id_, original(mode)))


def _document(draft: Draft, id_: str) -> dict[str, Any]:
    return {"id": id_, "key": draft.key(id_), "remote": False}


def _update(draft: Draft, change: Change) -> None:
    collection = draft.local_collection(change, "id")
    change.only_on_create(_PARENT, _INITIAL, _MAPPING)
    if "name" in change.members:
        collection.document["name"] = change.required_text("name")
    if (hidden := change.flag("hiddenFromPublishing")) is not None:
        collection.document["hiddenFromPublishing"] = hidden
    collection.is_touched = True
