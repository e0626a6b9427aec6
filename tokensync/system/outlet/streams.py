"""Write to stdout and stderr, safely for terminals, CI runners and JSON readers.

Both streams are read by CI runners, so every command in them is broken, also outside CI. Names in a design file, paths
and a server's messages may look like commands. tokensync itself prints only the annotations of ``findings``, and only
on request.

Documents for programs (JSON, Markdown, HTML, SARIF, workflow commands) are UTF-8 with LF on every system. Text for
people has the encoding of its stream, with escapes for characters that it lacks.
"""

from __future__ import annotations

import codecs
import errno
import os
import sys
from contextlib import contextmanager, nullcontext, suppress
from io import StringIO, TextIOWrapper
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO, cast

from tokensync.system.errors import TokensyncError
from tokensync.system.outlet.characters import broken, command_start
from tokensync.system.outlet.terminal import Line, cells, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.system.outlet.documents import Html, Json, Message, Script
    from tokensync.system.outlet.findings import Command
    from tokensync.system.outlet.markdown import Markdown

_PIECE: Final = 1024 * 1024
_GONE: Final = frozenset((errno.EPIPE, errno.EINVAL, errno.EBADF))
"""The errors of a write whose reader has gone; Windows has the last two."""
_OF_STREAM: Final = ("closed", "encoding", "errors", "fileno", "isatty", "name", "writable")
_STREAMS: Final = {"<stdout>": "standard output", "<stderr>": "standard error"}
_REFRESHES: Final = 8.0
"""Updates of the progress line per second."""
_TURNING: Final = "|/-\\"
_NARROW: Final = 80
"""The columns of a terminal that does not report them."""


class Outlet:
    """A text stream that breaks commands of CI runners, also across several writes.

    It handles the output of libraries: help and errors of click, progress, tracebacks and logs. Texts of Console are
    already escaped.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = RLock()
        self.is_empty = True
        """Whether nothing has been written."""
        self._line = ""
        """The end of the current line that may be the start of a command."""
        self.buffer = _Utf8(self)
        """A binary stream for UTF-8, which bypasses the encoding of the text stream."""

    def __getattr__(self, name: str) -> Any:
        """Return what the underlying stream says of itself. To colorama, a stream without ``closed`` is closed."""
        if name in _OF_STREAM:
            return getattr(self._stream, name)
        raise AttributeError(name)

    def write(self, text: str) -> int:
        """Write a text."""
        with self._writing():
            if continued := self._continued(text):  # UTF-16 begins with a mark, also if nothing follows
                self._stream.write(continued)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, which include their line ends."""
        for line in lines:
            self.write(line)

    def write_utf_8(self, text: str) -> None:
        """Write a text as UTF-8, whatever the stream's encoding; write text to a stream without a buffer."""
        buffer = getattr(self._stream, "buffer", None)
        with self._writing():
            if buffer is None:
                self._stream.write(self._continued(text))
            else:
                self._stream.flush()
                buffer.write(self._continued(text).encode("utf-8"))

    def write_commands(self, commands: Iterable[Command]) -> None:
        """Write workflow commands unbroken, as UTF-8, each on a line of its own."""
        text = "".join(f"{each}\n" for each in ("", *commands)[0 if self._line else 1 :])
        self.flush()
        with self._writing():
            self.is_empty, self._line = False, ""
            buffer = getattr(self._stream, "buffer", None)
            self._stream.write(text) if buffer is None else buffer.write(text.encode("utf-8"))

    def flush(self) -> None:
        """Flush the stream."""
        with self._writing():
            self._stream.flush()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Lock the stream. Raise BrokenPipeError if its reader has gone, and let any other OSError name the stream."""
        try:
            with self._lock:
                yield
        except OSError as error:
            if error.errno in _GONE:
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from error
            error.filename = _STREAMS.get(getattr(self, "name", ""))
            raise

    def _continued(self, text: str) -> str:
        """Return the next piece with all commands broken that end in it."""
        self.is_empty = False
        joined = self._line + text
        written, self._line = len(self._line), command_start(joined)
        return broken(joined, start=written)


class _ClosedOutlet(Outlet):
    """The place of a stdout that the caller closed: an answer that is lost must not end with exit code 0."""

    def __init__(self) -> None:
        super().__init__(StringIO())
        self.is_empty = False  # so that no error is written to it as JSON

    def _writing(self) -> NoReturn:
        raise TokensyncError("standard output: it is closed; redirect it to a file, or to /dev/null")

    def flush(self) -> None:
        """Do nothing."""


class _Utf8:
    """The binary stream of an outlet, like ``sys.stdout.buffer``."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, content: bytes) -> int:
        self._outlet.write_utf_8(self._decoder.decode(content))
        return len(content)

    def flush(self) -> None:
        self._outlet.flush()


