"""What leaves by stdout and stderr is no command of a CI runner, in every form and however it is cut into pieces."""

import io
import json
import re
import sys
import unicodedata
from contextlib import redirect_stderr, redirect_stdout, suppress

import pytest
from ci_runners import commands
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tokensync.system import outlet
from tokensync.system.errors import TokensyncError
from tokensync.system.outlet import Outlet, in_utf_8, shown, streams
from tokensync.system.outlet.characters import broken
from tokensync.system.outlet.documents import in_json
from tokensync.system.outlet.terminal import cells, line

WORDS = ("##", "##[", "::", "vso", "VSO[", "teamcity[", "TeamCity", "error]", "error::")
PARTS = st.sampled_from([*"#:[] \n\r\t\v\x85\u2028xX\\ſ日", *WORDS])
TEXTS = st.lists(PARTS, max_size=14).map("".join)
PIECES = st.lists(TEXTS, max_size=6)
few = settings(max_examples=30)
"""Beside an example that is known to hold a command."""


def written(*pieces: str) -> str:
    """What comes of pieces that are written one after another."""
    stream = io.StringIO(newline="")
    ours = Outlet(stream)
    for piece in pieces:
        ours.write(piece)
    return stream.getvalue()


def unescaped(text: str) -> str:
    return re.sub(r"\\x([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), text)


class TestText:
    @pytest.mark.parametrize(
        ("text", "then"),
        [
            ("##[error]x", "#\\x23[error]x"),
            ("a ##[DEBUG]x", "a #\\x23[DEBUG]x"),
            ("###[error]x", "##\\x23[error]x"),
            ("##vso[a.b]x ##VSO", "#\\x23vso[a.b]x #\\x23VSO"),
            ("##TeamCity[x]", "#\\x23TeamCity[x]"),
            ("::error::x", ":\\x3aerror::x"),
            ("a\n \t::error::x\r::y\u2028::z", "a\n \t:\\x3aerror::x\r:\\x3ay\u2028:\\x3az"),
            (":::: x", ":\\x3a:: x"),
            ("a ::error::x", "a :\\x3aerror::x"),
            ("std::color", "std::color"),
            ("::1:80: in use", ":\\x3a1:80: in use"),
            ("## Heading [x]", "## Heading [x]"),
            ("#[x] # #[x] ##x[", "#[x] # #[x] ##x["),
        ],
    )
    def test_a_command_is_broken_by_one_escape_and_the_rest_stays(self, text, then):
        assert broken(text) == then

    def test_a_name_in_the_middle_of_a_line_keeps_its_colons(self):
        assert shown("::1") == "::1"
        assert shown("##[x]\n::1") == "#\\x23[x]\\n::1"

    @given(TEXTS)
    def test_no_text_holds_a_command_afterwards_and_breaking_it_again_changes_nothing(self, text):
        for form in ("text", "json", "html"):
            once = broken(text, form)
            assert commands(once) == []
            assert broken(once, form) == once
        assert commands(broken(shown(text))) == []
        assert shown(shown(text)) == shown(text)


class TestPieces:
    @few
    @given(PIECES)
    @example(["#", "#[error]x"])
    @example(["##", "[error]x"])
    @example(["##v", "so[a.b]x"])
    @example(["##TEAM", "C", "ity[x]"])
    @example([" ", ":", ":error::x"])
    @example(["a\n", "\t", "::error::x"])
    @example(["a\r", "::error::x"])
    @example([":", "", ":error::x"])
    def test_a_command_that_is_cut_anywhere_is_broken(self, pieces):
        output = written(*pieces)
        assert commands(output) == []
        assert unescaped(output) == unescaped("".join(pieces))

    @given(st.lists(st.text(max_size=30), max_size=6))
    def test_what_holds_none_is_written_as_it_is(self, pieces):
        text = "".join(pieces)
        if broken(text) == text:
            assert written(*pieces) == text

    def test_long_lines_of_blanks_and_many_pieces_are_written_in_no_time(self):
        assert len(written(" " * 100_000, "\n" * 100_000, *["#" * 10] * 10_000, ":" * 100_000)) == 400_000

    def test_lines_that_are_written_together_are_pieces_too(self):
        stream = io.StringIO()
        Outlet(stream).writelines(["#", "#[error]x\n", ":", ":x\n"])
        assert stream.getvalue() == "#\\x23[error]x\n:\\x3ax\n"

    def test_text_in_utf_8_goes_below_the_encoding_and_keeps_its_place_in_the_line(self):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="")
        ours = Outlet(stream)
        ours.write("a #")
        ours.buffer.write("#[日".encode()[:-1])
        ours.buffer.write("日".encode()[-1:] + b"]\n")
        ours.write(":")
        ours.write_utf_8(":x\n")
        ours.flush()
        assert stream.buffer.getvalue().decode("utf-8") == "a #\\x23[日]\n:\\x3ax\n"

    def test_it_tells_what_the_stream_below_is(self, tmp_path):
        with (tmp_path / "log").open("w", encoding="utf-8") as stream:
            ours = Outlet(stream)
            assert (ours.name, ours.writable(), ours.closed) == (stream.name, True, False)
        assert ours.closed


