"""Pulls, plans and statuses with nothing new: a mark that a pull has left proves it, and nothing is read or merged."""

import json
import os
import shutil
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, pulled_in, response, tokensync
from commands.repositories import git
from corpus.building import run_here

from tokensync.project import merging

MANY = dict.fromkeys(("apple", "birch", "cedar", "dune", "elder", "fern", "gorse"), ("#112233", "#445566"))
COMMANDS = (("pull",), ("pull", "--json"), ("pull", "--dry-run"), ("plan",), ("plan", "--json"), ("status", "--json"))
LIGHT = Path("tokens/one/theme/light.tokens.json")
LOCK = Path("tokensync.lock")


@pytest.fixture(autouse=True)
def merges(monkeypatch):
    """The design files that are merged; files of any size are marked."""
    merged = []

    def noted(project, source, file, **named):
        merged.append(file.name)
        return merging.merged_file(project, source, file, **named)

    monkeypatch.setattr(merging, "LEAST", 0)
    for command in ("pull", "plan", "status"):
        monkeypatch.setattr(f"tokensync.commands.{command}.merged_file", noted)
    return merged


@pytest.fixture
def project(folder):
    """A project with three colours, pulled with a mark."""
    return pulled_in(folder, more="# marked\n")


def marks():
    return sorted(Path("tokens").glob(".pulled-*"))


