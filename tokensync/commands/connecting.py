"""The client of a project: credentials from the environment, or the embedded emulator in this very process."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokensync.disk import create_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.client import Client, Wait
    from tokensync.config import Project
    from tokensync.emulator import Emulator

EMULATOR = "emulator:"
STATE_FOLDER = ".tokensync"
STATE_FILE = "emulator.sqlite"


@contextmanager
def connect(project: Project, *, on_wait: Callable[[str], None] = lambda text: None) -> Iterator[Client]:
    """A client for the project's ``base_url``; ``on_wait`` is told before each wait for a retry.

    Raises UsageError when the address cannot be used or the environment holds no credentials for it.
    """
    from tokensync.client import Client, Credential, RetryPolicy, required_from_environment

    config = project.config

    def client(credential: Credential, emulator: Emulator | None) -> Client:
        return Client(
            config.base_url,
            credential,
            wsgi=emulator,
            connect_timeout=config.client.connect_timeout,
            read_timeout=config.client.read_timeout,
            retry=RetryPolicy(attempts=config.client.attempts, longest_retry_after=config.client.longest_wait),
            on_wait=lambda wait: on_wait(_told(wait)),
        )

    if config.base_url != EMULATOR:
        with client(required_from_environment(os.environ), None) as connected:
            yield connected
        return
    with embedded_emulator(project) as emulator:
        credential = Credential("personal", emulator.default_token, "the emulator's token")
        with client(credential, emulator) as connected:
            yield connected


@contextmanager
def embedded_emulator(project: Project) -> Iterator[Emulator]:
    """The project's own emulator, with its state in ``.tokensync/``, which git is told to leave out."""
    from tokensync.emulator import Emulator

    emulator = Emulator(os.path.join(state_folder(project), STATE_FILE))
    try:
        yield emulator
    finally:
        emulator.close()


def state_folder(project: Project) -> str:
    """The folder for what is this machine's alone, made when it is not there; git is told to leave it out."""
    folder = project.path(STATE_FOLDER)
    if not os.path.isdir(folder):
        os.makedirs(folder)
        create_file(os.path.join(folder, ".gitignore"), b"*\n")
    return folder


def _told(wait: Wait) -> str:
    return f"{wait.reason}; trying again in {wait.seconds:.0f} s ({wait.attempt} of {wait.attempts})"
