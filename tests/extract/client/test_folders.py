"""Folders and projects through the client, from the emulator."""

import json
from contextlib import closing

import pytest

from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.groups import Branch, Folder
from tokensync.system.errors import AccessError, NotFoundError, ServerError


@pytest.fixture
def emulator():
    with closing(Emulator()) as instance:
        yield instance


@pytest.fixture
def asking(emulator):
    with Client("emulator:", Credential("personal", emulator.default_token, "a test"), wsgi=emulator) as instance:
        yield instance


def test_a_team_is_walked_folder_by_folder(emulator, asking):
    outer = emulator.places.create_folder("Outer")
    inner = emulator.places.create_folder("Inner", parent=outer)
    emulator.files.create("main", name="Library", folder=inner)
    emulator.files.branch("main", "branch", name="Try")
    top = asking.folders.of_team("1")
    assert (top.name, top.folders[-1]) == ("Design system", Folder(outer, "Outer", None))
    assert asking.folders.subfolders(outer) == (Folder(inner, "Inner", outer),)
    (file,) = asking.folders.files(inner, branches=True)
    assert (file.key, file.name, file.branches) == ("main", "Library", (Branch("branch", "Try"),))
    assert asking.folders.files(inner)[0].branches == ()


def test_projects_are_the_folders_at_the_top(emulator, asking):
    folder = emulator.places.create_folder("Brand")
    emulator.files.create("main", name="Library", folder=folder)
    assert asking.projects.of_team("1").projects == (Folder("1", "Drafts"), Folder(folder, "Brand"))
    assert asking.projects.files(folder) == asking.folders.files(folder)


def test_a_missing_object_is_reported_with_its_kind(asking):
    with pytest.raises(NotFoundError, match="no such team"):
        asking.folders.of_team("9")
    with pytest.raises(NotFoundError, match="no such folder"):
        asking.folders.files("9")
    with pytest.raises(NotFoundError, match="no such project"):
        asking.projects.files("9")


def test_a_missing_scope_is_named(emulator):
    token = emulator.tokens.create(scopes=("projects:read",))
    with (
        Client("emulator:", Credential("personal", token, "a test"), wsgi=emulator) as asking,
        pytest.raises(AccessError, match="lacks the scope folders:read"),
    ):
        asking.folders.of_team("1")


@pytest.mark.parametrize("odd", ["", ".", ".."])
def test_an_id_that_cannot_stand_in_an_address_is_the_servers_fault(odd):
    def application(_, start_response):
        start_response("200 OK", [("Content-Type", "application/json")])
        page = {"folders": [{"id": odd}], "projects": [{"id": odd}], "files": [{"key": odd}]}
        return [json.dumps(page).encode()]

    with Client("figma", Credential("personal", "figd_secret", "a test"), wsgi=application) as asking:
        for ask in (asking.folders.of_team, asking.projects.of_team, asking.folders.files, asking.projects.files):
            with pytest.raises(ServerError, match="differs from the documented one"):
                ask("1")
