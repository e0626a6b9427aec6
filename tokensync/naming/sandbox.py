"""Render the templates of a checkout in a process of their own, with bounds and without secrets.

A template is a program that anyone who opens a pull request can write. Jinja's sandbox keeps it from Python's insides,
but not from looping for ever or filling the memory, and ways out of that sandbox have been found before. So the process
that runs it is given none of this one's environment, cannot write to files (POSIX), and is killed when it takes too
long or too much memory.

The parent sends requests (pickled), the child answers with bytes. While it renders, the child may ask for rows that are
worked out only when a template looks at them. Nothing that the child sends is unpickled.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import count
from typing import IO, TYPE_CHECKING, Any, cast

import msgspec

from tokensync.errors import ProblemsError
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.naming.templates import Filters, Limits, Own


_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from tokensync.naming.sandbox import serve; serve()"
_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
"""What of the environment a Python may need to start."""
_HEAD = struct.Struct(">cQ")
_ROWS, _RENDERED, _FAILED = b"?", b"+", b"-"
"""The kinds of messages: a request, or rows that are asked for and given; a text; a problem."""
_NUMBERS = count()
_TOO_LARGE = 77
"""The exit code of a process that took too much memory."""
_PR_SET_PDEATHSIG = 1
"""Linux's number of the request to be sent a signal when the parent ends (prctl(2))."""
_LAST_WORDS = 4096
"""Bytes that are read of what a process wrote to stderr before it ended."""
_LONGEST_NUMBER = 18
"""Digits of a number that the child asks by."""


class Later(Sequence[Any]):
    """Rows that are worked out when they are first looked at, and then kept."""

    def __init__(self, make: Callable[[], list[Any]]) -> None:
        self._make = make

    @cached_property
    def _rows(self) -> list[Any]:
        return self._make()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, at: Any) -> Any:
        return self._rows[at]


class Sandbox:
    """The process that renders; it ends with ``close``, or with this process."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._seconds_left = limits.seconds_in_all
        self._bytes_left = limits.size_in_all
        self._own: Own | None = None
        """The templates that the child has."""
        path = json.dumps([each for each in sys.path if each])
        self._process = subprocess.Popen(  # noqa: S603 - Python itself, with arguments of our own
            [sys.executable, "-I", "-S", "-B", "-c", _BOOT, path, json.dumps(limits), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # read when it has ended; one that fills it waits until its time is over
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
        )
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
            with suppress(OSError):  # what was still to be sent goes nowhere
                stream.close()
        self._process.wait()

    def render(self, own: Own, name: str, filters: Filters, context: Mapping[str, Any]) -> bytes:
        """Return the text of the template ``name``, in UTF-8. Raises ProblemsError (``template-failed``).

        ``own`` are the checkout's templates by their names; a packaged one is used where there is none.
        """
        lazy: dict[int, Any] = {}
        seconds = self._limits.seconds
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
                    why = f"all templates of a build together write more than {self._limits.size_in_all >> 20} MiB"
                    raise ProblemsError([_failed(name, why, "build fewer outputs at a time")])
                return content
            if kind == _FAILED:
                raise ProblemsError([problem("template-failed", *_texts(content))])
            is_number = content.isdigit() and len(content) <= _LONGEST_NUMBER
            rows = lazy.pop(int(content), None) if kind == _ROWS and is_number else None
            if rows is None:  # no child of ours asks for what is not there, or twice
                self.close()
                raise ProblemsError([_failed(name, "its process sent an invalid answer", "look for who wrote it")])
            message = _pickled(_listed(rows), lazy)

    def _answer(self, message: bytes, name: str, seconds_of_file: float) -> tuple[bytes, bytes]:
        """Ask the process; kill it when it does not answer in time, and raise ProblemsError when it is gone."""
        is_late = threading.Event()
        seconds = min(seconds_of_file, self._seconds_left)

        def end() -> None:
            is_late.set()
            self._process.kill()

        alarm = threading.Timer(max(seconds, 0), end)
        alarm.start()
        try:
            with suppress(BrokenPipeError):  # a process that ended may have answered first
                _send(self._to_child, _ROWS, message)
            return _received(self._from_child, self._limits.size)
        except (OSError, EOFError) as fault:
            code = self._process.wait()
            said = self._errors.read(_LAST_WORDS).decode("utf-8", "replace").strip().rpartition("\n")[2]
            self.close()
            why, what_to_do = f"its process ended with {code}: {said or 'it gave no reason'}", "correct the template"
            if is_late.is_set() and seconds == seconds_of_file:
                why = f"it takes more than {self._limits.seconds:g} s"
                what_to_do = "simplify it, or split the output"
            elif is_late.is_set():
                why = f"all templates of a build together take more than {self._limits.seconds_in_all:g} s"
                what_to_do = "simplify them, or build fewer outputs at a time"
            elif code == _TOO_LARGE:
                why = f"it takes more than {self._limits.memory >> 20} MiB of memory"
                what_to_do = "simplify it, or split the output"
            raise ProblemsError([_failed(name, why, what_to_do)]) from fault
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
    """Read where, what and what to do, as a child of ours sends them."""
    try:
        where, what, what_to_do = msgspec.json.decode(content, type=tuple[str, str, str])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "templates", "the template cannot be rendered", "correct the template"
    return where, what, what_to_do


_running: Sandbox | None = None


def render(own: Own, name: str, filters: Filters, context: Mapping[str, Any], limits: Limits) -> bytes:
    """Render in the sandbox's process, which is started when there is none. Raises as ``Sandbox.render``."""
    global _running  # noqa: PLW0603 - a process is dear, and a build renders many files
    if _running is None or not _running.is_open:
        _running = Sandbox(limits)
    return _running.render(own, name, filters, context)


