"""The algorithms of graphs, and the paths, numbers and roles of tokens."""

import re
import struct
import time
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokensync.normalize.mapping import name_of_path, path_of_name, paths_of_names
from tokensync.tokens import TokenKey, float32, shortest
from tokensync.tokens.algorithms import closure, components, on_cycles, ranks, reverse
from tokensync.tokens.collection import is_text_scoped
from tokensync.tokens.paths import decoded, encoded, names, path_of

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


TEXT = st.text(alphabet=st.sampled_from("aA0%2EeF.{}$/ \x00é\n🎨"), max_size=12) | st.text(max_size=20)
LEGAL = re.compile(r"(?!\$)[^.{}]+", re.DOTALL)


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_names_come_back_from_their_path(parts):
    assert names(path_of(parts)) == tuple(parts)


@given(TEXT)
def test_each_encoded_name_is_legal_in_a_token_file(name):
    assert LEGAL.fullmatch(encoded(name))
    assert decoded(encoded(name)) == name


@given(TEXT)
def test_a_variable_name_comes_back_from_its_path(name):
    assert name_of_path(path_of_name(name)) == name


@given(st.lists(st.text("ab/\n.%{$ ", max_size=6), max_size=4))
def test_paths_of_several_names_are_those_of_each(names):
    """Also where names have slashes at their ends, line breaks or characters to encode."""
    assert paths_of_names(names) == [path_of_name(name) for name in names]


@given(TEXT, TEXT)
def test_two_names_never_share_a_path(one, other):
    assert (path_of_name(one) == path_of_name(other)) == (one == other)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("accent/base", "accent.base"),
        ("Space 50%, wide", "Space 50%, wide"),
        ("v1.2/{x}", "v1%2E2.%7Bx%7D"),
        ("$root/$type", "%24root.%24type"),
        ("price$", "price$"),
        ("50%20", "50%2520"),
        ("a//b", "a.%00.b"),
        ("/a/", "%00.a.%00"),
        ("", "%00"),
        ("/", "%00.%00"),
    ],
)
def test_what_a_token_name_may_not_hold_is_percent_encoded(name, path):
    assert path_of_name(name) == path


def test_an_id_is_a_path_of_one_name():
    assert names(encoded("VariableID:a/1:2.3")) == ("VariableID:a/1:2.3",)


def test_a_token_key_reads_as_collection_and_variable_name():
    assert str(TokenKey("kit", "theme", "accent.v1%2E2")) == "theme / accent/v1.2"


def test_scopes_are_for_text_if_no_other_one_is_among_them():
    assert is_text_scoped(("FONT_SIZE", "LINE_HEIGHT"))
    assert not is_text_scoped(("FONT_SIZE", "GAP"))
    assert not is_text_scoped(())


SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)


def digits_of(text):
    return len(Decimal(text).normalize().as_tuple().digits)


def shortest_by_search(number):
    """The fewest digits of any decimal that is this float32: tries the two nearest decimals of each length."""
    for digits in range(1, 10):
        exponent = int(f"{number:.{digits - 1}e}".partition("e")[2])
        unit = Decimal(10) ** (exponent - digits + 1)
        lower = (Decimal(number) / unit).to_integral_value(rounding="ROUND_FLOOR")
        for count in (lower, lower + 1):
            try:
                if float32(float(count * unit)) == number:
                    return digits
            except OverflowError:
                continue
    raise AssertionError(number)


@given(SINGLES)
def test_the_decimal_parses_back_to_the_same_float32(number):
    assert float32(float(shortest(number))) == number


@given(SINGLES)
@example(2.0**-96)
@example(2.0**87)
@example(-(2.0**90))
@example(2.0**-149)
@example(float32(1.1754942e-38))
@example(3.4028234663852886e38)
def test_no_decimal_with_fewer_digits_is_the_same_float32(number):
    if number and abs(number) < 2**53 and number == int(number):
        return  # a whole number is written out
    assert digits_of(shortest(number)) <= shortest_by_search(number) or number == 0


@given(SINGLES)
def test_the_decimal_has_no_exponent(number):
    assert "e" not in shortest(number).lower()


def test_every_power_of_two_comes_back():
    for exponent in range(-149, 128):
        number = 2.0**exponent
        assert float32(float(shortest(number))) == number
        assert digits_of(shortest(number)) == shortest_by_search(number) or exponent in range(53)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.9, "0.9"), (16, "16"), (-0.5, "-0.5"), (0.00001, "0.00001"), (1 / 3, "0.33333334"), (-0.0, "0"), (1e20, None)],
)
def test_familiar_numbers_look_as_they_were_typed(number, text):
    assert shortest(float32(number)) == (text or "1" + "0" * 20)


def test_a_number_of_the_platform_is_shown_as_it_was_typed_there():
    assert shortest(0.8999999761581421) == "0.9"


def test_a_number_beyond_float32_has_no_float32():
    with pytest.raises(OverflowError):
        float32(3.5e38)


@given(st.floats(-1e38, 1e38))
def test_float32_is_what_four_bytes_hold(number):
    assert struct.pack("<f", float32(number)) == struct.pack("<f", number)
