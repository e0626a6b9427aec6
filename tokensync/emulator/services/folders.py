"""Folders and the files in them, and projects, their older name (Figma REST API: Folders, Projects)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import access, apps, endpoints, files
from tokensync.emulator.endpoints import Call, Query, Refusal, Route, as_json, existing, flag, invalid, timestamp
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    from tokensync.emulator.files import Folder, Team


def refuse_public_apps(call: Call) -> None:
    """Refuse tokens of public OAuth apps."""
    if apps.is_public(call.connection, call.token.app):
        raise Refusal(403, "This endpoint cannot be used with public OAuth apps")


def team_and_folders(call: Call, team_id: str) -> tuple[Team, tuple[Folder, ...]]:
    """Return a team and its visible top-level folders; refuse a user who is no member and sees no folder."""
    _check_id(team_id, "team_id")
    team = existing(files.find_team(call.connection, team_id), "Team")
    top_level = _visible(call, files.folders_of(call.connection, team.id, None))
    if not top_level and access.role_on_team(call.connection, call.user, team.id) is None:
        raise Refusal(403, "Insufficient team permissions")
    return team, top_level


def folder(call: Call, folder_id: str, name: str | None = None) -> Folder:
    """Return a visible folder. A malformed id is answered with 400 if ``name``, its path parameter, is set."""
    if name is not None:
        _check_id(folder_id, name)
    result = existing(files.find_folder(call.connection, folder_id), "Folder")
    if access.role_on_folder(call.connection, call.user, folder_id) is None:
        raise Refusal(403, "Insufficient folder permissions")
    return result


def files_in(call: Call, parent: Folder) -> list[dict[str, Any]]:
    """Return the visible files directly in a folder; ``branch_data=true`` includes their branches."""
    with_branches = flag(call.query, "branch_data")
    entries = []
    for file in files.in_folder(call.connection, parent.id):
        if access.permission_on(call.connection, call.user, file.key) is None:
            continue
        entry = file_entry(call, file)
        branches = [
            file_entry(call, branch)
            for branch in (files.branches(call.connection, file.number) if with_branches else ())
            if access.permission_on(call.connection, call.user, branch.key) is not None
        ]
        if branches:
            entry["branches"] = branches
        entries.append(entry)
    return entries


def file_entry(call: Call, file: files.File) -> dict[str, Any]:
    """Return the entry of a file or branch in a list."""
    return {
        "key": file.key,
        "name": file.name,
        "thumbnail_url": thumbnail(call, file),
        "last_modified": timestamp(file.modified),
    }


def thumbnail(call: Call, file: files.File) -> str:
    """Return the URL of a file's thumbnail."""
    return picture_url(call, file.key, "thumbnail.png")


def picture_url(call: Call, source: str, name: str) -> str:
    """Return the URL of a picture, which expires after 30 days."""
    return f"{call.root}/pictures/{source}/{name}?expires={int(call.now) + _PICTURE_SECONDS}"


_PICTURE_SECONDS: Final = 30 * 86_400


def metadata(call: Call, folder: Folder) -> dict[str, Any]:
    """Return a folder's metadata. Its thumbnail is that of its most recently modified file."""
    contents = files.in_folder(call.connection, folder.id)
    newest = max(contents, key=lambda file: file.modified, default=None)
    return {
        "id": folder.id,
        "name": folder.name,
        "thumbnail_url": None if newest is None else thumbnail(call, newest),
        "file_count": len(contents),
        "updated_at": timestamp(folder.updated if newest is None else max(folder.updated, newest.modified)),
        "created_at": timestamp(folder.created),
    }


def _visible(call: Call, folders: tuple[Folder, ...]) -> tuple[Folder, ...]:
    return tuple(each for each in folders if access.role_on_folder(call.connection, call.user, each.id) is not None)


def _check_id(id_: str, name: str) -> None:
    if not (id_.isascii() and id_.isdigit()):
        raise invalid(f"{name} must be a number")


def list_of_team(call: Call, team_id: str) -> bytes:
    """Return the top-level folders of a team."""
    refuse_public_apps(call)
    team, top_level = team_and_folders(call, team_id)
    return as_json({"name": team.name, "folders": [_document(folder) for folder in top_level]})


