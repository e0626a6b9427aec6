"""Two branches that change tokens merge without a conflict in files that tokensync writes."""

import json
import os
import shlex
import shutil
from pathlib import Path

import prepared
import pytest
from commands.projects import files_in, output, quickstart_in, tokensync
from commands.repositories import add_color, git, paint, repository_in

from tokensync.commands.init import with_attributes

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")

MANIFEST = Path("tokensync.outputs.json")
CHANGES = {
    "two colours": (lambda: paint("slate.50", [1, 1, 0.5]), lambda: paint("kelp.400", [0, 0.5, 0.5])),
    "a new colour and another value": (lambda: add_color("fresh"), lambda: paint("slate.50", [1, 1, 0.5])),
}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return repository_in(tmp_path / "harbor")


def commit_on(branch, change):
    git("switch", "-q", "-c", branch, "main")
    change()
    tokensync("-q", "format")
    tokensync("-q", "build")
    git("add", "-A")
    git("commit", "-q", "-m", branch)


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
@pytest.mark.parametrize("changes", CHANGES)
def test_both_orders_merge_and_a_clone_passes_the_check_and_builds_without_force(repository, changes, order):
    for branch, change in zip(("one", "two"), CHANGES[changes], strict=True):
        commit_on(branch, change)
    git("switch", "-q", order[0])
    git("merge", "-q", "-m", "both", order[1])
    git("clone", "-q", ".", "../clone")
    os.chdir("../clone")
    before = files_in(Path())
    tokensync("build", "--check")
    tokensync("check")
    assert "0 written" in tokensync("build").stderr
    assert files_in(Path()) == before
    assert files_in(Path()) == files_in(repository)


JSON = Path("code/json/tokens.json")


def merged_with_json(one, two):
    """Merge two branches in a project with an output that does not name tokensync."""
    config = Path("tokensync.toml")
    config.write_text(f"{config.read_text('utf-8')}\n{output('json', 'code/json')}", encoding="utf-8")
    tokensync("-q", "build")
    git("add", "-A")
    git("commit", "-q", "-m", "JSON")
    commit_on("one", one)
    commit_on("two", two)
    git("merge", "-q", "one", ok=False)
    assert git("diff", "--name-only", "--diff-filter=U").stdout.split()[-1:] == [MANIFEST.name]


@pytest.mark.parametrize("changes", ["other lines", "the same line"])
def test_a_build_repairs_outputs_that_do_not_name_tokensync(repository, changes):
    first = lambda: paint("slate.50", [1, 1, 0.5])  # noqa: E731
    second = (lambda: paint("kelp.400", [0, 0.5, 0.5])) if changes == "other lines" else lambda: add_color("fresh")
    merged_with_json(first, second)
    if changes == "the same line":
        JSON.write_text("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> one\n", encoding="utf-8")
    else:
        JSON.write_text(
            f"{JSON.read_text('utf-8')}\n", encoding="utf-8"
        )  # what git makes of both sides need not be what a build writes
    tokensync("-q", "build")
    git("add", "-A")
    tokensync("check", "--staged")
    git("commit", "-q", "-m", "both")
    git("clone", "-q", ".", "../clone")
    os.chdir("../clone")
    tokensync("check")
    assert "0 written" in tokensync("build").stderr


def test_a_checkout_with_conflict_marks_is_no_merge(repository):
    merged_with_json(lambda: paint("slate.50", [1, 1, 0.5]), lambda: paint("kelp.400", [0, 0.5, 0.5]))
    git("add", "-A")
    git("commit", "-q", "-m", "marks")
    JSON.write_text("{}\n", encoding="utf-8")
    assert "[output-foreign]" in tokensync("build", code=1).stderr
    assert JSON.read_text("utf-8") == "{}\n"


def test_an_output_that_was_merged_differently_is_not_current_and_a_build_repairs_it(repository):
    commit_on("one", lambda: paint("slate.50", [1, 1, 0.5]))
    commit_on("two", lambda: paint("slate.50", [0.5, 1, 1]))
    git("merge", "-q", "one", ok=False)
    git("checkout", "-q", "--ours", "tokens")
    git("checkout", "-q", "--theirs", "code")
    git("add", "-A")
    git("commit", "-q", "-m", "both")
    git("clone", "-q", ".", "../clone")
    os.chdir("../clone")
    assert "not current: code/web/tokens.css" in tokensync("build", "--check", "-v", code=3).stderr
    tokensync("check", code=3)
    assert "0 written" not in tokensync("-v", "build").stderr
    tokensync("build", "--check")
    tokensync("check")


def test_a_fresh_copy_is_left_as_it_is_by_a_build_if_the_check_calls_it_current(tmp_path, monkeypatch):
    monkeypatch.chdir(quickstart_in(tmp_path / "copy"))
    before = files_in(Path())
    tokensync("build", "--check")
    tokensync("build")
    assert files_in(Path()) == before


