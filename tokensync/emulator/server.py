"""x"""

from __future__ import annotations

import logging
import re
import socket
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final, Self

from cheroot.makefile import MakeFile
from cheroot.server import HeaderReader, HTTPConnection, HTTPRequest
from cheroot.wsgi import Server as WsgiServer

from tokensync.emulator.apps import HTTPS_ONLY, is_loopback
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from wsgiref.types import WSGIApplication

    from tokensync.emulator.certificate import SelfSigned


HEAD_BYTES: Final = 256 * 1024
"""The longest head that is read."""

_FLAWED: Final = "Request body is not framed as HTTP wants it"
_CONTENT_LENGTH: Final = b"Content-Length"
_LENGTH: Final = re.compile(rb"[0-9]{1,18}")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_LONGEST_LINE: Final = 4096
_MOST_TRAILERS: Final = 100


class _Headers(HeaderReader):
    """Refuses a length that is no number in plain digits (int() takes signs and underscores, too), and a
    continuation of no header.
    """

    def __call__(self, rfile: Any, hdict: dict[bytes, bytes] | None = None) -> Any:
        try:
            headers = super().__call__(rfile, hdict)
        except UnboundLocalError:  # the first line continues one that is not there
            raise ValueError("Illegal header line.") from None
        if not _LENGTH.fullmatch(headers.get(_CONTENT_LENGTH, b"0")):
            raise ValueError(_FLAWED)
        return headers


class FramedRequest(HTTPRequest):
    """A request whose chunks are read by ``Chunks``."""

    header_reader = _Headers()

    def respond(self) -> None:
        """Have the application answer."""
        if not self.chunked_read:
            super().respond()
            return
        body = self.rfile = Chunks(self.conn.rfile, self._end_after_this)
        self.server.gateway(self).respond()
        if not body.over:
            self._end_after_this()
        if self.ready:
            self.ensure_headers_sent()
        if self.chunked_write:
            self.conn.wfile.write(b"0\r\n\r\n")

    def _end_after_this(self) -> None:
        """What follows a body that has no end, or was not read to its end, is no request."""
        self.close_connection = True


