"""Write to stdout and stderr, safely for terminals, CI runners and JSON readers.

CI runners execute commands in both streams: GitHub Actions recognizes ``::name::`` at the start of a line and
``##[name]`` anywhere, Azure Pipelines ``##vso[...]``, and TeamCity ``##teamcity[...]``. Names in a design file, paths
and a server's messages may look like commands, and tokensync itself prints none. So every command is broken by an
escape, also outside CI, which JSON and HTML readers decode and people can read.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from threading import RLock
from typing import TYPE_CHECKING, Final, Literal, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Form = Literal["text", "json", "html"]
"""The syntax of escapes. That of HTML also works in Markdown outside code."""

_ESCAPES: Final[dict[Form, str]] = {"text": r"\x%02x", "json": r"\u%04x", "html": "&#%d;"}
_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NUMBER_SIGNS: Final = r"##(?=(\[|vso|teamcity))"
"""Azure also reports ``##vso`` without a bracket."""
_ANYWHERE: Final = re.compile(_NUMBER_SIGNS, re.IGNORECASE)
_START: Final = re.compile(rf"{_NUMBER_SIGNS}|::", re.IGNORECASE)
"""The start of commands, up to the character to escape. Colons count only at the start of a line."""
_LONGEST_START: Final = len("##teamcity")
_PIECE: Final = 1024 * 1024
_STREAMS: Final = {"<stdout>": "standard output", "<stderr>": "standard error"}
_REFRESHES: Final = 12.5
"""Updates of the progress display per second."""

_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Characters that are unsafe in a terminal: control and escape characters, line breaks, and bidirectional or invisible
marks."""
_NOT_ASCII: Final = re.compile(r"[^\t\n\r\x20-\x7e]+")
_BLANK: Final = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
"""Characters that are printable according to Unicode, but invisible."""


def broken(text: str, form: Form = "text") -> str:
    """Return the text with each command of a CI runner broken by an escape."""
    return _broken_from(text, 0, _ESCAPES[form])


def shown(text: str) -> str:
    """Return a text for one line of a terminal or log, with control characters and commands escaped."""
    return _ANYWHERE.sub(r"#\\x23", _UNSAFE.sub(_spelled_out, text))


def in_json(document: str) -> str:
    """Return an equivalent JSON text with commands and unprintable characters escaped."""
    if not document.replace("\n", "").isprintable() or (not document.isascii() and re.search(_BLANK, document)):
        document = _NOT_ASCII.sub(_escaped_in_json, document)
    return broken(document, "json")


def in_utf_8(text: str) -> str:
    """Return the text with surrogates escaped, such as those of path bytes that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _broken_from(text: str, start: int, escape: str) -> str:
    """Return the text from ``start`` on, with commands broken that end after it; the rest is already written."""
    if "##" not in text and "::" not in text:
        return text[start:]
    pieces, position = [], start
    for match in _START.finditer(text):
        if match[1] or _begins_line(text, match.start()):
            escaped = max(match.end() - 1, start)
            if escaped < max(match.end(), match.end(1)):
                pieces += [text[position:escaped], escape % ord(text[escaped])]
                position = escaped + 1
    return "".join([*pieces, text[position:]])


def _begins_line(text: str, position: int) -> bool:
    """Return whether a position is at the start of a line, after optional blanks."""
    while position > 0 and text[position - 1] not in _LINE_ENDS:
        if not text[position - 1].isspace():
            return False
        position -= 1
    return True


def _spelled_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def _escaped_in_json(match: re.Match[str]) -> str:
    if match[0].isprintable() and not re.search(_BLANK, match[0]):
        return match[0]
    return "".join(
        each if each.isprintable() and not re.match(_BLANK, each) else _utf_16_escape(each) for each in match[0]
    )


