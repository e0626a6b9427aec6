"""The names of all live tokens on several platforms, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.config import NamingConfig
from tokensync.targets import DEFAULTS, naming_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.config import Project
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph, TokenKey


class Names(NamedTuple):
    """By platform the identifier of every local token; what was odd about them, each once."""

    identifiers: Mapping[str, Mapping[TokenKey, str]]
    problems: tuple[Problem, ...]


class Manner(NamedTuple):
    """How tokens are named on a platform: the user's templates folder, and the settings."""

    templates: str | None = None
    settings: NamingConfig = NamingConfig()


def manners_of(project: Project) -> dict[str, Manner]:
    """By platform the manner of the project's first output of it; a platform without one is not there.

    Raises ProblemsError for templates where no checkout may have them.
    """
    project.refuse_strays("templates")
    manners: dict[str, Manner] = {}
    for output in project.config.outputs:
        templates = project.path(output.templates) if output.templates else None
        manners.setdefault(output.platform, Manner(templates, output.naming))
    return manners


def names_on_platforms(
    graph: TokenGraph, manners: Mapping[str, Manner] | None = None, platforms: Iterable[str] = DEFAULTS
) -> Names:
    """Return the names of all local tokens as one output a platform would have them, in this manner or the
    default one.
    """
    from tokensync.naming import names_for

    live = [token for token in graph.tokens.values() if token.origin == "local"]
    identifiers: dict[str, Mapping[TokenKey, str]] = {}
    problems: list[Problem] = []
    for platform in platforms:
        manner = (manners or {}).get(platform, Manner())
        identifiers[platform], found = names_for(graph, live, naming_of(platform), *manner)
        problems += found
    return Names(identifiers, tuple(dict.fromkeys(problems)))


def references_on_platforms(graph: TokenGraph, names: Names) -> dict[TokenKey, dict[str, str]]:
    """Return how code refers to each token, by platform."""
    from tokensync.naming import references_for

    references: dict[TokenKey, dict[str, str]] = {}
    for platform, identifiers in names.identifiers.items():
        for key, reference in references_for(graph, identifiers, naming_of(platform)).items():
            references.setdefault(key, {})[platform] = reference
    return references
