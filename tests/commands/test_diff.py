"""``tokensync diff``: any two states of the project's files."""

import html
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands.projects import COLORS, project_in, pulled_in, response, tokensync
from commands.test_plan_of_libraries import APP, BLUE, FILES, RED, app, project_of, remote, without
from design_file import alias


def git(*arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, capture_output=True)


@pytest.fixture
def project(folder):
    pulled_in(folder)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "pulled")
    return folder


def edit(name, change):
    path = Path("tokens/one/theme") / f"{name}.tokens.json"
    document = json.loads(path.read_text("utf-8"))
    change(document["theme"])
    path.write_text(json.dumps(document), encoding="utf-8")


def paint(theme):
    theme["slate"]["$value"] = {"colorSpace": "srgb", "components": [1, 0, 0]}


def rename(theme):
    theme["stone"] = theme.pop("slate")


@pytest.mark.parametrize("state", ["tokens", "lock", "git:HEAD", "remote", "saved.json"])
def test_after_a_pull_every_state_is_like_every_other(project, state):
    Path("saved.json").write_bytes(response(COLORS))
    for other in ("tokens", "lock", "git:HEAD", "remote", "saved.json"):
        assert tokensync("diff", state, other).output == ""


@pytest.mark.parametrize("state", ["lock", "git:HEAD", "remote"])
def test_an_edit_differs_from_every_other_state(project, state):
    edit("light", paint)
    done = tokensync("diff", state, "tokens", code=3)
    head, change = done.output.splitlines()
    assert head == "~ theme / slate"
    assert change.startswith("    in light: #")
    assert change.endswith(" -> #ff0000")


def test_a_renamed_token_is_one_difference(project):
    for name in ("light", "dark"):
        edit(name, rename)
        edit(name, lambda theme: theme["text"]["muted"].update({"$value": "{theme.stone}"}))
    lines = tokensync("diff", "remote", "tokens", code=3).output.splitlines()
    assert lines == ["~ theme / stone", '    name: "slate" -> "stone"']


def test_a_mode_renamed_on_the_platform_is_one_change(project):
    renamed = json.loads(response(COLORS))
    for each in renamed["meta"]["variableCollections"].values():
        each["modes"][1]["name"] = "Night"
    Path("renamed.json").write_text(json.dumps(renamed), encoding="utf-8")
    for state in ("tokens", "lock", "git:HEAD"):
        lines = tokensync("diff", state, "renamed.json", code=3).output.splitlines()
        assert lines == ["~ theme", '    mode night: "Dark" -> "Night"']


def test_folders_and_responses_need_no_configuration(project, monkeypatch):
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    Path("tokens").rename(elsewhere / "design")
    (elsewhere / "saved.json").write_bytes(response(COLORS))
    monkeypatch.chdir(elsewhere)
    (project / "tokensync.toml").unlink()
    for first, second in (("design", "saved.json"), ("saved.json", "design"), ("saved.json", "saved.json")):
        done = tokensync("diff", first, second)
        assert done.output == ""
        assert "no differences" in done.stderr
    for state in ("lock", "remote", "git:HEAD"):
        assert "tokensync.toml: not found" in tokensync("diff", state, "design", code=2).stderr


def test_a_path_that_does_not_exist_is_named_without_a_configuration_too(folder):
    Path("saved.json").write_bytes(response(COLORS))
    for states in (("nowhere.json", "saved.json"), ("saved.json", "nowhere.json")):
        assert "nowhere.json: no such file or folder; name a tokens folder" in tokensync("diff", *states, code=2).stderr
    assert "tokensync.toml: not found" in tokensync("diff", "saved.json", "lock", code=2).stderr


@pytest.mark.parametrize("is_referred", [True, False])
def test_a_deleted_variable_is_no_difference(project, is_referred):
    document = json.loads(response({**COLORS, "gone": ("#010101", "#020202")}))
    variables = document["meta"]["variables"]
    gone = next(each for each in variables.values() if each["name"] == "gone")
    gone["deletedButReferenced"] = True
    if is_referred:
        other = next(each for each in variables.values() if each["name"] == "slate")
        mode = next(iter(other["valuesByMode"]))
        other["valuesByMode"][mode] = {"type": "VARIABLE_ALIAS", "id": gone["id"]}
    Path("saved.json").write_text(json.dumps(document), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "saved.json")
    tokensync("-q", "pull")
    for states in (("tokens", "remote"), ("remote", "tokens"), ("lock", "saved.json"), ("saved.json", "tokens")):
        assert tokensync("diff", *states).output == ""


def test_verbose_shows_all_members_of_new_and_gone_tokens(project):
    edit("light", lambda theme: theme.update({"fresh": {"$type": "string", "$value": "x"}}))
    for name in ("light", "dark"):
        edit(name, lambda theme: theme.pop("text"))
    assert tokensync("diff", "lock", "tokens", code=3).output.splitlines() == [
        "+ theme / fresh",
        "- theme / text/muted",
    ]
    assert '    in light: "x"' in tokensync("-v", "diff", "lock", "tokens", code=3).output.splitlines()


