"""Every endpoint of the platform, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.client import users, variables

if TYPE_CHECKING:
    from tokensync.client.endpoint import Endpoint

ENDPOINTS: Final[tuple[Endpoint, ...]] = (*users.ENDPOINTS, *variables.ENDPOINTS)
