"""Everything that tokensync writes to stdout and stderr, made safe for terminals, CI runners and JSON readers.

The runner of a CI service reads both streams line by line and carries out the commands in them: GitHub Actions takes
``::name::`` where a line begins and ``##[name]`` anywhere, Azure Pipelines takes ``##vso[...]``, and TeamCity takes
``##teamcity[...]``. Names in a design file, paths and a server's messages can look like that, and tokensync itself
prints no command. So every command is broken by an escape, also outside CI, in a form that its reader undoes or that
people can read.
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
"""How an escape is spelled; that of HTML also serves Markdown outside code."""

_ESCAPES: Final[dict[Form, str]] = {"text": r"\x%02x", "json": r"\u%04x", "html": "&#%d;"}
_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NUMBER_SIGNS: Final = r"##(?=(\[|vso|teamcity))"
"""Azure also warns of ``##vso`` without a bracket."""
_ANYWHERE: Final = re.compile(_NUMBER_SIGNS, re.IGNORECASE)
_START: Final = re.compile(rf"{_NUMBER_SIGNS}|::", re.IGNORECASE)
"""How commands start, up to the character that is escaped to break them; colons do so only where a line begins."""
_LONGEST_START: Final = len("##teamcity")
_PIECE: Final = 1024 * 1024
_STREAMS: Final = {"<stdout>": "standard output", "<stderr>": "standard error"}
_REFRESHES: Final = 12.5
"""A second, of what is shown while something goes on."""

_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""What a name from a design file could do to a terminal: control and escape sequences, line breaks, and marks that
make text run backwards or that nobody sees."""
_NOT_ASCII: Final = re.compile(r"[^\t\n\r\x20-\x7e]+")
_BLANK: Final = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
"""Characters that Unicode calls printable and that show nothing."""


def broken(text: str, form: Form = "text") -> str:
    """Return the text with each command of a CI runner broken by an escape."""
    return _broken_from(text, 0, _ESCAPES[form])


def shown(text: str) -> str:
    """Return a text that fits in a line of a terminal or a log: what either acts on, wherever it is, is spelled out."""
    return _ANYWHERE.sub(r"#\\x23", _UNSAFE.sub(_spelled_out, text))


def in_json(document: str) -> str:
    """Return a JSON text with commands and all that does not print escaped; a JSON reader gets the same document."""
    if not document.replace("\n", "").isprintable() or (not document.isascii() and re.search(_BLANK, document)):
        document = _NOT_ASCII.sub(_escaped_in_json, document)
    return broken(document, "json")


def in_utf_8(text: str) -> str:
    """Return the text with what UTF-8 cannot hold spelled out, such as a path's bytes that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _broken_from(text: str, start: int, escape: str) -> str:
    """Return the text from ``start`` on with the commands broken that end after it; what is before it is written."""
    if "##" not in text and "::" not in text:
        return text[start:]
    pieces, at = [], start
    for match in _START.finditer(text):
        if match[1] or _begins_line(text, match.start()):
            escaped = max(match.end() - 1, start)
            if escaped < max(match.end(), match.end(1)):
                pieces += [text[at:escaped], escape % ord(text[escaped])]
                at = escaped + 1
    return "".join([*pieces, text[at:]])


def _begins_line(text: str, at: int) -> bool:
    """Return whether nothing but blanks is between the start of a line and this place."""
    while at > 0 and text[at - 1] not in _LINE_ENDS:
        if not text[at - 1].isspace():
            return False
        at -= 1
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
    """A text stream that breaks the commands of CI runners in what is written, however it is cut into pieces.

    Console's texts arrive with their escapes. This is for what others write: click's help and errors, progress,
    Python's tracebacks and logs.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = RLock()
        self._line = ""
        """What the current line holds, as far as a command could go on from it."""
        self.buffer = _Utf8(self)
        """Takes bytes in UTF-8, which are written below the encoding of the stream."""

    @property
    def encoding(self) -> str | None:
        """Return the encoding of the stream below."""
        return getattr(self._stream, "encoding", None)

    @property
    def errors(self) -> str | None:
        """Return what the stream below does with characters that its encoding does not have."""
        return getattr(self._stream, "errors", None)

    @property
    def name(self) -> str | None:
        """Return the name of the stream below."""
        return getattr(self._stream, "name", None)

    @property
    def closed(self) -> bool:
        """Return whether the stream below is closed; colorama takes a stream that cannot tell for a closed one."""
        return self._stream.closed

    def writable(self) -> bool:
        """Return whether it takes text."""
        return self._stream.writable()

    def write(self, text: str) -> int:
        """Write a text or a piece of one."""
        with self._writing():
            self._stream.write(self._continued(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after another; they bring their line ends."""
        for line in lines:
            self.write(line)

    def write_utf_8(self, text: str) -> None:
        """Write a text in UTF-8, whatever the encoding of the stream is; a stream without bytes gets the text."""
        buffer = getattr(self._stream, "buffer", None)
        with self._writing():
            if buffer is None:
                self._stream.write(self._continued(text))
            else:
                self._stream.flush()
                buffer.write(self._continued(text).encode("utf-8"))

    def flush(self) -> None:
        """Hand everything on that was written."""
        with self._writing():
            self._stream.flush()

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the file descriptor of the stream below."""
        return self._stream.fileno()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Keep other threads out; an OSError then says which stream it is about."""
        try:
            with self._lock:
                yield
        except OSError as fault:
            fault.filename = _STREAMS.get(self.name or "")
            raise

    def _continued(self, text: str) -> str:
        """Return the next piece with the commands broken that are in it, or that it would complete."""
        joined = self._line + text
        written, self._line = len(self._line), _begun(joined)
        return _broken_from(joined, written, _ESCAPES["text"])


