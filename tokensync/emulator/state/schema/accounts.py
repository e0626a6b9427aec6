"""People, their access tokens, and what they may do with single files."""

from typing import Final

TABLES: Final = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE users (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, handle TEXT NOT NULL, email TEXT NOT NULL,
    account TEXT NOT NULL, admin INTEGER NOT NULL, permission TEXT
);
CREATE TABLE tokens (
    secret TEXT PRIMARY KEY, kind TEXT NOT NULL, scopes TEXT, expires REAL NOT NULL, user TEXT NOT NULL,
    name TEXT NOT NULL, app TEXT
) WITHOUT ROWID;
CREATE TABLE permissions (
    user TEXT NOT NULL, file_key TEXT NOT NULL, permission TEXT, PRIMARY KEY (user, file_key)
) WITHOUT ROWID;
"""
