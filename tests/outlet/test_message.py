"""Messages of commits hold no comments, trailers, references or switches but what their reader sees as text."""

from __future__ import annotations

import subprocess

import pytest
from ci_runners import commands
from forge_rules import read_in_text
from outlet.hostile_texts import FOREIGN

from tokensync.outlet.message import message


def trailers(text: str) -> str:
    command = ["git", "interpret-trailers", "--parse"]
    return subprocess.run(command, input=text.encode(), check=True, capture_output=True).stdout.decode()


def cleaned(text: str) -> str:
    """What git makes of a message that was edited."""
    command = ["git", "stripspace", "--strip-comments"]
    return subprocess.run(command, input=text.encode(), check=True, capture_output=True).stdout.decode()


def test_git_finds_a_trailer_and_a_comment_where_there_is_one():
    assert trailers("a\n\nCo-authored-by: x <x@example.com>\n")
    assert cleaned("a\n\n# b\n") == "a\n"


@pytest.mark.parametrize("foreign", FOREIGN, ids=ascii)
def test_foreign_texts_mean_nothing(foreign):
    leads = ("+ ", "- ", "~ ", "  * ")
    text = message(foreign, [[(lead, foreign) for lead in leads], [("  * ", foreign)]])
    assert read_in_text(text) == []
    assert trailers(text) == ""
    assert cleaned(text) == text.rstrip() + "\n"
    assert commands(text) == []
    subject, empty, *body = text.splitlines()
    assert len(subject) <= 72
    assert empty == ""
    assert len(body) == 5


def test_usual_texts_stay_as_they_are():
    text = message("1 changed", [[("~ ", "theme / gray-500"), ("  * ", "in dark: #0b6e7a -> 16")]])
    assert text == "Update design tokens: 1 changed\n\n~ theme / gray-500\n  * in dark: #0b6e7a -> 16\n"


def test_a_long_body_is_cut_at_whole_changes_with_a_count():
    text = message("many", [[("+ ", f"token {at}"), ("  * ", "日" * 50)] for at in range(5000)], 11)
    lines = text.splitlines()
    shown = sum(line.startswith("+ ") for line in lines)
    assert len(text) < 21_000
    assert lines[-1] == f"… and {5011 - shown:,} more"
    assert lines[-2].startswith("  * ")


def test_a_message_without_changes_is_a_subject():
    assert message("no changes", []) == "Update design tokens: no changes"


def test_names_that_mention_nobody_stay_readable():
    kept = "icon@24 and #11223344"
    assert kept in message("x", [[("~ ", kept)]])
