"""What other programs can see while a command runs: processes, and requests to servers that may get no credential."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any
    from wsgiref.types import StartResponse, WSGIEnvironment

_SECONDS = 0.01


class Processes:
    """Samples the command lines of all processes, and the environments of those that commands have started.

    Every user of the machine can read a command line. Only the same user can read an environment.
    """

    def __init__(self) -> None:
        self.command_lines: set[bytes] = set()
        self.environments: dict[bytes, set[bytes]] = {}
        """The variables of programs other than Python, by the program's name."""
        self._known: set[str] = {name for name in os.listdir("/proc") if name.isdigit()}
        self._seen: set[tuple[str, bytes]] = set()
        self._is_running = True
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_running = False
        self._thread.join()

    def _sample(self) -> None:
        while self._is_running:
            for name in {name for name in os.listdir("/proc") if name.isdigit()} - self._known:
                with suppress(OSError):
                    line = Path("/proc", name, "cmdline").read_bytes()
                    if (name, line) in self._seen:
                        continue
                    self._seen.add((name, line))
                    self.command_lines.add(line)
                    program = os.path.basename(line.split(b"\0")[0])
                    if program and not program.startswith(b"python"):  # none while a program is being started
                        variables = Path("/proc", name, "environ").read_bytes()
                        self.environments.setdefault(program, set()).add(variables)
            threading.Event().wait(_SECONDS)


class Recorded:
    """A server that records whole requests. ``answer`` returns status, headers and body for a request."""

    def __init__(self, answer: Callable[[WSGIEnvironment], tuple[str, list[tuple[str, str]], bytes]]) -> None:
        self._answer = answer
        self.requests: list[bytes] = []
        self.base_url = ""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        own: Any = {name: value for name, value in environ.items() if isinstance(value, str)}
        self.requests.append(repr(own).encode() + b"\n" + body)
        status, headers, content = self._answer(environ)
        start_response(status, [*headers, ("Content-Length", str(len(content)))])
        return [content]


class _Quiet(WSGIRequestHandler):
    """A handler that logs nothing."""

    def log(self, *_: object, **__: object) -> None:
        """Log nothing."""


@contextmanager
def recorded(answer: Callable[[WSGIEnvironment], tuple[str, list[tuple[str, str]], bytes]]) -> Iterator[Recorded]:
    """Yield a server on a free port of this machine."""
    application = Recorded(answer)
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    application.base_url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield application
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
