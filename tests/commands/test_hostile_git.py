"""Reading a state from an attacker's git repository runs no command of the repository."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands.projects import output, pulled_in, tokensync
from corpus.building import run_here

from tokensync.system.errors import UsageError
from tokensync.system.git import Repository

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="programs of a shell are no programs there"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not there"),
]

CANARY = "figd_canary_0123456789"
NAMED = ("-c", "user.name=a", "-c", "user.email=a@example.org")
OF_ANOTHER_REPOSITORY = {
    *("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_PREFIX", "GIT_NAMESPACE"),
    *("GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
    *("GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE"),
}


def git(*arguments, **options):
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *names, *arguments], check=True, capture_output=True, **options).stdout


def recording_git(folder, seen):
    """Makes a git in the folder that writes its arguments and environment, a line a run, and then is the real one."""
    folder.mkdir(exist_ok=True)
    (folder / "git").write_text(
        f"#!{sys.executable} -I\n"
        "import json, os, sys\n"
        f"with open({str(seen)!r}, 'a') as file:\n"
        "    print(json.dumps({'arguments': sys.argv[1:], 'environment': dict(os.environ)}), file=file)\n"
        f"os.execv({shutil.which('git')!r}, ['git', *sys.argv[1:]])\n",
        encoding="utf-8",
    )
    (folder / "git").chmod(0o755)


@pytest.fixture
def cloned(folder, monkeypatch):
    """A clone of a repository whose project was pulled and committed; the working folder."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    source = pulled_in(folder / "source", outputs=output("css", "web"))
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "Pull")
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    return source


def with_bare_repository(place, sentinel):
    """Makes a folder a repository that asks a remote for what it lacks, by a command of its own."""
    donor = Path.cwd() / "donor"
    git("init", "-q", donor)
    (donor / "one" / "theme").mkdir(parents=True)
    (donor / "one" / "theme" / "light.tokens.json").write_text("{}", encoding="utf-8")
    git("-C", donor, "add", "-A")
    git("-C", donor, "commit", "-qm", "x")
    kinds = git("-C", donor, "cat-file", "--batch-check", "--batch-all-objects").decode().splitlines()
    head = git("-C", donor, "rev-parse", "HEAD").decode().strip()
    for line in kinds:
        name, kind, _ = line.split()
        if kind != "blob":
            loose = Path("objects", name[:2], name[2:])
            (place / loose).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(donor / ".git" / loose, place / loose)
    (place / "refs" / "heads").mkdir(parents=True)
    (place / "refs" / "heads" / "master").write_text(f"{head}\n", encoding="utf-8")
    (place / "HEAD").write_text("ref: refs/heads/master\n", encoding="utf-8")
    (place / "config").write_text(
        "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = .\n"
        "[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\turl = {donor}\n\tpromisor = true\n'
        f"\tuploadpack = touch {sentinel}; git-upload-pack\n",
        encoding="utf-8",
    )
    return donor


@pytest.fixture
def bare(cloned, folder):
    """A clone of a repository that has a bare one among its files; the working folder, and the file it makes."""
    sentinel = folder / "PWNED"
    with_bare_repository(cloned / "tokens", sentinel)
    git("add", "-A", "--", ":!donor")
    git("commit", "-qm", "Add a few files")
    git("clone", "-q", cloned, folder / "clone")
    os.chdir(folder / "clone")
    return sentinel


CONTENT = ("-C", "tokens", "cat-file", "blob", "HEAD:one/theme/light.tokens.json")


def test_a_bare_repository_among_the_files_is_not_obeyed(bare):
    assert tokensync("diff", "git:HEAD", "tokens").output == ""
    assert tokensync("diff", "git:HEAD", "lock").output == ""
    assert not bare.exists()
    subprocess.run(["git", *CONTENT], capture_output=True, check=False)
    if not bare.exists():
        pytest.skip("this git does not obey a bare repository: the control shows nothing")


