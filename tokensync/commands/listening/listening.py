"""Listens for events until it is interrupted."""

from __future__ import annotations

import logging
import socket
import threading
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.commands.listening import running
from tokensync.commands.listening.folding import Burst, Folding
from tokensync.commands.listening.receiver import LARGEST_BODY, Receiver
from tokensync.errors import UsageError
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cheroot.wsgi import Server

_THREADS: Final = 8
_LARGEST_HEAD: Final = 32 * 1024
_ROOM: Final = 1024 * 1024
_SILENCE_SECONDS: Final = 10
_LOOK_SECONDS: Final = 0.5

_logger = logging.getLogger(__name__)


class Listener(NamedTuple):
    """What to listen for and what to run. ``environment`` is the command's; no repr shows it or the passcode."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    passcode: str
    kinds: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Listener({self.command!r}, kinds={self.kinds!r})"


def listen(
    listener: Listener, host: str, port: int, *, started: Callable[[str], None], say: Callable[[str], None]
) -> None:
    """Receive events and run the command for them, until KeyboardInterrupt.

    ``started`` is told the address that events are to be sent to. Port 0 is any free one; an address that is not to be
    had is a UsageError.
    """
    folding = Folding()
    server = _server(host, port, Receiver(listener.passcode, folding, listener.kinds, say))
    prepared = threading.Event()
    serving = threading.Thread(target=_serve, args=(server, prepared), daemon=True)
    serving.start()
    try:
        prepared.wait()
        started(f"http://{f'[{host}]' if ':' in host else host}:{server.bind_addr[1]}/")
        while True:
            _run(listener, folding.next(_LOOK_SECONDS), say)
    finally:
        prepared.wait(_SILENCE_SECONDS)  # what is half prepared cannot be stopped
        server.stop()
        serving.join(_SILENCE_SECONDS)  # when it has ended, all threads it starts have begun and are told to end
        if folding.count:
            say(f"ending; events that were not handed on: {folding.count}")


def _server(host: str, port: int, receiver: Receiver) -> Server:
    """Return a server that is bound to the address and takes connections; one that is not to be had is a UsageError."""
    from cheroot.server import HTTPConnection
    from cheroot.wsgi import Server

    from tokensync.emulator.serving.framing import FramedRequest

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        what = f"{host}:{port}: cannot be listened on ({error})"
        raise UsageError(f"{what}; use another --port, or 0 for any") from None
    server: Any = Server(  # Any, since two of its methods are replaced
        bound.getsockname()[:2], receiver, numthreads=_THREADS, server_name="tokensync", timeout=_SILENCE_SECONDS
    )
    server.max_request_header_size = _LARGEST_HEAD
    server.max_request_body_size = LARGEST_BODY + _ROOM  # a little more, so that it is ours to refuse
    server.ConnectionClass = type("_Connection", (HTTPConnection,), {"RequestHandlerClass": FramedRequest})
    server.error_log = _log

    def bind(*_: Any) -> socket.socket:
        server.socket = bound
        return bound

    server.bind = bind
    listening: Server = server
    return listening


def _serve(server: Server, prepared: threading.Event) -> None:
    """Prepare and serve, in a thread that no Ctrl-C interrupts: workers that had begun would keep the process."""
    try:
        server.prepare()
    finally:
        prepared.set()
    server.serve()


def _run(listener: Listener, burst: Burst | None, say: Callable[[str], None]) -> None:
    if burst is None:
        return
    files = ", ".join(running.file_keys(burst)) or "no file"
    say(f"{burst.event_type} of {files} ({counted(len(burst.events), 'event')}): {listener.command[0]}")
    try:
        code = running.run(listener.command, burst, listener.environment)
    except OSError as error:
        say(f"{listener.command[0]}: could not be started ({error.strerror or error})")
        return
    say(f"{listener.command[0]}: done" if code == 0 else f"{listener.command[0]}: failed with exit code {code}")


def _log(msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
    """What goes wrong below requests is in the program's own log; strangers do not write on its terminal."""
    _logger.log(level, "%s", msg, exc_info=traceback)
