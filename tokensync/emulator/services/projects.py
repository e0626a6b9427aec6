"""Folders under their older name, as version 1 of the API calls them (Figma REST API: Projects)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator import schemas
from tokensync.emulator.endpoints import Route, as_json
from tokensync.emulator.services import folders
from tokensync.emulator.services.folders import BRANCH_DATA, FILES, METADATA
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call


def list_of_team(call: Call, team_id: str) -> bytes:
    """Those at the top alone: this version has no projects in projects."""
    folders.not_for_public_apps(call)
    team, seen = folders.team_and_folders(call, team_id)
    return as_json({"name": team.name, "projects": [{"id": each.id, "name": each.name} for each in seen]})


def list_files(call: Call, project_id: str) -> bytes:
    """The files directly in a project."""
    folders.not_for_public_apps(call)
    around = folders.folder(call, project_id, "project_id")
    return as_json({"name": around.name, "files": folders.files_in(call, around)})


def read_metadata(call: Call, project_id: str) -> bytes:
    """One project."""
    folders.not_for_public_apps(call)
    return as_json(folders.metadata(call, folders.folder(call, project_id)))


_PROJECT: Final = schemas.members({"id": schemas.TEXT, "name": schemas.TEXT})

ROUTES: Final = (
    Route(
        "GET",
        "/v1/teams/<team_id>/projects",
        list_of_team,
        scopes=("projects:read", BROAD),
        tier=2,
        errors="err",
        replaced_by="/v2/teams/{team_id}/folders",
        returns=schemas.members({"name": schemas.TEXT, "projects": schemas.array(_PROJECT)}),
    ),
    Route(
        "GET",
        "/v1/projects/<project_id>/files",
        list_files,
        scopes=("projects:read", BROAD),
        tier=2,
        errors="err",
        replaced_by="/v2/folders/{project_id}/files",
        parameters=(BRANCH_DATA,),
        returns=FILES,
    ),
    Route(
        "GET",
        "/v1/projects/<project_id>/meta",
        read_metadata,
        scopes=("project_metadata:read", BROAD),
        tier=3,
        errors="err",
        replaced_by="/v2/folders/{project_id}/meta",
        returns=METADATA,
    ),
)
