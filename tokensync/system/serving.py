"""An HTTP/1.1 server for WSGI applications: strict request framing, and a deadline for every request.

One thread reads all requests, and a worker gets a request when its body is complete. So a slow client holds a socket
and some memory, but never a worker. If there are too many connections, the one that has waited longest is closed.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, cast
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Sequence
    from wsgiref.types import WSGIApplication

HEAD_BYTES: Final = 32 * 1024
"""The largest request head that is accepted. The platform's front accepts 20 KiB."""
PLAIN_ON_TLS: Final = "tokensync.plain_on_tls"
"""The key in the environ of a request that is not encrypted, although the server serves HTTPS."""

_MAX_CONNECTIONS: Final = 512
"""Also the most threads, which start when they are needed: a request that waits must not keep others waiting."""
_MAX_HELD_BYTES: Final = 256 * 1024 * 1024
_READ_BYTES: Final = 64 * 1024
_CHUNK_LINE_BYTES: Final = 1024
_MAX_TRAILERS: Final = 100
_ANSWER_SECONDS: Final = 60.0
_LINGER_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 0.7
"""Ctrl-C ends a server within a second, whatever its clients do."""
_TLS_HANDSHAKE: Final = b"\x16"
"""The first byte of a TLS connection."""

_REQUEST_LINE: Final = re.compile(
    rb"([A-Z]{1,20}) (?:https?://([0-9A-Za-z.:\[\]-]{1,255}))?(/[!\"$-~]*) HTTP/1\.([01])\r\n"
)
_OTHER_VERSION: Final = re.compile(rb"[A-Z]{1,20} [!-~]+ HTTP/[0-9](?:\.[0-9])?\r\n")
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)\r\n")
_CONNECT_LINE: Final = re.compile(rb"(CONNECT) ([0-9A-Za-z.-]{1,255})(:[0-9]{1,5}) HTTP/1\.([01])\r\n")
_LENGTH: Final = re.compile(rb"[0-9]{1,18}")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[\t -~\x80-\xff]*)?\r\n")
_ENCODED_SLASH: Final = re.compile(rb"(%2F)", re.IGNORECASE)
_SINGLE_FIELDS: Final = frozenset((b"host", b"content-length", b"transfer-encoding"))

_OWN_HEADERS: Final = ("content-length", "date", "server", "connection", "transfer-encoding")
"""The headers that the server sets, whatever the application returns."""

_BAD_HEAD: Final = "Request head is not valid HTTP"
_TOO_LARGE: Final = "Request body is too large"
_BAD_BODY: Final = "Request body is not framed as HTTP requires"

_logger = logging.getLogger(__name__)


class Limits(NamedTuple):
    """The limits of a server.

    ``body`` is the largest body that the application accepts: of a larger one it gets one byte more, to refuse it.
    ``seconds`` is the time from the first byte of a request to its last one, ``idle_seconds`` the time before the first
    byte. ``longest_body`` is the largest body that is read to its end, so that its client can receive the answer.
    """

    body: int
    seconds: float = 30.0
    idle_seconds: float = 60.0
    longest_body: int = 64 * 1024 * 1024


class _Refused(Exception):
    """A request that no application gets. The connection is closed after the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class _Head(NamedTuple):
    method: str
    target: bytes
    minor_version: int
    fields: dict[bytes, bytes]

    @property
    def keeps_connection(self) -> bool:
        options = self.fields.get(b"connection", b"").lower().split(b",")
        return self.minor_version == 1 and b"close" not in [option.strip() for option in options]


class _Answer(NamedTuple):
    status: str
    headers: list[tuple[str, str]]
    body: bytes


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an IPv4 or IPv6 address. Port 0 is any free port.

    Raises OSError if the address is not available, and OverflowError for an invalid port.
    """
    try:
        host.encode("idna")
    except UnicodeError as error:  # for which sockets raise TypeError
        raise OSError(f"{host} is not a host name: {error}") from None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if sys.platform == "win32":  # where another program could listen on the same port
        bound = socket.socket(family)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            bound.bind((host, port))
            bound.listen(128)
        except BaseException:
            bound.close()
            raise
        return bound
    return socket.create_server((host, port), family=family, backlog=128)


