"""Run a command for the webhook events that this machine receives, until interrupted."""

from __future__ import annotations

import gc
import os
import re
import shutil
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from tokensync import child, serving
from tokensync.commands.receiving import MAX_BODY, EventQueue, Receiver
from tokensync.errors import UsageError
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.commands.receiving import Burst

_TIMEOUT_SECONDS: Final = 10.0
_BODY_MARGIN: Final = 1024 * 1024
"""How much larger a body may be and still be read to its end, so that its sender receives the 413."""
_POLL_SECONDS: Final = 0.5


class Listener(NamedTuple):
    """A command and the events that run it. The repr omits the command's ``environment`` and the passcode."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    passcode: str
    kinds: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Listener({self.command!r}, kinds={self.kinds!r})"


def listen(
    listener: Listener, host: str, port: int, *, started: Callable[[str], None], log: Callable[[str], None]
) -> None:
    """Receive events and run the command for them, until KeyboardInterrupt.

    ``started`` receives the URL of the endpoint. Port 0 is any free port. Raises UsageError if the address is not
    available.
    """
    queue = EventQueue()
    receiver = Receiver(listener.passcode, queue, listener.kinds, log)
    try:
        bound = serving.bind(host, port)
    except (OSError, OverflowError) as error:
        raise UsageError(f"{host}:{port}: cannot listen ({error}); use another --port, or --port 0") from None
    server = serving.Server(
        receiver, bound, serving.Limits(MAX_BODY, _TIMEOUT_SECONDS, _TIMEOUT_SECONDS, MAX_BODY + _BODY_MARGIN)
    )
    gc.enable()  # the receiver runs for days
    try:
        server.start()
        started(serving.origin("http", host, bound) + "/")
        while True:
            _run(listener, queue.next(_POLL_SECONDS), log)
            receiver.write_summaries()
    finally:
        server.close()
        receiver.write_summaries(everything=True)
        if queue.count:
            log(f"stopped; the command did not receive {counted(queue.count, 'event')}")


def _run(listener: Listener, burst: Burst | None, log: Callable[[str], None]) -> None:
    if burst is None:
        return
    files = ", ".join(file_keys(burst)) or "no file"
    log(f"{burst.event_type} of {files} ({counted(len(burst.events), 'event')}): {listener.command[0]}")
    try:
        code = run(listener.command, burst, listener.environment)
    except OSError as error:
        log(f"{listener.command[0]}: could not be started ({error.strerror or error})")
        return
    log(f"{listener.command[0]}: done" if code == 0 else f"{listener.command[0]}: failed with exit code {code}")


_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)
_MAX_KEYS: Final = 100


def resolved(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command with the path of its program. Raises UsageError if there is no such program."""
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"{command[0]}: no such program; check its name and PATH")
    return (program, *command[1:])


def run(command: Sequence[str], burst: Burst, environment: Mapping[str, str]) -> int:
    """Run the command for a burst and return its exit code.

    Its stdin is ``{"event_type", "file_keys", "events"}`` as JSON; its environment is ``environment`` with
    TOKENSYNC_EVENT_TYPE, TOKENSYNC_EVENT_COUNT and TOKENSYNC_FILE_KEYS (comma-separated). Raises OSError if it cannot
    be started.
    """
    keys = file_keys(burst)
    document = {"event_type": burst.event_type, "file_keys": keys, "events": burst.events}
    variables = {
        "TOKENSYNC_EVENT_TYPE": burst.event_type,
        "TOKENSYNC_EVENT_COUNT": str(len(burst.events)),
        "TOKENSYNC_FILE_KEYS": ",".join(keys),
    }
    # The command is the user's own, without any part of an event.
    return child.run(command, {**environment, **variables}, msgspec.json.encode(document), captured=False).returncode


def file_keys(burst: Burst) -> tuple[str, ...]:
    """Return the distinct file keys of the events, omitting invalid ones."""
    values = (event.get("file_key") for event in burst.events)
    keys = dict.fromkeys(key for key in values if isinstance(key, str) and _KEY.fullmatch(key))
    return tuple(keys)[:_MAX_KEYS]


def environment_for(secret: str, passed: Sequence[str] = ()) -> dict[str, str]:
    """Return the environment of the command: this one without the passcode and credentials of the platform.

    ``passed`` are the variables that it gets nevertheless. Raises UsageError if one of them is not set.
    """
    for name in passed:
        if name not in os.environ:
            raise UsageError(f"--env {name}: the environment variable is not set; set it, or remove the option")
    return child.inherited_environment(secret, passed)
