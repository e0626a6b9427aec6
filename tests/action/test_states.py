"""What each command and the action say about each state of a project. "In sync" is the same for all of them.

The exit codes are written by hand, from the meaning of the state and docs/exit-codes.md.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from action.github import git
from commands.projects import COLORS, tokensync
from corpus.building import run_here

from tokensync.project.configuration import load_project
from tokensync.project.connection import connect, embedded_emulator

LIGHT, DARK = (Path(f"tokens/one/theme/{mode}.tokens.json") for mode in ("light", "dark"))
LOCK, MANIFEST, CSS = Path("tokensync.lock"), Path("tokensync.outputs.json"), Path("web/tokens.css")


class Codes(NamedTuple):
    """The exit codes of the commands (``apply`` follows ``plan``), and of the action.

    The action plans for a pull request, compares by schedule (``drift``), and applies after the merge (``merge``).
    ``comment`` is whether the pull request gets one.
    """

    check: int
    build: int
    plan: int
    apply: int
    status: int
    pull_request: int
    drift: int
    merge: int
    comment: bool = False


SAME = Codes(0, 0, 0, 0, 0, 0, 0, 0)
"""Nothing is to be done anywhere."""
AHEAD = Codes(0, 0, 3, 0, 3, 0, 3, 0, comment=True)
"""The token files have edits, and the outputs are built from them."""
BEHIND = Codes(0, 0, 0, 0, 3, 0, 3, 0)
"""The design file has changes, which are not in the token files."""


def edit(change, *paths):
    """Change the collection in token files, by default of both modes."""
    for path in paths or (LIGHT, DARK):
        document = json.loads(path.read_text("utf-8"))
        change(document["theme"])
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def build():
    tokensync("-q", "build")


def recolored(theme, value="#aabbcc"):
    components = [int(value[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    theme["slate"]["$value"] = {"colorSpace": "srgb", "components": components, "hex": value}


def replaced(path, old, new):
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")


def in_conflict(path):
    text = path.read_text("utf-8")
    path.write_text(f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n", encoding="utf-8")


STATES = []


def state(codes):
    """Return a decorator for functions that make a state in the working folder.

    Their argument puts variables on the platform.
    """

    def added(function):
        STATES.append(pytest.param(function, codes, id=function.__name__))
        return function

    return added


@state(SAME)
def nothing_is_changed(seed):
    pass


@state(AHEAD)
def a_value_is_edited(seed):
    edit(recolored, LIGHT)
    build()


@state(AHEAD._replace(check=3, build=3))
def a_value_is_edited_and_not_built(seed):
    edit(recolored, LIGHT)


@state(AHEAD)
def a_token_is_added(seed):
    edit(lambda theme: theme.update(fresh={"$type": "color", "$value": theme["slate"]["$value"]}))
    build()


@state(AHEAD)
def a_token_is_deleted(seed):
    edit(lambda theme: theme.pop("text"))
    build()


@state(AHEAD._replace(check=3, build=3))
def a_token_is_deleted_and_not_built(seed):
    edit(lambda theme: theme.pop("text"))


@state(AHEAD)
def a_token_is_deleted_and_another_is_edited(seed):
    edit(lambda theme: theme.pop("text"))
    edit(recolored, LIGHT)
    build()


@state(AHEAD)
def a_token_is_renamed(seed):
    edit(lambda theme: theme.update(body=theme.pop("text")["muted"]))
    build()


@state(AHEAD)
def a_description_is_added(seed):
    edit(lambda theme: theme["slate"].update({"$description": "Of stone."}), LIGHT)
    build()


@state(AHEAD)
def the_type_of_a_token_is_changed(seed):
    edit(lambda theme: theme.update(slate={"$type": "number", "$value": 4}))
    edit(lambda theme: theme.pop("text"))
    build()


@state(AHEAD)
def a_mode_is_deleted(seed):
    DARK.unlink()
    resolver = Path("tokens/one.resolver.json")
    document = json.loads(resolver.read_text("utf-8"))
    for modifier in document["modifiers"].values():
        modifier["contexts"].pop("dark", None)
    resolver.write_text(json.dumps(document), encoding="utf-8")
    build()


@state(AHEAD._replace(apply=4, pull_request=4, merge=4))
def an_edit_is_unsafe(seed):
    seed({**COLORS, **{f"n{number}": ("#010203", "#010203") for number in range(12)}})
    tokensync("-q", "pull")
    edit(
        lambda theme: theme.update(
            {f"n{number}": {**theme[f"n{number}"], "$value": theme["slate"]["$value"]} for number in range(12)}
        )
    )
    build()


@state(SAME)
def a_token_is_added_that_only_code_can_have(seed):
    edit(lambda theme: theme.update(ease={"$type": "cubicBezier", "$value": [0, 0, 1, 1]}), LIGHT)
    build()


@state(SAME)
def a_token_file_is_formatted_otherwise(seed):
    LIGHT.write_text(json.dumps(json.loads(LIGHT.read_text("utf-8"))), encoding="utf-8")


@state(BEHIND)
def a_value_is_changed_on_the_platform(seed):
    seed({**COLORS, "slate": ("#010203", "#445566")})


@state(BEHIND)
def a_variable_is_new_on_the_platform(seed):
    seed({**COLORS, "fresh": ("#010203", "#445566")})


@state(BEHIND)
def a_variable_is_deleted_on_the_platform(seed):
    seed({"slate": COLORS["slate"]})


@state(SAME)
def both_sides_made_the_same_change(seed):
    edit(recolored, LIGHT)
    build()
    seed({**COLORS, "slate": ("#aabbcc", "#445566")})


@state(AHEAD)
def both_sides_changed_different_values(seed):
    edit(recolored, LIGHT)
    build()
    seed({**COLORS, "slate": ("#112233", "#ffffff")})


@state(Codes(0, 0, 4, 2, 3, 4, 4, 4, comment=True))
def both_sides_changed_one_value(seed):
    edit(recolored, LIGHT)
    build()
    seed({**COLORS, "slate": ("#010203", "#445566")})


@state(SAME._replace(check=3, build=3))
def an_output_is_edited(seed):
    replaced(CSS, "#123", "#000")


@state(SAME._replace(check=3, build=3))
def an_output_is_deleted(seed):
    CSS.unlink()


@state(SAME._replace(check=3, build=3))
def the_manifest_is_deleted(seed):
    MANIFEST.unlink()


@state(SAME)
def the_lock_is_deleted(seed):
    LOCK.unlink()


@state(Codes(5, 0, 0, 4, 3, 0, 3, 0))
def the_lock_has_a_git_conflict(seed):
    in_conflict(LOCK)


@state(Codes(5, 1, 1, 2, 1, 1, 1, 1, comment=True))
def a_token_file_has_a_git_conflict(seed):
    in_conflict(LIGHT)


@state(Codes(5, 1, 1, 2, 1, 1, 1, 1, comment=True))
def a_token_file_is_no_json(seed):
    LIGHT.write_text("{", encoding="utf-8")


@state(Codes(5, 1, 1, 2, 1, 1, 1, 1, comment=True))
def a_token_has_an_invalid_value(seed):
    edit(lambda theme: theme["slate"].update({"$value": "blue?"}), LIGHT)


@state(Codes(2, 2, 2, 2, 2, 2, 2, 2))
def a_setting_is_unknown(seed):
    replaced(Path("tokensync.toml"), "[client]", "[clients]")


@state(Codes(5, 1, 0, 0, 3, 0, 3, 0))
def the_token_files_are_deleted(seed):
    shutil.rmtree("tokens")


@state(Codes(5, 1, 0, 0, 3, 0, 3, 0))
def the_setting_of_the_tokens_folder_is_mistyped(seed):
    config = Path("tokensync.toml")
    config.write_text('tokens = "tokns"\n' + config.read_text("utf-8"), encoding="utf-8")


@state(Codes(5, 1, 0, 0, 3, 0, 3, 0))
def everything_but_the_outputs_is_deleted(seed):
    shutil.rmtree("tokens")
    LOCK.unlink()
    MANIFEST.unlink()


@state(SAME._replace(status=3, drift=3))
def a_variable_is_not_published(seed):
    project = load_project(None)
    with embedded_emulator(project) as emulator:
        emulator.publish("key-one")
    new = {"action": "CREATE", "name": "fresh", "variableCollectionId": "VariableCollectionId:1:1"}
    with connect(project) as client:
        client.variables.post("key-one", json.dumps({"variables": [{**new, "resolvedType": "COLOR"}]}).encode())
    tokensync("-q", "pull")
    build()


@pytest.mark.parametrize(("make", "codes"), STATES)
def test_every_command_and_the_action_agree_about(harbor, github, make, codes):
    folder = harbor.clone()

    def seed(variables):
        harbor.seed(variables)
        harbor.here(folder)

    harbor.here(folder)
    make(seed)
    git(folder, "add", "-A", "--", ".", ":!.tokensync")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Edit")
    git(folder, "push", "-q", str(github.bare), "HEAD:edit")
    harbor._save_state(folder)
    pull = github.add_pull("edit")
    event = {"pull_request": {"number": pull["number"], "head": {"sha": pull["head"]}}}
    of_pull = {"event": event, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF_NAME": "1/merge"}
    action = [
        harbor.night("plan", folder=harbor.clone("edit"), **of_pull).code,
        harbor.night("drift", folder=harbor.clone("edit")).code,
    ]
    harbor.here(folder)
    commands = (["check"], ["build", "--check"], ["status"], ["plan", "--exit-code"], ["apply"])
    found = {each[0]: run_here("-q", *each).code for each in commands}
    github.merge_squashed(pull["number"])
    merge = harbor.night("apply", GITHUB_EVENT_NAME="push").code
    comment = bool(github.comments.get(pull["number"]))
    assert Codes(**found, pull_request=action[0], drift=action[1], merge=merge, comment=comment) == codes
