"""docs/authentication.md shows what its commands print, and names what is really there."""

import sys

import pytest
from shown_commands import ROOT, differences

from tokensync.commands import auth
from tokensync.emulator.apps import DRAFT, PUBLISHED_PRIVATE, PUBLISHED_PUBLIC, RE_REVIEW, UNDER_REVIEW
from tokensync.extract.client.credentials import VARIABLES
from tokensync.system.child import CLIENT_SECRET_VARIABLE

PAGE = (ROOT / "docs" / "authentication.md").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="the page's commands are a shell's")
def test_the_commands_behave_as_the_page_shows(tmp_path):
    assert differences(PAGE, tmp_path) == []


def test_the_page_names_every_variable_and_default():
    for name in (*(name for name, _ in VARIABLES), auth.CLIENT_ID_VARIABLE, CLIENT_SECRET_VARIABLE):
        assert f"`{name}`" in PAGE or f"export {name}=" in PAGE
    for text in (auth.REDIRECT_URL, *auth.SCOPES):
        assert f"`{text}`" in PAGE


def test_the_page_names_every_state_of_an_app():
    for state in (DRAFT, PUBLISHED_PRIVATE, PUBLISHED_PUBLIC, RE_REVIEW, UNDER_REVIEW):
        assert f"\n| {state} | " in PAGE
