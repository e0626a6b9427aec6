"""Reading only the edited token files has the same result as reading all."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from dtcg.strategies import FILE, graphs, sound_graphs
from dtcg.test_rewriting import in_two_collections
from dtcg.test_round_trip import THOROUGH
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.dtcg import format_bytes, read, write
from tokensync.dtcg.edits import read_edits
from tokensync.dtcg.writing import write_with_state
from tokensync.tokens import OpaqueVariable, TokenGraph


def by_edits(before, texts):
    """Return the graph of the files of ``before`` with other texts for some; None if all files must be read."""
    files, state = write_with_state(before, FILE)
    digests = {each.path: sha256(each.content).digest() for each in files}
    return read_edits(state, FILE, digests, texts)


def tokens_in(group):
    for name, node in group.items():
        if isinstance(node, dict) and name != "$extensions":
            if "$value" in node:
                yield node
            else:
                yield from tokens_in(node)


JUNK = [None, 1, True, 1.0, 1e300, "", "{x}", "{color.a}", "#/color/a", {"value": 1, "unit": "px"}, {"$ref": "#/a"}, []]


@given(graphs() | sound_graphs(), st.data())
@THOROUGH
def test_reading_edits_equals_reading_all_files(graph, data):
    files = dict(write(graph, FILE))
    if read(files, FILE)[1]:
        return
    values = [node["$value"] for text in files.values() for node in tokens_in(json.loads(text))]
    texts = {}
    for path in data.draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=2, unique=True)):
        tree = json.loads(files[path])
        nodes = list(tokens_in(tree))
        for node in data.draw(st.lists(st.sampled_from(nodes), max_size=2)) if nodes else ():
            member = data.draw(st.sampled_from(["$value"] * 4 + ["$description", "$type", "$deprecated"]))
            node[member] = data.draw(st.sampled_from(values + JUNK))
        texts[path] = json.dumps(tree).encode()
        if data.draw(st.booleans()):
            texts[path] = format_bytes(texts[path], path)
    found = by_edits(graph, texts)
    if found is not None:
        assert (found, ()) == read({**files, **texts}, FILE)


PATH = f"{FILE}/base/a.tokens.json"
SHOWN = f"{FILE}/shown/a.tokens.json"


def replaced(path, before, after, graph):
    text = dict(write(graph, FILE))[path]
    assert text.count(before) >= 1
    return {path: text.replace(before, after, 1)}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (PATH, b"[0.5, 0, 0]", b"[0.502,   0, 0]"),
        (SHOWN, b'"{base.color}"', b'"{base.far}"'),
        (SHOWN, b'"$schema"', b'  "$schema"'),
    ],
)
def test_edits_of_values_references_and_layout_are_read_alone(path, before, after):
    graph = in_two_collections(0.25)
    texts = replaced(path, before, after, graph)
    found = by_edits(graph, texts)
    assert found is not None
    assert (found, ()) == read({**dict(write(graph, FILE)), **texts}, FILE)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (PATH, b"[0.25, 0, 0]", b"[0.75, 0, 0]"),  # a composed colour depends on it
        (PATH, b"[0.5, 0, 0]", b"[0.5, 0]"),
        (PATH, b'"far"', b'"near"'),
        (PATH, b'modeName": "a"', b'modeName": "b"'),
        (PATH, b'"$type": "color"', b'"$type": "number"'),
        (SHOWN, b'"{base.color}"', b'"{shown.plain}"'),
        (SHOWN, b'"{base.color}"', b'"{base}"'),
        (SHOWN, b"50", b"60"),
        (PATH, b"}", b""),
    ],
)
def test_other_edits_need_all_files(path, before, after):
    graph = in_two_collections(0.25)
    assert by_edits(graph, replaced(path, before, after, graph)) is None


@pytest.mark.parametrize("text", [rb'"\ud800"', b"[" * 5000 + b"]" * 5000], ids=["lone surrogate", "deep nesting"])
def test_json_that_msgspec_does_not_encode_needs_all_files(text):
    graph = in_two_collections(0.25)
    texts = replaced(PATH, b'"$type"', b'"$description": %b, "$type"' % text, graph)
    assert by_edits(graph, texts) is None


def test_opaque_variables_of_the_platform_are_not_read():
    graph = in_two_collections(0.25)
    opaque = (OpaqueVariable(id="VariableID:1:1", name="path", type="VECTOR"),)
    written = TokenGraph((replace(each, opaque=opaque) for each in graph.collections.values()), graph.tokens.values())
    texts = replaced(PATH, b"[0.5, 0, 0]", b"[0.502, 0, 0]", graph)
    assert (by_edits(written, texts), ()) == read({**dict(write(graph, FILE)), **texts}, FILE)
