"""The kinds of events and of contexts, and the statuses of webhooks (platform-facts "Webhooks v2")."""

from __future__ import annotations

from typing import Final

PING: Final = "PING"
"""Sent when a webhook is made; nobody can ask for it."""
FILE_UPDATE: Final = "FILE_UPDATE"
FILE_DELETE: Final = "FILE_DELETE"
FILE_VERSION_UPDATE: Final = "FILE_VERSION_UPDATE"
LIBRARY_PUBLISH: Final = "LIBRARY_PUBLISH"
FILE_COMMENT: Final = "FILE_COMMENT"
DEV_MODE_STATUS_UPDATE: Final = "DEV_MODE_STATUS_UPDATE"
EVENTS: Final = (
    FILE_UPDATE,
    FILE_DELETE,
    FILE_VERSION_UPDATE,
    LIBRARY_PUBLISH,
    FILE_COMMENT,
    DEV_MODE_STATUS_UPDATE,
)

TEAM: Final = "team"
FOLDER: Final = "project"
"""The older word for a folder, which is still the context's name."""
FILE: Final = "file"
CONTEXTS: Final = (TEAM, FOLDER, FILE)

ACTIVE: Final = "ACTIVE"
PAUSED: Final = "PAUSED"
STATUSES: Final = (ACTIVE, PAUSED)
"""An error state cannot be set (platform-api.md 3.3)."""
