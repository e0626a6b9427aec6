"""In-process emulation of Figma's REST API: a WSGI application, and the plain methods that set its state."""

from __future__ import annotations

import secrets
import time
from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.emulator.access import Organization, Sharing
from tokensync.emulator.apps import Apps
from tokensync.emulator.editor import Events, Files
from tokensync.emulator.endpoints import QUIRKS
from tokensync.emulator.files import Teams
from tokensync.emulator.history import Activity, RequestLog, TextEvents
from tokensync.emulator.people import People
from tokensync.emulator.services.analytics import Analytics
from tokensync.emulator.services.comments import Comments
from tokensync.emulator.services.files import Versions
from tokensync.emulator.services.libraries import Libraries
from tokensync.emulator.services.logs import DeveloperLogs
from tokensync.emulator.services.variables.collections import Variables
from tokensync.emulator.store import Clock, Identities, Store, set_value, value_of
from tokensync.emulator.tokens import Tokens
from tokensync.emulator.webhooks import Delivery, post
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from tokensync.emulator.dispatch import Dispatcher
    from tokensync.emulator.services.variables.publishing import Seed
    from tokensync.emulator.webhooks import Sender


__all__ = ["Emulator"]

_ENTROPY = "entropy"


class Emulator:
    """An emulated Figma REST API: a WSGI application, also served over HTTP by ``server.Server``.

    ``state`` is the path of a SQLite file, or None for memory; ``follow_links`` is False for a path in a checkout.
    ``clock`` returns Unix seconds. Keys are derived from ``identity``. The same state, clock and identity give the same
    answers to the same requests; secrets differ between any two states. ``rate_limits`` enforces the platform's rate
    limits. ``quirks`` are names in ``endpoints.QUIRKS``. ``send`` delivers webhook events to their endpoints.
    """

    def __init__(
        self,
        state: str | None = None,
        *,
        follow_links: bool = True,
        clock: Callable[[], float] = time.time,
        identity: str = "tokensync",
        rate_limits: bool = False,
        quirks: Collection[str] = (),
        send: Sender = post,
    ) -> None:
        unknown = sorted(set(quirks) - QUIRKS.keys())
        if unknown:
            raise UsageError(f"quirks: unknown {unknown[0]!r}; use some of {', '.join(QUIRKS)}")
        self._rate_limits = rate_limits
        self._quirks = quirks
        self._store = Store(state, follow_links=follow_links)
        self.clock = Clock(self._store, clock)
        """The emulator's adjustable clock."""
        self._identities = Identities(identity, self._entropy())
        parts = (self._store, self._identities, self.clock)
        self.tokens = Tokens(*parts)
        self.files = Files(*parts)
        self.places = Teams(*parts)
        self.people = People(*parts)
        self.comments = Comments(*parts)
        self.variables = Variables(*parts)
        self.versions = Versions(*parts)
        self.sharing = Sharing(*parts)
        self.libraries = Libraries(*parts)
        self.analytics = Analytics(*parts)
        self.apps = Apps(*parts)
        self.events = Events(*parts)
        self._delivery = Delivery(self._store, self.clock, send, quirks)
        self.organization = Organization(*parts)
        self.developer_logs = DeveloperLogs(*parts)
        self.activity = Activity(*parts)
        self.text_events = TextEvents(*parts)
        self._requests = RequestLog(self._store)
        try:
            self.clock()  # within a transaction that writes, the first reading would open a second connection
            self.places.create_defaults()
            self.default_token = self.tokens.default()
            """A personal access token with every scope. Its user is an organization admin who owns every file."""
        except BaseException:
            self._store.close()
            raise

    @property
    def mark(self) -> str:
        """Three letters or digits with which its tokens begin, after their prefix."""
        return self._identities.mark

    def _entropy(self) -> str:
        """Return the random text of the state, from which its secrets are derived."""
        with self._store.reading() as connection:
            entropy = value_of(connection, _ENTROPY)
        if entropy is None:
            with self._store.writing() as connection:  # another process may have written it meanwhile
                entropy = value_of(connection, _ENTROPY) or secrets.token_hex()
                set_value(connection, _ENTROPY, entropy)
        return entropy

    def seed(self, file_key: str, local: bytes, published: bytes | None = None, name: str | None = None) -> None:
        """Replace the variables of a file with those of saved responses.

        ``local`` and ``published`` are bodies of the two GET endpoints. A missing file is created as a design file on
        the Enterprise plan. Raise ProblemsError for bytes that are not such a body.
        """
        from tokensync.emulator.services.variables.publishing import Seed

        self.seed_all([Seed(file_key, name, local, published)])

    def seed_all(self, seeds: Iterable[Seed]) -> None:
        """Replace the variables of several files as ``seed`` does, and the styles that are given; all or nothing."""
        from tokensync.emulator import files
        from tokensync.emulator.services import libraries
        from tokensync.emulator.services.variables import publishing

        now = self.clock()
        with self._store.writing() as connection:
            for seed in seeds:
                publishing.seed(connection, seed, now=now)
                if seed.styles is not None:
                    number = files.require(connection, seed.key).number
                    libraries.seed(connection, number, seed.styles, seed.styles_source)

    def publish(self, file_key: str, *, description: str | None = None) -> None:
        """Publish FILE as a library and notify its webhooks.

        A designer does that in the editor; the REST API cannot.
        """
        from tokensync.emulator import editor

        with self._store.writing() as connection:
            editor.publish(connection, file_key, self.clock(), description)

    def deliver_due(self) -> int:
        """Send every event that is due by the emulator's clock, and return the number of requests sent.

        A served emulator calls this itself.
        """
        return self._delivery.deliver_due()

    @property
    def is_due(self) -> bool:
        """Return whether an event is due by the emulator's clock."""
        due = self._delivery.next_due()
        return due is not None and due <= self.clock()

    def token_for(self, plan_scope: str | None) -> str:
        """Return the default token, or a plan access token of its user with only this scope; create it if necessary."""
        if plan_scope is None:
            return self.default_token
        owner = self.tokens.of(self.default_token).user
        for token in self.tokens.all():
            is_fitting = (token.kind, token.user, token.scopes) == ("plan", owner, (plan_scope,))
            if is_fitting and token.expires > self.clock():
                return token.secret
        return self.tokens.create(kind="plan", scopes=(plan_scope,), user=owner, name="tokensync")

    def copy(self) -> sqlite3.Connection:
        """Return a copy of the state, for ``restore``."""
        self._requests.flush()
        return self._store.copy()

    def restore(self, copied: sqlite3.Connection) -> None:
        """Replace the state by a copy of it, and forget the requests that were counted for rate limits."""
        self._requests.clear()
        self._store.replace(copied)
        self.clock.read()
        self.__dict__.pop("_dispatcher", None)

    def settle(self, seconds: float) -> int:
        """Advance the clock, deliver each event when it is due, its retries too, and return how many were sent."""
        end, sent = self.clock() + seconds, 0
        while True:
            sent += (newly := self.deliver_due())
            due = self._delivery.next_due()
            if due is None or due > end or (due <= self.clock() and not newly):  # the last: another process sends it
                break
            self.clock.advance(max(0.0, due - self.clock()))
        self.clock.advance(max(0.0, end - self.clock()))
        return sent

    def close(self) -> None:
        """Write pending log records and close the state. The emulator cannot be used afterwards."""
        try:
            self._requests.flush()
        finally:
            self._store.close()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request (PEP 3333)."""
        return self._dispatcher(environ, start_response)

    @cached_property
    def _dispatcher(self) -> Dispatcher:
        from tokensync.emulator.dispatch import Dispatcher, RateLimits

        limits = RateLimits() if self._rate_limits else None
        return Dispatcher(self._store, self._identities, self.clock, self._requests, limits, self._quirks)


def connection(address: str, state: str | None) -> Emulator:
    """Return the emulator for ``base_url = "emulator:"``, with its state in a file.

    Raises UsageError for an address.
    """
    if address:
        raise UsageError("base_url: the emulator has no address; write emulator:")
    return Emulator(state, follow_links=False)
