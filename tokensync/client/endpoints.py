"""Every endpoint of the platform, group by group, in the order of platform-api.md 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.client import (
    activity_logs,
    analytics,
    comments,
    component_sets,
    components,
    dev_resources,
    developer_logs,
    discovery,
    files,
    folders,
    oauth,
    oembed,
    projects,
    styles,
    users,
    variables,
    versions,
    webhooks,
)

if TYPE_CHECKING:
    from tokensync.client.endpoint import Endpoint

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *oauth.ENDPOINTS,
    *components.ENDPOINTS,
    *component_sets.ENDPOINTS,
    *styles.ENDPOINTS,
    *variables.ENDPOINTS,
    *analytics.ENDPOINTS,
    *projects.ENDPOINTS,
    *folders.ENDPOINTS,
    *dev_resources.ENDPOINTS,
    *developer_logs.ENDPOINTS,
    *activity_logs.ENDPOINTS,
    *discovery.ENDPOINTS,
    *webhooks.ENDPOINTS,
    *files.ENDPOINTS,
    *comments.ENDPOINTS,
    *versions.ENDPOINTS,
    *users.ENDPOINTS,
    *oembed.ENDPOINTS,
)