def _utf_16_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class Outlet:
    """A text stream that breaks commands of CI runners, also across several writes.

    It handles the output of libraries: help and errors of click, progress, tracebacks and logs. Texts of Console are
    already escaped.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = RLock()
        self._line = ""
        """The end of the current line that may be the start of a command."""
        self.buffer = _Utf8(self)
        """A binary stream for UTF-8, which bypasses the encoding of the text stream."""

    @property
    def encoding(self) -> str | None:
        """Return the encoding of the underlying stream."""
        return getattr(self._stream, "encoding", None)

    @property
    def errors(self) -> str | None:
        """Return the error handler of the underlying stream's encoding."""
        return getattr(self._stream, "errors", None)

    @property
    def name(self) -> str | None:
        """Return the name of the underlying stream."""
        return getattr(self._stream, "name", None)

    @property
    def closed(self) -> bool:
        """Return whether the underlying stream is closed. colorama treats a stream without this attribute as closed."""
        return self._stream.closed

    def writable(self) -> bool:
        """Return whether the stream is writable."""
        return self._stream.writable()

    def write(self, text: str) -> int:
        """Write a text."""
        with self._writing():
            self._stream.write(self._continued(text))
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

    def flush(self) -> None:
        """Flush the stream."""
        with self._writing():
            self._stream.flush()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the file descriptor of the underlying stream."""
        return self._stream.fileno()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Lock the stream, and let an OSError name it."""
        try:
            with self._lock:
                yield
        except OSError as error:
            error.filename = _STREAMS.get(self.name or "")
            raise

    def _continued(self, text: str) -> str:
        """Return the next piece with all commands broken that end in it."""
        joined = self._line + text
        written, self._line = len(self._line), _command_start(joined)
        return _broken_from(joined, written, _ESCAPES["text"])


class _Utf8:
    """The binary stream of an outlet, like ``sys.stdout.buffer``."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, content: bytes) -> int:
        """Write bytes."""
        self._outlet.write_utf_8(self._decoder.decode(content))
        return len(content)

    def flush(self) -> None:
        """Flush the stream."""
        self._outlet.flush()


def _command_start(text: str) -> str:
    """Return the part of the last line that may be the start of a command: an initial colon, or the line's end."""
    line = (text.rpartition("\n")[2] + ".").splitlines()[-1][:-1]
    return line.strip() if line.strip() in ("", ":") else f".{line[-_LONGEST_START:]}"


@contextmanager
def guarded() -> Iterator[None]:
    """Replace sys.stdout and sys.stderr with Outlets.

    Escape characters that a stream's encoding lacks. After an exception the outlets stay, for its report.
    """
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = (_outlet(stream) for stream in before)
    yield
    sys.stdout, sys.stderr = before


def write(*lines: str, err: bool = False, colour: bool | None = None) -> None:
    """Write lines to stdout, or to stderr for ``err``; without colours if ``colour`` is False."""
    import click

    if lines:
        click.echo(broken("\n".join(lines)), file=sys.stderr if err else sys.stdout, err=err, color=colour)


def write_json(document: bytes) -> None:
    """Write a JSON text to stdout as UTF-8, whatever the terminal's encoding; a long one in pieces."""
    import click

    start = 0
    while start < len(document):
        end = document.find(b"\n", start + _PIECE) + 1 or len(document)  # no command spans lines
        text = in_json(document[start:end].decode("utf-8"))
        is_last = end == len(document)
        click.echo(text.encode("utf-8") if hasattr(sys.stdout, "buffer") else text, file=sys.stdout, nl=is_last)
        start = end


def ask_secret(what: str) -> str:
    """Prompt for a secret without echo."""
    import click

    answer: str = click.prompt(what, hide_input=True, err=True)
    return answer


@contextmanager
def status(*, colour: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that updates a progress line on the terminal of stderr."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    spinner = Spinner("dots", style="status.spinner")
    console = Console(stderr=True, no_color=not colour)
    with Live(spinner, console=console, refresh_per_second=_REFRESHES, transient=True) as live:

        def show(text: str) -> None:
            spinner.update(text=Text(shown(text)))
            live.refresh()  # a step may end before the next refresh

        yield show


def stderr() -> TextIO:
    """Return stderr as a stream for libraries."""
    return _outlet(sys.stderr)


def is_terminal(*, err: bool = False) -> bool:
    """Return whether stdout, or stderr for ``err``, is a terminal. A stream that the caller closed is None."""
    stream: TextIO | None = sys.stderr if err else sys.stdout
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_colour(*, err: bool = False) -> bool:
    """Return whether stdout, or stderr for ``err``, is a terminal that shows colours."""
    return is_terminal(err=err) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Return the width of the terminal of stdout; None for a file or pipe, where lines are not wrapped."""
    import shutil

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
