"""Fixtures of this room."""

import pytest
from corpus.trial import Trial


@pytest.fixture
def trial(tmp_path):
    """A folder for one snapshot and its outputs."""
    return Trial(tmp_path)
