"""OAuth 2: a user's word for an app, and the tokens that it becomes (platform-api.md 3.2, 4.1, 5)."""
