"""``merge-file`` merges three versions of a token file, a resolver document or the lock, as git calls it."""

import json
import random
import shlex
from pathlib import Path

import pytest
from commands.projects import tokensync
from commands.repositories import git

from tokensync.commands.merge_file import merged_text

TOKENS, RESOLVER, LOCK = "tokens/one/theme/light.tokens.json", "tokens/one.resolver.json", "tokensync.lock"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def merged(base, ours, theirs, path=TOKENS, *, code=0):
    """Return the merge of trees or texts, and stderr."""
    for name, content in (("base", base), ("ours", ours), ("theirs", theirs)):
        text = content if isinstance(content, str) else json.dumps(content, indent=2) + "\n"
        Path(name).write_text(text, encoding="utf-8")
    done = tokensync("merge-file", "base", "ours", "theirs", path, code=code)
    return Path("ours").read_text("utf-8"), done.stderr


def color(value, **more):
    return {"$type": "color", "$value": value, **more}


def theme(**tokens):
    return {"theme": tokens}


A, B, C = (color(f"{{core.{name}}}") for name in "abc")


@pytest.mark.parametrize(
    ("base", "one", "two", "expected"),
    [
        (theme(a=A), theme(a=A, b=B), theme(a=A, c=C), theme(a=A, b=B, c=C)),
        (theme(a=A), theme(b=B, a=A), theme(a=A, c=C), theme(b=B, a=A, c=C)),
        (theme(a=A, b=B), theme(a=A), theme(a=A, b=B, c=C), theme(a=A, c=C)),
        (theme(a=A, b=B), theme(b=B, a=A), theme(a=C, b=B), theme(b=B, a=C)),
        (theme(a=A), theme(a={**A, "$description": "x"}), theme(a=B), theme(a={**B, "$description": "x"})),
        (theme(g={"a": A}), theme(g={"a": A, "b": B}), theme(g={"c": C}), theme(g={"b": B, "c": C})),
        (theme(after={"x": A}), theme(after={"x": A, "y": A}), theme(after={"x": B}), theme(after={"x": B, "y": A})),
        ("", theme(a=A), theme(a=A, b=B), theme(a=A, b=B)),
        (
            theme(a=A),
            theme(a={"$type": "number", "$value": 1}),
            theme(a=A, b=B),
            theme(a={"$type": "number", "$value": 1}, b=B),
        ),
    ],
)
def test_changes_of_both_sides_are_merged_the_same_way_in_either_order(base, one, two, expected):
    first, _ = merged(base, one, two)
    assert json.dumps(json.loads(first)) == json.dumps(expected)
    assert merged(base, two, one)[0] == first


FALSE, ZERO, ONE = (color(value) for value in (False, 0, 1))


@pytest.mark.parametrize(
    ("base", "one", "two", "pointer"),
    [
        (theme(a=A), theme(a=B), theme(a=C), "#/theme/a/$value"),
        (theme(a=A, z=A), theme(z=A), theme(a=C, z=A), "#/theme/a"),
        (theme(), theme(a=B), theme(a=C), "#/theme/a/$value"),
        (theme(), theme(a=B), theme(a={"b": B}), "#/theme/a"),
        (theme(a=A), theme(a={"$type": "number", "$value": 1}), theme(a=B), "#/theme/a"),
        (theme(a=ZERO), theme(a=FALSE), theme(a=ONE), "#/theme/a/$value"),
        (theme(after={"x": A}), theme(after={"x": B}), theme(after={"x": C}), "#/theme/after/x/$value"),
        (
            theme(a=color({"x": 1, "y": 1})),
            theme(a=color({"x": 2, "y": 1})),
            theme(a=color({"x": 1, "y": 2})),
            "#/theme/a/$value",
        ),
    ],
)
def test_what_both_sides_changed_differently_is_left_to_the_user(base, one, two, pointer):
    for ours, theirs in ((one, two), (two, one)):
        text, stderr = merged(base, {**ours, "own": {}}, {**theirs, "other": {}}, code=1)
        assert f"error: {TOKENS} ({pointer}): both branches changed this differently; edit the file" in stderr
        assert text.count("<<<<<<< ours\n") == text.count(">>>>>>> theirs\n") >= 1
        for side, number in ((ours, 0), (theirs, 1)):
            assert json.loads(side_of(text, number)) == {**side, "own": {}, "other": {}}


def side_of(text, number):
    """Return a text as one side of its conflicts has it."""
    head, *rest = text.split("<<<<<<< ours\n")
    for conflict in rest:
        inside, tail = conflict.split(">>>>>>> theirs\n")
        head += inside.split("=======\n")[number] + tail
    return head