@pytest.mark.parametrize("outer", [".", "module"], ids=["repository", "submodule"])
def test_a_project_whose_own_folder_is_a_bare_repository_does_not_obey_it(cloned, folder, outer):
    sentinel = folder / "PWNED"
    top = cloned / outer
    if outer == "module":
        git("clone", "-q", cloned, folder / "origin")
        git("-c", "protocol.file.allow=always", "submodule", "add", "-q", folder / "origin", outer)
    project = top / "design"
    project.mkdir()
    for name in ("tokens", "tokensync.toml", "tokensync.lock"):
        (top / name).rename(project / name)
    os.chdir(folder)
    with_bare_repository(project, sentinel)
    git("-C", top, "add", "-A")
    git("-C", top, "commit", "-qm", "Move the project")
    os.chdir(project)
    assert tokensync("diff", "git:HEAD", "tokens").output == ""
    assert not sentinel.exists()
    subprocess.run(["git", "cat-file", "blob", "HEAD:one/theme/light.tokens.json"], capture_output=True, check=False)
    if not sentinel.exists():
        pytest.skip("this git does not obey a bare repository: the control shows nothing")


def test_no_object_is_read_from_where_an_inner_repository_has_its_own(cloned, folder):
    (folder / "private" / "one").mkdir(parents=True)
    (folder / "private" / "one" / "x.tokens.json").write_text(CANARY, encoding="utf-8")
    git("init", "-q", folder / "private")
    git("-C", folder / "private", "add", "-A")
    git("-C", folder / "private", "commit", "-qm", "x")
    git("init", "-q", "--bare", "tokens")
    Path("tokens/objects/info/alternates").write_text(f"{folder / 'private' / '.git' / 'objects'}\n", encoding="utf-8")
    Path("tokens/refs/heads/main").write_bytes(git("-C", folder / "private", "rev-parse", "HEAD"))
    for revision in ("git:HEAD", "git:main"):
        done = run_here("diff", revision, "tokens", "--format", "json")
        assert CANARY not in done.output + done.stderr
    control = subprocess.run(
        ["git", "-C", "tokens", "show", "main:one/x.tokens.json"], capture_output=True, check=False
    )
    if CANARY not in control.stdout.decode():
        pytest.skip("this git does not obey a bare repository: the control shows nothing")


def test_a_pager_of_the_repository_is_not_run(cloned, folder):
    sentinel = folder / "PWNED"
    git("config", "core.pager", f"touch {sentinel}; cat")
    git("config", "pager.ls-tree", f"touch {sentinel}; cat")

    def on_a_terminal(*command):
        ours, theirs = os.openpty()
        try:
            subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, check=True)
        finally:
            os.close(theirs)
            os.close(ours)

    on_a_terminal(sys.executable, "-m", "tokensync", "diff", "git:HEAD", "tokens")
    assert not sentinel.exists()
    on_a_terminal("git", "log")
    assert sentinel.exists()


@pytest.mark.parametrize("arguments", [["-a"], ["--", "note.txt"]], ids=["all", "path"])
def test_in_the_hook_of_a_partial_commit_it_reads_head_and_leaves_the_index_alone(cloned, folder, arguments):
    Path("note.txt").write_text("1", encoding="utf-8")
    git("add", "note.txt")
    git("commit", "-qm", "Add a note")
    Path("note.txt").write_text("2", encoding="utf-8")
    sentinel = folder / "PWNED"
    git("config", "core.fsmonitor", f"touch {sentinel}; false")
    hook = Path(".git/hooks/pre-commit")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f'#!/bin/sh\necho "$GIT_INDEX_FILE" > {folder}/index-file\nrm -f {sentinel}\n'
        f"{sys.executable} -m tokensync diff git:HEAD tokens > {folder}/seen 2>&1 || exit 1\n"
        f"test ! -e {sentinel}\n",
        encoding="utf-8",
    )
    hook.chmod(0o755)
    git("commit", "-qm", "Change the note", *arguments)
    assert (folder / "index-file").read_text("utf-8").strip().endswith(".lock")  # not the one of the repository
    assert (folder / "seen").read_text("utf-8") == "no differences\n"
    git("config", "--unset", "core.fsmonitor")
    assert git("show", "HEAD:note.txt") == b"2"
    assert git("status", "--porcelain", "--untracked-files=no") == b""


