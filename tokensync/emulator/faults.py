"""Scripted faults between a client and the emulator: refusals, waits, and connections that drop.

A script is a file of TOML or JSON with ``rules``, and ``seed`` for those that are left to chance:

    [[rules]]
    method = "POST"
    path = "/v1/files/*/variables"
    nth = [2, 3]
    drop = "after"

The first rule that fits a request befalls it. ``status`` answers in the emulator's place; ``drop`` closes the
connection without an answer, "before" the request is carried out or "after"; ``latency`` waits first.
"""

from __future__ import annotations

import errno
import fnmatch
import json
import random
import re
import threading
import time
import tomllib
from http.client import responses
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


_JSON: Final = "application/json; charset=utf-8"
_WITHOUT_BODY: Final = (204, 304)
"""Statuses of answers that have none (RFC 9110, 6.4.1): a client would take one for the next answer."""
_OF_THE_BODY: Final = ("content-length", "transfer-encoding")
_FIELD_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which requests, and what befalls them.

    ``method`` and ``path`` (without the query, with ``*`` for anything) choose requests; of those, ``nth`` the ones of
    these numbers, counted from 1, ``every`` each so manyth, ``probability`` a part of them. ``latency`` is in seconds.
    """

    method: str = "*"
    path: str = "*"
    nth: int | tuple[int, ...] = ()
    every: int = 1
    probability: float = 1.0
    latency: float = 0.0
    status: int | None = None
    headers: dict[str, str] = {}
    message: str = "A scripted fault"
    drop: Literal["before", "after"] | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the requests that ``nth`` names."""
        return (self.nth,) if isinstance(self.nth, int) else self.nth

    def chooses(self, method: str, path: str) -> bool:
        """Return whether requests of this kind are counted."""
        return self.method in ("*", method) and fnmatch.fnmatchcase(path, self.path)

    def befalls(self, number: int, chance: Callable[[], float]) -> bool:
        """Return whether the request of this number, of those that are counted, is befallen."""
        if self.nth != ():
            return number in self.numbers
        return number % self.every == 0 and (self.probability >= 1 or chance() < self.probability)


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules in order, and the seed of what is left to chance."""

    rules: tuple[Rule, ...]
    seed: int = 0


def read(text: str, where: str) -> Script:
    """Return the script of a file; one that is none is a UsageError that says why."""
    try:
        if text.lstrip().startswith(("{", "[{")):
            document = json.loads(text)
            document = {"rules": document} if isinstance(document, list) else document
        else:
            document = tomllib.loads(text)
        script = msgspec.convert(document, Script)
        _check(script)
    except (ValueError, RecursionError) as error:  # msgspec's, json's and tomllib's are all of this kind
        raise UsageError(
            f"{where}: not a script of faults ({error}); write [[rules]] as docs/testing.md shows"
        ) from None
    return script


class Faults:
    """A WSGI application in front of another. ``sleep`` waits for so many seconds.

    A connection is dropped by raising ConnectionResetError, which servers take for a client that has gone.
    """

    def __init__(
        self, application: WSGIApplication, script: Script, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._application = application
        self._rules = script.rules
        self._sleep = sleep
        self._random = random.Random(script.seed)  # noqa: S311 - chance that can be repeated is the point
        self._counts = [0] * len(script.rules)
        self._lock = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, or let its fault befall it."""
        rule = self._rule_of(environ["REQUEST_METHOD"], environ.get("PATH_INFO", ""))
        if rule is None:
            return self._application(environ, start_response)
        self._sleep(rule.latency)
        if rule.status is not None:
            _read_all(environ)
            return _refuse(rule, start_response)
        if rule.drop is None:
            return self._application(environ, start_response)
        if rule.drop == "after":
            _carry_out(self._application, environ)
        raise ConnectionResetError(errno.ECONNRESET, "dropped by the script of faults")

    def _rule_of(self, method: str, path: str) -> Rule | None:
        """Return the first rule that befalls this request; each one counts all that it chooses."""
        found = None
        with self._lock:
            for number, rule in enumerate(self._rules):
                if rule.chooses(method, path):
                    self._counts[number] += 1
                    if rule.befalls(self._counts[number], self._random.random) and found is None:
                        found = rule
        return found


def _check(script: Script) -> None:
    for number, rule in enumerate(script.rules, 1):
        if rule.status is None and rule.drop is None and rule.latency <= 0:
            raise ValueError(f"rule {number} does nothing: it has no status, drop or latency")
        if rule.status is not None and not (rule.drop is None and 200 <= rule.status <= 599):
            raise ValueError(f"rule {number}: a status is from 200 to 599, and stands without drop")
        if any(each < 1 for each in rule.numbers):
            raise ValueError(f"rule {number}: nth counts from 1")
        if not all(
            _FIELD_NAME.fullmatch(name) and _FIELD_VALUE.fullmatch(value) for name, value in rule.headers.items()
        ):
            raise ValueError(f"rule {number}: headers are names without spaces, and texts of one line in Latin-1")
        if any(name.lower() in _OF_THE_BODY for name in rule.headers):
            raise ValueError(f"rule {number}: Content-Length and Transfer-Encoding follow from the answer")
        if rule.every < 1 or not 0 <= rule.probability <= 1 or not 0 <= rule.latency <= 86400:
            raise ValueError(f"rule {number}: every is 1 or more, probability 0 to 1, latency 0 to 86400 seconds")


def _refuse(rule: Rule, start_response: StartResponse) -> Iterable[bytes]:
    """Return the answer that stands in the rule, in the form of the platform's errors."""
    status = rule.status or 500
    document: dict[str, Any] = {"status": status, "error": status >= 400, "message": rule.message, "err": rule.message}
    body = b"" if status in _WITHOUT_BODY else json.dumps(document).encode()
    own = [("Content-Type", _JSON), ("Content-Length", str(len(body)))] if body else []
    given = {name.lower() for name in rule.headers}
    headers = [*rule.headers.items(), *(header for header in own if header[0].lower() not in given)]
    start_response(f"{status} {responses.get(status, 'Status')}", headers)
    return [body]


def _carry_out(application: WSGIApplication, environ: WSGIEnvironment) -> None:
    """Let the request be answered to nobody."""
    answer = application(environ, lambda *_: lambda _: None)
    try:
        for _ in answer:
            pass
    finally:
        close = getattr(answer, "close", None)
        if close is not None:
            close()


def _read_all(environ: WSGIEnvironment) -> None:
    """Take the body: a sender whose connection closes before it is done would not hear the answer."""
    stream = environ["wsgi.input"]
    remaining = int(environ.get("CONTENT_LENGTH") or 0)
    while remaining > 0 and (piece := stream.read(min(remaining, 65536))):
        remaining -= len(piece)
