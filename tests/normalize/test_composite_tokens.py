"""The references of composite tokens in a graph, also across files."""

from generate.targets.composite_values import LAYER
from graphs import collection, color, graph, key, token
from msgspec.structs import replace

from tokensync.normalize.findings import findings
from tokensync.normalize.graph import linked, referenced
from tokensync.tokens import Composite, DanglingAlias, TokenKey
from tokensync.tokens.composites import canonical


def shadow(of, name, **parts):
    """Return a shadow whose given parts refer to tokens of the collection Base."""
    spelled = {part: f"{{base.{target}}}" for part, target in parts.items()}
    ends = tuple((spelled[part], key("Base", target)) for part, target in sorted(parts.items()))
    return token(of, name, Composite(canonical({**LAYER, **spelled}), ends), type="shadow")


def findings_of(token_graph):
    return [(each.code, each.where, each.what) for each in findings(token_graph)]


def test_an_unresolved_reference_of_a_composite_is_reported():
    of = collection("Base", "Light", "Dark")
    token_graph = graph(
        of,
        shadow(of, "low", color="gone"),
        shadow(of, "half", color="dark only"),
        shadow(of, "fine", color="ink"),
        token(of, "gone", DanglingAlias("VariableID:9:9")),
        token(of, "dark only", None, color("#000000")),
        token(of, "ink", color("#000000")),
    )
    assert sorted(each[:2] for each in findings_of(token_graph)) == [
        ("alias-dangling", "Base"),
        ("value-absent", "Base / dark only / light"),
        ("value-absent", "Base / half / light"),
    ]


def test_a_reference_to_the_wrong_type_is_reported():
    of = collection("Base")
    token_graph = graph(of, shadow(of, "low", blur="ink"), token(of, "ink", color("#000000")))
    assert findings_of(token_graph) == [
        ("alias-mismatch", "Base / low / value", "it refers to a value of another type")
    ]


def test_layers_that_refer_to_each_other_are_a_cycle():
    of = collection("Base")
    loop = Composite('["{base.low}"]', (("{base.low}", key("Base", "low")),))
    assert [each[0] for each in findings_of(graph(of, token(of, "low", loop, type="shadow")))] == ["alias-cycle"]


def test_references_to_a_library_are_redirected_to_its_file():
    own, copy = collection("Base"), collection("Far", origin="remote")
    home = replace(collection("Far"), file="library")
    value = Composite(canonical({**LAYER, "color": "{far.ink}"}), (("{far.ink}", key("Far", "ink")),))
    there = token(copy, "ink", color("#000000"), variable_key="k")
    product = graph(own, copy, token(own, "low", value, type="shadow"), there)
    library = graph(home, token(home, "ink", color("#ffffff"), variable_key="k"))
    joined = linked([product, library])
    assert joined.tokens[key("Base", "low")].values[0].references == (("{far.ink}", TokenKey("library", "far", "ink")),)
    assert linked([product, graph(replace(home, handle="other"))]).tokens[key("Base", "low")].values[0] == value


def test_the_targets_of_a_composite_are_retained():
    own, far = collection("Base"), collection("Far", origin="remote")
    value = Composite(canonical({**LAYER, "color": "{far.ink}"}), (("{far.ink}", key("Far", "ink")),))
    token_graph = graph(
        own,
        far,
        token(own, "low", value, type="shadow"),
        token(far, "ink", color("#000000")),
        token(far, "unused", color("#000000")),
    )
    assert [each.path for each in referenced(token_graph).tokens] == ["low", "ink"]
