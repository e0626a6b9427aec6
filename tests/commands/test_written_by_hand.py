"""What people write by hand, and how much of it changes: references, groups that extend others, and large reviews."""

import json
from pathlib import Path

import pytest
from commands.projects import output, project_in, pulled_in, tokensync

RED = {"colorSpace": "srgb", "components": [1, 0, 0]}
TOKENS = Path("tokens/one/c/value.tokens.json")


def written(tokens, *more):
    """A project whose only token file has these tokens."""
    project_in(Path(), outputs=output("css", "web"))
    TOKENS.parent.mkdir(parents=True, exist_ok=True)
    TOKENS.write_text(json.dumps({"c": tokens}), encoding="utf-8")
    return tokensync("build", *more)


def test_a_group_that_refers_to_another_is_the_same_as_one_that_extends_it(folder):
    base = {"$type": "color", "a": {"$value": RED}}
    texts = []
    for reference in ({"$ref": "#/c/base"}, {"$extends": "{c.base}"}):
        own = {"b": {"$type": "color", "$value": RED}}
        done = written({"base": base, "x": reference | own})
        assert "error" not in done.stderr
        texts.append(Path("web/tokens.css").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert "--x-a" in texts[0]
    assert "--x-b" in texts[0]


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ({"$value": "{c.nope}"}, "no such token: {c.nope}"),
        ({"$value": "{c.group}"}, "{c.group} names a group; write {c.group.$root}"),
        ({"$value": "{ c.a }"}, "c.a"),
        ({"$ref": "other.json#/c/x"}, "other.json"),
    ],
)
def test_a_wrong_reference_of_a_token_without_a_type_is_reported_and_not_the_type(folder, token, message):
    project_in(folder, outputs=output("css", "web"))
    TOKENS.parent.mkdir(parents=True)
    color = {"$type": "color", "$value": RED}
    tokens = {"a": color, "group": {"$root": color, "b": color}, "wrong": token}
    TOKENS.write_text(json.dumps({"c": tokens}), encoding="utf-8")
    errors = [each for each in tokensync("build", code=1).stderr.splitlines() if each.startswith("error:")]
    assert any(message in each for each in errors), errors
    assert not any("has no type" in each for each in errors), errors


def test_a_review_of_thousands_of_changes_fits_into_a_comment(folder):
    """GitHub refuses comments of more than 65,536 characters."""
    pulled_in(folder, {f"tone/{number}": ("#112233", "#445566") for number in range(3000)})
    for mode in ("light", "dark"):
        path = Path(f"tokens/one/theme/{mode}.tokens.json")
        document = json.loads(path.read_text(encoding="utf-8"))
        for token in document["theme"]["tone"].values():
            token["$value"] = RED
        path.write_text(json.dumps(document), encoding="utf-8")
    for command, code in ((("diff", "lock", "tokens"), 3), (("plan",), 0)):
        text = tokensync(*command, "--format", "markdown", code=code).output
        assert "more" in text
        assert 10_000 < len(text) <= 65_536
