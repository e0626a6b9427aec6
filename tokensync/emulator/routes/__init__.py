"""Every endpoint of the platform: one module a group of endpoints, named as in ``tokensync.client``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.routes import users, variables

if TYPE_CHECKING:
    from tokensync.emulator.route import Route

ROUTES: Final[tuple[Route, ...]] = (*users.ROUTES, *variables.ROUTES)
