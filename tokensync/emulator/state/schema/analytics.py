"""How often the things of a library are used, and when they were inserted and detached."""

from typing import Final

TABLES: Final = """
CREATE TABLE analytics_usages (
    library INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, file INTEGER NOT NULL, usages INTEGER NOT NULL,
    PRIMARY KEY (library, kind, key, file)
) WITHOUT ROWID;
CREATE TABLE analytics_actions (
    library INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, day INTEGER NOT NULL, team TEXT NOT NULL,
    insertions INTEGER NOT NULL, detachments INTEGER NOT NULL, PRIMARY KEY (library, kind, key, day, team)
) WITHOUT ROWID;
"""
