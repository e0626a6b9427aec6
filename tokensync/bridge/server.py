"""The server of the bridge: passes requests of the commands to the plugin in Figma's editor, by HTTP on loopback.

Two kinds of clients speak to it:

- The page of the plugin (``/plugin/...``). It runs in a frame whose origin is ``null``, as that of any sandboxed frame
  of any web page. So nothing but the code that the terminal shows, and then a token, tells the plugin from a stranger.
- The commands (``/jobs...``), which read a secret from a file that only this user can read. Browsers cannot send their
  requests: they have no ``Origin``.

Requests for another host are refused, so that no name of a stranger that leads to this machine reaches the bridge.
"""

from __future__ import annotations

import errno
import hmac
import secrets
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Raw, Struct

from tokensync.system import serving
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.outlet.characters import blanked

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment

PORT: Final = 9427
"""The port unless another one is chosen. The plugin has it in its manifest, which Figma reads when it is installed."""

_BODY_BYTES: Final = 256 * 1024 * 1024
_POLL_SECONDS: Final = 20.0
_JOB_SECONDS: Final = 10.0
_ALIVE_SECONDS: Final = 45.0
"""A plugin that has not polled for this time is closed: it polls every 20 seconds, but a large change stops it."""
_AWAITED_SECONDS: Final = 25.0
"""A command that has not asked for its answer for this time has ended."""
_WRONG_CODE_SECONDS: Final = 1.0
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letter that looks like a digit."""
_CODE_CHARACTERS: Final = 8
"""40 bits. At one wrong code a second, half of them take 17,000 years."""
_SIMILAR: Final = str.maketrans({"I": "1", "L": "1", "O": "0", "-": None, " ": None})

State = Literal["waiting", "sent", "begun", "done"]


class Failure(Struct, frozen=True):
    """Why a job failed: ``refused`` and ``declined`` if nothing was changed, else ``half done`` or ``failed``."""

    kind: str
    message: str


class Last(Struct, frozen=True):
    """The last request that the file has seen: its job, and ``writing`` if it is half done."""

    job: str
    state: str


class PageRequest(Struct):
    """What the page sends. ``client`` is the window, and ``key`` is that of its file."""

    client: str = ""
    key: str = ""
    name: str = ""
    last: Last | None = None
    code: str = ""
    asking: str | None = None
    job: str = ""
    result: Raw = Raw(b"null")
    error: Failure | None = None


class JobRequest(Struct):
    """What a command sends: ``message`` is for the plugin, with the members that its kind needs."""

    kind: str = ""
    key: str = ""
    message: dict[str, Raw] = {}
    job: str = ""


class Job(Struct):
    """A request to the plugin. ``awaited`` is when its command last asked for the answer."""

    id: str
    kind: str
    message: dict[str, Raw]
    awaited: float
    state: State = "waiting"
    result: Raw = Raw(b"null")
    error: Failure | None = None


class Session(Struct):
    """A connected plugin. ``seen`` is when its window last asked for a job, ``former`` are windows before it."""

    token: str
    client: str
    key: str
    name: str
    seen: float
    last: Last | None = None
    former: set[str] = msgspec.field(default_factory=set)


class _Refusal(Exception):
    def __init__(self, status: str, message: str, counted: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.counted = counted


class Bridge:
    """A WSGI application. ``report`` gets what a person in the terminal should know, ``project`` is its name.

    ``clock`` returns monotonic seconds.
    """

    def __init__(
        self, project: str, report: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.project = project
        self.secret = secrets.token_urlsafe(32)
        """The secret of commands."""
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_CHARACTERS))
        self.code = f"{code[:4]}-{code[4:]}"
        """The code that pairs a plugin with this bridge."""
        self.refusals: Counter[str] = Counter()
        """How many requests were refused, by their reasons."""
        self.hosts: frozenset[str] = frozenset()
        """The hosts that requests may be for."""
        self._report = report
        self._clock = clock
        self._changed = threading.Condition()
        self._session: Session | None = None
        self._jobs: dict[str, Job] = {}
        self._next_code = 0.0
        self._is_closing = False

    def close(self) -> None:
        """End all waits."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request (PEP 3333)."""
        headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        is_page = environ["PATH_INFO"].startswith("/plugin/")
        if is_page and environ.get("HTTP_ORIGIN") == "null":  # so that its page can read a refusal, too
            headers += [("Access-Control-Allow-Origin", "null"), ("Vary", "Origin")]
        try:
            self._refuse_strangers(environ, is_page=is_page)
            if is_page and environ["REQUEST_METHOD"] == "OPTIONS":
                start_response("204 No Content", headers + _preflight(environ))
                return [b""]
            body = self._page(environ) if is_page else self._command(environ)
            status = "200 OK"
        except _Refusal as refusal:
            if refusal.counted:
                self._count(refusal.counted)
            status, body = refusal.status, msgspec.json.encode({"message": str(refusal)})
        start_response(status, headers)
        return [body]

    def _refuse_strangers(self, environ: WSGIEnvironment, *, is_page: bool) -> None:
        if environ.get("HTTP_HOST", "").lower() not in self.hosts:
            raise _Refusal("403 Forbidden", "this bridge is localhost only", "of another host")
        if environ.get("HTTP_ORIGIN") != ("null" if is_page else None):
            raise _Refusal("403 Forbidden", "no web page may speak to this bridge", "of another origin")
        if environ["REQUEST_METHOD"] != "POST" and not (is_page and environ["REQUEST_METHOD"] == "OPTIONS"):
            raise _Refusal("405 Method Not Allowed", "use POST")

    def _count(self, why: str) -> None:
        self.refusals[why] += 1
        if self.refusals[why] in (1, 10, 100) or self.refusals[why] % 1000 == 0:
            self._report(f"refused {self.refusals[why]} x a request {why}")

    def _page(self, environ: WSGIEnvironment) -> bytes:
        request = _decoded(environ, PageRequest)
        answers = {"pair": self._pair, "poll": self._poll, "begin": self._begin, "answer": self._answer}
        if (answer := answers.get(environ["PATH_INFO"].removeprefix("/plugin/"))) is None:
            raise _Refusal("404 Not Found", "no such request; install the plugin of this tokensync again")
        with self._changed:
            if answer != self._pair:
                self._recognize(environ, request)
            return msgspec.json.encode(answer(request))

    def _pair(self, request: PageRequest) -> dict[str, str]:
        now = self._clock()
        if now < self._next_code:
            raise _Refusal("429 Too Many Requests", "Wait a second, then try again.")
        code = request.code.upper().translate(_SIMILAR).encode()
        if not hmac.compare_digest(code, self.code.replace("-", "").encode()):
            self._next_code = now + _WRONG_CODE_SECONDS
            raise _Refusal("403 Forbidden", "This is not the code that tokensync bridge shows.", "with a wrong code")
        if self._session is not None and self._is_alive():
            what = f"Another window is connected ({self._session.name}). Close the plugin there first."
            raise _Refusal("409 Conflict", what, "of a second plugin")
        self._session = Session(secrets.token_urlsafe(32), request.client, request.key, request.name, now, request.last)
        self._report(f"connected to {_shown(request.name)} ({_shown(request.key) or 'its key is unknown'})")
        return {"token": self._session.token}

    def _recognize(self, environ: WSGIEnvironment, request: PageRequest) -> None:
        """Raise _Refusal for a window that is not the one that is connected, or that takes its place."""
        session = self._session
        token = environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")
        if session is None or not hmac.compare_digest(token.encode(), session.token.encode()):
            raise _Refusal("401 Unauthorized", "Not connected. Enter the code that tokensync bridge shows.")
        if request.client != session.client:
            is_other_file = request.key != session.key and self._is_alive()
            if is_other_file or request.client in session.former:
                what = f"Another window is connected ({session.name}). Close the plugin there first."
                raise _Refusal("409 Conflict", what, "of a second plugin")
            session.former.add(session.client)
            session.client = request.client
            self._reopened(request.last)
        session.key, session.name, session.last = request.key, request.name, request.last
        session.seen = self._clock()

    def _reopened(self, last: Last | None) -> None:
        """Decide about the jobs of a window that was closed. The file knows what became of a change."""
        kinds = {"writing": "half done", "done": "lost"}  # "lost": the command reads back what was made
        for job in self._jobs.values():
            if job.state == "sent":
                job.state = "waiting"
            elif job.state == "begun":
                kind = kinds.get(last.state, "refused") if last is not None and last.job == job.id else "refused"
                job.state, job.error = "done", Failure(kind, "the plugin was closed during the change")
        self._changed.notify_all()

    def _is_alive(self) -> bool:
        return self._session is not None and self._clock() - self._session.seen < _ALIVE_SECONDS

    def _poll(self, request: PageRequest) -> dict[str, Any]:
        """Return the next job. Without one, wait for it, or until the job ends about which the user is asked."""
        due = time.monotonic() + _POLL_SECONDS
        while True:
            self._forget()
            session = self._session
            job = next((job for job in self._jobs.values() if job.state == "waiting"), None)
            is_asking = request.asking in self._jobs and self._jobs[request.asking or ""].state == "sent"
            left = due - time.monotonic()
            is_over = session is None or session.client != request.client or self._is_closing or left <= 0
            if job is not None or is_over or (request.asking is not None and not is_asking):
                break
            self._changed.wait(min(left, 1.0))
        if self._session is not None:
            self._session.seen = self._clock()
        if job is None or is_over:
            return {"project": self.project, "job": None, "asking": is_asking}
        job.state = "sent"
        message = {"job": job.id, "kind": job.kind, **job.message}
        return {"project": self.project, "job": message, "asking": is_asking}

    def _forget(self) -> None:
        """Forget jobs whose command has ended. A change that has begun goes on."""
        now = self._clock()
        for job in [job for job in self._jobs.values() if now - job.awaited > _AWAITED_SECONDS]:
            if job.state != "begun" or not self._is_alive():
                del self._jobs[job.id]

    def _begin(self, request: PageRequest) -> dict[str, bool]:
        self._forget()
        job = self._jobs.get(request.job)
        if job is None or job.state not in ("sent", "begun"):  # begun: the answer to this message was lost
            raise _Refusal("410 Gone", "The request was withdrawn.")
        job.state = "begun"
        self._changed.notify_all()
        return {"begun": True}

    def _answer(self, request: PageRequest) -> dict[str, bool]:
        job = self._jobs.get(request.job)
        if job is None or job.state == "done":
            raise _Refusal("410 Gone", "Nobody waits for this answer.")
        job.state, job.result, job.error = "done", request.result, request.error
        self._changed.notify_all()
        return {"received": True}

    def _command(self, environ: WSGIEnvironment) -> bytes:
        token = environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")
        if not hmac.compare_digest(token.encode(), self.secret.encode()):
            raise _Refusal("401 Unauthorized", "the secret of this bridge is another one", "without the secret")
        request = _decoded(environ, JobRequest)
        answers = {"/jobs": self._new_job, "/jobs/wait": self._wait, "/jobs/withdraw": self._withdraw}
        if (answer := answers.get(environ["PATH_INFO"])) is None:
            raise _Refusal("404 Not Found", "no such request; the bridge is of another version of tokensync")
        with self._changed:
            return msgspec.json.encode(answer(request))

    def _new_job(self, request: JobRequest) -> dict[str, Any]:
        session = self._session
        if session is None or not self._is_alive():
            raise _Refusal("503 Service Unavailable", "no plugin is connected to the bridge")
        if request.key and session.key != request.key:
            where = f"the plugin is open in {_shown(session.name)} ({_shown(session.key) or 'of an unknown key'})"
            raise _Refusal("409 Conflict", f"{where}, and the project has the file {_shown(request.key)}")
        self._forget()
        if request.kind == "apply" and any(job.kind == "apply" and job.state != "done" for job in self._jobs.values()):
            raise _Refusal("409 Conflict", "another request waits for the plugin")
        job = Job(secrets.token_hex(8), request.kind, request.message, self._clock())
        if job.kind == "apply":
            self._report(f"a change waits for your answer in {_shown(session.name)}")
        self._jobs[job.id] = job
        self._changed.notify_all()
        return {"job": job.id, "last": session.last}

    def _wait(self, request: JobRequest) -> dict[str, Any]:
        due = time.monotonic() + _JOB_SECONDS
        while (job := self._jobs.get(request.job)) is not None:
            job.awaited = self._clock()
            left = due - time.monotonic()
            if job.state == "done":
                del self._jobs[job.id]
                return {"state": "done", "result": job.result, "error": job.error}
            if left <= 0 or self._is_closing:
                return {"state": job.state if self._is_alive() else f"{job.state}, closed"}
            self._changed.wait(min(left, 1.0))
        raise _Refusal("410 Gone", "the bridge does not know this request")

    def _withdraw(self, request: JobRequest) -> dict[str, bool]:
        job = self._jobs.get(request.job)
        if job is None or job.state in ("begun", "done"):
            return {"withdrawn": False}
        del self._jobs[job.id]
        self._changed.notify_all()
        return {"withdrawn": True}


