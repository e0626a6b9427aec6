"""Three-way merge of the graphs of token files and platform."""

from __future__ import annotations

from tokensync.plan.merging.conflicts import EXISTENCE, Conflict, ConflictKey, Difference, SideName
from tokensync.plan.merging.merge import Merged, merge

__all__ = ["EXISTENCE", "Conflict", "ConflictKey", "Difference", "Merged", "SideName", "merge"]
