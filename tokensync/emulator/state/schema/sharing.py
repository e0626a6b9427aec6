"""Roles on teams and folders, and the groups of users that can have them."""

from typing import Final

TABLES: Final = """
CREATE TABLE team_roles (team TEXT NOT NULL, user TEXT NOT NULL, role TEXT, PRIMARY KEY (team, user)) WITHOUT ROWID;
CREATE TABLE folder_roles (
    folder TEXT NOT NULL, member TEXT NOT NULL, role TEXT, PRIMARY KEY (folder, member)
) WITHOUT ROWID;
CREATE TABLE user_groups (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, name TEXT NOT NULL);
CREATE TABLE user_group_members (member TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (member, id)) WITHOUT ROWID;
"""
