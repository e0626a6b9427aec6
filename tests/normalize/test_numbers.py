"""Numbers of a response: their types, and a note about those whose unit is unknown."""

import pytest
from design_file import alias, collection, extension, graph_of, response, token_named, variable

from tokensync.cli.console import lines_of
from tokensync.normalize.findings import findings
from tokensync.normalize.mapping import TypeRule, TypeRules, opacities
from tokensync.normalize.numbers import unclear_numbers, with_rules

UNKNOWN = "number-unit-unknown"
MIXED = "opacity-mixed"


def number(identity, name, owner, *values, scopes=("ALL_SCOPES",), **more):
    return variable(identity, name, owner, "FLOAT", values, scopes=list(scopes), **more)


def of(owner, *variables, more=(), rules=None):
    graph, _ = graph_of(response([owner, *more], list(variables)), rules=rules)
    return graph


def notes(graph, rules=None):
    return [each for each in unclear_numbers(graph, rules or TypeRules()) if each.code == UNKNOWN]


def test_a_number_has_the_type_of_its_name_or_alias():
    owner = collection("C:1")
    graph = of(owner, number("V:1", "space/s", owner, 4, 8), number("V:2", "a", owner, alias("V:1"), 2))
    assert {key.path: each.type for key, each in graph.tokens.items()} == {"space.s": "dimension", "a": "dimension"}


def test_overrides_of_an_extended_collection_count():
    owner = collection("C:1", modes=("Light",))
    brand = extension("C:2", "Brand", owner, {"V:1": [24.0]})
    graph = of(owner, number("V:1", "line-height/a", owner, 1.2), more=[brand])
    assert token_named(graph, "line-height.a").type == "dimension"


def test_a_weight_out_of_range_does_not_make_its_aliases_weights():
    owner = collection("C:1")
    graph = of(
        owner,
        number("V:1", "a", owner, 2000, 2000, scopes=("FONT_WEIGHT",)),
        number("V:2", "b", owner, alias("V:1"), alias("V:1")),
        number("V:3", "c", owner, 400, 500, scopes=("FONT_WEIGHT",)),
        number("V:4", "d", owner, alias("V:3"), 0),
        number("V:5", "e", owner, alias("V:3"), 600),
    )
    types = {key.path: each.type for key, each in graph.tokens.items()}
    assert types == {"a": "number", "b": "number", "c": "fontWeight", "d": "number", "e": "fontWeight"}


def test_a_collection_without_other_numbers_needs_no_path():
    owner = collection("C:1", name="Depth")
    (note,) = notes(of(owner, number("V:1", "a", owner, 4, 8)))
    assert note.snippet.splitlines()[1:] == ['type = "dimension"', 'resolved_type = "FLOAT"', 'collection = "Depth"']
    assert "1 variable is unknown, so it stays a number (a); " in str(note)


def test_a_rule_is_for_whole_groups_and_for_shared_prefixes():
    owner = collection("C:1", name="Base")
    names = ("depth/a", "depth/b", "depth/deep/c", "scale-1", "scale-2", "other", "mixed/a", "mixed/gap")
    graph = of(owner, *(number(f"V:{index}", name, owner, 4, 8) for index, name in enumerate(names)))
    (note,) = notes(graph)
    paths = [line for line in note.snippet.splitlines() if line.startswith("path")]
    assert paths == ['path = "depth/*"', 'path = "scale-*"', 'path = "other"', 'path = "mixed/a"']


def test_a_rule_is_for_all_names_that_differ_in_their_number_only():
    owner = collection("C:1", name="Base")
    steps = (*(f"depth/x{at}" for at in range(18)), "depth/y1", "depth/y2")
    names = (*steps, "depth/gap", "depth/yard-gap")
    (note,) = notes(of(owner, *(number(f"V:{at}", name, owner, 4, 8) for at, name in enumerate(names))))
    paths = [line for line in note.snippet.splitlines() if line.startswith("path")]
    assert paths == ['path = "depth/x*"', 'path = "depth/y1"', 'path = "depth/y2"']


def test_collections_of_one_name_share_a_note_with_rules_that_fit_both():
    one, two = collection("C:1", name="Steps"), collection("C:2", name="Steps")
    variables = [number("V:1", "scale/a", one, 4, 8), number("V:2", "b", one, 4, 8), number("V:3", "c", two, 4, 8)]
    clear = number("V:4", "scale/gap", two, 4, 8)
    graph = of(one, *variables, clear, more=[two])
    (note,) = notes(graph)
    assert note.what == "the unit of 3 variables is unknown, so they stay numbers"
    assert note.names == ("steps / scale/a", "steps / b", "steps-2 / c")
    paths = [line for line in note.snippet.splitlines() if line.startswith("path")]
    assert paths == ['path = "scale/a"', 'path = "b"', 'path = "c"']


