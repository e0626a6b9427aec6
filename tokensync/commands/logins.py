"""The credential of a run: the environment's, or the stored login's, which is renewed when it is of no use any more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.client import Client, Credential
    from tokensync.client.credential_store import CredentialStore, Login

_EARLY_SECONDS = 60.0
"""A token that expires this soon is renewed before it is used."""


class Renewal:
    """Finds another access token for a platform when one is refused: the one that another run got, or a refreshed one.

    ``app_client`` makes the client on which the OAuth app of a login shows its secret.
    """

    def __init__(
        self,
        store: CredentialStore,
        place: str,
        app_client: Callable[[Credential], Client],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._place = place
        self._app_client = app_client
        self._clock = clock

    def __call__(self, refused: Credential) -> Credential | None:
        """Another token than the refused one; None when there is none. A refresh that is refused is a PlatformError."""
        found = self._store.find(self._place)
        if found is None:
            return None
        if found.login.token != refused.secret:
            return found.login.credential
        return self._refreshed(found.login) if found.login.renewable else None

    def first(self) -> Credential | None:
        """Return the stored token to begin with, renewed when it has expired or is about to; None when none is
        stored.
        """
        found = self._store.find(self._place)
        if found is None:
            return None
        login = found.login
        if login.renewable and login.expires is not None and login.expires - _EARLY_SECONDS <= self._clock():
            return self._refreshed(login)
        return login.credential

    def _refreshed(self, login: Login) -> Credential:
        import msgspec

        asked_at = self._clock()
        with self._app_client(app_credential(login.client_secret, login.refresh_token)) as client:
            grant = client.oauth.refresh(login.client_id, login.client_secret, login.refresh_token)
        renewed = msgspec.structs.replace(
            login,
            token=grant.access_token,
            expires=asked_at + grant.expires_in,
            refresh_token=grant.refresh_token or login.refresh_token,
        )
        self._store.save(self._place, renewed)
        return renewed.credential


def app_credential(client_secret: str, *others: str) -> Credential:
    """Return an OAuth app's secret as the credential of a client, so that it and the others are hidden in all
    messages.
    """
    from tokensync.client import Credential

    return Credential("oauth", client_secret, "the client secret of the OAuth app", others)
