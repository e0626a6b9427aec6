"""What apps send to the token endpoints: a URL-encoded form, and who they are as Basic authorization."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from tokensync.emulator.accounts import apps
from tokensync.emulator.endpoints import body
from tokensync.emulator.endpoints.refusal import Refusal, invalid

if TYPE_CHECKING:
    from tokensync.emulator.accounts.apps import App
    from tokensync.emulator.endpoints.route import Call

FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 100
_UNAUTHORIZED: Final = (("WWW-Authenticate", 'Basic realm="OAuth app"'),)


def fields(call: Call) -> dict[str, str]:
    """Return the fields of the form; one that is given twice is refused (RFC 6749 section 3.2)."""
    if call.headers.get("Content-Type", "").partition(";")[0].strip().lower() != FORM:
        raise invalid(f"Content-Type must be {FORM}")
    encoded = body.whole(call)
    try:
        pairs = parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise invalid("Request body must be a URL-encoded form") from None
    named = dict(pairs)
    if len(named) != len(pairs):
        names = [name for name, _ in pairs]
        raise invalid(f"{next(name for name in names if names.count(name) > 1)[:100]} is given more than once")
    return named


def required(form: dict[str, str], name: str) -> str:
    """Return a field that has to be there and has to hold something."""
    if not form.get(name):
        raise invalid(f"{name} is required")
    return form[name]


def app(call: Call) -> App:
    """Return the app that sends the request, by its client id and secret."""
    scheme, _, encoded = call.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        raise Refusal(401, "Basic authorization with client id and client secret is required", _UNAUTHORIZED)
    try:
        client_id, _, secret = base64.b64decode(encoded.strip(), validate=True).decode("utf-8").partition(":")
    except (binascii.Error, ValueError):
        client_id, secret = "", ""
    found = apps.authenticated(call.connection, client_id, secret)
    if found is None:
        raise Refusal(401, "Invalid client id or client secret", _UNAUTHORIZED)
    return found
