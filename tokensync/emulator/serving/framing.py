"""Where a request's head and body end, told strictly: what is framed in another way than HTTP wants it is refused."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Any, Final

from cheroot.server import HeaderReader, HTTPRequest

if TYPE_CHECKING:
    from collections.abc import Callable

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
