"""Which thing of one graph is which thing of another: by id, key, ``[[moved]]`` entries, and names."""

from __future__ import annotations

from tokensync.plan.identities.atlas import Atlas, Names
from tokensync.plan.identities.identified import identified
from tokensync.plan.identities.matching import Moves

__all__ = ["Atlas", "Moves", "Names", "identified"]
