"""The folders of a team, what is in them, and each by itself (platform-api.md 4.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.accounts.scopes import BROAD
from tokensync.emulator.endpoints import shapes
from tokensync.emulator.endpoints.answers import as_json
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.filing import folders

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.filing.places import Folder


def list_of_team(call: Call, team_id: str) -> bytes:
    """Those at the top, which have no folder around them."""
    folders.not_for_public_apps(call)
    team, seen = folders.team_and_folders(call, team_id)
    return as_json({"name": team.name, "folders": [_document(each) for each in seen]})


def list_of_folder(call: Call, folder_id: str) -> bytes:
    """Those directly in a folder."""
    folders.not_for_public_apps(call)
    around = folders.folder(call, folder_id, "folder_id")
    return as_json({"name": around.name, "folders": [_document(each) for each in folders.subfolders(call, around)]})


def list_files(call: Call, folder_id: str) -> bytes:
    """The files directly in a folder."""
    folders.not_for_public_apps(call)
    around = folders.folder(call, folder_id, "folder_id")
    return as_json({"name": around.name, "files": folders.files_in(call, around)})


def read_metadata(call: Call, folder_id: str) -> bytes:
    """One folder."""
    return as_json(folders.metadata(call, folders.folder(call, folder_id)))


def _document(folder: Folder) -> dict[str, Any]:
    return {"id": folder.id, "name": folder.name, "parent_folder_id": folder.parent}


BRANCH_DATA: Final = Query("branch_data", shapes.BOOLEAN | {"default": False})
_LISTED: Final = {
    "key": shapes.TEXT,
    "name": shapes.TEXT,
    "thumbnail_url": shapes.TEXT,
    "last_modified": shapes.TIME,
}
FILES: Final = shapes.members(
    {
        "name": shapes.TEXT,
        "files": shapes.array(shapes.members(_LISTED, {"branches": shapes.array(shapes.members(_LISTED))})),
    }
)
METADATA: Final = shapes.members(
    {
        "id": shapes.TEXT,
        "name": shapes.TEXT,
        "thumbnail_url": shapes.or_null(shapes.TEXT),
        "file_count": {"type": "integer", "minimum": 0},
        "updated_at": shapes.TIME,
        "created_at": shapes.TIME,
    }
)
_FOLDER: Final = shapes.members(
    {"id": shapes.TEXT, "name": shapes.TEXT, "parent_folder_id": shapes.or_null(shapes.TEXT)}
)
_FOLDERS: Final = shapes.members({"name": shapes.TEXT, "folders": shapes.array(_FOLDER)})
_SCOPES: Final = ("folders:read", BROAD)

ROUTES: Final = (
    Route(
        "GET",
        "/v2/teams/<team_id>/folders",
        list_of_team,
        scopes=_SCOPES,
        tier=2,
        errors="err",
        gives=_FOLDERS,
    ),
    Route(
        "GET",
        "/v2/folders/<folder_id>/folders",
        list_of_folder,
        scopes=_SCOPES,
        tier=2,
        errors="err",
        gives=_FOLDERS,
    ),
    Route(
        "GET",
        "/v2/folders/<folder_id>/files",
        list_files,
        scopes=_SCOPES,
        tier=2,
        errors="err",
        parameters=(BRANCH_DATA,),
        gives=FILES,
    ),
    Route(
        "GET",
        "/v2/folders/<folder_id>/meta",
        read_metadata,
        scopes=("folder_metadata:read", BROAD),
        tier=3,
        errors="err",
        gives=METADATA,
    ),
)
