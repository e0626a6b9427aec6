"""Properties of every merge: random and real libraries, edited by one side or both."""

from __future__ import annotations

import msgspec
import pytest
from corpus.building import CORPUS, NO_CORPUS
from hypothesis import assume, given
from hypothesis import strategies as some
from plan import edits
from plan.journeys import graph_of
from plan.library import NEW
from plan.matching import identified
from plan.pairs import seeded

from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize, referenced
from tokensync.plan.conflicts import scope_set
from tokensync.plan.merging import merge
from tokensync.plan.state import refs_of, state_of
from tokensync.project.lock import facts, locked_graph
from tokensync.tokens import Alias, ComposedColor, DanglingAlias, TokenGraph

RESPONSES = sorted(CORPUS.glob("*-local*.json"))


@some.composite
def versions(draw):
    """The graph of a library, and those of two edits of it that know nothing of each other."""
    dice = draw(some.randoms(use_true_random=True))
    base = seeded(dice)
    found = [graph_of(base.response())]
    for session in (NEW, NEW + 1):
        edited = base.copy()
        edited.session = session
        edited, _ = edits.edited(dice, edited, dice.randint(0, 5))
        found.append(graph_of(edited.response()))
    return found


def words(graph):
    """What a graph says, without ids and keys: a line each for collections and for tokens of this file.

    Scopes are those that the platform stores: to it, two spellings of a number's weight are one.
    """

    def named(target):
        family = graph.collections.get(target[:2])
        return (family.name if family else "", target.path)

    def said(value):
        match value:
            case Alias(target=target):
                return repr(named(target))
            case ComposedColor(color=color, opacity=opacity):
                return repr((said(color), said(opacity)))
            case DanglingAlias():
                return "dangling"
            case _:
                return repr(value)

    lines = []
    for key, family in graph.collections.items():
        names = {family.handle: family.name} | {each.handle: each.name for each in family.extensions}
        modes = [(names[mode.collection], mode.name) for mode in family.modes]
        lines.append(repr((family.name, family.hidden, family.origin, sorted(names.values()), sorted(modes))))
        for token in graph.tokens.values():
            if token.key[:2] == key and token.origin == "local":
                values = sorted(
                    (mode, said(value)) for mode, value in zip(modes, token.values, strict=True) if value is not None
                )
                metadata = (token.type, token.description, sorted(scope_set(token)), token.hidden, token.code_syntax)
                lines.append(repr((family.name, token.key.path, metadata, values)))
    return sorted(lines)


def takes_a_name(base, one, other):
    """Whether one side recreated a token, and the other gave its name to an existing one."""
    known = {each.id: key for key, each in base.tokens.items()}
    new = {key for key, each in one.tokens.items() if each.id not in known}
    return any(key in new for key, each in other.tokens.items() if known.get(each.id, key) != key)


def checked(merged):
    """The merged graph, in which every ref is unique and every alias leads to a token or is dangling."""
    graph = merged.graph
    refs = refs_of(graph)
    for own in (list(refs.tokens.values()), [*refs.families.values(), *refs.extensions.values()], *refs.modes.values()):
        assert len(set(own)) == len(own)
    state_of(graph, refs)
    for token in graph.tokens.values():
        assert len(token.values) == len(graph.collections[token.key[:2]].modes)
        for value in token.values:
            if isinstance(value, Alias):
                assert value.target in graph.tokens
    return graph


@given(versions())
def test_a_side_without_changes_loses_every_difference(found):
    base, one, _ = found
    merged = merge([base], base, one)
    assert words(checked(merged)) == words(one)
    assert not merged.conflicts
    assert {each.side for each in merged.differences} <= {"theirs"}
    ours = merge([base], one, base)
    assert not ours.conflicts
    assert {each.side for each in ours.differences} <= {"ours"}
    assert words(checked(ours)) == words(one)


@given(versions())
def test_equal_sides_merge_to_themselves_whatever_the_base(found):
    base, one, _ = found
    for bases in ([base], [], [base, one]):
        merged = merge(bases, one, one)
        assert merged.graph == one
        assert not merged.conflicts
        assert not merged.differences


@given(versions())
def test_the_answer_theirs_and_the_answer_ours_mirror_each_other(found):
    base, one, other = found
    # What token files have under an id that the platform does not know goes by its name: see ``takes_a_name``.
    assume(not takes_a_name(base, one, other) and not takes_a_name(base, other, one))
    there, here = merge([base], one, other), merge([base], other, one)
    assert bool(there.conflicts) == bool(here.conflicts)
    if not there.conflicts:
        assert words(checked(there)) == words(checked(here))
    for always in ("ours", "theirs"):
        settled = merge([base], one, other, always=always)
        assert not settled.conflicts
        checked(settled)
        again = merge([base], one, other, answers={each.key: always for each in there.conflicts})
        if not again.conflicts:  # an answer may bring up the next conflict
            assert words(again.graph) == words(settled.graph)


@given(versions())
def test_a_merge_of_a_merge_changes_nothing(found):
    """A second merge of a written result changes nothing."""
    base, one, other = found
    merged = merge([base], one, other, always="ours").graph
    again = merge([other], merged, other)
    assert not again.conflicts
    assert words(again.graph) == words(merged)


@given(versions())
def test_the_lock_is_as_good_a_base_as_what_it_was_made_from(found):
    base, one, other = (referenced(each) for each in found)
    locked = locked_graph(_facts(base))
    assert facts(locked, "design", "k") == facts(base, "design", "k")
    merged, expected = merge([locked], one, other), merge([base], one, other)
    assert merged.graph == expected.graph
    assert merged.conflicts == expected.conflicts


@given(versions())
def test_matching_alone_leaves_everything_but_ids(found):
    _, one, other = found
    matched, problems = identified(one, other)
    assert not problems
    assert words(matched) == words(one)
    checked_ids = [each.id for each in matched.tokens.values() if each.id]
    assert len(set(checked_ids)) == len(checked_ids)
    assert set(checked_ids) <= {each.id for each in other.tokens.values()}


def _facts(graph: TokenGraph):
    return [tuple(msgspec.json.decode(line)) for line in facts(graph, "design", "k")]


@pytest.mark.parametrize("name", [path.name for path in RESPONSES] or ["absent"])
def test_a_real_library_is_merged_with_what_a_pull_left_of_it(name):
    if name == "absent":
        pytest.skip(NO_CORPUS)
    graph, _ = normalize(snapshot("design", (CORPUS / name).read_bytes()))
    kept = referenced(graph)
    locked = locked_graph(_facts(kept))
    assert facts(locked, "design", "k") == facts(kept, "design", "k")
    merged = merge([locked], kept, graph)
    assert merged.graph == graph
    assert not merged.conflicts
    assert not merged.differences
