"""The platform's limits, as its documentation gives them. The emulator does not take them from the client."""

from __future__ import annotations

from typing import Final

MODES_PER_COLLECTION: Final = 40
MODE_NAME_CHARACTERS: Final = 40
VARIABLES_PER_COLLECTION: Final = 5000
BODY_BYTES: Final = 4 * 1024 * 1024
"""The largest body of POST variables; one byte more is 413."""
PERSONAL_TOKEN_DAYS: Final = 90
OAUTH_TOKEN_DAYS: Final = 90
OAUTH_CODE_SECONDS: Final = 30
PLAN_TOKEN_DAYS: Final = 365
ANALYTICS_DAYS: Final = 365
ROWS_OF_ANALYTICS: Final = 1000
"""Rows a page; the documentation gives no number."""
PAGE_OF_LIBRARY: Final = 30
LARGEST_PAGE_OF_LIBRARY: Final = 1000
"""Of team components; of component sets and styles the documentation gives none."""
DEV_RESOURCES_PER_NODE: Final = 10
WEBHOOKS_PER_CONTEXT: Final = {"team": 20, "project": 5, "file": 3}
FILE_WEBHOOKS_PER_PLAN: Final = {"professional": 150, "organization": 300, "enterprise": 600}
WEBHOOK_ENDPOINT_CHARACTERS: Final = 2048
WEBHOOK_PASSCODE_CHARACTERS: Final = 100
NEW_WEBHOOK_DESCRIPTION_CHARACTERS: Final = 150
WEBHOOK_DESCRIPTION_CHARACTERS: Final = 140
"""Of a description that an update gives."""
WEBHOOK_RETRY_SECONDS: Final = (300, 1800, 10_800)
"""How long a delivery waits after the first, the second and the third failure; after the fourth it is given up."""
WEBHOOK_HISTORY_SECONDS: Final = 7 * 86400
INACTIVITY_SECONDS: Final = 1800
"""How long nobody edits a file before FILE_UPDATE is sent (Figma REST API: Webhooks v2)."""
DEVELOPER_LOG_ITEMS: Final = 25
MOST_DEVELOPER_LOG_ITEMS: Final = 100
ACTIVITY_LOG_EVENTS: Final = 1000
"""Of one answer, by default and at most."""
DISCOVERY_SECONDS: Final = 24 * 3600
"""The longest time that one request of text events spans."""
DISCOVERY_LINK_SECONDS: Final = (60, 86400)
"""How long download links may live; by default the longest."""
DISCOVERY_REQUESTS_A_SECOND: Final = 20
PAGE_OF_VERSIONS: Final = 30
LARGEST_PAGE_OF_VERSIONS: Final = 50
