"""What files publish beside variables: components, component sets and styles, as drafted and as published."""

from typing import Final

TABLES: Final = """
CREATE TABLE library_items (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT UNIQUE NOT NULL, node TEXT NOT NULL,
    draft BLOB, published BLOB
);
CREATE INDEX library_items_of_file ON library_items (file, kind);
"""
