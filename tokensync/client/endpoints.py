"""Every endpoint of the platform, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.client import component_sets, components, dev_resources, folders, projects, styles, users, variables

if TYPE_CHECKING:
    from tokensync.client.endpoint import Endpoint

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *component_sets.ENDPOINTS,
    *components.ENDPOINTS,
    *dev_resources.ENDPOINTS,
    *folders.ENDPOINTS,
    *projects.ENDPOINTS,
    *styles.ENDPOINTS,
    *users.ENDPOINTS,
    *variables.ENDPOINTS,
)
