"""Give every test its own working folder, an environment without the user's settings, and a project on request."""

import os
import subprocess

import pytest
from commands.projects import pulled_in


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name in os.environ:
        if name.startswith(("TOKENSYNC_", "FIGMA_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def project(folder):
    """A project with three colours, pulled."""
    return pulled_in(folder)


@pytest.fixture
def repository(folder):
    subprocess.run(["git", "init", "-q"], check=True)
    return folder
