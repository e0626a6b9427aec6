"""Commands that messages suggest can be pasted into the shells of the system."""

import os
import shlex

import pytest

from tokensync.system.wording import argument


@pytest.mark.parametrize("text", ["a.json", "two words", "it's", 'a "b"', "$(id)", "a\\b c", "", "-x;y", "*"])
def test_an_argument_is_one_word_of_a_posix_shell(text):
    assert shlex.split(argument(text)) == [text]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a.json", "a.json"),
        ("two words", '"two words"'),
        (".tokensync\\plan.json", '".tokensync\\plan.json"'),
        ("a & b", '"a & b"'),
        ("it's", '"it\'s"'),
        ("$(calc)", "'$(calc)'"),
        ("`calc`", "'`calc`'"),
        ("C:\\my folder\\", "'C:\\my folder\\'"),
    ],
)
def test_on_windows_it_is_one_word_of_powershell_and_where_possible_of_cmd(monkeypatch, text, shown):
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        assert argument(text) == shown
