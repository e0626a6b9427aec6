"""What people try when they edit token files and comment plans, and what is reported."""

import json
import subprocess
from pathlib import Path

import pytest
from commands.projects import on_the_platform, output, project_in, response, tokensync

LIGHT = Path("tokens/one/theme/light.tokens.json")
RED = {"colorSpace": "srgb", "components": [1, 0, 0]}
PX = {"value": 1, "unit": "px"}
SHADOW = {"color": RED, "offsetX": PX, "offsetY": PX, "blur": PX, "spread": PX}


@pytest.fixture
def project(folder):
    project_in(folder, outputs=output("css", "web"))
    on_the_platform({"slate": ("#112233", "#445566"), "ink": ("{slate}", "{slate}")})
    tokensync("-q", "pull")


def edit(change):
    document = json.loads(LIGHT.read_text(encoding="utf-8"))
    change(document["theme"])
    LIGHT.write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def conflict(project):
    edit(lambda tokens: tokens["slate"].update({"$value": RED}))
    on_the_platform({"slate": ("#00ff00", "#445566"), "ink": ("{slate}", "{slate}")})


class TestAConflict:
    WHAT = "in light was #112233, is #ff0000 in the token files and #00ff00 in Figma"

    def test_is_the_body_of_a_comment(self, conflict):
        comment = tokensync("plan", "-q", "--format", "markdown", code=4).output
        assert comment.startswith("## tokensync stopped\n\n| where | what | what to do |\n")
        assert "tokens/one/theme/light.tokens.json:1:" in comment
        assert all(value in comment for value in ("112233", "ff0000", "00ff00", " | choose a side for each in "))

    @pytest.mark.parametrize("command", ["plan", "pull"])
    def test_is_an_object_of_json(self, conflict, command):
        error = json.loads(tokensync(command, "-q", "--json", code=4).output)["error"]
        (found,) = error["problems"]
        assert (error["exit_code"], found["code"], found["what"]) == (4, "merge-conflict", self.WHAT)
        assert found["where"].startswith("tokens/one/theme/light.tokens.json:1:")

    @pytest.mark.parametrize(("form", "text"), [("markdown", "## tokensync stopped"), ("json", '"merge-conflict"')])
    def test_is_in_the_file_of_the_review(self, conflict, form, text):
        done = tokensync("plan", "-q", "--format", form, "--review", "review.txt", code=4)
        assert done.output == ""
        assert text in Path("review.txt").read_text(encoding="utf-8")

    @pytest.mark.parametrize("list_of", [".", ".."])
    @pytest.mark.parametrize("command", ["plan", "pull"])
    def test_says_that_git_should_ignore_its_file_until_it_does(self, conflict, command, list_of, monkeypatch):
        advice = "; add tokensync.conflicts.toml to .gitignore, so that nobody commits it"
        assert advice not in tokensync(command, "-q", code=4).stderr  # no work tree
        present = [*Path().iterdir()]
        Path("nested").mkdir()
        for path in present:
            path.rename(Path("nested", path.name))
        subprocess.run(["git", "init", "-q"], check=True)
        monkeypatch.chdir("nested")
        assert advice in tokensync(command, "-q", code=4).stderr
        Path(list_of, ".gitignore").write_text("**/tokensync.conflicts.toml\n", encoding="utf-8")
        assert advice not in tokensync(command, "-q", code=4).stderr


@pytest.mark.parametrize("is_pulled", [True, False])
def test_after_an_apply_whose_lock_is_lost_only_a_pull_prevents_a_conflict_with_ones_own_value(project, is_pulled):
    lock = Path("tokensync.lock")
    before = lock.read_bytes()
    edit(lambda tokens: tokens["slate"].update({"$value": RED}))
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    lock.write_bytes(before)
    assert "nothing to do" in tokensync("plan").output
    if is_pulled:
        tokensync("-q", "pull")
    edit(lambda tokens: tokens["slate"].update({"$value": {**RED, "components": [0, 0, 1]}}))
    done = tokensync("-q", "plan", code=0 if is_pulled else 4)
    assert ("in light was #112233, is #0000ff in the token files and #ff0000 in Figma" in done.stderr) is not is_pulled


