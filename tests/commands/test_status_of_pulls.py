"""``status`` reports whatever ``pull`` would write, also what a merge does not compare."""

import json
from pathlib import Path

import pytest
from commands.projects import project_in, response, tokensync
from commands.test_plan_of_libraries import alias, app, color, project_of, remote, seed
from design_file import key_of

MODES = ("Light", "Dark", "Dim")
VARIABLES = dict.fromkeys(("a", "b", "c"), ("#112233", "#445566", "#778899"))


def seeded(document):
    path = Path("design.json")
    path.write_text(json.dumps(document), encoding="utf-8")
    tokensync("-q", "emulator", "seed", path, "--key", "key-one")


@pytest.fixture
def design(folder):
    """A response of a collection with three variables and three modes, whose project is pulled."""
    project_in(folder)
    document = json.loads(response(VARIABLES, MODES))
    seeded(document)
    tokensync("-q", "pull")
    assert tokensync("status").output == "one: in sync\n"
    return document


def collection(document):
    (found,) = document["meta"]["variableCollections"].values()
    return found


def is_pulled(*words):
    """Assert that status reports these words until a pull, which writes something, and that nothing is then to do."""
    before = {path: path.read_bytes() for path in Path("tokens").rglob("*.json")}
    shown = tokensync("status", code=3).output
    assert shown.startswith("one:\n  behind: changed in Figma; run tokensync pull (1)\n")
    assert shown.splitlines()[2:] == [f"    theme: {', '.join(words)}"]
    tokensync("-q", "pull")
    assert before != {path: path.read_bytes() for path in Path("tokens").rglob("*.json")}
    assert tokensync("status").output == "one: in sync\n"


def test_variables_in_another_order_are_behind_until_they_are_pulled(design):
    collection(design)["variableIds"].reverse()
    seeded(design)
    is_pulled("order")


@pytest.mark.parametrize("moved", [(0, 2, 1), (1, 0, 2)], ids=["others than the default", "the default, too"])
def test_modes_in_another_order_are_behind_until_they_are_pulled(design, moved):
    own = collection(design)
    own["modes"] = [own["modes"][number] for number in moved]
    own["defaultModeId"] = own["modes"][0]["modeId"]
    seeded(design)
    if moved[0] == 0:
        is_pulled("order of modes")
    else:
        assert "order of modes" in tokensync("status", code=3).output
        tokensync("-q", "pull")
    contexts = json.loads(Path("tokens/one.resolver.json").read_text("utf-8"))["modifiers"]["theme"]["contexts"]
    assert [*contexts] == [MODES[number].lower() for number in moved]
    assert tokensync("status").output == "one: in sync\n"


def test_a_variable_that_was_deleted_and_made_again_is_behind_until_its_id_is_pulled(design):
    text = json.dumps(design).replace("VariableID:1:10", "VariableID:9:10").replace(f"{1:040x}", f"{77:040x}")
    seeded(json.loads(text))
    is_pulled("ids")


def test_a_publication_is_behind_until_it_is_pulled(design):
    tokensync("-q", "emulator", "publish", "key-one")
    is_pulled("published")


def test_a_new_value_of_a_library_variable_in_use_is_behind_until_its_copy_is_pulled(folder):
    project_of(app=app(alias(remote("VariableID:1:2"))))
    collections, variables = app(alias(remote("VariableID:1:2")))
    for variable in variables:
        if variable["key"] == key_of("VariableID:1:2"):
            variable["valuesByMode"] = dict.fromkeys(variable["valuesByMode"], color(0.25))
    seed(app=(collections, variables))
    shown = tokensync("status", code=3).output
    assert "app:\n  behind: changed in Figma; run tokensync pull (1)\n    core: copies of library tokens\n" in shown
    tokensync("-q", "pull")
    assert "changed" not in tokensync("status").output
