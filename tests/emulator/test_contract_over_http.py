"""The reading rows of the contract over HTTP, from a server on this machine."""

import pytest
from emulator.contract.http import send_to
from emulator.contract.rows import check, no_setup, standard
from emulator.platform import OPENED, Platform
from emulator.test_contract import LIVE

from tokensync.emulator.server import Server


@pytest.fixture(scope="module")
def served():
    """Yield the address of a platform, and the names that rows use."""
    platform = Platform()
    OPENED.remove(platform.emulator)  # it is wanted by all of these tests
    with Server(platform.emulator) as server:
        yield server.base_url, standard(platform)
    platform.emulator.close()


@pytest.mark.parametrize("row", LIVE, ids=lambda row: row.name)
def test_a_request_over_http_is_answered_as_in_its_row(served, row):
    base_url, names = served
    check(row, send_to(base_url, row, names))


def test_rows_for_the_real_service_change_nothing_and_need_no_state():
    assert LIVE
    assert {row.request.method for row in LIVE} == {"GET"}
    assert {row.setup for row in LIVE} == {no_setup}
