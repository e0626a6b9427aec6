"""What is in files beside variables: their documents, the versions kept of them, and the comments on them.

The id of a deleted comment is not given to another one.
"""

from typing import Final

TABLES: Final = """
CREATE TABLE documents (file INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, created REAL NOT NULL, label TEXT,
    description TEXT, user TEXT NOT NULL, content BLOB NOT NULL, UNIQUE (file, id)
);
CREATE TABLE comments (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, id TEXT UNIQUE NOT NULL, parent TEXT,
    user TEXT NOT NULL, created REAL NOT NULL, resolved REAL, message TEXT NOT NULL, position BLOB NOT NULL
);
CREATE INDEX comments_of_file ON comments (file);
CREATE TABLE reactions (
    number INTEGER PRIMARY KEY, comment TEXT NOT NULL, user TEXT NOT NULL, emoji TEXT NOT NULL, created REAL NOT NULL,
    UNIQUE (comment, user, emoji)
);
"""
