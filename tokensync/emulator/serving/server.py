"""Serves an emulator on this machine's loopback address, many requests at once, over HTTP or HTTPS."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self

from cheroot.makefile import MakeFile
from cheroot.server import HTTPConnection
from cheroot.wsgi import Server as WsgiServer

from tokensync.emulator.serving.framing import HEAD_BYTES, FramedRequest
from tokensync.emulator.serving.loopback import HTTPS_ONLY, is_loopback
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import ssl
    from wsgiref.types import WSGIApplication

    from tokensync.emulator.serving.certificate import SelfSigned

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
        machine would be (platform-api.md 1).
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
    from tokensync.emulator.serving.certificate import SelfSigned  # loads cryptography

    return SelfSigned()


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
