"""The emulator as a WSGI application, and the plain methods that set its state."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.emulator.apps import Apps
from tokensync.emulator.delivery import Delivery, post
from tokensync.emulator.editor import Events, Files
from tokensync.emulator.history import Activity, TextEvents
from tokensync.emulator.libraries import Libraries
from tokensync.emulator.organization import Organization
from tokensync.emulator.people import People
from tokensync.emulator.request_log import RequestLog
from tokensync.emulator.services.analytics import Analytics
from tokensync.emulator.services.comments import Comments
from tokensync.emulator.services.developer_logs import DeveloperLogs
from tokensync.emulator.services.versions import Versions
from tokensync.emulator.sharing import Sharing
from tokensync.emulator.store import Clock, Identities, Store
from tokensync.emulator.teams import Teams
from tokensync.emulator.tokens import Tokens
from tokensync.emulator.variables.variables import Variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from tokensync.emulator.delivery import InBackground, Sender
    from tokensync.emulator.dispatch import Dispatcher


class Emulator:
    """The platform in a process: call it as a WSGI application, or serve it with ``serving.server``.

    ``state`` is a SQLite file that outlives the process, or None for memory. ``clock`` gives Unix seconds; ``identity``
    is what keys and token secrets are derived from. With the same three, the same requests give the same answers.
    With ``rate_limits`` the emulator refuses what is over the platform's limits. ``send`` takes events to endpoints.
    """

    def __init__(
        self,
        state: str | None = None,
        *,
        clock: Callable[[], float] = time.time,
        identity: str = "tokensync",
        rate_limits: bool = False,
        send: Sender = post,
    ) -> None:
        self._rate_limits = rate_limits
        self._store = Store(state)
        self.clock = Clock(self._store, clock)
        """The emulator's time, which can be moved."""
        self._identities = Identities(identity)
        self.tokens = Tokens(self._store, self._identities, self.clock)
        self.files = Files(self._store, self.clock)
        self.places = Teams(self._store, self.clock)
        self.people = People(self._store)
        self.comments = Comments(self._store, self.clock)
        self.variables = Variables(self._store)
        self.versions = Versions(self._store, self.clock)
        self.sharing = Sharing(self._store)
        self.libraries = Libraries(self._store, self._identities, self.clock)
        self.analytics = Analytics(self._store, self.clock)
        self.apps = Apps(self._store, self._identities)
        self.events = Events(self._store, self._identities, self.clock)
        self._delivery = Delivery(self._store, self.clock, send)
        self.organization = Organization(self._store)
        self.developer_logs = DeveloperLogs(self._store, self.clock)
        self.activity = Activity(self._store, self.clock)
        self.text_events = TextEvents(self._store, self.clock)
        self._requests = RequestLog(self._store)
        self.places.first()
        self.default_token = self.tokens.default()
        """A personal access token with every scope, of an admin who owns every file."""

    def seed(self, file_key: str, local: bytes, published: bytes | None = None, name: str | None = None) -> None:
        """Give a file the variables of saved responses; GET then answers just these.

        ``local`` and ``published`` are bodies of the two GET endpoints; what the file had before is replaced. A file
        that is not there is made, a design file on the enterprise plan. Bytes that are none raise ProblemsError.
        """
        from tokensync.emulator.variables import seeding

        with self._store.writing() as connection:
            seeding.seed(connection, file_key, local, published, name, now=self.clock())

    def publish(self, file_key: str, *, description: str | None = None) -> None:
        """Publish a main file's library, as a designer does in the editor: no endpoint can.

        Whoever asked for LIBRARY_PUBLISH is told what changed, with the description.
        """
        from tokensync.emulator import editor

        with self._store.writing() as connection:
            editor.publish(connection, file_key, self.clock(), description)

    def deliver_due(self) -> int:
        """Send every event whose time has come, by the emulator's clock; how many requests that took.

        A served emulator does it by itself.
        """
        return self._delivery.deliver_due()

    def delivering(self) -> InBackground:
        """Return a context manager: in it, events are delivered by a thread."""
        from tokensync.emulator.delivery import InBackground

        return InBackground(self.deliver_due)

    def close(self) -> None:
        """Write what is still to be recorded and close the state; the emulator is not used afterwards."""
        try:
            self._requests.flush()
        finally:
            self._store.close()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request (PEP 3333)."""
        return self._dispatcher(environ, start_response)

    @cached_property
    def _dispatcher(self) -> Dispatcher:
        from tokensync.emulator.dispatch import Dispatcher
        from tokensync.emulator.rate_limits import RateLimits

        limits = RateLimits() if self._rate_limits else None
        return Dispatcher(self._store, self._identities, self.clock, self._requests, limits)
