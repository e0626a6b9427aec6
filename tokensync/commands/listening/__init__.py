"""Receives the events of webhooks, and runs a command for them."""
