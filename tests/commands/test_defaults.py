"""``[[defaults]]``: scopes, publishing and code syntax of new variables whose tokens say nothing themselves."""

import json
from pathlib import Path

import pytest
from commands.projects import output, project_in, tokensync
from design_file import collection, response, variable

TOKENS = Path("tokens/one/sizes/light.tokens.json")
DARK = Path("tokens/one/sizes/dark.tokens.json")
DEFAULTS = """
[[defaults]]
path = "text/*"
scopes = ["TEXT_FILL", "FONT_SIZE"]
code_syntax = ["web"]

[[defaults]]
path = "raw/shown"
hidden = false

[[defaults]]
path = "raw/*"
collection = "Sizes"
hidden = true

[[defaults]]
scopes = ["GAP"]
"""
RED = {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}
NEW = {
    "text.red": {"$type": "color", "$value": RED},
    "text.size": {"$type": "number", "$value": 4},
    "text.own": {"$type": "number", "$value": 5, "$extensions": {"com.figma.scopes": ["OPACITY"]}},
    "raw.a": {"$type": "number", "$value": 1},
    "raw.shown": {"$type": "number", "$value": 2},
    "label": {"$type": "string", "$value": "x"},
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the variable ``gap``, that is hidden and has all scopes, and without defaults."""
    monkeypatch.chdir(project_in(tmp_path / "project", outputs=output("css", "web")))
    sizes = collection("VariableCollectionId:2:1", "Sizes", ("Light", "Dark"))
    gap = variable("VariableID:2:2", "gap", sizes, "FLOAT", (16, 8), scopes=["ALL_SCOPES"])
    raw = variable("VariableID:2:3", "raw/old", sizes, "FLOAT", (16, 8), scopes=[])
    Path("r.json").write_bytes(response([sizes], [gap, raw]))
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("pull", "-q")
    return Path.cwd()


def configure(text):
    path = Path("tokensync.toml")
    former = path.read_text("utf-8").partition("\n[[defaults]]")[0]
    path.write_text(former + text, encoding="utf-8")


def add(tokens=NEW):
    for path in (TOKENS, DARK):
        tree = json.loads(path.read_text("utf-8"))
        for name, token in tokens.items():
            group, _, leaf = name.rpartition(".")
            node = tree["sizes"].setdefault(group, {}) if group else tree["sizes"]
            node[leaf] = token if path == TOKENS else {"$type": token["$type"], "$value": token["$value"]}
        path.write_text(json.dumps(tree, indent=2), encoding="utf-8")


def entry(name, path=TOKENS):
    node = json.loads(path.read_text("utf-8"))["sizes"]
    for step in name.split("."):
        node = node[step]
    return node


def held():
    answer = json.loads(tokensync("api", "variables", "local", "--file", "one").output)
    return {each["name"]: each for each in answer["meta"]["variables"].values()}


def applied():
    for command in ("plan", "apply", "pull"):
        tokensync("-q", command)


def test_new_variables_get_the_defaults_that_their_tokens_and_types_leave_open(project):
    configure(DEFAULTS)
    add()
    plan = tokensync("plan", "-v").output
    assert "TEXT_FILL" in plan
    tokensync("-q", "apply")
    variables = held()
    scopes = {name: each["scopes"] for name, each in variables.items()}
    assert scopes == {
        "text/red": ["TEXT_FILL"],
        "text/size": ["FONT_SIZE"],
        "text/own": ["OPACITY"],
        "raw/a": ["GAP"],
        "raw/shown": ["GAP"],
        "label": ["ALL_SCOPES"],
        "gap": ["ALL_SCOPES"],
        "raw/old": [],
    }
    assert {name for name, each in variables.items() if each["hiddenFromPublishing"]} == {"raw/a"}
    syntax = {name: each["codeSyntax"] for name, each in variables.items() if each["codeSyntax"]}
    assert syntax == {f"text/{name}": {"WEB": f"var(--text-{name})"} for name in ("red", "size", "own")}


def test_a_pull_writes_no_default_into_the_token_files_and_later_commands_agree(project):
    configure(DEFAULTS)
    add()
    applied()
    for name in ("text.red", "text.size", "raw.a", "raw.shown"):
        assert not entry(name)["$extensions"].keys() & {"com.figma.scopes", "com.figma.hiddenFromPublishing"}
    assert entry("text.own")["$extensions"]["com.figma.scopes"] == ["OPACITY"]
    assert entry("label")["$extensions"]["com.figma.scopes"] == ["ALL_SCOPES"]
    before = TOKENS.read_bytes(), DARK.read_bytes()
    tokensync("-q", "pull")
    assert (TOKENS.read_bytes(), DARK.read_bytes()) == before
    tokensync("-q", "plan", "--exit-code")
    assert "in sync" in tokensync("status").output
    tokensync("diff", "tokens", "lock")
    tokensync("diff", "tokens", "remote")


def test_outputs_know_the_default_scopes_of_tokens_without_any(project):
    configure('\n[[defaults]]\npath = "faded"\nscopes = ["OPACITY"]\n')
    add({"faded": {"$type": "number", "$value": 48}})
    for command in ("plan", "apply", "pull"):
        tokensync("-q", "build")
        assert "--faded: 0.48;" in Path("web/tokens.css").read_text("utf-8")
        tokensync("-q", command)
    tokensync("-q", "build", "--check")


def test_defaults_that_come_or_change_later_change_no_variable(project):
    add({"text.red": NEW["text.red"]})
    applied()
    former = held()
    configure(DEFAULTS)
    tokensync("-q", "plan", "--exit-code")
    add({"text.size": NEW["text.size"], "raw.a": NEW["raw.a"]})
    applied()
    configure(DEFAULTS.replace("FONT_SIZE", "WIDTH_HEIGHT").replace("hidden = true", "hidden = false"))
    tokensync("-q", "pull")
    tokensync("-q", "plan", "--exit-code")
    assert entry("text.size")["$extensions"]["com.figma.scopes"] == ["FONT_SIZE"]  # which is no default any more
    assert entry("raw.a")["$extensions"]["com.figma.hiddenFromPublishing"] is True
    assert {name: held()[name] for name in former} == former


def test_an_edit_in_figma_reaches_the_files_and_the_default_there_is_no_edit(project):
    configure(DEFAULTS)
    add()
    applied()
    changed = held()["text/size"]["id"]
    body = {"variables": [{"action": "UPDATE", "id": changed, "scopes": ["CORNER_RADIUS"]}]}
    Path("body.json").write_text(json.dumps(body), encoding="utf-8")
    tokensync("api", "variables", "post", "--file", "one", "--body", "@body.json")
    tokensync("-q", "pull")
    assert entry("text.size")["$extensions"]["com.figma.scopes"] == ["CORNER_RADIUS"]
    tokensync("-q", "plan", "--exit-code")


def test_a_lost_lock_makes_no_variable_a_new_one(project):
    configure(DEFAULTS)
    Path("tokensync.lock").unlink()
    tokensync("-q", "plan", "--exit-code")
    tokensync("-q", "pull")
    assert not held()["raw/old"]["hiddenFromPublishing"]
    tokensync("-q", "plan", "--exit-code")
