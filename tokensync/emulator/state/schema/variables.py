"""Variables and collections as documents, what refers to what, and what is published."""

from typing import Final

TABLES: Final = """
CREATE TABLE collections (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, parent TEXT, state INTEGER NOT NULL,
    changed INTEGER NOT NULL, document BLOB NOT NULL, UNIQUE (file, id)
);
CREATE TABLE variables (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL,
    type TEXT NOT NULL, state INTEGER NOT NULL, changed INTEGER NOT NULL, document BLOB NOT NULL, UNIQUE (file, id)
);
CREATE INDEX variables_of_collection ON variables (file, collection);
CREATE INDEX variables_deleted ON variables (file) WHERE state = 1;
CREATE TABLE aliases (
    file INTEGER, source TEXT, mode TEXT, target TEXT, PRIMARY KEY (file, source, mode, target)
) WITHOUT ROWID;
CREATE INDEX aliases_to ON aliases (file, target);
CREATE TABLE published (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, document BLOB NOT NULL,
    UNIQUE (file, kind, id)
);
CREATE TABLE published_sources (
    file INTEGER, kind TEXT, id TEXT, document BLOB NOT NULL, PRIMARY KEY (file, kind, id)
) WITHOUT ROWID;
CREATE TABLE bound_to_shared_fonts (file INTEGER, variable TEXT, PRIMARY KEY (file, variable)) WITHOUT ROWID;
"""
