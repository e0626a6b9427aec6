"""Columns are counted as a terminal shows them."""

from __future__ import annotations

import pytest
from ci_runners import commands

from tokensync.cli.console import Console, Swatch, cells, cut, table


@pytest.mark.parametrize(
    ("text", "wanted"), [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("Größe", 5), ("ＡB", 3)]
)
def test_wide_characters_take_two_cells_and_combining_ones_none(text, wanted):
    assert cells(text) == wanted


@pytest.mark.parametrize(
    ("text", "width", "wanted"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…")]
)
def test_what_is_too_long_is_cut_with_an_ellipsis(text, width, wanted):
    assert cut(text, width) == wanted


def test_columns_are_aligned_and_lines_end_where_their_text_ends():
    rows = [("A", "B"), ("日本", "x"), ("abcde", "")]
    assert list(table(rows)) == ["A      B", "日本   x", "abcde"]


def test_what_a_terminal_would_act_on_is_spelled_out_before_columns_are_aligned(capsys):
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
