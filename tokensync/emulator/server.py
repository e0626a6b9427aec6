"""Serves an emulator on this machine's loopback address, many requests at once."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING, Self

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

from tokensync.emulator.loopback import is_loopback
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from tokensync.emulator.application import Emulator


class Server:
    """A bound address: connections are taken from now on, and answered by ``serve_forever`` or between ``with``.

    Port 0 is any free one. An address that is not to be had, or not this machine's own, is a UsageError.
    """

    def __init__(self, emulator: Emulator, host: str = "127.0.0.1", port: int = 0) -> None:
        if not is_loopback(host):
            raise UsageError(f"{host}: the emulator is served on this machine only; use 127.0.0.1")
        try:
            with socket.create_server((host, port), family=_family(host)) as bound:
                self._server = ThreadedWSGIServer(host, port, emulator, handler=_Handler, fd=bound.fileno())
        except (OSError, OverflowError) as error:
            what = f"{host}:{port}: cannot be listened on ({error})"
            raise UsageError(f"{what}; use another port, or 0 for any") from None
        name = f"[{host}]" if ":" in host else host
        self.base_url = f"http://{name}:{self._server.port}"
        """Where the API is, without a slash at the end."""

    def serve_forever(self) -> None:
        """Answer requests until ``stop`` is called from another thread, or Ctrl-C."""
        self._server.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        """End ``serve_forever`` and give the address back."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Handler(WSGIRequestHandler):
    """Keeps connections open between requests, and says nothing on stderr about each."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are sent apart; the second would wait for the first to be confirmed

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are not logged."""


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
