"""What a variable or a collection of a file is: the column ``state`` of their tables."""

from __future__ import annotations

from typing import Final

LIVE: Final = 0
DELETED: Final = 1
"""Deleted by a request; kept as long as something refers to it."""
HELD: Final = 2
"""Came as deletedButReferenced with a seed: what refers to it (a document's layers) is not known here, so it stays."""
REMOTE: Final = 3
"""A copy of what another file, a library, has published."""
