"""All endpoints of the REST API. Each group is a module with its endpoints and typed responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.extract.client.endpoints import (
    analytics,
    dev_resources,
    files,
    folders,
    oauth,
    organization,
    published_items,
    variables,
    webhooks,
)

if TYPE_CHECKING:
    from tokensync.extract.client.endpoint import Endpoint

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *oauth.ENDPOINTS,
    *published_items.COMPONENTS,
    *published_items.COMPONENT_SETS,
    *published_items.STYLES,
    *variables.ENDPOINTS,
    *analytics.ENDPOINTS,
    *folders.ENDPOINTS,
    *dev_resources.ENDPOINTS,
    *organization.ENDPOINTS,
    *webhooks.ENDPOINTS,
    *files.ENDPOINTS,
    *files.COMMENTS,
    *files.VERSIONS,
    *organization.USERS,
    *files.OEMBED,
)