def test_one_that_git_is_started_in_is_refused_and_fetches_nothing_either(bare, monkeypatch):
    repository = Repository(".", "git:HEAD")
    with pytest.raises(UsageError, match="bare repository"):
        repository._run(*CONTENT)
    monkeypatch.setattr("tokensync.system.git._CONFIGURATION", ())
    with pytest.raises(UsageError, match="git: "):
        repository._run(*CONTENT)
    assert not bare.exists()


@pytest.mark.parametrize(
    ("setting", "value", "obeying"),
    [
        ("core.fsmonitor", "touch {}", ["status"]),
        ("core.sshCommand", "touch {}; false", ["ls-remote", "ssh://localhost/x"]),
        ("diff.external", "touch {}", ["diff"]),
        ("diff.x.textconv", "touch {}; cat", ["diff"]),
        ("filter.x.smudge", "touch {}; cat", ["cat-file", "--filters", "HEAD:tokensync.toml"]),
        ("core.editor", "touch {}; true", [*NAMED, "commit", "--amend"]),
        ("core.hooksPath", "hooks", [*NAMED, "commit", "--allow-empty", "-m", "x"]),
        ("gpg.program", "./hooks/pre-commit", [*NAMED, "commit", "-S", "--allow-empty", "-m", "x"]),
        ("include.path", "../included", ["status"]),
    ],
)
def test_a_command_in_the_repositorys_configuration_is_not_run(cloned, folder, setting, value, obeying):
    sentinel = folder / "PWNED"
    (cloned / ".gitattributes").write_text("* diff=x filter=x\n", encoding="utf-8")
    (cloned / "tokensync.toml").write_text(f"{(cloned / 'tokensync.toml').read_text('utf-8')}\n", encoding="utf-8")
    (cloned / "hooks").mkdir()
    (cloned / "hooks" / "pre-commit").write_text(f"#!/bin/sh\ntouch {sentinel}\n", encoding="utf-8")
    (cloned / "hooks" / "pre-commit").chmod(0o755)
    (cloned / "included").write_text(f"[core]\n\tfsmonitor = touch {sentinel}\n", encoding="utf-8")
    git("config", setting, value.format(sentinel))
    tokensync("diff", "git:HEAD", "tokens")
    assert not sentinel.exists()
    subprocess.run(["git", *obeying], capture_output=True, check=False)
    assert sentinel.exists()


def test_a_work_tree_that_its_configuration_puts_elsewhere_is_refused(cloned, folder):
    git("config", "core.worktree", str(folder))
    assert "work tree" in tokensync("diff", "git:HEAD", "tokens", code=2).stderr


