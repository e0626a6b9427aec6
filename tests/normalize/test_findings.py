"""The findings of a finished graph."""

import shlex

import pytest
from design_file import alias, collection, color, composed, extension, graph_of, response, variable, what_of
from msgspec.structs import replace

from tokensync.cli.console import lines_of
from tokensync.normalize.findings import findings, renamed_modes
from tokensync.tokens import Collection, Mode, TokenGraph


def codes_of(collections, variables):
    graph, _ = graph_of(response(collections, variables))
    return [(each.code, each.where, what_of(each)) for each in findings(graph)]


def test_a_dangling_alias_is_reported_with_its_modes():
    owner = collection("C:1", modes=["Light", "Dark", "Dim"])
    the_variable = variable("V:1", "a/b", owner, "FLOAT", [alias("VariableID:k/1:1"), 1, alias("VariableID:k/1:1")])
    assert codes_of([owner], [the_variable]) == [
        ("alias-dangling", "Theme / a/b / light, dim", "it refers to VariableID:k/1:1, which is not among the tokens")
    ]


def test_an_alias_to_a_library_that_is_missing_names_the_key_of_its_variable():
    owner = collection("C:1", modes=["Light"])
    key = "a918c5787ee15ff031b1274ace1cae0f34c7150e"
    library = alias(f"VariableID:{key}/6:0")
    what = f"to the variable of a library with the key {key}, which is not among the tokens"
    one, two = (variable(f"V:{at}", f"a/{at}", owner, "FLOAT", [library]) for at in (1, 2))
    assert codes_of([owner], [one]) == [("alias-dangling", "Theme / a/1 / light", f"it refers {what}")]
    assert codes_of([owner], [one, two]) == [("alias-dangling", "Theme", f"2 tokens refer {what} (a/1, a/2)")]


def test_an_alias_to_a_variable_of_an_unsupported_type_is_reported_with_the_type():
    owner = collection("C:1", modes=["Light"])
    variables = [variable("V:1", "ease", owner, "EASING", [{}]), variable("V:2", "b", owner, "FLOAT", [alias("V:1")])]
    graph, _ = graph_of(response([owner], variables))
    (problem,) = findings(graph)
    assert (problem.code, problem.where) == ("alias-type-unknown", "Theme / b / light")
    assert problem.what == "it refers to Theme / ease, whose type EASING is not supported"


def test_the_dependents_of_a_dangling_alias_are_reported_together():
    owner = collection("C:1", modes=["Light"])
    variables = [
        variable("V:1", "a", owner, "COLOR", [alias("V:0")]),
        variable("V:2", "b", owner, "COLOR", [alias("V:1")]),
        variable("V:3", "c", owner, "COLOR", [composed(alias("V:2"), 50)]),
        variable("V:4", "d", owner, "COLOR", [color()]),
    ]
    assert codes_of([owner], variables) == [
        (
            "alias-dangling",
            "Theme",
            "3 tokens refer to V:0, which is not among the tokens (a, b, c)",
        )
    ]


def test_a_problem_names_all_tokens_and_its_line_the_first_three():
    owner = collection("C:1", modes=["Light"])
    variables = [variable(f"V:{at}", f"a{at}", owner, "FLOAT", [alias("V:0")]) for at in range(1, 302)]
    (problem,) = findings(graph_of(response([owner], variables))[0])
    assert problem.names == tuple(f"a{at}" for at in range(1, 302))
    (line,) = lines_of([problem])
    assert line.text.startswith(
        "Theme: 301 tokens refer to V:0, which is not among the tokens (a1, a2, a3, ... and 298 more); "
    )


def test_a_cycle_is_reported_for_its_tokens_and_their_dependents():
    owner = collection("C:1", modes=["Light"])
    variables = [
        variable("V:1", "a", owner, "FLOAT", [alias("V:2")]),
        variable("V:2", "b", owner, "FLOAT", [alias("V:1")]),
        variable("V:3", "c", owner, "FLOAT", [alias("V:1")]),
        variable("V:4", "d", owner, "FLOAT", [alias("V:4")]),
    ]
    assert codes_of([owner], variables) == [
        ("alias-cycle", "Theme / a / light", "its aliases form a cycle"),
        ("alias-cycle", "Theme / c / light", "it refers to theme / a, whose aliases form a cycle"),
        ("alias-cycle", "Theme / b / light", "its aliases form a cycle"),
        ("alias-cycle", "Theme / d / light", "its aliases form a cycle"),
    ]


def test_a_cycle_in_one_mode_is_reported_for_that_mode():
    owner = collection("C:1")
    variables = [
        variable("V:1", "a", owner, "FLOAT", [alias("V:2"), 1]),
        variable("V:2", "b", owner, "FLOAT", [alias("V:1"), alias("V:1")]),
    ]
    assert [where for _, where, _ in codes_of([owner], variables)] == ["Theme / a / light", "Theme / b / light"]


def test_aliases_that_form_a_cycle_only_across_modes_are_valid():
    owner = collection("C:1")
    variables = [
        variable("V:1", "a", owner, "FLOAT", [alias("V:2"), 1]),
        variable("V:2", "b", owner, "FLOAT", [2, alias("V:1")]),
    ]
    assert codes_of([owner], variables) == []


