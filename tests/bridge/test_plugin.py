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


def asked(emulator, method, path, body=None):
    from werkzeug.test import Client

    headers = {"X-Figma-Token": emulator.default_token}
    answer = Client(emulator).open(
        f"/v1/files/{KEY}/variables{path}", method=method, json=body, headers=headers, base_url="https://api.invalid"
    )
    return answer.status_code, answer.json
