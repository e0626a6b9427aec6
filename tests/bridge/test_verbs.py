"""The commands of a project with the real plugin and a model of the editor."""

import json
import shutil
from pathlib import Path

import pytest
from bridge.conftest import quickstart_state
from commands.projects import DESIGN, tokensync

pytestmark = pytest.mark.outside


def edit(name, change):
    """Change the token files' JSON with this name by ``change``."""
    (path,) = Path("tokens").rglob(name)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document, indent=2))


def in_sync():
    """Assert that a pull changes nothing, and that nothing is to be done."""
    before = {path: path.read_bytes() for path in Path("tokens").rglob("*.json")}
    tokensync("pull")
    assert {path: path.read_bytes() for path in Path("tokens").rglob("*.json")} == before
    assert tokensync("plan", "--exit-code").code == 0


def test_everything_that_a_plugin_can_list_is_exported_as_the_rest_api_does(opened):
    opened(quickstart_state())
    raw = tokensync("-q", "api", "variables", "local", "--file", "design").output
    assert json.loads(raw)["meta"] == json.loads(DESIGN[0].read_bytes())["meta"]


def test_an_edit_and_a_new_token_reach_figma_and_are_rolled_back(opened):
    editor = opened(quickstart_state())
    tokensync("pull")
    tokensync("build")
    assert list(Path("code").rglob("*.css"))
    print(sorted(Path("tokens").rglob("*.json")))
    in_sync()
