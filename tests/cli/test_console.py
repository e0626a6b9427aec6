"""How the console writes what it is given."""

from __future__ import annotations

import os

import lxml.html
import pytest
from ci_runners import commands
from markdown_it import MarkdownIt

from tokensync.cli.console import Console, Styled, from_here
from tokensync.report.differences import Change, Difference, markdown, page


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
    assert from_here(text.format(here=here)) == then.format(here=here)


NAMES = ("##[error]x", "##vso[task.prependpath]x", "::error::x", "a `##[group]b` | c", "####[x]")
DIFFERENCES = [
    Difference(
        "one", name, name, "changed", (Change(f"in {name}", name, f"{name}!"), Change("description", None, name))
    )
    for name in NAMES
]


def test_markdown_says_the_same_on_a_page_and_nothing_to_a_ci_runner(capsys):
    Console(colour=False).markup(markdown(DIFFERENCES, *NAMES[:2]))
    written = capsys.readouterr().out
    assert commands(written) == []
    rendered = lxml.html.document_fromstring(MarkdownIt("commonmark", {"html": True}).enable("table").render(written))
    assert rendered.xpath("string(//h2)") == f"From {NAMES[0]} to {NAMES[1]}"
    cells = [cell.text_content() for cell in rendered.xpath("//tbody/tr/td")]
    expected = (("changed", f"{name} / {name}", f"in {name}", f'"{name}" -> "{name}!"') for name in NAMES)
    assert [tuple(cells[at : at + 4]) for at in range(0, len(cells), 8)] == list(expected)


def test_html_says_the_same_on_a_page_and_nothing_to_a_ci_runner(capsys):
    given = page(DIFFERENCES, *NAMES[:2]).decode()
    Console(colour=False).markup(given)
    written = capsys.readouterr().out
    assert (commands(given) != [], commands(written)) == (True, [])
    before, after = map(lxml.html.document_fromstring, (given, written))
    assert [each.text for each in after.iter()] == [each.text for each in before.iter()]


def test_a_line_that_begins_with_a_command_and_one_in_a_colour_say_nothing_to_a_ci_runner(capsys):
    console = Console(colour=False)
    console.result("::error::x", " ##[debug]x", Styled("::error::x", "green"))
    console.say("##[error]x")
    console.failure("::1: in use")
    captured = capsys.readouterr()
    assert captured.out == ":\\x3aerror::x\n #\\x23[debug]x\n:\\x3aerror::x\n"
    assert captured.err == "#\\x23[error]x\nerror: ::1: in use\n"
