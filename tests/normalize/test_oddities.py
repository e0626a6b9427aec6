"""Unusual data of real responses, with its problem codes and outcomes."""

import time

import pytest
from design_file import (
    alias,
    collection,
    color,
    composed,
    expression,
    extension,
    findings_with,
    graph_of,
    key_of,
    response,
    shown,
    token_named,
    variable,
)

from tokensync.extract.wire import snapshot
from tokensync.normalize.findings import findings
from tokensync.normalize.graph import normalize
from tokensync.system.problems import CODES
from tokensync.tokens import Alias, DanglingAlias


def normalized(collections, variables):
    return graph_of(response(collections, variables))


def codes(problems):
    return [each.code for each in problems]


def test_a_clean_response_has_no_problems():
    owner = collection("C:1")
    graph, problems = normalized([owner], [variable("V:1", "a/b", owner, "FLOAT", [1, 2])])
    assert problems == ()
    assert findings(graph) == ()


def test_tokens_are_in_the_order_of_variable_ids_with_unlisted_ones_last():
    owner = collection("C:1", variableIds=["V:3", "V:gone", "V:1", "V:3"])
    variables = [variable(f"V:{number}", f"a{number}", owner, "FLOAT", [1, 2]) for number in (1, 2, 3)]
    graph, _ = normalized([owner], variables)
    assert [each.id for each in graph.tokens.values()] == ["V:3", "V:1", "V:2"]


def test_every_member_of_a_variable_is_read():
    owner = collection("C:1", "Theme", ["Light"], hiddenFromPublishing=True)
    the_variable = variable(
        "V:1",
        "a",
        owner,
        "COLOR",
        [color(1, 0, 0)],
        description="ink\n",
        scopes=["TEXT_FILL", "STROKE_COLOR"],
        codeSyntax={"iOS": ".a", "WEB": "var(--a) /* utility class */"},
        hiddenFromPublishing=True,
    )
    graph, _ = normalized([owner], [the_variable])
    token = token_named(graph, "a")
    assert (token.description, token.scopes, token.hidden) == ("ink\n", ("TEXT_FILL", "STROKE_COLOR"), True)
    assert token.code_syntax == (("WEB", "var(--a) /* utility class */"), ("iOS", ".a"))
    assert (token.id, token.variable_key) == ("V:1", key_of("V:1"))
    assert graph.collections["kit", "theme"].hidden


def test_collections_with_the_same_name_get_different_handles_local_ones_first():
    remote = collection("VariableCollectionId:k/1:1", "Base", remote=True)
    graph, problems = normalized([remote, collection("C:1", "Base"), collection("C:2", "base!")], [])
    assert [(each.id, each.handle) for each in graph.collections.values()] == [
        ("VariableCollectionId:k/1:1", "base-3"),
        ("C:1", "base"),
        ("C:2", "base-2"),
    ]
    (name, what) = findings_with(problems, "collection-name-repeated")[0]
    assert name == "Base"
    assert what == "2 collections have this name (base-3, base)"


def test_mode_names_that_differ_only_in_case_or_dots_get_different_contexts():
    graph, _ = normalized([collection("C:1", "T", ["v1.0", "V1 0", "v1-0"])], [])
    (family,) = graph.collections.values()
    assert [mode.context for mode in family.modes] == ["v1-0", "v1-0-2", "v1-0-3"]


def test_the_same_mode_ids_in_two_collections_are_not_confused():
    one, other = collection("C:1", "One"), collection("C:2", "Two", ["Dark", "Light"])
    variables = [variable("V:1", "a", one, "FLOAT", [1, 2]), variable("V:2", "a", other, "FLOAT", [3, 4])]
    graph, problems = normalized([one, other], variables)
    assert [each.values for each in graph.tokens.values()] == [(1.0, 2.0), (3.0, 4.0)]
    assert problems == ()


def test_deleted_but_referenced_variables_are_reported_once_for_each_collection():
    owner = collection("C:1")
    variables = [
        variable("V:1", "a", owner, "FLOAT", [9, 9], deletedButReferenced=True),
        variable("V:2", "a", owner, "FLOAT", [1, 2]),
        variable("V:3", "b", owner, "FLOAT", [alias("V:1"), 2]),
    ]
    graph, problems = normalized([owner], variables)
    assert [(each.id, each.key.path, each.origin) for each in graph.tokens.values()] == [
        ("V:1", "a-2", "deleted"),
        ("V:2", "a", "local"),
        ("V:3", "b", "local"),
    ]
    assert shown(graph, "b") == 9
    assert findings_with(problems, "variable-deleted") == [("Theme", "1 deleted variable is still referenced (a)")]


