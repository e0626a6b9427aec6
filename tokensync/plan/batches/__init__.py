"""Turn a plan's operations into as few atomic requests as the platform's size limit allows."""

from tokensync.plan.batches.layout import Batch, batches_of

__all__ = ["Batch", "batches_of"]
