"""The project's ``[[types]]`` rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokensync.config import Project
    from tokensync.mapping import TypeRules


def rules_of(project: Project) -> TypeRules:
    """Return the project's own type rules followed by the packaged ones."""
    from tokensync.mapping import TypeRule, type_rules

    return type_rules(
        tuple(
            TypeRule(
                type=each.type,
                resolved_type=each.resolved_type,
                scopes=each.scopes,
                path=each.path,
                collection=each.collection,
            )
            for each in project.config.types
        )
    )
