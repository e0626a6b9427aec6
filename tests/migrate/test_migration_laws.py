"""What holds for the migration of any source: nothing is lost or invented, and a second one changes nothing."""

import tomllib
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from migrate.sources import source_of
from msgspec.structs import replace

from tokensync.dtcg import read, write
from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import mapping_of, mapping_text, propose
from tokensync.migrate.source import references_in
from tokensync.tokens import Alias, ComposedColor, Theme, TokenGraph, Unresolved, targets

NAMES = ("a", "A", "b", "b ", "a.c", "b.c", "c/d", "e")
LITERALS = (
    ("color", "#ff0000"),
    ("color", "#00ff0080"),
    ("number", 3),
    ("dimension", "4px"),
    ("spacing", "1.5rem"),
    ("boolean", True),
    ("text", "x"),
    ("fontWeights", "Bold"),
    ("opacity", "50%"),
    ("typography", {"fontFamily": "Inter", "fontSize": "{b}"}),
    ("boxShadow", {"x": "0", "y": "1", "blur": "2", "spread": "0", "color": "{a}", "type": "dropShadow"}),
    ("", ""),
    ("unknown", "?"),
    ("color", "rgba({a}, 0.5)"),
    ("color", "rgba({b}, {e})"),
    ("dimension", "{a.c} * 2"),
    ("number", "{nowhere}"),
)
VALUES = st.one_of(st.sampled_from(LITERALS), st.sampled_from(NAMES).map(lambda name: ("", f"{{{name}}}")))
SETS = st.dictionaries(
    st.sampled_from(("s", "t", "u", "v")), st.dictionaries(st.sampled_from(NAMES), VALUES), min_size=1
)
ROLES = st.lists(st.sampled_from(("s", "t", "u", "v", "s*", "t*", "u*")), unique_by=lambda each: each.rstrip("*"))
THEMES = st.dictionaries(st.sampled_from(("g/A", "g/B", "h/C", "h/D", "E", "F")), ROLES, min_size=1)
SOURCES = st.builds(source_of, SETS, THEMES)
MISSING = st.sampled_from(("report", "default", "first"))


def with_missing(mapping, missing):
    return replace(mapping, collections=tuple(replace(each, missing=missing) for each in mapping.collections))


def literals_of(graph):
    """Every literal or None, by token and mode, with all other collections in their default mode."""
    return {
        (key, mode.context): None
        if isinstance(found := graph.resolve(token, Theme("", ((key[:2], at),))), Unresolved)
        else found
        for key, token in graph.tokens.items()
        for at, mode in enumerate(graph.collections[key[:2]].modes)
    }


@given(SOURCES, MISSING)
def test_every_token_and_every_alias_that_is_read_has_an_outcome(source, missing):
    found = convert(source, with_missing(propose(source), missing), "file")
    counts = found.ledger.counts
    assert counts.is_balanced
    assert counts.tokens_read == sum(len(each.tokens) for each in source.sets)
    assert counts.aliases_read == sum(len([*references_in(token.value)]) for _, token in source.tokens())
    reported = [each for each in found.ledger.lines if each.kind in ("reported", "replaced")]
    assert len(reported) == counts.tokens_reported
    assert all(each.reason and each.at.file for each in found.ledger.lines)


@given(SOURCES, MISSING)
def test_no_value_is_empty_and_no_alias_leads_nowhere(source, missing):
    graph = convert(source, with_missing(propose(source), missing), "file").graph
    for token in graph.tokens.values():
        assert None not in token.values
        assert all(target in graph.tokens for value in token.values for target in targets(value))
    assert None not in literals_of(graph).values()


@given(SOURCES, MISSING)
def test_token_files_hold_the_result_and_read_it_back(source, missing):
    graph = convert(source, with_missing(propose(source), missing), "file").graph
    again, problems = read({each.path: each.content for each in write(graph, "file")}, "file")
    assert [each for each in problems if each.severity == "error"] == []
    assert again == graph


@given(SOURCES, MISSING)
def test_a_second_migration_changes_nothing_and_finds_everything(source, missing):
    mapping = with_missing(propose(source), missing)
    first = convert(source, mapping, "file").graph
    pulled = TokenGraph(
        (replace(each, id=f"c:{each.handle}") for each in first.collections.values()),
        (replace(each, id=f"v:{at}", variable_key=f"{at:040x}") for at, each in enumerate(first.tokens.values())),
    )
    again = convert(source, mapping, "file", pulled)
    assert again.graph == pulled
    assert set(again.moved.items()) == {(key, key) for key in pulled.tokens}


@given(SOURCES)
def test_names_are_distinct_even_without_regard_to_case(source):
    graph = convert(source, propose(source), "file").graph
    names = Counter((key.collection, key.path.casefold()) for key in graph.tokens)
    assert [name for name, number in names.items() if number > 1] == []
    assert all(step == step.strip() for key in graph.tokens for step in key.path.split("."))


@given(SOURCES)
def test_aliases_in_the_graph_are_those_of_the_ledger(source):
    found = convert(source, propose(source), "file")
    written = [value for token in found.graph.tokens.values() for value in token.values if isinstance(value, Alias)]
    composed = [
        value for token in found.graph.tokens.values() for value in token.values if isinstance(value, ComposedColor)
    ]
    counts = found.ledger.counts
    assert bool(composed) == bool(counts.aliases_composed)
    assert bool(written) <= bool(counts.aliases_written)


@given(SOURCES, MISSING)
def test_a_proposal_is_read_back_from_its_text(source, missing):
    mapping = with_missing(propose(source), missing)
    assert mapping_of(tomllib.loads(mapping_text(mapping, source, {})), source) == (
        replace(mapping, collections=tuple(
            each if len(each.modes) > 1 else replace(each, missing="report") for each in mapping.collections
        )),
        (),
    )  # fmt: skip
