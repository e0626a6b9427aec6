"""The only room with powers: files, paths, programs, git, sockets and streams; and what all rooms report.

``disk`` writes files, ``boundary`` decides about paths, ``child`` and ``git`` start programs, ``serving`` listens,
``outlet`` is everything that people and programs read, each with a type and its escapes. ``problems`` and ``errors``
are what rooms report, ``plugins`` what installed packages add, and ``stat_manifest`` ends a command of which nothing
has changed before the rest is imported.
"""
