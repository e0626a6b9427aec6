"""The hooks under real hook managers: pre-commit and prek with tokensync's own repository, lefthook and husky."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkers import INSTALLED, MODULES, missing
from commands.projects import tokensync
from commands.repositories import ROOT, VARIABLES, add_color, clone_passes, git, install, paint, repository_in

pytestmark = [
    pytest.mark.outside,
    pytest.mark.xdist_group("hooks"),
    pytest.mark.skipif(sys.platform == "win32", reason="the hooks are scripts of a POSIX shell"),
]

HOOK_MANAGERS = INSTALLED / "hooks" / ("Scripts" if sys.platform == "win32" else "bin")


@pytest.fixture(scope="session", params=["pre-commit", "prek"])
def pre_commit(request):
    program = HOOK_MANAGERS / request.param
    if not program.is_file():
        missing(request.param, "run `make verify`")
    return program


@pytest.fixture(scope="session")
def lefthook():
    if not (HOOK_MANAGERS / "lefthook").is_file():
        missing("lefthook", "run `make verify`")
    return HOOK_MANAGERS / "lefthook"


@pytest.fixture(scope="session")
def husky():
    program = MODULES / "husky" / "bin.js"
    if not program.is_file() or not shutil.which("node"):
        missing("husky", "run `make verify`")
    return program


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """A repository with the files of this checkout, and the tags of some releases."""
    folder = tmp_path_factory.mktemp("tokensync")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    before = Path.cwd()
    os.chdir(folder)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "Release 0.1.0")
    git("tag", "v0.1.0")
    for version in ("0.2.0", "0.10.0"):
        git("commit", "-q", "--allow-empty", "-m", f"Release {version}")
        git("tag", f"v{version}")
    git("commit", "-q", "--allow-empty", "-m", "More")
    os.chdir(before)
    return folder


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name in [each for each in os.environ if each.startswith(("GIT_", "TOKENSYNC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return repository_in(tmp_path / "harbor")


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """The caches of the hook managers, which the tests share because an environment takes half a minute."""
    folder = tmp_path_factory.mktemp("homes")
    return {"PRE_COMMIT_HOME": str(folder / "pre-commit"), "PREK_HOME": str(folder / "prek")}


def run(program, *arguments, ok=True, **more):
    command = [str(program), *map(str, arguments)]
    done = subprocess.run(command, check=False, env=VARIABLES | more, capture_output=True, encoding="utf-8")
    output = done.stdout + done.stderr
    assert not ok or done.returncode == 0, output
    return output


def configure(released, *hooks, rev="v0.10.0"):
    lines = (f"      - id: tokensync-{each}\n" for each in hooks)
    text = f"repos:\n  - repo: {released}\n    rev: {rev}\n    hooks:\n{''.join(lines)}"
    Path(".pre-commit-config.yaml").write_text(text, encoding="utf-8")
    git("add", ".pre-commit-config.yaml")
    git("commit", "-q", "--no-verify", "-m", "Add hooks")


def commit(homes, *arguments, ok=True):
    done = git("commit", "-m", "x", *arguments, ok=False, **homes)
    assert (done.returncode == 0) == ok, done.stdout + done.stderr
    return done.stdout + done.stderr


class TestPreCommit:
    @pytest.fixture
    def manager(self, pre_commit, homes, released, repository):
        def set_up(*hooks, types=("pre-commit",)):
            configure(released, *hooks)
            for each in types:
                run(pre_commit, "install", "--hook-type", each, **homes)

        return set_up

    def test_a_commit_whose_clone_fails_is_refused_also_if_it_only_deletes(self, manager, homes, repository, tmp_path):
        manager("check")
        add_color("zed")
        tokensync("-q", "build")
        git("add", "-u")
        assert "not current: " in commit(homes, ok=False)
        git("add", "-A")
        commit(homes)
        clone_passes(repository, tmp_path / "one")
        git("rm", "-q", "tokens/harbor/theme/dark.tokens.json")
        assert "git add" in commit(homes, ok=False).strip().splitlines()[-1]
        git("reset", "-q", "--hard")
        git("mv", "code/web/tokens.css", "code/web/other.css")
        commit(homes, ok=False)
        git("reset", "-q", "--hard")
        Path("README.md").write_text("more", encoding="utf-8")
        commit(homes, "-a")
        clone_passes(repository, tmp_path / "two")

    def test_a_build_that_only_creates_files_fails_and_the_next_commit_passes(
        self, manager, homes, repository, tmp_path
    ):
        manager("format", "build", "check")
        add_color("zed")
        tokensync("-q", "format")
        git("add", "tokens")
        output = commit(homes, ok=False)
        assert "before you commit again, run git add " in output
        git("add", "code", "tokensync.outputs.json")
        commit(homes)
        clone_passes(repository, tmp_path / "clone")

    def test_a_half_staged_token_file_is_reported_and_nothing_is_rolled_back(self, manager, homes, repository):
        manager("build")
        paint("slate.50", [1, 1, 0.5])
        git("add", "tokens")
        paint("kelp.400", [0, 0.5, 0.5])
        tokensync("-q", "build")
        for _ in range(2):
            output = commit(homes, ok=False)
            assert "stage or stash them first" in output
            assert "conflicted" not in output.lower()
        git("stash", "--keep-index", "-q")
        commit(homes, ok=False)
        git("add", "code", "tokensync.outputs.json")
        commit(homes)

    def test_it_runs_once_also_if_other_types_of_hooks_are_installed(self, manager, homes, repository):
        manager("check", types=("pre-commit", "commit-msg", "prepare-commit-msg"))
        paint("slate.50", [1, 1, 0.5])
        tokensync("-q", "build")
        git("add", "-A")
        assert commit(homes).count("tokensync check") == 1

    def test_a_linked_worktree_is_checked_by_its_own_index(self, manager, homes, repository):
        manager("check")
        git("worktree", "add", "-q", "../linked")
        os.chdir("../linked")
        git("rm", "-q", "--cached", "code/web/tokens.css")
        assert "not current: code/web/tokens.css" in commit(homes, ok=False)

    def test_it_can_be_tried_from_a_folder_and_from_a_bare_repository(
        self, pre_commit, homes, released, repository, tmp_path
    ):
        git("clone", "-q", "--bare", released, tmp_path / "bare.git")
        for source in (released, tmp_path / "bare.git"):
            assert "Passed" in run(pre_commit, "try-repo", source, "tokensync-check", "--all-files", **homes)

    def test_no_module_of_the_checkout_is_imported(self, manager, homes, repository, tmp_path):
        """pre-commit itself imports modules of Python from the working folder, so none of those is among them."""
        manager("build", "format", "check")
        sentinel = tmp_path / "imported"
        imported = f"with open({str(sentinel)!r}, 'a') as file:\n    file.write(__name__)\n"
        for name in (
            "tokensync",
            "click",
            "msgspec",
            "requests",
            "jinja2",
            "urllib3",
            "sitecustomize",
            "usercustomize",
        ):
            Path(f"{name}.py").write_text(imported, encoding="utf-8")
        subprocess.run([sys.executable, "-c", "import jinja2"], check=True)
        assert sentinel.read_text("utf-8") == "jinja2"  # a run that imports from the working folder shows
        sentinel.unlink()
        add_color("zed")
        tokensync("-q", "format")
        tokensync("-q", "build")
        git("add", "-A")
        commit(homes)
        assert not sentinel.exists()

    def test_an_update_ends_at_the_newest_release(self, pre_commit, homes, released, repository):
        configure(released, "check", rev="v0.1.0")
        run(pre_commit, "autoupdate" if pre_commit.name == "pre-commit" else "update", **homes)
        assert "v0.10.0" in Path(".pre-commit-config.yaml").read_text("utf-8")


@pytest.fixture
def on_path(tmp_path):
    """A PATH with a program ``tokensync``, and without others of this checkout."""
    program = tmp_path / "bin" / "tokensync"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tokensync "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def refuses_and_accepts(on_path, repository, clone):
    add_color("zed")
    tokensync("-q", "build")
    git("add", "-u")
    assert "not current: " in commit(on_path, ok=False)
    git("add", "-A")
    commit(on_path)
    clone_passes(repository, clone)


def test_lefthook_runs_the_lines_of_install_hook(lefthook, on_path, repository, tmp_path):
    Path("lefthook.yml").write_text("pre-commit:\n  commands:\n    x:\n      run: 'true'\n", encoding="utf-8")
    run(lefthook, "install", **on_path)
    Path("lefthook.yml").write_text(tokensync("install-hook", code=3).output, encoding="utf-8")
    run(lefthook, "install", **on_path)
    on_path["PATH"] = f"{lefthook.parent}{os.pathsep}{on_path['PATH']}"
    refuses_and_accepts(on_path, repository, tmp_path / "clone")
    assert "nothing to do" in tokensync("install-hook").stderr


def test_husky_runs_the_script_of_install_hook(husky, on_path, repository, tmp_path, monkeypatch):
    Path("package.json").write_text('{"name": "x"}', encoding="utf-8")
    run("node", husky, **on_path)
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    assert git("config", "core.hooksPath").stdout.strip() == ".husky/_"
    assert "every commit and merge is checked now" in tokensync("install-hook").stderr
    assert Path(".husky/pre-commit").is_file()
    assert Path(".husky/pre-merge-commit").is_file()
    refuses_and_accepts(on_path, repository, tmp_path / "clone")


def test_a_hook_beside_pre_commits_own_runs_too(pre_commit, homes, repository):
    install("#!/bin/sh\nexit 0\n")
    tokensync("install-hook")
    Path(".pre-commit-config.yaml").write_text("repos: []\n", encoding="utf-8")
    git("rm", "-q", "--cached", "code/web/tokens.css")
    assert "not current: " in commit(homes, ok=False)


def test_the_hook_is_written_until_git_runs_pre_commit_which_then_gets_lines_to_add(
    pre_commit, homes, repository, monkeypatch
):
    is_prek = pre_commit.name == "prek"
    config = Path("prek.toml" if is_prek else ".pre-commit-config.yaml")
    config.write_text("" if is_prek else "repos:\n", encoding="utf-8")
    assert f"run {pre_commit.name} install" in tokensync("install-hook").stderr
    git("rm", "-q", "--cached", "code/web/tokens.css")
    assert "not current: " in commit(homes, ok=False)
    Path(".git/hooks/pre-commit").unlink()
    run(pre_commit, "install", **homes)
    done = tokensync("install-hook", code=3)
    assert f"run {pre_commit.name} install --hook-type pre-merge-commit" in done.stderr
    config.write_text(config.read_text("utf-8") + done.output, encoding="utf-8")
    git("add", config)
    program = Path(sys.executable).with_name("tokensync")
    assert "not current: " in commit(homes | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}, ok=False)
    assert tokensync("install-hook").stderr.startswith(f"{config}: the check is there")
