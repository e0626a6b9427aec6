"""The addresses that other answers name as pictures. They are this emulator's own, and need no token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.documents import pictures
from tokensync.emulator.endpoints.answers import Answer
from tokensync.emulator.endpoints.refusal import Refusal
from tokensync.emulator.endpoints.route import Route
from tokensync.emulator.filing import files

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read(call: Call, of: str, name: str) -> Answer:
    """A picture of a file, or of what layers of any file are filled with."""
    if of != pictures.FILLS and files.find(call.connection, of) is None:
        raise Refusal(404, "Picture not found")
    content, content_type = pictures.picture(name)
    return Answer(content, content_type=content_type)


ROUTES: Final = (Route("GET", "/pictures/<of>/<name>", read),)
