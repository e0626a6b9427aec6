"""Whatever stands in a tokens folder: reading and formatting tell problems, and never crash."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tokensync.dtcg import format_bytes, read
from tokensync.errors import ProblemsError

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


def places(node, place=()):
    yield place
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, member in members:
        yield from places(member, (*place, step))


@st.composite
def changed_files(draw):
    """The golden files with some values replaced by others."""
    files = dict(FILES)
    for path in draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=2, unique=True)):
        tree = json.loads(files[path])
        for _ in range(draw(st.integers(1, 2))):
            place = draw(st.sampled_from([each for each in places(tree) if each]))
            node = tree
            for step in place[:-1]:
                node = node[step]
            if isinstance(node, dict) and draw(st.booleans()):
                node[draw(st.sampled_from(WORDS))] = draw(nodes)
            else:
                node[place[-1]] = draw(nodes)
        files[path] = json.dumps(tree).encode()
    return files


def told(problems):
    for each in problems:
        assert each.where
        assert each.what_to_do


@given(changed_files())
def test_edited_files_give_a_graph_or_problems(files):
    graph, problems = read(files, FILE)
    told(problems)
    for key, token in graph.tokens.items():
        assert len(token.values) == len(graph.collections[key[:2]].modes)


@given(st.sampled_from(sorted(FILES)), st.data())
def test_files_cut_short_or_damaged_give_problems(path, data):
    text = FILES[path]
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = data.draw(
        st.sampled_from([text[:place], text[:place] + b"\xff" + text[place:], text[:place] + text[place + 1 :]])
    )
    told(read({**FILES, path: damaged}, FILE)[1])
    try:
        formatted = format_bytes(damaged, path)
    except ProblemsError as stop:
        told(stop.problems)
    else:
        assert json.loads(formatted) == json.loads(damaged)
        assert format_bytes(formatted, path) == formatted
