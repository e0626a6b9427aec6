"""Folders and projects: their contents and visibility, and the deprecated endpoints."""

import pytest
from emulator.platform import KEY, NOW, Platform, start

from tokensync.system.errors import UsageError

STARTED = "2027-01-15T08:00:00.000Z"
SCOPES = ("folders:read", "folder_metadata:read", "projects:read", "project_metadata:read")


@pytest.fixture
def member(platform):
    """(id, token) of an editor who is no admin."""
    return new_user(platform)


def new_user(platform, permission="editor"):
    user = platform.emulator.people.create("somebody", permission=permission)
    return user, platform.emulator.tokens.create(user=user, scopes=SCOPES)


def get(platform, path, token=None, **more):
    answer = platform.request("GET", path, token=token, **more)
    assert answer.status_code == 200, answer.json
    return answer.json


def refused(platform, path, token=None, **more):
    answer = platform.request("GET", path, token=token, **more)
    body = answer.json
    assert body == {"status": answer.status_code, "error": True, "err": body["message"], "message": body["message"]}
    return answer.status_code, body["message"]


def thumbnail(now):
    """Return the address of a thumbnail, which is valid for 30 days from now."""
    return f"https://emulator.invalid/pictures/logos/thumbnail.png?expires={int(now) + 30 * 86_400}"


def seen(platform, token):
    return [each["name"] for each in get(platform, "/v2/teams/1/folders", token)["folders"]]


class TestWhatIsThere:
    def test_a_team_has_its_folders_at_the_top(self, platform):
        brand = platform.emulator.places.create_folder("Brand")
        platform.emulator.places.create_folder("Logos", parent=brand)
        assert get(platform, "/v2/teams/1/folders") == {
            "name": "Design system",
            "folders": [
                {"id": "1", "name": "Drafts", "parent_folder_id": None},
                {"id": brand, "name": "Brand", "parent_folder_id": None},
            ],
        }
        assert get(platform, "/v1/teams/1/projects") == {
            "name": "Design system",
            "projects": [{"id": "1", "name": "Drafts"}, {"id": brand, "name": "Brand"}],
        }

    def test_a_folder_has_those_directly_in_it(self, platform):
        places = platform.emulator.places
        outer = places.create_folder("Outer")
        inner = places.create_folder("Inner", parent=outer)
        places.create_folder("Innermost", parent=inner)
        assert get(platform, f"/v2/folders/{outer}/folders") == {
            "name": "Outer",
            "folders": [{"id": inner, "name": "Inner", "parent_folder_id": outer}],
        }

    def test_of_files_it_has_those_directly_in_it(self, platform):
        folder = platform.emulator.places.create_folder("Brand")
        inner = platform.emulator.places.create_folder("Inner", parent=folder)
        platform.emulator.files.create("logos", name="Logos", folder=folder)
        platform.emulator.files.create("deeper", folder=inner)
        listed = {
            "key": "logos",
            "name": "Logos",
            "thumbnail_url": thumbnail(NOW),
            "last_modified": STARTED,
        }
        wanted = {"name": "Brand", "files": [listed]}
        assert get(platform, f"/v2/folders/{folder}/files") == wanted
        assert get(platform, f"/v1/projects/{folder}/files") == wanted

    @pytest.mark.parametrize("path", ["/v2/folders/1/files", "/v1/projects/1/files"])
    def test_requested_branches_are_listed_with_their_main_file(self, platform, path):
        platform.emulator.files.branch(KEY, "b1", name="Try")
        platform.emulator.files.create("alone")
        for query in ("", "?branch_data=false"):
            assert [set(each) & {"branches"} for each in get(platform, path + query)["files"]] == [set(), set()]
        main, alone = get(platform, path + "?branch_data=true")["files"]
        assert [(each["key"], each["name"]) for each in main["branches"]] == [("b1", "Try")]
        assert "branches" not in alone
        assert refused(platform, path + "?branch_data=maybe") == (400, "branch_data must be true or false")

    @pytest.mark.parametrize("path", ["/v2/folders/{}/meta", "/v1/projects/{}/meta"])
    def test_metadata_stands_at_the_top_level(self, path):
        now = NOW
        platform = Platform(start(clock=lambda: now))
        folder = platform.emulator.places.create_folder("Brand")
        empty = {
            "id": folder,
            "name": "Brand",
            "thumbnail_url": None,
            "file_count": 0,
            "updated_at": STARTED,
            "created_at": STARTED,
        }
        assert get(platform, path.format(folder)) == empty
        now += 60
        platform.emulator.files.create("logos", folder=folder)
        assert get(platform, path.format(folder)) == empty | {
            "thumbnail_url": thumbnail(now),
            "file_count": 1,
            "updated_at": "2027-01-15T08:01:00.000Z",
        }

    @pytest.mark.parametrize(
        ("path", "status", "message"),
        [
            ("/v2/teams/9/folders", 404, "Team not found"),
            ("/v2/teams/x/folders", 400, "team_id must be a number"),
            ("/v2/folders/9/folders", 404, "Folder not found"),
            ("/v2/folders/x/folders", 400, "folder_id must be a number"),
            ("/v2/folders/9/files", 404, "Folder not found"),
            ("/v2/folders/x/files", 400, "folder_id must be a number"),
            ("/v2/folders/9/meta", 404, "Folder not found"),
            ("/v2/folders/x/meta", 404, "Folder not found"),
            ("/v1/teams/9/projects", 404, "Team not found"),
            ("/v1/teams/x/projects", 400, "team_id must be a number"),
            ("/v1/projects/9/files", 404, "Folder not found"),
            ("/v1/projects/x/files", 400, "project_id must be a number"),
            ("/v1/projects/9/meta", 404, "Folder not found"),
        ],
    )
    def test_a_missing_or_malformed_id_is_refused(self, platform, path, status, message):
        assert refused(platform, path) == (status, message)


