"""Render the templates of a checkout in a separate process with limits and without secrets.

A template is a program that anyone who opens a pull request can write. Jinja's sandbox protects Python's internals, but
does not limit time and memory, and escapes from it have been found before. So the process has no access to this one's
environment, cannot write files (POSIX), and is killed if it exceeds its limits.

The parent sends pickled requests, and the child answers with bytes. While rendering, the child may request rows that
are computed on demand. The parent never unpickles data of the child.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import pickle
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import count
from typing import IO, TYPE_CHECKING, Any, cast

import msgspec

from tokensync.system import child
from tokensync.system.errors import ProblemsError
from tokensync.system.problems import Problem, problem

if TYPE_CHECKING:
    from tokensync.generate.naming.templates import Filters, Limits, Own


_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from tokensync.generate.naming.sandbox import serve; serve()"
)
_HEAD = struct.Struct(">cQ")
_ROWS, _RENDERED, _FAILED = b"?", b"+", b"-"
"""The kinds of messages: a request or its rows; a rendered text; a problem."""
_NUMBERS = count()
_TOO_LARGE = 77
"""The exit code of a process that exceeds its memory limit."""
_PR_SET_PDEATHSIG = 1
"""The option of prctl(2) on Linux for a signal when the parent ends."""
_STDERR_BYTES = 4096
"""The most bytes to read from the stderr of a process that ended."""
_LONGEST_NUMBER = 18
"""The most digits of a number in a request of the child."""


class Later(Sequence[Any]):
    """Rows that are computed on first access and cached."""

    def __init__(self, make: Callable[[], list[Any]]) -> None:
        self._make = make

    @cached_property
    def _rows(self) -> list[Any]:
        return self._make()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]


class Sandbox:
    """A process that renders templates. It ends with ``close`` or with this process."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._seconds_left = limits.seconds_in_all
        self._bytes_left = limits.size_in_all
        self._own: Own | None = None
        """The user's templates in the child."""
        path = json.dumps([each for each in sys.path if each])
        command = [sys.executable, "-I", "-S", "-B", "-c", _BOOT, path, json.dumps(limits), str(os.getpid())]
        # Its stderr is read after its end. A process that fills it blocks until its timeout.
        self._process = child.start(command, child.environment())
        self._to_child = cast("IO[bytes]", self._process.stdin)
        self._from_child = cast("IO[bytes]", self._process.stdout)
        self._errors = cast("IO[bytes]", self._process.stderr)
        self.is_open = True
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        self.is_open = False
        atexit.unregister(self.close)
        self._process.kill()
        for stream in (self._to_child, self._from_child, self._errors):
            with suppress(OSError):  # pending data is lost
                stream.close()
        self._process.wait()

    def render(self, own: Own, name: str, filters: Filters, context: Mapping[str, Any]) -> bytes:
        """Render the template ``name`` as UTF-8. Raises ProblemsError (``template-failed``).

        ``own`` are the checkout's templates, which take precedence over packaged ones.
        """
        lazy: dict[int, Any] = {}
        seconds = self.limits.seconds
        message = _pickled((None if own == self._own else own, name, filters, context), lazy)
        self._own = own
        while True:
            began = time.monotonic()
            kind, content = self._answer(message, name, seconds)
            seconds -= time.monotonic() - began
            self._seconds_left -= time.monotonic() - began
            if kind == _RENDERED and _is_text(content):
                self._bytes_left -= len(content)
                if self._bytes_left < 0:
                    why = f"all templates of a build together write more than {self.limits.size_in_all >> 20} MiB"
                    raise ProblemsError([_failed(name, why, "build fewer outputs at a time")])
                return content
            if kind == _FAILED:
                raise ProblemsError([problem("template-failed", *_texts(content))])
            is_number = content.isdigit() and len(content) <= _LONGEST_NUMBER
            rows = lazy.pop(int(content), None) if kind == _ROWS and is_number else None
            if rows is None:  # a regular child requests existing rows, and each once
                self.close()
                raise ProblemsError([_failed(name, "its process sent an invalid message", "check who wrote it")])
            message = _pickled(_listed(rows), lazy)

    def _answer(self, message: bytes, name: str, seconds_of_file: float) -> tuple[bytes, bytes]:
        """Send a message and return the answer. Kill the process after its timeout; raise ProblemsError if it ended."""
        timed_out = threading.Event()
        seconds = min(seconds_of_file, self._seconds_left)

        def end() -> None:
            timed_out.set()
            self._process.kill()

        alarm = threading.Timer(max(seconds, 0), end)
        alarm.start()
        try:
            with suppress(BrokenPipeError):  # a process that ended may have answered first
                _send(self._to_child, _ROWS, message)
            return _received(self._from_child, self.limits.size)
        except (OSError, EOFError) as error:
            code = self._process.wait()
            reason = self._errors.read(_STDERR_BYTES).decode("utf-8", "replace").strip().rpartition("\n")[2]
            self.close()
            why, what_to_do = f"its process ended with {code}: {reason or 'no reason given'}", "correct the template"
            if timed_out.is_set() and seconds == seconds_of_file:
                why = f"it takes more than {self.limits.seconds:g} s"
                what_to_do = "simplify it, or split the output"
            elif timed_out.is_set():
                why = f"all templates of a build together take more than {self.limits.seconds_in_all:g} s"
                what_to_do = "simplify them, or build fewer outputs at a time"
            elif code == _TOO_LARGE:
                why = f"it takes more than {self.limits.memory >> 20} MiB of memory"
                what_to_do = "simplify it, or split the output"
            raise ProblemsError([_failed(name, why, what_to_do)]) from error
        finally:
            alarm.cancel()


