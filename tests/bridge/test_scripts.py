"""Plans that a script carries out on the model of the editor, without a bridge: the source is a capture."""

import json
import struct
from pathlib import Path

import pytest
from bridge.conftest import KEY, MODEL, by_names, quickstart_state
from bridge.test_page import PIECES, hostile
from bridge.test_verbs import ISLANDER, VALUE, edit, in_sync, new_token
from checkers import INSTALLED, node_program, run
from commands.projects import tokensync
from plan.motion import add_motion

from tokensync.apply.scripts import _compact
from tokensync.system.resources import plugin_source

pytestmark = pytest.mark.outside


class Designer:
    """Somebody who captures the file, and runs scripts in it."""

    def __init__(self, node):
        self._node = node
        self._hour = 0

    def open(self, state, more=""):
        Path("tokensync.toml").write_text(
            f'base_url = "snapshot:design.json"\n[[files]]\nname = "design"\nkey = "{KEY}"\n{more}', encoding="utf-8"
        )
        Path("figma.json").write_text(json.dumps(state), encoding="utf-8")
        self.capture()

    @property
    def meta(self):
        return json.loads(Path("figma.json").read_text(encoding="utf-8"))["meta"]

    def capture(self):
        self._hour += 1
        capture = {"file_key": KEY, "time": f"2026-11-29T{self._hour:02}:00:00Z"}
        Path("design.json").write_text(json.dumps({"meta": self.meta, "capture": capture}), encoding="utf-8")

    def change(self, change):
        """Edit the file in Figma, by a function of its state."""
        state = json.loads(Path("figma.json").read_text(encoding="utf-8"))
        change(state)
        Path("figma.json").write_text(json.dumps(state), encoding="utf-8")

    def run(self, script="plan.js", **settings):
        """Run a script, save what it returns, and return that."""
        settings = {"script": script, "state": "figma.json", **settings}
        Path("settings.json").write_text(json.dumps(settings), encoding="utf-8")
        outcome = json.loads(run([self._node, MODEL / "script.mjs", "settings.json"]))
        assert outcome["executed"] == []
        if "closed" in outcome:
            return None
        assert json.loads(outcome["logged"][-1]) == outcome["returned"]
        Path("receipt.json").write_text(json.dumps(outcome["returned"]), encoding="utf-8")
        return outcome["returned"]


