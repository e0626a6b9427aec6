"""Published styles, which a migration to variables starts from (platform-api.md 4.2)."""

from __future__ import annotations

from typing import Final

from tokensync.client.published_items import endpoints

ENDPOINTS: Final = endpoints("styles", "styles", "styles", "style")
