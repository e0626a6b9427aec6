"""Graphs of several files: aliases to remote variables are redirected to their own file."""

from design_file import alias, collection, color, composed, graph_of, key_of, response, shown, token_named, variable

from tokensync.normalize.findings import findings
from tokensync.normalize.graph import linked, referenced
from tokensync.normalize.mapping import TypeRules
from tokensync.normalize.numbers import with_types
from tokensync.tokens import Alias, ComposedColor, DanglingAlias, TokenGraph

LIBRARY = key_of("library red")


def library(**options):
    owner = collection("C:1", "Palette", ["Light", "Dark"])
    variables = [variable("V:1", "red", owner, "COLOR", [color(1, 0, 0), color(0.5, 0, 0)], key=LIBRARY)]
    return graph_of(response([owner], variables), file="library", **options)[0]


def product(value, *, copies=("1:1",)):
    far = collection("C:far", "Palette", ["Light"], remote=True)
    own = collection("C:1", "Theme", ["Light"])
    variables = [
        variable(f"VariableID:{LIBRARY}/{copy}", "red", far, "COLOR", [color(0, 0, 1)], key=LIBRARY) for copy in copies
    ]
    variables.append(variable("V:1", "a", own, "COLOR", [value]))
    return graph_of(response([far, own], variables), file="product")[0]


def a_of(graph):
    return token_named(graph, "a").values[0]


HOME = token_named(library(), "red").key


def test_an_alias_to_a_remote_copy_is_redirected_to_the_other_file():
    graph = linked([product(alias(f"VariableID:{LIBRARY}/1:1")), library()])
    assert a_of(graph) == Alias(HOME)
    assert shown(graph, "a").red == 1


def test_a_redirected_alias_uses_the_mode_of_its_targets_family():
    own = linked([library(), product(alias(f"VariableID:{LIBRARY}/1:1"))])
    families = {each.key: each for each in own.collections.values()}
    assert own.resolve(token_named(own, "a"), _theme(families["library", "palette"], 1)).red == 0.5


def _theme(family, mode):
    from tokensync.tokens import Theme

    return Theme("", ((family.key, mode),))


def test_every_stale_copy_is_redirected_to_the_same_variable():
    for copy in ("1:1", "2:2"):
        graph = linked([product(alias(f"VariableID:{LIBRARY}/{copy}"), copies=("1:1", "2:2")), library()])
        assert a_of(graph) == Alias(HOME)


def test_a_dangling_alias_with_the_key_of_another_file_is_redirected():
    alone = product(alias(f"VariableID:{LIBRARY}/7:7"), copies=())
    assert a_of(alone) == DanglingAlias(f"VariableID:{LIBRARY}/7:7")
    graph = linked([alone, library()])
    assert a_of(graph) == Alias(HOME)
    assert findings(graph) == ()


def test_both_parts_of_a_composed_colour_are_redirected():
    value = composed(alias(f"VariableID:{LIBRARY}/7:7"), 50)
    assert a_of(linked([product(value, copies=()), library()])) == ComposedColor(Alias(HOME), 50.0)


def test_a_remote_variable_of_a_file_that_is_not_configured_stays_a_remote_copy():
    other = graph_of(response([collection("C:1")], []), file="other")[0]
    graph = linked([product(alias(f"VariableID:{LIBRARY}/1:1")), other])
    assert graph.tokens[a_of(graph).target].origin == "remote"
    assert shown(graph, "a").blue == 1


def test_an_alias_is_redirected_to_a_withheld_variable():
    graph = linked([product(alias(f"VariableID:{LIBRARY}/1:1")), library(include_hidden=True)])
    assert graph.tokens[HOME].origin == "local"
    owner = collection("C:1", "Palette", ["Light", "Dark"])
    library_variable = variable(
        "V:1", "red", owner, "COLOR", [color(1, 0, 0)] * 2, key=LIBRARY, hiddenFromPublishing=True
    )
    hiding = graph_of(response([owner], [library_variable]), file="library", include_hidden=False)[0]
    graph = linked([product(alias(f"VariableID:{LIBRARY}/1:1")), hiding])
    assert graph.tokens[a_of(graph).target].origin == "withheld"
    assert shown(graph, "a").red == 1


def test_an_alias_within_a_file_does_not_change():
    own = collection("C:1", "Theme", ["Light"])
    far = collection("C:far", "Palette", ["Light"], remote=True)
    library_variable = [
        variable("V:1", "red", own, "COLOR", [color(1, 0, 0)], key=LIBRARY),
        variable(f"VariableID:{LIBRARY}/1:1", "red", far, "COLOR", [color(0, 0, 1)], key=LIBRARY),
        variable("V:2", "a", own, "COLOR", [alias(f"VariableID:{LIBRARY}/1:1")]),
    ]
    first = graph_of(response([own, far], library_variable), file="one")[0]
    graph = linked([first, graph_of(response([collection("C:1")], []), file="two")[0]])
    assert shown(graph, "a").blue == 1


def test_joining_one_graph_returns_it_and_joining_none_is_empty():
    only = library()
    assert linked([only]) is only
    assert linked([]) == TokenGraph((), ())


def test_unreferenced_remote_and_deleted_tokens_are_removed_with_their_collections():
    far = collection("C:far", "Far", ["x"], remote=True)
    idle = collection("C:idle", "Idle", ["x"], remote=True)
    own = collection("C:1", "Own", ["x"])
    library_variable = [
        variable("V:r1", "r1", far, "FLOAT", [alias("V:r2")]),
        variable("V:r2", "r2", far, "FLOAT", [2]),
        variable("V:r3", "r3", far, "FLOAT", [3]),
        variable("V:i", "i", idle, "FLOAT", [4]),
        variable("V:d", "d", own, "FLOAT", [5], deletedButReferenced=True),
        variable("V:a", "a", own, "FLOAT", [alias("V:r1")]),
    ]
    graph = referenced(graph_of(response([far, idle, own], library_variable))[0])
    assert [each.key.path for each in graph.tokens.values()] == ["r1", "r2", "a"]
    assert [each.handle for each in graph.collections.values()] == ["far", "own"]


def test_a_remote_collection_without_variables_is_removed_if_all_tokens_are_live():
    own, far = collection("C:1", "Own", ["x"]), collection("C:far", "Far", ["x"], remote=True)
    graph = referenced(graph_of(response([own, far], [variable("V:a", "a", own, "FLOAT", [1])]))[0])
    assert [each.handle for each in graph.collections.values()] == ["own"]


def test_a_number_has_the_type_that_its_own_file_gives_it():
    """The copy in another file may still have a name that says nothing."""
    far, own = collection("C:far", "Layout", ["Light"], remote=True), collection("C:1", "Layout", ["Light"])
    copies = [variable(f"VariableID:{key}/1:1", key[:4], far, "FLOAT", [8], key=key) for key in (LIBRARY, key_of("x"))]
    home = graph_of(response([own], [variable("V:1", "spacing/m", own, "FLOAT", [8], key=LIBRARY)]), file="library")[0]
    graphs = [graph_of(response([far], copies), file="product")[0], home]
    product_, _ = with_types(graphs, linked(graphs), TypeRules())
    assert [token.type for token in product_.tokens.values()] == ["dimension", "number"]
