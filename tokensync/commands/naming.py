"""The names of all live tokens on every platform, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.commands.tokens import PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph, TokenKey


def names_on_platforms(
    graph: TokenGraph, templates: str | None = None
) -> tuple[Mapping[str, Mapping[TokenKey, str]], tuple[Problem, ...]]:
    """For each platform the identifier of every local token; what was odd about them, each once."""
    from tokensync.naming import names_for

    live = [token for token in graph.tokens.values() if token.origin == "local"]
    names: dict[str, Mapping[TokenKey, str]] = {}
    problems: list[Problem] = []
    for platform in PLATFORMS:
        names[platform], found = names_for(graph, live, platform, templates)
        problems += found
    return names, tuple(dict.fromkeys(problems))
