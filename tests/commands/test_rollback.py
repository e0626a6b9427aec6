"""A rollback reverts the edit in the token files, too, if asked, and keeps other edits of them."""

import json
from pathlib import Path

import pytest
from commands.projects import pulled_in, tokensync

from tokensync.apply.journal import Journal

COLORS = {"slate": ("#112233", "#445566"), "text/muted": ("{slate}", "{slate}"), "old": ("#000000", "#ffffff")}
LIGHT, DARK = (Path(f"tokens/one/theme/{mode}.tokens.json") for mode in ("light", "dark"))
BLUE = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [0, 0, 1], "hex": "#0000ff"}}


@pytest.fixture
def project(folder):
    """A project with three colours, pulled."""
    return pulled_in(folder, COLORS)


def edit(path, change):
    content = json.loads(path.read_text("utf-8"))
    change(content["theme"])
    path.write_text(json.dumps(content), encoding="utf-8")
    tokensync("format", "-q")


def edited():
    """A new value, a new name, a new token and a deleted one."""
    edit(LIGHT, lambda theme: theme["slate"].update({**BLUE, "$description": "Ink"}))
    tokensync("tokens", "rename", "theme/text/muted", "theme/text/quiet", "-q")
    for path in (LIGHT, DARK):
        edit(path, lambda theme: (theme.pop("old"), theme.update(fresh=BLUE)))


def applied(*, pull=False):
    tokensync("plan", "-q", "--prune")
    tokensync("apply", "-q", "--force")
    if pull:
        tokensync("pull", "-q")
    return str(max(Path(".tokensync/applies").glob("*/receipt.json")))


def token_files():
    """Return the token files without what a variable that is created again gets anew."""
    texts = {}
    for path in sorted(Path("tokens").rglob("*.json")):
        tree = json.loads(path.read_text("utf-8"))
        old = tree.get("theme", {}).get("old", {})
        old.pop("$extensions", None)
        texts[path.as_posix()] = tree
    return texts


@pytest.mark.parametrize("pull", [False, True], ids=["before a pull", "after a pull"])
def test_the_token_files_are_as_before_the_edit_and_nothing_is_left_to_plan(project, pull):
    before = token_files()
    edited()
    receipt = applied(pull=pull)
    done = tokensync("rollback", receipt, "--token-files")
    assert "  reverts the edit in the token files, too\n" in done.output
    assert "--token-files" not in done.stderr
    done = tokensync("apply", "--force")
    assert "one: reverted the edit in 2 token files\n" in done.stderr
    assert token_files() == before
    tokensync("plan", "--exit-code", "--prune")
    tokensync("status")
    assert "nothing to do" in tokensync("pull").stderr


def test_without_the_option_the_output_offers_it_and_the_next_plan_has_the_edit_again(project):
    edited()
    receipt = applied()
    after = token_files()
    done = tokensync("rollback", receipt)
    assert (
        "the token files keep the edit, and the next plan would make it again; "
        f"to revert it there, too, run: tokensync rollback {receipt} --token-files\n"
    ) in done.stderr
    tokensync("apply", "-q", "--force")
    assert token_files() == after
    tokensync("plan", "--exit-code", "--prune", code=3)


def test_later_edits_of_the_token_files_are_kept(project):
    edited()
    receipt = applied()
    edit(DARK, lambda theme: theme["slate"].update(BLUE))
    edit(LIGHT, lambda theme: theme.update(later=BLUE))
    tokensync("rollback", receipt, "--token-files", "-o", "back.json")
    tokensync("apply", "back.json", "--force")
    light, dark = (json.loads(path.read_text("utf-8"))["theme"] for path in (LIGHT, DARK))
    assert (light["slate"]["$value"]["hex"], dark["slate"]["$value"]["hex"]) == ("#112233", "#0000ff")
    assert light["later"]["$value"]["hex"] == "#0000ff" and "fresh" not in light
    done = tokensync("plan", "--prune")
    assert "variables: 1 new, 1 changed" in done.output


def test_a_later_edit_of_the_same_token_is_a_conflict_and_stays(project):
    edit(LIGHT, lambda theme: theme["slate"].update(BLUE))
    receipt = applied()
    green = {**BLUE, "$value": {"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#00ff00"}}
    edit(LIGHT, lambda theme: theme["slate"].update(green))
    text = LIGHT.read_text("utf-8")
    tokensync("rollback", receipt, "--token-files")
    done = tokensync("apply", code=4)
    assert "in light was #0000ff, is #00ff00 in the token files and #112233 in Figma" in done.stderr
    assert "the plan is applied, but the token files are not reverted yet: tokensync pull does that\n" in done.stderr
    assert LIGHT.read_text("utf-8") == text
    tokensync("pull", "-q", "--ours")
    assert LIGHT.read_text("utf-8") == text
    assert "#112233 -> #00ff00" in tokensync("plan").output


def test_an_apply_that_was_not_finished_is_refused_with_the_option(project, monkeypatch):
    edit(LIGHT, lambda theme: theme["slate"].update(BLUE))
    tokensync("plan", "-q")
    record = Journal.record

    def dying(journal, each):
        record(journal, each)
        if len(journal.records) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "record", dying)
        tokensync("apply", "-q", code=130)
    (folder,) = Path(".tokensync/applies").glob("*/")
    done = tokensync("rollback", folder, "--token-files", code=4)
    assert "remove the option, and revert the edit with git" in done.stderr


def test_a_program_sees_the_option_in_the_plan(project):
    edit(LIGHT, lambda theme: theme["slate"].update(BLUE))
    receipt = applied()
    for options, expected in (((), False), (("--token-files",), True)):
        done = tokensync("rollback", receipt, "--json", *options)
        assert json.loads(done.output)["plan"]["token_files"] is expected
    assert json.loads(tokensync("apply", "--json").output)["files"][0]["token_files"] is True
