"""What each kind of event tells beside the file: the fields of platform-facts "Webhooks v2"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator.accounts import people
from tokensync.emulator.endpoints.answers import timestamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.emulator.accounts.people import User

ASSETS: Final = ("components", "styles", "variables")
"""What a library holds; a publication is one event for each of them that changed."""
STATUSES: Final = ("NONE", "READY_FOR_DEV", "COMPLETED")
"""Of a layer in Dev Mode."""

Fields = dict[str, Any]
Item = dict[str, str]
"""``key`` and ``name`` of a published thing."""


class Changes(NamedTuple):
    """What a publication did to the items of one kind."""

    created: tuple[Item, ...] = ()
    modified: tuple[Item, ...] = ()
    deleted: tuple[Item, ...] = ()


def deletion(user: User) -> Fields:
    """FILE_DELETE."""
    return {"triggered_by": people.document(user)}


def version(user: User, version_id: str, now: float, description: str | None) -> Fields:
    """FILE_VERSION_UPDATE: a version that somebody named."""
    told = {"created_at": timestamp(now), "version_id": version_id, "triggered_by": people.document(user)}
    return told if description is None else {**told, "description": description}


def publication(user: User, asset: str, changes: Changes, description: str | None) -> Fields:
    """LIBRARY_PUBLISH of one kind of asset, of which at least one changed."""
    fields: Fields = {f"{verb}_{each}": [] for each in ASSETS for verb in Changes._fields}
    for verb, items in zip(Changes._fields, changes, strict=True):
        fields[f"{verb}_{asset}"] = list(items)
    fields["library_item"] = next(item for items in changes for item in items)
    fields["triggered_by"] = people.document(user)
    return fields if description is None else {**fields, "description": description}


def comment(user: User, comment_id: str, text: str, now: float, mentions: Sequence[User] = ()) -> Fields:
    """FILE_COMMENT: the text, then whom it mentions."""
    fields: Fields = {
        "comment": [{"text": text}, *({"mention": each.id} for each in mentions)],
        "comment_id": comment_id,
        "created_at": timestamp(now),
        "triggered_by": people.document(user),
    }
    return {**fields, "mentions": [people.document(each) for each in mentions]} if mentions else fields


def dev_status(user: User, node_id: str, status: str, links: Sequence[Any], message: str | None) -> Fields:
    """DEV_MODE_STATUS_UPDATE: a layer is ready, completed, or neither; with the message that was given, if any."""
    fields: Fields = {
        "node_id": node_id,
        "related_links": list(links),
        "status": status,
        "triggered_by": people.document(user),
    }
    return fields if message is None else {**fields, "change_message": message}
