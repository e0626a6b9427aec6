"""Nothing that carries a secret shows it where a debugger, a failed assertion or a log would print the object."""

from typing import Any

import pytest

from tokensync.client.endpoint import Request
from tokensync.client.endpoints.webhooks import Webhook as ClientWebhook
from tokensync.client.responses import Answer
from tokensync.commands.listening import Listener
from tokensync.emulator.access import Credentials
from tokensync.emulator.apps import Created
from tokensync.emulator.endpoints import Call
from tokensync.emulator.people import User
from tokensync.emulator.services.webhooks import NewWebhook
from tokensync.emulator.store import Identities
from tokensync.emulator.tokens import Token
from tokensync.emulator.webhooks import Webhook

SECRET = "tide-and-time"
TOKEN = Token(SECRET, "personal", ("file_variables:read",), 0.0, "1", "token", None)
CALL: dict[str, Any] = {
    "connection": None,
    "now": 0.0,
    "identities": Identities("seed"),
    "body": SECRET.encode(),
    "query": {"state": SECRET},
    "headers": {"X-Figma-Token": SECRET},
    "root": "http://127.0.0.1",
    "token": TOKEN,
    "user": User("1", "owner", "owner@example.com", "full", True, "owner"),
}
CARRIERS = (
    Request("POST", f"v1/oauth/token?code={SECRET}", "", SECRET.encode(), basic=SECRET),
    Answer(200, {"Set-Cookie": SECRET}, SECRET.encode()),
    ClientWebhook("1", passcode=SECRET),
    Listener(("true",), {"PASSWORD": SECRET}, SECRET),
    TOKEN,
    Created("client", SECRET),
    Credentials(SECRET, f"Bearer {SECRET}"),
    Call(**CALL),
    NewWebhook("FILE_UPDATE", "file", "key", "https://example.com", SECRET, "ACTIVE", None),
    Webhook(1, "FILE_UPDATE", "file", "key", "1", "team-1", "ACTIVE", None, SECRET, "https://example.com", None),
)


@pytest.mark.parametrize("carrier", CARRIERS, ids=lambda each: f"{type(each).__module__}.{type(each).__name__}")
def test_objects_with_a_secret_do_not_show_it(carrier):
    assert SECRET not in f"{carrier!r} {carrier} {[carrier]}"
    assert type(carrier).__name__ in repr(carrier)
