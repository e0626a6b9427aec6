"""Unsupported token types: ignored, reported or an error, as configured by output."""

import json

import pytest
from commands.projects import files_in, output, project_in, tokensync

from tokensync.generate.output import as_configured
from tokensync.problems import problem

STOPS = [{"color": {"colorSpace": "srgb", "components": [each] * 3}, "position": each} for each in (0, 1)]


def built(folder, policy, code=0):
    """Build Android from a gradient in two modes and a number, and return the messages."""
    project_in(folder, outputs=output("android", "out", *([f'unsupported = "{policy}"'] if policy else [])))
    for mode, stops in (("light", STOPS), ("dark", STOPS[::-1])):
        tokens = {"wide": {"$type": "gradient", "$value": stops}, "count": {"$type": "number", "$value": 1}}
        path = folder / "tokens" / "one" / "theme" / f"{mode}.tokens.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"theme": tokens}), encoding="utf-8")
    return tokensync("build", code=code).stderr


@pytest.mark.parametrize("policy", [None, "warn"])
def test_an_unsupported_type_is_one_warning_per_token(folder, policy):
    messages = built(folder, policy)
    assert messages.count("[type-unsupported]") == 1
    assert "warning: theme / wide: android does not support tokens of type gradient" in messages
    assert files_in(folder / "out")


def test_ignored_types_are_not_reported(folder):
    assert "unsupported" not in built(folder, "ignore")
    assert files_in(folder / "out")


def test_raised_it_stops_the_build_before_anything_is_written(folder):
    assert "error: theme / wide: android does not support tokens of type gradient" in built(folder, "raise", code=1)
    assert not (folder / "out").exists()
    assert not (folder / "tokensync.outputs.json").exists()


def test_another_word_is_refused(folder):
    assert "unknown value 'stop'" in built(folder, "stop", code=2)


@pytest.mark.parametrize(
    ("policy", "severities"),
    [("ignore", ["warning"]), ("warn", ["warning", "note", "warning"]), ("raise", ["error", "error", "warning"])],
)
def test_types_and_modes_are_under_it_and_nothing_else_is(policy, severities):
    found = [
        problem(code, "here", "what", "do") for code in ("type-unsupported", "theme-unsupported", "unresolved-value")
    ]
    assert [each.severity for each in as_configured([*found, *found], policy)] == severities
