"""Faults that a script injects into the emulator's answers."""

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

from tokensync.system.errors import DECODE_ERRORS, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


_JSON: Final = "application/json; charset=utf-8"
_WITHOUT_BODY: Final = (204, 304)
"""Statuses without a body (RFC 9110, 6.4.1): a client would read a body as the next answer."""
_FRAMING_HEADERS: Final = ("content-length", "transfer-encoding")
_JSON_DOCUMENT: Final = re.compile(r"\s*(?:\{|\[\s*[{\]])")
"""The begin of a JSON object or list. In TOML, brackets begin the name of a table."""
_FIELD_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault and the requests that it applies to.

    ``method`` and ``path`` (a glob, without the query) match requests. Of the matching requests, ``nth`` selects
    numbers counted from 1, ``every`` each n-th one, and ``probability`` a random share. ``latency`` is in seconds.
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
        """Return ``nth`` as a tuple."""
        return (self.nth,) if isinstance(self.nth, int) else self.nth

    def matches(self, method: str, path: str) -> bool:
        """Return whether the rule counts this request."""
        return self.method in ("*", method) and fnmatch.fnmatchcase(path, self.path)

    def applies(self, number: int, random: Callable[[], float]) -> bool:
        """Return whether the rule applies to the matching request with this number."""
        if self.nth != ():
            return number in self.numbers
        return number % self.every == 0 and (self.probability >= 1 or random() < self.probability)


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rules in order of precedence, and the seed of the random generator."""

    rules: tuple[Rule, ...]
    seed: int = 0


def read(text: str, where: str) -> Script:
    """Parse a script; ``where`` names it in errors. Raise UsageError for an invalid one."""
    try:
        document = json.loads(text) if _JSON_DOCUMENT.match(text) else tomllib.loads(text)
    except DECODE_ERRORS as error:
        raise _no_script(where, error) from None
    return script_of(document, where)


def script_of(document: object, where: str) -> Script:
    """Return the script in a decoded document, or in a list of rules. Raise UsageError for an invalid one."""
    try:
        script = msgspec.convert({"rules": document} if isinstance(document, list) else document, Script)
        _check(script)
    except DECODE_ERRORS as error:
        raise _no_script(where, error) from None
    return script


def _no_script(where: str, error: Exception) -> UsageError:
    return UsageError(f"{where}: not a fault script ({str(error)[:200]}); write [[rules]] as docs/testing.md shows")


class Faults:
    """WSGI middleware that injects the faults of a script. ``sleep`` waits a number of seconds.

    It drops a connection by raising ConnectionResetError, which servers treat as a disconnected client.
    """

    def __init__(
        self, application: WSGIApplication, script: Script, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self._application = application
        self._rules = script.rules
        self._sleep = sleep
        self._random = random.Random(script.seed)  # noqa: S311 - reproducible by design
        self._counts = [0] * len(script.rules)
        self._lock = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, or inject its fault."""
        rule = self._rule_for(environ["REQUEST_METHOD"], environ.get("PATH_INFO", ""))
        if rule is None:
            return self._application(environ, start_response)
        self._sleep(rule.latency)
        if rule.status is not None:
            return _refuse(rule, start_response)
        if rule.drop is None:
            return self._application(environ, start_response)
        if rule.drop == "after":
            list(self._application(environ, lambda *_: lambda _: None))
        raise ConnectionResetError(errno.ECONNRESET, "dropped by the fault script")

    def _rule_for(self, method: str, path: str) -> Rule | None:
        """Return the first rule that applies. Every rule counts the requests that it matches."""
        first = None
        with self._lock:
            for index, rule in enumerate(self._rules):
                if rule.matches(method, path):
                    self._counts[index] += 1
                    if rule.applies(self._counts[index], self._random.random) and first is None:
                        first = rule
        return first


def _check(script: Script) -> None:
    for number, rule in enumerate(script.rules, 1):
        if rule.status is None and rule.drop is None and rule.latency <= 0:
            raise ValueError(f"rule {number} has no effect: set status, drop or latency")
        if rule.status is not None and not (rule.drop is None and 200 <= rule.status <= 599):
            raise ValueError(f"rule {number}: status must be from 200 to 599, and cannot be combined with drop")
        if any(number < 1 for number in rule.numbers):
            raise ValueError(f"rule {number}: nth counts from 1")
        if not all(
            _FIELD_NAME.fullmatch(name) and _FIELD_VALUE.fullmatch(value) for name, value in rule.headers.items()
        ):
            raise ValueError(f"rule {number}: header names have no spaces, and values are one line of Latin-1")
        if any(name.lower() in _FRAMING_HEADERS for name in rule.headers):
            raise ValueError(f"rule {number}: Content-Length and Transfer-Encoding cannot be set")
        if rule.every < 1 or not 0 <= rule.probability <= 1 or not 0 <= rule.latency <= 86400:
            raise ValueError(f"rule {number}: every is 1 or more, probability 0 to 1, latency 0 to 86400 seconds")


def _refuse(rule: Rule, start_response: StartResponse) -> Iterable[bytes]:
    """Return the rule's answer in the platform's error format."""
    status = rule.status or 500
    document: dict[str, Any] = {"status": status, "error": status >= 400, "message": rule.message, "err": rule.message}
    body = b"" if status in _WITHOUT_BODY else json.dumps(document).encode()
    defaults = [("Content-Type", _JSON), ("Content-Length", str(len(body)))] if body else []
    names = {name.lower() for name in rule.headers}
    headers = [*rule.headers.items(), *(header for header in defaults if header[0].lower() not in names)]
    start_response(f"{status} {responses.get(status, 'Status')}", headers)
    return [body]