@pytest.fixture
def designer(node, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Designer(node)


def carried_out(designer, *options):
    """Plan, run the script, record its receipt, capture and pull."""
    tokensync("plan", "--exit-code", "--script", "plan.js", *options, code=3)
    receipt = designer.run()
    assert receipt["state"] == "done", receipt
    tokensync("apply", "--receipt", "receipt.json")
    designer.capture()
    done = tokensync("pull")
    assert "claim" not in done.stderr
    in_sync()
    return receipt


def test_edits_a_new_token_a_rename_and_deletions_reach_figma_by_scripts(designer):
    designer.open(quickstart_state())
    tokensync("pull")
    edit(VALUE, new_token)
    receipt = carried_out(designer)
    (id_,) = receipt["made"].values()
    assert designer.meta["variables"][id_]["name"] == "color/moss/500"
    assert id_ in Path(VALUE).read_text(encoding="utf-8")
    tokensync("tokens", "rename", "primitives/color/slate/50", "primitives/color/slate/60")
    carried_out(designer)
    edit(ISLANDER, lambda document: document["theme"]["accent"].pop("hover"))
    carried_out(designer, "--prune")
    for mode in ("comfortable", "compact"):
        edit(f"tokens/design/density/{mode}.tokens.json", lambda document: document["density"]["space"].pop("xs"))
    carried_out(designer, "--prune")
    names = {variable["name"] for variable in designer.meta["variables"].values()}
    assert "color/slate/60" in names
    assert "color/slate/50" not in names
    overrides = [each.get("variableOverrides") for each in designer.meta["variableCollections"].values()]
    assert not any("/8:1" in mode for each in overrides if each for mode in each.get("VariableID:8:17", {}))


def new_mode_and_collection():
    """Add a mode with values to the themes, and a collection with an alias; change the type of a token."""
    folder = Path("tokens/design/theme")
    dim = json.loads((folder / "dark.tokens.json").read_text(encoding="utf-8"))
    dim["$extensions"] = {"com.figma.modeName": "Dim"}
    (folder / "dim.tokens.json").write_text(json.dumps(dim), encoding="utf-8")
    folder = Path("tokens/design/marks")
    folder.mkdir()
    marks = {"marks": {"brand": {"$type": "color", "$value": "{primitives.color.slate.50}"}}}
    (folder / "mode-1.tokens.json").write_text(json.dumps(marks), encoding="utf-8")


def test_a_new_mode_and_a_new_collection_reach_figma_by_a_script(designer):
    designer.open(quickstart_state())
    tokensync("pull")
    new_mode_and_collection()
    carried_out(designer)
    collections = {each["name"]: each for each in designer.meta["variableCollections"].values()}
    assert [mode["name"] for mode in collections["Theme"]["modes"]][-1] == "Dim"
    (brand,) = (designer.meta["variables"][id_] for id_ in collections["marks"]["variableIds"])
    (alias,) = brand["valuesByMode"].values()
    assert designer.meta["variables"][alias["id"]]["name"] == "color/slate/50"


def test_a_token_of_another_type_takes_several_requests_and_one_script(designer):
    designer.open(quickstart_state())
    tokensync("pull")
    edit(VALUE, lambda document: document["primitives"]["color"].update(slateless={"$type": "string", "$value": "a"}))
    carried_out(designer)
    text = {"$type": "number", "$value": 4}
    edit(VALUE, lambda document: document["primitives"]["color"]["slateless"].update(text))
    done = tokensync("plan", "--script", "plan.js", "--prune", code=4)
    assert "the plan is unsafe (change type primitives/color/slateless" in done.stderr
    Path("plan.js").unlink()
    carried_out(designer, "--prune", "--force")
    (variable,) = (each for each in designer.meta["variables"].values() if each["name"] == "color/slateless")
    assert variable["resolvedType"] == "FLOAT"


def test_a_mode_goes_before_an_alias_is_turned_round_that_it_holds(designer):
    state = quickstart_state()
    variables = {each["name"]: each for each in state["meta"]["variables"].values()}
    small, wide = variables["space/xs"], variables["space/sm"]
    first, gone = small["valuesByMode"]
    small["valuesByMode"][gone] = {"type": "VARIABLE_ALIAS", "id": wide["id"]}
    designer.open(state)
    tokensync("pull")
    Path("tokens/design/density/compact.tokens.json").unlink()
    edit("tokens/design.resolver.json", lambda document: document["modifiers"]["density"]["contexts"].pop("compact"))
    turned = {"$value": "{density.space.xs}"}
    edit("tokens/design/density/comfortable.tokens.json", lambda it: it["density"]["space"]["sm"].update(turned))
    carried_out(designer, "--prune", "--force")
    assert designer.meta["variables"][wide["id"]]["valuesByMode"] == {
        first: {"type": "VARIABLE_ALIAS", "id": small["id"]}
    }


def test_motion_variables_reach_figma_by_a_script(designer):
    state = quickstart_state()
    add_motion(state["meta"])
    designer.open(state)
    tokensync("pull")
    fast, ease = {"value": 1, "unit": "s"}, {"$type": "cubicBezier", "$value": [0, 0, 1, 1]}
    for mode in ("full", "reduced"):
        edit(f"tokens/design/motion/{mode}.tokens.json", lambda document: document["motion"]["ease"].update(new=ease))
    change = {"$value": fast}
    edit(
        "tokens/design/motion/full.tokens.json", lambda document: document["motion"]["duration"]["fast"].update(change)
    )
    carried_out(designer)
    variables = {variable["name"]: variable for variable in designer.meta["variables"].values()}
    assert variables["duration/fast"]["valuesByMode"]["90:0"] == 1
    assert variables["ease/new"]["resolvedType"] == "EASING"


def test_an_alias_to_a_library_variable_reaches_figma_by_a_script(designer):
    state = quickstart_state()
    library = {**state["meta"]["variables"]["VariableID:3:3"], "id": "VariableID:ab/1:1", "remote": True, "name": "far"}
    library["variableCollectionId"] = "VariableCollectionId:ab/1:0"
    collection = {**state["meta"]["variableCollections"]["VariableCollectionId:3:1"], "remote": True, "name": "Library"}
    collection |= {"id": library["variableCollectionId"], "variableIds": [library["id"]]}
    state["meta"]["variables"][library["id"]] = library
    state["meta"]["variableCollections"][collection["id"]] = collection
    alias = {"type": "VARIABLE_ALIAS", "id": library["id"]}
    state["meta"]["variables"]["VariableID:3:4"]["valuesByMode"]["3:0"] = alias
    designer.open(state)
    tokensync("pull")
    slates = json.loads(Path(VALUE).read_text(encoding="utf-8"))["primitives"]["color"]["slate"]
    (far,) = (token["$value"] for token in slates.values() if "far" in str(token.get("$value")))
    edit(VALUE, lambda document: document["primitives"]["color"]["slate"]["50"].update({"$value": far}))
    carried_out(designer)
    assert designer.meta["variables"]["VariableID:3:3"]["valuesByMode"] == {"3:0": alias}


def prepared(designer, state=None):
    """Capture, pull, edit and write a script."""
    designer.open(state or quickstart_state())
    tokensync("pull")
    edit(VALUE, new_token)
    tokensync("plan", "--script", "plan.js")


def renamed(name):
    def change(state):
        state["meta"]["variables"]["VariableID:3:4"]["name"] = name

    return change


def deleted(state):
    del state["meta"]["variables"]["VariableID:3:4"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (renamed("color/slate/101"), "different: 1, such as color/slate/101"),
        (deleted, "it has 103 variables and collections, and had 104"),
    ],
)
def test_a_script_refuses_a_file_that_somebody_has_changed_and_changes_nothing(designer, change, words):
    prepared(designer)
    designer.change(change)
    before = Path("figma.json").read_text(encoding="utf-8")
    receipt = designer.run()
    assert receipt["state"] == "outdated"
    after = json.loads(Path("figma.json").read_text(encoding="utf-8"))
    assert (after["meta"], after["data"]) == (json.loads(before)["meta"], {})
    done = tokensync("apply", "--receipt", "receipt.json", code=4)
    assert words in done.stderr
    assert "make a new script with tokensync plan --script" in done.stderr


