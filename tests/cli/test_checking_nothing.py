"""A second ``check`` or ``lint`` is answered from what the first one recorded, exactly as the ordinary run would."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli.test_doing_nothing import (
    CSS,
    INPUTS,
    RESULTS,
    TOKENS,
    add,
    append,
    at_once,
    built,  # noqa: F401 - a fixture
    ordinary,
    project,  # noqa: F401
    wait_for_the_clock,
)
from corpus.building import run_here

from tokensync.commands import check
from tokensync.system import plugins, stat_manifest
from tokensync.system.problems import problem

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="change times prove nothing there")

NOT_OF_LINT = ("a conflict in git's attributes", "the list of outputs")
MORE = {
    "the lock": lambda: append(Path("tokensync.lock"), "\n"),
    "a conflict in git's attributes": lambda: add(Path(".gitattributes"), "<<<<<<< x\ntokensync.lock merge=union\n"),
    "a token file in another folder": lambda: add(Path("other/deep/light.tokens.json"), "{}"),
    "a token file in a folder without tokens": lambda: add(Path("tokens/notes/light.tokens.json"), "{}"),
    "a package": lambda: add(Path("../packages/new/__init__.py"), ""),
}


class TestCheck:
    """Of ``check`` and ``lint``, also for warnings, which the ordinary run writes from the recorded result."""

    @pytest.fixture
    def checked(self, project, monkeypatch):  # noqa: F811 - the fixture
        (project.parent / "packages").mkdir()
        monkeypatch.syspath_prepend(project.parent / "packages")
        for path in ("tokens/notes", "other/deep"):
            Path(path).mkdir(parents=True)
        wait_for_the_clock()
        return project

    @pytest.mark.parametrize("command", ["check", "lint"])
    def test_the_second_run_prints_the_same_from_the_manifest(self, checked, command):
        first = ordinary(command)
        assert at_once(command) == first
        assert at_once(command, "-q").stderr == ""
        assert at_once(command, "--check") is None

    @pytest.mark.parametrize("change", [*INPUTS, *RESULTS, *MORE])
    def test_after_a_change_the_ordinary_run_is_needed(self, checked, change):
        ordinary("check")
        {**INPUTS, **RESULTS, **MORE}[change]()
        assert at_once("check") is None
        assert stat_manifest.current("check") is None

    @pytest.mark.parametrize("change", [each for each in (*INPUTS, *MORE) if each not in NOT_OF_LINT])
    def test_after_a_change_of_an_input_lint_runs_again(self, checked, change):
        ordinary("lint")
        {**INPUTS, **MORE}[change]()
        assert at_once("lint") is None

    @pytest.mark.parametrize("command", ["check", "lint"])
    def test_warnings_are_printed_in_every_form_from_the_recorded_result(self, checked, command, monkeypatch):
        append(Path("tokensync.toml"), '[problems]\ntheme-unsupported = "warning"\nmodes-equal = "warning"\n')
        copy = (TOKENS / "light.tokens.json").read_text("utf-8").replace('"Light"', '"Dark"').replace("1:0", "1:1")
        (TOKENS / "dark.tokens.json").write_text(copy, encoding="utf-8")
        run_here("build")
        wait_for_the_clock()
        forms = ("", "-v", "-q", "--json", "--format sarif", "--format github")
        first = [ordinary(command, *form.split()) for form in forms]
        assert "warning: " in first[0].stderr
        monkeypatch.setattr(check, "from_project", None)
        assert [ordinary(command, *form.split()) for form in forms] == first

    def test_errors_and_outdated_outputs_are_found_again_each_time(self, checked):
        append(CSS, "\n")
        for _ in range(2):
            assert ordinary("check").code == 3
        (TOKENS / "light.tokens.json").write_text("{", encoding="utf-8")
        for _ in range(2):
            assert ordinary("check").code == 5

    @pytest.mark.parametrize("options", ["-c tokensync.toml", "--allow-outside"])
    def test_a_named_configuration_and_permitted_paths_need_the_ordinary_run(self, checked, options, monkeypatch):
        ordinary("check")
        monkeypatch.setattr(check, "recalled", None)
        assert ordinary("check", *options.split()).code == 0

    def test_a_file_that_is_named_needs_the_ordinary_run(self, checked, monkeypatch):
        ordinary("lint")
        monkeypatch.setattr(check, "recalled", None)
        assert ordinary("lint", "--file", "one").code == 0

    def test_that_token_files_are_absent_is_not_recorded(self):
        saved = []
        recording = SimpleNamespace(save=lambda *_: saved.append(1))
        for code, count in (("leaf-and-group", 1), ("token-files-absent", 1)):
            note = problem(code, "tokens", "what", "to do")._replace(severity="note")
            check._save(check.Checked(0, 0, (), (note,)), recording)
            assert len(saved) == count

    def test_rules_of_packages_run_each_time(self, checked, monkeypatch):
        monkeypatch.setattr(plugins, "entries", lambda group: {"theirs": None} if group == "lint" else {})
        monkeypatch.setattr(check, "lint", lambda subject: ())
        ordinary("check")
        assert at_once("check") is None