@contextmanager
def guarded() -> Iterator[None]:
    """Replace sys.stdout and sys.stderr with Outlets.

    Escape characters that a stream's encoding lacks. After an exception the outlets stay, for its report.
    """
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, TextIOWrapper):
            with suppress(OSError, ValueError):  # the disk is full, or it is closed, which the next write reports
                stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = (_outlet(stream) for stream in before)
    if cast("object", sys.stdout) is None:  # Python's value for a stream that was closed before it started
        sys.stdout = cast("TextIO", _ClosedOutlet())
    yield
    sys.stdout, sys.stderr = before


@contextmanager
def collected() -> Iterator[StringIO]:
    """Collect in a text what the block writes to stdout, without colours."""
    before, text = sys.stdout, StringIO()
    sys.stdout = _outlet(text)
    try:
        yield text
    finally:
        sys.stdout = before


def write(*lines: Line, err: bool = False, colour: bool | None = None) -> None:
    """Write lines to stdout, or to stderr for ``err``; without colours if ``colour`` is False."""
    import click

    if lines:
        with _progress[-1].hidden() if _progress else nullcontext():
            click.echo("\n".join(lines), file=sys.stderr if err else sys.stdout, err=err, color=colour)


def write_document(document: Markdown | Html | Message | Script) -> None:
    """Write a document to stdout as it is, with one line end at its end."""
    _write_whole(document.removesuffix("\n") + "\n")


def write_commands(commands: Iterable[Command]) -> None:
    """Write workflow commands to stdout, where a CI runner carries them out."""
    given = tuple(commands)
    if given and (stream := _stdout()):
        stream.write_commands(given)


def _write_whole(text: str) -> None:
    """Write a text for programs to stdout, and flush it: they may wait for it."""
    if stream := _stdout():
        stream.write_utf_8(text)
        stream.flush()


def _stdout() -> Outlet | None:
    """Return stdout as an Outlet, also before ``guarded``; None if the caller closed it."""
    stream: object = _outlet(sys.stdout)
    return stream if isinstance(stream, Outlet) else None


def is_stdout_empty() -> bool:
    """Return whether nothing has been written to stdout."""
    return isinstance(sys.stdout, Outlet) and sys.stdout.is_empty


def write_json(document: bytes) -> None:
    """Write a JSON text to stdout as UTF-8, whatever the terminal's encoding; a long one in pieces."""
    from tokensync.system.outlet.documents import in_json

    start = 0
    while start < len(document):
        end = document.find(b"\n", start + _PIECE) + 1 or len(document)  # no command spans lines
        _write_piece(in_json(document[start:end].decode("utf-8")), is_last=end == len(document))
        start = end


def _write_piece(piece: Json, *, is_last: bool) -> None:
    _write_whole(piece + "\n" if is_last else piece)


def ask_secret(what: str) -> str:
    """Prompt for a secret without echo."""
    import click

    answer: str = click.prompt(what, hide_input=True, err=True)
    return answer


def ask(question: str, default: str) -> str:
    """Prompt for a text on stderr. Enter alone gives the default, which is shown if there is one."""
    import click

    with _ended_line():
        answer: str = click.prompt(shown(question), default=default, show_default=bool(default), err=True)
    return answer.strip()


def confirm(question: str, *, default: bool) -> bool:
    """Ask a question on stderr whose answer is yes or no."""
    import click

    with _ended_line():
        return click.confirm(shown(question), default=default, err=True)


@contextmanager
def _ended_line() -> Iterator[None]:
    """End the line of a question that Ctrl-C or the end of the input leaves without an answer."""
    import click

    try:
        yield
    except click.exceptions.Abort:
        click.echo(err=True)
        raise


