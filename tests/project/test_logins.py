"""Stored logins: their use and renewal."""

import keyring
import pytest
from commands.projects import tokensync
from emulator.conftest import _close_emulators  # noqa: F401 - an autouse fixture
from emulator.oauth_apps import Journey
from emulator.platform import KEY

from tokensync.commands.auth import Status
from tokensync.extract.client import Client
from tokensync.extract.client.credentials import CredentialStore, Login
from tokensync.project.connection import Renewal
from tokensync.system.errors import AccessError, RequestError

DAY = 86400
LABEL = "emulator:"


class World:
    """An emulator with an app that a user authorized, and the resulting login."""

    def __init__(self, folder):
        self.journey = Journey()
        self.store = CredentialStore({"TOKENSYNC_CREDENTIALS": str(folder)})
        grant = self.journey.exchange().json
        self.refreshes = 0
        self.login = Login(
            "oauth",
            grant["access_token"],
            self.journey.now + grant["expires_in"],
            grant["refresh_token"],
            self.journey.client_id,
            self.journey.client_secret,
        )
        self.store.save(LABEL, self.login)
        self.renewal = Renewal(self.store, LABEL, self.app_client, lambda: self.journey.now)

    def app_client(self, credential):
        self.refreshes += 1
        return Client("emulator:", credential, wsgi=self.journey.emulator)

    def client(self, credential):
        return Client("emulator:", credential, wsgi=self.journey.emulator, renew=self.renewal)

    @property
    def stored(self):
        return self.store.find(LABEL).login


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_valid_token_is_used_without_renewal(world):
    credential = world.renewal.first()
    assert credential.secret == world.login.token
    world.client(credential).variables.local(KEY)
    assert (world.refreshes, world.stored) == (0, world.login)


def test_token_that_is_about_to_expire_is_renewed_before_use(world):
    world.journey.now += 90 * DAY - 30
    credential = world.renewal.first()
    assert credential.secret != world.login.token
    world.client(credential).variables.local(KEY)
    assert world.refreshes == 1
    assert (world.stored.token, world.stored.expires) == (credential.secret, world.journey.now + 90 * DAY)
    assert world.stored.refresh_token == world.login.refresh_token


def test_refused_token_is_renewed_once_and_the_request_repeated(world):
    credential = world.renewal.first()
    world.journey.emulator.tokens.revoke(credential.secret)
    with world.client(credential) as client:
        client.variables.local(KEY)
        client.variables.local(KEY)
    assert world.refreshes == 1
    assert world.journey.me(world.stored.token).status_code == 200


def test_token_of_a_concurrent_run_is_used_and_not_revoked(world):
    credential = world.renewal.first()
    other_run = World.app_client(world, credential)
    grant = other_run.oauth.refresh(world.login.client_id, world.login.client_secret, world.login.refresh_token)
    world.store.save(LABEL, Login("oauth", grant.access_token, None, *_app(world.login)))
    world.refreshes = 0
    world.client(credential).variables.local(KEY)
    assert world.refreshes == 0
    assert world.journey.me(grant.access_token).status_code == 200


def test_refused_refresh_asks_to_log_in_again(world):
    world.journey.exchange()  # another login of this app and user
    with pytest.raises(RequestError, match="no longer accepts the stored login .*; log in again with tokensync"):
        world.client(world.renewal.first()).variables.local(KEY)


def test_personal_token_is_not_renewed(world):
    token = world.journey.emulator.tokens.create(expires_in_days=1)
    world.store.save(LABEL, Login("personal", token))
    world.client(world.renewal.first()).variables.local(KEY)
    world.journey.now += DAY
    with pytest.raises(AccessError, match="log in again with tokensync auth login"):
        world.client(world.renewal.first()).variables.local(KEY)
    assert world.refreshes == 0


def test_without_a_login_there_is_no_token(world):
    credential = world.renewal.first()
    world.store.delete(LABEL)
    assert world.renewal.first() is None
    assert world.renewal(credential) is None


def test_status_of_an_expired_token_depends_on_renewal():
    status = Status("api.figma.com", "a file", "oauth", expires=100.0)
    assert [status.expired(now) for now in (99.0, 100.0)] == [False, True]
    assert not status._replace(renewable=True).expired(100.0)
    assert not status._replace(expires=None).expired(100.0)


def _app(login):
    return login.refresh_token, login.client_id, login.client_secret


def test_logout_fails_if_the_keyring_does_not_delete_the_login(folder, monkeypatch):
    class Stubborn(keyring.backend.KeyringBackend):
        priority = 5

        def get_password(self, service, username):
            return '{"kind": "personal", "token": "figd_old"}'

        def set_password(self, service, username, password):
            raise keyring.errors.PasswordSetError

        def delete_password(self, service, username):
            raise keyring.errors.PasswordDeleteError

    for each in ("TOKENSYNC_CREDENTIALS", "CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION"):  # CI has no keyring
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setattr(keyring, "get_keyring", Stubborn)
    stderr = tokensync("auth", "logout", "--base-url", "figma", code=1).stderr
    assert "entry tokensync of api.figma.com): it did not delete the login; delete the entry" in stderr
    assert "no stored login" not in stderr
