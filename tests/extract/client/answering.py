"""Helpers of the client tests: URLs, bodies, a stopped clock, and a loopback server of raw bytes."""

import json
import socket
import struct
import sys
import threading

from tokensync.extract.client import Clock

NOW = 1_790_000_000.0
SECRET = "figd_s3cret-S3CRET_s3cret"
POST = "https://api.figma.com/v1/files/KEY/variables"
LOCAL = f"{POST}/local"
PUBLISHED = f"{POST}/published"
SUCCESS = json.dumps({"status": 200, "error": False, "meta": {"variables": {}, "variableCollections": {}}}).encode()

_LINGER_ZERO = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class Waits:
    """A stopped clock that records sleeps; its jitter is always ``fraction``."""

    def __init__(self, fraction: float = 1.0) -> None:
        self.slept = []
        self.reported = []
        self.clock = Clock(now=lambda: NOW, elapsed=lambda: 0.0, sleep=self.slept.append, random=lambda: fraction)


class RawServer:
    """A server that sends each connection the next bytes of a list and closes it; with an RST for ``reset``."""

    def __init__(self, *answers: bytes, reset: bool = False) -> None:
        self._answers = answers
        self._reset = reset
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.02)
        self._stopped = threading.Event()
        self.requests = []
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join(5)
        self._socket.close()

    def _serve(self):
        pending = list(self._answers)
        while pending and not self._stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except TimeoutError:
                continue
            with connection:
                connection.settimeout(5)
                self.requests.append(_read_request(connection))
                answer = pending.pop(0)
                if self._reset:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
                else:
                    connection.sendall(answer)


def _read_request(connection):
    """Return the head and body of a request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _received(connection)
    head, body = data.split(b"\r\n\r\n", 1)
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += _received(connection)
    return head + b"\r\n\r\n" + body


def _received(connection):
    data = connection.recv(65536)
    assert data, "the client hung up in the middle of its request"
    return data
