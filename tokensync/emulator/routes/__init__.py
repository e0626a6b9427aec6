"""Every endpoint of the platform: one module a group of endpoints, named as in ``tokensync.client``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.routes import (
    component_sets,
    components,
    dev_resources,
    folders,
    oauth,
    projects,
    styles,
    users,
    variables,
    webhooks,
)

if TYPE_CHECKING:
    from tokensync.emulator.route import Route

ROUTES: Final[tuple[Route, ...]] = (
    *component_sets.ROUTES,
    *components.ROUTES,
    *dev_resources.ROUTES,
    *folders.ROUTES,
    *oauth.ROUTES,
    *projects.ROUTES,
    *styles.ROUTES,
    *users.ROUTES,
    *variables.ROUTES,
    *webhooks.ROUTES,
)