class TestWhoSeesIt:
    def test_a_folder_for_the_team_is_visible_to_its_members_only(self, platform, member):
        _, outsider = new_user(platform, permission=None)
        assert seen(platform, member[1]) == ["Drafts"]
        assert refused(platform, "/v2/teams/1/folders", outsider) == (403, "Insufficient team permissions")
        assert refused(platform, "/v1/teams/1/projects", outsider) == (403, "Insufficient team permissions")
        for path in ("/v2/folders/1/folders", "/v2/folders/1/files", "/v2/folders/1/meta"):
            assert refused(platform, path, outsider) == (403, "Insufficient folder permissions")
        for path in ("/v1/projects/1/files", "/v1/projects/1/meta"):
            assert refused(platform, path, outsider) == (403, "Insufficient folder permissions")

    def test_a_role_on_the_team_adds_or_removes_a_user(self, platform, member):
        user, outsider = new_user(platform, permission=None)
        platform.emulator.sharing.set_team_role("1", user, "viewer")
        assert seen(platform, outsider) == ["Drafts"]
        platform.emulator.sharing.set_team_role("1", member[0], None)
        assert refused(platform, "/v2/teams/1/folders", member[1])[0] == 403

    def test_an_invite_only_folder_is_seen_by_who_is_invited_and_by_the_owner_of_everything(self, platform, member):
        secret = platform.emulator.places.create_folder("Secret", access="invite")
        assert seen(platform, None) == ["Drafts", "Secret"]
        assert seen(platform, member[1]) == ["Drafts"]
        assert refused(platform, f"/v2/folders/{secret}/meta", member[1])[0] == 403
        platform.emulator.sharing.share(secret, member[0], "viewer")
        assert seen(platform, member[1]) == ["Drafts", "Secret"]
        assert get(platform, f"/v2/folders/{secret}/meta", member[1])["name"] == "Secret"

    def test_a_group_has_roles_for_its_users(self, platform, member):
        secret = platform.emulator.places.create_folder("Secret", access="invite")
        group = platform.emulator.sharing.create_group("Brand people", member[0])
        assert seen(platform, member[1]) == ["Drafts"]
        platform.emulator.sharing.share(secret, group, "viewer")
        assert seen(platform, member[1]) == ["Drafts", "Secret"]

    def test_a_role_is_inherited_by_the_folders_below(self, platform, member):
        places = platform.emulator.places
        outer = places.create_folder("Outer", access="invite")
        inner = places.create_folder("Inner", parent=outer)
        hidden = places.create_folder("Hidden", parent=outer)
        assert refused(platform, f"/v2/folders/{inner}/files", member[1])[0] == 403
        platform.emulator.sharing.share(outer, member[0], "editor")
        platform.emulator.sharing.share(hidden, member[0], None)
        listed = get(platform, f"/v2/folders/{outer}/folders", member[1])["folders"]
        assert [each["id"] for each in listed] == [inner]
        assert get(platform, f"/v2/folders/{inner}/files", member[1])["files"] == []

    def test_a_guest_of_one_folder_sees_that_one_of_the_team(self, platform):
        user, outsider = new_user(platform, permission=None)
        platform.emulator.sharing.share(platform.emulator.places.create_folder("Shared"), user, "viewer")
        assert seen(platform, outsider) == ["Shared"]

    def test_of_files_one_sees_those_that_one_may_see(self, platform, member):
        platform.emulator.files.create("open")
        platform.emulator.tokens.permit(member[1], "open", None)
        assert [each["key"] for each in get(platform, "/v2/folders/1/files", member[1])["files"]] == [KEY]

    def test_of_branches_only_those_that_the_user_sees_are_listed(self, platform, member):
        platform.emulator.files.branch(KEY, "b1", name="Seen")
        platform.emulator.files.branch(KEY, "b2", name="Unseen")
        platform.emulator.tokens.permit(member[1], "b2", None)
        (file,) = get(platform, "/v2/folders/1/files?branch_data=true", member[1])["files"]
        assert [each["name"] for each in file["branches"]] == ["Seen"]

    def test_a_file_has_the_permission_that_its_folder_gives(self, platform):
        user = platform.emulator.people.create("writer", permission="editor")
        writer = platform.emulator.tokens.create(user=user)
        places, files = platform.emulator.places, platform.emulator.files
        assert platform.post({"variables": []}, token=writer).status_code == 200
        files.move(KEY, places.create_folder("Looked at", access="view"))
        assert platform.get(token=writer).status_code == 200
        assert platform.post({"variables": []}, token=writer).json["message"] == "Insufficient file permissions"
        secret = places.create_folder("Secret", access="invite")
        files.move(KEY, secret)
        assert platform.get(token=writer).status_code == 403
        platform.emulator.sharing.share(secret, user, "editor")
        assert platform.post({"variables": []}, token=writer).status_code == 200
        platform.emulator.tokens.permit(writer, KEY, "viewer")
        assert platform.post({"variables": []}, token=writer).status_code == 403


