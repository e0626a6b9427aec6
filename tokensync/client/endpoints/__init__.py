"""All endpoints of the REST API. Each group is a module with its endpoints and typed responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.client.endpoints import (
    activity_logs,
    analytics,
    comments,
    dev_resources,
    developer_logs,
    discovery,
    files,
    folders,
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
    from tokensync.client.endpoint import Endpoint

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *oauth.ENDPOINTS,
    *published_items.COMPONENTS,
    *published_items.COMPONENT_SETS,
    *published_items.STYLES,
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
