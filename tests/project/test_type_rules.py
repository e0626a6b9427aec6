"""The problems of [[types]] rules: no effect, and variables that cannot have the type."""

from pathlib import Path

import pytest
from commands.projects import project_in, tokensync
from design_file import alias, collection, color, response, variable

from tokensync.project import configuration

CODES = ("[type-rule-unused]", "[type-rule-unfit]")


def seed(key="key-one"):
    """Add numbers, colours and strings with and without scopes to the emulator."""
    owner = collection("VariableCollectionId:1:1", "Base", ["Light", "Dark"])
    variables = [
        variable("VariableID:1:1", "space/s", owner, "FLOAT", [4, 8]),
        variable("VariableID:1:2", "space/l", owner, "FLOAT", [16, 32]),
        variable("VariableID:1:3", "space/ink", owner, "COLOR", [color(), color()]),
        variable("VariableID:1:4", "gap", owner, "FLOAT", [4, 8], scopes=["GAP"]),
        variable("VariableID:1:5", "cut/bold", owner, "STRING", ["Bold", "Black"]),
        variable("VariableID:1:6", "cut/odd", owner, "STRING", ["Condensed", "Bold"]),
        variable("VariableID:1:7", "cut/above", owner, "STRING", [alias("VariableID:1:6"), "Bold"]),
        variable("VariableID:1:8", "cut/far", owner, "FLOAT", [400, 2000]),
    ]
    Path("local.json").write_bytes(response([owner], variables))
    tokensync("-q", "emulator", "seed", "local.json", "--key", key, "-c", "tokensync.toml")
    Path("local.json").unlink()


def rules(*tables):
    return "".join(f"[[types]]\n{table}\n" for table in tables)


def reported(folder, *tables, files=("one",), command=("pull",)):
    """Return the problems of these rules, without the folder of the configuration."""
    project_in(folder, more=rules(*tables), files=files)
    for each in files:
        seed(f"key-{each}")
    lines = tokensync("-v", *command).stderr.splitlines()
    return [line.replace(f"{folder}/", "") for line in lines if line.endswith(CODES)]


def test_rule_with_an_effect_is_not_reported(folder):
    assert reported(folder, 'type = "dimension"\npath = "space/?"', 'type = "fontWeight"\npath = "cut/bold"') == []


@pytest.mark.parametrize("command", [("plan",), ("status",)])
def test_plan_and_status_report_problems(folder, command):
    project_in(folder)
    seed()
    tokensync("-q", "pull")
    (line,) = reported(folder, 'type = "dimension"\npath = "spacing/*"', command=command)
    assert line.endswith("[type-rule-unused]")


def test_the_configuration_is_parsed_once_for_all_problems_of_rules(folder, monkeypatch):
    parsed = []
    positions = configuration.toml_positions
    monkeypatch.setattr(configuration, "toml_positions", lambda text: parsed.append(1) or positions(text))
    assert len(reported(folder, 'type = "dimension"\npath = "a"', 'type = "dimension"\npath = "b"')) == 2
    assert parsed == [1]


def test_rule_without_matches_is_reported_with_its_location_and_condition(folder):
    assert reported(folder, 'type = "dimension"\npath = "space/?"', 'type = "dimension"\npath = "spacing/*"') == [
        "warning: tokensync.toml:5:1 (#/types/1): no variable matches its path (spacing/*); correct the path"
        " [type-rule-unused]"
    ]


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (
            'type = "dimension"\ncollection = "Basis"',
            'no variable matches its collection (Basis); use "Base"',
        ),
        ('type = "dimension"\nscopes = ["GPA"]', "no variable matches its scopes (GPA); correct the scopes"),
        ('type = "boolean"\nresolved_type = "BOOLEAN"', "no variable matches its resolved_type (BOOLEAN);"),
        (
            'type = "dimension"\npath = "space/*"\nscopes = ["GAP"]',
            "no variable matches all of its conditions; correct them, or remove it",
        ),
        ('type = "number"\nscopes = []', "an empty list of scopes matches no variable; add scopes, or remove"),
        ('type = "color"\nresolved_type = "FLOAT"', 'no FLOAT variable can be color; write resolved_type = "COLOR"'),
        (
            'type = "fontWeight"\nresolved_type = "COLOR"',
            'no COLOR variable can be fontWeight; write resolved_type = "FLOAT" or "STRING"',
        ),
        (
            'type = "dimension"\npath = "gap"',
            "without it, the matching variable would have the same type; remove",
        ),
        (
            'type = "string"\npath = "cut/[!f]*"',
            "without it, each of the 3 matching variables would have the same type; remove it",
        ),
    ],
)
def test_rule_without_effect_is_reported_with_the_reason(folder, table, what):
    (line,) = reported(folder, table)
    assert line.startswith(f"warning: tokensync.toml:2:1 (#/types/0): {what}")
    assert line.endswith("[type-rule-unused]")


