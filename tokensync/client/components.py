"""Published components (platform-api.md 4.2)."""

from __future__ import annotations

from typing import Final

from tokensync.client.published_items import endpoints

ENDPOINTS: Final = endpoints("components", "components", "components", "component")
