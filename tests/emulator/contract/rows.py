"""The rows of the contract: sentences of the specification, a request, and what has to come of it.

A module a group of endpoints beside this one has ``ROWS``; test_contract.py runs them all. A row's ``cites`` are
sentences of sentences.py, letter by letter. In paths, bodies and tokens ``{name}`` stands for what ``standard`` and the
row's ``given`` return; ``given`` gets the platform, sets the state that the row depends on, and may return more names.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from emulator.contract.schemas import check_success
from emulator.platform import KEY, Platform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NOBODY = ""
"""As ``by``: the request shows no token."""


class Request(NamedTuple):
    """``body`` is JSON or bytes; ``form`` a form in its place.

    ``by`` is what the token header says, or the Authorization header when it begins with ``Bearer`` or ``Basic``.
    """

    method: str
    path: str
    body: Any = None
    form: Mapping[str, str] | None = None
    by: str = "{token}"
    base_url: str = "https://emulator.invalid"


def nothing(platform: Platform) -> Mapping[str, str]:
    """The ``given`` of a row that depends on no state of its own."""
    return {}


class Answer(NamedTuple):
    """``body`` is decoded JSON, or bytes of another type, or None of no content."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Row(NamedTuple):
    """``says`` is the whole message of a refusal, as a regular expression.

    ``holds`` is asked about the decoded body of a success, ``after`` about the answer and the platform. ``live`` rows
    only read what any file, team or folder has, so they are also asked of the real service.
    """

    cites: tuple[str, ...]
    request: Request
    status: int = 200
    says: str = ""
    holds: Callable[[Any], bool] = lambda body: True
    given: Callable[[Platform], Mapping[str, str]] = nothing
    after: Callable[[Answer, Platform], bool] = lambda answer, platform: True
    live: bool = False

    @property
    def name(self) -> str:
        """What a test of it is called."""
        path = self.request.path.partition("?")[0]
        words = re.sub(r"[^\w.]+", "-", f"{self.request.method} {path} {self.status} {self.cites[0]}")
        return words[:120]


def get(path: str, **more: Any) -> Request:
    """A GET."""
    return Request("GET", path, **more)


def post(path: str, body: Any = None, **more: Any) -> Request:
    """A POST of JSON, or of ``form``."""
    return Request("POST", path, body, **more)


def put(path: str, body: Any, **more: Any) -> Request:
    """A PUT of JSON."""
    return Request("PUT", path, body, **more)


def delete(path: str, **more: Any) -> Request:
    """A DELETE."""
    return Request("DELETE", path, **more)


def standard(platform: Platform) -> dict[str, str]:
    """The names that every row may use."""
    return {"file": KEY, "team": "1", "folder": "1", "token": platform.emulator.default_token}


def filled(value: Any, names: Mapping[str, str]) -> Any:
    """The value with every ``{name}`` in its texts replaced; other braces stay as they are."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), value)
    if isinstance(value, dict):
        return {filled(key, names): filled(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [filled(each, names) for each in value]
    return value


def headers_of(request: Request, names: Mapping[str, str]) -> dict[str, str]:
    """The headers that a request shows its token in."""
    shown = filled(request.by, names)
    if not shown:
        return {}
    return {"Authorization" if shown.startswith(("Bearer", "Basic")) else "X-Figma-Token": shown}


def asked(platform: Platform, request: Request, names: Mapping[str, str]) -> Answer:
    """The emulator's answer, in process."""
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
    """The value of a JSON body; of another kind the bytes; None where there are none."""
    if not content:
        return None
    return json.loads(content) if (content_type or "").startswith("application/json") else content


def hold(row: Row) -> None:
    """Ask the request of a platform of its own; what comes of it is what the row says."""
    platform = Platform()
    names = standard(platform)
    names |= row.given(platform)
    answer = asked(platform, row.request, names)
    check(row, answer)
    if answer.status == 200:
        check_success(row.request.method, filled(row.request.path, names).partition("?")[0], answer.body)
    assert row.after(answer, platform), answer


def check(row: Row, answer: Answer) -> None:
    """Status, message and body of an answer are the row's."""
    assert answer.status == row.status, answer.body
    if row.status >= 400:
        told = message(answer.body)
        assert re.fullmatch(row.says, told, re.DOTALL), f"{told!r} is not {row.says!r}"
        if isinstance(answer.body, dict) and "status" in answer.body:
            assert answer.body["status"] == row.status
    assert row.holds(answer.body), answer.body


def message(body: Any) -> str:
    """What an error body says, in whichever of the families."""
    if isinstance(body, bytes):
        return body.decode()
    return next(str(body[member]) for member in ("message", "err", "error_description", "error") if body.get(member))
