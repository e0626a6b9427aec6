"""``tokensync files``: folders and libraries of a team, and layers that use tokens."""

import json
import tomllib
from contextlib import contextmanager
from itertools import count

import pytest
from commands.projects import COLORS, project_in, response, tokensync

from tokensync.commands.files import bindings, layers, team_files, team_id
from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.groups import Node
from tokensync.project.configuration import load_project
from tokensync.system.errors import AccessError, NotFoundError, RequestError, ServerError, UsageError

READ = ("folders:read", "projects:read", "file_content:read", "file_variables:read")
KEY_OF_SLATE = f"{1:040x}"


@contextmanager
def platform(folder):
    """The embedded emulator of the project."""
    (folder / ".tokensync").mkdir(exist_ok=True)
    emulator = Emulator(str(folder / ".tokensync" / "emulator.sqlite"))
    try:
        yield emulator
    finally:
        emulator.close()


@pytest.fixture
def project(folder):
    """A project with a published file, next to another library with a branch."""
    project_in(folder, files=("one",))
    with platform(folder) as emulator:
        emulator.seed("key-one", response(COLORS), name="One")
        emulator.publish("key-one")
        brand = emulator.places.create_folder("Brand")
        emulator.files.create("empty", name="Empty", folder=brand)
        emulator.seed("other", response(COLORS), name="One")
        emulator.publish("other")
        emulator.files.move("other", emulator.places.create_folder("Deep", parent=brand))
        emulator.files.branch("other", "try", name="Try")
    return folder


@contextmanager
def asking(folder, scopes=READ, **more):
    """Yield a project and a client whose token has these scopes."""
    with platform(folder) as emulator:
        credential = Credential("personal", emulator.tokens.create(scopes=scopes, **more), "a test")
        with Client("emulator:", credential, wsgi=emulator) as client:
            yield load_project(str(folder / "tokensync.toml")), client, emulator


class TestWalking:
    def test_folders_are_walked_and_libraries_found(self, project):
        found = json.loads(tokensync("files", "--team", "1", "--branches", "--json").output)
        assert (found["team"], found["version"], found["left_out"]) == ("Design system", 2, [])
        shown = [
            (each["key"], each["folder"], each["variables"], each["configured"], each["suggested"])
            for each in found["files"]
        ]
        assert shown == [
            ("key-one", ["Drafts"], 2, "one", None),
            ("empty", ["Brand"], 0, None, None),
            ("other", ["Brand", "Deep"], 2, None, "one-2"),
        ]
        assert found["files"][2]["branches"] == [{"key": "try", "name": "Try"}]

    def test_what_to_configure_is_toml_that_works(self, project):
        done = tokensync("files", "--team", "https://www.figma.com/files/1/team/1/Design-system")
        table, _, lines = done.output.partition("\n\n")
        assert tomllib.loads(lines) == {"files": [{"name": "one-2", "key": "other"}]}
        assert [line.split()[0] for line in table.splitlines()] == ["FOLDER", "Drafts", "Brand", "Brand"]
        assert "add to tokensync.toml" in done.stderr
        with (project / "tokensync.toml").open("a", encoding="utf-8") as file:
            file.write(lines)
        assert "add to" not in tokensync("files", "--team", "1").stderr
        tokensync("pull", "--file", "one-2")

    def test_quick_asks_no_file(self, project):
        done = tokensync("files", "--team", "1", "--quick", "--json")
        assert [each["variables"] for each in json.loads(done.output)["files"]] == [None, None, None]

    def test_a_token_without_folders_walks_projects(self, project):
        with asking(project, ("projects:read", "file_variables:read")) as (loaded, client, _):
            found = team_files(loaded, client, "1")
        assert found.version == 1
        assert [each.key for each in found.files] == ["key-one", "empty"]

    def test_if_both_versions_are_refused_the_newer_scope_is_named(self, project):
        with (
            asking(project, ("file_variables:read",)) as (loaded, client, _),
            pytest.raises(AccessError, match="lacks the scope folders:read"),
        ):
            team_files(loaded, client, "1")
        with asking(project) as (loaded, client, _), pytest.raises(NotFoundError, match="no such team"):
            team_files(loaded, client, "99")

    def test_a_file_with_unknown_publications_is_listed_with_the_reason(self, project):
        with asking(project) as (loaded, client, emulator):
            emulator.files.set_plan("other", "starter")
            found = {each.key: each for each in team_files(loaded, client, "1").files}
        assert "Limited by Figma plan" in found["other"].published.reason
        assert found["other"].suggested is None
        assert "Limited by Figma plan" in tokensync("files", "--team", "1", "-v").stderr

    def test_a_folder_that_is_listed_twice_is_walked_once(self, project):
        with asking(project) as (loaded, client, _):
            client.folders.subfolders = lambda id_: client.folders.of_team("1").folders
            found = team_files(loaded, client, "1")
        assert [each.key for each in found.files] == ["key-one", "empty"]

    def test_an_inaccessible_folder_is_omitted(self, project):
        with asking(project) as (loaded, client, emulator):
            listed = client.folders.of_team

            def closed_after(team):
                found = listed(team)
                emulator.places.set_access("2", "invite")
                return found

            client.folders.of_team = closed_after
            found = team_files(loaded, client, "1")
        assert [each.key for each in found.files] == ["key-one"]
        assert found.left_out[0].startswith("Brand: GET ")

    @pytest.mark.parametrize("given", ["", "Design system", "https://www.figma.com/design/KEY/x", "../1"])
    def test_what_names_no_team_is_a_usage_error(self, given):
        with pytest.raises(UsageError, match="the number after /team/"):
            team_id(given)

    def test_a_missing_team_is_reported_with_advice(self, project):
        assert "/team/" in tokensync("files", code=2).stderr


