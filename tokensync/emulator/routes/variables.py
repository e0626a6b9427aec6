"""GET local, GET published and POST variables, as requests and answers (platform-api.md 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.accounts.scopes import READ_VARIABLES, WRITE_VARIABLES
from tokensync.emulator.endpoints import access, body
from tokensync.emulator.endpoints.answers import in_envelope
from tokensync.emulator.endpoints.route import Route
from tokensync.emulator.filing import files
from tokensync.emulator.variables import reading, shapes, writing

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read_local(call: Call, file_key: str) -> bytes:
    """A main file or a branch."""
    return reading.local(call.connection, access.variables_file(call, file_key).number)


def read_published(call: Call, file_key: str) -> bytes:
    """A main file only."""
    file = access.variables_file(call, file_key)
    access.check_main(file)
    return reading.published(call.connection, file.number)


def write(call: Call, file_key: str) -> bytes:
    """A design file or a branch of one."""
    file = access.variables_file(call, file_key, writes=True)
    made = writing.post(call.connection, file, call.identities, body.read_object(call))
    files.touch(call.connection, file.number, call.now)
    return in_envelope({"tempIdToRealId": made})


ROUTES: Final = (
    Route(
        "GET",
        "/v1/files/<file_key>/variables/local",
        read_local,
        scopes=(READ_VARIABLES,),
        tier=2,
        gives=shapes.LOCAL,
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/variables/published",
        read_published,
        scopes=(READ_VARIABLES,),
        tier=2,
        gives=shapes.PUBLISHED,
    ),
    Route(
        "POST",
        "/v1/files/<file_key>/variables",
        write,
        scopes=(WRITE_VARIABLES,),
        tier=3,
        takes=shapes.CHANGES,
        gives=shapes.MADE,
    ),
)
