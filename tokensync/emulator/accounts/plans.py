"""The plans that teams, files and an organization can be on."""

from __future__ import annotations

from typing import Final

from tokensync.errors import UsageError

ENTERPRISE: Final = "enterprise"
"""The one that has variables' endpoints, analytics and logs."""
PLANS: Final = ("starter", "professional", "organization", ENTERPRISE)


def check(whose: str, plan: str) -> None:
    """A UsageError for a word that is no plan; ``whose`` it was to be stands at its beginning."""
    if plan not in PLANS:
        raise UsageError(f"{whose}: no plan {plan!r}; use one of {', '.join(PLANS)}")