def test_an_alias_uses_the_copy_of_a_remote_variable_that_it_refers_to():
    old = collection("VariableCollectionId:k/1:1", "Global Colors", ["Value"], remote=True)
    new = collection("VariableCollectionId:k/2:2", "Tokens", ["Value"], remote=True)
    own = collection("C:1", "Theme", ["Light"])
    key = key_of("shared")
    variables = [
        variable("VariableID:k/1:2", "red", old, "FLOAT", [1], key=key),
        variable("VariableID:k/2:2", "red", new, "FLOAT", [2], key=key),
        variable("V:1", "a", own, "FLOAT", [alias("VariableID:k/1:2")]),
        variable("V:2", "b", own, "FLOAT", [alias("VariableID:k/2:2")]),
    ]
    graph, problems = normalized([old, new, own], variables)
    assert (shown(graph, "a"), shown(graph, "b")) == (1, 2)
    assert token_named(graph, "a").origin == "local"
    assert findings_with(problems, "remote-copy-stale") == [("kit", "1 variable has several copies (red)")]


def test_a_live_variable_with_a_repeated_name_gets_a_number_and_is_reported():
    owner = collection("C:1")
    variables = [variable(f"V:{number}", name, owner, "FLOAT", [1, 2]) for number, name in enumerate(["a", "a", "a-2"])]
    graph, problems = normalized([owner], variables)
    assert [each.key.path for each in graph.tokens.values()] == ["a", "a-3", "a-2"]
    assert findings_with(problems, "name-repeated") == [
        ("Theme / a", "another variable of the collection has this name (this one is V:1)")
    ]


def test_a_variable_with_the_name_of_a_group_is_noted():
    owner = collection("C:1")
    names = ["color", "color/red", "color/red/500", "colorless"]
    variables = [variable(f"V:{name}", name, owner, "FLOAT", [1, 2]) for name in names]
    graph, problems = normalized([owner], variables)
    assert [each.key.path for each in graph.tokens.values()] == ["color", "color.red", "color.red.500", "colorless"]
    assert findings_with(problems, "leaf-and-group") == [
        ("Theme", "2 variables have the name of a group (color, color/red)")
    ]


def test_names_with_dots_are_encoded_and_noted():
    owner = collection("C:1")
    names = ["v1.2/x", "a b, 50%/c", "$root"]
    variables = [variable(f"V:{name}", name, owner, "FLOAT", [1, 2]) for name in names]
    graph, problems = normalized([owner], variables)
    assert [each.key.path for each in graph.tokens.values()] == ["v1%2E2.x", "a b, 50%.c", "%24root"]
    assert findings_with(problems, "name-encoded") == [
        ("Theme", "2 names contain characters that token names cannot contain (v1.2/x, $root)")
    ]


def test_empty_scopes_are_noted():
    owner = collection("C:1")
    graph, problems = normalized([owner], [variable("V:1", "a", owner, "FLOAT", [1, 2], scopes=[])])
    assert token_named(graph, "a").type == "number"
    assert findings_with(problems, "scopes-empty") == [("Theme", "1 variable has no scopes (a)")]


def test_a_variable_of_an_unsupported_type_is_opaque():
    owner = collection("C:1", modes=["Light"])
    brand = extension("C:2", "Brand", owner, {"V:1": [{"x": 1}]})
    made = [
        variable("V:1", "ease", owner, "GEOMETRY", [[alias("V:2")]]),
        variable("V:2", "b", owner, "FLOAT", [alias("V:1")]),
        variable("V:3", "gone", owner, "GEOMETRY", [{}], deletedButReferenced=True),
        variable("V:4", "homeless", collection("C:9"), "SOUND", [1, 2]),
    ]
    graph, problems = normalized([owner, brand], made)
    assert [each.values for each in graph.tokens.values()] == [(DanglingAlias("V:1"), None)]
    assert findings_with(problems, "type-unknown") == [
        ("Theme / ease", "its type GEOMETRY is not supported"),
        ("Theme / gone", "its type GEOMETRY is not supported"),
        ("C:9 / homeless", "its type SOUND is not supported"),
    ]
    (family,) = graph.collections.values()
    (ease,) = family.opaque
    assert (ease.id, ease.name, ease.type, ease.targets) == ("V:1", "ease", "GEOMETRY", ("V:2",))
    assert dict(ease.values) == {"C:2/m0": '{"x":1}', "m0": '[{"id":"V:2","type":"VARIABLE_ALIAS"}]'}


