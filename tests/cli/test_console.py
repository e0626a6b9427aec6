"""The output of the console; columns are measured in terminal cells."""

import os
from collections import Counter

import lxml.html
import pytest
from ci_runners import commands
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tokensync.cli.console import Console
from tokensync.plan.comparing import Change, Difference
from tokensync.report.differences import markdown, page
from tokensync.system.disk import relative_paths
from tokensync.system.outlet.terminal import Styled, Swatch, cells, labelled, layout, table


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


@pytest.mark.parametrize("width", [1, 20, 80, 300])
def test_a_problem_is_wrapped_at_spaces_and_its_parts_contain_no_ci_commands(width):
    path = f"tokens/{'x' * 100}.tokens.json:"
    text = f"{path} {'some words to read ' * 20}"
    whole, lines = labelled(Styled("error"), text), labelled(Styled("error"), text, width)
    assert " ".join(lines).split() == whole[0].split()
    hostile = labelled(Styled("error"), "##[error]a ::error::b " * 20, width)
    assert commands("\n".join(hostile)) == []
    assert all(len(line) <= width or len(line.removeprefix("error: ").split()) <= 1 for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])


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
    ("text", "wanted"),
    [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("Größe", 5), ("ＡB", 3), ("\u1112\u1161", 2)],
)
def test_display_width_of_wide_and_combining_characters(text, wanted):
    assert cells(text) == wanted


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


def test_a_table_without_a_terminal_is_whole():
    assert list(table([("a" * 500, "b")])) == ["a" * 500 + "  b"]
    assert list(table([("A", "B"), ("a" * 500, "b")], optional=["B"]))[1] == "a" * 500 + "  b"


def test_the_widest_column_wraps_after_separators_and_nothing_is_cut():
    rows = [("TOKEN", "CSS"), ("text/muted", "--theme-text-muted-on-dark"), ("日本語/日本語", "--x")]
    assert list(table(rows, 24)) == [
        "TOKEN        CSS",
        "text/muted   --theme-",
        "             text-muted-",
        "             on-dark",
        "日本語/      --x",
        "日本語",
    ]


def test_optional_columns_are_omitted_before_names_get_narrow():
    rows = [("TOKEN", "CSS", "IOS"), ("a" * 30, "b" * 30, "c" * 30)]
    assert layout(rows, 94, ["IOS", "CSS"]).omitted == ()
    assert layout(rows, 76, ["IOS", "CSS"]).omitted == ()
    assert layout(rows, 75, ["IOS", "CSS"]).omitted == ("IOS",)
    assert layout(rows, 40, ["IOS", "CSS", "TYPE"]).omitted == ("IOS", "CSS")
    assert list(table(rows, 40, ["IOS", "CSS"])) == ["TOKEN", "a" * 30]


TEXTS = st.text("ab/-_ ::é日\u0301\u1100\u1161#[", max_size=60)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6), st.integers(20, 80))
def test_lines_fit_and_contain_every_text(rows, width):
    lines = list(table(rows, width))
    assert all(cells(line) <= width for line in lines if not line.lstrip().startswith(":\\x3a"))
    assert commands("\n".join(lines)) == []
    shown = Counter("".join(lines).replace(" ", ""))
    whole = Counter("".join(table(rows)).replace(" ", ""))
    assert set(whole - shown) <= {":"}  # the escape has one colon less
    assert set(shown - whole) <= set(":\\x3a")  # the escape of what looks like a command in its own line


def test_a_part_of_a_cell_at_the_start_of_a_line_is_no_command():
    lines = list(table([("x" * 8 + " ::error::y", "k")], 14))
    assert commands("\n".join(lines)) == []


def test_a_terminal_that_is_too_narrow_still_gets_a_table():
    assert list(table([("abcdef", "uvwxyz")], 5)) == ["abcd  uvwx", "ef    yz"]


def test_a_swatch_takes_two_cells():
    shown, without = table([(Swatch(1, 2, 3), "a"), (None, "b")])
    assert (shown, without) == ("\x1b[48;2;1;2;3m  \x1b[0m  a", "    b")