def test_programs_get_json(project):
    edit("light", paint)
    document = json.loads(tokensync("diff", "lock", "tokens", "--json", code=3).output)
    assert document["counts"]["tokens"] == {"added": 0, "removed": 0, "changed": 1}
    (found,) = document["differences"]
    assert (found["collection"], found["token"], found["kind"]) == ("theme", "slate", "changed")
    assert found["changes"][0]["after"] == [1, 0, 0, 1]


@pytest.mark.parametrize(("form", "start"), [("markdown", "## From `lock` to `tokens`"), ("html", "<!doctype html>")])
def test_reviews_get_markdown_or_a_page(project, form, start):
    edit("light", paint)
    done = tokensync("diff", "lock", "tokens", "--format", form, code=3)
    assert done.output.startswith(start)
    assert "#ff0000" in html.unescape(done.output)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("nowhere", "nowhere: no such file or folder"),
        ("git:nowhere", "git: "),
        ("git:", "no revision"),
        ("git:--output=x", "no revision"),
        (".git", ".git: no token files of one"),
    ],
)
def test_an_unknown_state_is_reported(project, state, message):
    done = tokensync("diff", state, "tokens", code=2)
    assert message in done.stderr
    assert not Path("x").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems' names are texts")
def test_an_undecodable_name_is_reported(project):
    content = json.loads(Path("tokens/one/theme/light.tokens.json").read_text("utf-8"))
    content["$extensions"] = {"com.figma.modeName": "New"}
    Path(os.fsdecode(b"tokens/one/theme/x\xff.tokens.json")).write_text(json.dumps(content), encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "new mode")
    for first, second in (("git:HEAD", "lock"), ("lock", "tokens")):
        stderr = tokensync("diff", first, second, code=1).stderr
        assert "the path is not valid UTF-8; rename it" in stderr
        assert "one/theme/x-.tokens.json" in stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_saved_response_may_come_through_a_pipe(project):
    reader, writer = os.pipe()
    os.write(writer, response(COLORS))
    os.close(writer)
    assert tokensync("diff", "lock", f"/dev/fd/{reader}").output == ""
    os.close(reader)


def test_a_lock_with_a_git_conflict_is_no_state(project):
    lock = Path("tokensync.lock")
    lock.write_text(
        f"<<<<<<< a\n{lock.read_text('utf-8')}=======\n{lock.read_text('utf-8')}>>>>>>> b\n", encoding="utf-8"
    )
    assert "git conflict" in tokensync("diff", "lock", "tokens", code=2).stderr


def test_a_saved_response_covers_one_file(folder):
    project_in(folder, files=("one", "two"))
    Path("saved.json").write_bytes(response(COLORS))
    assert "select one with --file" in tokensync("diff", "saved.json", "tokens", code=2).stderr


@pytest.mark.parametrize("configured", [("core", "app"), ("app",)], ids=["configured", "not configured"])
def test_what_a_library_has_is_no_difference(folder, configured):
    project_of_app(configured)
    for states in (("tokens", "tokens"), ("git:HEAD", "tokens"), ("lock", "tokens"), ("remote", "lock")):
        assert tokensync("diff", *states).output == ""


def test_only_the_edit_differs_in_a_project_with_a_library(folder):
    project_of_app(("core", "app"))
    without("ink", path=APP)
    assert tokensync("diff", "git:HEAD", "tokens", code=3).output.splitlines() == ["- app / ink"]


def test_a_revision_is_read_once_for_all_files(folder, monkeypatch):
    project_of_app(("core", "app"))
    asked = []
    run = subprocess.run

    def counting(command, **options):
        asked.append(next(each for each in command if each in ("rev-parse", "ls-tree", "cat-file")))
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", counting)
    tokensync("diff", "git:HEAD", "tokens")
    assert asked == ["rev-parse", "ls-tree", "cat-file", "cat-file"]


def project_of_app(configured):
    """A file that uses a library's tokens, pulled and committed."""
    project_of(app=app(alias(remote(RED)), alias(remote(BLUE))))
    if "core" not in configured:
        Path("tokensync.toml").write_text(
            f'base_url = "emulator:"\n[[files]]\nname = "app"\nkey = "{FILES["app"]}"\n', encoding="utf-8"
        )
        tokensync("-q", "pull")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "pulled")


def test_a_missing_lock_is_named_by_its_path(folder):
    pulled_in(folder, {"a": ("#000000", "#ffffff")})
    Path("tokensync.lock").unlink()
    assert (
        "tokensync.lock: no entry for one; run tokensync pull first"
        in tokensync("diff", "lock", "tokens", code=2).stderr
    )