def test_variables_of_an_absent_collection_share_one_without_names():
    absent = collection("C:gone", modes=["x", "y"])
    present = collection("C:1", "Absent collection")
    made = [
        variable("V:1", "a", absent, "FLOAT", [1]),
        variable("V:2", "b", absent, "FLOAT", [2, 3]),
        variable("V:3", "c", present, "FLOAT", [alias("V:2"), 4]),
    ]
    graph, problems = normalized([present], made)
    assert [(each.handle, each.origin, len(each.modes)) for each in graph.collections.values()] == [
        ("absent-collection", "local", 2),
        ("absent-collection-2", "deleted", 2),
    ]
    assert shown(graph, "c") == 2
    assert findings_with(problems, "collection-absent") == [
        ("a", "2 variables belong to the collection C:gone, which is not in the response")
    ]


@pytest.mark.parametrize(
    ("kind", "value", "what"),
    [
        ("FLOAT", "12", "a FLOAT variable holds a string"),
        ("COLOR", color(3, 0, 0), "a colour has a channel outside 0 to 1"),
        ("COLOR", composed(alias("V:9"), None), "a composed colour lacks its opacity"),
        ("COLOR", expression("x", 3) | {"expressionArguments": [3, 3]}, "the first argument of COMPOSE_COLOR"),
        ("FLOAT", 1e300, "a number is too large"),
    ],
)
def test_an_invalid_value_is_omitted_and_reported_with_its_mode(kind, value, what):
    owner = collection("C:1")
    good = color() if kind == "COLOR" else 1
    graph, problems = normalized([owner], [variable("V:1", "a", owner, kind, [good, value])])
    assert token_named(graph, "a").values[1] is None
    ((where, actual_what),) = findings_with(problems, "value-mismatch")
    assert where == "Theme / a / Dark"
    assert actual_what.startswith(what)


def test_a_value_for_an_unknown_mode_is_omitted_and_reported():
    owner = collection("C:1")
    the_variable = variable("V:1", "a", owner, "FLOAT", [1, 2])
    the_variable["valuesByMode"]["m9"] = 3
    graph, problems = normalized([owner], [the_variable])
    assert token_named(graph, "a").values == (1.0, 2.0)
    assert findings_with(problems, "mode-unknown") == [
        ("Theme / a", "it has a value for m9, which is not a mode of its collection")
    ]


def test_font_weights_out_of_range_are_numbers():
    owner = collection("C:1")
    variables = [
        variable("V:1", "w", owner, "FLOAT", [400, 1000], scopes=["FONT_WEIGHT"]),
        variable("V:2", "x", owner, "FLOAT", [400, 1001], scopes=["FONT_WEIGHT"]),
    ]
    graph, problems = normalized([owner], variables)
    assert [each.type for each in graph.tokens.values()] == ["fontWeight", "number"]
    assert findings_with(problems, "font-weight-range") == [("Theme / x", "a font weight is not between 1 and 1000")]


def test_a_collection_without_modes_is_read_with_one_empty_mode():
    owner = collection("C:1", "T", [])
    graph, problems = normalized([owner], [variable("V:1", "a", owner, "FLOAT", [])])
    assert [len(each.modes) for each in graph.collections.values()] == [1]
    assert token_named(graph, "a").values == (None,)
    assert codes(problems) == ["modes-absent"]


def test_the_first_of_two_modes_with_the_same_id_is_used():
    twice = [{"modeId": "m0", "name": "Light"}, {"modeId": "m0", "name": "Dark"}]
    graph, problems = normalized([{**collection("C:1"), "modes": twice}], [])
    assert [mode.name for each in graph.collections.values() for mode in each.modes] == ["Light"]
    assert findings_with(problems, "mode-repeated") == [("Theme / mode Dark", "another mode has the same id")]


