"""Reading and formatting report problems for any content of a tokens folder, and never crash."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.dtcg import format_bytes, read
from tokensync.system.errors import ProblemsError

FILE = "ds"
CASE = Path(__file__).resolve().parent / "goldens" / "everything"
FILES = {path.relative_to(CASE).as_posix(): path.read_bytes() for path in sorted(CASE.rglob("*.json"))}

WORDS = ["$value", "$type", "$ref", "$extends", "$root", "$extensions", "org.tokensync", "value", "alias", "color", "a"]
scalars = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1e39,
        10**400,
        "",
        "x",
        "{color.accent}",
        "{}",
        "#/color",
        "#/color/accent/$root",
        "#",
        "number",
    ]
)
nodes = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=6,
)


def pointers(node, position=()):
    yield position
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, member in members:
        yield from pointers(member, (*position, step))


@st.composite
def changed_files(draw):
    """The golden files with some values replaced."""
    files = dict(FILES)
    for path in draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=2, unique=True)):
        tree = json.loads(files[path])
        for _ in range(draw(st.integers(1, 2))):
            position = draw(st.sampled_from([each for each in pointers(tree) if each]))
            node = tree
            for step in position[:-1]:
                node = node[step]
            if isinstance(node, dict) and draw(st.booleans()):
                node[draw(st.sampled_from(WORDS))] = draw(nodes)
            else:
                node[position[-1]] = draw(nodes)
        files[path] = json.dumps(tree).encode()
    return files


def assert_described(problems):
    for each in problems:
        assert each.where
        assert each.what_to_do


@given(changed_files())
def test_edited_files_yield_a_graph_or_problems(files):
    graph, problems = read(files, FILE)
    assert_described(problems)
    for key, token in graph.tokens.items():
        assert len(token.values) == len(graph.collections[key[:2]].modes)


@given(st.sampled_from(sorted(FILES)), st.data())
def test_truncated_and_damaged_files_yield_problems(path, data):
    text = FILES[path]
    position = data.draw(st.integers(0, len(text) - 1))
    damaged = data.draw(
        st.sampled_from(
            [text[:position], text[:position] + b"\xff" + text[position:], text[:position] + text[position + 1 :]]
        )
    )
    assert_described(read({**FILES, path: damaged}, FILE)[1])
    assert_formatted(path, damaged)


def test_a_colour_space_without_its_first_letter_is_one_in_another_notation():
    path = "ds/palette/mode-1.tokens.json"
    damaged = FILES[path].replace(b'"srgb"', b'"rgb"', 1)
    assert damaged != FILES[path]
    assert_formatted(path, damaged)


def assert_formatted(path, damaged):
    """Assert that format names the problems of a file, or writes the same content: tokens in other notations change."""
    try:
        formatted = format_bytes(damaged, path)
    except ProblemsError as stop:
        assert_described(stop.problems)
    else:
        if json.loads(formatted) != json.loads(damaged):
            (before, problems), (after, _) = (read({**FILES, path: each}, FILE) for each in (damaged, formatted))
            assert "token-notation" in {each.code for each in problems}
            plain = [replace(each, notations=()) for each in before.tokens.values()]
            assert (plain, before.collections) == ([*after.tokens.values()], after.collections)
        assert format_bytes(formatted, path) == formatted
