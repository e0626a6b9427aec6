"""A proxy between a client and the platform that does to requests what networks and servers do to them.

What happens to the n-th POST or GET since ``arm`` is a ``Fault``. Everything that the platform said is kept in
``seen``, so that a schedule can be judged by it.
"""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

BEFORE = ("reset before", "500 before", "503 before", "429", "403", "refused")
"""Faults in which the platform never hears of the request."""
AFTER = ("reset after", "closed after", "truncated", "garbage", "500 after", "503 after", "silent", "dripping")
"""Faults in which it carries the request out, and the client does not hear so, or late."""
LATE = ("late", "late kill", "late 400", "late 403", "late 429")
"""The request is carried out after the client has read the file back ``reads`` times.

The client hears nothing, or the refusal of a second copy that came first.
"""
REPEATED = ("400 after", "401 after", "403 after", "404 after", "413 after", "429 after")
"""The request was sent twice: the platform carries out one copy, and the client hears the refusal of the other."""
KILLS = ("kill before commit", "kill after commit")
"""The client's process dies while its request is on the way."""
MISREADINGS = ("empty", "old", "foreign")
"""A read is answered with 200 and an empty library, an earlier state of the file, or the library of another one."""

_RESET = struct.pack("ii", 1, 0)  # SO_LINGER of 0 seconds: closing sends a reset
_OF_THE_CONNECTION = ("host", "connection", "accept-encoding")


class Fault(NamedTuple):
    """The treatment of a request, and the number of reads after which a late one gets through.

    ``then`` is the misreading that the next ``misreads`` reads meet.
    """

    kind: str
    reads: int = 1
    then: str = ""
    misreads: int = 0


class Request(NamedTuple):
    """A request as the client sent it, header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Held(NamedTuple):
    """A request that gets through after so many more reads; ``since`` when it is held."""

    request: Request
    reads: int
    since: float


Reply = Callable[[socket.socket], bool]
"""Writes an answer, or breaks the connection; whether that goes on."""


class Seen(NamedTuple):
    """A request that reached the platform: its body and the status of the answer, and whether it came late."""

    method: str
    body: bytes
    status: int
    late: bool = False


class Proxy:
    """Listens on a port of its own and passes on to ``upstream``, a (host, port) pair.

    ``now`` is the client's time in seconds, and ``settling_time`` how long after sending a commit may land at most.
    """

    def __init__(self, upstream: tuple[str, int], now: Callable[[], float], settling_time: float) -> None:
        self._upstream = upstream
        self._now = now
        self._settling_time = settling_time
        self._lock = threading.RLock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.arm({}, {})
        threading.Thread(target=self._serve, daemon=True).start()

    def arm(
        self,
        posts: Mapping[int, Fault],
        gets: Mapping[int, Fault],
        *,
        before_post: Callable[[int], None] = lambda _: None,
        after_post: Callable[[int], None] = lambda _: None,
        turn: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Start a schedule: faults by the number of the POST or GET, from 0, and what somebody else does then.

        ``after_post`` is called when the platform has carried out its n-th POST, before anybody hears of it. Each
        request is handled inside of ``turn``.
        """
        with self._lock:
            self._faults = {"POST": posts, "GET": gets}
            self._hooks = (before_post, after_post)
            self._counts = {"POST": 0, "GET": 0}
            self._committed = 0
            self._held: Held | None = None
            self._turn = turn
            self._shown: list[bytes] = []
            self._misreadings: list[str] = []
            self.seen: list[Seen] = []
            self.happened: list[str] = []
            self.client: int | None = None
            """The process that may be killed."""

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError, ValueError), connection, connection.makefile("rb") as stream:
            while request := _read_request(stream):
                with self._turn(), self._lock:
                    reply = self._reply(request)
                if not reply(connection):
                    return

    def _reply(self, request: Request) -> Reply:
        """Carry the request out, or not, and return the client's response."""
        number = self._counts[request.method]
        self._counts[request.method] += 1
        fault = self._faults[request.method].get(number)
        if request.method == "GET" and fault is None and self._misreadings:
            fault = Fault(self._misreadings.pop())
        if request.method == "POST":
            self._settle_held(number)
            self._hooks[0](number)
        if fault is None:
            answer = self._forward(request)
            self._release(request.method)
            if request.method == "GET" and answer[1] not in self._shown:
                self._shown.append(answer[1])
            return lambda connection: _send(connection, *answer)
        self.happened.append(f"{request.method} {fault.kind}")
        return self._suffered(fault, request)

    def _suffered(self, fault: Fault, request: Request) -> Reply:
        kind = fault.kind
        if fault.then:
            self._misreadings = [fault.then] * fault.misreads
        if kind in MISREADINGS:
            status, content = self._forward(request)
            misread = self._misread(kind, content)
            return lambda connection: _send(connection, status, misread)
        if kind in LATE:
            self._held = Held(request, fault.reads, self._now())
            if kind == "late kill":
                self._kill()
            if kind == "late 429":  # a proxy's own: the platform counts a request before it looks at it
                page = b"<title>Too many requests</title>"
                return lambda connection: _send(connection, 429, page, "Retry-After: 2\r\n")
            return _reset if not kind[-1].isdigit() else lambda connection: _answer_before(connection, kind[5:])
        if kind == "kill before commit":
            self._kill()
            return _reset
        if kind in BEFORE:
            return lambda connection: _answer_before(connection, kind)
        answer = self._forward(request)
        self._release(request.method)
        if kind == "kill after commit":
            self._kill()
            return _reset
        return lambda connection: _answer_after(connection, kind, *answer)

    def _misread(self, kind: str, content: bytes) -> bytes:
        if kind == "foreign":
            return re.sub(rb"(Variable(?:Collection)?I[dD]:)", rb"\g<1>7", content)
        if kind == "empty" or not self._shown:
            return b'{"status":200,"error":false,"meta":{"variables":{},"variableCollections":{}}}'
        return self._shown[-2:][0]

    def _forward(self, request: Request, *, late: bool = False) -> tuple[int, bytes]:
        upstream = http.client.HTTPConnection(*self._upstream, timeout=60)
        try:
            kept = {name: text for name, text in request.headers.items() if name not in _OF_THE_CONNECTION}
            upstream.request(request.method, request.path, request.body or None, kept)
            answer = upstream.getresponse()
            content = answer.read()
        finally:
            upstream.close()
        self.seen.append(Seen(request.method, request.body, answer.status, late))
        if request.method == "POST" and answer.status == 200:
            number = self._committed
            self._committed += 1
            self._hooks[1](number)
        return answer.status, content

    def _release(self, method: str) -> None:
        """After a read-back has been answered from the state before it, a request that was held gets through.

        Later than a commit may land at most it is gone for good, as any client has to rely upon.
        """
        if self._held is not None and self._now() - self._held.since >= self._settling_time:
            self._held = None
        if method == "GET" and self._held is not None:
            self._held = self._held._replace(reads=self._held.reads - 1)
            if self._held.reads <= 0:
                self._let_through()

    def _settle_held(self, number: int) -> None:
        """Another POST comes while one is held: it gets through first, unless it is older than it may become."""
        if self._held is not None:
            if self._now() - self._held.since < self._settling_time and number % 2:
                self._let_through()
            else:
                self._held = None

    def _let_through(self) -> None:
        if self._held is not None:
            request, self._held = self._held.request, None
            self._forward(request, late=True)

    def _kill(self) -> None:
        if self.client is not None:
            with suppress(ProcessLookupError):
                os.kill(self.client, signal.SIGKILL)