def in_float32(value):
    if isinstance(value, float):
        return struct.unpack("f", struct.pack("f", value))[0]
    if isinstance(value, dict):
        return {name: in_float32(value[name]) for name in reversed(value)}
    return [in_float32(item) for item in value] if isinstance(value, list) else value


def test_a_file_is_the_same_with_the_digits_and_the_order_that_the_editor_keeps(designer):
    prepared(designer)
    designer.change(lambda state: state.update(meta=in_float32(state["meta"])))
    assert designer.run()["state"] == "done"


def test_another_file_with_the_same_content_is_refused(designer):
    prepared(designer)
    designer.change(lambda state: state.update(key="another"))
    receipt = designer.run()
    assert (receipt["state"], receipt["message"]) == ("refused", f"the plan is for the file {KEY}")
    designer.run(options={"fileKey": False})  # the editor does not always say the key


def test_a_script_that_runs_twice_returns_its_receipt_again_and_changes_nothing(designer):
    prepared(designer)
    receipt = designer.run(missing=["commitUndo", "notify"])
    before = Path("figma.json").read_text(encoding="utf-8")
    assert receipt["state"] == "done"
    assert designer.run() == receipt
    assert Path("figma.json").read_text(encoding="utf-8") == before
    tokensync("apply", "--receipt", "receipt.json")
    tokensync("apply", "--receipt", "receipt.json")
    designer.capture()
    tokensync("pull")
    in_sync()