def origin(scheme: str, host: str, bound: socket.socket) -> str:
    """Return the scheme, host and port of a bound socket as a URL without a trailing slash."""
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}"


class Server:
    """Serves an application on bound sockets, in threads of its own, from ``start`` or ``with`` to ``close``.

    With TLS, it is also a proxy for the names ``proxied``: it answers for them itself.
    """

    def __init__(
        self,
        application: WSGIApplication,
        bound: Sequence[socket.socket],
        limits: Limits,
        tls: ssl.SSLContext | None = None,
        proxied: frozenset[str] = frozenset(),
    ) -> None:
        self._application = application
        self._bound = bound
        self._proxied = proxied
        self._limits = limits
        self._tls = tls
        self._address: tuple[str, int] = bound[0].getsockname()[:2]
        self._loop = asyncio.SelectorEventLoop()  # also on Windows: the other one cannot wait for a readable socket
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[asyncio.Task[None], bool] = {}
        """The connections that wait for their clients, the longest first, and whether they wait for a request."""
        self._max_connections = _connection_limit()
        self._held = 0
        self._workers = ThreadPoolExecutor(_MAX_CONNECTIONS, thread_name_prefix="http")
        self._thread = threading.Thread(target=self._run, name="http", daemon=True)

    def start(self) -> None:
        """Start to serve."""
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Return whether the server is running."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop serving after the running requests, and release the address."""
        if self._loop.is_closed():
            return
        if self._thread.ident is not None:
            with suppress(RuntimeError):  # it has just ended
                self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
        self._workers.shutdown()
        for bound in self._bound:
            bound.close()
        self._loop.close()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:  # Ctrl-C
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        accepting = asyncio.gather(*map(self._accept, self._bound))
        await self._stopping.wait()
        accepting.cancel()
        for task, for_request in list(self._waiting.items()):
            if for_request:
                task.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=_STOP_SECONDS)
            for task in late:
                task.cancel()
        await asyncio.gather(accepting, *self._tasks, return_exceptions=True)

    async def _accept(self, bound: socket.socket) -> None:
        bound.setblocking(False)
        while True:
            try:
                connection, address = await self._loop.sock_accept(bound)
            except OSError as error:  # no file descriptors are left, or the client has gone
                _logger.debug("no connection: %s", error)
                self._close_slowest()
                await asyncio.sleep(0.01)
                continue
            if len(self._tasks) >= self._max_connections:
                self._close_slowest()
            task = self._loop.create_task(self._serve_connection(connection, address))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            await asyncio.sleep(0)  # accepting does not suspend, and a task that has not begun cannot be closed

    def _close_slowest(self) -> None:
        """Close the connection whose client has kept the server waiting longest."""
        slowest = next(iter(self._waiting), None)
        if slowest is not None:
            del self._waiting[slowest]
            slowest.cancel()

    @asynccontextmanager
    async def _waiting_for_client(self, seconds: float, *, for_request: bool = True) -> AsyncIterator[None]:
        """Allow the block ``seconds`` in total, and this connection to be closed meanwhile. Raise TimeoutError."""
        if for_request and self._stopping.is_set():
            raise ConnectionAbortedError
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._waiting[task] = for_request
        try:
            async with asyncio.timeout(seconds):
                yield
        finally:
            self._waiting.pop(task, None)

    async def _serve_connection(self, connection: socket.socket, address: Any) -> None:
        """Answer the requests of one connection."""
        writer = None
        completed = False
        try:
            context = None
            if self._tls is not None:
                async with self._waiting_for_client(self._limits.idle_seconds):
                    await _readable(connection)
                if connection.recv(1, socket.MSG_PEEK) == _TLS_HANDSHAKE:
                    context = self._tls
            reader = asyncio.StreamReader(HEAD_BYTES)
            # A protocol with a callback is a server's, on which ``start_tls`` of its writer depends.
            writers: list[asyncio.StreamWriter] = []
            protocol = asyncio.StreamReaderProtocol(reader, lambda _, writer: writers.append(writer))
            timeouts = {"ssl_handshake_timeout": self._limits.seconds, "ssl_shutdown_timeout": _LINGER_SECONDS}
            async with self._waiting_for_client(self._limits.seconds):
                transport, _ = await self._loop.connect_accepted_socket(
                    lambda: protocol, connection, ssl=context, **(timeouts if context else {})
                )
            transport.set_write_buffer_limits(high=1, low=0)  # so that ``drain`` waits until everything is sent
            writer = writers[0]
            received = _Received(reader, encrypted=context is not None)
            while await self._exchange(received, writer, address):
                pass
            completed = True
        except (OSError, EOFError, TimeoutError, asyncio.CancelledError) as error:
            _logger.debug("the connection from %s ended: %r", address, error)
        except Exception:
            _logger.exception("the connection from %s failed", address)
        finally:
            if writer is None:
                connection.close()
            elif completed:
                writer.close()
            else:
                writer.transport.abort()

    async def _exchange(self, received: _Received, writer: asyncio.StreamWriter, address: Any) -> bool:
        """Answer one request, and return whether the connection stays open."""
        async with self._waiting_for_client(self._limits.idle_seconds):
            if not await received.something():
                return False
        head, held = None, 0
        try:
            try:
                async with self._waiting_for_client(self._limits.seconds):
                    head = await _read_head(received)
                    if head.method == "CONNECT":
                        return await self._connect(head, received, writer)
                    if head.fields.get(b"expect", b"").lower() == b"100-continue" and head.minor_version == 1:
                        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                    body = bytearray()
                    async for piece in _body(received, head.fields, self._limits.longest_body):
                        kept = piece[: self._limits.body + 1 - len(body)]
                        body += kept
                        held += len(kept)
                        self._held += len(kept)
                        if self._held > _MAX_HELD_BYTES:
                            self._close_slowest()
            except TimeoutError:
                raise _Refused(408, f"Request was not complete after {self._limits.seconds:g} seconds") from None
            environ = self._environ(head, bytes(body), address, encrypted=received.is_encrypted)
            del body
            answer = await self._loop.run_in_executor(self._workers, self._answer, environ)
        except _Refused as refused:
            message = json.dumps({"status": refused.status, "error": True, "message": refused.message}).encode()
            phrase = HTTPStatus(refused.status).phrase
            content_type = [("Content-Type", "application/json")]
            await self._send(writer, head, _Answer(f"{refused.status} {phrase}", content_type, message), keep=False)
            await _linger(received, writer)
            return False
        finally:
            self._held -= held
        keep = head.keeps_connection and not self._stopping.is_set()
        await self._send(writer, head, answer, keep=keep)
        return keep

    async def _connect(self, head: _Head, received: _Received, writer: asyncio.StreamWriter) -> bool:
        """Begin TLS in a tunnel to a name that this server answers for itself; refuse any other one."""
        name = _name(head.fields[b"host"])
        if self._tls is None or received.is_encrypted or name.decode() not in self._proxied:
            raise _Refused(403, f"No tunnel to {name.decode()}: this server answers only for its certificate's names")
        transport = cast("asyncio.Transport", writer.transport)
        transport.pause_reading()  # what arrives from now on belongs to TLS
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                if await received.something():  # it would be read as if it had been encrypted
                    transport.resume_reading()
                    raise _Refused(400, "TLS begins after the answer to CONNECT")
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await writer.drain()
        await writer.start_tls(self._tls)
        received.is_encrypted, received.tunnel = True, name
        return True

    def _environ(self, head: _Head, body: bytes, address: Any, *, encrypted: bool) -> dict[str, Any]:
        """Return the WSGI environ of a request. A percent-encoded slash in its path stays encoded."""
        path, _, query = head.target.partition(b"?")
        parts = _ENCODED_SLASH.split(path)
        parts[::2] = map(unquote_to_bytes, parts[::2])
        environ: dict[str, Any] = {
            "REQUEST_METHOD": head.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": b"".join(parts).decode("latin-1"),
            "QUERY_STRING": query.decode("latin-1"),
            "SERVER_NAME": self._address[0],
            "SERVER_PORT": str(self._address[1]),
            "SERVER_PROTOCOL": f"HTTP/1.{head.minor_version}",
            "REMOTE_ADDR": address[0],
            "REMOTE_PORT": str(address[1]),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "https" if encrypted else "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        if self._tls is not None and not encrypted:
            environ[PLAIN_ON_TLS] = True
        for name, value in head.fields.items():
            environ["HTTP_" + name.decode("ascii").upper().replace("-", "_")] = value.decode("latin-1")
        content_type = environ.pop("HTTP_CONTENT_TYPE", None)
        if content_type is not None:
            environ["CONTENT_TYPE"] = content_type
        environ.pop("HTTP_TRANSFER_ENCODING", None)  # the body is complete, and no longer in chunks
        if environ.pop("HTTP_CONTENT_LENGTH", None) is not None or body:
            environ["CONTENT_LENGTH"] = str(len(body))
        return environ

    def _answer(self, environ: dict[str, Any]) -> _Answer:
        """Call the application in a worker, and return its whole answer."""
        started: list[tuple[str, list[tuple[str, str]]]] = []
        written: list[bytes] = []

        def start_response(status: str, headers: list[tuple[str, str]], _exc_info: Any = None, /) -> Any:
            started[:] = [(status, headers)]
            return written.append

        try:
            chunks = self._application(environ, start_response)
            written += chunks
            status, headers = started[0]
            if (close := getattr(chunks, "close", None)) is not None:
                close()
        except ConnectionError:  # the application drops the connection, to simulate a lost response
            raise
        except Exception:
            _logger.exception("%s %r", environ["REQUEST_METHOD"], environ["PATH_INFO"])
            return _Answer("500 Internal Server Error", [], b"")
        return _Answer(status, headers, b"".join(written))

    async def _send(self, writer: asyncio.StreamWriter, head: _Head | None, answer: _Answer, *, keep: bool) -> None:
        bodiless = answer.status[:3] in ("204", "304")
        lines = [f"HTTP/1.1 {answer.status}"]
        lines += [f"{name}: {value}" for name, value in answer.headers if name.lower() not in _OWN_HEADERS]
        if not bodiless:
            lines.append(f"Content-Length: {len(answer.body)}")
        lines += [f"Date: {formatdate(time.time(), usegmt=True)}", "Server: tokensync"]
        if not keep:
            lines.append("Connection: close")
        without_body = bodiless or (head is not None and head.method == "HEAD")
        async with self._waiting_for_client(_ANSWER_SECONDS, for_request=False):
            writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + (b"" if without_body else answer.body))
            await writer.drain()


