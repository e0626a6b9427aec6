"""Runs the command for a burst of events; never by a shell, and with nothing of an event among its arguments."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.commands.listening.folding import Burst

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)
_MOST_KEYS: Final = 100


def resolved(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command with the whole path of its program; a UsageError when there is none of its name."""
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"{command[0]}: no such program; check its name, and PATH")
    return (program, *command[1:])


def run(command: Sequence[str], burst: Burst, environment: Mapping[str, str]) -> int:
    """Run the command to its end; its exit code.

    It gets ``{"event_type", "file_keys", "events"}`` as JSON on stdin, and TOKENSYNC_EVENT_TYPE,
    TOKENSYNC_EVENT_COUNT and TOKENSYNC_FILE_KEYS (joined by commas) besides ``environment``. Raises OSError when it
    cannot be started.
    """
    keys = file_keys(burst)
    document = {"event_type": burst.event_type, "file_keys": keys, "events": burst.events}
    told = {
        "TOKENSYNC_EVENT_TYPE": burst.event_type,
        "TOKENSYNC_EVENT_COUNT": str(len(burst.events)),
        "TOKENSYNC_FILE_KEYS": ",".join(keys),
    }
    done = subprocess.run(  # noqa: S603 - the command is the caller's own; nothing of an event is in it
        list(command), input=msgspec.json.encode(document), env={**environment, **told}, check=False
    )
    return done.returncode


def file_keys(burst: Burst) -> tuple[str, ...]:
    """Return the keys of the files that the events are about, each once; texts that are no keys are omitted."""
    found = (event.get("file_key") for event in burst.events)
    keys = dict.fromkeys(key for key in found if isinstance(key, str) and _KEY.fullmatch(key))
    return tuple(keys)[:_MOST_KEYS]


def environment_without(secret: str) -> dict[str, str]:
    """Return the environment without the variable that holds the passcode: no command needs it."""
    return {name: value for name, value in os.environ.items() if name != secret}
