"""The example of write-back: its page runs as shown, and an edit of its tokens comes back as that and nothing else."""

import shutil
import subprocess
import sys

import pytest
from examples.test_quickstart import ROOT, files_of, tokensync
from shown_commands import differences

EXAMPLE = ROOT / "examples" / "write-back"
WRITTEN_BY_HAND = ("README.md", "design.local.json", "tokensync.toml", "edit.py")


def ran(folder, *arguments, code=0):
    done = tokensync(folder, *arguments)
    assert done.code == code, f"tokensync {' '.join(arguments)}\n{done.output}{done.stderr}"
    return done


@pytest.fixture
def project(tmp_path):
    """A copy of the example with its design file in the emulator."""
    shutil.copytree(EXAMPLE, tmp_path / "tideline", ignore=shutil.ignore_patterns(".tokensync"))
    ran(tmp_path / "tideline", "-q", "emulator", "seed", "design.local.json")
    return tmp_path / "tideline"


def test_the_commands_make_exactly_the_files_that_are_committed(tmp_path):
    for name in WRITTEN_BY_HAND:
        shutil.copyfile(EXAMPLE / name, tmp_path / name)
    for command in ("emulator seed design.local.json", "pull", "build"):
        assert "warning" not in ran(tmp_path, *command.split()).stderr
    expected, actual = files_of(EXAMPLE), files_of(tmp_path)
    assert sorted(actual) == sorted(expected)
    assert [path for path, content in expected.items() if actual[path] != content] == []


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a POSIX shell")
def test_the_commands_of_the_page_run_as_shown(tmp_path):
    copy = tmp_path / "examples" / "write-back"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns(".tokensync"))
    actual = differences((EXAMPLE / "README.md").read_text(encoding="utf-8"), tmp_path)
    assert not actual, "\n\n".join(actual)


def git(folder, *arguments):
    done = subprocess.run(["git", *arguments], check=True, capture_output=True, cwd=folder)
    return done.stdout.decode("utf-8").splitlines()


def changed_lines(folder):
    """The lines of token files that git shows as changed, whatever follows them."""
    shown = [line for line in git(folder, "diff", "-U0", "--", "tokens") if not line.startswith(("+++", "---"))]
    return {f"{line[0]}{line[1:].strip().rstrip(',')}" for line in shown if line[0] in "+-"}


def test_after_plan_apply_and_pull_git_shows_the_edit_and_the_platform_ids(project):
    git(project, "init", "-q")
    git(project, "add", ".")
    subprocess.run([sys.executable, "edit.py"], check=True, cwd=project)
    ran(project, "-q", "format")
    edited = changed_lines(project)
    assert len(edited) > 10
    for command in ("plan", "apply", "pull"):
        ran(project, "-q", command)
    additions = (
        '+"com.figma.variableId"',
        '+"com.figma.scopes"',
        '+"org.tokensync"',
        '-"org.tokensync"',
        '+"$extensions"',
        '+"after"',
        '+"warning": "accent.veil"',  # the order, in the head of the file
    )
    assert edited - changed_lines(project) == set()
    assert [
        line for line in changed_lines(project) - edited if not line.startswith(additions) and line[1:] != "}"
    ] == []
    assert "Held back: applied only with --prune (1)" in ran(project, "plan", "--exit-code", code=3).output
