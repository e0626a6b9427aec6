"""The commands of a project with the real plugin and a model of the editor."""

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bridge.conftest import KEY, Editor, applying, by_names, plugin_style, quickstart_state
from commands.projects import DESIGN, tokensync

pytestmark = pytest.mark.outside

VALUE = "tokens/design/primitives/value.tokens.json"
ISLANDER = "tokens/design/theme-islander/dark.tokens.json"


def edit(path, change):
    """Change the JSON of a token file by ``change``."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    change(document)
    Path(path).write_text(json.dumps(document, indent=2), encoding="utf-8")


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


def test_an_apply_is_not_taken_back_by_an_older_capture(opened):
    editor = opened(quickstart_state())
    tokensync("pull")
    editor.do("click", id="save")
    older = Path(f"Harbor.{KEY}.json").rename("older.json")
    tokensync("pull", "--snapshot", older)
    edit(VALUE, new_token)
    applied()
    assert "this capture is of 20" in tokensync("pull", "--snapshot", older, code=4).stderr
    editor.do("click", id="save")
    for _ in range(2):
        tokensync("pull", "--snapshot", f"Harbor.{KEY}.json")
        in_sync()


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


def test_a_plugin_that_may_not_see_the_key_asks_for_the_address(opened):
    address = f"https://www.figma.com/design/{KEY}/Harbor?node-id=0-1"
    opened(quickstart_state(), options={"fileKey": False}, address=address)
    tokensync("pull")


def test_a_plan_over_the_mode_limit_is_refused_and_changes_nothing(opened):
    editor = opened(quickstart_state(), options={"modes": 2})
    tokensync("pull")
    before = editor.saved()["meta"]
    folder = Path("tokens/design/theme")
    document = json.loads((folder / "dark.tokens.json").read_text(encoding="utf-8"))
    document["$extensions"] = {"com.figma.modeName": "Dim"}
    (folder / "dim.tokens.json").write_text(json.dumps(document), encoding="utf-8")
    print(tokensync("plan", "--exit-code", code=3).output)
    done = tokensync("apply", code=1)
    assert "in addMode: Limited to 2 modes only" in done.stderr
    assert "changed nothing" in done.stderr
    assert editor.saved()["meta"] == before
    print(tokensync("status", code=3).output)


def test_a_mode_takes_the_place_of_a_deleted_one_at_the_limit(opened):
    editor = opened(quickstart_state(), options={"modes": 2})
    tokensync("pull")
    compact = Path("tokens/design/density/compact.tokens.json")
    dense = json.loads(compact.read_bytes())
    dense["$extensions"] = {"com.figma.modeName": "Dense"}
    dense["density"]["space"]["xs"]["$value"] = {"value": 1, "unit": "px"}
    compact.with_name("dense.tokens.json").write_text(json.dumps(dense), encoding="utf-8")
    compact.unlink()
    edit(
        "tokens/design.resolver.json",
        lambda document: [modifier["contexts"].pop("compact", None) for modifier in document["modifiers"].values()],
    )
    tokensync("plan", "--prune")
    tokensync("apply", "--force")
    tokensync("pull")
    in_sync()
    names = {each["name"]: [mode["name"] for mode in each["modes"]] for each in collections_of(editor)}
    assert names["Density"] == ["Comfortable", "Dense"]
    assert editor.value("space/xs", "Dense") == 1


def collections_of(editor):
    return editor.saved()["meta"]["variableCollections"].values()


LIMITS = [
    ({"variableModes": [{"name": "n" * 41}]}, "variableModes[0]: name can have at most 40 characters"),
    ({"variableModes": [{"name": str(number)} for number in range(39)]}, "a collection can have at most 40 modes"),
    ({"variables": [{"name": str(number)} for number in range(5000)]}, "a collection can have at most 5000 variables"),
    ({"variables": [{"name": "a.b"}]}, "variables[0]: the name a.b has one of the characters . { }"),
    ({"variables": [{"name": "same"}, {"name": "same"}]}, "variables[1]: a variable named same exists already"),
]


@pytest.mark.parametrize(("changes", "message"), LIMITS)
def test_a_limit_is_reported_before_the_first_call(opened, changes, message):
    editor = opened(quickstart_state())
    theme = next(each["id"] for each in collections_of(editor) if each["name"] == "Theme")
    common = {"action": "CREATE", "variableCollectionId": theme}
    more = {"variableModes": {}, "variables": {"resolvedType": "FLOAT"}}
    body = {name: [{**common, **more[name], **change} for change in list_] for name, list_ in changes.items()}
    Path("body.json").write_text(json.dumps(body), encoding="utf-8")
    done = tokensync("api", "variables", "post", "--file", "design", "--body", "@body.json", code=1)
    assert message in done.stderr
    assert editor.do("see")["calls"] == 0


def values_in(document):
    """Return the types, values and descriptions of the tokens in a token file, by their paths."""
    if "$value" in document:
        return [document.get(name) for name in ("$type", "$value", "$description")]
    return {name: values_in(part) for name, part in document.items() if not name.startswith("$")}


def test_text_and_effect_styles_are_pulled_as_from_the_api(opened):
    styles = list(map(plugin_style, json.loads(DESIGN[2].read_bytes())))
    kinds = {kind: [style for style in styles if style["type"] == kind] for kind in ("TEXT", "EFFECT")}
    draft = {**kinds["TEXT"][0], "id": "S:draft,", "key": "d" * 40, "name": "type/draft"}
    state = {"text": [*kinds["TEXT"], draft], "effects": kinds["EFFECT"], "published": [each["id"] for each in styles]}
    opened({**quickstart_state(), **state})
    configuration = (
        Path("tokensync.toml").read_text(encoding="utf-8").replace("key =", 'styles = ["text", "effect"]\nkey =')
    )
    Path("tokensync.toml").write_text(configuration, encoding="utf-8")
    tokensync("pull")
    for kind in ("text-styles", "effect-styles"):
        pulled, expected = (
            values_in(json.loads((Path(folder) / kind / "style.tokens.json").read_text(encoding="utf-8")))
            for folder in ("tokens/design", DESIGN[0].parent / "tokens" / "harbor")
        )
        assert pulled == expected
    in_sync()


def test_4900_values_are_one_request(opened):
    modes = {"modes": [{"modeId": "1:0", "name": "Value"}], "defaultModeId": "1:0"}
    ids = [f"VariableID:1:{number}" for number in range(10, 5009)]
    common = {"hiddenFromPublishing": False, "remote": False}
    collection = {
        "id": "VariableCollectionId:1:1",
        "name": "Many",
        "key": "c" * 40,
        "variableIds": ids,
        **modes,
        **common,
    }
    variables = {
        id_: {
            "id": id_,
            "name": f"number/{number}",
            "key": f"{number:040x}",
            "variableCollectionId": collection["id"],
            "resolvedType": "FLOAT",
            "valuesByMode": {"1:0": number},
            "description": "",
            "scopes": ["ALL_SCOPES"],
            "codeSyntax": {},
            **common,
        }
        for number, id_ in enumerate(ids)
    }
    meta = {"variables": variables, "variableCollections": {collection["id"]: collection}}
    editor = opened({**quickstart_state(), "meta": meta})
    tokensync("pull")

    def doubled(document):
        for number in range(4900):
            document["many"]["number"][str(number)]["$value"] = number + 0.5

    edit("tokens/design/many/value.tokens.json", doubled)
    tokensync("plan", "--exit-code", code=3)
    assert "1 request" in tokensync("apply", "--force").stderr
    assert editor.value("number/4899") == 4899.5
    assert editor.value("number/4900") == 4900
    in_sync()


def test_a_plugin_that_is_closed_in_the_middle_leaves_a_request_that_one_command_completes(opened):
    editor = opened(quickstart_state(), faults=[{"call": "setValueForMode", "nth": 1, "does": "close"}])
    tokensync("pull")
    edit(VALUE, new_token)
    tokensync("plan", "--exit-code", code=3)

    with applying() as apply:
        while editor.do("see")["open"]:
            time.sleep(0.05)
        editor.do("open")
    assert "tokensync bridge --complete" in apply.stderr
    for command in (("status",), ("pull",), ("plan",), ("apply", "--resume")):
        assert "half done" in tokensync(*command, code=4).stderr
    assert "Complete it" not in (editor.do("see")["page"]["status"] or "")
    tokensync("bridge", "--complete")
    tokensync("apply", "--resume")
    tokensync("pull")
    in_sync()
    assert editor.value("color/moss/500") == {"r": 0.25, "g": 0.5, "b": 0, "a": 1}


def test_a_half_done_request_is_taken_back_and_sent_again(opened):
    editor = opened(quickstart_state(), faults=[{"call": "setValueForMode", "nth": 1, "does": "close"}])
    tokensync("pull")
    before = by_names(editor.saved()["meta"])
    edit(VALUE, new_token)
    tokensync("plan", "--exit-code", code=3)
    with applying() as apply:
        while editor.do("see")["open"]:
            time.sleep(0.05)
        editor.do("open")
    assert apply.code == 4
    tokensync("bridge", "--take-back")
    assert by_names(editor.saved()["meta"]) == before
    tokensync("apply", "--resume")
    tokensync("pull")
    in_sync()
    assert editor.value("color/slate/50") == {"r": 0, "g": 0.25, "b": 0.5, "a": 1}


def test_a_lost_answer_is_read_back(opened):
    # These calls are for the steps, the head of the journal, the id of the new variable, and the end of the journal.
    editor = opened(quickstart_state(), faults=[{"call": "setPluginData", "nth": 4, "does": "close", "after": True}])
    tokensync("pull")
    edit(VALUE, new_token)
    tokensync("plan", "--exit-code", code=3)
    with applying() as apply:
        while editor.do("see")["open"]:
            time.sleep(0.05)
        editor.do("open")
    assert apply.code == 0, apply.stderr
    tokensync("pull")
    in_sync()
    names = [variable["name"] for variable in editor.saved()["meta"]["variables"].values()]
    assert names.count("color/moss/500") == 1


def test_a_person_who_declines_changes_nothing(opened):
    editor = opened(quickstart_state(), person="decline")
    tokensync("pull")
    before = editor.saved()["meta"]
    edit(VALUE, new_token)
    tokensync("plan", "--exit-code", code=3)
    assert "declined in Figma" in tokensync("apply", code=1).stderr
    assert editor.saved()["meta"] == before


def test_the_page_shows_the_review_before_it_writes(opened):
    editor = opened(quickstart_state(), person="wait")
    tokensync("pull")
    edit(VALUE, new_token)
    review = tokensync("plan", "--exit-code", code=3).output
    with applying() as apply:
        while not editor.do("see")["page"].get("review"):
            time.sleep(0.05)
        shown = editor.do("see")["page"]["review"].splitlines()
        editor.do("edit", edits=[{"does": "describe", "variable": "color/slate/100", "value": "edited meanwhile"}])
        editor.do("set", person="apply")
    assert [line.strip() for line in shown] == [line.strip() for line in review.splitlines()]
    assert "somebody changed the file since tokensync read it" in apply.stderr
    assert apply.code == 1
    assert editor.value("color/slate/50") != {"r": 0, "g": 0.25, "b": 0.5, "a": 1}


def test_the_command_serves_a_project_until_it_is_ended(node, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tokensync("init", "--yes", "--key", KEY)
    monkeypatch.setenv("TOKENSYNC_BASE_URL", "bridge:")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    tokensync("bridge", "--install", "plugin", "--port", port)
    (tmp_path / "figma.json").write_text(json.dumps(quickstart_state()), encoding="utf-8")
    command = [sys.executable, "-m", "tokensync", "bridge", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as serving:
        code = serving.stdout.readline().split()[1]
        editor = Editor(node, tmp_path, code=code)
        while "connected to Harbor" not in serving.stderr.readline():
            pass
        tokensync("pull")
        for other in (port, port + 1):
            refused = f"error: bridge: it runs for this project already, on port {port}; use its terminal"
            assert tokensync("bridge", "--port", other, code=4).stderr.startswith(refused)
        tokensync("status")
        Path("other").mkdir()
        Path("other/tokensync.toml").write_bytes(Path("tokensync.toml").read_bytes())
        taken = tokensync("bridge", "--port", port, "--config", "other/tokensync.toml", code=2)
        assert taken.stderr.startswith(f"error: port {port}: cannot listen")
        serving.send_signal(signal.SIGTERM)
        serving.communicate()
        assert serving.returncode == 0
        editor.close()
    assert not Path(".tokensync/bridge.json").exists()
    assert "run tokensync bridge in a terminal of its own" in tokensync("status", code=2).stderr
