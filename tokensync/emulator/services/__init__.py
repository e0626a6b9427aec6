"""The services of the REST API: a module for each group of endpoints, with its routes, rules and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.services import (
    activity_logs,
    analytics,
    comments,
    dev_resources,
    developer_logs,
    discovery,
    files,
    folders,
    images,
    oauth,
    oembed,
    projects,
    published_items,
    users,
    variables,
    versions,
    webhooks,
)

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Route

ROUTES: Final[tuple[Route, ...]] = (
    *activity_logs.ROUTES,
    *analytics.ROUTES,
    *comments.ROUTES,
    *dev_resources.ROUTES,
    *developer_logs.ROUTES,
    *discovery.ROUTES,
    *files.ROUTES,
    *folders.ROUTES,
    *images.ROUTES,
    *oauth.ROUTES,
    *oembed.ROUTES,
    *projects.ROUTES,
    *published_items.ROUTES,
    *users.ROUTES,
    *variables.ROUTES,
    *versions.ROUTES,
    *webhooks.ROUTES,
)