class Chunks:
    """The body of chunks that a connection's stream has next; where they are none, ``on_flaw`` is called, and it is a
    ValueError.

    A chunk is handed on as it comes and never kept as a whole, however long it says that it is.
    """

    def __init__(self, stream: IO[bytes], on_flaw: Callable[[], None]) -> None:
        self._stream = stream
        self._on_flaw = on_flaw
        self._left = 0
        self.over = False
        """Whether it was read to its end."""

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; none after the last chunk."""
        if self._left == 0 and not self.over:
            self._begin()
        if self.over:
            return b""
        found = self._stream.read(min(size, self._left))
        self._left -= len(found)
        if not found or (self._left == 0 and self._stream.read(2) != b"\r\n"):
            raise self._flaw()
        return found

    def _begin(self) -> None:
        """Read what stands before a chunk, and after the last one."""
        match = _CHUNK_SIZE.fullmatch(self._stream.readline(_LONGEST_LINE))
        if match is None:
            raise self._flaw()
        self._left = int(match[1], 16)
        if self._left == 0:
            for _ in range(_MOST_TRAILERS):
                if self._stream.readline(_LONGEST_LINE) in (b"\r\n", b""):
                    self.over = True
                    return
            raise self._flaw()

    def _flaw(self) -> ValueError:
        self._on_flaw()
        return ValueError(_FLAWED)


_THREADS: Final = 16
_IDLE_SECONDS: Final = 60
_LOOK_SECONDS: Final = 0.05
_PREPARED_SECONDS: Final = 10.0
_TLS_HANDSHAKE: Final = b"\x16"
"""How a TLS connection begins; no request of plain HTTP does."""

_logger = logging.getLogger(__name__)


class Server:
    """A bound address: connections are taken from now on, and answered by ``serve_forever`` or between ``with``.

    Port 0 is any free one. With ``tls`` it speaks HTTPS, with a certificate of its own. An address that is not to be
    had, or not this machine's own, is a UsageError.
    """

    def __init__(
        self, application: WSGIApplication, host: str = "127.0.0.1", port: int = 0, *, tls: bool = False
    ) -> None:
        if not is_loopback(host):
            raise UsageError(f"{host}: the emulator is served on this machine only; use 127.0.0.1")
        try:
            bound = socket.create_server((host, port), family=_family(host), backlog=128)
        except (OSError, OverflowError) as error:
            what = f"{host}:{port}: cannot be listened on ({error})"
            raise UsageError(f"{what}; use another port, or 0 for any") from None
        self._tls = _certificate() if tls else None
        self._server = _Cheroot(application, bound, self._tls.context if self._tls else None)
        name = f"[{host}]" if ":" in host else host
        self.base_url = f"{'https' if tls else 'http'}://{name}:{bound.getsockname()[1]}"
        """Where the API is, without a slash at the end."""
        self.certificate = self._tls.path if self._tls else None
        """The PEM file that clients have to trust; None without TLS."""
        self._thread = threading.Thread(target=self._serve, name="emulator", daemon=True)
        self._begun = False
        self._prepared = threading.Event()

    def serve_forever(self) -> None:
        """Answer requests until ``close`` is called from another thread, or Ctrl-C."""
        with self:
            while self._thread.is_alive():
                self._thread.join(_LOOK_SECONDS)  # not for ever, which on Windows no Ctrl-C would end

    def close(self) -> None:
        """End ``serve_forever`` and give the address back, once the requests at work are answered."""
        if self._begun:
            self._prepared.wait(_PREPARED_SECONDS)  # what is half prepared cannot be stopped
        self._server.stop()
        self._server.bound.close()
        if self._tls is not None:
            self._tls.close()

    def __enter__(self) -> Self:
        self._begun = True
        try:
            self._thread.start()
            self._prepared.wait()
        except BaseException:  # Ctrl-C
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        """Prepare and serve, in a thread that no Ctrl-C interrupts between its workers' beginnings: those that had
        begun would keep the process for ever.
        """
        try:
            self._server.prepare()
        finally:
            self._prepared.set()
        self._server.serve()


class _Cheroot(WsgiServer):
    """Listens on a socket that is bound already, and says nothing on stderr about connections that break off."""

    def __init__(self, application: WSGIApplication, bound: socket.socket, tls: ssl.SSLContext | None) -> None:
        super().__init__(
            bound.getsockname()[:2],
            application,
            numthreads=_THREADS,
            server_name="tokensync",
            request_queue_size=128,
            timeout=_IDLE_SECONDS,
        )
        self.bound = bound
        self.tls = tls
        self.ConnectionClass = _Connection
        self.max_request_header_size = HEAD_BYTES
        self.keep_alive_conn_limit = None  # type: ignore[assignment]  # as many as clients want, as its documentation says
        self.expiration_interval = _LOOK_SECONDS

    def bind(self, family: Any, type: Any, proto: int = 0) -> socket.socket:  # noqa: A002 - its name in the base class
        """Return the socket that is there."""
        self.socket = self.bound
        return self.bound

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        """What goes wrong below requests, as the program's own log wants it."""
        _logger.log(level, "%s", msg, exc_info=traceback)


class _Connection(HTTPConnection):
    """Shakes hands in the thread that answers it, so that one that never does holds up no other."""

    RequestHandlerClass = FramedRequest

    def __init__(self, server: _Cheroot, sock: socket.socket, makefile: Any = MakeFile) -> None:
        super().__init__(server, sock, makefile)
        self._greeted = server.tls is None

    def communicate(self) -> Any:
        """Answer one request; whether the connection stays open."""
        if not self._greeted:
            try:
                self._greeted = self._greet()
            except OSError as error:
                _logger.debug("no TLS with %s: %s", self.remote_addr, error)
            if not self._greeted:
                return False
        return super().communicate()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Close it; a connection that is broken already ends no thread."""
        with suppress(OSError):
            super().close()

    def _greet(self) -> bool:
        """Return whether somebody is there who speaks TLS, or plain HTTP: that is then refused as any request off this
        machine would be.
        """
        first = self.socket.recv(1, socket.MSG_PEEK)
        if first != _TLS_HANDSHAKE:
            self.ssl_env = {HTTPS_ONLY: True}
            return bool(first)
        self.socket = self.server.tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.socket.do_handshake()
        self.rfile = MakeFile(self.socket, "rb", self.rbufsize)
        self.wfile = MakeFile(self.socket, "wb", self.wbufsize)
        self.ssl_env = {"wsgi.url_scheme": "https", "HTTPS": "on"}
        return True


def _certificate() -> SelfSigned:
    from tokensync.emulator.certificate import SelfSigned

    return SelfSigned()


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
