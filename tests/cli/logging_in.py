"""``tokensync auth login`` as a process, against a running emulator."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import prepared
from cli.programs import environment, started

from tokensync.emulator import Emulator
from tokensync.emulator.server import Server

SCOPES = ("current_user:read", "file_variables:read", "file_variables:write")


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Platform:
    """An emulator on a socket with a published app, whose redirect URL has a free port."""

    def __init__(self, emulator: Emulator, base_url: str, clock: Clock, folder: Path, certificate: str | None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.callback = f"http://127.0.0.1:{free.getsockname()[1]}/callback"
        self.emulator = emulator
        self.base_url = base_url
        self.clock = clock
        self.certificate = certificate
        self.credentials = folder / "credentials"
        self.user = emulator.people.create("ann")
        self.client_id, self.client_secret = emulator.apps.create(
            "Harbor", redirect_urls=[self.callback], scopes=SCOPES
        )
        emulator.apps.publish(self.client_id)

    @property
    def settings(self) -> dict[str, str]:
        """Return the environment of the login."""
        return ({"REQUESTS_CA_BUNDLE": self.certificate} if self.certificate else {}) | {
            "TOKENSYNC_OAUTH_CLIENT_ID": self.client_id,
            "TOKENSYNC_OAUTH_CLIENT_SECRET": self.client_secret,
            "TOKENSYNC_CREDENTIALS": str(self.credentials),
            "TOKENSYNC_BASE_URL": self.base_url,
        }

    @contextmanager
    def login(self, *arguments: str, program: Sequence[str] = (), **settings: str) -> Iterator[Login]:
        """Start a login that waits for its browser, in a prepared process unless there is a ``program``."""
        command = ("auth", "login", "--no-browser", "--redirect-url", self.callback, "--timeout", "60", *arguments)
        variables = environment(**{**self.settings, **settings})
        with started(*command, command=program or prepared.command(), env=variables) as process:
            yield Login(process, process.stdout.readline().decode().strip())


class Login:
    """A running login and its authorization URL."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.process = process
        self.address = address

    def ended(self) -> tuple[int, str]:
        """Wait for the end and return the exit code and stderr."""
        stdout, stderr = self.process.communicate(timeout=60)
        assert b"Traceback" not in stderr, stderr
        assert stdout == b""
        return self.process.returncode, stderr.decode()


@contextmanager
def platform(folder: Path, *, tls: bool = False) -> Iterator[Platform]:
    """Yield the platform, with ``tls`` on HTTPS."""
    clock = Clock()
    emulator = Emulator(clock=clock)
    try:
        with Server(emulator, tls=tls) as server:
            yield Platform(emulator, server.base_url, clock, folder, server.certificate)
    finally:
        emulator.close()
