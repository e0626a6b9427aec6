"""Phrases that made readers stop are in no page, message or example."""

from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PHRASES = (
    "runs without an account and",
    "until then, anyone can register",
    "the core has 17 packages with",
    "makes no change twice",
    "leaves commits of yours alone",
    "if there are none, and with 2 without",
    "code syntax if the designer has set it",
    "at most twice the floor",
    "it does not ask for the url if",
    "so that the two do not mix",
    "what is left is yours",
    "empty to start so",
    "it had to build",
    "then discard the outputs, at every attempt",
    "it does not check the commits before",
    "as long as git has not merged",
    "in workflows, also unattended",
    "also if somebody amends",
    "is no such commit",
    "the lock of an apply goes back",
    "after a second push in between",
    "has no tokens that its modes do not change",
    "a part of a file is no token",
    "that no design file has",
    "so it has another one",
)


FOLDERS = ("docs", "examples", "npm", "packaging", "templates", "tokensync")
KINDS = ("*.html", "*.js", "*.md", "*.py")


@pytest.fixture(scope="module")
def texts():
    """The text of each file that a reader meets, in lower case and without line breaks, by its path."""
    files = chain(ROOT.glob("*.md"), *((ROOT / folder).rglob(kind) for folder in FOLDERS for kind in KINDS))
    return {
        str(file.relative_to(ROOT)): " ".join(file.read_text("utf-8").lower().split())
        for file in files
        if file.name != "CHANGELOG.md" and "node_modules" not in file.parts
    }


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_that_stopped_readers_is_gone(texts, phrase):
    assert [path for path, text in texts.items() if phrase in text] == []
