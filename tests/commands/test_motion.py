"""Motion variables of a design file that the REST API reads and does not write."""

import json
import os
from pathlib import Path
from shutil import rmtree

import pytest
from commands.projects import DESIGN, tokensync
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from plan.motion import add_motion, alias

FILE = "tokens/design/motion/{}.tokens.json"
KEY = "aBcDeFgH1234567890abcd"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project on the emulator, whose file has motion variables, after a pull."""
    monkeypatch.chdir(tmp_path)
    response = json.loads(DESIGN[0].read_bytes())
    add_motion(response["meta"])
    project_of(response)


def project_of(response):
    """Make a project on the emulator in the working folder, and pull."""
    Path("tokensync.toml").write_text(
        f'base_url = "emulator:"\n[[files]]\nname = "design"\nkey = "{KEY}"\n', encoding="utf-8"
    )
    Path("local.json").write_text(json.dumps(response), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "local.json")
    tokensync("-q", "pull")


def edit_a_color():
    path = Path("tokens/design/primitives/value.tokens.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["primitives"]["color"]["slate"]["50"]["$value"] = {"colorSpace": "srgb", "components": [0, 0.25, 0.5]}
    path.write_text(json.dumps(document), encoding="utf-8")


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
    edit_a_color()
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
    assert values["90:0"] == [*values.values()][2]
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


NUMBERS = st.floats(-2, 2, width=32) | st.integers(-3, 3) | st.none() | st.text(max_size=3)
CURVES = st.fixed_dictionaries(dict.fromkeys(("x1", "y1", "x2", "y2"), NUMBERS))
KINDS = st.sampled_from(["EASE_IN", "GENTLE", "CUSTOM_SPRING", "CUSTOM_CUBIC_BEZIER", "HOLD", "WOBBLE", "linear", ""])
EASINGS = st.fixed_dictionaries(
    {"type": KINDS},
    optional={
        "easingFunctionCubicBezier": CURVES,
        "easingFunctionSpring": st.fixed_dictionaries({"bounce": NUMBERS}, optional={"mass": NUMBERS}),
        "ofTomorrow": NUMBERS,
    },
)
BEFORE = st.fixed_dictionaries(
    {"easingType": KINDS | NUMBERS}, optional={"bezierValues": CURVES, "springValues": CURVES}
)


def drawn(data, number, type_):
    """Return values for both modes: of known and unknown forms, and aliases to others of any type."""
    value = (EASINGS | BEFORE | NUMBERS) if type_ == "EASING" else (NUMBERS | EASINGS)
    return [data.draw(value | st.integers(0, number).map(alias)) for _ in range(2)]


def survive(folder, data):
    """Pull, apply an edit of another token and its rollback; motion variables of any form stay as they are."""
    rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.chdir(folder)
    response = json.loads(DESIGN[0].read_bytes())
    add_motion(response["meta"])
    variables = response["meta"]["variables"]
    for number in range(6):
        type_ = data.draw(st.sampled_from(["EASING", "TIMING"]))
        values = dict(zip(("90:0", "90:1"), drawn(data, number, type_), strict=True))
        variables[f"VariableID:90:{number}"] |= {"resolvedType": type_, "valuesByMode": values}
    project_of(response)
    before = motion()
    edit_a_color()
    tokensync("-q", "plan", "--exit-code", code=3)
    tokensync("-q", "apply")
    assert motion() == before
    tokensync("-q", "rollback", max(Path(".tokensync/applies").iterdir()) / "receipt.json")
    tokensync("-q", "apply")
    assert json.dumps(motion()) == json.dumps(before)


@settings(
    max_examples=5,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_easings_of_any_form_stay_as_they_are(tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    survive(tmp_path / "project", data)


@pytest.mark.campaign
@settings(
    max_examples=200,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_easings_of_any_form_stay_as_they_are_in_200_files(tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    survive(tmp_path / "project", data)
