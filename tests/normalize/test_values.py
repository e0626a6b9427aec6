"""Wire values to token values."""

import msgspec
import pytest
from design_file import alias, collection, color, composed, expression, graph_of, response, variable

from tokensync.extract.wire import WireValue
from tokensync.generate.output import Resolution
from tokensync.normalize.findings import findings
from tokensync.normalize.graph import BadValue, ValueReader
from tokensync.system.errors import ProblemsError
from tokensync.tokens import Alias, Color, ComposedColor, DanglingAlias, TokenKey, float32
from tokensync.tokens.resolver import TokenTable

KEY = TokenKey("f", "c", "a")


def read(kind, value):
    table = TokenTable(collections={}, families=[KEY[:2]], paths=[KEY.path])
    return ValueReader(table, {"V:1": 0}).value(kind, msgspec.convert(value, WireValue))


@pytest.mark.parametrize(
    ("kind", "value", "result"),
    [
        ("FLOAT", 4, 4.0),
        ("FLOAT", 0.9, float32(0.9)),
        ("FLOAT", -0.0, 0.0),
        ("STRING", "{a.b}", "{a.b}"),
        ("STRING", "", ""),
        ("BOOLEAN", False, False),
        ("COLOR", color(1, 0.5, 0), Color(1.0, 0.5, 0.0)),
        ("COLOR", color(1, 0.5, 0, a=0.25), Color(1.0, 0.5, 0.0, 0.25)),
        ("COLOR", color(1.00000001, 0, 0), Color(1.0, 0.0, 0.0)),
        ("COLOR", alias("V:1"), Alias(KEY)),
        ("FLOAT", alias("V:1"), Alias(KEY)),
        ("STRING", alias("V:2"), DanglingAlias("V:2")),
        ("BOOLEAN", alias("V:2"), DanglingAlias("V:2")),
        ("COLOR", composed(alias("V:1"), 48), ComposedColor(Alias(KEY), 48.0)),
        ("COLOR", composed(alias("V:1"), alias("V:2")), ComposedColor(Alias(KEY), DanglingAlias("V:2"))),
        ("COLOR", composed(color(1, 0, 0), 50), Color(1.0, 0.0, 0.0, 0.5)),
        ("COLOR", composed(color(1, 0, 0), alias("V:1")), ComposedColor(Color(1.0, 0.0, 0.0), Alias(KEY))),
        ("COLOR", expression(alias("V:1"), 48), ComposedColor(Alias(KEY), 48.0)),
    ],
    ids=str,
)
def test_a_value_is_read(kind, value, result):
    assert read(kind, value) == result
    assert type(read(kind, value)) is type(result)


def test_minus_zero_is_zero():
    assert str(read("FLOAT", -0.0)) == "0.0"
    assert str(read("COLOR", color(-0.0, 0, 0)).red) == "0.0"


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("FLOAT", "12", "a FLOAT variable holds a string"),
        ("FLOAT", True, "a FLOAT variable holds a boolean"),
        ("FLOAT", color(), "a FLOAT variable holds a colour"),
        ("FLOAT", None, "a FLOAT variable holds null"),
        ("FLOAT", composed(alias("V:1"), 4), "a FLOAT variable holds a composed colour"),
        ("FLOAT", expression(alias("V:1"), 4), "a FLOAT variable holds an expression"),
        ("FLOAT", 1e39, "a number is too large for a 32-bit float"),
        ("STRING", 12, "a STRING variable holds a number"),
        ("BOOLEAN", 1, "a BOOLEAN variable holds a number"),
        ("COLOR", "#fff", "a COLOR variable holds a string"),
        ("COLOR", {}, "a COLOR variable holds an unknown object"),
        ("COLOR", {"r": 1, "g": 1}, "a colour lacks r, g or b"),
        ("COLOR", color(2, 0, 0), "a colour has a channel outside 0 to 1"),
        ("COLOR", color(1e300, 0, 0), "a colour has a channel outside 0 to 1"),
        ("COLOR", color(0, 0, 0, a=-0.5), "a colour has a channel outside 0 to 1"),
        ("COLOR", {"type": "VARIABLE_ALIAS"}, "an alias has no id"),
        ("COLOR", {"color": alias("V:1")}, "a composed colour lacks its opacity"),
        ("COLOR", {"opacity": 50}, "a composed colour lacks its colour"),
        ("COLOR", composed(alias("V:1"), color()), "the opacity of a composed colour is a colour"),
        ("COLOR", {"type": "VARIABLE_EXPRESSION"}, "an expression is not COMPOSE_COLOR with a colour and an opacity"),
        ("COLOR", expression(3, 4), "the first argument of COMPOSE_COLOR is not a colour"),
    ],
    ids=str,
)
def test_an_invalid_value_is_described(kind, value, message):
    with pytest.raises(BadValue) as caught:
        read(kind, value)
    assert str(caught.value) == message


def test_equal_values_are_the_same_object():
    owner = collection("C:1", modes=["Light"])
    variables = [variable(f"V:{at}", f"a{at}", owner, "COLOR", [color(1, 0, 0)]) for at in range(2)]
    graph, _ = graph_of(response([owner], variables))
    one, other = graph.tokens.values()
    assert one.values[0] is other.values[0]


@pytest.mark.parametrize(("kind", "first", "second"), [("FLOAT", 1, True), ("BOOLEAN", True, 1)])
def test_a_value_that_equals_one_of_another_type_is_rejected(kind, first, second):
    owner = collection("C:1", modes=["Light"])
    variables = [variable(f"V:{at}", f"a{at}", owner, kind, [value]) for at, value in enumerate((first, second))]
    graph, problems = graph_of(response([owner], variables))
    assert [problem.code for problem in problems] == ["value-mismatch"]
    assert [token.values for token in graph.tokens.values()] == [(first,), (None,)]


def test_a_graph_without_unusual_values_is_judged_and_resolved_without_a_token_object():
    owner = collection("C:1", modes=["Light", "Dark"])
    base = variable("V:1", "a", owner, "COLOR", [color(1, 0, 0), color(0, 0, 0)])
    other = variable("V:2", "b", owner, "COLOR", [alias("V:1"), alias("V:1")])
    graph, _ = graph_of(response([owner], [base, other]))
    assert findings(graph) == ()
    resolution = Resolution(graph)
    resolution.prepare()
    assert resolution.kinds == ["color", "color"]
    assert (len(graph.columns.tokens), "tokens" in vars(graph)) == (0, False)
    assert [token.values[1] for token in graph.tokens.values()] == [Color(0.0, 0.0, 0.0), Alias(graph.table.keys[0])]


@pytest.mark.parametrize("value", [[], [1], {"r": "red"}], ids=str)
def test_an_unknown_value_is_rejected_with_its_location(value):
    owner = collection("C:1", modes=["Light"])
    with pytest.raises(ProblemsError) as caught:
        graph_of(response([owner], [variable("V:1", "a", owner, "FLOAT", [value])]))
    (problem,) = caught.value.problems
    assert problem.code == "response-shape"
    assert "#/meta/variables/V:1/valuesByMode/m0" in problem.where
