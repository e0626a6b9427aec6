"""Teams, their folders, and the files in them."""

from typing import Final

TABLES: Final = """
CREATE TABLE teams (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, name TEXT NOT NULL, plan TEXT NOT NULL);
CREATE TABLE folders (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, team TEXT NOT NULL, parent TEXT, name TEXT NOT NULL,
    access TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL
);
CREATE TABLE files (
    number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, name TEXT NOT NULL, editor TEXT NOT NULL, plan TEXT NOT NULL,
    main INTEGER REFERENCES files, folder TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,
    created REAL NOT NULL, modified REAL NOT NULL,
    session INTEGER NOT NULL DEFAULT 1, made INTEGER NOT NULL DEFAULT 0,
    envelope BLOB NOT NULL, extras BLOB NOT NULL, published_envelope BLOB NOT NULL, published_extras BLOB NOT NULL
);
CREATE INDEX files_of_folder ON files (folder);
"""
