"""OAuth apps, the codes that users gave them, and what keeps them refreshing."""

from typing import Final

TABLES: Final = """
CREATE TABLE oauth_apps (
    number INTEGER PRIMARY KEY, client_id TEXT UNIQUE NOT NULL, secret_digest TEXT NOT NULL, name TEXT NOT NULL,
    team TEXT, creator TEXT NOT NULL, description TEXT NOT NULL, logo TEXT NOT NULL, redirect_urls TEXT NOT NULL,
    scopes TEXT NOT NULL, visibility TEXT NOT NULL, review_pages INTEGER NOT NULL, state TEXT NOT NULL
);
CREATE TABLE oauth_codes (
    number INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL, app TEXT NOT NULL, user TEXT NOT NULL,
    redirect_url TEXT NOT NULL, scopes TEXT, challenge TEXT, expires REAL NOT NULL, used INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE oauth_grants (
    app TEXT NOT NULL, user TEXT NOT NULL, refresh_token TEXT UNIQUE NOT NULL, scopes TEXT, PRIMARY KEY (app, user)
) WITHOUT ROWID;
"""
