"""Any graph round-trips through token files."""

from __future__ import annotations

import json
import tracemalloc

from dtcg.strategies import FILE, graphs, sound_graphs
from hypothesis import HealthCheck, given, settings

from tokensync.dtcg import format_bytes, read, write
from tokensync.tokens import Collection, Mode, Token, TokenGraph, TokenKey

THOROUGH = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def differences(graph, again):
    assert tuple(again.collections.values()) == tuple(graph.collections.values())
    assert list(again.tokens) == list(graph.tokens)
    for key, token in graph.tokens.items():
        assert again.tokens[key] == token


@given(graphs() | sound_graphs())
@THOROUGH
def test_every_graph_round_trips(graph):
    again, problems = read(dict(write(graph, FILE)), FILE)
    assert [each for each in problems if each.severity == "error"] == []
    differences(graph, again)
    assert again == graph


@given(graphs())
@THOROUGH
def test_written_files_are_canonical_json(graph):
    for path, content in write(graph, FILE):
        document = json.loads(content)
        assert format_bytes(content, path) == content
        assert content.endswith(b"}\n")
        assert json.loads(format_bytes(json.dumps(document).encode(), path)) == document


@given(graphs())
@THOROUGH
def test_writing_again_gives_the_same_bytes(graph):
    outputs = write(graph, FILE)
    again, _ = read(dict(outputs), FILE)
    assert write(again, FILE) == outputs


def test_a_name_with_thousands_of_slashes_needs_little_memory():
    """The paths of its groups would take half a gigabyte together."""
    family = Collection(
        file=FILE,
        handle="deep",
        name="Deep",
        modes=(Mode(name="Value", collection="deep", slug="value", context="value"),),
    )
    token = Token(key=TokenKey(FILE, "deep", "a." * 15_000 + "b"), type="number", values=(1.0,))
    graph = TokenGraph([family], [token])
    tracemalloc.start()
    outputs = write(graph, FILE)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000_000
    assert read(dict(outputs), FILE) == (graph, ())
