"""The code of the plugin: its types, its page, and what it makes of requests and faults on the model."""

import json
import re

import pytest
from bridge.conftest import KEY, MODEL, by_names, quickstart_state, styled_state
from checkers import INSTALLED, MODULES, ROOT, node_program, run

from tokensync.emulator import Emulator
from tokensync.system.resources import plugin_source

pytestmark = pytest.mark.outside

PLUGIN = ROOT / "tokensync" / "bridge" / "plugin"
CODE = plugin_source("engine.js", "styles.js", "messages.js")
PAGE = (PLUGIN / "ui.html").read_text(encoding="utf-8")


def compiled(project):
    node = node_program("@figma/plugin-typings")
    run([node, MODULES / "typescript" / "bin" / "tsc", "--project", project])


@pytest.mark.parametrize("project", ["tsconfig.json", "tsconfig.plugin.json"])
def test_the_plugin_and_the_model_have_the_types_of_the_editors_api(project):
    compiled(MODEL / project)


def test_the_code_has_no_syntax_that_is_newer_than_the_editors_engine_reads():
    script = """
    const { transformSync } = require("esbuild");
    const [old, now] = ["es2017", "esnext"].map((target) => transformSync(process.argv[1], { target }).code);
    console.log(old === now);
    """
    node, code = node_program("esbuild"), CODE
    assert run([node, "--eval", script, code], cwd=INSTALLED).strip() == "true"
    assert run([node, "--eval", script, f"{code}; ({{...code}})"], cwd=INSTALLED).strip() == "false"


def test_the_page_has_the_types_of_browsers(tmp_path):
    (tmp_path / "page.js").write_text(
        "export {};\n" + re.search(r"<script>(.*)</script>", PAGE, re.DOTALL)[1], encoding="utf-8"
    )
    options = {"checkJs": True, "strict": True, "noEmit": True, "target": "es2022", "types": []}
    options["lib"] = ["es2022", "dom", "dom.iterable"]
    (tmp_path / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": options, "files": ["page.js"]}), encoding="utf-8"
    )
    compiled(tmp_path)


def test_the_page_writes_texts_as_texts_only():
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|DOMParser", PAGE)


def scheduled(node, folder, seed, count, *mode, state=None):
    """Return the lines of a run of schedules.mjs."""
    (folder / "state.json").write_text(json.dumps(state or quickstart_state()), encoding="utf-8")
    (folder / "code.js").write_text(CODE, encoding="utf-8")
    command = [node, MODEL / "schedules.mjs", folder / "code.js", folder / "state.json", seed, count, *mode]
    return [json.loads(line) for line in run(command).splitlines()]


def faults(node, folder, seed, count):
    (outcome,) = scheduled(node, folder, seed, count, state=styled_state())
    assert outcome["wrong"] == [], f"seed {seed}"
    return outcome["happened"]


def test_after_a_fault_the_file_is_as_before_or_as_requested(node, tmp_path):
    happened = faults(node, tmp_path, 1, 100)
    assert {"close, done, complete", "close, refused, take back", "throw, refused"} <= happened.keys()


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(100, 110))
def test_after_each_of_a_thousand_faults_the_file_is_as_before_or_as_requested(node, tmp_path, seed):
    faults(node, tmp_path, seed, 100)


def live(meta):
    """Return the file by names, as it is without deleted variables, of which a request may have changed the names."""
    variables = {id_: each for id_, each in meta["variables"].items() if not each.get("deletedButReferenced")}
    collections = {id_: each for id_, each in meta["variableCollections"].items() if "deletedButReferenced" not in each}
    text = json.dumps({"variables": variables, "variableCollections": collections})
    for id_ in meta["variables"].keys() - variables.keys():
        text = text.replace(f'"{id_}"', '"gone"')
    return by_names(json.loads(text))


