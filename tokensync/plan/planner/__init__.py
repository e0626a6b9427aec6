"""Two states of a file to a plan: what is done, counted, held back, and in need of a person's word."""

from __future__ import annotations

from tokensync.plan.planner.planning import planned

__all__ = ["planned"]