class _Utf8:
    """The bytes of an outlet, as ``sys.stdout.buffer`` are those of a stream."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, content: bytes) -> int:
        """Write bytes, or a piece of them."""
        self._outlet.write_utf_8(self._decoder.decode(content))
        return len(content)

    def flush(self) -> None:
        """Hand everything on that was written."""
        self._outlet.flush()


def _begun(text: str) -> str:
    """Return what a command could go on from: the colon that the last line starts with, or the end of a longer one."""
    line = (text.rpartition("\n")[2] + ".").splitlines()[-1][:-1]
    return line.strip() if line.strip() in ("", ":") else f".{line[-_LONGEST_START:]}"


@contextmanager
def guarded() -> Iterator[None]:
    """Put an Outlet in the place of sys.stdout and of sys.stderr.

    A stream whose encoding lacks a character shows its escape and raises nothing. An exception leaves the outlets in
    place, since whoever reports it writes to them.
    """
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = (_outlet(stream) for stream in before)
    yield
    sys.stdout, sys.stderr = before


def write(*lines: str, err: bool = False, colour: bool | None = None) -> None:
    """Write lines to stdout, or to stderr for ``err``. Colours are omitted where ``colour`` says so."""
    import click

    if lines:
        click.echo(broken("\n".join(lines)), file=sys.stderr if err else sys.stdout, err=err, color=colour)


def write_json(document: bytes) -> None:
    """Write a JSON text to stdout: UTF-8, whatever the terminal speaks. A long one goes piece by piece."""
    import click

    begun = 0
    while begun < len(document):
        end = document.find(b"\n", begun + _PIECE) + 1 or len(document)  # no command goes on in the next line
        text = in_json(document[begun:end].decode("utf-8"))
        is_last = end == len(document)
        click.echo(text.encode("utf-8") if hasattr(sys.stdout, "buffer") else text, file=sys.stdout, nl=is_last)
        begun = end


def ask_secret(what: str) -> str:
    """Ask the person at the terminal for a secret, without an echo."""
    import click

    answer: str = click.prompt(what, hide_input=True, err=True)
    return answer


@contextmanager
def status(*, colour: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows what is going on, in one line of the terminal that stderr is."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    spinner = Spinner("dots", style="status.spinner")
    console = Console(stderr=True, no_color=not colour)
    with Live(spinner, console=console, refresh_per_second=_REFRESHES, transient=True) as live:

        def show(text: str) -> None:
            spinner.update(text=Text(shown(text)))
            live.refresh()  # a step may be over before the next refresh

        yield show


def stderr() -> TextIO:
    """Return stderr, for code of others that wants a stream to write to."""
    return _outlet(sys.stderr)


def is_terminal(*, err: bool = False) -> bool:
    """Return whether somebody is watching stdout, or stderr; a stream that the caller closed is None."""
    stream: TextIO | None = sys.stderr if err else sys.stdout
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_colour(*, err: bool = False) -> bool:
    """Return whether stdout, or stderr, is a terminal that wants colours."""
    return is_terminal(err=err) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Return the cells of a line where somebody watches stdout; None for a file or a program, which get whole lines."""
    import shutil

    return shutil.get_terminal_size().columns if is_terminal() else None


def flush() -> None:
    """Hand everything on that was written to both streams."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError, AttributeError):  # closed, or None
            stream.flush()


def discard() -> None:
    """Drop what is still to be written: Python flushes both streams once more at its end, which would fail again."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _outlet(stream: TextIO) -> TextIO:
    """Return an Outlet to the stream; an outlet stays what it is, and so does None, a stream that the caller closed."""
    given = cast("object", stream)
    return stream if given is None or isinstance(given, Outlet) else cast("TextIO", Outlet(stream))
