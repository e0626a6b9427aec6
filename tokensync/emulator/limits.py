"""The platform's limits, as platform-api.md section 8 gives them. Written here for the emulator alone."""

from __future__ import annotations

from typing import Final

MODES_PER_COLLECTION: Final = 40
MODE_NAME_CHARACTERS: Final = 40
VARIABLES_PER_COLLECTION: Final = 5000
BODY_BYTES: Final = 4 * 1024 * 1024
"""The largest body of POST variables; one byte more is 413."""
PERSONAL_TOKEN_DAYS: Final = 90
OAUTH_TOKEN_DAYS: Final = 90
PLAN_TOKEN_DAYS: Final = 365
PAGE_OF_LIBRARY: Final = 30
LARGEST_PAGE_OF_LIBRARY: Final = 1000
"""Of team components; of component sets and styles the documentation gives none."""