def _failed(name: str, why: str, what_to_do: str) -> Problem:
    return problem("template-failed", f"templates/{name}", f"the template cannot be rendered ({why})", what_to_do)


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _texts(content: bytes) -> tuple[str, str, str]:
    """Decode the location, problem and advice from a child."""
    try:
        where, what, what_to_do = msgspec.json.decode(content, type=tuple[str, str, str])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "templates", "the template cannot be rendered", "correct the template"
    return where, what, what_to_do


_running: Sandbox | None = None


def render(own: Own, name: str, filters: Filters, context: Mapping[str, Any], limits: Limits) -> bytes:
    """Render in a sandbox process with these limits; start it if necessary. Raises as ``Sandbox.render``."""
    global _running  # noqa: PLW0603 - starting a process is slow, and a build renders many files
    if _running is None or not _running.is_open or _running.limits != limits:
        close()
        _running = Sandbox(limits)
    return _running.render(own, name, filters, context)


def close() -> None:
    """End the process, if any. The next one starts with new limits."""
    if _running is not None and _running.is_open:
        _running.close()


class _Pickler(pickle.Pickler):
    """A pickler that replaces iterators and lazy rows with numbers, by which the child requests them."""

    def __init__(self, buffer: io.BytesIO, lazy: dict[int, Any]) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._lazy = lazy

    def reducer_override(self, each: Any) -> Any:
        if not isinstance(each, Iterator | Later):
            return NotImplemented
        number = next(_NUMBERS)
        self._lazy[number] = each
        return _requested, (number,)


def _listed(rows: Any) -> list[Any]:
    """Return rows as a list. Read each row before the next one, which would exhaust groups of ``groupby``."""
    return [_with_lists(row) for row in rows] if isinstance(rows, Iterator) else list(rows)


def _with_lists(row: Any) -> Any:
    if isinstance(row, Iterator):
        return _listed(row)
    if not isinstance(row, tuple):
        return row
    return tuple.__new__(type(row), [_with_lists(each) for each in row])


def _pickled(each: Any, lazy: dict[int, Any]) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, lazy).dump(each)
    return buffer.getvalue()


def _send(stream: IO[bytes], kind: bytes, content: bytes) -> None:
    stream.write(_HEAD.pack(kind, len(content)))
    stream.write(content)
    stream.flush()


def _received(stream: IO[bytes], most: int) -> tuple[bytes, bytes]:
    """Return the next message. Raise EOFError at the end, and for a message larger than ``most``."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    kind, size = _HEAD.unpack(head)
    content = stream.read(size) if size <= most else b""
    if len(content) < size:
        raise EOFError
    return kind, content


# The functions below run in the child.


def serve() -> None:
    """Answer requests until the end of the stream."""
    from tokensync.generate.naming.templates import Limits, render

    limits = Limits(*json.loads(sys.argv[2]))
    _limit_this_process(limits, int(sys.argv[3]))
    own: Own = ()
    while True:
        try:
            _, message = _received(sys.stdin.buffer, sys.maxsize)
        except EOFError:
            return
        try:
            changed, name, filters, context = pickle.loads(message)  # noqa: S301 - from the parent
            own = own if changed is None else changed
            answer = _RENDERED, render(own, name, filters, context, limits.size)
        except ProblemsError as error:
            first = error.problems[0]
            answer = _FAILED, json.dumps((first.where, first.what, first.what_to_do)).encode()
        _send(sys.stdout.buffer, *answer)


def _requested(number: int) -> Sequence[Any]:
    """Return a placeholder for rows of the parent, requested on first access."""

    def rows() -> list[Any]:
        _send(sys.stdout.buffer, _ROWS, str(number).encode())
        return list(pickle.loads(_received(sys.stdin.buffer, sys.maxsize)[1]))  # noqa: S301 - from the parent

    return Later(rows)


def _limit_this_process(limits: Limits, parent: int) -> None:
    """Forbid writing files, limit time and memory, and end with the parent (a process id).

    On Windows, only the parent's timeout applies.
    """
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    seconds = int(limits.seconds_in_all) + 10  # in case the parent is killed; 10 s for the start
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with suppress(ValueError, OSError):  # macOS may refuse this limit, and does not enforce it
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    initial = peak()  # on Linux, a process inherits the peak of its parent
    if sys.platform == "linux":  # a long C call, such as 10 ** 10 ** 9, blocks the thread below
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before the call of prctl
        os._exit(0)

    def watch() -> None:
        while peak() - initial < limits.memory:
            time.sleep(0.1)
            if os.getppid() != parent:
                os._exit(0)
        os._exit(_TOO_LARGE)

    threading.Thread(target=watch, daemon=True).start()
