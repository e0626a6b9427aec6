"""Real responses round-trip from a snapshot through token files to the same graph."""

from __future__ import annotations

import pytest
from corpus.building import CORPUS, NO_CORPUS

from tokensync.dtcg import read, write
from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize, referenced

RESPONSES = sorted(CORPUS.glob("*-local*.json"))


@pytest.fixture(scope="module", params=[path.name for path in RESPONSES] or ["absent"])
def graph(request):
    if request.param == "absent":
        pytest.skip(NO_CORPUS)
    raw = (CORPUS / request.param).read_bytes()
    published = CORPUS / request.param.replace("-local", "-published")
    return normalize(snapshot("design", raw, published.read_bytes() if published.is_file() else None))[0]


def test_a_real_graph_round_trips(graph):
    again, problems = read(dict(write(graph, "design")), "design")
    assert problems == ()
    assert again == graph


def test_the_referenced_part_of_a_real_graph_round_trips(graph):
    kept = referenced(graph)
    again, problems = read(dict(write(kept, "design")), "design")
    assert problems == ()
    assert again == kept


@pytest.mark.outside
def test_terrazzo_reads_the_token_files_in_every_context(graph, terrazzo, tmp_path):
    kept = referenced(graph)
    for path, content in write(kept, "design"):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    shown = terrazzo(resolver=tmp_path / "design.resolver.json")["tokens"]
    assert shown
    assert {identity.partition(".")[0] for identity in shown} <= {each.handle for each in kept.collections.values()}
