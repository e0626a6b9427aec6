"""Every endpoint of the platform, group by group, in the order of platform-api.md 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.client import (
    comments,
    component_sets,
    components,
    dev_resources,
    developer_logs,
    files,
    folders,
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
    *comments.ENDPOINTS,
    *component_sets.ENDPOINTS,
    *components.ENDPOINTS,
    *dev_resources.ENDPOINTS,
    *developer_logs.ENDPOINTS,
    *files.ENDPOINTS,
    *folders.ENDPOINTS,
    *oembed.ENDPOINTS,
    *projects.ENDPOINTS,
    *styles.ENDPOINTS,
    *users.ENDPOINTS,
    *variables.ENDPOINTS,
    *versions.ENDPOINTS,
    *webhooks.ENDPOINTS,
)
