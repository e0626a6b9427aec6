"""Give every test its own working folder and an environment without the user's settings."""

import os

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name in os.environ:
        if name.startswith(("TOKENSYNC_", "FIGMA_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path
