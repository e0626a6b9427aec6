"""Every endpoint of the platform, group by group, in the order of platform-api.md 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.client import (
    component_sets,
    components,
    dev_resources,
    folders,
    projects,
    styles,
    users,
    variables,
    webhooks,
)

if TYPE_CHECKING:
    from tokensync.client.endpoint import Endpoint

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *components.ENDPOINTS,
    *component_sets.ENDPOINTS,
    *styles.ENDPOINTS,
    *variables.ENDPOINTS,
    *projects.ENDPOINTS,
    *folders.ENDPOINTS,
    *dev_resources.ENDPOINTS,
    *webhooks.ENDPOINTS,
    *users.ENDPOINTS,
)
