"""Two states of a file to a plan: what is done, counted, held back, and in need of a person's word."""

from __future__ import annotations

from tokensync.plan.planner.planning import planned
from tokensync.plan.planner.safety import Referring

__all__ = ["Referring", "planned"]