def list_of_folder(call: Call, folder_id: str) -> bytes:
    """Return the folders directly in a folder."""
    refuse_public_apps(call)
    parent = folder(call, folder_id, "folder_id")
    subfolders = _visible(call, files.folders_of(call.connection, parent.team, parent.id))
    return as_json({"name": parent.name, "folders": [_document(subfolder) for subfolder in subfolders]})


def list_files(call: Call, folder_id: str, name: str = "folder_id") -> bytes:
    """Return the files directly in a folder."""
    refuse_public_apps(call)
    parent = folder(call, folder_id, name)
    return as_json({"name": parent.name, "files": files_in(call, parent)})


def read_metadata(call: Call, folder_id: str) -> bytes:
    """Return the metadata of a folder."""
    return as_json(metadata(call, folder(call, folder_id)))


def _document(folder: Folder) -> dict[str, Any]:
    return {"id": folder.id, "name": folder.name, "parent_folder_id": folder.parent}


BRANCH_DATA: Final = Query("branch_data", endpoints.BOOLEAN | {"default": False})
_FILE: Final = {
    "key": endpoints.TEXT,
    "name": endpoints.TEXT,
    "thumbnail_url": endpoints.TEXT,
    "last_modified": endpoints.TIME,
}
FILES: Final = endpoints.members(
    {
        "name": endpoints.TEXT,
        "files": endpoints.array(endpoints.members(_FILE, {"branches": endpoints.array(endpoints.members(_FILE))})),
    }
)
METADATA: Final = endpoints.members(
    {
        "id": endpoints.TEXT,
        "name": endpoints.TEXT,
        "thumbnail_url": endpoints.or_null(endpoints.TEXT),
        "file_count": {"type": "integer", "minimum": 0},
        "updated_at": endpoints.TIME,
        "created_at": endpoints.TIME,
    }
)
_FOLDER: Final = endpoints.members(
    {"id": endpoints.TEXT, "name": endpoints.TEXT, "parent_folder_id": endpoints.or_null(endpoints.TEXT)}
)
_FOLDERS: Final = endpoints.members({"name": endpoints.TEXT, "folders": endpoints.array(_FOLDER)})
_SCOPES: Final = ("folders:read",)

_folders: Final = partial(Route, scopes=_SCOPES, tier=2, errors="err")

ROUTES: Final = (
    _folders("GET", "/v2/teams/<team_id>/folders", list_of_team, returns=_FOLDERS),
    _folders("GET", "/v2/folders/<folder_id>/folders", list_of_folder, returns=_FOLDERS),
    _folders("GET", "/v2/folders/<folder_id>/files", list_files, parameters=(BRANCH_DATA,), returns=FILES),
    Route(
        "GET",
        "/v2/folders/<folder_id>/meta",
        read_metadata,
        scopes=("folder_metadata:read",),
        tier=3,
        errors="err",
        returns=METADATA,
    ),
)


def list_projects(call: Call, team_id: str) -> bytes:
    """Return the projects of a team, which are its top-level folders."""
    refuse_public_apps(call)
    team, projects = team_and_folders(call, team_id)
    return as_json({"name": team.name, "projects": [{"id": project.id, "name": project.name} for project in projects]})


def list_project_files(call: Call, project_id: str) -> bytes:
    """Return the files directly in a project."""
    return list_files(call, project_id, "project_id")


def read_project_metadata(call: Call, project_id: str) -> bytes:
    """Return the metadata of a project."""
    refuse_public_apps(call)
    return read_metadata(call, project_id)


_PROJECT: Final = endpoints.members({"id": endpoints.TEXT, "name": endpoints.TEXT})

_projects: Final = partial(Route, scopes=("projects:read", BROAD), tier=2, errors="err")

PROJECTS: Final = (
    _projects(
        "GET",
        "/v1/teams/<team_id>/projects",
        list_projects,
        replaced_by="/v2/teams/{team_id}/folders",
        returns=endpoints.members({"name": endpoints.TEXT, "projects": endpoints.array(_PROJECT)}),
    ),
    _projects(
        "GET",
        "/v1/projects/<project_id>/files",
        list_project_files,
        replaced_by="/v2/folders/{project_id}/files",
        parameters=(BRANCH_DATA,),
        returns=FILES,
    ),
    ROUTES[-1]._replace(
        path="/v1/projects/<project_id>/meta",
        answer=read_project_metadata,
        scopes=("project_metadata:read",),
        replaced_by="/v2/folders/{project_id}/meta",
    ),
)
