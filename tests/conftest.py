"""Fixtures and settings for all rooms."""

import os

import pytest
from hypothesis import settings

pytest_plugins = ["checkers", "outside.counts", "outside.graphs"]

# How long an example takes depends on what else the machine does; in CI every run tries the same examples.
settings.register_profile("tokensync", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tokensync")


@pytest.fixture(autouse=True, scope="session")
def _no_logins_of_the_users(tmp_path_factory):
    """Commands find no login of the person who runs the tests, and leave none behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        for settings_folder in ("XDG_CONFIG_HOME", "APPDATA"):
            patch.setenv(settings_folder, str(tmp_path_factory.mktemp("settings")))
        yield
