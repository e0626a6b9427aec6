"""``--strict``: warnings end ``check``, ``build`` and ``plan`` as errors do."""

import re
from pathlib import Path

import pytest
from commands.projects import COLORS, output, pulled_in, response, tokensync
from commands.repositories import git

CLASHING = {
    "slate": ("#112233", "#445566"),
    "accent/base": ("#112233", "#445566"),
    "accent-base": ("#112233", "#445566"),
}
PLAN = Path(".tokensync/plan.json")


UNUSED = '[[types]]\npath = "no/such/*"\ntype = "fontWeight"\n'
"""A warning for ``plan``."""


@pytest.fixture(autouse=True)
def project(folder):
    pulled_in(folder, CLASHING, outputs=output("css", "web"))
    add(UNUSED)


def add(setting):
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write(setting)


@pytest.mark.parametrize(
    ("command", "code", "warning"),
    [("check", 5, "identifier-collision"), ("build", 1, "identifier-collision"), ("plan", 1, "type-rule-unused")],
)
def test_a_warning_has_the_exit_code_of_an_error(command, code, warning):
    tokensync("build")
    shown = tokensync(command, "-v").stderr
    assert "warning: " in shown
    assert f"[{warning}]" in shown
    shown = tokensync(command, "--strict", code=code).stderr
    assert shown.startswith("error: ")
    assert f"[{warning}]" in shown
    assert "warning: " not in shown


def test_a_strict_build_writes_nothing():
    tokensync("build", "--strict", code=1)
    assert not Path("web").exists()
    tokensync("build")
    assert Path("web/tokens.css").exists()


def test_a_strict_plan_leaves_no_plan():
    tokensync("-q", "plan")
    assert PLAN.exists()
    tokensync("plan", "--strict", code=1)
    assert not PLAN.exists()


def test_levels_of_the_configuration_come_first():
    add('[problems]\ntype-rule-unused = "note"\nidentifier-collision = "ignore"\n')
    for command in ("build", "check", "plan"):
        tokensync(command, "--strict")


def test_accepted_findings_do_not_count():
    tokensync("build")
    tokensync("check", "--accept", "The next release has such tokens.")
    tokensync("check", "--strict")
    tokensync("build", "--strict")


def test_findings_about_the_design_file_do_not_count():
    saved = Path("saved.json")
    saved.write_bytes(re.sub(rb'("VARIABLE_ALIAS", "id": )"[^"]*"', rb'\1"VariableID:9:9"', response(COLORS)))
    done = tokensync("build", "--strict", "--snapshot", saved, "-o", "out")
    assert "warning: " in done.stderr
    assert "[alias-dangling]" in done.stderr
    saved.write_bytes(response(CLASHING))
    tokensync("build", "--strict", "--snapshot", saved, "-o", "out", code=1)


def test_the_index_is_checked_strictly_too_and_what_is_remembered_is_not():
    git("init", "-q")
    tokensync("-q", "build")
    git("add", "-A")
    for _ in range(2):
        tokensync("check", "--staged")
        shown = tokensync("check", "--staged", "--strict", code=5).stderr
        assert "error: " in shown
        assert "[identifier-collision]" in shown
    assert "use check --staged --strict" in tokensync("build", "--staged", "--strict", code=2).stderr


def test_a_strict_build_fails_for_a_former_output_that_is_left():
    tokensync("-q", "build")
    manifest = Path("tokensync.outputs.json")
    text = manifest.read_text(encoding="utf-8")
    foreign = Path("web/mine.css")
    foreign.write_text("a{}", encoding="utf-8")
    manifest.write_text(text.replace("web/tokens.css", "web/mine.css"), encoding="utf-8")
    accepted = '[problems]\nidentifier-collision = "note"\n'
    add(accepted)
    warned = tokensync("build", "--force").stderr
    assert "[output-left]" in warned, warned
    manifest.write_text(text.replace("web/tokens.css", "web/mine.css"), encoding="utf-8")
    assert "error: web/mine.css" in tokensync("build", "--force", "--strict", code=1).stderr
    assert foreign.exists()