def test_a_request_makes_of_a_file_what_the_rest_api_does(node, tmp_path):
    for line in scheduled(node, tmp_path, 2, 60, "requests"):
        emulator = Emulator()
        try:
            local = json.dumps({"status": 200, "error": False, "meta": quickstart_state()["meta"]}).encode()
            emulator.seed(KEY, local)
            status, _ = asked(emulator, "POST", "", line["body"])
            if "refused" in line:
                assert status == 400, line
            else:
                assert status == 200, line
                assert live(line["meta"]) == live(asked(emulator, "GET", "/local")[1]["meta"])
        finally:
            emulator.close()


TO_X = {"type": "VARIABLE_ALIAS", "id": "V:x"}
TO_Y = {"type": "VARIABLE_ALIAS", "id": "V:y"}


def checked(node, values, deleted, overrides=None):
    """Return the steps of a request, or why it is refused: it deletes modes of A, and sets y of B in 1:0 to x."""
    meta = {"variables": {}, "variableCollections": {}}
    for id_, modes in {"C:a": ("1:0", "1:1", "1:2", "1:3"), "C:b": ("1:0",)}.items():
        listed = [{"modeId": mode, "name": mode} for mode in modes]
        meta["variableCollections"][id_] = {"id": id_, "name": id_, "modes": listed, "variableIds": [], "remote": False}
    if overrides:
        extension = {"id": "C:e", "name": "e", "isExtension": True, "remote": False, "variableIds": []}
        extension |= {"parentVariableCollectionId": "C:a", "variableOverrides": overrides}
        extension["modes"] = [{"modeId": f"e:{mode}", "name": mode, "parentModeId": f"1:{mode}"} for mode in range(4)]
        meta["variableCollections"]["C:e"] = extension
    for id_, collection, own in (("V:x", *values), ("V:y", "C:b", {"1:0": 0})):
        variable = {"id": id_, "name": id_, "variableCollectionId": collection, "resolvedType": "FLOAT"}
        meta["variables"][id_] = variable | {"valuesByMode": own, "remote": False}
    body = {
        "variableModes": [{"action": "DELETE", "id": mode, "variableCollectionId": "C:a"} for mode in deleted],
        "variableModeValues": [{"variableId": "V:y", "modeId": "1:0", "value": TO_X}],
    }
    program = """; (() => {
    const [meta, body] = JSON.parse(process.argv[1]);
    try { return console.log(JSON.stringify(new Check(meta).run(body).map((step) => step.id))); }
    catch (error) { return console.log(JSON.stringify(error.message)); }
    })();"""
    source = plugin_source("engine.js", "styles.js") + program
    return json.loads(run([node, "--eval", source, json.dumps([meta, body])]))


def test_a_deleted_mode_hides_no_cycle_of_a_mode_of_another_collection_with_its_id(node):
    refused = "variableModeValues[0]: aliases form a cycle"
    assert checked(node, ("C:b", {"1:0": TO_Y}), ["1:0"]) == refused


@pytest.mark.parametrize(
    ("own", "overrides", "steps"),
    [
        ({}, {}, ["V:y", "1:0", "1:1", "1:2"]),
        ({"1:1": TO_Y}, {}, ["1:1", "V:y", "1:0", "1:2"]),
        ({"1:0": TO_Y, "1:2": TO_Y}, {}, ["1:0", "1:2", "V:y", "1:1"]),
        ({}, {"V:x": {"e:1": TO_Y}}, ["1:1", "V:y", "1:0", "1:2"]),
    ],
    ids=["none", "one", "each of two", "that of an extension"],
)
def test_only_modes_that_close_a_cycle_are_deleted_before_a_value(node, own, overrides, steps):
    assert checked(node, ("C:a", {"1:3": 0} | own), ["1:0", "1:1", "1:2"], overrides) == steps


def asked(emulator, method, path, body=None):
    from werkzeug.test import Client

    headers = {"X-Figma-Token": emulator.default_token}
    answer = Client(emulator).open(
        f"/v1/files/{KEY}/variables{path}", method=method, json=body, headers=headers, base_url="https://api.invalid"
    )
    return answer.status_code, answer.json
