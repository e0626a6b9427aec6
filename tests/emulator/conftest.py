"""Every emulator that a test starts is closed after it."""

import pytest
from emulator.platform import OPENED


@pytest.fixture(autouse=True)
def _close_emulators():
    yield
    while OPENED:
        OPENED.pop().close()
