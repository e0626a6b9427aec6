"""Each case's outputs and problems are the files in tests/cases/generate, which real readers of each language read."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus.read_css import computed, read_css
from generate.android_devices import unshown
from generate.cases import CASES
from generate.computed_css import computed_texts
from outside.swift_values import seen_everywhere

from tokensync.config.options.ios import IosOptions
from tokensync.generate import generate

GOLDEN = Path(__file__).parent.parent / "cases" / "generate"
each_case = pytest.mark.parametrize("name", CASES)


@each_case
def test_the_files_are_the_golden_ones(name):
    """Every file, byte by byte, and no other."""
    files, _ = generate(*CASES[name])
    folder = GOLDEN / name
    expected = {
        each.relative_to(folder).as_posix(): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file() and each.name != "problems.txt"
    }
    assert dict(files) == expected


@each_case
def test_the_problems_are_the_golden_ones(name):
    """Everything odd is said, once."""
    _, problems = generate(*CASES[name])
    told = "".join(f"{each.severity}: {each}\n" for each in problems)
    assert told == (GOLDEN / name / "problems.txt").read_bytes().decode("utf-8")


@each_case
def test_another_reader_reads_every_golden_file(name):
    """A CSS parser, an XML parser, a JSON parser and tree-sitter-swift; every reference leads to a value."""
    folder = GOLDEN / name
    if name.startswith("css/composite"):
        assert computed_texts((folder / "tokens.css").read_text(encoding="utf-8"))
    elif name.startswith("css/"):
        blocks = read_css(folder / "tokens.css")
        for block in blocks:
            assert computed(blocks, [("root", ""), block.selector])
    elif name.startswith("android/"):
        assert unshown(folder) == []
    elif name.startswith("ios/"):
        options = CASES[name][1].options or IosOptions()
        files = {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
        assert seen_everywhere(files, options.name)


@each_case
def test_the_same_graph_gives_the_same_bytes(name):
    """Twice over, and in whatever order a resolution was used before."""
    assert generate(*CASES[name]) == generate(*CASES[name])
