"""Webhooks: who wants to be told of which events, where (platform-api.md 4.10)."""
