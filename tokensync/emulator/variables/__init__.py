"""The variables endpoints (platform-api.md 4.3): reading, publishing, and a POST staged in one transaction."""
