"""Fixtures and settings for all rooms."""

import os

from hypothesis import settings

pytest_plugins = ["checkers", "outside.counts", "outside.graphs"]

# How long an example takes depends on what else the machine does; in CI every run tries the same examples.
settings.register_profile("tokensync", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tokensync")
