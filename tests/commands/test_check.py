"""``tokensync check`` and ``tokensync lint``: what they find, what they say, and their exit codes."""

import json
import os
import re
import shutil
import time
from pathlib import Path
from urllib.parse import unquote

import pytest
from commands.projects import DESIGN, files_in, quickstart_in, tokensync, work_tree_at
from corpus.building import run_here

from tokensync import stat_manifest

PAIR = '\n[[lint.contrast]]\nforeground = ["theme/text/muted"]\nbackground = ["theme/background/page"]\n'
LIGHT = Path("tokens/harbor/theme/light.tokens.json")


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(quickstart_in(tmp_path / "project"))
    return Path.cwd()


def configured(text):
    config = Path("tokensync.toml")
    config.write_text(config.read_text(encoding="utf-8") + text, encoding="utf-8")


def edited(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_outside_git_annotations_of_lint_name_files_as_those_of_check(project):
    edited(LIGHT, '"$type": "color"', '"$type": "colour"')
    for command, code in (("lint", 1), ("check", 5)):
        assert f"file={LIGHT.as_posix()}," in tokensync(command, "--format", "github", code=code).output


class TestCheck:
    def test_a_committed_project_passes_and_nothing_is_written(self, project):
        before = files_in(project)
        done = tokensync("check")
        assert "checked 99 tokens and 60 output files: 5 notes (-v shows them)\n" in done.stderr
        assert "theme-unsupported" not in done.stderr
        assert files_in(project) == before

    def test_notes_are_shown_with_verbose(self, project):
        done = tokensync("check", "-v")
        assert "[theme-unsupported]" in done.stderr
        assert done.stderr.endswith(": 5 notes\n")

    def test_token_files_beside_an_empty_folder_are_the_error_that_they_are_for_build(self, project):
        for each in ("tokensync.lock", "tokensync.outputs.json"):
            Path(each).unlink()
        shutil.rmtree("tokens")
        Path("tokens").mkdir()
        assert "note: tokens: there are no token files yet; run tokensync pull [token-files-absent]" in (
            tokensync("check").stderr
        )
        Path("tokens.json").write_text("{}", encoding="utf-8")
        (line,) = tokensync("build", code=1).stderr.splitlines()
        assert line.endswith("[token-files-absent]")
        assert line in tokensync("check", code=5).stderr.splitlines()

    @pytest.mark.parametrize("path", ["../../../etc", "tokens/x"])
    def test_a_path_that_is_not_permitted_is_an_invalid_configuration_as_for_build(self, project, path):
        configured(f'\n[[outputs]]\nplatform = "css"\npath = "{path}"\n')
        (line,) = tokensync("build", code=2).stderr.splitlines()
        assert re.match(r"error: tokensync\.toml:\d+:\d+ \(#/outputs/3/path\): ", line)
        assert line in tokensync("check", code=2).stderr.splitlines()

    def test_an_unknown_mode_of_a_theme_has_its_line(self, project):
        configured('\n[themes.a]\ntheme = "zz"\n')
        line = len(Path("tokensync.toml").read_text(encoding="utf-8").splitlines())
        where = f"error: tokensync.toml:{line}:1 (#/themes/a/theme): 'theme' has no mode 'zz'; "
        assert where in tokensync("check", code=5).stderr
        assert where in tokensync("build", code=1).stderr

    def test_a_mode_that_the_resolver_document_does_not_list_is_shown(self, project):
        tree = json.loads(LIGHT.read_text(encoding="utf-8"))
        del tree["$extensions"]
        LIGHT.with_name("dim.tokens.json").write_text(json.dumps(tree), encoding="utf-8")
        tokensync("-q", "build")
        stderr = tokensync("check").stderr
        assert re.search(
            r"^note: tokens/harbor/theme/dim\.tokens\.json:.* \[mode-unregistered\]$", stderr, re.MULTILINE
        )
        assert stderr.endswith(", 6 notes (-v shows them)\n")

    def test_stale_outputs_exit_with_3_and_name_the_command_that_fixes_them(self, project):
        edited(LIGHT, "slate.900", "slate.700")
        done = tokensync("check", code=3)
        assert re.search(r"^not current: .*tokens\.css$", done.stderr, re.MULTILINE)
        assert "run tokensync build, and commit what it writes" in done.stderr
        tokensync("build", "-q")
        tokensync("check")

    def test_errors_exit_with_5_also_if_outputs_are_stale(self, project):
        edited(LIGHT, "slate.900", "slate.700")
        configured(PAIR)
        done = tokensync("check", code=5)
        where = rf"{LIGHT.as_posix()}:\d+:16 \(#/theme/text/muted\)"
        assert re.search(f"{where}: its contrast on theme / background/page is", done.stderr)
        assert "not current: " in done.stderr

    def test_errors_in_token_files_are_all_reported_and_nothing_that_follows_from_them(self, project):
        edited(LIGHT, '"$type": "color"', '"$type": "colour"')
        edited(Path("tokens/harbor/primitives/value.tokens.json"), '"$type": "color"', '"$type": "farbe"')
        configured(PAIR)
        done = tokensync("check", code=5)
        assert "light.tokens.json:" in done.stderr
        assert "value.tokens.json:" in done.stderr
        assert "contrast" not in done.stderr
        assert "not current" not in done.stderr

    def test_a_build_is_not_advised_for_errors_in_token_files_because_it_would_fail(self, project):
        edited(LIGHT, '"$type": "color"', '"$type": "colour"')
        assert "tokensync build" not in tokensync("check", code=5).stderr

    @pytest.mark.parametrize(
        ("path", "advice"),
        [
            ("tokensync.lock", "run tokensync pull, which merges both sides"),
            ("tokensync.outputs.json", "then run tokensync build, which writes it anew"),
            (LIGHT.as_posix(), "remove the marks"),
            ("tokens/harbor.resolver.json", "remove the marks"),
            ("tokens/harbor/theme/dark.tokens.json", "remove the marks"),
            (".gitattributes", "edit the file so that it has the lines of both sides, and remove the marks"),
        ],
    )
    def test_conflict_marks_are_one_error_with_the_line_and_the_way_out(self, project, path, advice):
        if path == ".gitattributes":
            Path(path).write_text("*.tokens.json text eol=lf\n" * 4, encoding="utf-8")
        lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
        marked = [*lines[:2], "<<<<<<< HEAD\n", lines[2], "=======\n", lines[2], ">>>>>>> other\n", *lines[3:]]
        Path(path).write_text("".join(marked), encoding="utf-8")
        done = tokensync("check", code=5)
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1
        assert errors[0].startswith(f"error: {path}:3: the file has conflict marks of git; ")
        assert errors[0].endswith(f"{advice} [conflict-marks]")

    @pytest.mark.parametrize("command", ["build", "lint", "format", "tokens list", "report", "usage", "check"])
    @pytest.mark.parametrize("path", ["tokens/harbor/theme/dark.tokens.json", "tokensync.toml"])
    def test_every_command_calls_the_marks_of_a_conflict_what_they_are(self, project, command, path):
        lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
        Path(path).write_text("".join(("<<<<<<< HEAD\n", *lines)), encoding="utf-8")
        done = run_here(*command.split())
        assert done.code == (2 if path == "tokensync.toml" else 5 if command == "check" else 1)
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1
        assert f"{path}:1" in errors[0]
        assert "the file has conflict marks of git; edit the file so that it has the " in errors[0]
        assert errors[0].endswith("[conflict-marks]")

    @pytest.mark.parametrize(
        "command",
        [
            *("build", "build --check", "lint", "tokens list", "tokens unused", "report", "usage", "status"),
            *("format", "format --check", "format tokens", "format --file harbor"),
            *("diff tokens remote", "diff tokens tokens", "tokens rename theme/text/muted theme/text/quiet --dry-run"),
        ],
    )
    def test_every_command_warns_of_a_conflict_in_the_lock(self, project, command, monkeypatch):
        monkeypatch.setattr(stat_manifest, "_MARGIN", 0)  # tokensync itself may have been installed just now
        time.sleep(0.02)
        tokensync("-q", "emulator", "seed", "design.local.json")
        tokensync("-q", "build")
        tokensync("-q", "build")
        lock = Path("tokensync.lock")
        first, *others = lock.read_text(encoding="utf-8").splitlines(keepends=True)
        text = "".join((first, "<<<<<<< HEAD\n", others[0], "=======\n", ">>>>>>> other\n", *others[1:]))
        lock.write_text(text, encoding="utf-8")
        for _ in range(2):
            done = run_here(*command.split())
            assert done.stderr.count("[lock-conflicted]") == 1
            assert done.code == (3 if command == "status" else 0)
            assert "in sync" not in done.output

    def test_a_mode_that_is_not_json_has_no_follow_up_in_the_resolver_document(self, project):
        Path("tokens/harbor/theme/dark.tokens.json").write_text("{", encoding="utf-8")
        for command in ("check", "build"):
            errors = [line for line in run_here(command).stderr.splitlines() if line.startswith("error: ")]
            assert len(errors) == 1
            assert errors[0].endswith("[tokens-malformed]")

    def test_text_that_only_looks_like_a_mark_is_none(self, project):
        edited(LIGHT, '"$description": "', '"$description": "<<<<<<< HEAD ')
        tokensync("build", "-q")
        tokensync("check")

    def test_an_invalid_theme_is_an_error_of_the_check(self, project):
        configured('\n[themes.night]\ntheme = "Drak"\n')
        assert "[theme-unknown-mode]" in tokensync("check", code=5).stderr

    def test_a_project_without_outputs_is_checked_too(self, project):
        config = Path("tokensync.toml")
        config.write_text(config.read_text(encoding="utf-8").partition("[[outputs]]")[0] + PAIR, encoding="utf-8")
        assert "checked 99 tokens and 0 output files: 1 error" in tokensync("check", code=5).stderr

    def test_json_has_the_counts_the_stale_paths_and_the_problems(self, project):
        edited(LIGHT, "slate.900", "slate.700")
        configured(PAIR)
        document = json.loads(tokensync("check", "--json", code=5).output)
        assert (document["tokens"], document["files"]) == (99, 60)
        assert any(path.endswith("tokens.css") for path in document["stale"])
        assert "contrast-low" in {each["code"] for each in document["problems"]}

    def test_it_needs_no_network_and_no_credentials(self, project, monkeypatch):
        edited(Path("tokensync.toml"), '"emulator:"', '"https://api.figma.com"')
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
        tokensync("check")

    def test_an_invalid_configuration_exits_with_2_and_its_location(self, project):
        configured('\n[lint]\nlayers = "theme"\n[[lint.contrast]]\nminimum = 22\n')
        done = tokensync("check", code=2)
        assert 'write ["theme"]' in done.stderr
        assert 'use "AA", "AAA", "large", "ui", or at least 1 and at most 21' in done.stderr
        assert "'foreground' is missing" in done.stderr


class TestFormats:
    @pytest.fixture
    def repository(self, tmp_path, monkeypatch):
        """A project in a folder with an odd name of a work tree, with an error in a token and outdated outputs."""
        work_tree_at(tmp_path / "top")
        monkeypatch.chdir(quickstart_in(tmp_path / "top" / "a #1%20[b]"))
        edited(LIGHT, "slate.900", "slate.700")
        configured(PAIR)
        return Path.cwd()

    def test_text_shows_the_line_with_a_caret_below_the_column(self, repository):
        lines = tokensync("check", code=5).stderr.splitlines()
        at = next(number for number, line in enumerate(lines) if "[contrast-low]" in line)
        line, column = map(int, re.search(r":(\d+):(\d+) ", lines[at]).groups())
        assert lines[at + 1].endswith(f"{line} | {LIGHT.read_text(encoding='utf-8').splitlines()[line - 1]}")
        assert lines[at + 2] == f"{' ' * 6} | {' ' * (column - 1)}^"

    def test_text_shows_ten_of_a_code_and_counts_the_rest(self, repository):
        edited(Path("tokensync.toml"), '["theme/text/muted"]', '["primitives/*", "theme/text/*"]')
        done = tokensync("check", code=5)
        errors = [line for line in done.stderr.splitlines() if "; " in line and line.endswith("[contrast-low]")]
        assert len(errors) == 10
        more = r"^error: (\d+) more problems of this kind \[contrast-low\]\n"
        omitted = int(re.search(rf"{more}\(-v shows all of them\)$", done.stderr, re.MULTILINE)[1])
        assert omitted + 10 == tokensync("check", "-v", code=5).stderr.count("[contrast-low]")
        assert re.search(more, tokensync("check", "-q", code=5).stderr, re.MULTILINE)[1] == str(omitted)

    def test_json_is_the_same_with_both_options(self, repository):
        document = tokensync("check", "--json", code=5).output
        assert tokensync("check", "--format", "json", code=5).output == document

    @pytest.mark.parametrize("folder", [".", "tokens"])
    def test_paths_are_relative_to_the_top_of_the_work_tree(self, repository, folder, monkeypatch):
        monkeypatch.chdir(folder)
        log = json.loads(tokensync("check", "--format", "sarif", code=5).output)
        results = log["runs"][0]["results"]
        uris = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results]
        paths = {unquote(each) for each in uris}
        assert f"a #1%20[b]/{LIGHT.as_posix()}" in paths
        assert all((repository.parent / path).is_file() for path in paths)
        annotated = tokensync("check", "--format", "github", code=5).output
        assert {unquote(each) for each in re.findall(r"^::error file=([^,]+),", annotated, re.MULTILINE)} == paths
        assert all(command.startswith("::error file=a #1%2520[b]/") for command in annotated.splitlines())

    def test_outdated_outputs_are_results_with_the_command_that_writes_them(self, repository):
        log = json.loads(tokensync("check", "--format", "sarif", code=5).output)
        stale = [each["message"]["text"] for each in log["runs"][0]["results"] if each["ruleId"] == "output-stale"]
        assert len(stale) > 1
        command = r"tokensync build -c 'a #1%20\[b\]/tokensync.toml'"  # as from the top of the work tree
        assert all(text.endswith(f"; run {command}, and commit what it writes") for text in stale)

    @pytest.mark.parametrize("damage", ["outdated outputs", "a copied mode", "a path that leads out"])
    def test_no_text_depends_on_the_machine_and_on_the_folder(self, repository, monkeypatch, damage):
        if damage == "a copied mode":
            shutil.copy(LIGHT, LIGHT.with_name("copy.tokens.json"))
        if damage == "a path that leads out":
            edited(Path("tokensync.toml"), 'path = "code/web"', 'path = "../../../web"')
        folders = {folder: os.path.relpath(repository, folder) for folder in (repository, repository.parent)}
        folders |= {repository / "tokens": "..", repository.parent.parent: str(repository)}
        texts: dict[str, set[str]] = {}
        for folder, config in folders.items():
            monkeypatch.chdir(folder)
            for form in ("github", "sarif"):
                done = run_here("check", "-v", "-c", f"{config}/tokensync.toml", "--format", form)
                assert done.code in (2, 5)
                texts.setdefault(form, set()).add(done.output)
            if folder in (repository, repository.parent):
                found = run_here("check", "-c", f"{config}/tokensync.toml", "--json").output
                assert str(repository.parent) not in found
        assert [len(each) for each in texts.values()] == [1, 1]
        assert str(repository.parent) not in str(texts)

    @pytest.mark.parametrize("form", ["sarif", "github"])
    def test_an_invalid_configuration_is_a_finding_too(self, repository, form):
        configured("[")
        line = len(Path("tokensync.toml").read_text(encoding="utf-8").splitlines())
        written = tokensync("check", "--format", form, code=2).output
        if form == "github":
            assert re.match(
                rf"::error file=a #1%2520\[b\]/tokensync\.toml,line={line},col=\d+,title=config-malfo", written
            )
        else:
            (result,) = json.loads(written)["runs"][0]["results"]
            assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line

    def test_lint_has_the_same_formats(self, repository):
        log = json.loads(tokensync("lint", "--format", "sarif", code=5).output)
        assert {each["ruleId"] for each in log["runs"][0]["results"]} == {"contrast-low"}
        assert tokensync("lint", "--format", "github", code=5).output.startswith("::error file=a #1%2520[b]/tokens/")


class TestLint:
    def test_a_setting_that_matches_nothing_is_located(self, project):
        configured('\n[[lint.contrast]]\nforeground = ["theme/txet/*"]\nbackground = ["theme/background/page"]\n')
        assert re.search(
            r"tokensync\.toml:\d+:\d+ \(#/lint/contrast/0/foreground/0\): no colour matches 'theme/txet/\*'",
            tokensync("lint", code=5).stderr,
        )

    def test_a_saved_response_is_checked_without_settings(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        done = tokensync("lint", "--snapshot", DESIGN[0], "--published", DESIGN[1])
        assert done.stderr == "checked 99 tokens: no problems\n"

    def test_a_file_can_be_selected(self, project):
        assert json.loads(tokensync("lint", "--file", "harbor", "--json").output) == {"tokens": 99, "problems": []}
        tokensync("lint", "--file", "habor", code=2)

    def test_unreadable_token_files_stop_it(self, project):
        edited(LIGHT, '"$type": "color"', '"$type": "colour"')
        tokensync("lint", code=1)
