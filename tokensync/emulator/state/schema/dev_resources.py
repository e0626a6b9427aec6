"""The links that are attached to nodes of files."""

from typing import Final

TABLES: Final = """
CREATE TABLE dev_resources (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, file INTEGER NOT NULL, node TEXT NOT NULL,
    name TEXT NOT NULL, url TEXT NOT NULL, UNIQUE (file, node, url)
);
"""
