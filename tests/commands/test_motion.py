"""Motion variables of a design file that the REST API reads and does not write."""

import json
from pathlib import Path
from shutil import rmtree

import pytest
from commands.projects import DESIGN, tokensync
from plan.motion import add_motion

FILE = "tokens/design/motion/{}.tokens.json"
KEY = "aBcDeFgH1234567890abcd"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project on the emulator, whose file has motion variables, after a pull."""
    monkeypatch.chdir(tmp_path)
    Path("tokensync.toml").write_text(
        f'base_url = "emulator:"\n[[files]]\nname = "design"\nkey = "{KEY}"\n', encoding="utf-8"
    )
    response = json.loads(DESIGN[0].read_bytes())
    add_motion(response["meta"])
    Path("local.json").write_text(json.dumps(response), encoding="utf-8")
    tokensync("emulator", "seed", "local.json")
    tokensync("pull")


def edit(mode, change):
    path = Path(FILE.format(mode))
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document["motion"])
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")


def motion():
    """Return the motion variables as the platform has them, by name."""
    answer = tokensync("-q", "api", "variables", "local", "--file", "design").output
    variables = json.loads(answer)["meta"]["variables"].values()
    return {each["name"]: each for each in variables if each["resolvedType"] in ("TIMING", "EASING")}


def tokens():
    return {path: path.read_bytes() for path in Path("tokens").rglob("*.json")}


def test_a_pull_of_motion_variables_is_the_same_again(project):
    before = tokens()
    assert b'"$value": {"value": 300, "unit": "ms"}' in before[Path(FILE.format("full"))]
    tokensync("pull")
    assert tokens() == before
    tokensync("plan", "--exit-code")
    assert "in sync" in tokensync("status").output


def test_their_edits_in_the_design_file_are_merged(project):
    edit("full", lambda motion: motion["ease"]["standard"].update({"$value": [0, 0, 0.5, 1]}))
    response = json.loads(Path("local.json").read_bytes())
    variables = response["meta"]["variables"]
    variables["VariableID:90:0"]["valuesByMode"]["90:1"] = 0.15000000596046448
    Path("local.json").write_text(json.dumps(response), encoding="utf-8")
    tokensync("emulator", "seed", "local.json")
    tokensync("pull")
    full, reduced = (json.loads(Path(FILE.format(mode)).read_bytes())["motion"] for mode in ("full", "reduced"))
    assert full["ease"]["standard"]["$value"] == [0, 0, 0.5, 1]
    assert reduced["duration"]["fast"]["$value"] == {"value": 150, "unit": "ms"}


def test_a_plan_names_what_it_leaves_out_and_carries_out_the_rest(project):
    before = motion()
    edit("full", lambda motion: motion["duration"]["fast"].update({"$value": {"value": 1, "unit": "s"}}))
    edit("full", lambda motion: motion["ease"].update({"new": {"$type": "cubicBezier", "$value": [0, 0, 1, 1]}}))
    edit("reduced", lambda motion: motion["ease"].update({"new": {"$type": "cubicBezier", "$value": [0, 0, 1, 1]}}))
    for mode in ("full", "reduced"):
        edit(mode, lambda motion: motion["ease"].pop("spring"))
    path = Path("tokens/design/primitives/value.tokens.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["primitives"]["color"]["slate"]["50"]["$value"] = {"colorSpace": "srgb", "components": [0, 0.25, 0.5]}
    path.write_text(json.dumps(document), encoding="utf-8")
    planned = tokensync("plan", "--exit-code", "--prune", code=3)
    assert "2 motion variables would change, and Figma's REST API writes none" in planned.stderr
    assert "motion/duration/fast, motion/ease/spring" in planned.stderr
    assert "a cubicBezier token cannot be a variable" in planned.stderr
    assert "slate/50" in planned.output
    assert "motion" not in planned.output
    tokensync("apply")
    assert motion() == before


def test_a_new_mode_of_their_collection_is_made_and_taken_back(project):
    before = motion()
    document = json.loads(Path(FILE.format("full")).read_bytes())
    document["$extensions"] = {"com.figma.modeName": "None", "org.tokensync": {"mode": {}}}
    Path(FILE.format("none")).write_text(json.dumps(document), encoding="utf-8")
    resolver = Path("tokens/design.resolver.json")
    listed = resolver.read_text(encoding="utf-8")
    assert '"reduced"' in listed
    resolver.write_text(
        listed.replace(
            '"reduced": [{"$ref": "design/motion/reduced.tokens.json"}]',
            '"reduced": [{"$ref": "design/motion/reduced.tokens.json"}],'
            ' "none": [{"$ref": "design/motion/none.tokens.json"}]',
        ),
        encoding="utf-8",
    )
    tokensync("plan", "--exit-code", code=3)
    tokensync("apply")
    values = motion()["duration/fast"]["valuesByMode"]
    assert len(values) == 3
    assert [*values.values()][0] == [*values.values()][2]
    receipt = max(Path(".tokensync/applies").iterdir()) / "receipt.json"
    tokensync("rollback", receipt)
    tokensync("apply", "--force")
    assert motion() == before


def test_a_deletion_of_their_collection_says_that_no_rollback_here_recreates_them(project):
    resolver = Path("tokens/design.resolver.json")
    document = json.loads(resolver.read_text(encoding="utf-8"))
    del document["modifiers"]["motion"]
    document["resolutionOrder"].remove({"$ref": "#/modifiers/motion"})
    resolver.write_text(json.dumps(document), encoding="utf-8")
    rmtree("tokens/design/motion")
    rmtree("tokens/design/calm")
    planned = tokensync("plan", "--prune", "--exit-code", code=3)
    assert "only through the bridge can a rollback restore 5 motion variables" in planned.output
    tokensync("apply", "--force")
    assert motion() == {}
    receipt = max(Path(".tokensync/applies").iterdir()) / "receipt.json"
    back = tokensync("rollback", receipt)
    assert "variables of types that no request can have are not recreated" in back.output + back.stderr
    tokensync("apply", "--force")
    assert motion() == {}
