"""Folders and the files in them, as somebody may see them (platform-api.md 4.5 and 4.6): the rules of both versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.emulator.accounts import apps
from tokensync.emulator.endpoints.answers import timestamp
from tokensync.emulator.endpoints.parameters import flag
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.filing import files, places, sharing

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.filing.places import Folder, Team


def not_for_public_apps(call: Call) -> None:
    """Refuse the tokens of public OAuth apps, which no list of folders is for."""
    if apps.is_public(call.connection, call.token.app):
        raise Refusal(403, "This endpoint cannot be used with public OAuth apps")


def team_and_folders(call: Call, team_id: str) -> tuple[Team, tuple[Folder, ...]]:
    """Return a team, and the folders at the top of it that the caller sees.

    Who is no member and sees none of them is refused.
    """
    _check_id(team_id, "team_id")
    team = places.find_team(call.connection, team_id)
    if team is None:
        raise Refusal(404, "Team not found")
    seen = _visible(call, places.folders_of(call.connection, team.id, None))
    if not seen and sharing.role_on_team(call.connection, call.user, team.id) is None:
        raise Refusal(403, "Insufficient team permissions")
    return team, seen


def folder(call: Call, folder_id: str, name: str | None = None) -> Folder:
    """Return a folder that the caller sees; ``name`` is that of the path parameter, where a bad id is 400 and
    not 404.
    """
    if name is not None:
        _check_id(folder_id, name)
    found = places.find_folder(call.connection, folder_id)
    if found is None:
        raise Refusal(404, "Folder not found")
    if sharing.role_on_folder(call.connection, call.user, folder_id) is None:
        raise Refusal(403, "Insufficient folder permissions")
    return found


def subfolders(call: Call, around: Folder) -> tuple[Folder, ...]:
    """Return the folders directly in one, as far as the caller sees them."""
    return _visible(call, places.folders_of(call.connection, around.team, around.id))


def files_in(call: Call, around: Folder) -> list[dict[str, Any]]:
    """Return the files directly in a folder that the caller sees; with ``branch_data=true`` those with branches have
    them.
    """
    with_branches = flag(call.query, "branch_data")
    shown = []
    for file in files.in_folder(call.connection, around.id):
        if sharing.permission_on(call.connection, call.user, file.key) is None:
            continue
        document = listed(call, file)
        branches = files.branches(call.connection, file.number) if with_branches else ()
        seen = [each for each in branches if sharing.permission_on(call.connection, call.user, each.key) is not None]
        if seen:
            document["branches"] = [listed(call, each) for each in seen]
        shown.append(document)
    return shown


def listed(call: Call, file: files.File) -> dict[str, Any]:
    """Return a file, or a branch of one, as lists show it."""
    return {
        "key": file.key,
        "name": file.name,
        "thumbnail_url": thumbnail(call, file),
        "last_modified": timestamp(file.modified),
    }


def thumbnail(call: Call, file: files.File) -> str:
    """Return where a small picture of a file is."""
    return f"{call.root}/pictures/{file.key}/thumbnail.png"


def metadata(call: Call, shown: Folder) -> dict[str, Any]:
    """Return a folder by itself (platform-api.md 2.7). It is as new as the newest of its files, and has the picture of
    it.
    """
    inside = files.in_folder(call.connection, shown.id)
    newest = max(inside, key=lambda each: each.modified, default=None)
    return {
        "id": shown.id,
        "name": shown.name,
        "thumbnail_url": None if newest is None else thumbnail(call, newest),
        "file_count": len(inside),
        "updated_at": timestamp(shown.updated if newest is None else max(shown.updated, newest.modified)),
        "created_at": timestamp(shown.created),
    }


def _visible(call: Call, folders: tuple[Folder, ...]) -> tuple[Folder, ...]:
    return tuple(each for each in folders if sharing.role_on_folder(call.connection, call.user, each.id) is not None)


def _check_id(id_: str, name: str) -> None:
    if not (id_.isascii() and id_.isdigit()):
        raise invalid(f"{name} must be a number")
