"""Library analytics: what is recorded of a library's things, and the six reports on it (platform-api.md 4.4)."""
