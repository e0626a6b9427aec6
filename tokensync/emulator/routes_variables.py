"""GET local, GET published and POST variables, as requests and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator import access, tokens
from tokensync.emulator.body import decode
from tokensync.emulator.limits import BODY_BYTES
from tokensync.emulator.refusal import Refusal, invalid
from tokensync.emulator.route import Route
from tokensync.emulator.variables import reading, writing

if TYPE_CHECKING:
    from tokensync.emulator.route import Call


def read_local(call: Call, file_key: str) -> bytes:
    """Tier 2, file_variables:read; a main file or a branch."""
    file = access.variables_file(call.connection, call.credentials, call.now, file_key, tokens.READ_VARIABLES)
    return reading.local(call.connection, file.number)


def read_published(call: Call, file_key: str) -> bytes:
    """Tier 2, file_variables:read; a main file only."""
    file = access.variables_file(call.connection, call.credentials, call.now, file_key, tokens.READ_VARIABLES)
    if file.main is not None:
        raise invalid("File key must be the key of a main file, not of a branch")
    return reading.published(call.connection, file.number)


def write(call: Call, file_key: str) -> bytes:
    """Tier 3, file_variables:write; a design file or a branch of one."""
    file = access.variables_file(call.connection, call.credentials, call.now, file_key, tokens.WRITE_VARIABLES)
    if call.body is None:
        raise Refusal(413, f"Request body is larger than {BODY_BYTES // 1024**2} MB")
    made = writing.post(call.connection, file, call.identities, decode(call.body))
    answer: dict[str, Any] = {"status": 200, "error": False, "meta": {"tempIdToRealId": made}}
    return msgspec.json.encode(answer)


ROUTES: Final = (
    Route("GET", "/v1/files/<file_key>/variables/local", read_local),
    Route("GET", "/v1/files/<file_key>/variables/published", read_published),
    Route("POST", "/v1/files/<file_key>/variables", write),
)