def test_endless_folders_are_reported(project, monkeypatch):
    from tokensync.commands import files

    names = count(1)

    def application(environ, start_response):
        start_response("200 OK", [("Content-Type", "application/json")])
        folders = [] if environ["PATH_INFO"].endswith("/files") else [{"id": str(next(names))}]
        return [json.dumps({"name": "Team", "folders": folders, "files": []}).encode()]

    monkeypatch.setattr(files, "_MAX_FOLDERS", 30)
    with (
        Client("figma", Credential("personal", "figd_secret", "a test"), wsgi=application) as client,
        pytest.raises(ServerError, match="team 1: Figma lists more than 30 folders"),
    ):
        team_files(load_project(None), client, "1")


class TestLayers:
    def test_each_bound_member_is_listed_with_its_token(self, project):
        found = json.loads(tokensync("files", "layers", "one", "--json").output)
        assert (found["file"], found["name"]) == ("key-one", "one")
        assert [(each["token"], each["member"], each["node"], each["layer"]) for each in found["uses"]] == [
            ("theme.slate", "fills", "1:10", ["Page 1", "Theme", "slate"]),
            ("theme.text.muted", "fills", "1:11", ["Page 1", "Theme", "text/muted"]),
        ]
        done = tokensync("files", "layers", "key-one")
        assert done.output.splitlines()[1].split() == "theme.slate fills 1:10 Page 1 / Theme / slate".split()
        assert "one: 2 layers bound to 2 tokens" in done.stderr

    def test_a_token_filters_and_may_count_what_refers_to_it(self, project):
        def nodes(*more):
            uses = json.loads(tokensync("files", "layers", "one", "--json", *more).output)["uses"]
            return [each["node"] for each in uses]

        assert nodes("--token", "slate") == ["1:10"]
        assert nodes("--token", "VariableID:1:11") == ["1:11"]
        assert nodes("--token", "slate", "--indirect") == ["1:10", "1:11"]
        assert nodes("--token", "slate", "--token", "text/muted") == ["1:10", "1:11"]
        assert "slat: no such token" in tokensync("files", "layers", "one", "--token", "slat", code=2).stderr
        tokensync("files", "layers", "one", "--indirect", code=2)

    def test_a_variable_of_a_library_is_known_by_its_key(self, project):
        bound = {"type": "VARIABLE_ALIAS", "id": f"VariableID:{KEY_OF_SLATE}/77:7"}
        layer = {"id": "1:1", "name": "Card", "type": "FRAME", "boundVariables": {"size": {"x": bound}}}
        page = {"id": "0:1", "name": "P", "type": "CANVAS", "children": [layer]}
        with asking(project) as (loaded, client, emulator):
            emulator.files.set_document("key-one", {"id": "0:0", "type": "DOCUMENT", "children": [page]})
            (use,) = layers(loaded, client, "one").uses
        assert (use.member, use.token.key.path, use.path) == ("size", "slate", ("P", "Card"))

    def test_a_file_whose_variables_are_refused_shows_their_ids(self, project):
        with asking(project) as (loaded, client, emulator):
            emulator.files.set_plan("key-one", "starter")
            found = layers(loaded, client, "one", ["VariableID:1:11"])
            assert [(each.variable, each.token) for each in found.uses] == [("VariableID:1:11", None)]
            assert "Limited by Figma plan" in found.unnamed
            with pytest.raises(UsageError, match="give the variable's id"):
                layers(loaded, client, "one", ["slate"])

    def test_or_is_named_by_the_token_files(self, project):
        tokensync("pull")
        with asking(project) as (loaded, client, emulator):
            emulator.files.set_plan("key-one", "starter")
            found = layers(loaded, client, "one", ["slate"])
        assert [each.token.key.path for each in found.uses] == ["slate"]
        assert found.unnamed == ""

    def test_a_file_that_is_too_large_at_once_is_read_in_parts(self, project):
        def bound(id_):
            alias = {"type": "VARIABLE_ALIAS", "id": "VariableID:1:10"}
            return {"id": id_, "name": id_, "type": "FRAME", "boundVariables": {"opacity": alias}}

        def frame(number):
            return {**bound(f"{number}:0"), "children": [bound(f"{number}:{at}") for at in range(1, 31)]}

        pages = [
            {"id": f"0:{page}", "name": "P", "type": "CANVAS", "children": [frame(page * 10 + at) for at in range(4)]}
            for page in (1, 2)
        ]
        with asking(project) as (loaded, client, emulator):
            emulator.files.set_document("key-one", {"id": "0:0", "type": "DOCUMENT", "children": pages})
            whole = layers(loaded, client, "one")
            assert len(whole.uses) == 8 * 31
            for size in (30_000, 12_000, 6_000):
                emulator.files.set_largest_answer(size)
                assert layers(loaded, client, "one") == whole
            emulator.files.set_largest_answer(2_000)
            with pytest.raises(RequestError, match="fewer levels with depth"):
                layers(loaded, client, "one")

    def test_bindings_are_found_wherever_the_platform_writes_them(self):
        def alias(id_):
            return {"type": "VARIABLE_ALIAS", "id": id_}

        node = Node(
            "1:1",
            bound_variables={
                "opacity": alias("a"),
                "fills": [alias("b")],
                "componentProperties": {"Label": alias("c")},
                "odd": [5, None, {"id": 5, "type": "VARIABLE_ALIAS"}],
            },
            fills=[
                {"boundVariables": {"color": alias("b")}},
                {"gradientStops": [{"boundVariables": {"c": alias("d")}}]},
            ],
            effects=[{"boundVariables": {"radius": alias("e")}}],
        )
        assert list(dict.fromkeys(bindings(node))) == [
            ("opacity", "a"),
            ("fills", "b"),
            ("componentProperties", "c"),
            ("fills", "d"),
            ("effects", "e"),
        ]


class TestMatrix:
    def test_it_lists_the_names_of_the_files_without_keys_and_offline(self, tmp_path, monkeypatch):
        monkeypatch.chdir(project_in(tmp_path / "harbor", files=("one", "two")))
        done = tokensync("files", "--matrix")
        assert json.loads(done.output) == {"file": ["one", "two"]}
        assert "key-" not in done.output

    @pytest.mark.parametrize(("count", "code"), [(256, 0), (257, 2)])
    def test_more_files_than_jobs_of_a_matrix_are_refused(self, tmp_path, monkeypatch, count, code):
        monkeypatch.chdir(project_in(tmp_path / "harbor", files=tuple(f"f{number}" for number in range(count))))
        done = tokensync("files", "--matrix", code=code)
        assert ("257 files are configured" in done.stderr) == (code == 2)

    def test_it_has_no_team(self, tmp_path, monkeypatch):
        monkeypatch.chdir(project_in(tmp_path / "harbor"))
        assert "remove --team" in tokensync("files", "--matrix", "--team", "1", code=2).stderr
