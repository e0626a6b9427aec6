"""The platform's limits, as platform-api.md section 8 gives them. Written here for what a plan may ask of it."""

from __future__ import annotations

from typing import Final

MODES_PER_COLLECTION: Final = 40
MODE_NAME_CHARACTERS: Final = 40
VARIABLES_PER_COLLECTION: Final = 5000
BODY_BYTES: Final = 4 * 1024 * 1024
"""The largest body of POST variables: what "4 MB" means at most, so that a body over it is certainly refused."""
