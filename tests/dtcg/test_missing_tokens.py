"""References to tokens that do not exist, and tokens that the default mode's file lacks."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest
from dtcg.test_reading_edited_files import FILE, graph_of, problem_of

from tokensync.dtcg import read
from tokensync.system import positions


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("{color.akcent}", "{color.accent.$root}"),
        ("{color.Accent.bsae}", "{color.accent.base}"),
        ("{colour.plain}", "{color.plain}"),
        ("{accent.base}", "{color.accent.base}"),
        ("#/color/akcent/base", "#/color/accent/base"),
        ("#/color/plan/$value", "#/color/plain"),
    ],
)
def test_the_advice_for_a_misspelled_reference_is_the_nearest_token(reference, meant):
    number = {"$type": "number", "$value": 1}
    others = {"accent": {"$root": number, "base": number}, "plain": number}
    value = {"$value": reference} if reference[0] == "{" else {"$ref": reference}
    for token in ({"$type": "number", **value}, value):
        problem = problem_of(token, **others)
        assert (problem.code, problem.what_to_do) == ("token-reference", f"did you mean {meant}?")


def test_the_advice_for_a_misspelled_group_is_the_nearest_group():
    number = {"$type": "number", "$value": 1}
    (problem,) = graph_of({"base": {"x": number}, "more": {"$extends": "{color.bas}", "y": number}})[1]
    assert (problem.code, problem.what_to_do) == ("group-extends", "did you mean 'color.base'?")


def test_a_name_that_resembles_nothing_gets_no_nearest_token():
    problem = problem_of({"$type": "number", "$value": "{elsewhere.x}"}, plain={"$type": "number", "$value": 1})
    assert problem.what_to_do == "correct the path, which starts with the collection's handle"


@pytest.mark.parametrize("groups", [1, 50])
def test_thousands_of_misspelled_references_are_not_all_compared_with_all_tokens(groups, monkeypatch):
    compared = []
    find = difflib.get_close_matches
    monkeypatch.setattr(
        difflib,
        "get_close_matches",
        lambda word, names, n: compared.append(len(names)) or find(word, names, n),
    )
    tokens = {f"g{at}": {} for at in range(groups)}
    for at in range(2_000):
        tokens[f"g{at % groups}"][f"t{at}"] = {"$type": "number", "$value": f"{{color.g{at % groups}.t{at}x}}"}
    problems = [each for each in graph_of(tokens)[1] if each.code == "token-reference"]
    assert len(problems) == 2_000
    assert problems[0].what_to_do == "did you mean {color.g0.t0}?"
    assert sum(compared) <= 50_000


def test_tokens_that_refer_to_one_with_a_misspelled_reference_are_not_reported_for_their_type():
    tokens = {"a": {"$value": "{color.b}"}, "b": {"$value": "{color.cc}"}, "c": {"$type": "number", "$value": 1}}
    (problem,) = graph_of(tokens)[1]
    assert (problem.code, problem.what_to_do) == ("token-reference", "did you mean {color.c}?")
    assert problem.where.endswith("(#/color/b/$value)")


LIGHT, DARK = "ds/color/light.tokens.json", "ds/color/dark.tokens.json"
RESOLVER = {
    "version": "2025.10",
    "modifiers": {
        "color": {
            "contexts": {
                "light": [{"$ref": "ds/color/light.tokens.json"}],
                "dark": [{"$ref": "ds/color/dark.tokens.json"}],
            },
            "default": "light",
        }
    },
    "resolutionOrder": [{"$ref": "#/modifiers/color"}],
}


def problems_of_modes(light, dark):
    """Return the problems of a collection whose default mode is Light; tokens are names, in groups with a dot."""

    def tree(names):
        root = {}
        for path in names:
            *groups, name = path.split(".")
            group = root
            for each in groups:
                group = group.setdefault(each, {})
            group[name] = {"$type": "number", "$value": 1}
        return json.dumps({"color": root}).encode()

    files = {LIGHT: tree(light), DARK: tree(dark), "ds.resolver.json": json.dumps(RESOLVER).encode()}
    return [each for each in read(files, FILE)[1] if each.code == "token-in-one-mode"]


@pytest.mark.parametrize(
    ("light", "dark", "instead", "renaming"),
    [
        (["a.b", "c"], ["a.bb", "c"], "#/color/a/b", "color/a/bb color/a/b"),
        (["a.b", "c"], ["c", "x"], "#/color/a/b", "color/x color/a/b"),
        (["a.b", "a.c"], ["b.b", "a.c"], "#/color/a/b", "color/b color/a"),
        (["a.one", "a.seven"], ["a.three", "a.sevens"], "#/color/a/seven", "color/a/sevens color/a/seven"),
        (["it's"], ["its"], "#/color/it's", """color/its 'color/it'"'"'s'"""),
    ],
)
def test_a_token_that_is_renamed_in_one_file_is_reported_with_both_places(light, dark, instead, renaming):
    problem = problems_of_modes(light, dark)[-1]
    assert problem.severity == "error"
    assert problem.where.startswith(f"{DARK}:1:")
    assert problem.what.startswith(f"it is not in the file of the default mode, which has {LIGHT}:1:")
    assert problem.what.endswith(f"({instead}) instead")
    assert f"run tokensync tokens rename {renaming}, or the same with the names exchanged" in problem.what_to_do


@pytest.mark.parametrize(
    ("light", "dark", "group", "renaming"),
    [
        (["a.one", "a.two", "a.deep.x", "z"], ["b.one", "b.two", "b.deep.x", "z"], "a", "color/b color/a"),
        (["g.a.one", "g.a.two", "g.z"], ["g.b.one", "g.b.two", "g.z"], "g/a", "color/g/b color/g/a"),
    ],
)
def test_a_group_that_is_renamed_in_one_file_is_reported_once(light, dark, group, renaming):
    (problem,) = problems_of_modes(light, dark)
    assert problem.severity == "error"
    assert problem.where.startswith(f"{DARK}:1:")
    assert problem.where.endswith(f"(#/{renaming.split()[0]})")
    number = len(dark) - 1
    assert problem.what.startswith(
        f"{number} tokens of this group are not in the file of the default mode, which has them"
    )
    assert f"has them in {LIGHT}:1:" in problem.what
    assert problem.what.endswith(f"(#/color/{group})")
    assert problem.what_to_do == (
        f"use one name in all files: run tokensync tokens rename {renaming}, or the same with the names exchanged"
    )


def test_a_renamed_group_and_other_renamed_tokens_are_reported_apart():
    problems = problems_of_modes(["a.one", "a.two", "c.it", "last"], ["b.one", "b.two", "c.its", "last"])
    assert len(problems) == 2
    assert [each.what_to_do.count("color/b color/a") for each in problems] == [1, 0]


def test_thousands_of_tokens_that_are_renamed_in_one_file_are_located_in_one_pass(monkeypatch):
    scanned = []
    scan = positions._scan
    monkeypatch.setattr(positions, "_scan", lambda *arguments: scanned.append(1) or scan(*arguments))
    names = [f"g{at % 50}.t{at}" for at in range(2_000)]
    problems = problems_of_modes(names, [f"{each}y" for each in names])
    assert len(problems) == 2_000
    assert problems[0].what.endswith("(#/color/g0/t0) instead")
    assert len(scanned) <= 4


def test_a_token_that_only_another_mode_has_is_reported_with_the_file_that_lacks_it():
    (problem,) = problems_of_modes(["a"], ["a", "more"])
    assert problem.where.startswith(f"{DARK}:1:")
    assert problem.what == f"it is not in the file of the default mode, {LIGHT}"
    assert problem.what_to_do == "add it there, or remove it here"


def test_a_token_without_a_value_in_another_mode_is_not_reported():
    assert problems_of_modes(["a", "new"], ["a"]) == []


def test_tokens_of_an_unreadable_default_file_are_not_reported():
    files = {LIGHT: b"{", DARK: json.dumps({"color": {"a": {"$type": "number", "$value": 1}}}).encode()}
    files["ds.resolver.json"] = json.dumps(RESOLVER).encode()
    assert [each.code for each in read(files, FILE)[1]] == ["tokens-malformed"]


@pytest.mark.parametrize("name", ["base", "bases"])
def test_an_override_of_a_token_that_is_gone_is_to_be_removed(name):
    """Every token without an override looks like the missing one under another name."""
    root = Path(__file__).parents[2] / "examples/write-back/tokens"
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.json")}
    for mode in ("light", "dark"):
        tree = json.loads(files[f"tideline/theme/{mode}.tokens.json"])
        accent = tree["theme"]["accent"]
        accent["bases"] = accent.pop("base")
        if name == "base":
            del accent["bases"]
        files[f"tideline/theme/{mode}.tokens.json"] = json.dumps(tree).encode()
    (problem,) = (each for each in read(files, "tideline")[1] if each.code == "token-in-one-mode")
    assert problem.where.startswith("tideline/theme-weekend/light.tokens.json:11:")
    assert problem.where.endswith("(#/theme/accent/base)")
    default = "tideline/theme/light.tokens.json"
    assert problem.what == f"theme-weekend overrides this token, but {default} does not have it"
    assert problem.what_to_do == "remove this override, or give it the new name of a renamed token"
