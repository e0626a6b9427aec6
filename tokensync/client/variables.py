"""The variables endpoints (platform-api.md 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.client import file_reference
from tokensync.client.request import Request
from tokensync.errors import RequestError

if TYPE_CHECKING:
    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session

READ = "file_variables:read"
WRITE = "file_variables:write"

LARGEST_BODY = 4 * 1024 * 1024
"""In bytes: what "4 MB" (platform-api.md 4.3 rule 3) means at most, so that a body over it is certainly refused."""


class Variables:
    """Reads and writes the variables of a file. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def local(self, file: FileReference | str) -> bytes:
        """The JSON of the file's (or branch's) local variables and the remote ones that it uses."""
        return self._session.send(Request("GET", f"{_path(_reference(file).working_key)}/local", READ))

    def published(self, file: FileReference | str) -> bytes:
        """The JSON of the published variables, of the main file also where the reference is to a branch."""
        return self._session.send(
            Request("GET", f"{_path(_reference(file).main_key)}/published", READ, main_file_only=True)
        )

    def post(self, file: FileReference | str, body: bytes) -> bytes:
        """Sends one atomic batch of changes, once; the JSON of the answer maps temporary ids to real ones.

        After an error whose ``outcome_unknown`` is true the batch may have been carried out: read the file back first.
        """
        request = Request("POST", _path(_reference(file).working_key), WRITE, body)
        if len(body) > LARGEST_BODY:
            raise RequestError(
                f"{self._session.where(request)}: the batch is {len(body):,} bytes, and the platform takes "
                f"{LARGEST_BODY:,} at most; send it in smaller batches",
                413,
            )
        return self._session.send(request)


def _reference(file: FileReference | str) -> FileReference:
    return file_reference.parse(file) if isinstance(file, str) else file


def _path(key: str) -> str:
    return f"v1/files/{key}/variables"