def test_a_number_that_follows_another_one_is_not_listed():
    owner = collection("C:1")
    graph = of(owner, number("V:1", "a", owner, 4, 8), number("V:2", "b", owner, alias("V:1"), alias("V:1")))
    (note,) = notes(graph)
    assert note.names == ("a",)
    rules = TypeRules([TypeRule(type="dimension", path="a")])
    assert notes(with_rules(graph, rules), rules) == []


def test_many_rules_are_counted():
    owner = collection("C:1")
    variables = [number(f"V:{index}", f"{chr(97 + index)}/x", owner, 4, 8) for index in range(20)]
    others = [number(f"W:{index}", f"{chr(97 + index)}/gap", owner, 4, 8) for index in range(20)]
    (note,) = notes(of(owner, *variables, *others))
    assert "the first 12 of 20 rules" in note.what_to_do
    assert note.snippet.count("[[types]]") == 12
    ((shown,), (whole,)) = (tuple(lines_of([note], everything=everything)) for everything in (False, True))
    assert (shown.snippet.count("[[types]]"), shown.is_complete) == (1, False)
    assert whole.snippet == note.snippet


def test_line_heights_that_are_ratios_have_one_note_with_the_rule_that_makes_them_lengths():
    owner = collection("C:1", name="Type")
    heights = [number(f"V:{at}", f"line-height/{at}", owner, 1.5, 1.25, scopes=("LINE_HEIGHT",)) for at in range(14)]
    large = number("V:20", "line-box/height", owner, 24, 20, scopes=("LINE_HEIGHT",))
    graph = of(owner, *heights, large)
    (note,) = [each for each in unclear_numbers(graph, TypeRules()) if each.code == "ratio-as-length"]
    assert note.where == "Type"
    assert note.what.startswith("14 variables have the scope of a length and values too small for one, so code has")
    assert note.snippet.splitlines() == [
        *("[[types]]", 'type = "dimension"', 'resolved_type = "FLOAT"', 'collection = "Type"', 'path = "line-height/*"')
    ]
    lengths = TypeRules([TypeRule(type="dimension", path="line-height/*")])
    assert [*unclear_numbers(with_rules(graph, lengths), lengths)] == []
    confirmed = TypeRules([TypeRule(type="number", path="line-height/*")])
    assert [*unclear_numbers(with_rules(graph, confirmed), confirmed)] == []


def test_a_number_that_may_be_an_opacity_has_a_note_with_the_rule_for_its_name():
    owner = collection("C:1", name="Base")
    names = ("opacity-checkerboard/square-size", "opacity/brand/hover", "opacity/50", "opacity/soft/alpha")
    graph = of(owner, *(number(f"V:{index}", name, owner, 4, 8) for index, name in enumerate(names)))
    length, opacity = notes(graph)
    assert length.snippet.splitlines()[1:] == [
        'type = "dimension"',
        *('resolved_type = "FLOAT"', 'collection = "Base"', 'path = "opacity-checkerboard/*"'),
    ]
    assert opacity.snippet.splitlines()[1:] == [
        *('type = "number"', 'unit = "percent"', 'resolved_type = "FLOAT"', 'collection = "Base"'),
        'path = "opacity/brand/*"',
    ]
    assert opacity.names == ("opacity/brand/hover",)
    rules = TypeRules([TypeRule(type="number", path="opacity*", unit="fraction")])
    assert notes(with_rules(graph, rules), rules) == []


@pytest.mark.parametrize("values", [(0.4, 0.8), (40, 80), (0, 100), (1, 1)])
def test_opacities_of_one_kind_are_no_finding(values):
    owner = collection("C:1")
    graph = of(owner, number("V:1", "opacity/a", owner, *values), number("V:2", "opacity/b", owner, *values))
    assert [each for each in findings(graph) if each.code == MIXED] == []


def test_mixed_opacities_are_one_finding_per_collection():
    owner = collection("C:1")
    graph = of(
        owner,
        number("V:1", "opacity/a", owner, 0.4, 0.5),
        number("V:2", "opacity/b", owner, 40, 50),
        number("V:3", "opacity/c", owner, 30, 50),
    )
    (found,) = (each for each in findings(graph) if each.code == MIXED)
    assert found.what == (
        "some opacities are fractions (opacity/a 0.5), and others are percentages (opacity/b 50, opacity/c 50)"
    )
    chosen = with_rules(graph, TypeRules([TypeRule(type="number", path="opacity/a", unit="fraction")]))
    assert [each for each in findings(chosen) if each.code == MIXED] == []


def test_opacities_whose_modes_refer_to_each_other_share_their_unit():
    base = collection("C:1", name="Base", modes=("Value",))
    tone, size = collection("C:2", name="Tone"), collection("C:3", name="Size")
    several = [
        number("V:1", "a", base, alias("V:2"), scopes=("OPACITY",)),
        number("V:2", "b", tone, 10, alias("V:3"), scopes=("OPACITY",)),
        number("V:3", "c", size, alias("V:1"), alias("V:2"), scopes=("OPACITY",)),
    ]
    graph, _ = graph_of(response([base, tone, size], several))
    assert [opacity.unit for opacity in opacities(graph).values()] == ["percent"] * 3