def _set(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


async def _readable(connection: socket.socket) -> None:
    """Wait until the socket has data or is closed by the client."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    ready = loop.create_future()
    loop.add_reader(connection, _set, ready)
    try:
        await ready
    finally:
        loop.remove_reader(connection)


class _Received:
    """The bytes of a connection, read as they arrive: a request in one packet takes one wait.

    ``tunnel`` is the name that a client reaches through this server as a proxy, or empty.
    """

    def __init__(self, reader: asyncio.StreamReader, *, encrypted: bool) -> None:
        self._reader = reader
        self._bytes = bytearray()
        self.is_encrypted = encrypted
        self.tunnel = b""

    async def _more(self) -> bool:
        piece = await self._reader.read(_READ_BYTES)
        self._bytes += piece
        return bool(piece)

    async def something(self) -> bool:
        """Wait for a byte, and return whether there is one."""
        return bool(self._bytes) or await self._more()

    async def line(self, too_long: _Refused) -> bytes:
        """Return the next line with its CRLF. A line that ends in a bare LF is returned as it is."""
        while (end := self._bytes.find(b"\n") + 1) == 0:
            if len(self._bytes) > HEAD_BYTES:
                raise too_long
            if not await self._more():
                raise _Refused(400, "Request ended early")
        if end > HEAD_BYTES:
            raise too_long
        return self._taken(end)

    async def piece(self, most: int) -> bytes:
        """Return up to ``most`` bytes; none at the end."""
        await self.something()
        return self._taken(min(most, _READ_BYTES))

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._bytes[:size])
        del self._bytes[:size]
        return taken


async def _read_head(received: _Received) -> _Head:
    too_long = _Refused(414, "Request target is too long")
    line = await received.line(too_long)
    if line == b"\r\n":  # RFC 9112, section 2.2: ignore one empty line before a request
        line = await received.line(too_long)
    size = len(line)
    match = _REQUEST_LINE.fullmatch(line) or _CONNECT_LINE.fullmatch(line)
    if match is None:
        if _OTHER_VERSION.fullmatch(line) and b" HTTP/1." not in line:
            raise _Refused(505, "HTTP version is not supported")
        raise _Refused(400, _BAD_HEAD)
    fields: dict[bytes, bytes] = {}
    too_large = _Refused(431, f"Request head is larger than {HEAD_BYTES // 1024} KiB")
    while (line := await received.line(too_large)) != b"\r\n":
        size += len(line)
        if size > HEAD_BYTES:
            raise too_large
        field = _FIELD.fullmatch(line)
        if field is None:
            raise _Refused(400, _BAD_HEAD)
        name, value = field[1].lower(), field[2].strip(b" \t")
        if name in fields and name in _SINGLE_FIELDS:
            raise _Refused(400, f"Request has several {name.decode()} headers")
        if b"_" not in name:  # in the environ it would be the same header as one with a hyphen
            fields[name] = fields[name] + b", " + value if name in fields else value
    head = _Head(match[1].decode(), match[3], int(match[4]), fields)
    if b"host" not in fields and head.minor_version == 1:
        raise _Refused(400, "Request has no host header")
    if match[2] is not None:  # RFC 9112, section 3.2.2
        fields[b"host"] = match[2]
    if received.tunnel and _name(fields.get(b"host", b"")) != received.tunnel:
        raise _Refused(421, f"This tunnel leads to {received.tunnel.decode()} only")
    return head


def _name(host: bytes) -> bytes:
    """Return the name or address in a Host header, in lower case and without the port."""
    return re.sub(rb":[0-9]*\Z", b"", host).lower()


async def _body(received: _Received, fields: dict[bytes, bytes], longest: int) -> AsyncIterator[bytes]:
    """Yield the body in pieces. Raise _Refused for invalid framing."""
    encoding, length = fields.get(b"transfer-encoding"), fields.get(b"content-length")
    if encoding is None:
        if length is not None and not _LENGTH.fullmatch(length):
            raise _Refused(400, _BAD_BODY)
        if int(length or 0) > longest:
            raise _Refused(413, _TOO_LARGE)
        async for piece in _pieces(received, int(length or 0)):
            yield piece
        return
    if length is not None:
        raise _Refused(400, _BAD_BODY)
    if encoding.lower() != b"chunked":
        raise _Refused(501, "Transfer-Encoding is not supported, except for chunked")
    async for piece in _chunks(received, longest):
        yield piece


async def _chunks(received: _Received, longest: int) -> AsyncIterator[bytes]:
    """Yield a chunked body in pieces, and read its trailers."""
    bad, total = _Refused(400, _BAD_BODY), 0
    while True:
        line = await received.line(bad)
        match = _CHUNK_SIZE.fullmatch(line) if len(line) <= _CHUNK_LINE_BYTES else None
        if match is None:
            raise bad
        size = int(match[1], 16)
        total += size
        if size == 0:
            break
        if total > longest:
            raise _Refused(413, _TOO_LARGE)
        async for piece in _pieces(received, size):
            yield piece
        if await received.line(bad) != b"\r\n":
            raise bad
    for _ in range(_MAX_TRAILERS):
        line = await received.line(bad)
        if line == b"\r\n":
            return
        if not _FIELD.fullmatch(line):
            break
    raise bad


async def _pieces(received: _Received, size: int) -> AsyncIterator[bytes]:
    """Yield the next ``size`` bytes in pieces."""
    while size > 0:
        piece = await received.piece(size)
        if not piece:
            raise _Refused(400, "Request body ended early")
        size -= len(piece)
        yield piece


async def _linger(received: _Received, writer: asyncio.StreamWriter) -> None:
    """Read and drop what the client is still sending: closing at once would take the answer from it."""
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            if writer.can_write_eof():
                writer.write_eof()
            while await received.piece(_READ_BYTES):
                pass


def _connection_limit() -> int:
    """Return the most connections at a time: half of the files that this process may open, at most 512."""
    try:
        import resource
    except ImportError:
        return _MAX_CONNECTIONS // 2  # Windows: ``select`` takes 512 sockets
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else min(_MAX_CONNECTIONS, max(16, soft // 2))
