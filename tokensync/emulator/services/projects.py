"""Projects, the older name of folders, in version 1 of the API (Figma REST API: Projects)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator import endpoints
from tokensync.emulator.endpoints import Route, as_json
from tokensync.emulator.services import folders
from tokensync.emulator.services.folders import BRANCH_DATA, FILES, METADATA
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call


def list_of_team(call: Call, team_id: str) -> bytes:
    """Return the projects of a team, which are its top-level folders."""
    folders.refuse_public_apps(call)
    team, projects = folders.team_and_folders(call, team_id)
    return as_json({"name": team.name, "projects": [{"id": each.id, "name": each.name} for each in projects]})


def list_files(call: Call, project_id: str) -> bytes:
    """Return the files directly in a project."""
    folders.refuse_public_apps(call)
    project = folders.folder(call, project_id, "project_id")
    return as_json({"name": project.name, "files": folders.files_in(call, project)})


def read_metadata(call: Call, project_id: str) -> bytes:
    """Return the metadata of a project."""
    folders.refuse_public_apps(call)
    return as_json(folders.metadata(call, folders.folder(call, project_id)))


_PROJECT: Final = endpoints.members({"id": endpoints.TEXT, "name": endpoints.TEXT})

ROUTES: Final = (
    Route(
        "GET",
        "/v1/teams/<team_id>/projects",
        list_of_team,
        scopes=("projects:read", BROAD),
        tier=2,
        errors="err",
        replaced_by="/v2/teams/{team_id}/folders",
        returns=endpoints.members({"name": endpoints.TEXT, "projects": endpoints.array(_PROJECT)}),
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
