"""Events: queued with what causes them, sent to webhooks, tried again, and remembered (platform-api.md 6)."""
