"""The platform's documented limits, stated independently of the client."""

from __future__ import annotations

from typing import Final

MODES_PER_COLLECTION: Final = 40
MODE_NAME_CHARACTERS: Final = 40
VARIABLES_PER_COLLECTION: Final = 5000
BODY_BYTES: Final = 4 * 1024 * 1024
"""The largest request body; larger ones are answered with 413."""
PERSONAL_TOKEN_DAYS: Final = 90
OAUTH_TOKEN_DAYS: Final = 90
OAUTH_CODE_SECONDS: Final = 30
PLAN_TOKEN_DAYS: Final = 365
ANALYTICS_DAYS: Final = 365
ROWS_OF_ANALYTICS: Final = 1000
"""Rows per page; the documentation gives no number."""
PAGE_OF_LIBRARY: Final = 30
LARGEST_PAGE_OF_LIBRARY: Final = 1000
"""Documented for team components; also used for component sets and styles."""
DEV_RESOURCES_PER_NODE: Final = 10
WEBHOOKS_PER_CONTEXT: Final = {"team": 20, "project": 5, "file": 3}
FILE_WEBHOOKS_PER_PLAN: Final = {"professional": 150, "organization": 300, "enterprise": 600}
WEBHOOK_ENDPOINT_CHARACTERS: Final = 2048
WEBHOOK_PASSCODE_CHARACTERS: Final = 100
NEW_WEBHOOK_DESCRIPTION_CHARACTERS: Final = 150
WEBHOOK_DESCRIPTION_CHARACTERS: Final = 140
"""For descriptions in updates."""
WEBHOOK_RETRY_SECONDS: Final = (300, 1800, 10_800)
"""Delays after the first, second and third failure; the fourth failure is final."""
WEBHOOK_HISTORY_SECONDS: Final = 7 * 86400
INACTIVITY_SECONDS: Final = 1800
"""Time without edits after which FILE_UPDATE is sent (Figma REST API: Webhooks v2)."""
DEVELOPER_LOG_ITEMS: Final = 25
MOST_DEVELOPER_LOG_ITEMS: Final = 100
ACTIVITY_LOG_EVENTS: Final = 1000
"""Events per page, both the default and the maximum."""
DISCOVERY_SECONDS: Final = 24 * 3600
"""The longest time range of one request for text events."""
DISCOVERY_LINK_SECONDS: Final = (60, 86400)
"""The shortest and longest lifetime of download links; the longest is the default."""
DISCOVERY_REQUESTS_A_SECOND: Final = 20
PAGE_OF_VERSIONS: Final = 30
LARGEST_PAGE_OF_VERSIONS: Final = 50
