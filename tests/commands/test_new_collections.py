"""New collections, modes and extensions are written as docs/write-back.md shows, and come back as the platform's."""

import json
import re
from pathlib import Path

import pytest
from commands.projects import pulled_in, tokensync
from corpus.building import ROOT

from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.groups import Variables
from tokensync.plan.batches import batches_of

PAGE = (ROOT / "docs" / "write-back.md").read_text(encoding="utf-8")
COLLECTION, EXTENSIONS, EXTENSION = (json.loads(each) for each in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
TOKENS = Path("tokens/one")


@pytest.fixture(autouse=True)
def project(folder):
    """A project whose Theme has the tokens that the page refers to."""
    pulled_in(folder, {"accent/base": ("#112233", "#445566"), "ink": ("#000000", "#ffffff")})


def write(path, content):
    (TOKENS / path).parent.mkdir(exist_ok=True)
    (TOKENS / path).write_text(json.dumps(content).replace("{palette.ink.300}", "{theme.ink}"), encoding="utf-8")


def read(path):
    return json.loads((TOKENS / path).read_text(encoding="utf-8"))


def settled():
    """Plan, apply and pull; assert that nothing is left to do."""
    shown = tokensync("-q", "plan").output
    tokensync("-q", "apply")
    tokensync("-q", "plan", "--exit-code")
    tokensync("-q", "pull")
    tokensync("-q", "plan", "--exit-code")
    return shown


def test_a_folder_is_a_collection():
    write("motion/brisk.tokens.json", COLLECTION)
    assert 'new collection "Motion" with mode "Brisk"' in settled()
    found = read("motion/brisk.tokens.json")
    assert found["$extensions"]["org.tokensync"]["collection"]["name"] == "Motion"
    assert found["motion"]["fast"]["$extensions"]["com.figma.variableId"].startswith("VariableID:")


def test_modes_of_a_new_collection_may_be_called_as_the_files_of_others():
    """The pull after the apply would call each file after its mode, so names decide before file names."""
    for file, name, number in (("light", "Dark", 1), ("dark", "Light", 2)):
        token = {"fast": {"$type": "number", "$value": number}}
        write(f"motion/{file}.tokens.json", {"$extensions": {"com.figma.modeName": name}, "motion": token})
    assert 'new collection "motion" with modes "Light", "Dark"' in settled()
    found = {
        each["$extensions"]["com.figma.modeName"]: each
        for each in map(read, ("motion/light.tokens.json", "motion/dark.tokens.json"))
    }
    assert {name: each["motion"]["fast"]["$value"] for name, each in found.items()} == {"Light": 2, "Dark": 1}


def test_a_file_is_a_mode():
    dim = read("theme/dark.tokens.json")
    dim["$extensions"] = {"com.figma.modeName": "Dim"}
    dim["theme"]["ink"]["$value"] = "{theme.accent.base}"
    write("theme/dim.tokens.json", dim)
    shown = settled()
    assert 'new mode "Dim"' in shown
    assert "dim  {theme.accent.base}" in shown
    assert read("theme/dim.tokens.json")["theme"]["ink"]["$value"] == "{theme.accent.base}"


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize(
    ("light", "dark", "more"),
    [
        ("Dark", "Light", None),
        ("Dark", None, None),
        ("Day", "Night", "Dark"),
        ("Dark", "Day", "Light"),
        ("Dark" * 10, "Light", "Dark"),
    ],
)
def test_modes_that_take_over_names_never_share_one_in_between(monkeypatch, light, dark, more, one_by_one):
    if one_by_one:
        monkeypatch.setitem(batches_of.__kwdefaults__, "limit", 400)
    document = read("theme/dark.tokens.json")
    for file, name in (("light", light), ("dark", dark)):
        if name is None:
            (TOKENS / f"theme/{file}.tokens.json").unlink()
            resolver = read("../one.resolver.json")
            del resolver["modifiers"]["theme"]["contexts"][file]
            write("../one.resolver.json", resolver)
        else:
            mode = read(f"theme/{file}.tokens.json")
            mode["$extensions"]["com.figma.modeName"] = name
            write(f"theme/{file}.tokens.json", mode)
    if more is not None:
        document["$extensions"] = {"com.figma.modeName": more}
        write("theme/dim.tokens.json", document)
    names, post = {"1:0": "Light", "1:1": "Dark"}, Variables.post

    def checked(self, file, body):
        for change in json.loads(body).get("variableModes", ()):
            if change["action"] == "DELETE":
                del names[change["id"]]
            else:
                assert change["name"] not in names.values()
                names[change["id"]] = change["name"]
        return post(self, file, body)

    monkeypatch.setattr(Variables, "post", checked)
    tokensync("-q", "plan", "--prune")
    tokensync("-q", "apply", "--force")
    assert sorted(names.values()) == sorted(each for each in (light, dark, more) if each is not None)
    tokensync("-q", "plan", "--prune", "--exit-code")


def test_a_folder_that_its_root_names_is_an_extension():
    light = read("theme/light.tokens.json")
    light["$extensions"]["org.tokensync"] |= EXTENSIONS["org.tokensync"]
    write("theme/light.tokens.json", light)
    write("theme-monday/dark.tokens.json", EXTENSION)
    shown = settled()
    assert 'new collection "Theme / Monday", which extends theme' in shown
    assert "theme-monday.dark  {theme.ink}" in shown
    assert read("theme-monday/dark.tokens.json")["theme"]["accent"]["base"]["$value"] == "{theme.ink}"


def test_a_folder_may_be_called_otherwise_than_its_collection():
    """Else each plan would make the collection once more."""
    brand = {"com.figma.modeName": "Quite brisk", "org.tokensync": {"collection": {"name": "Brand motion"}}}
    write("motion/brisk.tokens.json", {**COLLECTION, "$extensions": brand})
    write("motion/slow.tokens.json", {"$extensions": {"com.figma.modeName": "Very slow"}, "motion": {}})
    settled()
    assert sorted(each.name for each in TOKENS.iterdir()) == ["motion", "theme"]
    assert read("motion/slow.tokens.json")["motion"]["fast"]["$value"] == 120  # as the plan has filled it in


def test_collections_may_have_the_same_name():
    twin = {"com.figma.modeName": "Brisk", "org.tokensync": {"collection": {"name": "Theme"}}}
    write("motion/brisk.tokens.json", {**COLLECTION, "$extensions": twin})
    settled()
    assert sorted(each.name for each in TOKENS.iterdir()) == ["motion", "theme"]


def test_a_folder_may_be_called_otherwise_than_its_extension():
    light = read("theme/light.tokens.json")
    light["$extensions"]["org.tokensync"]["extensions"] = {"theme-monday": {"name": "Blues", "parent": "theme"}}
    write("theme/light.tokens.json", light)
    write("theme-monday/dark.tokens.json", EXTENSION)
    settled()
    assert sorted(each.name for each in TOKENS.iterdir()) == ["theme", "theme-monday"]


def test_a_file_may_be_called_otherwise_than_its_mode():
    """A mode's file need not hold every token; a pull adds what the platform has of them then."""
    name = {"$extensions": {"com.figma.modeName": "Dimmed down"}}
    write("theme/dim.tokens.json", {**name, "theme": {"ink": {"$type": "color", "$value": "{theme.accent.base}"}}})
    settled()
    assert "base" in read("theme/dim.tokens.json")["theme"]["accent"]


def test_a_new_mode_that_extensions_get_may_be_called_otherwise_than_its_file():
    light = read("theme/light.tokens.json")
    light["$extensions"]["org.tokensync"] |= EXTENSIONS["org.tokensync"]
    write("theme/light.tokens.json", light)
    settled()
    write("theme/dim.tokens.json", {"$extensions": {"com.figma.modeName": "Dimmed down"}, "theme": {}})
    assert 'new mode "Dimmed down"' in settled()


def test_a_plan_continues_an_interrupted_one_in_a_folder_called_otherwise_than_its_collection():
    """The platform has the collection and its mode, but neither the token files nor the lock have their ids."""
    lock = Path("tokensync.lock").read_bytes()
    names = {"com.figma.modeName": "Quite brisk", "org.tokensync": {"collection": {"name": "Brand motion"}}}
    content = {**COLLECTION, "$extensions": names}
    write("motion/brisk.tokens.json", content)
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    Path("tokensync.lock").write_bytes(lock)
    content["motion"] |= {"slow": {"$type": "number", "$value": 400}}
    write("motion/brisk.tokens.json", content)
    assert "+ slow  number" in settled()


def posted(body):
    """Send a request to the emulator as somebody else does, and return the collections' ids by name, oldest first."""
    emulator = Emulator(str(Path(".tokensync", "emulator.sqlite")))
    credential = Credential("personal", emulator.default_token, "a test")
    with Client("https://emulator.invalid", credential, wsgi=emulator) as client:
        client.variables.post("key-one", json.dumps(body).encode())
        found = json.loads(client.variables.local("key-one"))["meta"]["variableCollections"].values()
    emulator.close()
    ids: dict[str, list[str]] = {}
    for each in found:
        ids.setdefault(each["name"], []).append(each["id"])
    return ids


def brand_motion():
    """Write a collection in a folder of another name."""
    names = {"com.figma.modeName": "Brisk", "org.tokensync": {"collection": {"name": "Brand motion"}}}
    write("motion/brisk.tokens.json", {**COLLECTION, "$extensions": names})


COPY = {
    "variableCollections": [{"action": "CREATE", "id": "copy", "name": "Brand motion", "initialModeId": "mode"}],
    "variableModes": [{"action": "UPDATE", "id": "mode", "name": "Brisk", "variableCollectionId": "copy"}],
}


def test_a_copy_of_a_new_collection_is_not_taken_for_it():
    brand_motion()
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    posted(COPY)
    tokensync("-q", "plan", "--exit-code")


def test_a_copy_takes_the_place_of_a_collection_that_somebody_has_deleted():
    """Else each plan would make the collection once more."""
    brand_motion()
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    posted(COPY)
    for each in posted(COPY)["Brand motion"][:-1]:
        posted({"variableCollections": [{"action": "DELETE", "id": each}]})
    assert "new collection" not in settled()


def test_no_collection_is_created_beside_several_of_its_name_that_nobody_has_pulled():
    """A proxy may have sent the request of an earlier plan twice, and each further plan would add a collection."""
    posted(COPY)
    posted(COPY)
    brand_motion()
    shown = tokensync("plan", code=1).stderr
    assert 'the file has 2 collections named "Brand motion" already' in shown
    assert "[plan-collection-repeated]" in shown