def test_rule_after_an_overlapping_rule_is_reported(folder):
    first = 'type = "dimension"\npath = "space/?"'
    assert reported(folder, first, 'type = "fontWeight"\npath = "space/s"') == [
        "warning: tokensync.toml:5:1 (#/types/1): an earlier rule decides the type of the matching variable;"
        " move it before that rule [type-rule-unused]"
    ]


def test_variables_of_another_type_are_reported_with_the_condition_to_add(folder):
    assert reported(folder, 'type = "dimension"\npath = "space/*"') == [
        "warning: tokensync.toml:2:1 (#/types/0): 1 of the 3 matching variables is COLOR and cannot be dimension"
        ' (space/ink); add resolved_type = "FLOAT" [type-rule-unfit]'
    ]
    assert reported(folder, 'type = "dimension"\npath = "*"\nresolved_type = "FLOAT"') == []


def test_rule_that_only_matches_another_type_is_reported_with_the_possible_types(folder):
    assert reported(folder, 'type = "dimension"\npath = "cut/[abo]*"') == [
        "warning: tokensync.toml:2:1 (#/types/0): each of the 3 matching variables is STRING and cannot be dimension"
        ' (cut/bold, cut/odd, cut/above); write type = "string" or "fontFamily" or "fontWeight", or correct'
        " its conditions [type-rule-unfit]"
    ]


def test_values_that_are_not_font_weights_are_reported(folder):
    assert reported(folder, 'type = "fontWeight"\npath = "cut/*"') == [
        "warning: tokensync.toml:2:1 (#/types/0): 3 of the 4 matching variables have values that are not font"
        ' weights and stay string and number (cut/odd "Condensed", cut/above, cut/far); correct the values, or'
        " narrow the path of the rule [type-rule-unfit]"
    ]


def test_rule_that_makes_a_small_line_height_a_length_has_an_effect(folder):
    owner = collection("VariableCollectionId:1:1", "Base", ["Light", "Dark"])
    tight = variable("VariableID:1:1", "tight", owner, "FLOAT", [1.25, 1.5], scopes=["LINE_HEIGHT"])
    project_in(folder, more=rules('type = "dimension"\npath = "tight"'))
    Path("local.json").write_bytes(response([owner], [tight]))
    tokensync("-q", "emulator", "seed", "local.json", "--key", "key-one")
    stderr = tokensync("-v", "pull").stderr
    assert not [line for line in stderr.splitlines() if "ratio-as-length" in line or line.endswith(CODES)]


def test_rule_that_prevents_font_weights_has_an_effect(folder):
    owner = collection("VariableCollectionId:1:1", "Base", ["Light", "Dark"])
    odd = variable("VariableID:1:1", "odd", owner, "STRING", ["Condensed", "Bold"], scopes=["FONT_STYLE"])
    project_in(folder, more=rules('type = "string"\npath = "odd"'))
    Path("local.json").write_bytes(response([owner], [odd]))
    tokensync("-q", "emulator", "seed", "local.json", "--key", "key-one")
    stderr = tokensync("-v", "pull").stderr
    assert not [line for line in stderr.splitlines() if "font-weight-text" in line or line.endswith(CODES)]


def test_rule_without_matches_is_not_reported_for_a_part_of_the_files(folder):
    table = 'type = "dimension"\npath = "spacing/*"'
    assert len(reported(folder, table, files=("one", "two"))) == 1
    assert reported(folder, table, files=("one", "two"), command=("pull", "--file", "one")) == []


def test_location_in_pyproject(folder):
    project_in(folder)
    seed()
    config = 'base_url = "emulator:"\n[[tool.tokensync.files]]\nname = "one"\nkey = "key-one"\n'
    table = '[[tool.tokensync.types]]\ntype = "dimension"\npath = "spacing/*"\n'
    (folder / "tokensync.toml").unlink()
    (folder / "pyproject.toml").write_text(f"[tool.tokensync]\n{config}{table}", encoding="utf-8")
    (line,) = [line for line in tokensync("-v", "pull").stderr.splitlines() if line.endswith(CODES)]
    assert "pyproject.toml:6:1 (#/types/0): no variable matches its path" in line
