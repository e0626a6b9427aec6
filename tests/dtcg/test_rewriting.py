"""Rewriting some token files has the same result as writing all."""

from __future__ import annotations

from dtcg.strategies import FILE, graphs, sound_graphs
from dtcg.test_round_trip import THOROUGH
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.dtcg import write
from tokensync.dtcg.writing import rewrite, write_with_state
from tokensync.tokens import Collection, Color, ComposedColor, Mode, Token, TokenGraph, TokenKey
from tokensync.tokens.values import Alias


@given(graphs() | sound_graphs(), st.data())
@THOROUGH
def test_rewriting_equals_writing_all_files(before, data):
    after = edited(before, data.draw)
    texts, state = write_with_state(before, FILE)
    assert texts == write(before, FILE)
    there = {each.path: each.content for each in texts}
    present = {path for path in there if data.draw(st.integers(0, 4))}
    rewritten = rewrite(after, FILE, state, present)
    if rewritten is None:
        return
    fresh = {each.path: each.content for each in rewritten}
    assert there.keys() - present <= fresh.keys()
    assert {**there, **fresh} == dict(write(after, FILE))
    assert write_with_state(after, FILE)[1].hints == state.hints


def edited(graph, draw):
    """Return the graph with values of other tokens of the same type, and other members, in some tokens."""
    tokens = dict(graph.tokens)
    for key in draw(st.lists(st.sampled_from(sorted(tokens)), max_size=3)) if tokens else ():
        token = tokens[key]
        others = [each for each in graph.tokens.values() if each.type == token.type]
        values = [value for each in others for value in each.values if value is not None]
        if values:
            token = replace(
                token,
                values=tuple(
                    each if each is None or draw(st.booleans()) else draw(st.sampled_from(values))
                    for each in token.values
                ),
            )
        if draw(st.booleans()):
            token = replace(token, description=draw(st.text(max_size=3)), hidden=not token.hidden)
        tokens[key] = token
    return TokenGraph(graph.collections.values(), tokens.values())


def in_two_collections(red, other=0.5):
    """Return a graph with a composed colour that refers to a colour of another collection."""
    families = [
        Collection(
            file=FILE,
            handle=name,
            name=name,
            modes=tuple(Mode(name=each, collection=name, slug=each, context=each) for each in ("a", "b")),
        )
        for name in ("base", "shown")
    ]
    base, far = (TokenKey(FILE, "base", name) for name in ("color", "far"))
    tokens = [
        Token(key=base, type="color", values=(Color(red, 0.0, 0.0), Color(1.0, 1.0, 1.0))),
        Token(key=far, type="color", values=(Color(other, 0.0, 0.0), Color(1.0, 1.0, 1.0))),
        Token(key=TokenKey(FILE, "shown", "half"), type="color", values=(ComposedColor(Alias(base), 50.0),) * 2),
        Token(key=TokenKey(FILE, "shown", "plain"), type="color", values=(Alias(base), Alias(far))),
    ]
    return TokenGraph(families, tokens)


def test_only_the_files_of_changed_tokens_and_their_dependents_are_written():
    texts, state = write_with_state(in_two_collections(0.25), FILE)
    present = {each.path for each in texts}
    of_base = [f"{FILE}/base/a.tokens.json"]
    of_shown = [f"{FILE}/shown/{mode}.tokens.json" for mode in ("a", "b")]
    paths = lambda graph: [each.path for each in rewrite(graph, FILE, state, present) or ()]  # noqa: E731
    assert paths(in_two_collections(0.25)) == []
    assert paths(in_two_collections(0.25, 0.75)) == of_base
    assert paths(in_two_collections(0.75)) == [*of_base, *of_shown]