class TestScopes:
    @pytest.mark.parametrize(
        ("path", "scopes"),
        [
            ("/v2/teams/1/folders", ("folders:read",)),
            ("/v2/folders/1/folders", ("folders:read",)),
            ("/v2/folders/1/files", ("folders:read",)),
            ("/v2/folders/1/meta", ("folder_metadata:read",)),
            ("/v1/teams/1/projects", ("projects:read", "files:read")),
            ("/v1/projects/1/files", ("projects:read", "files:read")),
            ("/v1/projects/1/meta", ("project_metadata:read",)),
        ],
    )
    def test_each_needs_its_scope_and_only_listings_of_v1_take_the_broad_one(self, platform, path, scopes):
        tokens = platform.emulator.tokens
        for right in scopes:
            get(platform, path, tokens.create(scopes=(right,)))
        scope = scopes[0]
        others = tuple(each for each in SCOPES if each not in scopes)
        shown = ", ".join(others)
        assert refused(platform, path, tokens.create(scopes=others)) == (
            403,
            f"Invalid scope(s): {shown}. This endpoint requires the {scope} scope",
        )

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("/v1/teams/1/projects", "/v2/teams/1/folders"),
            ("/v1/projects/1/files", "/v2/folders/1/files"),
            ("/v1/projects/1/meta", "/v2/folders/1/meta"),
        ],
    )
    def test_deprecated_endpoints_work_and_name_their_replacements(self, platform, old, new):
        headers = platform.request("GET", old).headers
        assert headers["Deprecation"].startswith("@")
        assert headers["Link"] == f'<{new}>; rel="successor-version"'
        assert "Deprecation" not in platform.request("GET", new).headers


class TestSetters:
    def test_a_missing_folder_team_or_user_is_a_usage_error(self, platform):
        sharing = platform.emulator.sharing
        user = platform.emulator.people.create("somebody")
        with pytest.raises(UsageError, match="role: unknown 'king'"):
            sharing.share("1", user, "king")
        with pytest.raises(UsageError, match="user 5: no such user"):
            sharing.share("1", "5", "editor")
        with pytest.raises(UsageError, match="folder 9: no such folder"):
            sharing.share("9", user, "editor")
        with pytest.raises(UsageError, match="team 9: no such team"):
            sharing.set_team_role("9", user, "editor")
        with pytest.raises(UsageError, match="user 5: no such user"):
            sharing.create_group("Nobody", "5")
