"""Components, order, cycles and closure, compared with their definitions on random graphs."""

import time

from hypothesis import given
from hypothesis import strategies as st

from tokensync.tokens.algorithms import closure, components, on_cycles, ranks, reverse

LONG = 50_000


@st.composite
def graphs(draw):
    """A list of neighbours by index."""
    size = draw(st.integers(1, 9))
    node = st.integers(0, size - 1)
    return [draw(st.lists(node, max_size=4)) for _ in range(size)]


def reachable(graph, start):
    """What a node refers to by one edge or more, by the definition."""
    found = set(graph[start])
    while more := {target for node in found for target in graph[node]} - found:
        found |= more
    return found


@given(graphs())
def test_a_component_is_the_nodes_that_reach_each_other(graph):
    nodes = range(len(graph))
    component_of = {node: members for members in components(nodes, graph.__getitem__) for node in members}
    assert sorted(component_of) == list(nodes)
    for one in nodes:
        mutual = {other for other in nodes if other in reachable(graph, one) and one in reachable(graph, other)}
        assert set(component_of[one]) == mutual | {one}


@given(graphs())
def test_what_a_node_refers_to_has_a_smaller_rank_unless_both_are_on_a_cycle(graph):
    rank = ranks(range(len(graph)), graph.__getitem__)
    assert sorted(rank) == list(range(len(graph)))
    for node, targets in enumerate(graph):
        for target in targets:
            assert rank[target] < rank[node] or (rank[target] == rank[node] and node in reachable(graph, target))


@given(graphs())
def test_a_node_is_on_a_cycle_when_it_reaches_itself(graph):
    nodes = range(len(graph))
    assert on_cycles(dict(enumerate(graph))) == {node for node in nodes if node in reachable(graph, node)}


@given(graphs(), st.data())
def test_the_closure_is_what_can_be_reached_and_leads_back_to_a_start(graph, data):
    starts = data.draw(st.lists(st.sampled_from(range(len(graph))), unique=True))
    found = closure(starts, graph.__getitem__)
    assert set(found) == set(starts).union(*(reachable(graph, start) for start in starts))
    assert [each for each in found if found[each] == each] == starts
    assert all(node in graph[above] for node, above in found.items() if node != above)


def test_the_closure_has_the_nearest_nodes_first():
    edges = {"a": ["b", "c"], "b": ["e"], "c": ["d"], "d": ["e"]}
    assert closure("a", lambda node: edges.get(node, ())) == {"a": "a", "b": "a", "c": "a", "e": "b", "d": "c"}
    assert list(closure("a", lambda node: edges.get(node, ()))) == ["a", "b", "c", "e", "d"]


def test_nodes_without_edges_between_them_keep_their_order():
    assert components("cab", lambda _: ()) == [["c"], ["a"], ["b"]]
    assert components("cab", {"c": "b", "a": "", "b": ""}.__getitem__) == [["b"], ["c"], ["a"]]


def test_a_component_begins_where_the_search_comes_in():
    edges = {"tail": ["b"], "a": ["b"], "b": ["c"], "c": ["a"]}
    assert components(["tail", "a"], edges.__getitem__) == [["b", "c", "a"], ["tail"]]


def test_edges_turned_round_twice_are_the_same_edges():
    edges = {1: [2, 3], 2: [3]}
    assert reverse(edges) == {2: [1], 3: [1, 2]}
    assert reverse(reverse(edges)) == edges


def test_a_long_chain_and_a_long_cycle_cost_linear_time():
    chain = [[node + 1] for node in range(LONG)] + [[]]
    cycle = [[(node + 1) % LONG] for node in range(LONG)]
    start = time.process_time()
    assert list(ranks([0], chain.__getitem__)) == list(range(LONG, -1, -1))
    assert len(on_cycles(dict(enumerate(cycle)))) == LONG
    assert len(closure([0], chain.__getitem__)) == LONG + 1
    assert time.process_time() - start < 5


def test_a_cycle_behind_a_chain_that_takes_more_rounds_than_are_tried_is_found():
    edges = {node: [node + 1] for node in range(100)} | {100: [], 200: [0, 201], 201: [200]}
    assert on_cycles(edges) == {200, 201}
