"""The client of commands that may be called outside a project, too."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.cli.console import Console
    from tokensync.client import Client
    from tokensync.project.configuration import Project


@contextmanager
def connected(
    config: str | None, base_url: str | None, console: Console, *, plan_scope: str | None = None
) -> Iterator[tuple[Project, Client]]:
    """The project that is asked from, and a client for its platform; the console says what is waited for.

    ``plan_scope`` is that of ``connect``.
    """
    from tokensync.project.connection import connect, project_for

    project = project_for(config, base_url)
    with connect(project, on_wait=console.say, plan_scope=plan_scope) as client:
        yield project, client
