"""What each command and format writes to streams of every encoding, to closed ones, and to readers that go away."""

import contextlib
import errno
import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from cli.every_command import ARGUMENTS, VARYING, commands, formats
from cli.two_scripts import Raw, prepared, project, written
from commands.projects import response, tokensync

from tokensync.cli.main import run

__all__ = ["prepared", "project"]

ENCODINGS = ("cp1252", "cp932", "ascii", "utf-16")
SHOWN = {
    f"{words} {form}".strip(): (words, " ".join(filter(None, (words, form, ARGUMENTS.get(words)))))
    for words, command in commands()
    for form in formats(command)
} | {each: ("", each) for each in ("--help", "plan --help", "nothing", "nothing --json")}
"""The words of each command, and a command line for each of its formats."""
each_command = pytest.mark.parametrize(("words", "line"), SHOWN.values(), ids=SHOWN)


@pytest.fixture(scope="module")
def planned(prepared, tmp_path_factory):
    """Return the project with a plan, the receipt of its apply, and tokens to migrate."""
    folder = shutil.copytree(prepared, tmp_path_factory.mktemp("planned") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        tokensync("-q", "plan")
        patch.chdir(shutil.copytree(folder, folder.parent / "applied"))
        tokensync("-q", "apply")
        (receipt,) = Path(".tokensync/applies").iterdir()
        shutil.copytree(receipt, folder / "applied")
    (folder / "größe.css").write_text(":root { --größe→日本: #112233; }", encoding="utf-8")
    (folder / "größe.json").write_bytes(response({"neu→日本": ("#112233", "#445566")}))
    return folder


@pytest.fixture
def anew(planned, monkeypatch):
    """Return a function that yields a new copy of the project as the working folder, since commands change it."""
    for name in ("CI", "FIGMA_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    own = planned.parent / "own"
    monkeypatch.setenv("TOKENSYNC_CREDENTIALS", str(own / "logins"))
    monkeypatch.setenv("HOOK", "passc0de")

    @contextlib.contextmanager
    def anew():
        folder = shutil.copytree(planned, own / "project")  # documents can contain its path
        try:
            with monkeypatch.context() as patch:
                patch.chdir(folder)
                patch.setattr("sys.stdin", io.StringIO())
                yield
        finally:
            shutil.rmtree(own)

    return anew


@pytest.fixture(scope="module")
def answers():
    """The exit code, the output and the messages of each command line, for streams in UTF-8."""
    return {}


@pytest.fixture
def answer(anew, answers, line):
    if line not in answers:
        with anew():
            answers[line] = written(line, "utf-8", newline="\n")
    return answers[line]


def is_for_programs(line):
    """Return whether a program reads the output: only texts for people may depend on the encoding of the stream."""
    if "--format" in line:
        return "--format text" not in line
    return "--json" in line or (line.startswith(("emulator openapi", "completion", "api ")) and "--list" not in line)


def test_each_command_has_arguments_that_make_it_print():
    of_endpoints = "api variables local"
    assert set(ARGUMENTS) == {words for words, _ in commands() if not words.startswith("api ")} | {of_endpoints}


@each_command
def test_documents_are_the_same_utf_8_on_every_stream_and_texts_have_escapes(anew, answer, words, line):
    code, plain, _ = answer
    assert b"\r" not in plain
    assert plain.endswith(b"\n") or not plain
    if {"--json", "json", "sarif"} & set(line.split()):
        json.loads(plain)
    for encoding in ENCODINGS:
        with anew():
            again, output, stderr = written(line, encoding)
        assert again == code or words == "doctor", encoding
        assert "internal error" not in stderr.decode(encoding)
        shown = output if is_for_programs(line) else output.decode(encoding).replace("\r\n", "\n").encode()
        text = plain.decode("utf-8")
        expected = text if is_for_programs(line) else text.encode(encoding, "backslashreplace").decode(encoding)
        assert shown.decode("utf-8") == expected or words in VARYING, encoding


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


@contextlib.contextmanager
def failing(number, left=0):
    """Make stdout a stream that fails with an error, and yield stderr."""
    stream = io.TextIOWrapper(io.BufferedWriter(Failing(getattr(errno, number), left), 64), encoding="utf-8")
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(io.StringIO()) as stderr:
        yield stderr
        sys.stdout = io.StringIO()  # what is pending cannot be written
    with contextlib.suppress(OSError):
        stream.detach().close()


def code_of(line):
    """Run a command line and return its exit code."""
    try:
        return run(line.split())
    except SystemExit as end:  # Click's answer to a broken pipe
        return end.code


GONE = ("EPIPE", "EINVAL", "EBADF")


@each_command
def test_streams_without_a_reader_or_space_are_no_errors_of_tokensync(anew, answer, words, line):
    code, plain, stderr = answer
    expected = {each for each in stderr.decode().splitlines() if each.startswith("error")}
    number = GONE[len(line) % len(GONE)]
    with anew(), failing(number) as errors:
        assert code_of(line) in (code, 1)
    assert {each for each in errors.getvalue().splitlines() if each.startswith("error")} <= expected, number
    with anew(), failing("ENOSPC") as errors:
        again = code_of(line)
    assert again == 1 or (again == code and not plain)
    assert "internal error" not in errors.getvalue()
    assert "error: " in errors.getvalue() or not plain


@each_command
def test_a_lost_answer_is_a_failure_and_a_lost_message_is_none(anew, answer, words, line):
    code, plain, _ = answer
    is_lost = plain and not plain.startswith(b'{\n  "error": {')
    with anew(), contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        assert run(line.split()) == (1 if is_lost else code)
    closed = io.TextIOWrapper(Raw(), encoding="utf-8")
    closed.close()
    with anew(), contextlib.redirect_stdout(closed), contextlib.redirect_stderr(io.StringIO()) as stderr:
        assert run(line.split()) in (code, 1)
    assert "internal error" not in stderr.getvalue()


@pytest.mark.parametrize("number", GONE)
@pytest.mark.parametrize("left", [0, 2])
@pytest.mark.parametrize("line", ["tokens list", "tokens list --json", "diff lock tokens --format html", "--help"])
def test_a_reader_that_goes_away_is_silent_on_every_system(project, number, left, line):
    with failing(number, left) as stderr:
        assert code_of(line) in (0, 1, 3)
    assert "error" not in stderr.getvalue()
