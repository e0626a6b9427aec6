"""Webhooks, the events that wait for them, and what was sent."""

from typing import Final

TABLES: Final = """
CREATE TABLE webhooks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, event_type TEXT NOT NULL, context TEXT NOT NULL, context_id TEXT NOT NULL,
    team TEXT NOT NULL, plan TEXT NOT NULL, status TEXT NOT NULL, client TEXT, passcode TEXT NOT NULL,
    endpoint TEXT NOT NULL, description TEXT
);
CREATE INDEX webhooks_of_context ON webhooks (context, context_id);
CREATE INDEX webhooks_of_plan ON webhooks (plan);
CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY, webhook INTEGER NOT NULL, payload BLOB NOT NULL, due REAL NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0, leased REAL NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_due ON deliveries (due);
CREATE TABLE webhook_requests (
    number INTEGER PRIMARY KEY AUTOINCREMENT, webhook INTEGER NOT NULL, endpoint TEXT NOT NULL, payload BLOB NOT NULL,
    sent REAL NOT NULL, received REAL, status INTEGER, error TEXT
);
CREATE INDEX webhook_requests_of_webhook ON webhook_requests (webhook);
CREATE INDEX webhook_requests_sent ON webhook_requests (sent);
CREATE TABLE edits (file INTEGER PRIMARY KEY, last REAL NOT NULL);
"""
