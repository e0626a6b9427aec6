"""Folders and the files in them, as a user may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import apps, files, schemas, sharing, teams
from tokensync.emulator.endpoints import Query, Refusal, Route, as_json, flag, invalid, timestamp
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.teams import Folder, Team


def not_for_public_apps(call: Call) -> None:
    """Refuse the tokens of public OAuth apps, which no list of folders is for."""
    if apps.is_public(call.connection, call.token.app):
        raise Refusal(403, "This endpoint cannot be used with public OAuth apps")


def team_and_folders(call: Call, team_id: str) -> tuple[Team, tuple[Folder, ...]]:
    """Return a team, and the folders at the top of it that the caller sees.

    Who is no member and sees none of them is refused.
    """
    _check_id(team_id, "team_id")
    team = teams.find_team(call.connection, team_id)
    if team is None:
        raise Refusal(404, "Team not found")
    seen = _visible(call, teams.folders_of(call.connection, team.id, None))
    if not seen and sharing.role_on_team(call.connection, call.user, team.id) is None:
        raise Refusal(403, "Insufficient team permissions")
    return team, seen


def folder(call: Call, folder_id: str, name: str | None = None) -> Folder:
    """Return a folder that the caller sees; ``name`` is that of the path parameter, where a bad id is 400 and
    not 404.
    """
    if name is not None:
        _check_id(folder_id, name)
    found = teams.find_folder(call.connection, folder_id)
    if found is None:
        raise Refusal(404, "Folder not found")
    if sharing.role_on_folder(call.connection, call.user, folder_id) is None:
        raise Refusal(403, "Insufficient folder permissions")
    return found


def subfolders(call: Call, around: Folder) -> tuple[Folder, ...]:
    """Return the folders directly in one, as far as the caller sees them."""
    return _visible(call, teams.folders_of(call.connection, around.team, around.id))


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
    """Return a folder by itself. It is as new as the newest of its files, and has the picture of
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


def list_of_team(call: Call, team_id: str) -> bytes:
    """Those at the top, which have no folder around them."""
    not_for_public_apps(call)
    team, seen = team_and_folders(call, team_id)
    return as_json({"name": team.name, "folders": [_document(each) for each in seen]})


def list_of_folder(call: Call, folder_id: str) -> bytes:
    """Those directly in a folder."""
    not_for_public_apps(call)
    around = folder(call, folder_id, "folder_id")
    return as_json({"name": around.name, "folders": [_document(each) for each in subfolders(call, around)]})


def list_files(call: Call, folder_id: str) -> bytes:
    """The files directly in a folder."""
    not_for_public_apps(call)
    around = folder(call, folder_id, "folder_id")
    return as_json({"name": around.name, "files": files_in(call, around)})


def read_metadata(call: Call, folder_id: str) -> bytes:
    """One folder."""
    return as_json(metadata(call, folder(call, folder_id)))


def _document(folder: Folder) -> dict[str, Any]:
    return {"id": folder.id, "name": folder.name, "parent_folder_id": folder.parent}


BRANCH_DATA: Final = Query("branch_data", schemas.BOOLEAN | {"default": False})
_LISTED: Final = {
    "key": schemas.TEXT,
    "name": schemas.TEXT,
    "thumbnail_url": schemas.TEXT,
    "last_modified": schemas.TIME,
}
FILES: Final = schemas.members(
    {
        "name": schemas.TEXT,
        "files": schemas.array(schemas.members(_LISTED, {"branches": schemas.array(schemas.members(_LISTED))})),
    }
)
METADATA: Final = schemas.members(
    {
        "id": schemas.TEXT,
        "name": schemas.TEXT,
        "thumbnail_url": schemas.or_null(schemas.TEXT),
        "file_count": {"type": "integer", "minimum": 0},
        "updated_at": schemas.TIME,
        "created_at": schemas.TIME,
    }
)
_FOLDER: Final = schemas.members(
    {"id": schemas.TEXT, "name": schemas.TEXT, "parent_folder_id": schemas.or_null(schemas.TEXT)}
)
_FOLDERS: Final = schemas.members({"name": schemas.TEXT, "folders": schemas.array(_FOLDER)})
_SCOPES: Final = ("folders:read", BROAD)

ROUTES: Final = (
    Route(
        "GET",
        "/v2/teams/<team_id>/folders",
        list_of_team,
        scopes=_SCOPES,
        tier=2,
        errors="err",
        returns=_FOLDERS,
    ),
    Route(
        "GET",
        "/v2/folders/<folder_id>/folders",
        list_of_folder,
        scopes=_SCOPES,
        tier=2,
        errors="err",
        returns=_FOLDERS,
    ),
    Route(
        "GET",
        "/v2/folders/<folder_id>/files",
        list_files,
        scopes=_SCOPES,
        tier=2,
        errors="err",
        parameters=(BRANCH_DATA,),
        returns=FILES,
    ),
    Route(
        "GET",
        "/v2/folders/<folder_id>/meta",
        read_metadata,
        scopes=("folder_metadata:read", BROAD),
        tier=3,
        errors="err",
        returns=METADATA,
    ),
)
