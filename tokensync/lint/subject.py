"""What the rules read: a graph, the settings, and the locations of both."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.settings import LintConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.tokens import Theme, Token, TokenGraph, TokenKey


def shown_key(key: TokenKey, context: str | None = None) -> str:
    """Return the name of a token or, for a key without a path, of the mode of a context."""
    return f"{key.collection}/{context}" if context and not key.path else str(key)


def _setting(*steps: str | int) -> str:
    return ".".join(map(str, steps))


class Subject:
    """A graph to check.

    ``themes`` are the configured themes; without any, each rule combines the modes itself. ``location_of`` returns the
    location of a token, of its value in the mode of a context or, for a key without a path, of that mode.
    ``location_of_setting`` returns the location of a setting by its path in the configuration.
    """

    def __init__(
        self,
        graph: TokenGraph,
        settings: LintConfig | None = None,
        *,
        themes: Sequence[Theme] = (),
        location_of: Callable[[TokenKey, str | None], str] = shown_key,
        location_of_setting: Callable[..., str] = _setting,
    ) -> None:
        self.graph = graph
        self.settings = settings or LintConfig()
        self.themes = themes
        self.location_of = location_of
        self.location_of_setting = location_of_setting

    @cached_property
    def declared(self) -> tuple[Token, ...]:
        """Return the tokens that outputs declare: all but those of other files, and deleted ones."""
        return tuple(token for token in self.graph.tokens.values() if token.origin == "local")

    @cached_property
    def references(self) -> Mapping[TokenKey, tuple[TokenKey, ...]]:
        """Return the tokens that each token refers to in any mode."""
        return self.graph.references()
