"""Texts with a form of their own: trailers, ids of commits, links, masked secrets; and streams that fail."""

import errno
import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout

import click
import pytest

from tokensync.system import outlet
from tokensync.system.outlet import documents, findings, markdown, streams
from tokensync.system.problems import Problem


def test_trailers_are_single_words_and_the_last_paragraph():
    message = documents.with_trailers(documents.Message("Pull\n"), {"Tokensync-Run": "a1.b-2"})
    assert message == "Pull\n\nTokensync-Run: a1.b-2\n"
    assert documents.trailers_of(message) == {"Tokensync-Run": "a1.b-2"}
    assert documents.trailers_of("Pull\n\nnothing") == {}
    for hostile in ("", "a b", "a\nCo-authored-by: b", "-a"):
        with pytest.raises(ValueError):  # noqa: PT011 - it has no other message than the value
            documents.with_trailers(message, {"Tokensync-Run": hostile})


def test_only_ids_of_commits_and_plain_addresses_become_links():
    assert markdown.commit("0a" * 20) == "0a" * 6
    assert markdown.commit("0a" * 32) == "0a" * 6
    for hostile in ("0a" * 19, "0A" * 20, "HEAD", f"{'0a' * 20}\n"):
        with pytest.raises(ValueError, match=hostile.strip()):
            markdown.commit(hostile)
    assert markdown.marker("plan", "a1_b>") == "<!-- tokensync plan a1_5f_b_3e_ -->"
    assert markdown.link("a_b", "https://example.com/a/b") == "[a&#x5f;b](https://example.com/a/b)"
    assert markdown.link("a_b", "javascript:alert(1)") == markdown.plain("a_b")


def test_a_secret_that_is_too_short_to_be_hidden_is_refused():
    assert findings.masked("12345678") == "::add-mask::12345678"
    for short in ("1234567", "1234567é", "1234567\n"):
        with pytest.raises(ValueError, match="characters"):
            findings.masked(short)


def test_findings_are_grouped_by_code_with_errors_first():
    first, second = (
        Problem(code=code, severity=severity, where="here", what="x", what_to_do="y")
        for severity, code in (("note", "a"), ("error", "b"))
    )
    found = [findings.Finding(first, text="x", line=3), findings.Finding(second), findings.Finding(second)]
    assert [(code, len(own)) for code, own in findings.of_codes(found)] == [("b", 1), ("a", 1)]
    assert findings.frame(found[0]) == ("     3 | x",)
    assert findings.frame(found[1]) == ()
    assert findings._rule("of-a-plugin") == {"id": "of-a-plugin", "shortDescription": {"text": "of-a-plugin"}}


class Failing(io.StringIO):
    name = "<stdout>"

    def __init__(self, number):
        super().__init__()
        self.number = number

    def flush(self):
        raise OSError(self.number, os.strerror(self.number))


def test_an_error_of_a_stream_names_it_unless_its_reader_has_gone():
    with redirect_stdout(Failing(errno.ENOSPC)), outlet.guarded():
        with pytest.raises(OSError, match="No space left on device: 'standard output'"):
            sys.stdout.flush()
        sys.stdout = sys.__stdout__
    with redirect_stdout(Failing(errno.EBADF)), outlet.guarded():
        with pytest.raises(BrokenPipeError):
            sys.stdout.flush()
        sys.stdout = sys.__stdout__


def test_nothing_is_written_where_there_is_nothing():
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err, outlet.guarded():
        outlet.write()
        streams.write_commands([])
        assert (streams.width(), streams.width(err=True)) == (None, None)
    assert (out.getvalue(), err.getvalue()) == ("", "")


def test_pending_output_is_discarded(tmp_path, monkeypatch):
    with open(tmp_path / "out", "w", encoding="utf-8") as file:
        file.write("pending")
        monkeypatch.setattr(sys, "stdout", file)
        monkeypatch.setattr(sys, "stderr", None)
        streams.discard()
    assert (tmp_path / "out").read_bytes() == b""


def test_the_progress_line_turns_until_the_end(monkeypatch):
    monkeypatch.setattr(streams, "_REFRESHES", 1000)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((20, 5)))
    with redirect_stderr(io.StringIO()) as err:
        line = streams._ProgressLine()
        line.show("reading")
        while line._refreshes < 5:
            pass
        line.end()
        shown = err.getvalue()
        line.show("again")
        assert err.getvalue() == shown
    assert len({part[0] for part in shown.split("\r")[1:-1]}) > 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_a_question_is_asked_on_a_terminal_and_its_line_ends(monkeypatch, kind):
    with redirect_stderr(kind()) as err:
        monkeypatch.setattr(sys, "stdin", kind("  a b \ny\n"))
        assert outlet.can_ask() == (kind is Terminal)
        assert outlet.ask("Name", "x") == "a b"
        assert outlet.confirm("Sure?", default=False)
        shown = err.getvalue()
        monkeypatch.setattr(sys, "stdin", kind())
        with pytest.raises(click.exceptions.Abort):
            outlet.ask("Name", "")
    assert err.getvalue().removeprefix(shown) == "Name: \n"


def test_flags_of_regions_stay_and_other_tags_do_not():
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng")
    assert outlet.shown(f"\U0001f3f4{tags}\U000e007f") == f"\U0001f3f4{tags}\U000e007f"
    assert "\\" in outlet.shown(f"\U0001f3f4{tags}")
