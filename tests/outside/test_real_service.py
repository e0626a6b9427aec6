"""The real service keeps the contract that the emulator is held to: the rows that only read, with your own token.

FIGMA_ACCESS_TOKEN and TOKENSYNC_CONTRACT_FILE (the key of a design file) are needed, TOKENSYNC_CONTRACT_TEAM and
TOKENSYNC_CONTRACT_FOLDER (their ids) for the rows about a team and a folder; TOKENSYNC_CONTRACT_URL is another address.
"""

import os
import re

import pytest
from emulator.contract.http import send_to
from emulator.contract.rows import check, message
from emulator.test_contract import LIVE

pytestmark = pytest.mark.outside

NAMES = {
    "token": "FIGMA_ACCESS_TOKEN",
    "file": "TOKENSYNC_CONTRACT_FILE",
    "team": "TOKENSYNC_CONTRACT_TEAM",
    "folder": "TOKENSYNC_CONTRACT_FOLDER",
}
BASE_URL = os.environ.get("TOKENSYNC_CONTRACT_URL", "https://api.figma.com")


@pytest.mark.parametrize("row", LIVE, ids=lambda row: row.name)
def test_the_real_service_answers_as_expected_by_the_row(row):
    names = {name: os.environ[variable] for name, variable in NAMES.items() if os.environ.get(variable)}
    wanted = {"token", *re.findall(r"{(\w+)}", row.request.path)}
    if absent := sorted(NAMES[each] for each in wanted - set(names)):
        pytest.skip(f"the real service is not asked: set {', '.join(absent)}")
    answer = send_to(BASE_URL, row, names)
    if answer.status == 403 and row.status == 200:
        pytest.skip(f"the token may not ask this: {message(answer.body)}")
    # The documentation has the words of few messages only: any of the service's own are right here.
    check(row._replace(message=".*"), answer)
