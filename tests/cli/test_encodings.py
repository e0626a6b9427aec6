"""What each command and format writes to streams of every encoding, to closed ones, and to readers that go away."""

import contextlib
import errno
import hashlib
import io
import os
import sys

import pytest
from cli.two_scripts import Raw, prepared, project, written

from tokensync.cli.main import run

__all__ = ["prepared", "project"]

ENCODINGS = ("cp1252", "cp932", "ascii", "utf-16")
FOR_PROGRAMS = [
    *(f"diff lock tokens --format {form}" for form in ("markdown", "message", "json", "html")),
    *(f"plan --format {form}" for form in ("markdown", "json")),
    *(f"check --format {form}" for form in ("sarif", "github", "json")),
    *(f"lint --format {form}" for form in ("sarif", "github", "json")),
    *("tokens list --json", "tokens show x→y --json", "tokens why x→y --json", "tokens unused --json"),
    *("status --json", "build --json", "pull --dry-run --json", "files layers one --json", "usage --json"),
    *("webhooks list --json", "api variables local --file one", "plan --json", "nothing --json"),
]
FOR_PEOPLE = [
    *("diff lock tokens", "plan", "check", "lint", "tokens list", "tokens show x→y", "tokens why x→y", "tokens unused"),
    *("status", "build", "pull --dry-run", "--help", "plan --help", "api --list", "nothing", "tokens show 日本"),
]


@pytest.mark.parametrize("command", FOR_PROGRAMS)
def test_documents_for_programs_are_the_same_utf_8_on_every_stream(project, command):
    code, plain, _ = written(command, "utf-8", newline="\n")
    assert b"\r" not in plain
    plain.decode("utf-8")
    assert plain.endswith(b"\n") or not plain
    for encoding in ENCODINGS:
        again, document, stderr = written(command, encoding)
        assert (again, hashlib.sha256(document).hexdigest()) == (code, hashlib.sha256(plain).hexdigest()), encoding
        assert "internal error" not in stderr.decode(encoding)


@pytest.mark.parametrize("command", FOR_PEOPLE)
def test_text_for_people_ends_no_program_and_escapes_what_a_stream_lacks(project, command):
    code, plain, _ = written(command, "utf-8", newline="\n")
    for encoding in ENCODINGS:
        again, text, stderr = written(command, encoding)
        assert again == code
        assert "internal error" not in stderr.decode(encoding)
        expected = plain.decode("utf-8").encode(encoding, "backslashreplace").decode(encoding)
        assert text.decode(encoding).replace("\r\n", "\n") == expected


class Failing(io.RawIOBase):
    """The raw stream of a pipe whose reader has gone: it takes a number of writes, and refuses the next ones."""

    def __init__(self, number, left):
        super().__init__()
        self.number = number
        self.left = left

    def writable(self):
        return True

    def write(self, content):
        if self.left:
            self.left -= 1
            return len(content)
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize("number", ["EPIPE", "EINVAL", "EBADF"])
@pytest.mark.parametrize("left", [0, 2])
@pytest.mark.parametrize("command", ["tokens list", "tokens list --json", "diff lock tokens --format html", "--help"])
def test_a_reader_that_goes_away_is_silent_on_every_system(project, number, left, command):
    stream = io.TextIOWrapper(io.BufferedWriter(Failing(getattr(errno, number), left), 64), encoding="utf-8")
    stderr = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stderr):
        try:
            code = run(command.split())
        except SystemExit as end:  # Click's answer to a broken pipe
            code = end.code
        sys.stdout = io.StringIO()  # what is pending cannot be written
    assert code in (0, 1, 3)
    assert "error" not in stderr.getvalue()
    with contextlib.suppress(OSError):
        stream.detach().close()


def test_a_full_disk_is_still_an_error_with_its_name(project):
    stream = io.TextIOWrapper(io.BufferedWriter(Failing(errno.ENOSPC, 0), 64), encoding="utf-8")
    stderr = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stderr):
        code = run(["tokens", "list"])
        sys.stdout = io.StringIO()
    assert code == 1
    assert stderr.getvalue().splitlines()[-1].startswith("error: ")
    with contextlib.suppress(OSError):
        stream.detach().close()


@pytest.mark.parametrize("command", [*FOR_PROGRAMS, *FOR_PEOPLE])
def test_streams_that_are_none_or_closed_are_passed_over(project, command):
    code, _, _ = written(command, "utf-8")
    with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        assert run(command.split()) == code
    closed = io.TextIOWrapper(Raw(), encoding="utf-8")
    closed.close()
    with contextlib.redirect_stdout(closed), contextlib.redirect_stderr(io.StringIO()) as stderr:
        assert run(command.split()) in (code, 1)
    assert "internal error" not in stderr.getvalue()
