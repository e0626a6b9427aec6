"""The rows of the contract: cited sentences of the specification, a request, and the expected answer.

Each group of endpoints has a module beside this one with ``ROWS``; test_contract.py runs them all. ``cites`` quotes
sentences.py exactly. ``{name}`` in paths, bodies and tokens is replaced by a name from ``standard``, or from the row's
``setup``, which receives the platform and sets up its state.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from emulator.contract.schemas import check_success
from emulator.platform import KEY, Platform

NOBODY = ""
"""The ``by`` of a request without a token."""


class Request(NamedTuple):
    """A request. ``body`` is JSON or bytes; ``form`` replaces it.

    ``by`` is the token header, or the Authorization header if it starts with ``Bearer`` or ``Basic``.
    """

    method: str
    path: str
    body: Any = None
    form: Mapping[str, str] | None = None
    by: str = "{token}"
    base_url: str = "https://emulator.invalid"


def no_setup(platform: Platform) -> Mapping[str, str]:
    """Set up no state, the default ``setup``."""
    return {}


class Answer(NamedTuple):
    """An answer. ``body`` is decoded JSON, bytes of another type, or None without content."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Row(NamedTuple):
    """A request and its expected answer. ``message`` is a regular expression for the complete message of a refusal.

    ``body_matches`` checks the decoded body; ``after`` checks the answer and the platform. ``live`` rows only read
    properties of every file, team or folder, so they also run against the real service.
    """

    cites: tuple[str, ...]
    request: Request
    status: int = 200
    message: str = ""
    body_matches: Callable[[Any], bool] = lambda body: True
    setup: Callable[[Platform], Mapping[str, str]] = no_setup
    after: Callable[[Answer, Platform], bool] = lambda answer, platform: True
    live: bool = False

    @property
    def name(self) -> str:
        """Return the id of the row's test."""
        path = self.request.path.partition("?")[0]
        words = re.sub(r"[^\w.]+", "-", f"{self.request.method} {path} {self.status} {self.cites[0]}")
        return words[:120]


def get(path: str, **more: Any) -> Request:
    """Return a GET request."""
    return Request("GET", path, **more)


def post(path: str, body: Any = None, **more: Any) -> Request:
    """Return a POST request with JSON or a ``form``."""
    return Request("POST", path, body, **more)


def put(path: str, body: Any, **more: Any) -> Request:
    """Return a PUT request with JSON."""
    return Request("PUT", path, body, **more)


def delete(path: str, **more: Any) -> Request:
    """Return a DELETE request."""
    return Request("DELETE", path, **more)


def standard(platform: Platform) -> dict[str, str]:
    """Return the names that every row may use."""
    return {"file": KEY, "team": "1", "folder": "1", "token": platform.emulator.default_token}


def filled(value: Any, names: Mapping[str, str]) -> Any:
    """Replace every known ``{name}`` in the strings of a value."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), value)
    if isinstance(value, dict):
        return {filled(key, names): filled(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [filled(each, names) for each in value]
    return value


def headers_of(request: Request, names: Mapping[str, str]) -> dict[str, str]:
    """Return the authentication headers of a request."""
    credentials = filled(request.by, names)
    if not credentials:
        return {}
    return {"Authorization" if credentials.startswith(("Bearer", "Basic")) else "X-Figma-Token": credentials}


def send(platform: Platform, request: Request, names: Mapping[str, str]) -> Answer:
    """Send a request to the emulator in process, and return the answer."""
    more: dict[str, Any] = {"headers": headers_of(request, names), "base_url": request.base_url}
    if request.form is not None:
        more["data"] = filled(request.form, names)
    elif isinstance(request.body, bytes):
        more["data"] = request.body
    elif request.body is not None:
        more["data"] = json.dumps(filled(request.body, names)).encode()
        more["content_type"] = "application/json"
    answer = platform.request(request.method, filled(request.path, names), **more)
    return Answer(answer.status_code, answer.headers, decoded(answer.data, answer.content_type))


def decoded(content: bytes, content_type: str | None) -> Any:
    """Return the value of a JSON body, the bytes of another body, or None without content."""
    if not content:
        return None
    return json.loads(content) if (content_type or "").startswith("application/json") else content


def verify(row: Row) -> None:
    """Send a row's request to a new platform, and check the answer."""
    platform = Platform()
    names = standard(platform)
    names |= row.setup(platform)
    answer = send(platform, row.request, names)
    check(row, answer)
    if answer.status == 200:
        check_success(row.request.method, filled(row.request.path, names).partition("?")[0], answer.body)
    assert row.after(answer, platform), answer


def check(row: Row, answer: Answer) -> None:
    """Check the status, message and body of an answer."""
    assert answer.status == row.status, answer.body
    if row.status >= 400:
        text = message(answer.body)
        assert re.fullmatch(row.message, text, re.DOTALL), f"{text!r} is not {row.message!r}"
        if isinstance(answer.body, dict) and "status" in answer.body:
            assert answer.body["status"] == row.status
    assert row.body_matches(answer.body), answer.body


def message(body: Any) -> str:
    """Return the message of an error body in any format."""
    if isinstance(body, bytes):
        return body.decode()
    return next(str(body[member]) for member in ("message", "err", "error_description", "error") if body.get(member))