class TestJson:
    @few
    @given(st.recursive(TEXTS | st.text(), lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8))
    @example(["##[error]x", "\n::error::x"])
    def test_a_reader_gets_the_same_document_and_a_runner_no_command(self, document):
        for indent in (None, 2):
            text = in_json(json.dumps(document, ensure_ascii=False, indent=indent))
            assert json.loads(text) == document
            assert commands(text) == []

    @pytest.mark.parametrize("plane", range(17))
    def test_all_that_does_not_print_is_escaped_and_only_that(self, plane):
        blank = set("\u034f\u115f\u1160\u2800\u3164\uffa0\ufe0f\U000e0100")
        codes = (plane * 0x10000 + code for code in range(0x10000))
        every = "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF)
        escaped = in_json(json.dumps(every, ensure_ascii=False))
        assert json.loads(escaped) == every
        unseen = {each for each in every if unicodedata.category(each) in ("Cc", "Cf", "Cn", "Co", "Zl", "Zp")}
        assert set(escaped) & (unseen | blank) == set()
        assert set("é~\u0627日🎨") & set(every) <= set(escaped)

    @few
    @given(st.lists(TEXTS | st.text()), st.sampled_from([1, 7, 1000]))
    @example(["##[error]x"], 7)
    def test_a_long_one_is_written_in_pieces_of_whole_lines(self, document, piece):
        content = json.dumps(document, ensure_ascii=False, indent=2).encode()
        below = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(below), outlet.guarded():
            patch.setattr(streams, "_PIECE", piece)
            outlet.write_json(content)
        written = below.buffer.getvalue().decode("utf-8")
        assert json.loads(written) == document
        assert written.count("\n") == content.count(b"\n") + 1
        assert commands(written) == []

    def test_a_path_that_is_not_utf_8_is_spelled_out(self):
        assert in_utf_8("a\udcff/日") == "a\\udcff/日"


class TestMarkup:
    @few
    @given(TEXTS.filter(lambda text: text.isprintable()))
    def test_markdown_renders_as_it_would_have(self, text):
        read = MarkdownIt("commonmark", {"html": True}).render
        # Letters around it keep it plain text: markup that a text would be is the renderer's to escape.
        plain = re.sub(r"[\[\]\\]", "x", text)
        assert read(f"a{broken(plain, 'html')}") == read(f"a{plain}")
        assert broken("a ##[error]x", "html") == "a #&#x23;[error]x"
        assert read(broken("a ##[error]x", "html")) == read("a ##[error]x")


class TestStreams:
    def test_both_are_outlets_inside_and_what_they_were_afterwards(self):
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            with outlet.guarded():
                ours = sys.stdout, sys.stderr
                with outlet.guarded():
                    assert (sys.stdout, sys.stderr) == ours
                print("##[error]x")
                print("::error::x", file=sys.stderr)
            assert (sys.stdout, sys.stderr) == (out, err)
        assert (out.getvalue(), err.getvalue()) == ("#\\x23[error]x\n", ":\\x3aerror::x\n")

    def test_they_stay_where_an_exception_is_going_to_be_reported(self):
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as err:
            with suppress(ZeroDivisionError), outlet.guarded():
                raise ZeroDivisionError
            print("##[error]x", file=sys.stderr)
        assert err.getvalue() == "#\\x23[error]x\n"

    def test_stderr_is_one_outside_too(self):
        with redirect_stderr(io.StringIO()) as err:
            print("##[error]x", file=outlet.stderr())
        assert err.getvalue() == "#\\x23[error]x\n"

    def test_a_closed_stderr_is_passed_over_and_a_closed_stdout_is_an_error(self, monkeypatch):
        monkeypatch.setattr(sys, "stdout", None)
        monkeypatch.setattr(sys, "stderr", None)
        with outlet.guarded():
            outlet.write(line("x"), err=True)
            for write in (lambda: outlet.write(line("x")), lambda: outlet.write_json(b"{}")):
                with pytest.raises(TokensyncError, match="standard output: it is closed"):
                    write()
            outlet.flush()
            assert not outlet.is_terminal()
            assert not outlet.wants_colour(err=True)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_each_step_is_shown_at_once_however_soon_it_is_over(monkeypatch):
    monkeypatch.setattr(streams, "_REFRESHES", 0.001)
    monkeypatch.setenv("TERM", "xterm")
    with redirect_stderr(Terminal()) as err, outlet.status() as show:
        for step in ("reading", "writing"):
            show(step)
            assert step in err.getvalue()


def test_the_progress_line_leaves_nothing_on_the_terminal_but_other_lines(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(streams, "_REFRESHES", 1000)
    with redirect_stderr(Terminal()) as err, outlet.status() as show:
        show("reading \N{CJK UNIFIED IDEOGRAPH-6F22}" * 40)  # longer than a line
        outlet.write(line("waiting 20 s"), err=True)
        show("writing")
        outlet.write(line("done"), err=True)
    written = [each.split("\r") for each in err.getvalue().split("\n")]
    assert [each[-1] for each in written] == ["\x1b[Kwaiting 20 s", "\x1b[Kdone", "\x1b[K"]
    assert all(cells(part.removesuffix("\x1b[K")) < 80 for each in written for part in each[:-1])
    monkeypatch.setenv("TERM", "dumb")
    with redirect_stderr(Terminal()) as err, outlet.status() as show:
        show("reading")
    assert err.getvalue() == ""


def test_commands_within_a_line_are_broken_because_programs_wrap_lines():
    assert str(shown("a ::error file=b::c")) == r"a :\x3aerror file=b::c"
    assert str(shown("std::color")) == "std::color"
