"""The variables endpoints (Figma REST API: Variables)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.client import file_reference
from tokensync.client.endpoint import BODY, Endpoint, Parameter, path
from tokensync.errors import RequestError

if TYPE_CHECKING:
    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session


LARGEST_BODY = 4 * 1024 * 1024
"""The largest body in bytes: the most that the documented "4 MB" can mean, so a larger one is certainly refused."""

_FILE: Final = path("file_key", "key of a file or branch")

LOCAL: Final = Endpoint(
    "variables",
    "local",
    "GET",
    "v1/files/{file_key}/variables/local",
    "The local variables of a file, and the remote ones that it uses.",
    ("file_variables:read",),
    2,
    (_FILE,),
)
PUBLISHED: Final = Endpoint(
    "variables",
    "published",
    "GET",
    "v1/files/{file_key}/variables/published",
    "The variables that a file publishes as a library.",
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
    "Create, update and delete collections, modes, variables and values, all or nothing.",
    ("file_variables:write",),
    3,
    (_FILE, Parameter("body", "the changes, in up to four arrays", BODY, "json", required=True)),
    raw_body=True,
)
ENDPOINTS: Final = (LOCAL, PUBLISHED, POST)


class Variables:
    """Reads and writes the variables of a file. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def local(self, file: FileReference | str) -> bytes:
        """The JSON of the file's (or branch's) local variables and the remote ones that it uses."""
        return self._session.send(LOCAL.request({"file_key": file_reference.of(file).working_key}))

    def published(self, file: FileReference | str) -> bytes:
        """The JSON of the published variables, of the main file also where the reference is to a branch."""
        return self._session.send(PUBLISHED.request({"file_key": file_reference.of(file).main_key}))

    def post(self, file: FileReference | str, body: bytes) -> bytes:
        """Sends one atomic batch of changes, once; the JSON of the answer maps temporary ids to real ones.

        After an error whose ``outcome_unknown`` is true the batch may have been carried out: read the file back first.
        """
        request = POST.request({"file_key": file_reference.of(file).working_key, "body": body})
        if len(body) > LARGEST_BODY:
            raise RequestError(
                f"{self._session.where(request)}: the batch is {len(body):,} bytes, and the platform takes "
                f"{LARGEST_BODY:,} at most; send it in smaller batches",
                413,
            )
        return self._session.send(request)
