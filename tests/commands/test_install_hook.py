"""``install-hook`` adds the check of commits beside the hooks that a repository has."""

import os
import shlex
import shutil
import site
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands.projects import tokensync
from commands.repositories import VARIABLES, git, install, paint, repository_in
from corpus.building import ROOT

from tokensync.commands.install_hook import checked_configurations

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not there"),
    pytest.mark.skipif(sys.platform == "win32", reason="the hooks are scripts of a POSIX shell"),
]

WITHOUT_TOKENSYNC = os.pathsep.join(
    each for each in os.environ["PATH"].split(os.pathsep) if not Path(each, "tokensync").exists()
)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name in [each for each in os.environ if each.startswith(("GIT_", "TOKENSYNC_"))]:
        monkeypatch.delenv(name)
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    monkeypatch.chdir(tmp_path)
    return repository_in(tmp_path / "harbor")


def refused(*arguments, **more):
    """Whether a commit of token files without their outputs is refused, with a PATH that has no tokensync."""
    paint("slate.50", [1, 1, 0.5])
    git("add", "-u", "*.tokens.json")
    done = git("commit", "-q", "-m", "x", *arguments, ok=False, PATH=WITHOUT_TOKENSYNC, **more)
    return "not current: " in done.stderr and done.returncode != 0


def test_a_hook_is_written_that_needs_no_path_and_a_second_time_there_is_nothing_to_do(repository):
    done = tokensync("install-hook")
    assert done.stderr == (
        ".git/hooks/pre-commit and .git/hooks/pre-merge-commit: every commit and merge is checked now\n"
    )
    assert refused()
    tokensync("-q", "build")
    git("add", "-A")
    git("commit", "-q", "-m", "x", PATH=WITHOUT_TOKENSYNC)
    before = Path(".git/hooks/pre-commit").read_text("utf-8")
    assert "nothing to do" in tokensync("install-hook").stderr
    assert Path(".git/hooks/pre-commit").read_text("utf-8") == before


