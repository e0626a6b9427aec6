"""An emulator served by a process of its own that is killed and started again on the same state."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Self


class Life(NamedTuple):
    """One process, from its start until it is killed: ``number`` counts them."""

    number: int
    host: str
    port: int
    token: str


class Served:
    """A context: the process runs in it, on the state in the file ``state``."""

    def __init__(self, state: str, *seeds: str) -> None:
        self._state = state
        self._seeds = seeds
        self._alive = threading.Condition()
        self._life: Life | None = None
        self._killed = 0

    def __enter__(self) -> Self:
        self._start(0, *(("--sample", "--seed", *self._seeds) if self._seeds else ()))
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def life(self) -> Life:
        """Return the running process; wait until there is one."""
        with self._alive:
            self._alive.wait_for(lambda: self._life is not None, timeout=60)
            if self._life is None:
                raise RuntimeError("the emulator does not start again")
            return self._life

    def was_killed(self, life: Life) -> bool:
        """Return whether the end of this process explains a broken connection."""
        return life.number <= self._killed

    def kill(self) -> None:
        """Kill the process (SIGKILL), and start another on the same state."""
        life = self.life()
        with self._alive:
            self._life = None
            self._killed = life.number
        self._process.kill()
        self._process.wait()
        self._start(life.number)

    def _start(self, before: int, *arguments: str) -> None:
        command = [sys.executable, "-m", "tokensync", "emulator", "serve", "-q", "--port", "0", "--state", self._state]
        self._process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, encoding="utf-8")
        assert self._process.stdout is not None  # noqa: S101 - it is piped
        document = json.loads(self._process.stdout.readline())
        host, _, port = document["base_url"].removeprefix("http://").rpartition(":")
        with self._alive:
            self._life = Life(before + 1, host, int(port), document["token"])
            self._alive.notify_all()