def test_an_unknown_default_mode_is_replaced_by_the_first():
    owner = collection("C:1", defaultModeId="m7")
    brand = extension("C:2", "Brand", owner, defaultModeId="m7")
    graph, problems = normalized([owner, brand], [])
    (family,) = graph.collections.values()
    assert (family.default_mode, family.extensions[0].default_mode) == (0, 2)
    assert [where for where, _ in findings_with(problems, "default-mode-unknown")] == ["Brand", "Theme"]


def test_long_names_are_shortened_in_problems():
    owner = collection("C:1", "N" * 5000)
    _, problems = normalized([owner], [variable("V:1", "a" * 10_000, owner, "EASING", [])])
    assert all(len(str(each)) < 400 for each in problems)


def test_counts_of_one_are_singular():
    owner = collection("C:1")
    variables = [
        variable("V:1", "a", owner, "FLOAT", [1, 2], scopes=[]),
        variable("V:2", "a/b.c", owner, "FLOAT", [1, 2]),
        variable("V:3", "gone", owner, "FLOAT", [1, 2], deletedButReferenced=True),
    ]
    _, problems = normalized([owner], variables)
    assert len(problems) == 4
    for each in problems:
        assert each.what.startswith("1 ")
        assert " variables" not in each.what
        assert " are " not in each.what


def test_problems_of_a_response_are_not_errors():
    of_responses = [code for code in CODES if code.startswith(("alias-", "mode", "name-", "value-"))]
    of_token_files = ("mode-id-copied", "mode-name-copied")
    assert {CODES[code].severity for code in of_responses if code not in of_token_files} <= {"warning", "note"}


def chained(length):
    owners = [collection("C:0", "C0", ["Light"])]
    for number in range(1, length):
        owners.append({**extension(f"C:{number}", f"C{number}", owners[-1]), "rootVariableCollectionId": "C:0"})
    return owners[::-1]


def dangling_in_each(count):
    owners = [collection(f"C:{number}", f"C{number}") for number in range(count)]
    return owners, [variable(f"V:{each['id']}", "a", each, "FLOAT", [alias("V:gone"), 1]) for each in owners]


@pytest.mark.parametrize(
    "many",
    [
        lambda n: ([(c := collection("C:1"))], [variable(f"V:{i}", "same", c, "FLOAT", [1, 2]) for i in range(n)]),
        lambda n: ([], [variable(f"V:{i}", "a", collection(f"C:{i}"), "FLOAT", [1, 2]) for i in range(n)]),
        lambda n: ([collection(f"C:{i}", "Same name") for i in range(n)], []),
        lambda n: (chained(n), []),
        lambda n: (chained(n), [variable("V:1", "a", collection("C:0", "C0", ["Light"]), "FLOAT", [1])]),
        dangling_in_each,
    ],
    ids=[
        "equal names",
        "absent collections",
        "equal collections",
        "a chain of extensions",
        "a token on one",
        "a fault in each",
    ],
)
def test_many_equal_cases_take_linear_time(many):
    start = time.process_time()
    graph, _ = normalize(snapshot("kit", response(*many(4000))))
    findings(graph)
    assert time.process_time() - start < 5


def test_an_alias_is_an_edge_to_the_token_of_its_variable():
    owner = collection("C:1", modes=["Light"])
    variables = [variable("V:1", "a", owner, "FLOAT", [alias("V:2")]), variable("V:2", "b/c", owner, "FLOAT", [1])]
    graph, _ = normalized([owner], variables)
    assert token_named(graph, "a").values == (Alias(token_named(graph, "b.c").key),)


def test_each_problem_has_one_semicolon_between_what_is_wrong_and_what_to_do():
    owner = collection("C:1", defaultModeId="m9")
    brand = extension("C:2", "Brand", owner, {"V:0": [1, "x"], "V:1": ["x", 1]})
    variables = [
        variable("V:1", "a", owner, "FLOAT", ["x", alias("V:7")], scopes=[]),
        variable("V:2", "a", owner, "EASING", [1, 2]),
        variable("V:3", "a", owner, "FLOAT", [1], scopes=["FONT_WEIGHT"]),
        variable("V:4", "b.c", collection("C:9"), "FLOAT", [1]),
    ]
    graph, problems = normalized([owner, brand, extension("C:3", "Lost", collection("C:8"))], variables)
    everything = (*problems, *findings(graph))
    assert len({each.code for each in everything}) > 8
    assert [str(each) for each in everything if str(each).count("; ") != 1] == []
