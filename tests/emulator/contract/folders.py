"""Folders and, by their older name, projects."""

from collections.abc import Callable, Mapping
from typing import Any

from emulator.contract.rows import Row, get
from emulator.platform import NOW, OPENED, Platform
from werkzeug.test import Client

from tokensync.emulator import Emulator, tokens

SCOPES = ("folders:read", "folder_metadata:read", "projects:read", "project_metadata:read")
TEAM_FOLDERS, SUBFOLDERS = "/v2/teams/{team}/folders", "/v2/folders/{outer}/folders"
FILES, META = "/v2/folders/{outer}/files", "/v2/folders/{outer}/meta"
TEAM_PROJECTS = "/v1/teams/{team}/projects"
PROJECT_FILES, PROJECT_META = "/v1/projects/{outer}/files", "/v1/projects/{outer}/meta"
OF_METADATA = {"id", "name", "thumbnail_url", "file_count", "updated_at", "created_at"}


def nested(platform: Platform) -> Mapping[str, str]:
    """Set up nested folders, an invite-only folder, a file with a branch, and users."""
    places, tokens = platform.emulator.places, platform.emulator.tokens
    outer = places.create_folder("Outer")
    inner = places.create_folder("Inner", parent=outer)
    secret = places.create_folder("Secret", parent=outer, access="invite")
    top = places.create_folder("Top secret", access="invite")
    platform.emulator.files.create("library", name="Library", folder=outer)
    platform.emulator.files.branch("library", "library-branch")
    platform.emulator.files.create("deeper", folder=inner)
    return {
        "outer": outer,
        "inner": inner,
        "secret": secret,
        "top": top,
        "member": tokens.create(scopes=SCOPES),
        "outsider": tokens.create(scopes=SCOPES, permission=None),
        **apps(platform),
    }


def apps(platform: Platform) -> Mapping[str, str]:
    """A token of a public OAuth app, and one of a private one."""
    emulator, ids_by_name = platform.emulator, {}
    user = emulator.people.create("authorizer")
    for visibility in ("public", "private"):
        app = emulator.apps.create(visibility, visibility=visibility).client_id
        with emulator._store.writing() as connection:
            ids_by_name[visibility] = tokens.add(
                connection, emulator._identities, emulator.clock(), user=user, kind="oauth", scopes=SCOPES, app=app
            ).secret
    return ids_by_name


def invited(platform: Platform) -> Mapping[str, str]:
    """A guest of the outer folder by a group, who has a role of her own on the one that is invite-only."""
    ids = nested(platform)
    user = platform.emulator.people.create("guest", permission=None)
    sharing = platform.emulator.sharing
    sharing.share(ids["outer"], sharing.create_group("Guests", user), "viewer")
    sharing.share(ids["secret"], user, "viewer")
    return {**ids, "guest": platform.emulator.tokens.create(user=user, scopes=SCOPES)}


def crowded(platform: Platform) -> Mapping[str, str]:
    """Set up rate limits, and a user who has used a view seat's requests of a minute."""
    emulator = platform.emulator = Emulator(clock=lambda: NOW, rate_limits=True)
    OPENED.append(emulator)
    platform.client = Client(emulator)
    token = emulator.tokens.create(scopes=SCOPES, account="view")
    for _ in range(10):
        assert platform.request("GET", "/v2/folders/1/meta", token=token).status_code == 200
    return {"token": token}


def names(of: str, *wanted: str) -> Callable[[Any], bool]:
    """Return a check that a list has exactly these names."""
    return lambda body: [each["name"] for each in body[of]] == [*wanted]


def _not_for_public_apps(path: str, cites: str) -> tuple[Row, ...]:
    return (
        Row(
            (cites,),
            get(path, by="Bearer {public}"),
            403,
            "This endpoint cannot be used with public OAuth apps",
            setup=nested,
        ),
        Row((cites,), get(path, by="Bearer {private}"), setup=nested),
    )


V1_APPS = "projects: projects are not for public OAuth apps"
V2_APPS = "folders: folders need folders:read and are not for public OAuth apps"
V1_SCOPE, META_SCOPE = "projects: projects need projects:read", "projects: project metadata needs project_metadata:read"
V1_ERRORS, V2_ERRORS = (
    "projects: errors of listings are 400 and 403",
    "folders: errors of listings are 400, 403 and 404",
)
TOO_OFTEN = "Rate limit exceeded"
NO_TEAM, NO_FOLDER = "Insufficient team permissions", "Insufficient folder permissions"

