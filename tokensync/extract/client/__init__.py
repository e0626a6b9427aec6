"""Client of the REST API: credentials, base URLs, file references, endpoints, retries and errors.

Importing this package is cheap: requests is loaded when a ``Client`` is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from tokensync.extract.client.addresses import NAMED, BaseUrl, FileReference, parse_file, resolve
from tokensync.extract.client.credentials import Credential, Renew, from_environment, required_from_environment
from tokensync.extract.client.groups import (
    Analytics,
    DeveloperLogs,
    DevResources,
    Discovery,
    Files,
    Folders,
    OAuth,
    Projects,
    Users,
    Variables,
    Webhooks,
)
from tokensync.extract.client.responses import REQUESTS_A_MINUTE, Answer, Clock, Lost, Pace, RetryPolicy, Wait
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from wsgiref.types import WSGIApplication

    from tokensync.extract.client.endpoints import Endpoint, Page, Request

__all__ = [
    "BaseUrl",
    "Client",
    "Clock",
    "Credential",
    "FileReference",
    "RetryPolicy",
    "Wait",
    "from_environment",
    "parse_file",
    "required_from_environment",
]


class Client:
    """A client of the platform at ``base_url``. With ``wsgi``, requests go to that application in this process instead.

    Timeouts are in seconds. ``read_timeout`` limits the wait between two reads, ``whole_timeout`` the whole response,
    and ``largest_answer`` its decompressed bytes. ``on_wait`` is called before each retry. ``renew`` is called when the
    platform refuses the token, and returns another one.
    """

    def __init__(
        self,
        base_url: str,
        credential: Credential,
        *,
        wsgi: WSGIApplication | None = None,
        connect_timeout: float = 10.0,
        read_timeout: float = 60.0,
        whole_timeout: float = 600.0,
        largest_answer: int = 512 * 1024 * 1024,
        retry: RetryPolicy | None = None,
        on_wait: Callable[[Wait], None] | None = None,
        clock: Clock | None = None,
        renew: Renew | None = None,
    ) -> None:
        base = resolve(base_url)
        if base.in_process and wsgi is None:
            raise UsageError(
                "base_url: emulator: works only in commands that start the emulator; use figma or a URL here"
            )
        # Imported here: requests takes longer to load than an offline command to run.
        from tokensync.extract.client.session import Bounds, Session, Transport

        clock = clock or Clock()
        bounds = Bounds(connect_timeout, read_timeout, whole_timeout, largest_answer)
        self._transport = Transport(base, credential, wsgi, bounds, clock)
        # Variables are for Enterprise alone; an emulator or another server has other limits, or none.
        pace = Pace(REQUESTS_A_MINUTE["enterprise"] if base.url in NAMED.values() else (0, 0, 0))
        session = Session(self._transport, base, credential, retry or RetryPolicy(), on_wait, clock, renew, pace)
        self._session = session
        self.analytics = Analytics(session)
        self.files = Files(session)
        self.folders = Folders(session)
        self.oauth = OAuth(session)
        self.projects = Projects(session)
        self.dev_resources = DevResources(session)
        self.developer_logs = DeveloperLogs(session)
        self.discovery = Discovery(session)
        self.users = Users(session)
        self.variables = Variables(session)
        self.webhooks = Webhooks(session)

    def call(self, endpoint: Endpoint, /, **values: Any) -> bytes:
        """Call an endpoint of ``client.endpoints`` with its parameters by name, and return the raw body."""
        return self._session.send(endpoint.request(values))

    def call_without_waiting(self, endpoint: Endpoint, /, **values: Any) -> bytes:
        """Call an endpoint as ``call`` does, but repeat no request: a failure that may pass is raised at once."""
        return self._session.send(endpoint.request(values), waits=False)

    def exchange(self, request: Request, *, with_token: bool = True) -> Answer | Lost:
        """Send a request once, and return what came back, whatever its status."""
        return self._transport.attempt(request, with_token=with_token)

    def pages(self, endpoint: Endpoint, /, **values: Any) -> Iterator[Page]:
        """Yield the decoded pages of an endpoint; a single one if it is not paginated."""
        return self._session.pages(endpoint, values)

    def rows(self, endpoint: Endpoint, /, **values: Any) -> Iterator[Any]:
        """Yield the decoded rows of all pages. Raise ServerError for a page without a list."""
        return self._session.rows(endpoint, values, Any)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
