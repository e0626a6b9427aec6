"""``emulator files``, verified by an emulator with the same state."""

import json
from contextlib import closing

import pytest
from commands.projects import DESIGN, tokensync

from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.endpoints import BY_NAME
from tokensync.system.errors import AccessError, RequestError

STATE = ("--state", "state.sqlite")


def files(*arguments, code=0):
    return tokensync("emulator", "files", *arguments, *STATE, code=code)


def created(*arguments):
    return files(*arguments).output.strip()


def seen(ask, token=None):
    """Return the response of an emulator with the same state."""
    with closing(Emulator("state.sqlite")) as emulator:
        credential = Credential("personal", token or emulator.default_token, "a test")
        with Client("emulator:", credential, wsgi=emulator) as client:
            return ask(client)


def seen_token():
    """The token of the requests of ``seen``."""
    with closing(Emulator("state.sqlite")) as emulator:
        return emulator.default_token


def test_a_file_is_made_changed_and_listed(folder):
    team = created("team", "Other", "--plan", "professional")
    folder_id = created("folder", "Brand", "--team", team)
    files("create", "lib", "--name", "Library", "--editor", "figjam")
    files("branch", "lib", "try", "--name", "Try")
    files("plan", "lib", "organization")
    files("editor", "lib", "slides")
    files("move", "lib", folder_id)
    listed = json.loads(files("list", "--json").output)
    shown = [(each["key"], each["editor"], each["plan"], each["folder"], each["main"]) for each in listed]
    assert shown == [("lib", "slides", "organization", folder_id, None), ("try", "figjam", "enterprise", "1", 1)]
    assert (
        json.loads(seen(lambda client: client.call(BY_NAME["files meta"], file_key="lib")))["file"]["folder_name"]
        == "Brand"
    )
    table = files("list").output.splitlines()
    assert table[0].split()[:2] == ["KEY", "NAME"]
    assert len(table) == 3


@pytest.mark.parametrize("file", ["lib", "Library", "https://www.figma.com/design/lib/Library"])
def test_a_file_is_named_by_its_key_its_name_or_its_url(folder, file):
    files("create", "lib", "--name", "Library")
    files("plan", file, "starter")
    tokensync("emulator", "tokens", "change", seen_token(), "--permission", "none", "--file", file, *STATE)
    (listed,) = json.loads(files("list", "--json").output)
    assert (listed["key"], listed["plan"]) == ("lib", "starter")
    with pytest.raises(AccessError, match="may not see this file"):
        seen(lambda client: client.call(BY_NAME["files meta"], file_key="lib"))


def test_folders_are_listed(folder):
    outer = created("folder", "Outer")
    created("folder", "Inner", "--parent", outer, "--access", "invite")
    files("team-plan", "1", "starter")
    rows = [line.split() for line in files("places").output.splitlines()]
    assert rows[0] == ["ID", "NAME", "TEAM", "PARENT", "ACCESS"]
    assert rows[-1] == ["3", "Inner", "1", "2", "invite"]
    assert [each["name"] for each in json.loads(files("places", "--json").output)] == ["Drafts", "Outer", "Inner"]


def test_who_sees_a_folder_is_set(folder):
    user = created("user", "somebody", "--permission", "none")
    token = tokensync(
        *("emulator", "tokens", "create", "--user", user, "--scope", "folders:read", *STATE)
    ).output.strip()
    folder_id = created("folder", "Brand", "--access", "invite")

    def names():
        return [each.name for each in seen(lambda client: client.folders.of_team("1"), token).folders]

    files("access", folder_id, user, "viewer")
    assert names() == ["Brand"]
    files("member", "1", user, "editor")
    assert names() == ["Drafts", "Brand"]
    files("access", folder_id, user, "none")
    files("audience", folder_id, "team")
    assert names() == ["Drafts"]
    other = created("folder", "Other", "--access", "invite")
    files("access", other, created("group", "People", user), "editor")
    assert names() == ["Drafts", "Other"]
    people = json.loads(files("users", "--json").output)
    assert [(each["handle"], each["permission"]) for each in people] == [("owner", "owner"), ("somebody", None)]
    assert user in files("users").output


def test_layers_versions_and_comments_are_set(folder):
    tokensync("emulator", "seed", DESIGN[0], "--key", "lib", *STATE)
    document = {"id": "0:0", "name": "D", "type": "DOCUMENT", "children": [{"id": "0:7", "type": "CANVAS"}]}
    (folder / "layers.json").write_text(json.dumps(document), encoding="utf-8")
    files("document", "lib", "layers.json")
    assert [each.id for each in seen(lambda client: client.files.content("lib")).document.children] == ["0:7"]
    files("document", "lib")
    assert [each.id for each in seen(lambda client: client.files.content("lib")).document.children] == ["0:1"]
    version = created("version", "lib", "--label", "Before")
    assert seen(lambda client: [each["id"] for each in client.rows(BY_NAME["versions list"], file_key="lib")]) == [
        version
    ]
    comment = created("comment", "lib", "Look")
    created("comment", "lib", "I do", "--reply-to", comment)
    files("resolve", "lib", comment)
    files("largest-answer", "100")
    with pytest.raises(RequestError, match="Request too large"):
        seen(lambda client: client.files.content("lib"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "a/b"),
        ("create", "lib", "--editor", "word"),
        ("create", "lib", "--folder", "9"),
        ("branch", "nowhere", "b"),
        ("plan", "nowhere", "starter"),
        ("move", "nowhere", "1"),
        ("team", "T", "--plan", "free"),
        ("team-plan", "9", "starter"),
        ("folder", "F", "--team", "9"),
        ("folder", "F", "--parent", "9"),
        ("audience", "9", "team"),
        ("audience", "1", "everybody"),
        ("access", "1", "nobody", "viewer"),
        ("access", "1", "1000000000000000001", "king"),
        ("member", "9", "1000000000000000001", "viewer"),
        ("user", "u", "--account", "king"),
        ("group", "g", "nobody"),
        ("comment", "nowhere", "m"),
        ("resolve", "nowhere", "1"),
        ("version", "nowhere"),
        ("document", "nowhere"),
        ("document", "nowhere", "absent.json"),
        ("largest-answer", "0"),
    ],
    ids=" ".join,
)
def test_an_unknown_object_is_a_usage_error(folder, arguments):
    assert files(*arguments, code=2).stderr.startswith("error: ")


def test_an_invalid_document_is_reported_with_its_file(folder):
    (folder / "layers.json").write_text("[]", encoding="utf-8")
    assert "layers.json: not a JSON object" in files("document", "lib", "layers.json", code=2).stderr
