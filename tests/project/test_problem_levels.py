"""The levels of ``[problems]``: which codes can change, where, and for which commands."""

import json
import tomllib
from typing import get_args

import pytest
from commands.projects import files_in, on_the_platform, output, project_in, tokensync
from design_file import collection, response, variable

from tokensync.project.configuration import Levels, parse_config
from tokensync.system.errors import ConfigurationError
from tokensync.system.problems import CODES, Level, problem

LEVELS = get_args(Level)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invalid(text):
    with pytest.raises(ConfigurationError) as refused:
        parse_config(f"[problems]\n{text}\n".encode(), "tokensync.toml")
    return [(each.where, each.what, each.what_to_do) for each in refused.value.problems]


def severities(text, *places, code="identifier-collision"):
    table = tomllib.loads(f"[problems]\n{text}")["problems"]
    levels = Levels(table, "/project/")
    applied = [levels.applied([problem(code, where, "what", "do")]) for where in places]
    return [each[0].severity if each else None for each in applied]


@pytest.mark.parametrize("code", sorted(CODES))
@pytest.mark.parametrize("level", LEVELS)
def test_a_code_takes_the_documented_levels_and_no_other(code, level):
    text = f'[problems]\n{code} = "{level}"\n'
    if level in CODES[code].levels:
        parse_config(text.encode(), "tokensync.toml")
    else:
        with pytest.raises(ConfigurationError, match=f"the level of {code} cannot be '{level}'"):
            parse_config(text.encode(), "tokensync.toml")


def test_errors_that_protect_data_cannot_change():
    for code in (
        "plan-limit",
        "path-refused",
        "output-foreign",
        "token-value",
        "mode-id-copied",
        "conflicts-unreadable",
    ):
        assert CODES[code].levels == ("error",)
    assert invalid('token-value = "ignore"') == [
        (
            "tokensync.toml:2:1 (#/problems/token-value)",
            "the level of token-value cannot be 'ignore'",
            "remove it: token-value is always an error",
        )
    ]
    assert invalid('lock-unreadable = "note"')[0][2] == "use 'warning' or 'error'"


@pytest.mark.parametrize(
    ("text", "what", "what_to_do"),
    [
        ('leaf-and-grup = "ignore"', "unknown problem code 'leaf-and-grup'", "use leaf-and-group"),
        ('leaf-and-group = "ignor"', "unknown value 'ignor'", 'use "ignore"'),
        ("leaf-and-group = true", "expected a string or a table, found a boolean", 'write "true"'),
        ('leaf-and-group = { "a/**" = "err" }', "unknown value 'err'", 'use "error"'),
        ('leaf-and-group = "ignore"\nx = "off"', "unknown setting 'x'", None),
    ],
)
def test_a_mistake_gets_the_nearest_name(text, what, what_to_do):
    found = invalid(text)
    assert (what, what_to_do) in [(each[1], what_to_do and each[2]) for each in found]


def test_a_level_applies_to_its_code_only():
    assert severities('identifier-collision = "error"', "Theme / a") == ["error"]
    assert severities('identifier-collision = "ignore"', "Theme / a") == [None]
    assert severities('identifier-collision = "error"', "Theme / a", code="alias-cycle") == ["warning"]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("theme/**", [None, "warning", "warning", "warning"]),
        ("theme", [None, "warning", "warning", "warning"]),
        ("Theme/text/muted", [None, None, "warning", "warning"]),
        ("theme/text", [None, "warning", "warning", "warning"]),
        ("*/text/*", [None, None, None, "warning"]),
        ("theme-2/text/*", ["warning", None, "warning", "warning"]),
        ("tokens/kit/*", ["warning", "warning", None, "warning"]),
        ("base/text/muted", ["warning", "warning", None, "warning"]),
        ("global-colors", ["warning", "warning", "warning", None]),
        ("Global Colors", ["warning", "warning", "warning", None]),
    ],
)
def test_a_glob_matches_a_place_and_everything_below_it(glob, expected):
    places = [
        "Theme / text/muted / Dark",
        "Theme (theme-2) / text/muted",
        "/project/tokens/kit/base/light.tokens.json:3:5 (#/base/text/muted/$value)",
        "Global Colors",
    ]
    assert severities(f'identifier-collision = {{ "{glob}" = "ignore" }}', *places) == expected


def test_the_first_glob_that_matches_counts():
    text = '[problems.identifier-collision]\n"theme/a" = "ignore"\n"theme/**" = "error"'
    levels = Levels(tomllib.loads(text)["problems"])
    found = [problem("identifier-collision", f"Theme / {name}", "what", "do") for name in "ab"]
    assert [(each.where, each.severity) for each in levels.applied(found)] == [("Theme / b", "error")]
    assert levels.applied(levels.applied(found)) == levels.applied(found)


def test_an_error_by_an_option_of_an_output_stays_an_error():
    raised = problem("identifier-collision", "Theme / a", "what", "do")._replace(severity="error")
    assert Levels({"identifier-collision": "ignore"}).applied([raised]) == (raised,)


CLASHING = {"a-b": ("#ff0000",), "a/b": ("#00ff00",)}


