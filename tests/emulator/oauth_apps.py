"""The OAuth flow of an app, step by step as in a browser and on a server."""

import base64
import hashlib
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from emulator.platform import NOW, Platform, start

CALLBACK = "http://127.0.0.1:7000/callback"
SCOPES = ("current_user:read", "file_variables:read")
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
ORIGIN = "https://emulator.invalid"


class Journey:
    """A platform with a published private app; ``now`` is its clock."""

    def __init__(self, *, publish: bool = True, **app: Any) -> None:
        self.now = NOW
        self.platform = Platform(start(clock=lambda: self.now))
        self.emulator = self.platform.emulator
        self.apps = self.emulator.apps
        self.user = self.emulator.people.create("ann")
        self.client_id, self.client_secret = self.apps.create(
            "Harbor", **{"redirect_urls": [CALLBACK], "scopes": SCOPES, **app}
        )
        if publish:
            self.apps.publish(self.client_id)

    def query(self, **changes: Any) -> dict[str, str]:
        """Return the query of an authorization URL with changes; None omits a parameter."""
        parameters = {
            "client_id": self.client_id,
            "redirect_uri": CALLBACK,
            "scope": " ".join(SCOPES),
            "state": "a state",
            "response_type": "code",
            **changes,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    def page(self, prefix: str = "", **changes: Any) -> Any:
        return self.platform.request("GET", f"{prefix}/oauth?{urlencode(self.query(**changes))}", headers={})

    def decide(self, decision: str = "allow", *, user: str | None = None, headers: Any = None, **changes: Any) -> Any:
        form = self.query(**changes) | {"user": user or self.user, "decision": decision}
        headers = {"Origin": ORIGIN} if headers is None else headers
        return self.platform.request("POST", "/oauth", headers=headers, data=form)

    def code(self, **changes: Any) -> str:
        """Return the code that the callback receives after Allow."""
        answer = self.decide(**changes)
        assert answer.status_code == 303, answer.text
        return parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]

    def basic(self, secret: str | None = None) -> dict[str, str]:
        pair = f"{self.client_id}:{self.client_secret if secret is None else secret}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    def send(self, path: str, headers: Any = None, **form: Any) -> Any:
        headers = self.basic() if headers is None else headers
        return self.platform.request("POST", path, headers=headers, data=form)

    def exchange(self, code: str | None = None, **form: Any) -> Any:
        fields = {
            "grant_type": "authorization_code",
            "redirect_uri": CALLBACK,
            "code": self.code() if code is None else code,
            **form,
        }
        return self.send("/v1/oauth/token", **{name: value for name, value in fields.items() if value is not None})

    def me(self, token: str) -> Any:
        return self.platform.request("GET", "/v1/me", headers={"Authorization": f"Bearer {token}"})
