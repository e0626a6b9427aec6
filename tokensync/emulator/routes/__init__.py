"""Every endpoint of the platform: one module a group of endpoints, named as in ``tokensync.client``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator import activity_logs, analytics, discovery
from tokensync.emulator.routes import (
    comments,
    component_sets,
    components,
    dev_resources,
    developer_logs,
    files,
    folders,
    oauth,
    oembed,
    pictures,
    projects,
    styles,
    users,
    variables,
    versions,
    webhooks,
)

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Route

ROUTES: Final[tuple[Route, ...]] = (
    *analytics.ROUTES,
    *activity_logs.ROUTES,
    *comments.ROUTES,
    *component_sets.ROUTES,
    *components.ROUTES,
    *dev_resources.ROUTES,
    *developer_logs.ROUTES,
    *discovery.ROUTES,
    *files.ROUTES,
    *folders.ROUTES,
    *oauth.ROUTES,
    *oembed.ROUTES,
    *pictures.ROUTES,
    *projects.ROUTES,
    *styles.ROUTES,
    *users.ROUTES,
    *variables.ROUTES,
    *versions.ROUTES,
    *webhooks.ROUTES,
)
