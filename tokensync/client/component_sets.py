"""Published component sets (platform-api.md 4.2)."""

from __future__ import annotations

from typing import Final

from tokensync.client.published_items import endpoints

ENDPOINTS: Final = endpoints("component-sets", "component_sets", "component sets", "component set")