def close() -> None:
    """End the process, if there is one; the next build has its whole time again."""
    if _running is not None and _running.is_open:
        _running.close()


class _Pickler(pickle.Pickler):
    """Sends what can be read only once, or is worked out when it is looked at, as a number to ask for."""

    def __init__(self, buffer: io.BytesIO, lazy: dict[int, Any]) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._lazy = lazy

    def reducer_override(self, each: Any) -> Any:
        if not isinstance(each, Iterator | Later):
            return NotImplemented
        number = next(_NUMBERS)
        self._lazy[number] = each
        return _asked, (number,)


def _listed(rows: Any) -> list[Any]:
    """Return rows as a list. What one of them holds is read before the next one: groups of groupby are gone then."""
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
    """The next message. Raises EOFError when there is none, and for one that is larger than ``most``."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    kind, size = _HEAD.unpack(head)
    content = stream.read(size) if size <= most else b""
    if len(content) < size:
        raise EOFError
    return kind, content


# What follows runs in the child.


def serve() -> None:
    """Answer requests until there are no more."""
    from tokensync.naming.templates import Limits, render

    limits = Limits(*json.loads(sys.argv[2]))
    _bound_this_process(limits, int(sys.argv[3]))
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
        except ProblemsError as stop:
            found = stop.problems[0]
            answer = _FAILED, json.dumps((found.where, found.what, found.what_to_do)).encode()
        _send(sys.stdout.buffer, *answer)


def _asked(number: int) -> Sequence[Any]:
    """Stands for rows in the parent: they come when a template looks at them."""

    def rows() -> list[Any]:
        _send(sys.stdout.buffer, _ROWS, str(number).encode())
        return list(pickle.loads(_received(sys.stdin.buffer, sys.maxsize)[1]))  # noqa: S301 - from the parent

    return Later(rows)


def _bound_this_process(limits: Limits, parent: int) -> None:
    """Forbid writing content into files, limit memory, and end with the parent, a process id. On Windows, only the
    parent's alarm ends a template.
    """
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    seconds = int(limits.seconds_in_all) + 10  # whoever is killed rings no alarm; the rest is for starting
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with suppress(ValueError, OSError):  # macOS has a bound that it does not keep to, and need not take this one
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    at_first = peak()  # Linux lets a process begin with the peak of the one that started it
    if sys.platform == "linux":  # a single call of C code, such as 10 ** 10 ** 9, keeps the thread below from running
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before this process asked to be told
        os._exit(0)

    def watch() -> None:
        while peak() - at_first < limits.memory:
            time.sleep(0.1)
            if os.getppid() != parent:
                os._exit(0)
        os._exit(_TOO_LARGE)

    threading.Thread(target=watch, daemon=True).start()