def test_the_list_of_outputs_has_a_line_for_each_which_no_token_changes(repository):
    before = MANIFEST.read_text(encoding="utf-8")
    entries = json.loads(before)["outputs"]
    assert len(before.splitlines()) == len(entries) + 6  # the format, and brackets
    add_color("fresh")
    paint("slate.50", [1, 1, 0.5])
    tokensync("-q", "build")
    assert MANIFEST.read_text(encoding="utf-8") == before


def test_only_files_that_do_not_name_tokensync_have_a_digest_by_which_a_hand_edit_is_noticed(repository):
    config = Path("tokensync.toml")
    config.write_text(config.read_text(encoding="utf-8") + output("json", "code/json"), encoding="utf-8")
    tokensync("-q", "build")
    entries = json.loads(MANIFEST.read_text(encoding="utf-8"))["outputs"]
    with_digest = {each["path"] for each in entries if "output" in each}
    assert {Path(path).parts[1] for path in with_digest} == {"json"}
    edited = Path(min(with_digest))
    edited.write_text("{}", encoding="utf-8")
    tokensync("build", "--check", code=3)
    assert "it was changed after tokensync wrote it" in tokensync("build", code=1).stderr


MODES = [Path(f"tokens/harbor/theme/{mode}.tokens.json") for mode in ("light", "dark")]


@pytest.fixture
def driven(repository):
    """A repository whose .gitattributes are those of init, and whose user has configured the driver."""
    Path(".gitattributes").write_bytes(with_attributes(b""))
    git("add", "-A")
    git("commit", "-q", "-m", "Attributes")
    git("config", "merge.tokensync.driver", f"{shlex.join(prepared.command())} merge-file %O %A %B %P")
    return repository


def to_theme(name, value):
    """Add a token to the collection's end, or give it a value, in each mode's file."""
    for path in MODES:
        tree = json.loads(path.read_text("utf-8"))
        tree["theme"][name] = {"$type": "color", "$value": value}
        path.write_text(json.dumps(tree, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def unmerged():
    return [path for path in git("diff", "--name-only", "--diff-filter=U").stdout.split() if path.startswith("tokens/")]


SLATE, KELP = "{primitives.color.slate.50}", "{primitives.color.kelp.400}"


@pytest.mark.parametrize("command", ["rebase", "merge"])
def test_branches_that_each_append_a_token_lead_to_the_same_files_in_either_order(driven, command):
    """Git alone leaves a conflict in each mode's file, since both add lines at the same place."""
    changes = {
        "one": lambda: (to_theme("fresh", SLATE), paint("kelp.400", [0, 0.5, 0.5])),
        "two": lambda: (to_theme("calm", KELP), add_color("fresh")),
    }
    states = []
    for order in (("one", "two"), ("two", "one")):
        for branch in order:
            git("branch", "-q", "-D", branch, ok=False)
            commit_on(branch, changes[branch])
        git(command, "-q", order[0], ok=False)  # generated code may have a conflict, which a build resolves
        assert unmerged() == []
        tokensync("-q", "build", "--force")
        git("add", "-A")
        git(command, "--continue", ok=False, GIT_EDITOR="true")
        tokensync("check")
        tokensync("format", "--check")
        tokensync("build", "--check")
        states.append({path: content for path, content in files_in(Path()).items() if path.startswith("tokens/")})
        git("switch", "-q", "main")
    assert states[0] == states[1]
    for path in MODES:
        assert [*json.loads(states[0][path.as_posix()])["theme"]][-2:] == ["calm", "fresh"]


def test_only_what_both_branches_changed_differently_is_between_marks(driven):
    commit_on("one", lambda: (to_theme("fresh", SLATE), to_theme("scrim", SLATE)))
    commit_on("two", lambda: (to_theme("calm", KELP), to_theme("scrim", KELP)))
    done = git("merge", "-q", "one", ok=False)
    assert done.returncode == 1
    assert unmerged() == sorted(path.as_posix() for path in MODES)
    for path in MODES:
        assert f"error: {path.as_posix()} (#/theme/scrim/$value): both branches changed this differently" in done.stderr
        text = path.read_text("utf-8")
        head, rest = text.split("<<<<<<< ours\n")
        middle, tail = rest.split(">>>>>>> theirs\n")
        assert middle.split() == ['"$value":', f'"{KELP}"', "=======", '"$value":', f'"{SLATE}"']
        theme = json.loads(head + middle.split("=======")[0] + tail)["theme"]
        assert {"fresh", "calm"} <= theme.keys()
        assert "the file has conflict marks of git" in tokensync("check", code=5).stderr
        path.write_text(head + middle.split("=======\n")[1] + tail, encoding="utf-8")
    tokensync("-q", "build", "--force")
    git("add", "-A")
    git("commit", "-q", "-m", "both")
    tokensync("check")
