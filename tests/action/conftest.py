"""Fixtures of the action's tests."""

import pytest
from action.github import served
from action.nights import Harbor


@pytest.fixture
def github(tmp_path):
    with served(tmp_path / "server") as github:
        yield github


@pytest.fixture
def harbor(github, tmp_path, monkeypatch, capsys):
    for name in ("GITHUB_ACTIONS", "TOKENSYNC_BASE_URL", "FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN", "FIGMA_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return Harbor(github, tmp_path, monkeypatch, capsys)