def test_a_missing_value_is_reported_for_the_token_and_its_dependents():
    owner, other = collection("C:1"), collection("C:2", "Other", ["x"])
    variables = [variable("V:1", "a", owner, "FLOAT", [1]), variable("V:2", "b", owner, "FLOAT", [1, alias("V:1")])]
    assert codes_of([owner, other], variables) == [
        ("value-absent", "Theme / a / dark", "it has no value"),
        ("value-absent", "Theme / b / dark", "it refers to theme / a, which has no value"),
    ]


def test_an_alias_to_another_type_is_reported():
    owner = collection("C:1", modes=["Light"])
    variables = [
        variable("V:1", "a", owner, "COLOR", [alias("V:2")]),
        variable("V:2", "n", owner, "FLOAT", [1]),
        variable("V:3", "c", owner, "COLOR", [composed(alias("V:2"), 20)]),
        variable("V:4", "d", owner, "COLOR", [alias("V:1")]),
    ]
    assert codes_of([owner], variables) == [
        ("alias-mismatch", "Theme / a / light", "it refers to a value of another type"),
        ("alias-mismatch", "Theme / d / light", "it refers to theme / a, whose type does not fit"),
        ("alias-mismatch", "Theme / c / light", "it refers to a value of another type"),
    ]


def test_aliases_between_types_of_one_kind_are_valid():
    owner = collection("C:1", modes=["Light"])
    variables = [
        variable("V:1", "gap", owner, "FLOAT", [alias("V:2")], scopes=["GAP"]),
        variable("V:2", "n", owner, "FLOAT", [alias("V:3")]),
        variable("V:3", "weight", owner, "FLOAT", [400], scopes=["FONT_WEIGHT"]),
        variable("V:4", "plain", owner, "FLOAT", [alias("V:1")]),
        variable("V:5", "family", owner, "STRING", [alias("V:6")], scopes=["FONT_FAMILY"]),
        variable("V:6", "text", owner, "STRING", ["Inter"]),
        variable("V:7", "again", owner, "STRING", [alias("V:5")]),
    ]
    assert codes_of([owner], variables) == []


def test_only_local_tokens_are_reported():
    owner = collection("C:1", modes=["Light"])
    library = collection("C:2", "Library", ["x"], remote=True)
    variables = [
        variable("V:1", "gone", owner, "FLOAT", [alias("V:0")], deletedButReferenced=True),
        variable("V:2", "far", library, "FLOAT", [alias("V:0")]),
    ]
    assert codes_of([owner, library], variables) == []


def test_an_extensions_mode_is_named_by_its_context():
    root = collection("C:1", "Theme", ["Light"])
    brand = extension("C:2", "Brand", root, {"V:1": [alias("V:0")]})
    assert [where for _, where, _ in codes_of([root, brand], [variable("V:1", "a", root, "FLOAT", [1])])] == [
        "Theme / a / brand.light"
    ]


def test_a_long_chain_of_dangling_aliases_is_reported_without_recursion():
    owner = collection("C:1", modes=["Light"])
    length = 4000
    variables = [variable(f"V:{at}", f"a{at}", owner, "FLOAT", [alias(f"V:{at + 1}")]) for at in range(length)]
    ((_, where, what),) = codes_of([owner], variables)
    assert (where, what[:18]) == ("Theme", "4,000 tokens refer")


def test_an_alias_to_another_type_is_reported_after_a_composed_colour_with_the_same_target():
    owner = collection("C:1", modes=["Light", "Dark"])
    share = variable("V:1", "share", owner, "FLOAT", [50, 50])
    scrim = variable("V:2", "scrim", owner, "COLOR", [composed(color(), alias("V:1")), alias("V:1")])
    assert codes_of([owner], [share, scrim]) == [
        ("alias-mismatch", "Theme / scrim / dark", "it refers to a value of another type")
    ]


@pytest.mark.parametrize(
    ("name", "file", "is_noted"),
    [
        ("Dark", "dark", False),
        ("Night", "dark", True),
        ("Dark", "dark-2", False),  # the second mode of this name
        ("Dark", "dark-two", True),
        ("it's $HOME", "dark", True),
    ],
)
def test_a_mode_whose_files_have_another_name_is_noted_with_the_command(name, file, is_noted):
    mode = Mode(name=name, collection="theme", slug=file, context=file, id="1:0")
    theme = Collection(file="one", handle="theme", name="Theme", modes=(mode,))
    remote, custom = replace(theme, origin="remote"), replace(theme, modes=(replace(mode, context="own"),))
    without_id = replace(theme, modes=(replace(mode, id=""),))
    notes = [*renamed_modes(TokenGraph([theme], ()))]
    assert [each.code for each in notes] == ["mode-name-former"] * is_noted
    assert not [each for other in (remote, custom, without_id) for each in renamed_modes(TokenGraph([other], ()))]
    if notes:
        command = notes[0].what_to_do.partition("run tokensync ")[2]
        assert shlex.split(command) == ["tokens", "rename-mode", f"theme/{file}", name]