@contextmanager
def listening(bridge: Bridge, port: int) -> Iterator[int]:
    """Serve a bridge on both loopbacks during the block, and yield the port; 0 is any free one.

    Browsers lead localhost to the one or the other. Raises UsageError if another program has the port.
    """
    bound: list[socket.socket] = []
    try:
        for host in ("127.0.0.1", "::1"):
            bound.append(serving.bind(host, port))
            port = bound[0].getsockname()[1]
    except OSError as error:
        # Without IPv6, no other program can get what a browser sends to localhost.
        if not bound or error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            for listener in bound:
                listener.close()
            what = f"port {port}: cannot listen ({error}); stop the other bridge"
            raise UsageError(f"{what}, or use --port with another one, and install the plugin with it") from None
    bridge.hosts = frozenset(f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]"))
    limits = serving.Limits(_BODY_BYTES, longest_body=_BODY_BYTES)
    with ExitStack() as servers:
        for listener in bound:
            servers.enter_context(serving.Server(bridge, (listener,), limits))
        servers.callback(bridge.close)
        yield port


def _preflight(environ: WSGIEnvironment) -> list[tuple[str, str]]:
    """Return the headers that let the plugin's page send its requests (Fetch; Private Network Access)."""
    headers = [
        ("Access-Control-Allow-Methods", "POST"),
        ("Access-Control-Allow-Headers", "authorization, content-type"),
        ("Access-Control-Max-Age", "600"),
    ]
    if environ.get("HTTP_ACCESS_CONTROL_REQUEST_PRIVATE_NETWORK") == "true":
        headers.append(("Access-Control-Allow-Private-Network", "true"))
    return headers


def _decoded(environ: WSGIEnvironment, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(environ["wsgi.input"].read(), type=kind)
    except DECODE_ERRORS:
        raise _Refusal("400 Bad Request", "the body is not what this version of tokensync sends") from None


def _shown(text: str) -> str:
    """Return a text of the page on one line, for a terminal or a message."""
    return " ".join(blanked(text).split())[:80]
