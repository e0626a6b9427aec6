"""Lengths in em and %, and words of text styles: token files keep them, plans lower them or say why not."""

import json
import os
from pathlib import Path

import pytest
from commands.projects import output, project_in, tokensync
from design_file import collection, response, variable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

LIGHT, DARK = Path("tokens/one/sizes/light.tokens.json"), Path("tokens/one/sizes/dark.tokens.json")
SCOPES = "com.figma.scopes"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the variables ``gap`` and ``inset``, which refers to it, in two modes."""
    monkeypatch.chdir(project_in(tmp_path / "project", outputs=output("css", "web")))
    sizes = collection("VariableCollectionId:2:1", "Sizes", ("Light", "Dark"))
    gap = variable("VariableID:2:2", "gap", sizes, "FLOAT", (16, 8), scopes=["GAP"])
    inset = variable("VariableID:2:3", "inset", sizes, "FLOAT", (4, 4), scopes=["GAP"])
    Path("r.json").write_bytes(response([sizes], [gap, inset]))
    tokensync("-q", "emulator", "seed", "r.json", "--key", "key-one", "-c", "tokensync.toml")
    tokensync("pull", "-q")
    return Path.cwd()


def length(number, unit):
    return {"value": number, "unit": unit}


def write(tokens, *files):
    """Set tokens of files, by name: the type, the value, and the scopes if there are any."""
    for path in files or (LIGHT, DARK):
        tree = json.loads(path.read_text("utf-8"))
        for name, (token_type, value, *scopes) in tokens.items():
            token = tree["sizes"].setdefault(name, {})
            token |= {"$type": token_type, "$value": value}
            if scopes and path == LIGHT:
                token["$extensions"] = {SCOPES: scopes}
        path.write_text(json.dumps(tree, indent=2), encoding="utf-8")


def values(path=LIGHT):
    tree = json.loads(path.read_text("utf-8"))["sizes"]
    return {name: (token["$type"], token["$value"]) for name, token in tree.items()}


def on_the_platform():
    answer = json.loads(tokensync("api", "variables", "local", "--file", "one").output)
    return {each["name"]: [*each["valuesByMode"].values()] for each in answer["meta"]["variables"].values()}


def edit_in_figma(name, value):
    """Set a variable's value in the mode Light."""
    answer = json.loads(tokensync("api", "variables", "local", "--file", "one").output)
    changed = next(each for each in answer["meta"]["variables"].values() if each["name"] == name)
    (light, _) = answer["meta"]["variableCollections"][changed["variableCollectionId"]]["modes"]
    body = {"variableModeValues": [{"variableId": changed["id"], "modeId": light["modeId"], "value": value}]}
    Path("body.json").write_text(json.dumps(body), encoding="utf-8")
    tokensync("api", "variables", "post", "--file", "one", "--body", "@body.json")


NEW = {
    "tight": ("dimension", length(-0.02, "em")),
    "wide": ("dimension", length(150, "%")),
    "tighter": ("dimension", "{sizes.tight}"),
    "faded": ("dimension", length(48, "%"), "OPACITY"),
    "slanted": ("fontStyle", "italic"),
    "loud": ("textCase", "uppercase"),
    "struck": ("textDecoration", "line-through"),
    "line": ("dimension", length(24, "px"), "LINE_HEIGHT"),
}


def test_a_plan_creates_what_a_variable_can_hold_and_names_the_rest_in_one_note(project):
    write(NEW)
    plan = tokensync("plan", "-v")
    assert plan.output.count("lengths in em and % stay in the token files") == 1
    assert "sizes / tight, sizes / wide, sizes / tighter" in plan.output
    tokensync("-q", "apply")
    held = on_the_platform()
    assert held.keys() == {"gap", "inset", "faded", "slanted", "loud", "struck", "line"}
    assert held["faded"] == [48, 48]
    assert held["slanted"] == ["italic", "italic"]
    assert held["line"] == [24, 24]


def test_a_pull_after_an_apply_keeps_every_unit_and_word(project):
    write(NEW)
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    expected = {name: (kind, value) for name, (kind, value, *_) in NEW.items()}
    for path in (LIGHT, DARK):
        assert values(path).items() >= expected.items()
    tokensync("-q", "format")
    before = LIGHT.read_bytes(), DARK.read_bytes()
    tokensync("-q", "pull")
    assert (LIGHT.read_bytes(), DARK.read_bytes()) == before
    tokensync("-q", "plan", "--exit-code")
    assert "in sync" in tokensync("status").output


