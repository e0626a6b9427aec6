"""Figma without its variables API, for files of every plan: through a plugin in the editor, or from saved responses.

In: requests of Figma's REST API, from the commands of a project with ``base_url = "bridge:"``. Out: the same answers as
from the API. On the way are ``server``, which ``tokensync bridge`` runs in a terminal of its own, and the plugin in
``plugin/``. Begin with ``Bridged``, then read ``plugin/engine.js``. ``captures`` answers from saved responses.
"""

from __future__ import annotations

import datetime as dt
import http.client
import os
import re
import time
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Raw, Struct

from tokensync.project.connection import STYLES_WANTED
from tokensync.system.disk import content_of
from tokensync.system.errors import DECODE_ERRORS, ConflictError, NetworkError, ServerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

__all__ = ["Bridged", "Door"]

DOOR: Final = "bridge.json"
"""The file in ``.tokensync/`` by which commands find the running bridge."""
_START = "run tokensync bridge in a terminal of its own, in the project's folder"
_OPEN = "in Figma, open the file, run Plugins > Development > tokensync bridge, and connect it"
_FINISH = "decide with tokensync bridge --complete or tokensync bridge --take-back"
_REQUEST: Final = re.compile(r"/v1/files/([A-Za-z0-9_-]+)/(variables|variables/local|variables/published|styles|nodes)")
_ANSWER_SECONDS: Final = 300.0
"""How long a person may take to answer in Figma. The client gives up after 600 seconds."""
_HTTP_SECONDS: Final = 60.0


class Door(Struct, frozen=True):
    """Where the bridge of a project listens, and the secret that its commands need."""

    port: int
    secret: str


class _Failure(Struct):
    kind: str = ""
    message: str = ""


class _Answer(Struct):
    """An answer of the server, of any kind."""

    message: str = ""
    job: str = ""
    state: str = ""
    withdrawn: bool = False
    result: Raw = Raw(b"null")
    error: _Failure | None = None


