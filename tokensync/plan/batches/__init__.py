"""A plan's operations as requests: each atomic, at most as large as the platform takes, and as few as can be."""

from tokensync.plan.batches.layout import Batch, batches_of

__all__ = ["Batch", "batches_of"]
