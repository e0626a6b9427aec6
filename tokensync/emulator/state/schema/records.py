"""What the organization can look up: requests, what people did, and what they wrote."""

from typing import Final

TABLES: Final = """
CREATE TABLE requests (
    number INTEGER PRIMARY KEY, time REAL NOT NULL, event TEXT NOT NULL, source TEXT NOT NULL,
    token_digest TEXT NOT NULL, token_name TEXT NOT NULL, token_type TEXT NOT NULL,
    user TEXT NOT NULL, user_name TEXT NOT NULL, user_email TEXT NOT NULL,
    resource TEXT, resource_name TEXT, resource_type TEXT, address TEXT NOT NULL
);
CREATE INDEX requests_by_time ON requests (time, number);
CREATE TABLE activities (number INTEGER PRIMARY KEY, time REAL NOT NULL, type TEXT NOT NULL, document BLOB NOT NULL);
CREATE INDEX activities_by_time ON activities (time, number);
CREATE TABLE text_events (number INTEGER PRIMARY KEY, time REAL NOT NULL, document BLOB NOT NULL);
CREATE INDEX text_events_by_time ON text_events (time, number);
"""
