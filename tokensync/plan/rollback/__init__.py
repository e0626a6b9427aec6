"""What takes a plan back that was carried out, wholly or in part."""

from __future__ import annotations

from tokensync.plan.rollback.inverse import Inverse, inverse

__all__ = ["Inverse", "inverse"]
