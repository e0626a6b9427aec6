"""Functions of the public library with what a program needs: the graph of a project, its values, apply and rollback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import DEFAULT_THEME, Resolved, Theme, TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.commands.apply import AppliedFile
    from tokensync.commands.rollback import RolledBackPlan
    from tokensync.extract.client import Client
    from tokensync.project.configuration import Project


def load_graph(project: Project) -> TokenGraph:
    """Return the graph of a project's token files for outputs. Raises ProblemsError for files that cannot be read."""
    from tokensync.project.sources import from_project

    return from_project(project).graph


def themes_of(project: Project, graph: TokenGraph) -> tuple[Theme, ...]:
    """Return the themes of a graph: the default one, and those of the configuration or, without any, of the modes."""
    from tokensync.commands import tokens
    from tokensync.project.configured_outputs import configured_themes

    return tokens.themes_of(graph, configured_themes(graph, project))


def resolve(graph: TokenGraph, theme: Theme = DEFAULT_THEME) -> dict[TokenKey, Resolved]:
    """Return the value of each token in a theme: the literal at the end of its aliases, or why it is ``Unresolved``."""
    value_of = graph.resolver(theme)
    return {key: value_of(key) for key in graph.tokens}


def apply_plan(
    project: Project,
    client: Client,
    path: str | None = None,
    *,
    force: bool = False,
    overwrite: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> tuple[AppliedFile, ...]:
    """Apply the plan in a file, by default the one that ``make_plan`` has written, and return what was applied.

    ``force`` permits what a plan calls dangerous, ``overwrite`` what others have changed since. Raises ConflictError
    for a plan that is unsafe or out of date, before anything is sent.
    """
    from tokensync.commands.apply import Applier, apply_plans

    return apply_plans(Applier(project, client, say=progress), path, force=force, overwrite=overwrite)


def rollback_plan(project: Project, client: Client, receipt: str) -> RolledBackPlan:
    """Write the plan that reverses an apply, for ``apply_plan``; ``receipt`` is an ``AppliedFile.receipt``.

    Raises ConflictError if the same objects have changed since, and UsageError if there is no such apply.
    """
    from tokensync.commands.apply import Applier
    from tokensync.commands.rollback import rollback

    return rollback(Applier(project, client), receipt)
