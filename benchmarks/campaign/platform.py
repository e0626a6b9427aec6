"""The platform of a campaign: an emulator in a process of its own, filled through its state, read past every proxy."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tokensync.emulator import Emulator

if TYPE_CHECKING:
    from typing import Self


class Platform:
    """A context: ``tokensync emulator serve`` runs in it. ``address`` is its (host, port), ``token`` opens it."""

    def __init__(self, scratch: str) -> None:
        self.state = os.path.join(scratch, "emulator.sqlite")
        self.address = ("", 0)
        self.token = ""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tokensync", "emulator", "serve", "--port", "0", "--state", self.state]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
        assert self._process.stdout is not None  # noqa: S101 - it is piped
        first = json.loads(self._process.stdout.readline())
        host, _, port = first["base_url"].removeprefix("http://").rpartition(":")
        self.address, self.token = (host, int(port)), first["token"]
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


class DesignFile:
    """One file of the platform, as a designer's own hands and eyes have it."""

    def __init__(self, platform: Platform, key: str) -> None:
        self.key = key
        self._platform = platform
        self._emulator = Emulator(platform.state)

    def fill(self, response: bytes) -> None:
        """Put the file into the state of a response."""
        self._emulator.seed(self.key, response)

    def read(self) -> bytes:
        """Return the current document."""
        status, answer = self._ask("GET", "/local", None)
        if status != 200:
            raise RuntimeError(f"the emulator answers {status}: {answer!r}")
        return answer

    def change(self, body: dict[str, Any]) -> bool:
        """Change it as somebody else does; False when it cannot be changed like this any more."""
        return self._ask("POST", "", json.dumps(body).encode())[0] == 200

    def close(self) -> None:
        """Let go of the state."""
        self._emulator.close()

    def _ask(self, method: str, what: str, body: bytes | None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(*self._platform.address, timeout=60)
        try:
            headers = {"X-Figma-Token": self._platform.token, "Content-Type": "application/json"}
            connection.request(method, f"/v1/files/{self.key}/variables{what}", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
