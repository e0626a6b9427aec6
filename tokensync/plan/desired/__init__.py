"""What the platform should hold, as far as variables can hold it, for what the token files say."""

from __future__ import annotations

from tokensync.plan.desired.tokens import Desired, desired

__all__ = ["Desired", "desired"]
