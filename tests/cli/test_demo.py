"""``tokensync demo``."""

import re
import shlex
import shutil

import pytest
from commands.projects import files_in, tokensync


def test_it_goes_from_a_design_file_to_code_and_lists_the_results(folder):
    stderr = tokensync("demo").stderr
    assert "105 tokens in 7 collections" in stderr
    files = files_in(folder / "tokensync-demo")
    assert {"tokensync.toml", "tokensync.lock", "tokensync.outputs.json", "code/web/tokens.css"} <= set(files)
    for path in ("tokens", "code/web", "code/android/res", "code/ios"):
        assert f"tokensync-demo/{path} for" in stderr.replace("\\", "/")
    tokensync("build", "--check", "-c", "tokensync-demo")


@pytest.mark.parametrize("into", [(), ("my demo",)])
@pytest.mark.parametrize("is_on_path", [True, False])
def test_the_command_that_it_suggests_works_where_the_demo_ran(folder, monkeypatch, is_on_path, into):
    monkeypatch.setattr(shutil, "which", lambda name: name if is_on_path else None)
    shown = tokensync("demo", *into).stderr
    suggested = re.search(r"^Try next +(tokensync|\S+ -m tokensync) (.*)$", shown, re.MULTILINE)
    assert (suggested[1] == "tokensync") == is_on_path
    assert "&&" not in shown  # Windows PowerShell 5.1 has no such operator
    assert tokensync(*shlex.split(suggested[2])).output.startswith("default, ")


def test_it_begins_with_its_result_and_counts_the_notes(folder):
    shown = tokensync("demo").stderr.splitlines()
    assert shown[0].startswith("Pulled ")
    assert [line for line in shown if line.startswith(("note", "(7 notes"))] == ["(7 notes; -v shows them)"]
    assert sum(line.startswith("note: ") for line in tokensync("demo", "-v").stderr.splitlines()) == 7


def test_it_may_be_run_again(folder):
    tokensync("demo", "here")
    before = files_in(folder / "here")
    tokensync("demo", "here")
    assert files_in(folder / "here") == before


def test_it_uses_the_embedded_emulator_in_any_environment(folder, monkeypatch):
    monkeypatch.setenv("TOKENSYNC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("TOKENSYNC_CONFIG", "nowhere.toml")
    tokensync("-q", "demo")


def test_a_folder_with_other_content_is_not_changed(folder):
    (folder / "mine").mkdir()
    (folder / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    tokensync("demo", "mine", code=2)
    tokensync("demo", "mine/notes.txt", code=2)
    assert files_in(folder) == {"mine/notes.txt": b"mine"}