def edited(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def results():
    """What each command prints and writes."""
    done = []
    for command in COMMANDS:
        shown = tokensync(*command)
        plan = Path(".tokensync/plan.json").read_bytes() if command[0] == "plan" else b""
        done.append((shown.output, shown.stderr, plan, files_in(Path())))
    return done


class TestNothingNew:
    @pytest.mark.parametrize(
        "variables",
        [
            COLORS,
            {**COLORS, "text": ("a", "b"), "alias": ("{slate}", "#000000")},
            {"x": ("<<", "\u202eb"), "y/ä": ("a", "b")},
        ],
    )
    def test_every_command_prints_and_writes_what_it_does_without_a_mark(self, folder, variables, merges):
        pulled_in(folder, variables, outputs=output("css", "code"))
        merges.clear()
        with_mark = results()
        assert not merges
        mark = marks()[0]
        mark.unlink()
        assert [(*rest, {**files, mark.as_posix(): b""}) for *rest, files in results()] == with_mark
        assert merges == ["one"] * len(COMMANDS)

    def test_warnings_about_the_design_file_are_reported_each_time(self, folder, merges):
        project_in(folder)
        saved = Path("saved.json")
        saved.write_bytes(response(COLORS).replace(b'"defaultModeId": "1:0"', b'"defaultModeId": "1:9"'))
        tokensync("-q", "emulator", "seed", saved, "--key", "key-one")
        tokensync("pull")
        merges.clear()
        for command in ("pull", "plan", "status"):
            assert tokensync("-v", command).stderr.count("[default-mode-unknown]") == 1
        assert not merges

    def test_the_responses_are_still_saved(self, project):
        tokensync("pull", "--snapshot-out", "saved")
        assert (project / "saved" / "one.local.json").stat().st_size

    def test_neither_the_layout_of_a_response_nor_its_other_members_are_a_change(self, project, merges):
        before = files_in(project)
        on_the_platform({**COLORS, "slate": ("#000000", "#445566")})
        on_the_platform(COLORS)
        merges.clear()
        tokensync("pull")
        assert (merges, files_in(project)) == ([], before)

    def test_a_small_project_has_no_mark(self, folder, monkeypatch):
        monkeypatch.setattr(merging, "LEAST", 1 << 18)
        pulled_in(folder, {**COLORS, "other": ("#000000", "#ffffff")})
        assert marks() == []


def another_lock(project):
    lines = LOCK.read_text(encoding="utf-8").splitlines(keepends=True)
    LOCK.write_text("".join(lines[:-1]), encoding="utf-8")


CHANGES = {
    "a variable": lambda _: on_the_platform({**COLORS, "slate": ("#000000", "#445566")}),
    "the order of variables": lambda _: on_the_platform(dict(reversed(COLORS.items()))),
    "a value in a token file": lambda _: edited(LIGHT, "#112233", "#112234"),
    "the layout of a token file": lambda _: LIGHT.write_text(
        json.dumps(json.loads(LIGHT.read_bytes())), encoding="utf-8"
    ),
    "another file": lambda _: LIGHT.with_name("README.md").write_text("x", encoding="utf-8"),
    "a file less": lambda _: LIGHT.unlink(),
    "the lock": another_lock,
    "a rule": lambda _: edited(
        Path("tokensync.toml"), "[[files]]", '[[types]]\npath = "*"\ntype = "dimension"\n[[files]]'
    ),
    "a level": lambda _: edited(Path("tokensync.toml"), "[[files]]", '[problems]\ntoken-cycle = "error"\n[[files]]'),
    "the conflicts file": lambda _: Path("tokensync.conflicts.toml").write_text("", encoding="utf-8"),
    "a pull that did not end": lambda _: Path(".tokensync/pull-one.json").write_text("[]", encoding="utf-8"),
    "the name of the mark": lambda _: marks()[0].rename(f"{marks()[0]}0"),
}


class TestChanges:
    @pytest.mark.parametrize("change", CHANGES)
    def test_whatever_changed_everything_is_read_and_merged(self, project, merges, change):
        tokensync("pull")
        merges.clear()
        CHANGES[change](project)
        for command in ("status", "plan", "pull"):
            merges.clear()
            run_here(command, *(["--theirs"] if command == "pull" else []))
            assert merges == ["one"]

    def test_another_version_of_tokensync_trusts_no_mark(self, project, merges, monkeypatch):
        monkeypatch.setattr(merging, "MADE_BY", "tokensync 999")
        merges.clear()
        tokensync("pull")
        assert merges == ["one"]

    def test_a_pull_that_changes_something_leaves_one_mark(self, project, merges):
        before = marks()
        on_the_platform({**COLORS, "slate": ("#000000", "#445566")})
        tokensync("pull")
        assert len(marks()) == 1
        assert marks() != before
        merges.clear()
        tokensync("pull")
        assert not merges

    def test_a_mark_alone_is_not_written(self, project):
        marks()[0].unlink()
        before = files_in(project)
        tokensync("pull")
        assert files_in(project) == before

    def test_an_edit_that_is_not_on_the_platform_leaves_no_mark(self, project):
        edited(LIGHT, "#112233", "#102233")
        edited(LIGHT, "0.06666667", "0.0627451")
        on_the_platform({**COLORS, "text/muted": ("#000000", "{slate}")})
        tokensync("pull")
        assert marks() == []
        assert tokensync("status", code=3).output

    def test_a_warning_about_a_token_file_leaves_no_mark_and_is_repeated(self, project):
        edited(LIGHT, '"$value"', '"$mine": 1, "$value"')
        on_the_platform({**COLORS, "text/muted": ("#000000", "{slate}")})
        shown = tokensync("-v", "pull").stderr
        assert "[tokens-member-unknown]" in shown
        assert marks() == []

    def test_a_cycle_which_only_a_pull_that_reads_token_files_locates_leaves_no_mark(self, folder):
        pulled_in(folder, {**COLORS, "a": ("{b}", "#000000"), "b": ("#000000", "{a}"), "c": ("{c}", "{c}")})
        assert marks() == []
        assert tokensync("-v", "pull").stderr == tokensync("-v", "pull").stderr

    def test_a_part_of_the_files_has_a_mark_of_its_own(self, folder, merges):
        project_in(folder, files=("one", "two"))
        for name in ("one", "two"):
            on_the_platform(COLORS, name)
        tokensync("pull")
        merges.clear()
        tokensync("pull")
        assert not merges
        tokensync("pull", "--file", "one")
        assert merges == ["one"]
        edited(Path("tokens/two/theme/light.tokens.json"), "#112233", "#112234")
        merges.clear()
        tokensync("pull", "--theirs")
        assert merges == ["one", "two"]


class TestForgery:
    def test_a_forged_mark_does_not_make_outdated_outputs_pass_the_check(self, folder, monkeypatch):
        pulled_in(folder, COLORS, outputs=output("css", "code"))
        tokensync("-q", "build")
        tokensync("check")
        edited(LIGHT, "#112233", "#102233")
        edited(LIGHT, "0.06666667", "0.0627451")
        with monkeypatch.context() as patch:  # the author of a checkout can compute any mark
            names = []
            patch.setattr(merging, "mark_of", lambda *arguments: names.append(MARK_OF(*arguments)) or names[-1])
            tokensync("status", code=3)
        marks()[0].rename(Path("tokens", names[0]))
        assert "in sync" in tokensync("status").output
        assert "code/tokens.css" in tokensync("check", code=3).stderr

    @pytest.mark.parametrize("kind", ["link", "folder"])
    def test_a_link_or_folder_with_the_name_of_a_mark_is_never_followed(self, project, kind):
        outside = project / "outside"
        outside.mkdir()
        (outside / "file").write_text("x", encoding="utf-8")
        forged = Path("tokens/.pulled-1")
        forged.symlink_to(outside) if kind == "link" else forged.mkdir()
        on_the_platform({**COLORS, "slate": ("#000000", "#445566")})
        tokensync("pull")
        assert (outside / "file").read_text(encoding="utf-8") == "x"
        assert len([mark for mark in marks() if mark.is_file() and not mark.is_symlink()]) == 1


MARK_OF = merging.mark_of


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
class TestBranches:
    def branch(self, name, variables):
        git("switch", "-q", "-c", name, "main")
        on_the_platform(variables)
        tokensync("-q", "pull")
        assert len(marks()) == 1
        git("add", "-A")
        git("commit", "-q", "-m", name)

    @pytest.mark.parametrize("is_reverted", [False, True], ids=["one after the other", "with the first one reverted"])
    def test_two_that_both_pulled_merge_without_a_conflict_and_then_pull_and_plan_what_is_right(
        self, folder, merges, is_reverted
    ):
        pulled_in(folder, MANY)
        git("init", "-q", "-b", "main")
        git("add", "-A")
        git("commit", "-q", "-m", "Start")
        first = {**MANY, "apple": ("#ff0000", "#445566")}
        second = {**(MANY if is_reverted else first), "gorse": ("#00ff00", "#445566")}
        self.branch("one", first)
        self.branch("two", second)
        git("merge", "-q", "-m", "both", "one")
        merges.clear()
        assert "nothing to do" in tokensync("plan", "--exit-code").output or is_reverted
        shown = tokensync("pull").stderr
        assert ("changed 1 token file" in shown) is is_reverted
        assert bool(merges) is is_reverted
        merged = {path: content for path, content in files_in(folder).items() if ".pulled-" not in path}
        shutil.rmtree(Path("tokens"))
        os.unlink(LOCK)
        tokensync("-q", "pull")
        assert {path: content for path, content in files_in(folder).items() if ".pulled-" not in path} == merged
