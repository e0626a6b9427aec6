"""The output of the console; columns are measured in terminal cells."""

from __future__ import annotations

import os

import lxml.html
import pytest
from ci_runners import commands
from markdown_it import MarkdownIt

from tokensync.cli.console import Console, relative_paths
from tokensync.outlet.terminal import Styled, Swatch, cells, cut, table
from tokensync.plan.comparing import Change, Difference
from tokensync.report.differences import markdown, page


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("{here}tokens/a.json:1:2 (#/a): it is bad", "tokens/a.json:1:2 (#/a): it is bad"),
        ("say in {here}tokensync.conflicts.toml which", "say in tokensync.conflicts.toml which"),
        ("({here}a.json)", "(a.json)"),
        ("/elsewhere{here}a.json", "/elsewhere{here}a.json"),
        ("in {here} itself", "in {here} itself"),
    ],
)
def test_paths_below_the_working_folder_are_written_from_there(folder, monkeypatch, text, then):
    monkeypatch.chdir(folder)
    here = os.path.join(os.getcwd(), "")
    assert relative_paths(text.format(here=here)) == then.format(here=here)


NAMES = ("##[error]x", "##vso[task.prependpath]x", "::error::x", "a `##[group]b` | c", "####[x]")
DIFFERENCES = [
    Difference(
        "one", name, name, "changed", (Change(f"in {name}", name, f"{name}!"), Change("description", None, name))
    )
    for name in NAMES
]


def test_markdown_renders_the_same_and_contains_no_ci_commands(capsys):
    Console(colour=False).document(markdown(DIFFERENCES, *NAMES[:2]))
    written = capsys.readouterr().out
    assert commands(written) == []
    rendered = lxml.html.document_fromstring(MarkdownIt("commonmark", {"html": True}).enable("table").render(written))
    assert rendered.xpath("string(//h2)") == f"From {NAMES[0]} to {NAMES[1]}"
    texts = [cell.text_content() for cell in rendered.xpath("//tbody/tr/td")]
    expected = (("changed", f"{name} / {name}", f"in {name}", f'"{name}" -> "{name}!"') for name in NAMES)
    assert [tuple(texts[at : at + 4]) for at in range(0, len(texts), 8)] == list(expected)


def test_html_renders_the_same_and_contains_no_ci_commands(capsys):
    Console(colour=False).document(page(DIFFERENCES, *NAMES[:2]))
    written = capsys.readouterr().out
    assert commands(written) == []
    shown = lxml.html.document_fromstring(written).text_content()
    assert all(f"in {name}" in shown for name in NAMES)


def test_plain_and_coloured_lines_contain_no_ci_commands(capsys):
    console = Console(colour=False)
    console.result("::error::x", " ##[debug]x", Styled("::error::x", "green"))
    console.info("##[error]x")
    console.failure("::1: in use")
    captured = capsys.readouterr()
    assert captured.out == ":\\x3aerror::x\n #\\x23[debug]x\n:\\x3aerror::x\n"
    assert captured.err == "#\\x23[error]x\nerror: ::1: in use\n"


@pytest.mark.parametrize(
    ("text", "wanted"), [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("Größe", 5), ("ＡB", 3)]
)
def test_display_width_of_wide_and_combining_characters(text, wanted):
    assert cells(text) == wanted


@pytest.mark.parametrize(
    ("text", "width", "wanted"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…")]
)
def test_long_text_is_cut_with_an_ellipsis(text, width, wanted):
    assert cut(text, width) == wanted


def test_columns_are_aligned_and_lines_end_where_their_text_ends():
    rows = [("A", "B"), ("日本", "x"), ("abcde", "")]
    assert list(table(rows)) == ["A      B", "日本   x", "abcde"]


def test_control_characters_are_escaped_before_columns_are_aligned(capsys):
    Console(colour=False).table(("NAME", "KEY"), ("a\x1b[2J", "k"), ("plain", "l"))
    assert capsys.readouterr().out == "NAME      KEY\na\\x1b[2J  k\nplain     l\n"


def test_commands_of_a_ci_runner_are_broken_before_columns_are_aligned():
    rows = [("NAME", "KEY", "AT"), ("##[error]x", "k", "::1"), ("", "::error::x", "##VSO[x]"), ("::a", "日", "")]
    assert list(table(rows)) == [
        "NAME           KEY            AT",
        "#\\x23[error]x  k              ::1",
        "               :\\x3aerror::x  #\\x23VSO[x]",
        ":\\x3aa         日",
    ]
    assert commands("\n".join(table(rows))) == []


def test_a_long_cell_is_cut_and_the_widest_column_gives_way():
    (line,) = table([("a" * 500, "b")])
    assert line == "a" * 59 + "…  b"
    assert [len(each) for each in table([("a" * 50, "b" * 40, "cc")], 60)] == [60]


def test_a_terminal_that_is_too_narrow_still_gets_a_table():
    assert list(table([("a" * 50, "b" * 50)], 5)) == [f"{'a' * 11}…  {'b' * 11}…"]


def test_a_swatch_takes_two_cells():
    shown, without = table([(Swatch(1, 2, 3), "a"), (None, "b")])
    assert (shown, without) == ("\x1b[48;2;1;2;3m  \x1b[0m  a", "    b")
