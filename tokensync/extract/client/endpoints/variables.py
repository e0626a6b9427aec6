"""Variables (Figma REST API: Variables)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.extract.client import file_reference
from tokensync.extract.client.endpoint import BODY, Endpoint, Parameter, path
from tokensync.system.errors import RequestError

if TYPE_CHECKING:
    from tokensync.extract.client.file_reference import FileReference
    from tokensync.extract.client.session import Session


LARGEST_BODY = 4 * 1024 * 1024
"""The largest body in bytes. The documented limit is "4 MB"; this is the larger reading of it."""

_FILE: Final = path("file_key", "key of a file or branch")

LOCAL: Final = Endpoint(
    "variables",
    "local",
    "GET",
    "v1/files/{file_key}/variables/local",
    "List the local variables of a file and the remote ones in use.",
    ("file_variables:read",),
    2,
    (_FILE,),
)
PUBLISHED: Final = Endpoint(
    "variables",
    "published",
    "GET",
    "v1/files/{file_key}/variables/published",
    "List the variables that a file publishes.",
    ("file_variables:read",),
    2,
    (path("file_key", "key of a main file"),),
    main_file_only=True,
)
POST: Final = Endpoint(
    "variables",
    "post",
    "POST",
    "v1/files/{file_key}/variables",
    "Create, update and delete collections, modes, variables and values in one atomic batch.",
    ("file_variables:write",),
    3,
    (_FILE, Parameter("body", "changes, in up to four arrays", BODY, "json", required=True)),
    raw_body=True,
)
ENDPOINTS: Final = (LOCAL, PUBLISHED, POST)


class Variables:
    """Reads and writes the variables of a file. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def local(self, file: FileReference | str) -> bytes:
        """Return the JSON of a file's or branch's local variables and the remote ones in use."""
        return self._session.send(LOCAL.request({"file_key": file_reference.of(file).working_key}))

    def published(self, file: FileReference | str) -> bytes:
        """Return the JSON of the published variables of the main file, also for a branch."""
        return self._session.send(PUBLISHED.request({"file_key": file_reference.of(file).main_key}))

    def post(self, file: FileReference | str, body: bytes) -> bytes:
        """Send an atomic batch of changes once. Return JSON that maps temporary ids to real ones.

        After an error with ``outcome_unknown``, the platform may have applied the batch: read the file first. It is not
        sent again with a renewed token either (``token_renewed``).
        """
        request = POST.request({"file_key": file_reference.of(file).working_key, "body": body})
        if len(body) > LARGEST_BODY:
            raise RequestError(
                f"{self._session.where(request)}: the batch has {len(body):,} bytes, and the platform accepts "
                f"{LARGEST_BODY:,}; send smaller batches",
                413,
            )
        return self._session.send(request, once=True)
