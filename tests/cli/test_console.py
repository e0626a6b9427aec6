"""How the console writes what it is given."""

from __future__ import annotations

import os

import pytest

from tokensync.cli.console import from_here


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("{here}tokens/a.json:1:2 (#/a): it is bad", "tokens/a.json:1:2 (#/a): it is bad"),
        ("say in {here}tokensync.conflicts.toml which", "say in tokensync.conflicts.toml which"),
        ("({here}a.json)", "(a.json)"),
        ("/elsewhere{here}a.json", "/elsewhere{here}a.json"),
        ("in {here} itself", "in {here} itself"),
    ],
)
def test_paths_below_the_working_folder_are_written_from_there(folder, monkeypatch, text, then):
    monkeypatch.chdir(folder)
    here = os.path.join(os.getcwd(), "")
    assert from_here(text.format(here=here)) == then.format(here=here)
