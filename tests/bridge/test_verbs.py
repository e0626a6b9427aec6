"""The commands of a project with the real plugin and a model of the editor."""

import json
from pathlib import Path

import pytest
from bridge.conftest import quickstart_state
from commands.projects import DESIGN, tokensync

pytestmark = pytest.mark.outside

VALUE = "tokens/design/primitives/value.tokens.json"
ISLANDER = "tokens/design/theme-islander/dark.tokens.json"


def edit(path, change):
    """Change the JSON of a token file by ``change``."""
    document = json.loads(Path(path).read_text())
    change(document)
    Path(path).write_text(json.dumps(document, indent=2))


def color(components):
    return {"$type": "color", "$value": {"colorSpace": "srgb", "components": components}}


def new_token(document):
    document["primitives"]["color"]["slate"]["50"]["$value"]["components"] = [0, 0.25, 0.5]
    del document["primitives"]["color"]["slate"]["50"]["$value"]["hex"]
    document["primitives"]["color"]["moss"] = {"500": color([0.25, 0.5, 0])}


def in_sync():
    """Assert that a pull changes nothing, and that nothing is to be done."""
    before = {path: path.read_bytes() for path in Path("tokens").rglob("*.json")}
    tokensync("pull")
    assert {path: path.read_bytes() for path in Path("tokens").rglob("*.json")} == before
    tokensync("plan", "--exit-code")
    tokensync("status")


def applied(*options):
    """Plan and apply; return the path of the receipt. The next pull writes the ids of new objects."""
    tokensync("plan", "--exit-code", *options, code=3)
    tokensync("apply")
    tokensync("pull")
    in_sync()
    return max(Path(".tokensync/applies").iterdir()) / "receipt.json"


def rolled_back(receipt):
    tokensync("rollback", receipt, "--token-files")
    tokensync("apply")
    tokensync("pull")
    in_sync()


def by_names(meta):
    """Return the variables and collections of a response by names, without ids of objects, keys and order."""
    collections, variables = meta["variableCollections"], meta["variables"]
    names = {id_: variable["name"] for id_, variable in variables.items()}
    names |= {mode["modeId"]: mode["name"] for each in collections.values() for mode in each["modes"]}
    text = json.dumps(
        [
            {
                each["name"]: {
                    name: each.get(name)
                    for name in ("name", "modes", "hiddenFromPublishing", "variableOverrides", "remote")
                }
                | {"variables": sorted(names[id_] for id_ in each["variableIds"] if id_ in names)}
                for each in collections.values()
            },
            {
                f"{collections[each['variableCollectionId']]['name']}/{each['name']}": {
                    name: value for name, value in each.items() if name not in ("id", "key", "variableCollectionId")
                }
                for each in variables.values()
            },
        ],
        sort_keys=True,
    )
    for id_ in sorted(names, key=len, reverse=True):
        text = text.replace(f'"{id_}"', json.dumps(names[id_]))
    return json.loads(text)


def test_everything_that_a_plugin_can_list_is_exported_as_the_rest_api_does(opened):
    opened(quickstart_state())
    raw = tokensync("-q", "api", "variables", "local", "--file", "design").output
    assert json.loads(raw)["meta"] == json.loads(DESIGN[0].read_bytes())["meta"]


def test_an_edit_and_a_new_token_reach_figma_and_are_rolled_back(opened):
    editor = opened(quickstart_state())
    before = by_names(editor.saved()["meta"])
    tokensync("pull")
    tokensync("build")
    in_sync()
    edit(VALUE, new_token)
    receipt = applied()
    assert editor.value("color/slate/50") == {"r": 0, "g": 0.25, "b": 0.5, "a": 1}
    assert editor.value("color/moss/500") == {"r": 0.25, "g": 0.5, "b": 0, "a": 1}
    assert "Apply" not in editor.do("see")["page"]["status"]
    rolled_back(receipt)
    assert by_names(editor.saved()["meta"]) == before


def test_a_rename_an_override_and_a_deletion_reach_figma_and_are_rolled_back(opened):
    editor = opened(quickstart_state())
    before = by_names(editor.saved()["meta"])
    tokensync("pull")
    tokensync("tokens", "rename", "primitives/color/slate/50", "primitives/color/slate/60")
    receipts = [applied()]
    ids = {each["id"] for each in editor.saved()["meta"]["variables"].values() if each["name"] == "color/slate/60"}
    assert ids == {"VariableID:3:3"}
    edit(ISLANDER, lambda document: document["theme"]["accent"].pop("hover"))
    receipts.append(applied("--prune"))
    overrides = [each.get("variableOverrides") for each in editor.saved()["meta"]["variableCollections"].values()]
    assert not any("/8:1" in mode for each in overrides if each for mode in each.get("VariableID:8:17", {}))
    for mode in ("comfortable", "compact"):
        edit(f"tokens/design/density/{mode}.tokens.json", lambda document: document["density"]["space"].pop("xs"))
    receipts.append(applied("--prune"))
    for receipt in reversed(receipts):
        rolled_back(receipt)
    assert by_names(editor.saved()["meta"]) == before


def test_a_plan_over_the_mode_limit_is_refused_and_changes_nothing(opened):
    editor = opened(quickstart_state(), options={"modes": 2})
    tokensync("pull")
    before = editor.saved()["meta"]
    folder = Path("tokens/design/theme")
    document = json.loads((folder / "dark.tokens.json").read_text())
    document["$extensions"] = {"com.figma.modeName": "Dim"}
    (folder / "dim.tokens.json").write_text(json.dumps(document))
    print(tokensync("plan", "--exit-code", code=3).output)
    done = tokensync("apply", code=1)
    assert "in addMode: Limited to 2 modes only" in done.stderr
    assert "changed nothing" in done.stderr
    assert editor.saved()["meta"] == before
    print(tokensync("status", code=3).output)