class _ProgressLine:
    """The last line of the terminal of stderr, with the current step and a character that turns.

    Other lines are written while it is ``hidden``; the next refresh shows the step again below them.
    """

    def __init__(self) -> None:
        self._text = ""
        self._refreshes = 0
        self._ended = Event()
        self._lock = RLock()
        self._thread = Thread(target=self._refresh, daemon=True)

    def show(self, text: str) -> None:
        """Show another step at once: it may end before the next refresh."""
        with self._lock:
            if not self._ended.is_set():
                self._text = shown(text)
                self._draw()
                if self._refreshes == 1:
                    self._thread.start()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Remove the line until the next refresh, which waits for the end of the block."""
        with self._lock:
            if self._text:
                self._write("")
            yield

    def end(self) -> None:
        with self.hidden():
            self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _refresh(self) -> None:
        with suppress(OSError, ValueError):  # the terminal is gone, which the next message reports
            while not self._ended.wait(1 / _REFRESHES):
                with self._lock:
                    if not self._ended.is_set():
                        self._draw()

    def _draw(self) -> None:
        self._refreshes += 1
        most = _columns() - 1  # a terminal may wrap a full line
        text = f"{_TURNING[self._refreshes % len(_TURNING)]} {self._text}"[:most]
        while cells(text) > most:
            text = text[:-1]
        self._write(text)

    def _write(self, text: str) -> None:
        import click

        click.echo(f"\r{text}\x1b[K", file=sys.stderr, nl=False)
        sys.stderr.flush()


def _columns() -> int:
    with suppress(OSError, ValueError, AttributeError):  # it is no real terminal
        return os.get_terminal_size(sys.stderr.fileno()).columns or _NARROW
    return _NARROW


_progress: list[_ProgressLine] = []
"""The progress line that is on the terminal, if any."""


@contextmanager
def status() -> Iterator[Callable[[str], None]]:
    """Yield a function that updates a progress line on the terminal of stderr; a dumb one shows none."""
    if os.environ.get("TERM") == "dumb":
        yield lambda text: None
        return
    line = _ProgressLine()
    _progress.append(line)
    try:
        yield line.show
    finally:
        _progress.remove(line)
        line.end()


def stderr() -> TextIO:
    """Return stderr as a stream for libraries."""
    return _outlet(sys.stderr)


@contextmanager
def wire() -> Iterator[None]:
    """Let a library write to stdout itself: messages to a program that started this one, which no CI runner reads."""
    guarded_stdout, sys.stdout = sys.stdout, cast("TextIO", sys.__stdout__)
    try:
        yield
    finally:
        sys.stdout = guarded_stdout


def can_ask() -> bool:
    """Return whether a person can see questions and answer them: stdin and stderr are terminals."""
    return is_stdin_terminal() and is_terminal(err=True)


def is_stdin_terminal() -> bool:
    """Return whether stdin is a terminal."""
    return _is_terminal(sys.stdin)


def is_terminal(*, err: bool = False) -> bool:
    """Return whether stdout, or stderr for ``err``, is a terminal."""
    return _is_terminal(sys.stderr if err else sys.stdout)


def _is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal. One that the caller closed is None."""
    try:
        return stream is not None and stream.isatty() and not _is_null_device(stream)
    except ValueError:  # closed
        return False


def _is_null_device(stream: TextIO) -> bool:
    """Return whether a stream that is a terminal by its own account is Windows's NUL: there, a prompt never ends."""
    if sys.platform == "win32":
        import ctypes
        import msvcrt

        with suppress(OSError, AttributeError):  # in memory
            handle = ctypes.c_void_p(msvcrt.get_osfhandle(stream.fileno()))
            return not ctypes.windll.kernel32.GetConsoleMode(handle, ctypes.byref(ctypes.c_uint32()))
    return False


def wants_colour(*, err: bool = False) -> bool:
    """Return whether stdout, or stderr for ``err``, is a terminal that shows colours."""
    return is_terminal(err=err) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def encodings() -> tuple[tuple[str, str], ...]:
    """Return the names of both streams and their encodings, empty for one that is closed or in memory."""
    streams = (("stdout", sys.stdout), ("stderr", sys.stderr))
    return tuple((name, getattr(stream, "encoding", None) or "") for name, stream in streams)


def width(*, err: bool = False) -> int | None:
    """Return the width of the terminal of stdout or stderr; None for a file or pipe, where lines are not wrapped."""
    import shutil

    if err:
        return _columns() if is_terminal(err=True) else None
    return shutil.get_terminal_size().columns if is_terminal() else None


def flush() -> None:
    """Flush both streams."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError, AttributeError):  # closed, or None
            stream.flush()


def discard() -> None:
    """Discard pending output: Python flushes both streams again at exit, which would fail."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _outlet(stream: TextIO) -> TextIO:
    """Return an Outlet for a stream; leave an Outlet and None (a closed stream) unchanged."""
    current = cast("object", stream)
    return stream if current is None or isinstance(current, Outlet) else cast("TextIO", Outlet(stream))