ROWS = (
    Row(
        (
            "folders: a team's folders are the top-level ones that the caller sees",
            "folder metadata: a top-level folder has a null parent",
            "envelope: folders, dev resources, webhooks and analytics answer without the envelope",
        ),
        get(TEAM_FOLDERS, by="{member}"),
        setup=nested,
        body_matches=lambda body: (
            names("folders", "Drafts", "Outer")(body)
            and all(each["parent_folder_id"] is None for each in body["folders"])
            and set(body) == {"name", "folders"}
        ),
    ),
    Row(
        ("folders: subfolders are direct ones",),
        get(SUBFOLDERS, by="{member}"),
        setup=nested,
        body_matches=lambda body: names("folders", "Inner")(body) and body["folders"][0]["parent_folder_id"] != "",
    ),
    Row(
        ("folders: files are those directly in the folder that the caller sees",),
        get(FILES, by="{member}"),
        setup=nested,
        body_matches=lambda body: names("files", "Library")(body) and "branches" not in body["files"][0],
    ),
    Row(
        ("folders: branch_data reports branches",),
        get(FILES + "?branch_data=true"),
        setup=nested,
        body_matches=lambda body: [each["key"] for each in body["files"][0]["branches"]] == ["library-branch"],
    ),
    Row(
        (
            "folders: folder metadata is for all OAuth apps, with folder_metadata:read",
            "folder metadata: folder metadata has these fields, and a thumbnail may be null",
        ),
        get(META, by="Bearer {public}"),
        setup=nested,
        body_matches=lambda body: set(body) == OF_METADATA and body["file_count"] == 1 and body["thumbnail_url"],
    ),
    Row(
        ("folder metadata: folder metadata has these fields, and a thumbnail may be null",),
        get("/v2/folders/{top}/meta"),
        setup=nested,
        body_matches=lambda body: body["thumbnail_url"] is None and body["file_count"] == 0,
    ),
    Row(
        (
            "projects: a team's projects are those that the caller sees",
            "projects: nested folders show only top-level projects",
        ),
        get(TEAM_PROJECTS, by="{member}"),
        setup=nested,
        body_matches=names("projects", "Drafts", "Outer"),
    ),
    Row(
        ("projects: branch_data reports branches, and not by default", V1_SCOPE),
        get(PROJECT_FILES, by="{member}"),
        setup=nested,
        body_matches=lambda body: names("files", "Library")(body) and "branches" not in body["files"][0],
    ),
    Row(
        ("projects: branch_data reports branches, and not by default",),
        get(PROJECT_FILES + "?branch_data=true"),
        setup=nested,
        body_matches=lambda body: [each["key"] for each in body["files"][0]["branches"]] == ["library-branch"],
    ),
    Row(
        (META_SCOPE, "projects: project metadata stands at top level"),
        get(PROJECT_META, by="{member}"),
        setup=nested,
        body_matches=lambda body: set(body) == OF_METADATA,
    ),
    Row((META_SCOPE,), get(PROJECT_META, by="Bearer {public}"), 403, ".*public OAuth apps", setup=nested),
    *(row for path in (TEAM_PROJECTS, PROJECT_FILES) for row in _not_for_public_apps(path, V1_APPS)),
    *(row for path in (TEAM_FOLDERS, SUBFOLDERS, FILES) for row in _not_for_public_apps(path, V2_APPS)),
    Row(
        ("folders: errors of metadata are 403, 404 and 429",), get("/v2/folders/1/meta"), 429, TOO_OFTEN, setup=crowded
    ),
    Row(
        ("projects: errors of metadata are 403, 404 and 429",),
        get("/v1/projects/1/meta"),
        429,
        TOO_OFTEN,
        setup=crowded,
    ),
    Row(
        ("folders: access counts roles, inheritance and audience",),
        get(SUBFOLDERS, by="{guest}"),
        setup=invited,
        body_matches=names("folders", "Inner", "Secret"),
    ),
    *(
        Row((cites,), get(path, by="{outsider}"), 403, message, setup=nested, body_matches=lambda body: body["err"])
        for cites, path, message in (
            (V1_ERRORS, TEAM_PROJECTS, NO_TEAM),
            (V1_ERRORS, PROJECT_FILES, NO_FOLDER),
            ("projects: errors of metadata are 403, 404 and 429", PROJECT_META, NO_FOLDER),
            (V2_ERRORS, TEAM_FOLDERS, NO_TEAM),
            (V2_ERRORS, SUBFOLDERS, NO_FOLDER),
            (V2_ERRORS, FILES, NO_FOLDER),
            ("folders: errors of metadata are 403, 404 and 429", META, NO_FOLDER),
        )
    ),
    *(
        Row((cites,), get(path), status, message)
        for cites, path, status, message in (
            (V1_ERRORS, "/v1/teams/one/projects", 400, "team_id must be a number"),
            (V1_ERRORS, "/v1/projects/{folder}/files?branch_data=1", 400, "branch_data must be true or false"),
            ("projects: errors of metadata are 403, 404 and 429", "/v1/projects/99/meta", 404, "Folder not found"),
            (V2_ERRORS, "/v2/teams/one/folders", 400, "team_id must be a number"),
            (V2_ERRORS, "/v2/teams/99/folders", 404, "Team not found"),
            (V2_ERRORS, "/v2/folders/one/folders", 400, "folder_id must be a number"),
            (V2_ERRORS, "/v2/folders/99/folders", 404, "Folder not found"),
            (V2_ERRORS, "/v2/folders/{folder}/files?branch_data=1", 400, "branch_data must be true or false"),
            (V2_ERRORS, "/v2/folders/99/files", 404, "Folder not found"),
            ("folders: errors of metadata are 403, 404 and 429", "/v2/folders/99/meta", 404, "Folder not found"),
        )
    ),
)