def test_a_variable_keeps_its_value_when_the_token_files_write_it_in_em(project):
    write({"gap": ("dimension", length(1, "em"))}, LIGHT)
    write({"inset": ("dimension", "{sizes.tight}"), "tight": NEW["tight"], "linked": ("dimension", "{sizes.gap}")})
    plan = tokensync("plan", "-v")
    assert "sizes / gap, sizes / tight, sizes / inset\n" in plan.output
    tokensync("-q", "apply")
    held = on_the_platform()
    assert held["gap"] == [16, 8]
    assert held["inset"] == [4, 4]
    assert held["linked"][0]["type"] == "VARIABLE_ALIAS"
    tokensync("-q", "pull")
    assert values()["gap"] == ("dimension", length(1, "em"))
    assert values(DARK)["gap"] == ("dimension", length(8, "px"))
    assert values()["inset"] == ("dimension", "{sizes.tight}")


def test_an_opacity_in_percent_follows_the_platform_in_percent(project):
    write(NEW)
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    edit_in_figma("faded", 60)
    tokensync("-q", "pull")
    assert values()["faded"] == ("dimension", length(60, "%"))
    assert values(DARK)["faded"] == ("dimension", length(48, "%"))
    tokensync("-q", "plan", "--exit-code")


def test_another_text_of_a_word_in_figma_stops_no_command(project):
    write(NEW)
    for command in ("plan", "apply", "pull"):
        tokensync("-q", command)
    edit_in_figma("loud", "lowercase")
    edit_in_figma("struck", "STRIKETHROUGH")
    tokensync("-q", "pull")
    assert values()["loud"] == ("textCase", "lowercase")
    assert values()["struck"] == ("string", "STRIKETHROUGH")
    tokensync("-q", "plan", "--exit-code")
    tokensync("-q", "build")
    assert '--struck: "STRIKETHROUGH";' in Path("web/tokens.css").read_text("utf-8")


NUMBERS = st.floats(min_value=-1000, max_value=1000, width=32).map(lambda number: round(number, 3))
LENGTHS = st.builds(length, NUMBERS, st.sampled_from(["em", "%", "rem", "px"]))
WORDS = {"fontStyle": ["normal", "oblique"], "textCase": ["none", "capitalize"], "textDecoration": ["underline"]}
TOKENS = st.fixed_dictionaries(
    {},
    optional={
        **{name: LENGTHS.map(lambda value: ("dimension", value)) for name in ("a", "letter-spacing", "opacity", "gap")},
        **{kind: st.sampled_from(words).map(lambda word, kind=kind: (kind, word)) for kind, words in WORDS.items()},
    },
)


@given(TOKENS, TOKENS)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_pull_and_no_format_changes_a_unit_that_was_planned(project, light, dark):
    os.chdir(project)
    write({**dark, **light}, LIGHT)
    write({**light, **dark}, DARK)
    tokensync("-q", "format")
    before = values(), values(DARK)
    for command in ("plan --prune", "apply --force", "pull", "format"):
        tokensync("-q", *command.split())
    assert (values(), values(DARK)) == before
    tokensync("-q", "plan", "--exit-code")


STYLE = {
    "fontFamily": "Inter",
    "fontSize": length(16, "px"),
    "fontWeight": 400,
    "letterSpacing": length(-0.02, "em"),
    "lineHeight": length(24, "px"),
    "fontStyle": "italic",
    "textCase": "uppercase",
    "textDecoration": "underline",
}


@pytest.mark.parametrize("height", [length(24, "px"), length(150, "%"), length(1.5, "em"), length(1.5, "rem")])
def test_a_text_style_keeps_its_units_and_words(project, height):
    write({"body": ("typography", {**STYLE, "lineHeight": height}), "gap": ("dimension", length(20, "px"))})
    tokensync("-q", "format")
    before = LIGHT.read_bytes(), DARK.read_bytes()
    for command in ("pull", "plan", "apply", "pull", "format"):
        tokensync("-q", command)
    assert (LIGHT.read_bytes(), DARK.read_bytes()) == before


def test_a_text_style_keeps_a_reference_that_has_no_value_in_each_mode(project):
    style = {"fontFamily": "Inter", "fontSize": "{sizes.tight}", "fontWeight": 400, "letterSpacing": "0.1em"}
    write({"tight": ("dimension", length(2, "em"))}, LIGHT)
    write({"title": ("typography", {**style, "lineHeight": length(24, "px")})})
    for path in (LIGHT, DARK):
        tree = json.loads(path.read_text("utf-8"))
        tree["sizes"]["title"]["$deprecated"] = True
        path.write_text(json.dumps(tree), encoding="utf-8")
    before = json.loads(LIGHT.read_text("utf-8"))["sizes"]["title"]
    tokensync("-q", "pull")
    assert json.loads(LIGHT.read_text("utf-8"))["sizes"]["title"] == before
