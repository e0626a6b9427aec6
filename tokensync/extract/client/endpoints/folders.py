"""Folders of a team and their files (Figma REST API: Folders, and Projects for servers and tokens without folders)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.extract.client.endpoint import Endpoint, Parameter, PathId, path

if TYPE_CHECKING:
    from tokensync.extract.client.session import Session


_SCOPES: Final = ("folders:read",)
_FOLDER: Final = path("folder_id", "id of a folder")
_BRANCH_DATA: Final = Parameter("branch_data", "include the branches of each file", kind="boolean")

TEAM: Final = Endpoint(
    "folders",
    "team",
    "GET",
    "v2/teams/{team_id}/folders",
    "List the top-level folders of a team.",
    _SCOPES,
    2,
    (path("team_id", "id of a team"),),
    shape="plain",
    subject="team",
)
SUBFOLDERS: Final = Endpoint(
    "folders",
    "subfolders",
    "GET",
    "v2/folders/{folder_id}/folders",
    "List the subfolders of a folder.",
    _SCOPES,
    2,
    (_FOLDER,),
    shape="plain",
    subject="folder",
)
FILES: Final = Endpoint(
    "folders",
    "files",
    "GET",
    "v2/folders/{folder_id}/files",
    "List the files in a folder, without subfolders.",
    _SCOPES,
    2,
    (_FOLDER, _BRANCH_DATA),
    shape="plain",
    subject="folder",
)
META: Final = Endpoint(
    "folders",
    "meta",
    "GET",
    "v2/folders/{folder_id}/meta",
    "Get a folder's name, times and number of files.",
    ("folder_metadata:read",),
    3,
    (_FOLDER,),
    shape="plain",
    subject="folder",
)

_PROJECT: Final = path("project_id", "id of a project, which is a folder")
PROJECTS: Final = Endpoint(
    "projects",
    "team",
    "GET",
    "v1/teams/{team_id}/projects",
    "List the projects of a team.",
    ("projects:read", "files:read"),
    2,
    (path("team_id", "id of a team"),),
    shape="plain",
    subject="team",
    replaced_by="folders team",
)
PROJECT_FILES: Final = Endpoint(
    "projects",
    "files",
    "GET",
    "v1/projects/{project_id}/files",
    "List the files in a project.",
    ("projects:read", "files:read"),
    2,
    (_PROJECT, _BRANCH_DATA),
    shape="plain",
    subject="project",
    replaced_by="folders files",
)
PROJECT_META: Final = Endpoint(
    "projects",
    "meta",
    "GET",
    "v1/projects/{project_id}/meta",
    "Get a project's name, times and number of files.",
    ("project_metadata:read",),
    3,
    (_PROJECT,),
    shape="plain",
    subject="project",
    replaced_by="folders meta",
)
ENDPOINTS: Final = (PROJECTS, PROJECT_FILES, PROJECT_META, TEAM, SUBFOLDERS, FILES, META)


class Folder(msgspec.Struct, frozen=True):
    """A folder; ``parent_folder_id`` is None for a top-level one."""

    id: PathId
    name: str = ""
    parent_folder_id: str | None = None


class Branch(msgspec.Struct, frozen=True):
    """A branch of a file."""

    key: PathId
    name: str = ""


class FolderFile(msgspec.Struct, frozen=True):
    """A file in a folder; ``last_modified`` is ISO 8601. Branches are listed only on request."""

    key: PathId
    name: str = ""
    last_modified: str = ""
    branches: tuple[Branch, ...] = ()


class FolderList(msgspec.Struct, frozen=True):
    """Folders, and the name of their team or parent folder."""

    name: str = ""
    folders: tuple[Folder, ...] = ()


class ProjectList(msgspec.Struct, frozen=True):
    """Top-level folders of a team, under their older name, and the name of the team."""

    name: str = ""
    projects: tuple[Folder, ...] = ()


class FileList(msgspec.Struct, frozen=True):
    """Files, and the name of their folder."""

    name: str = ""
    files: tuple[FolderFile, ...] = ()


class Folders:
    """Lists folders and files that the token's user can see."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of_team(self, team_id: str) -> FolderList:
        """Return the top-level folders of a team."""
        return self._session.read(TEAM.request({"team_id": team_id}), FolderList)

    def subfolders(self, folder_id: str) -> tuple[Folder, ...]:
        """Return the direct subfolders of a folder."""
        return self._session.read(SUBFOLDERS.request({"folder_id": folder_id}), FolderList).folders

    def files(self, folder_id: str, *, branches: bool = False) -> tuple[FolderFile, ...]:
        """Return the files directly in a folder, with their branches on request."""
        request = FILES.request({"folder_id": folder_id, "branch_data": branches or None})
        return self._session.read(request, FileList).files


class Projects:
    """Lists projects and files that the token's user can see. ``Folders`` replaces it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of_team(self, team_id: str) -> ProjectList:
        """Return the projects of a team."""
        return self._session.read(PROJECTS.request({"team_id": team_id}), ProjectList)

    def files(self, project_id: str, *, branches: bool = False) -> tuple[FolderFile, ...]:
        """Return the files directly in a project, with their branches on request."""
        request = PROJECT_FILES.request({"project_id": project_id, "branch_data": branches or None})
        return self._session.read(request, FileList).files
