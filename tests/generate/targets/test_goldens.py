"""The outputs and problems of each case equal the files in goldens/, which readers of each language also read."""

from __future__ import annotations

import shutil

import pytest
from corpus.read_css import read_css, read_through
from generate.targets.android_devices import unshown
from generate.targets.cases import CASES, golden
from generate.targets.computed_css import computed_texts
from msgspec.structs import replace
from outside.swift_values import seen_everywhere

from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.ios import IosOptions
from tokensync.system import resources

each_case = pytest.mark.parametrize("name", CASES)


@each_case
def test_files_equal_the_golden_ones(name):
    """Compare every file byte by byte; there are no other files."""
    files, _ = generate(*CASES[name])
    folder = golden(name)
    expected = {
        each.relative_to(folder).as_posix(): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file() and each.name != "problems.txt"
    }
    assert dict(files) == expected


@pytest.fixture(scope="module")
def own_templates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "templates"
    shutil.copytree(resources.path("templates"), folder)
    return str(folder)


@each_case
def test_copies_of_the_packaged_templates_write_the_same_files(name, own_templates):
    """They are rendered in a separate process, which gets serialised rows."""
    graph, request = CASES[name]
    assert generate(graph, replace(request, templates=own_templates))[0] == generate(graph, request)[0]


@each_case
def test_problems_equal_the_golden_ones(name):
    """Every problem is reported once."""
    _, problems = generate(*CASES[name])
    report = "".join(f"{each.severity}: {each}\n" for each in problems)
    expected = golden(name) / "problems.txt"  # of a case without problems there is none
    assert report == (expected.read_text(encoding="utf-8") if expected.exists() else "")


@each_case
def test_another_reader_reads_every_golden_file(name):
    """Use parsers of CSS, XML and JSON, and tree-sitter-swift; every reference must resolve."""
    folder = golden(name)
    if name.startswith("css/"):
        paths = sorted(each for each in folder.rglob("*.css") if each.name != "index.css")
        if spelled_otherwise(name):
            root = (CASES[name][1].options or CssOptions()).root
            assert computed_texts("".join(each.read_text(encoding="utf-8") for each in paths).replace(root, ":root"))
        else:
            read_through([block for path in paths for block in read_css(path)])
    elif name.startswith("android/"):
        assert unshown(folder) == []
    elif name.startswith("ios/"):
        options = CASES[name][1].options or IosOptions()
        files = {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
        assert seen_everywhere(files, options.name)


def spelled_otherwise(name):
    """Return whether a css case has values or selectors that ``read_css`` does not support."""
    options = CASES[name][1].options or CssOptions()
    colors = (options.colors, options.profile, options.light_dark) != ("hex", "srgb", False)
    return colors or bool(options.themes) or options.classes != "none" or name.startswith("css/composite")


@each_case
def test_the_same_graph_gives_the_same_bytes(name):
    """Generation is deterministic."""
    assert generate(*CASES[name]) == generate(*CASES[name])