class Bridged:
    """A WSGI application that answers as Figma's REST API does, with what the plugin in the editor says.

    ``state`` is a file name in the ``.tokensync/`` of the project. Raises UsageError if no bridge runs for it.
    """

    def __init__(self, state: str) -> None:
        self._folder = os.path.dirname(state)
        content = content_of(os.path.join(self._folder, DOOR))
        if content is None:
            raise UsageError(f"bridge: no bridge is running for this project; {_START}")
        try:
            self._door = msgspec.json.decode(content, type=Door)
        except DECODE_ERRORS:
            raise UsageError(f"{os.path.join(self._folder, DOOR)}: damaged; stop the bridge, and {_START}") from None
        self._digests: dict[str, Raw] = {}

    def token_for(self, plan_scope: str | None) -> str:
        """Return a text in place of a token, which the plugin does not need."""
        return "bridge"

    def close(self) -> None:
        """Close nothing: the bridge goes on."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request of the API (PEP 3333)."""
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        match = _REQUEST.fullmatch(path)
        status, document = 404, _error(404, "a plugin has only the variables and styles of the open file")
        if match is not None:
            key, what = match.groups()
            with_styles = key in environ.get(STYLES_WANTED, ())
            if method == "GET" and what != "variables":
                status, document = 200, self._read(key, what.removeprefix("variables/"), with_styles=with_styles)
            elif method == "POST" and what == "variables":
                status, document = self._change(key, environ["wsgi.input"].read(), with_styles=with_styles)
        start_response(f"{status} {HTTPStatus(status).phrase}", [("Content-Type", "application/json")])
        return [document]

    def _read(self, key: str, what: str, *, with_styles: bool) -> bytes:
        """Return variables, styles or all nodes. Raises NetworkError, or ConflictError for a half-done request.

        ``with_styles`` adds text and effect styles to variables, so that both are of one moment.
        """
        answer = self._carried(what, key, {"styles": Raw(b"true")} if with_styles else {})
        if answer.error is not None:
            raise _failure(answer.error)
        if what == "nodes":
            return b'{"nodes":%s}' % bytes(answer.result)
        if what != "local":
            return b'{"status":200,"error":false,"meta":%s}' % bytes(answer.result)
        local = msgspec.json.decode(answer.result, type=dict[str, Raw])
        self._digests[key] = local["digest"]
        # As in a capture, so that the lock knows which ones are older than what was read or applied.
        time = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        capture = msgspec.json.encode({"file_key": key, "time": time})
        # Ids that the plugin cannot list: they may exist, so nothing may take them for deleted.
        parts = (bytes(local["meta"]), bytes(local["unknown"]), capture)
        return b'{"status":200,"error":false,"meta":%s,"unknown":%s,"capture":%s}' % parts

    def _change(self, key: str, body: bytes, *, with_styles: bool) -> tuple[int, bytes]:
        """Let the plugin carry out a request, and return the API's answer.

        It is refused if the file is not as this process has read it. Raises NetworkError if its outcome is unknown, and
        ConflictError if it is half done.
        """
        message = {"body": Raw(body), "styles": Raw(msgspec.json.encode(with_styles))}
        if key in self._digests:
            message["expected"] = self._digests[key]
        if (plan := self._review(body)) is not None:
            message["plan"] = Raw(msgspec.json.encode(plan))
        answer = self._carried("apply", key, message)
        if answer.error is None:
            made = dict(msgspec.json.decode(answer.result)["made"])
            return 200, msgspec.json.encode({"status": 200, "error": False, "meta": {"tempIdToRealId": made}})
        if answer.error.kind in ("refused", "declined"):
            return 400, _error(400, answer.error.message)
        raise _failure(answer.error, changes=True)

    def _review(self, body: bytes) -> dict[str, str] | None:
        """Return the review of the plan that a request belongs to: that of the apply which is about to send it."""
        from tokensync.apply.journal import JOURNAL, PLAN, Applies, Sending, open_journal, sha256_of
        from tokensync.plan.plan import decoded
        from tokensync.plan.review import text_lines
        from tokensync.system.outlet.characters import blanked

        root = Applies(self._folder).root
        names = sorted(os.listdir(root)) if os.path.isdir(root) else []
        for folder in reversed([os.path.join(root, name) for name in names]):
            if not os.path.isfile(os.path.join(folder, JOURNAL)):
                continue
            journal = open_journal(folder)
            last = journal.records[-1] if journal.records else None
            if isinstance(last, Sending) and last.digest == sha256_of(body):
                (plan,) = decoded(journal.content(PLAN, journal.started.plan)).plans
                text = "\n".join(blanked(line.text) for line in text_lines(plan, everything=True))
                return {"id": os.path.basename(folder), "text": text}
        return None

    def finish(self, way: str) -> tuple[str, ...]:
        """Complete a half-done request, or take it back (``way``); return what stays because somebody changed it."""
        answer = self._carried("finish", "", {"way": Raw(msgspec.json.encode(way))})
        if answer.error is not None:
            raise ConflictError(f"bridge: {answer.error.message}")
        return tuple(msgspec.json.decode(answer.result, type=dict[str, tuple[str, ...]])["left"])

    def refuse_second(self) -> None:
        """Raise ConflictError if the bridge answers: another one for the project would take its commands."""
        with suppress(NetworkError):
            if self._asked("/jobs/withdraw", {}).message == "":
                what = f"bridge: it runs for this project already, on port {self._door.port}"
                raise ConflictError(f"{what}; use its terminal, or end it there with Ctrl-C first")

    def _carried(self, kind: str, key: str, message: dict[str, Raw]) -> _Answer:
        """Return the plugin's answer to a job. Raises NetworkError without one."""
        new = self._asked("/jobs", {"kind": kind, "key": key, "message": message})
        if new.message:
            raise NetworkError(f"bridge: {new.message}; {_OPEN}")
        due = time.monotonic() + _ANSWER_SECONDS
        while True:
            answer = self._asked("/jobs/wait", {"job": new.job}, changes=kind == "apply")
            if answer.state == "done":
                return answer
            is_over = "closed" in answer.state or time.monotonic() > due
            if is_over and self._asked("/jobs/withdraw", {"job": new.job}, changes=kind == "apply").withdrawn:
                if kind == "apply" and "closed" not in answer.state:
                    return _Answer(error=_Failure("declined", "nobody has answered in Figma"))
                raise NetworkError(f"bridge: the plugin was closed before it began; {_OPEN}")
            if is_over or answer.message:
                raise _unknown("the plugin was closed, or the bridge has ended", changes=kind == "apply")

    def _asked(self, path: str, body: dict[str, Any], *, changes: bool = False) -> _Answer:
        """Return the server's answer. Raises NetworkError if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self._door.port, timeout=_HTTP_SECONDS)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._door.secret}"}
        try:
            connection.request("POST", path, msgspec.json.encode(body), headers)
            return msgspec.json.decode(connection.getresponse().read(), type=_Answer)
        except (OSError, http.client.HTTPException, *DECODE_ERRORS):
            if changes:
                raise _unknown("the bridge has ended", changes=True) from None
            raise NetworkError(f"bridge: no bridge is running for this project; {_START}") from None
        finally:
            connection.close()


def connection(address: str, state: str) -> Bridged:
    """Return the connection for ``base_url = "bridge:"``. Raises UsageError for an address, and without a bridge."""
    if address:
        raise UsageError("base_url: the bridge has no address; write bridge:")
    return Bridged(state)


def _failure(failure: _Failure, *, changes: bool = False) -> Exception:
    """Return the error for an answer without a result."""
    if failure.kind == "half done":
        return ConflictError(f"bridge: {failure.message}; {_FINISH}")
    if changes:
        return _unknown(failure.message, changes=True)
    return ServerError(f"bridge: the plugin failed ({failure.message}); run the command again", 500)


def _unknown(what: str, *, changes: bool) -> NetworkError:
    advice = "the change may have been made: read the variables before you repeat it" if changes else _OPEN
    error = NetworkError(f"bridge: {what}; {advice}")
    error.outcome_unknown = changes
    return error


def _error(status: int, message: str) -> bytes:
    return msgspec.json.encode({"status": status, "error": True, "message": message})
