"""``tokensync status``: ahead, behind, conflicting, and the publication."""

import json

from commands.projects import COLORS, files_in, on_the_platform, project_in, tokensync
from commands.test_pull import LIGHT, edit

from tokensync.project.configuration import load_project
from tokensync.project.connection import connect, embedded_emulator


def asked(code):
    (file,) = json.loads(tokensync("status", "--json", code=code).output)["files"]
    return file


def publish():
    with embedded_emulator(load_project(None)) as emulator:
        emulator.publish("key-one")


def change(**body):
    project = load_project(None)
    with connect(project) as client:
        client.variables.post(project.config.files[0].key, json.dumps(body).encode())


def edit_slate(project):
    edit(project, "#112233", "#102233")
    edit(project, "0.06666667", "0.0627451")


def test_after_a_pull_all_is_in_sync(project):
    assert tokensync("status").output == "one: in sync\n"
    assert json.loads(tokensync("status", "--json").output)["in_sync"] is True


def test_an_edit_is_ahead_and_a_change_on_the_platform_is_behind(project):
    edit_slate(project)
    on_the_platform({**COLORS, "slate": ("#112233", "#ffffff"), "fresh": ("#000000", "#000000")})
    before = files_in(project)
    done = tokensync("status", code=3)
    assert done.output.splitlines() == [
        "one:",
        "  ahead: changed in the token files; run tokensync plan (1)",
        "    theme / slate: in light",
        "  behind: changed in Figma; run tokensync pull (2)",
        "    theme / slate: in dark",
        "    theme / fresh: new",
    ]
    assert files_in(project) == before
    file = asked(3)
    assert file["ahead"] == [{"collection": "theme", "token": "slate", "kind": "changed", "what": ["in light"]}]
    assert [each["kind"] for each in file["behind"]] == ["changed", "new"]


def test_what_both_changed_conflicts_and_is_neither_ahead_nor_behind(project):
    edit_slate(project)
    on_the_platform({**COLORS, "slate": ("#992233", "#445566")})
    file = asked(3)
    assert (file["ahead"], file["behind"]) == ([], [])
    (conflict,) = file["conflicting"]
    assert (conflict["base"], conflict["ours"], conflict["theirs"]) == ("#112233", "#102233", "#992233")
    assert "light.tokens.json:" in conflict["place"]


def test_content_that_only_token_files_can_have_is_not_ahead(project):
    path = project.joinpath(*LIGHT)
    document = json.loads(path.read_text("utf-8"))
    document["theme"]["ease"] = {"$type": "cubicBezier", "$value": [0, 0, 1, 1]}
    document["theme"]["slate"]["$deprecated"] = "use another"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert tokensync("status").output == "one: in sync\n"


def test_names_are_compared_with_those_that_are_published(project):
    assert asked(0)["publication"] == {"unpublished": [], "renamed": [], "deleted": [], "outdated": []}
    publish()
    assert asked(3)["publication"]["unpublished"] == []
    new = {"name": "fresh", "variableCollectionId": "VariableCollectionId:1:1", "resolvedType": "COLOR"}
    change(
        variables=[
            {"action": "UPDATE", "id": "VariableID:1:10", "name": "stone"},
            {"action": "DELETE", "id": "VariableID:1:11"},
            {"action": "CREATE", **new},
        ]
    )
    publication = asked(3)["publication"]
    assert publication["unpublished"] == ["fresh"]
    assert publication["renamed"] == ["slate (now stone)"]
    assert publication["deleted"] == ["text/muted"]


def test_a_collection_renamed_since_its_publication_is_reported(project):
    publish()
    change(variableCollections=[{"action": "UPDATE", "id": "VariableCollectionId:1:1", "name": "looks"}])
    assert asked(3)["publication"]["renamed"] == ["collection Theme (now looks)"]


def test_outdated_library_variables_are_reported_until_the_file_is_updated(folder):
    project_in(folder, files=("one", "two"))
    on_the_platform(COLORS)
    on_the_platform({}, "two")
    publish()
    with embedded_emulator(load_project(None)) as emulator:
        emulator.variables.use("key-two", "key-one", "slate")
    tokensync("-q", "pull")
    assert tokensync("status").output == "one: in sync\ntwo: in sync\n"
    change(variables=[{"action": "UPDATE", "id": "VariableID:1:10", "description": "of the roof"}])
    publish()
    tokensync("-q", "pull")
    done = tokensync("status", code=3)
    assert "outdated: its library has a newer publication; update the library in the editor (1)" in done.output
    assert "    slate (one)\n" in done.output
    (_, two) = json.loads(tokensync("status", "--json", code=3).output)["files"]
    assert two["publication"]["outdated"] == ["slate (one)"]
    with embedded_emulator(load_project(None)) as emulator:
        assert emulator.variables.update("key-two", "key-one") == 1
    tokensync("-q", "pull")
    assert tokensync("status").output == "one: in sync\ntwo: in sync\n"


def test_token_files_that_cannot_be_read_are_an_error(project):
    edit(project, '"theme": {', '"theme": [')
    assert "light.tokens.json:" in tokensync("status", code=1).stderr
