"""``tokensync plan --only``: a plan of some tokens, and what the next plans have of the rest."""

import json
from pathlib import Path

import pytest
from commands.projects import pulled_in, tokensync
from commands.test_plan import BLUE, DARK, LIGHT, RED, added, edit, planned

from tokensync.plan.operations import CreateVariable, DeleteVariable, SetValue


@pytest.fixture(autouse=True)
def project(folder):
    """A project with three colours in two modes, pulled."""
    return pulled_in(folder, dict.fromkeys(("slate", "accent/base", "accent/old"), ("#112233", "#445566")))


def recoloured(*paths):
    for file in (LIGHT, DARK):
        for path in paths:

            def change(theme, path=path):
                for step in path.split("/"):
                    theme = theme[step]
                theme["$value"] = BLUE

            edit(file, change)


def left():
    """Return the operations of the next plan without ``--only``."""
    tokensync("-q", "plan")
    return planned().operations


def changed():
    """Return the names of the variables with changed values in the plan."""
    return {planned().labels[each.variable] for each in planned().operations if isinstance(each, SetValue)}


def settled():
    """Apply, pull and plan everything; assert that no pull or plan has anything more to do."""
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    tokensync("-q", "plan", "--exit-code")


def test_only_matching_tokens_are_planned_and_the_rest_is_counted_and_planned_next():
    recoloured("slate", "accent/base", "accent/old")
    shown = tokensync("plan", "--only", "theme/accent/b*").output
    assert changed() == {"theme / accent/base"}
    assert "--only leaves out 4 other operations; a plan without it has them" in shown
    assert "slate" not in shown
    tokensync("-q", "apply")
    assert len(left()) == 4
    assert changed() == {"theme / slate", "theme / accent/old"}
    settled()


def test_patterns_add_up_and_a_star_crosses_groups():
    recoloured("slate", "accent/base", "accent/old")
    tokensync("-q", "plan", "--only", "theme/sl*", "--only", "*old")
    assert changed() == {"theme / slate", "theme / accent/old"}


def test_a_new_alias_target_is_taken_along_and_said():
    added("core", RED)
    added("other", RED)
    edit(LIGHT, lambda theme: theme["slate"].update({"$value": "{theme.core}"}))
    shown = tokensync("plan", "--only", "theme/slate").output
    assert "taken along, since the chosen tokens need it: theme / core" in shown
    assert {type(operation) for operation in planned().operations} == {CreateVariable, SetValue}
    tokensync("-q", "apply")
    assert [operation.variable.name for operation in left() if isinstance(operation, CreateVariable)] == ["other"]
    settled()


def test_a_new_mode_is_taken_along_and_other_values_in_it_are_planned_next():
    dim = json.loads(DARK.read_text(encoding="utf-8"))
    dim["$extensions"] = {"com.figma.modeName": "Dim"}
    for token in (dim["theme"]["slate"], dim["theme"]["accent"]["base"]):
        token["$value"] = RED
    Path("tokens/one/theme/dim.tokens.json").write_text(json.dumps(dim), encoding="utf-8")
    shown = tokensync("plan", "--only", "theme/slate").output
    assert "taken along, since the chosen tokens need it: mode theme / dim" in shown
    assert changed() == {"theme / slate"}
    tokensync("-q", "apply")
    left()
    assert changed() == {"theme / accent/base", "theme / accent/old"}
    settled()
    dim = json.loads(Path("tokens/one/theme/dim.tokens.json").read_text(encoding="utf-8"))
    assert dim["theme"]["accent"]["base"]["$value"]["hex"] == "#ff0000"


def test_a_new_collection_is_taken_along_with_the_chosen_token_alone():
    path = Path("tokens/one/motion/brisk.tokens.json")
    path.parent.mkdir()
    tokens = {name: {"$type": "number", "$value": 1} for name in ("fast", "slow")}
    path.write_text(json.dumps({"motion": tokens}), encoding="utf-8")
    shown = tokensync("plan", "--only", "motion/fast").output
    assert "taken along, since the chosen tokens need it: collection motion" in shown
    assert [each.variable.name for each in planned().operations if isinstance(each, CreateVariable)] == ["fast"]
    tokensync("-q", "apply")
    assert [operation.variable.name for operation in left()] == ["slow"]
    settled()


def test_names_of_collections_and_modes_stay():
    recoloured("slate")
    edited = json.loads(DARK.read_text(encoding="utf-8"))
    edited["$extensions"]["com.figma.modeName"] = "Night"
    DARK.write_text(json.dumps(edited), encoding="utf-8")
    tokensync("-q", "plan", "--only", "theme/slate")
    assert {type(operation) for operation in planned().operations} == {SetValue}
    tokensync("-q", "apply")
    assert len(left()) == 1
    settled()


def test_only_matching_deletions_are_held_back_or_pruned():
    for path in (LIGHT, DARK):
        edit(path, lambda theme: [theme.pop("slate"), theme["accent"].pop("old")])
    shown = tokensync("plan", "--only", "theme/accent/*").output
    assert "accent/old" in shown
    assert "slate" not in shown
    tokensync("-q", "plan", "--only", "theme/accent/*", "--prune")
    assert [(type(each), each.name) for each in planned().operations] == [(DeleteVariable, "accent/old")]


def test_a_pattern_that_matches_nothing_is_an_error_with_the_nearest_name():
    recoloured("slate")
    done = tokensync("plan", "--only", "theme/slat", "--only", "theme/*", code=2)
    assert done.stderr == "error: --only theme/slat: no token has such a name; use theme/slate\n"