def test_a_receipt_of_another_plan_is_refused(designer):
    prepared(designer)
    designer.run()
    receipt = json.loads(Path("receipt.json").read_text(encoding="utf-8"))
    Path("receipt.json").write_text(json.dumps({**receipt, "plan": "0" * 64}), encoding="utf-8")
    assert "it is for the plan '000000000000'" in tokensync("apply", "--receipt", "receipt.json", code=4).stderr
    Path("receipt.json").write_text(json.dumps({**receipt, "made": {"variable:x": "VariableID:1:1"}}), encoding="utf-8")
    assert "its plan makes no variable:x" in tokensync("apply", "--receipt", "receipt.json", code=4).stderr
    Path("receipt.json").write_text("{}", encoding="utf-8")
    assert "this is no receipt of a script" in tokensync("apply", "--receipt", "receipt.json", code=2).stderr


@pytest.mark.parametrize("nth", [2, 3, 4])
def test_a_call_that_fails_in_the_middle_is_taken_back(designer, nth):
    prepared(designer)
    before = by_names(designer.meta)
    receipt = designer.run(
        faults=[{"call": "setValueForMode", "nth": nth // 2, "does": "throw", "after": nth % 2 == 0}]
    )
    assert receipt["state"] == "refused"
    assert by_names(designer.meta) == before
    assert "the script has changed nothing" in tokensync("apply", "--receipt", "receipt.json", code=1).stderr
    assert designer.run()["state"] == "done"


@pytest.mark.parametrize("nth", [3, 4])
def test_a_journal_that_cannot_be_ended_does_not_make_a_receipt_that_nothing_has_changed(designer, nth):
    """The third entry says that the request is carried out, the fourth clears its steps, which nobody needs."""
    designer.open(quickstart_state())
    tokensync("pull")
    tokensync("tokens", "rename", "primitives/color/slate/50", "primitives/color/slate/60")
    tokensync("plan", "--script", "plan.js")
    receipt = designer.run(faults=[{"call": "setPluginData", "nth": nth, "does": "throw"}])
    assert designer.meta["variables"]["VariableID:3:3"]["name"] == "color/slate/60"
    if nth == 3:
        assert receipt["state"] == "half done"
        refused = tokensync("apply", "--receipt", "receipt.json", code=4).stderr
        assert "the request is carried out, but the file does not say so; run this with DECISION" in refused
        script = Path("plan.js").read_text(encoding="utf-8")
        Path("plan.js").write_text(script.replace('DECISION = ""', 'DECISION = "complete"'), encoding="utf-8")
        receipt = designer.run()
    assert receipt["state"] == "done"
    tokensync("apply", "--receipt", "receipt.json")
    designer.capture()
    tokensync("pull")
    in_sync()


@pytest.mark.parametrize("decision", ["complete", "take back"])
def test_a_script_that_ended_in_the_middle_is_found_and_decided_by_the_next_one(designer, decision):
    prepared(designer)
    before = by_names(designer.meta)
    assert designer.run(faults=[{"call": "setValueForMode", "nth": 2, "does": "close"}]) is None
    now = designer.meta
    receipt = designer.run()
    assert receipt["state"] == "half done"
    assert receipt["message"].startswith("an earlier run of this script is half done")
    assert designer.meta == now
    assert 'DECISION = "complete"' in tokensync("apply", "--receipt", "receipt.json", code=4).stderr
    script = Path("plan.js").read_text(encoding="utf-8")
    Path("decided.js").write_text(script.replace('DECISION = ""', f'DECISION = "{decision}"'), encoding="utf-8")
    receipt = designer.run("decided.js")
    if decision == "take back":
        assert by_names(designer.meta) == before
        receipt = designer.run()
    assert receipt["state"] == "done"
    assert "VariableID" in receipt["made"]["variable:primitives/color/moss/500"]
    tokensync("apply", "--receipt", "receipt.json")
    designer.capture()
    tokensync("pull")
    in_sync()


def test_a_bridge_finds_a_script_that_ended_in_the_middle(designer, opened):
    prepared(designer)
    designer.run(faults=[{"call": "setValueForMode", "nth": 2, "does": "close"}])
    opened(json.loads(Path("figma.json").read_text(encoding="utf-8")))
    assert "an earlier request is half done in this file" in tokensync("pull", code=4).stderr
    tokensync("bridge", "--complete")
    tokensync("pull")
    in_sync()


def test_a_claim_that_a_capture_does_not_show_is_reported_until_one_does(designer):
    prepared(designer)
    designer.run()
    shown = tokensync("apply", "--receipt", "receipt.json")
    assert "color/moss/500" in shown.output
    assert "1 new object" in shown.stderr
    lock = Path("tokensync.lock").read_bytes()
    for _ in range(2):
        pulled = tokensync("pull").stderr
        assert "the file does not show it (none of its changes found)" in pulled
        assert "capture the file anew" in pulled
    assert Path("tokensync.lock").read_bytes() == lock
    designer.capture()
    assert "claim" not in tokensync("pull").stderr
    assert Path("tokensync.lock").read_bytes() != lock
    (folder,) = Path(".tokensync/applies").iterdir()
    assert json.loads((folder / "receipt.json").read_text(encoding="utf-8"))["outcome"] == "finished"
    in_sync()


def test_a_claim_with_edits_of_others_since_is_shown_by_the_capture(designer):
    prepared(designer)
    designer.run()
    tokensync("apply", "--receipt", "receipt.json")
    designer.change(renamed("color/slate/101"))
    designer.capture()
    assert "claim" not in tokensync("pull").stderr
    in_sync()


def test_a_plan_without_changes_has_no_script(designer):
    designer.open(quickstart_state())
    tokensync("pull")
    assert "nothing to do, so there is no script" in tokensync("plan", "--script", "plan.js").stderr
    assert not Path("plan.js").exists()


def test_texts_of_strangers_in_a_script_are_written_as_they_are_and_run_nothing(designer):
    state = hostile(2000)
    designer.open(state)
    tokensync("pull")
    (path,) = Path("tokens/design").rglob("*.tokens.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    changed = [token for token in document[path.parent.name].values() if "$value" in token]
    for token in changed:
        token["$value"] += "".join(PIECES)
        token["$description"] = "".join(reversed(PIECES))
    names = [variable["name"].replace("%", "-") for variable in state["meta"]["variables"].values()]
    for number, name in enumerate(names[:500]):
        document[path.parent.name][f"new{number} {name}"] = {"$type": "string", "$value": name}
    path.write_text(json.dumps(document), encoding="utf-8")
    done = tokensync("plan", "--script", "plan.js", "--force")
    script = Path("plan.js").read_bytes()
    assert f"the script has {len(script)} characters, and use_figma takes at most 50000" in done.stderr
    assert script.isascii()
    assert b"<" not in script.rpartition(b"JSON.parse('")[2]
    receipt = designer.run()
    assert (receipt["state"], receipt["made"]) == ("done", None)  # the ids are more than use_figma returns
    before, now = state["meta"]["variables"], designer.meta["variables"]
    written = [id_ for id_ in before if now[id_]["valuesByMode"] != before[id_]["valuesByMode"]]
    assert len(written) == len(changed) > 1000
    for id_ in written:
        assert now[id_]["valuesByMode"]["1:0"] == before[id_]["valuesByMode"]["1:0"] + "".join(PIECES)
        assert now[id_]["name"] == before[id_]["name"]
    made = [variable for id_, variable in now.items() if id_ not in before]
    assert {variable["name"] for variable in made} == {f"new{at} {name}" for at, name in enumerate(names[:500])}
    tokensync("apply", "--receipt", "receipt.json")
    designer.capture()
    assert "claim" not in tokensync("pull").stderr
    in_sync()


def test_a_script_has_the_code_of_the_plugin_and_room_for_a_plan():
    source = plugin_source("engine.js", "script.js")
    script = _compact(source)
    node = node_program("esbuild")
    program = """
    const { transformSync } = require("esbuild");
    const codes = JSON.parse(require("fs").readFileSync(0)).map((code) => transformSync(code, { minify: true }).code);
    console.log(codes[0] === codes[1]);
    """
    assert run([node, "--eval", program], cwd=INSTALLED, stdin=json.dumps([source, script])).strip() == "true"
    assert len(script) < 38_000  # of 50,000 that use_figma takes
