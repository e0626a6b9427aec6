"""Measure the emulator as a test double beside a bare ``http.server``: requests, its start, spaces and resets.

Instructions, of the server alone, are counted where perf or valgrind can; times are medians of
this machine. The result is a Markdown table.

    python benchmarks/emulator.py
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread
from typing import TYPE_CHECKING, Any

from costs import Program
from run import row

from tokensync.testing import running

if TYPE_CHECKING:
    from collections.abc import Callable

KEY, ME, LOCAL = "Harbor", "/v1/me", "/v1/files/Harbor/variables/local"
FEW, MANY = 100, 1_100
ROUNDS = 30
COLLECTION, MODES = "VariableCollectionId:1:1", ("1:0", "1:1", "1:2", "1:3")


def response(variables: int) -> dict[str, Any]:
    """Return a response of colours in four modes."""
    shared = {"variableCollectionId": COLLECTION, "resolvedType": "COLOR", "remote": False, "description": ""}
    others = {"hiddenFromPublishing": False, "scopes": ["ALL_SCOPES"], "codeSyntax": {}}
    values = {mode: {"r": 0.1, "g": 0.2, "b": 0.3, "a": 1} for mode in MODES}
    tokens = {
        f"VariableID:1:{number}": {
            "id": f"VariableID:1:{number}",
            "name": f"color/{number}",
            "key": f"{number:040d}",
            "valuesByMode": values,
            **shared,
            **others,
        }
        for number in range(variables)
    }
    collection = {
        "id": COLLECTION,
        "name": "Colors",
        "key": "c" * 40,
        "modes": [{"modeId": mode, "name": mode} for mode in MODES],
        "defaultModeId": MODES[0],
        "remote": False,
        "hiddenFromPublishing": False,
        "variableIds": list(tokens),
    }
    return {
        "status": 200,
        "error": False,
        "meta": {"variables": tokens, "variableCollections": {COLLECTION: collection}},
    }


class Bare(BaseHTTPRequestHandler):
    """Answers every GET with the same few bytes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a request."""
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def ask(folder: Path, count: int) -> None:
    """Send ``count`` requests on one connection to the server that writes its address into a folder."""
    address = folder / "address"
    while not address.exists():
        time.sleep(0.1)
    port, path, token = json.loads(address.read_text("utf-8"))
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Figma-Token: {token}\r\nAccept: */*\r\n\r\n"
        received = connection.makefile("rb")
        for _ in range(count):
            connection.sendall(request.encode())
            if b" 200 " not in received.readline():
                raise RuntimeError(f"{path}: not answered with 200")
            length = 0
            while (line := received.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            received.read(length)
    (folder / "done").touch()


def serve(kind: str, folder: Path) -> None:
    """Serve, with the emulator or without, until the client is done."""

    def wait(port: int, path: str, token: str) -> None:
        (folder / "new").write_text(json.dumps([port, path, token]), encoding="utf-8")
        (folder / "new").rename(folder / "address")
        while not (folder / "done").exists():
            time.sleep(0.1)

    if kind == "bare":
        server = ThreadingHTTPServer(("127.0.0.1", 0), Bare)
        Thread(target=server.serve_forever, daemon=True).start()
        wait(server.server_port, ME, "")
        return
    with running() as platform:
        if kind == "variables":
            platform.seed(KEY, response(5_000))
        wait(int(platform.base_url.rpartition(":")[2]), LOCAL if kind == "variables" else ME, platform.token)


def counted(kind: str, few: int, many: int) -> float:
    """Return the instructions of the server for one request, in millions; 0 where nothing can count them."""
    counts = []
    for count in (few, many):
        with tempfile.TemporaryDirectory() as folder:
            client = Thread(target=ask, args=(Path(folder), count), daemon=True)
            client.start()
            counts.append(Program((sys.executable, __file__, "serve", kind, folder), folder).count())
            client.join()
    return (counts[1] - counts[0]) / (many - few) / 1e6


def milliseconds(measured: Callable[[], object]) -> float:
    """Return the median time of a function."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        measured()
        times.append(time.perf_counter() - began)
    return 1000 * median(times)


def started() -> None:
    """Start a server and wait for its line."""
    command = [sys.executable, "-m", "tokensync", "emulator", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        json.loads(process.stdout.readline())  # type: ignore[union-attr]
        process.kill()


def main() -> None:
    """Print the table."""
    bare, request = counted("bare", FEW, MANY), counted("me", FEW, MANY)
    with running() as platform:

        def space() -> None:
            with platform.space():
                pass

        created, reset = milliseconds(space), milliseconds(platform.reset)
    start = milliseconds(started)
    row("what", "here", "beside it", "ratio")
    row("---", "--:", "---", "--:")
    ratio = f"{request / bare:.1f}" if bare else "-"
    row("a request on a kept connection, M instructions", f"{request:.2f}", f"http.server: {bare:.2f}", ratio)
    variables = counted("variables", 5, 55)
    row("5,000 variables in 4 modes, M instructions", f"{variables:.1f}", "", "")
    for name, measured in (("a reset", reset), ("a space, made and removed", created)):
        row(f"{name}, ms", f"{measured:.2f}", f"a new server: {start:.0f}", f"1/{start / measured:.0f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", kind, folder]:
            serve(kind, Path(folder))
        case _:
            main()
