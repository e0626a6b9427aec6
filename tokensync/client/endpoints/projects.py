"""Projects, the older name of folders, for platforms and tokens without folders (Figma REST API: Projects)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.client.endpoint import Endpoint, PathId, path
from tokensync.client.endpoints.folders import BRANCH_DATA, FileList, FolderFile

if TYPE_CHECKING:
    from tokensync.client.session import Session


_SCOPES: Final = ("projects:read", "files:read")
_PROJECT: Final = path("project_id", "id of a project, which is a folder")

TEAM: Final = Endpoint(
    "projects",
    "team",
    "GET",
    "v1/teams/{team_id}/projects",
    "List the projects of a team.",
    _SCOPES,
    2,
    (path("team_id", "id of a team"),),
    shape="plain",
    subject="team",
    replaced_by="folders team",
)
FILES: Final = Endpoint(
    "projects",
    "files",
    "GET",
    "v1/projects/{project_id}/files",
    "List the files in a project.",
    _SCOPES,
    2,
    (_PROJECT, BRANCH_DATA),
    shape="plain",
    subject="project",
    replaced_by="folders files",
)
META: Final = Endpoint(
    "projects",
    "meta",
    "GET",
    "v1/projects/{project_id}/meta",
    "Get a project's name, times and number of files.",
    ("project_metadata:read", "files:read"),
    3,
    (_PROJECT,),
    shape="plain",
    subject="project",
    replaced_by="folders meta",
)
ENDPOINTS: Final = (TEAM, FILES, META)


class Project(msgspec.Struct, frozen=True):
    """A top-level folder of a team."""

    id: PathId
    name: str = ""


class ProjectList(msgspec.Struct, frozen=True):
    """Projects, and the name of their team."""

    name: str = ""
    projects: tuple[Project, ...] = ()


class Projects:
    """Lists projects and files that the token's user can see. ``Folders`` replaces it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of_team(self, team_id: str) -> ProjectList:
        """Return the projects of a team."""
        return self._session.read(TEAM.request({"team_id": team_id}), ProjectList)

    def files(self, project_id: str, *, branches: bool = False) -> tuple[FolderFile, ...]:
        """Return the files directly in a project, with their branches on request."""
        request = FILES.request({"project_id": project_id, "branch_data": branches or None})
        return self._session.read(request, FileList).files
