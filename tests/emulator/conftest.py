"""A platform for each test. Every emulator that a test starts is closed after it."""

import pytest
from emulator.platform import OPENED, Platform


@pytest.fixture(autouse=True)
def _close_emulators():
    yield
    while OPENED:
        OPENED.pop().close()


@pytest.fixture
def platform():
    return Platform()
