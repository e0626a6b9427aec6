"""kotlinc compiles the output with stubs of Compose's types; run, each token comes to what the graph resolves it to."""

from __future__ import annotations

import pytest
from outside.compose_driver import MAIN, STUBS, Program, expected, printed
from outside.expected import same
from outside.themes import axes, pairs

from tokensync.tokens import Theme

pytestmark = pytest.mark.outside


def all_themes(graph):
    """The default theme, each mode of each collection, and each two modes of collections that interact."""
    alone = [{axis.family: mode} for axis in axes(graph) for mode in range(len(axis.contexts))]
    together = [
        {one.family: first, other.family: second}
        for one, other in pairs(graph)
        for first in range(len(one.contexts))
        for second in range(len(other.contexts))
    ]
    return [{}, *alone, *together]


def test_each_token_comes_to_what_the_graph_says_in_every_theme_and_pair(subject, kotlinc, counted):
    graph = subject.graph
    files = {name: content.decode() for name, content in subject.files("compose").items()}
    program = Program(graph, files)
    themes = all_themes(graph)
    answer = kotlinc({**files, **STUBS, "Main.kt": program.source(themes)}, f"design.tokens.{MAIN}")
    compared, differences = 0, []
    found = list(printed(answer))
    assert len(found) == len(themes)
    for modes, values in zip(themes, found, strict=True):
        resolve = graph.resolver(Theme("", tuple(modes.items())))
        for tokens in program.tokens.values():
            for token in tokens:
                wanted = expected(token, resolve(token.key))
                if wanted is None:
                    continue
                compared += 1
                if not same(wanted, values[program.names[token.key]]):
                    differences.append(f"{modes}: {token.key}: {values[program.names[token.key]]} is not {wanted}")
    counted("compose", "values, each theme and pair of axes", subject.name, compared, differences)