def test_in_a_hook_of_a_linked_work_tree_it_reads_the_right_repository(cloned, folder, monkeypatch):
    linked = folder / "linked"
    git("worktree", "add", "-q", linked)
    os.chdir(linked)
    monkeypatch.setenv("GIT_DIR", str(cloned / ".git" / "worktrees" / "linked"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(cloned / ".git" / "worktrees" / "linked" / "index"))
    monkeypatch.setenv("GIT_PREFIX", "")
    assert tokensync("diff", "git:HEAD", "tokens").output == ""
    monkeypatch.setenv("GIT_DIR", str(folder / "nowhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(folder))
    assert tokensync("diff", "git:HEAD", "tokens").output == ""


def test_a_submodule_is_another_repository(cloned):
    (cloned / "tokens" / ".git").write_text("gitdir: ../elsewhere\n", encoding="utf-8")
    assert "another repository" in tokensync("diff", "git:HEAD", "tokens", code=2).stderr


def test_git_is_never_the_program_of_a_checkout(cloned, folder, monkeypatch):
    for place in (cloned, cloned / "bin", folder / "usr"):
        recording_git(place, folder / f"seen-{place.name}")
    path = (".", "", str(cloned / "bin"), str(folder / "usr"), os.environ["PATH"])
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    tokensync("diff", "git:HEAD", "tokens")
    assert [each.name for each in folder.glob("seen*")] == ["seen-usr"]


def test_every_command_of_git_has_all_settings_and_no_secret_or_folder_of_another(cloned, folder, monkeypatch):
    recording_git(folder / "usr", folder / "seen")
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder / "usr"), os.environ["PATH"])))
    monkeypatch.setenv("TOKENSYNC_SECRET", CANARY)
    for name in OF_ANOTHER_REPOSITORY:
        monkeypatch.setenv(name, str(folder / "nowhere"))
    tokensync("diff", "git:HEAD", "tokens")
    runs = [json.loads(line) for line in (folder / "seen").read_text("utf-8").splitlines()]
    settings = (
        *("-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
        *("-c", "protocol.ext.allow=never", "--no-pager", "-C", os.path.realpath(cloned)),
    )
    assert [run["arguments"][: len(settings)] for run in runs] == [[*settings]] * 4
    assert [run["arguments"][len(settings)] for run in runs] == ["rev-parse", "ls-tree", "cat-file", "cat-file"]
    required = {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    for run in runs:
        assert required.items() <= run["environment"].items()
        assert not [name for name in run["environment"] if name.startswith(("FIGMA_", "TOKENSYNC_"))]
        assert not OF_ANOTHER_REPOSITORY & run["environment"].keys()


def test_git_gets_the_users_settings_and_nothing_that_is_not_its_own(cloned, folder, monkeypatch):
    real, seen = shutil.which("git"), folder / "seen"
    (folder / "usr").mkdir()
    (folder / "usr" / "git").write_text(f'#!/bin/sh\nenv > {seen}\nexec {real} "$@"\n', encoding="utf-8")
    (folder / "usr" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder / "usr"), os.environ["PATH"])))
    trusted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    refused = ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "GIT_ASKPASS", "GIT_TRACE2", "NPM_CONFIG_TOKEN")
    for name, value in {**trusted, **dict.fromkeys(refused, CANARY)}.items():
        monkeypatch.setenv(name, value)
    assert tokensync("diff", "git:HEAD", "tokens").output == ""
    environment = seen.read_text("utf-8").splitlines()
    assert CANARY not in "".join(environment)
    assert {f"{name}={value}" for name, value in trusted.items()} <= set(environment)


@pytest.mark.parametrize("name", ["GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NOGLOB_PATHSPECS"])
def test_how_the_user_wants_paths_to_be_matched_is_no_business_of_ours(cloned, monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert tokensync("diff", "git:HEAD", "tokens").output == ""


@pytest.mark.parametrize("kept", ["blob:none", "tree:0"])
def test_a_clone_without_old_contents_says_how_to_get_them(cloned, folder, kept):
    git("config", "uploadpack.allowFilter", "true")
    git("mv", "tokens/one/theme/light.tokens.json", "tokens/one/theme/bright.tokens.json")
    Path("tokens/one/theme/bright.tokens.json").write_text("{}", encoding="utf-8")
    git("commit", "-qam", "Lose a mode")
    git("clone", "-q", f"--filter={kept}", cloned.as_uri(), folder / "clone")
    os.chdir(folder / "clone")
    stderr = tokensync("diff", "git:HEAD~1", "lock", code=2).stderr
    assert "this clone does not have the content of that revision" in stderr
    git(*stderr.strip().rpartition("get all of it with git ")[2].split())
    assert tokensync("diff", "git:HEAD~1", "lock").output == ""


def test_what_is_too_large_for_token_files_is_not_loaded(cloned, monkeypatch):
    monkeypatch.setattr("tokensync.system.git._LARGEST", 3 << 20)
    Path("tokens/one/movie.bin").write_bytes(bytes(5 << 20))
    git("add", "-A")
    git("commit", "-qm", "Add a movie")
    assert tokensync("diff", "git:HEAD", "lock").output == ""
    Path("tokens/one/theme/light.tokens.json").write_bytes(bytes(5 << 20))
    git("commit", "-qam", "Swell")
    stderr = tokensync("diff", "git:HEAD", "lock", code=2).stderr
    assert "its files have 5 MiB (one/theme/light.tokens.json is the largest)" in stderr


def test_a_repository_of_somebody_else_comes_with_the_command_that_trusts_it(cloned, folder, monkeypatch):
    (folder / "usr").mkdir()
    (folder / "usr" / "git").write_text(
        "#!/bin/sh\necho 'fatal: detected dubious ownership in repository' >&2\nexit 128\n", encoding="utf-8"
    )
    (folder / "usr" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder / "usr"))
    assert "git config --global --add safe.directory" in tokensync("diff", "git:HEAD", "tokens", code=2).stderr