def _read_request(stream: BinaryIO) -> Request | None:
    line = stream.readline()
    if not line:
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while (line := stream.readline()) not in (b"\r\n", b"\n", b""):
        name, _, text = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = text.strip()
    length = int(headers.get("content-length", 0))
    body = stream.read(length) if length else b""
    return Request(method, path, headers, body) if len(body) == length else None


def _send(connection: socket.socket, status: int, body: bytes, more: str = "") -> bool:
    reason = http.client.responses.get(status, "")
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{more}"
    connection.sendall(head.encode() + b"\r\n" + body)
    return True


def _reset(connection: socket.socket) -> bool:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    return False


def _refusal(status: int, message: str) -> bytes:
    return b'{"status":%d,"error":true,"message":"%s"}' % (status, message.encode())


def _answer_before(connection: socket.socket, kind: str) -> bool:
    if kind in ("reset before", "refused"):
        return _reset(connection)
    status = int(kind.split(maxsplit=1)[0])
    more = "Retry-After: 2\r\n" if status in (429, 503) else ""
    message = {403: "Invalid token", 429: "Rate limit exceeded"}.get(status, "Internal server error")
    return _send(connection, status, _refusal(status, message), more)


def _answer_after(connection: socket.socket, kind: str, status: int, answer: bytes) -> bool:
    if kind == "reset after":
        return _reset(connection)
    if kind == "closed after":
        return False
    if kind == "truncated":
        head = f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {len(answer)}\r\n\r\n"
        connection.sendall(head.encode() + answer[: len(answer) // 2])
        return False
    if kind == "garbage":
        return _send(connection, 200, b"<html>Please sign in to the network</html>")
    if kind == "silent":
        time.sleep(0.6)  # longer than the campaign's clients wait
        return False
    if kind == "dripping":
        head = f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {len(answer)}\r\n\r\n"
        connection.sendall(head.encode())
        for start in range(0, len(answer), max(1, len(answer) // 4)):
            time.sleep(0.02)
            connection.sendall(answer[start : start + max(1, len(answer) // 4)])
        return True
    status = int(kind.split(maxsplit=1)[0])
    more = "Retry-After: 2\r\n" if status == 429 else ""
    return _send(connection, status, _refusal(status, "A copy of the request had another answer"), more)
