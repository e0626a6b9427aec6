"""A WSGI application as the other end of the session: no socket, the same requests and answers."""

from __future__ import annotations

import io
from http.client import responses as phrases
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

from requests.adapters import HTTPAdapter
from urllib3 import HTTPHeaderDict, HTTPResponse

from tokensync import outlet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import WSGIApplication

    from requests import PreparedRequest, Response


class WsgiAdapter(HTTPAdapter):
    """Sends every request to the application and reads its whole answer before it returns.

    An exception of the application passes through: it is a fault of the program in this process, not of a network.
    """

    def __init__(self, application: WSGIApplication) -> None:
        super().__init__()
        self._application = application

    def send(self, request: PreparedRequest, *_arguments: Any, **_options: Any) -> Response:
        """The application's answer; timeouts, certificates and proxies mean nothing here."""
        head = _Head()
        chunks: Iterable[bytes] = self._application(environment(request), head.start_response)
        try:
            body = b"".join(chunks)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()
        raw = HTTPResponse(
            body=io.BytesIO(b"".join(head.written) + body),
            headers=HTTPHeaderDict(head.headers),
            status=head.status,
            reason=phrases.get(head.status, ""),
            preload_content=False,
            request_method=request.method,
        )
        return self.build_response(request, raw)


class _Head:
    """Status line and headers as the application starts its answer."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: list[tuple[str, str]] = []
        self.written: list[bytes] = []

    def start_response(
        self, status: str, headers: list[tuple[str, str]], _exc_info: Any = None, /
    ) -> Callable[[bytes], object]:
        """WSGI's callback: nothing is sent yet, so a second call with an exception simply replaces the first."""
        self.status = int(status.split(" ", 1)[0])
        self.headers = headers
        return self.written.append


def environment(request: PreparedRequest) -> dict[str, Any]:
    """The WSGI environ of a prepared request, with the scheme of its URL (https for the emulator in process)."""
    parts = urlsplit(request.url or "")
    body = request.body or b""
    content = body.encode() if isinstance(body, str) else bytes(body)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method or "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(parts.path).decode("latin-1"),
        "QUERY_STRING": parts.query,
        "SERVER_NAME": parts.hostname or "",
        "SERVER_PORT": str(parts.port or (443 if parts.scheme == "https" else 80)),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(content)),
        "HTTP_HOST": parts.netloc,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": parts.scheme,
        "wsgi.input": io.BytesIO(content),
        "wsgi.errors": outlet.stderr(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in request.headers.items():
        variable = name.upper().replace("-", "_")
        if variable == "CONTENT_TYPE":
            environ["CONTENT_TYPE"] = value
        elif variable != "CONTENT_LENGTH":
            environ[f"HTTP_{variable}"] = value
    return environ