@pytest.mark.parametrize("is_users", [False, True], ids=["environment", "user site"])
def test_the_hook_imports_no_module_of_the_checkout(repository, monkeypatch, is_users):
    monkeypatch.setattr(site, "ENABLE_USER_SITE", is_users)
    monkeypatch.setattr(site, "getusersitepackages", lambda: str(ROOT))
    tokensync("install-hook")
    for name in ("click.py", "json/__init__.py", "sitecustomize.py", "usercustomize.py", "tokensync/__init__.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("open('ran', 'w')\n", encoding="utf-8")
    assert refused(PYTHONPATH="")
    assert not Path("ran").exists()
    git("commit", "-q", "-m", "x", ok=False, PYTHONPATH=str(repository))
    assert Path("ran").exists() == is_users, "a user's own PYTHONPATH counts, so this test can fail"


@pytest.mark.parametrize("shebang", ["#!/bin/sh\n", "#!/usr/bin/env bash\n", "#! /bin/sh\n", ""])
def test_a_script_keeps_what_it_does_also_if_it_ends_early(repository, shebang):
    install(f"{shebang}touch ran\nexec true\n")
    assert "added the check" in tokensync("install-hook").stderr
    assert refused()
    assert not Path("ran").exists()
    tokensync("-q", "build")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    assert Path("ran").exists()
    assert "nothing to do" in tokensync("install-hook").stderr


def test_a_compiled_program_is_left_as_it_is(repository):
    install("")
    shutil.copyfile(sys.executable, ".git/hooks/pre-commit")
    before = Path(".git/hooks/pre-commit").read_bytes()
    assert "it is not a shell script; add a call of these commands" in tokensync("install-hook", code=3).stderr
    assert Path(".git/hooks/pre-commit").read_bytes() == before


def test_a_hook_that_is_a_link_gets_lines_to_add_to_the_file(repository):
    Path("scripts").mkdir()
    Path("scripts/hook").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    Path("scripts/hook").chmod(0o755)
    Path(".git/hooks").mkdir(exist_ok=True)
    Path(".git/hooks/pre-commit").symlink_to("../../scripts/hook")
    done = tokensync("install-hook", code=3)
    assert ".git/hooks/pre-commit: it is a link to scripts/hook; add a call of these commands\n" in done.stderr
    assert Path("scripts/hook").read_text("utf-8") == "#!/bin/sh\nexit 0\n"
    assert Path(".git/hooks/pre-commit").is_symlink()
    Path("scripts/hook").write_text(f"#!/bin/sh\n{done.output}", encoding="utf-8")
    assert refused()
    assert "the check is there, nothing to do" in tokensync("install-hook").stderr


def test_a_program_that_is_no_shell_script_is_left_as_it_is(repository):
    install("#!/usr/bin/env python3\nprint(1)\n")
    done = tokensync("install-hook", code=3)
    assert "it is not a shell script" in done.stderr
    assert "-m tokensync check --staged" in done.output
    assert Path(".git/hooks/pre-commit").read_text("utf-8").endswith("print(1)\n")


def test_a_hook_of_another_python_is_replaced(repository, monkeypatch):
    tokensync("install-hook")
    monkeypatch.setattr(sys, "executable", "/gone/python")
    tokensync("install-hook")
    text = Path(".git/hooks/pre-commit").read_text("utf-8")
    assert text.count("check --staged") == 1
    assert "is gone; run tokensync install-hook again" in git("commit", "--allow-empty", "-m", "x", ok=False).stderr


def test_a_linked_worktree_shares_the_hook(repository):
    git("worktree", "add", "-q", "../linked")
    os.chdir("../linked")
    tokensync("install-hook")
    assert (repository / ".git/hooks/pre-commit").is_file()
    assert refused()


def test_huskys_hook_gets_the_line_and_not_its_own_files(repository):
    Path(".husky/_").mkdir(parents=True)
    Path(".husky/pre-commit").write_text("npm test\n", encoding="utf-8")
    git("config", "core.hooksPath", ".husky/_")
    tokensync("install-hook")
    text = Path(".husky/pre-commit").read_text("utf-8")
    assert "tokensync check --staged || exit $?" in text
    assert sys.executable not in text
    assert text.endswith("npm test\n")
    assert list(Path(".husky/_").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="needs a PATH without tokensync")
def test_a_committed_hook_says_what_to_do_where_there_is_no_tokensync(repository):
    git("config", "core.hooksPath", ".husky/_")
    tokensync("install-hook")
    done = subprocess.run(
        ["/bin/sh", ".husky/pre-commit"],
        env={"PATH": "/none"},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        "tokensync: it is not on the PATH of this hook; install it, or add its folder to PATH"
    )
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_of_hooks_in_the_repository_gets_the_hook(repository):
    git("config", "core.hooksPath", "scripts/hooks")
    tokensync("install-hook")
    assert "\ntokensync check --staged" in Path("scripts/hooks/pre-commit").read_text("utf-8")
    assert os.access("scripts/hooks/pre-commit", os.X_OK)


def test_a_folder_of_hooks_for_all_repositories_is_left_as_it_is(repository, tmp_path):
    (tmp_path / "shared").mkdir()
    git("config", "core.hooksPath", tmp_path / "shared")
    done = tokensync("install-hook", code=3)
    assert "core.hooksPath is outside of this repository" in done.stderr
    assert list((tmp_path / "shared").iterdir()) == []


def test_a_merge_without_conflicts_is_checked(repository):
    git("switch", "-q", "-c", "other")
    paint("slate.50", [1, 1, 0.5])
    git("commit", "-q", "-a", "-m", "x")
    git("switch", "-q", "main")
    tokensync("install-hook")
    done = git("merge", "--no-ff", "-m", "both", "other", ok=False, PATH=WITHOUT_TOKENSYNC)
    assert done.returncode
    assert "not current: " in done.stderr


def test_a_link_to_the_hook_of_commits_is_kept(repository):
    tokensync("install-hook")
    link = Path(".git/hooks/pre-merge-commit")
    link.unlink()
    link.symlink_to("pre-commit")
    assert "nothing to do" in tokensync("install-hook").stderr
    assert link.is_symlink()


MANAGERS = {
    ".pre-commit-config.yaml": (
        "pre-commit",
        "ARGS=(hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit)",
    ),
    "prek.toml": ("prek", 'exec "$PREK" hook-impl --hook-dir "$HERE" --hook-type=pre-commit -- "$@"'),
    "lefthook.yml": ("lefthook", 'call_lefthook run "pre-commit" "$@"'),
    ".lefthook-local.yaml": ("lefthook", 'call_lefthook run "pre-commit" "$@"'),
}


@pytest.mark.parametrize("name", MANAGERS)
def test_the_configuration_of_a_hook_manager_that_git_runs_is_left_to_its_author(repository, name):
    Path(name).write_text("# mine: tokensync-check\n", encoding="utf-8")
    install(script := f"#!/bin/sh\n{MANAGERS[name][1]}\n")
    done = tokensync("install-hook", code=3)
    assert done.stderr.startswith(f"{name}: add these lines")
    assert Path(name).read_text("utf-8") == "# mine: tokensync-check\n"
    assert Path(".git/hooks/pre-commit").read_text("utf-8") == script
    Path(name).write_text(done.output, encoding="utf-8")
    if name.endswith(".toml"):
        assert tomllib.loads(done.output)["repos"][0]["hooks"][0]["entry"] == "tokensync check --staged"
    assert "nothing to do" in tokensync("install-hook").stderr


@pytest.mark.parametrize("has_entry", [False, True])
@pytest.mark.parametrize("name", MANAGERS)
def test_a_hook_manager_that_git_does_not_run_checks_nothing_so_the_hook_is_written(repository, name, has_entry):
    Path(name).write_text("id: tokensync-check\n" if has_entry else "", encoding="utf-8")
    lines = tokensync("install-hook").stderr.splitlines()
    assert lines[0].endswith("every commit and merge is checked now")
    assert lines[1] == (f"{name}: git does not run it here; to run all its hooks, run {MANAGERS[name][0]} install")
    assert refused()


def test_after_init_the_hook_is_written_as_pre_commit_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    tokensync("init", "--yes")
    assert "to run all its hooks, run pre-commit install" in tokensync("install-hook").stderr
    assert Path(".git/hooks/pre-commit").is_file()


def projects_in(*folders):
    for each in folders:
        Path(each).mkdir(parents=True)
        for path in ("tokens", "code", "tokensync.toml", "tokensync.outputs.json", "tokensync.lock"):
            (shutil.copytree if Path(path).is_dir() else shutil.copy)(path, Path(each, path))
    git("rm", "-rq", "tokens", "code", "tokensync.toml", "tokensync.outputs.json", "tokensync.lock")
    git("add", "-A")
    git("commit", "-q", "-m", "Move")


def test_the_hook_checks_each_project_of_a_repository(repository):
    projects_in("a", "b", "it's the c")
    for each in ("a", "b", "it's the c", "a"):
        tokensync("install-hook", "-c", f"{each}/tokensync.toml")
    assert "nothing to do" in tokensync("install-hook", "-c", "b").stderr
    for each in ("a", "b", "it's the c"):
        git("rm", "-q", "--cached", f"{each}/code/web/tokens.css")
        done = git("commit", "-q", "-m", "x", ok=False, PATH=WITHOUT_TOKENSYNC)
        assert "not current: code/web/tokens.css" in done.stderr
        assert f"git add {shlex.quote(f'{each}/code/web')} " in done.stderr
        git("reset", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x", PATH=WITHOUT_TOKENSYNC)


def test_the_check_of_a_project_that_is_gone_is_removed(repository):
    projects_in("a", "b")
    tokensync("install-hook", "-c", "a")
    git("mv", "a", "c")
    tokensync("install-hook", "-c", "b")
    text = Path(".git/hooks/pre-commit").read_text("utf-8")
    assert "b/tokensync.toml" in text
    assert "a/tokensync.toml" not in text


CALLS = {
    "tokensync check --staged": {"tokensync.toml"},
    "tokensync check --format github --staged -c b/tokensync.toml && npm test -c x": {"b/tokensync.toml"},
    "'/a b/tokensync' check --staged --config='the b/tokensync.toml' || exit $?": {"the b/tokensync.toml"},
    "# tokensync check --staged": set(),
    "tokensync build --staged": set(),
    "  - id: tokensync-check\n  - id: other\n    args: [-c, other]": {"tokensync.toml"},
    "  - id: tokensync-check\n    args: [--config, 'it''s/tokensync.toml']": {"it's/tokensync.toml"},
    "  - id: tokensync-check\n    args:\n      - --config\n      - ./b/tokensync.toml\n  - id: x": {"b/tokensync.toml"},
    "  - id: tokensync-check\n  - id: tokensync-check\n    args: ['-c', 'b']": {"tokensync.toml", "b/tokensync.toml"},
    "  - id: tokensync-format": set(),
    'hooks = [{ id = "tokensync-check", args = ["-c", "b/pyproject.toml"] }]': {"b/pyproject.toml"},
    "run: 'tokensync check --staged'": {"tokensync.toml"},
    "  - id: mine\n    entry: bash -c 'cd packages/b && tokensync check --staged'": {"packages/b/tokensync.toml"},
    "cd 'a b' && cd c; tokensync check --staged -c ../d.toml": {"a b/d.toml"},
}


@pytest.mark.parametrize("text", CALLS)
def test_the_configurations_that_a_text_checks_are_found(text):
    assert checked_configurations(text) == CALLS[text]


def test_a_project_in_a_subfolder_is_named_to_the_check(repository):
    Path("packages/tokens and more").mkdir(parents=True)
    for path in ("tokens", "code", "tokensync.toml", "tokensync.outputs.json", "tokensync.lock"):
        git("mv", path, "packages/tokens and more")
    git("commit", "-q", "-m", "Move")
    os.chdir("packages/tokens and more")
    tokensync("install-hook")
    assert refused()
    os.chdir("../..")
    assert "nothing to do" in tokensync("install-hook", "-c", "packages/tokens and more/tokensync.toml").stderr


def test_outside_of_a_repository_it_is_a_usage_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "run git init first" in tokensync("install-hook", code=2).stderr


class TestBuildStaged:
    def test_it_builds_what_the_commit_lacks_and_fails_so_that_it_is_staged(self, repository):
        assert "the outputs of the commit are current" in tokensync("build", "--staged").stderr
        paint("slate.50", [1, 1, 0.5])
        git("add", "-u")
        done = tokensync("build", "--staged", code=3)
        last = done.stderr.splitlines()[-1]
        assert last.startswith("before you commit again, run git add ")
        git(*last.rpartition("run git ")[2].split())
        tokensync("build", "--staged")
        tokensync("check", "--staged")

    def test_with_a_half_staged_token_file_it_builds_nothing(self, repository):
        paint("slate.50", [1, 1, 0.5])
        git("add", "-u")
        paint("slate.100", [1, 0, 0.5])
        before = Path("code/web/tokens.css").read_bytes()
        stderr = tokensync("build", "--staged", code=4).stderr
        assert "stage or stash them first" in stderr
        assert "outputs of the commit are not current; " in stderr
        assert Path("code/web/tokens.css").read_bytes() == before

    def test_a_patch_of_the_hook_manager_that_started_it_counts(self, repository, tmp_path, monkeypatch):
        paint("slate.50", [1, 1, 0.5])
        git("add", "-u")
        monkeypatch.setenv("PRE_COMMIT", "1")
        monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
        (tmp_path / "cache").mkdir()
        patch = tmp_path / "cache" / f"patch1-{os.getppid()}"
        for path, code in (("code/web/tokens.css", 4), ("notes.txt", 3)):
            patch.write_text(f"diff --git a/{path} b/{path}\n--- a/{path}\n", encoding="utf-8")
            tokensync("build", "--staged", code=code)

    def test_one_output_is_counted_as_one(self, repository):
        git("rm", "-q", "--cached", "code/web/tokens.css")
        paint("slate.50", [1, 1, 0.5])
        assert "error: 1 output of the commit is not current; " in tokensync("build", "--staged", code=4).stderr

    def test_errors_in_token_files_are_reported_and_lint_rules_are_not(self, repository):
        Path("tokens/harbor/theme/light.tokens.json").write_text("{", encoding="utf-8")
        git("add", "-u")
        assert "light.tokens.json:1" in tokensync("build", "--staged", code=5).stderr

    def test_it_takes_no_other_options(self, repository):
        assert "--staged: it builds all outputs" in tokensync("build", "--staged", "--force", code=2).stderr


def test_the_environment_of_these_tests_has_no_tokensync_on_its_path():
    assert "PATH" in VARIABLES
    assert shutil.which("tokensync", path=WITHOUT_TOKENSYNC) is None