@pytest.mark.parametrize("broken", ["{", "[]", '{"a": 1, "a": 2}', "[" * 30_000])
@pytest.mark.parametrize("side", [1, 2])
def test_a_version_that_cannot_be_read_is_left_between_marks(broken, side):
    versions = [theme(a=A), theme(a=B), theme(a=C)]
    versions[side] = broken
    text, stderr = merged(*versions, code=1)
    assert stderr.startswith(f"error: {TOKENS}")
    assert side_of(text, side - 1) == f"{broken}\n"


def test_a_version_that_is_nested_too_deeply_for_a_merge_is_left_between_marks():
    base, ours, theirs = ('{"a":' * 19_000 + f"{leaf}" + "}" * 19_000 for leaf in range(3))
    text, stderr = merged(base, ours, theirs, code=1)
    assert stderr.startswith(f"error: {TOKENS}: the file has conflict marks of git")
    assert side_of(text, 0) == f"{ours}\n"


def test_resolver_documents_get_the_modes_and_collections_of_both_sides():
    def document(*handles, **contexts):
        own = {name: [{"$ref": path}] for name, path in contexts.items()}
        order = [{"$ref": f"#/modifiers/{handle}"} for handle in handles]
        return {"version": "2025.10", "modifiers": {"theme": {"contexts": own}}, "resolutionOrder": order}

    base, one = document("theme", light="l"), document("theme", "space", light="l", dark="d")
    two = document("theme", "motion", light="l", contrast="c")
    text, _ = merged(base, one, two, RESOLVER)
    assert json.loads(text) == document("theme", "motion", "space", light="l", contrast="c", dark="d")
    assert json.loads(merged(base, two, one, RESOLVER)[0]) == json.loads(text)


def facts(*lines):
    return "".join(f"{json.dumps(['one', 'theme', *line], separators=(',', ':'))}\n" for line in sorted(lines))


def test_a_lock_gets_the_facts_of_both_sides_and_stays_whole_on_each_side_of_a_conflict():
    base = [("a", "type", "color"), ("b", "type", "color")]
    one, two = [*base, ("c", "type", "color")], [base[0], ("d", "type", "color")]
    text, _ = merged(facts(*base), facts(*one), facts(*two), LOCK)
    assert text == facts(base[0], one[-1], two[-1])
    assert merged(facts(*base), facts(*two), facts(*one), LOCK)[0] == text
    ours, theirs = facts(("a", "type", "number"), *one[1:]), facts(("a", "type", "string"), *two[1:])
    text, stderr = merged(facts(*base), ours, theirs, LOCK, code=1)
    assert f"error: {LOCK}: both branches changed the same facts" in stderr
    assert (side_of(text, 0), side_of(text, 1)) == (ours, theirs)
    text, _ = merged(facts(*base), "no fact\n", theirs, LOCK, code=1)
    assert (side_of(text, 0), side_of(text, 1)) == ("no fact\n", theirs)


@pytest.mark.parametrize("seed", range(40))
def test_any_edits_lead_to_one_state_in_either_order(seed):
    """Nothing that one side has added is lost, and nothing that one side has removed comes back."""
    chance = random.Random(seed)

    def edited(tree, prefix):
        names = [name for name in tree if chance.random() < 0.7]
        if chance.random() < 0.5:
            chance.shuffle(names)
        for number in range(chance.randrange(4)):
            names.insert(chance.randrange(len(names) + 1), f"{prefix}{number}")
        return {name: tree.get(name, A) for name in names}

    base = {f"t{number}": A for number in range(8)}
    one, two = edited(base, "x"), edited(base, "y")
    texts = [json.dumps({"theme": tree}, indent=2).encode() for tree in (base, one, two)]
    content, problems = merged_text(TOKENS, *texts)
    assert problems == ()
    wanted = (one.keys() & two.keys()) | ((one.keys() | two.keys()) - base.keys())
    assert json.loads(content).get("theme", {}).keys() == wanted
    assert merged_text(TOKENS, texts[0], texts[2], texts[1])[0] == content


def test_init_names_the_driver_in_attributes_and_prints_the_line_that_configures_it():
    git("init", "-q")
    line = tokensync("init", "--yes").stderr.splitlines()[-1].strip()
    assert "tokensync merge-file" not in git("config", "--list").stdout  # no checkout chooses commands that git runs
    git(*shlex.split(line)[1:])
    assert git("config", "merge.tokensync.driver").stdout == "tokensync merge-file %O %A %B %P\n"
    for path in (TOKENS, RESOLVER, LOCK):
        assert git("check-attr", "merge", path).stdout == f"{path}: merge: tokensync\n"