def clashing_project(folder, more=""):
    """Write a project in which two tokens have the same CSS name."""
    project_in(folder, outputs=output("css", "web"), more=more)
    path = folder / "tokens" / "one" / "theme" / "light.tokens.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    color = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
    path.write_text(json.dumps({"theme": {"a-b": color, "a": {"b": color}}}), encoding="utf-8")


def set_levels(folder, text):
    path = folder / "tokensync.toml"
    before = path.read_text(encoding="utf-8").partition("[problems]")[0]
    path.write_text(f"{before}[problems]\n{text}\n", encoding="utf-8")


def test_a_build_with_the_level_error_writes_nothing(folder):
    clashing_project(folder)
    set_levels(folder, 'identifier-collision = "error"')
    assert "error: theme / a/b: its css name" in tokensync("build", code=1).stderr
    assert not (folder / "web").exists()
    assert not (folder / "tokensync.outputs.json").exists()


@pytest.mark.parametrize("arguments", [("build",), ("build", "--check"), ("build", "--json"), ("build", "-v")])
def test_a_change_of_the_levels_takes_effect_although_all_outputs_are_current(folder, arguments):
    clashing_project(folder)
    assert "[identifier-collision]" in tokensync("build").stderr
    assert "all outputs are current" in tokensync("build", "--check").stderr
    set_levels(folder, 'identifier-collision = "error"')
    assert "[identifier-collision]" in tokensync(*arguments, code=1).stderr
    assert "[identifier-collision]" in tokensync(*arguments, code=1).stderr
    set_levels(folder, 'identifier-collision = { "theme/a/**" = "ignore" }')
    assert "identifier-collision" not in tokensync(*arguments).stderr


def test_levels_that_decide_nothing_leave_outputs_current(folder):
    clashing_project(folder)
    tokensync("build", "-q")
    before = files_in(folder)["tokensync.outputs.json"]
    set_levels(folder, 'identifier-collision = "note"')
    assert "all outputs are current" in tokensync("build", "--check").stderr
    assert files_in(folder)["tokensync.outputs.json"] == before
    (report,) = json.loads(tokensync("build", "--json").output)["problems"]
    assert report["severity"] == "note"


@pytest.mark.parametrize("arguments", [("tokens", "list", "--names"), ("tokens", "list", "--json"), ("report",)])
def test_other_commands_end_with_1_too_and_ignore_what_is_ignored(folder, arguments):
    clashing_project(folder)
    set_levels(folder, 'identifier-collision = "error"')
    assert "[identifier-collision]" in tokensync(*arguments, code=1).stderr
    set_levels(folder, 'identifier-collision = "ignore"')
    assert "warning" not in tokensync(*arguments).stderr


def test_saved_responses_follow_the_nearest_configuration(folder):
    owner = collection("C:1", "Theme")
    made = [variable(f"V:{name}", name, owner, "FLOAT", [1, 2]) for name in ("a", "a/b")]
    (folder / "local.json").write_bytes(response([owner], made))
    build = ("build", "--snapshot", "local.json", "-o", "out", "--platform", "css")
    assert "[leaf-and-group]" in tokensync(*build).stderr
    (folder / "tokensync.toml").write_text('[problems]\nleaf-and-group = "error"\n', encoding="utf-8")
    for arguments in (build, (*build, "--check"), ("tokens", "list", "--snapshot", "local.json")):
        assert "error: Theme: 1 variable has the name of a group" in tokensync(*arguments, code=1).stderr
    (folder / "quiet.toml").write_text('[problems]\nleaf-and-group = "ignore"\n', encoding="utf-8")
    assert "leaf-and-group" not in tokensync(*build, "-c", "quiet.toml").stderr


def test_pull_plan_status_and_diff_follow_the_levels_and_write_nothing(folder):
    project_in(folder)
    on_the_platform({"a": ("#ff0000", "#00ff00"), "a/b": ("#ff0000", "#00ff00")})
    tokensync("pull", "-q")
    before = files_in(folder)
    set_levels(folder, 'leaf-and-group = "error"')
    (folder / "tokens" / "one.resolver.json").unlink()
    for arguments in (("pull",), ("plan",), ("status",), ("diff", "tokens", "remote")):
        assert "error: theme: 1 variable has the name of a group" in tokensync(*arguments, code=1).stderr.lower()
    assert set(files_in(folder)) == set(before) - {"tokens/one.resolver.json"}
    set_levels(folder, 'leaf-and-group = "ignore"')
    assert "leaf-and-group" not in tokensync("pull", "--json").output


def test_a_theme_of_a_missing_collection_can_be_a_warning(folder):
    clashing_project(folder, '[themes.night]\nbrand = "Dark"\n')
    assert "[theme-unknown-collection]" in tokensync("build", code=1).stderr
    set_levels(folder, 'theme-unknown-collection = "warning"\nidentifier-collision = "ignore"')
    done = tokensync("build")
    assert done.stderr.startswith("warning: tokensync.toml:3:1 (#/themes/night/brand): unknown collection 'brand'")
    assert (folder / "web" / "tokens.css").exists()
    set_levels(folder, 'identifier-collision = "ignore"')
    assert "[theme-unknown-collection]" in tokensync("build", "--check", code=1).stderr