@pytest.mark.parametrize("command", [("plan",), ("diff", "lock", "tokens")], ids=["plan", "diff"])
def test_errors_in_token_files_are_the_body_of_a_comment(project, command):
    edit(lambda tokens: tokens["ink"].update({"$value": "{theme.nope}"}))
    comment = tokensync(*command, "-q", "--format", "markdown", code=1).output
    assert "## tokensync stopped" in comment
    assert "no such token: {theme.nope} | did you mean" in comment.replace("&#123;", "{").replace("&#125;", "}")


@pytest.mark.parametrize(
    "tokens",
    [
        {"c": {"deep": {"$type": "shadow", "$value": SHADOW}}},
        {"c": {"fast": {"$type": "duration", "$value": {"value": 100, "unit": "ms"}}}},
        {"c": {}},
        {},
    ],
    ids=["a shadow", "a duration", "no token", "nothing"],
)
def test_token_files_without_a_variable_make_no_collection(project, tokens):
    path = Path("tokens/one/c/value.tokens.json")
    path.parent.mkdir()
    path.write_text(json.dumps(tokens), encoding="utf-8")
    assert "nothing to do" in tokensync("plan").output
    assert tokensync("status").output == "one: in sync\n"
    path.write_text(json.dumps({"c": {"a": {"$type": "color", "$value": RED}}}), encoding="utf-8")
    assert '+ new collection "c"' in tokensync("plan").output


def test_instructions_of_other_tools_are_reported_once(project):
    modify = {"studio.tokens": {"modify": {"type": "lighten", "value": "0.1", "space": "lch"}}}

    def change(tokens):
        tokens["ink"]["$extensions"] |= modify
        tokens["slate"]["$extensions"]["mode"] = {"dark": "#000000"}
        tokens["g"] = {
            "$extensions": {"com.figma.scopes": ["TEXT_FILL"]},
            "n": {"$type": "color", "$value": "{theme.slate}"},
        }

    edit(change)
    for command in ("build", "plan"):
        reported = [line for line in tokensync(command).stderr.splitlines() if "[extension-unheeded]" in line]
        assert len(reported) == 2
        assert all(line.startswith("warning: ") for line in reported)
        for pointer in (
            "g/$extensions/com.figma.scopes",
            "slate/$extensions/mode",
            "ink/$extensions/studio.tokens/modify",
        ):
            assert sum(f"(#/theme/{pointer})" in line for line in reported) == 1


def test_a_ghost_of_a_deleted_collection_is_not_declared(folder):
    project_in(folder, outputs=output("css", "web"))
    document = json.loads(response({"a": ("#112233", "#445566")}))
    (variable,) = document["meta"]["variables"].values()
    ghost = {**variable, "id": "VariableID:9:9", "name": "zombie/one", "key": "9" * 40}
    ghost |= {"variableCollectionId": "VariableCollectionId:9:9", "valuesByMode": {"9:0": {**dict.fromkeys("rgba", 1)}}}
    document["meta"]["variables"]["VariableID:9:9"] = ghost
    Path("design.json").write_text(json.dumps(document), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "design.json", "--key", "key-one")
    reported = tokensync("pull").stderr
    assert "use Detach deleted variables in Figma" in reported
    assert "1 token in 1 collection" in reported
    tokensync("build", "-q")
    assert "zombie" not in Path("web/tokens.css").read_text(encoding="utf-8")
    assert not list(Path("tokens").rglob("*absent*"))
    assert tokensync("status").output == "one: in sync\n"
    assert "nothing to do" in tokensync("plan", "--prune").output


def test_git_ignores_the_conflicts_file_of_an_initialized_project(folder):
    subprocess.run(("git", "init", "-q"), check=True)
    tokensync("init", "--yes", "--base-url", "emulator:", "--key", "key-one")
    Path("tokensync.conflicts.toml").touch()
    shown = subprocess.run(
        ("git", "status", "--short", "-uall"), check=True, capture_output=True, encoding="utf-8"
    ).stdout
    assert "conflicts" not in shown
