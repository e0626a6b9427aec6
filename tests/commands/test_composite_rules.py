"""[[composites]] in a project: what outputs have, what stays in the token files, and what lint proposes."""

import json
from pathlib import Path

import pytest
from commands.projects import project_in, tokensync
from design_file import collection, color, response, variable

RULE = """
[[composites]]
type = "shadow"
match = "shadow/*/{x,y,blur,spread,color}"
"""
OUTPUT = """
[[outputs]]
platform = "css"
path = "css"
"""


@pytest.fixture
def shadows(folder):
    """A project with two shadows of five variables, pulled."""
    project_in(folder, more=OUTPUT)
    owner = collection("VariableCollectionId:1:1", "Theme", ["Light", "Dark"])
    variables = []
    for name in ("small", "large"):
        for part, value in {"x": 0, "y": 2, "blur": 4, "spread": 0, "color": None}.items():
            number = f"VariableID:1:{len(variables)}"
            kind, values = ("COLOR", [color(), color()]) if value is None else ("FLOAT", [value, value])
            scopes = ["EFFECT_COLOR" if value is None else "EFFECT_FLOAT"]
            variables.append(variable(number, f"shadow/{name}/{part}", owner, kind, values, scopes=scopes))
    Path("local.json").write_bytes(response([owner], variables))
    tokensync("-q", "emulator", "seed", "local.json", "--key", "key-one")
    Path("local.json").unlink()
    tokensync("-q", "pull")
    return folder


def configure(text):
    path = Path("tokensync.toml")
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def properties():
    lines = Path("css/tokens.css").read_text(encoding="utf-8").splitlines()
    return {line.split(":")[0].strip() for line in lines if line.strip().startswith("--shadow")}


def test_a_rule_changes_outputs_that_were_current(shadows):
    tokensync("-q", "build")
    assert len(properties()) == 10
    configure(RULE)
    tokensync("-q", "check", code=3)
    tokensync("-q", "build")
    assert properties() == {"--shadow-small", "--shadow-large"}
    tokensync("-q", "check")


def test_the_platform_and_the_token_files_keep_the_variables(shadows):
    before = {path: path.read_bytes() for path in Path("tokens").rglob("*.json")}
    configure(RULE)
    tokensync("-q", "pull")
    assert {path: path.read_bytes() for path in Path("tokens").rglob("*.json")} == before
    assert "nothing to do" in tokensync("plan").output


def test_a_plan_writes_no_code_syntax_for_parts_that_outputs_do_not_declare(shadows):
    assert "var(--shadow-small-x)" in tokensync("plan", "--code-syntax", "web").output
    configure(RULE)
    assert "nothing to do" in tokensync("plan", "--code-syntax", "web").output
    configure("keep = true\n")
    assert "var(--shadow-small-x)" in tokensync("plan", "--code-syntax", "web").output


def test_why_tells_the_parts_and_the_rule(shadows):
    configure(RULE)
    lines = tokensync("tokens", "why", "shadow/small").output.splitlines()
    assert lines[-6:] == [
        "assembled by rule 1 of [[composites]] from",
        *(f"  theme / shadow/small/{part}" for part in ("x", "y", "blur", "spread", "color")),
    ]
    document = json.loads(tokensync("tokens", "why", "shadow/small", "--json").output)
    assert document[0]["parts"][0] == "theme.shadow.small.x"


def test_list_shows_the_token_and_counts_its_parts(shadows):
    configure(RULE)
    done = tokensync("tokens", "list")
    assert [line.split()[1] for line in done.output.splitlines()[1:]] == ["shadow/small", "shadow/large"]
    assert "2 tokens; not shown: 10 withheld" in done.stderr


def test_lint_proposes_the_rule_until_there_is_one(shadows):
    stderr = tokensync("-v", "lint").stderr
    assert stderr.count("[composites-possible]") == 1
    assert "2 groups of variables have the parts of a shadow (shadow/small, shadow/large)" in stderr
    assert RULE.strip() in stderr
    configure(RULE)
    assert "composites-possible" not in tokensync("-v", "lint").stderr


def test_a_problem_of_a_rule_has_its_line(shadows):
    configure(RULE.replace("y,blur", "y,blur,inset").replace("spread,", ""))
    assert tokensync("-q", "check", code=3).stderr == ""
    configure('[[composites]]\ntype = "border"\nmatch = "border/*/{width,color,style}"\n')
    stderr = tokensync("build").stderr
    line = Path("tokensync.toml").read_text(encoding="utf-8").splitlines().index('type = "border"')
    assert f"tokensync.toml:{line}:" in stderr
    assert "no group of variables matches border/*/{width,color,style}" in stderr


def test_a_rule_that_can_assemble_nothing_is_no_configuration(shadows):
    configure('[[composites]]\ntype = "border"\nmatch = "border/*/{width,colr}"\n')
    stderr = tokensync("build", code=2).stderr
    assert "'colr' means no member of a border" in stderr
    assert "(#/composites/0/match)" in stderr
