"""Renames and rewritten texts for the tests of the codemod."""

from tokensync.code.renaming.renames import read_renames
from tokensync.code.renaming.rewriting import Choices, Codemod
from tokensync.system.positions import replaced

SUFFIXES = {"css": "a.css", "scss": "a.scss", "ts": "a.ts", "kotlin": "A.kt", "swift": "A.swift", "xml": "a.xml"}


def codemod(**platforms):
    renames, invalid = read_renames(platforms)
    assert not invalid, invalid
    return Codemod(renames)


def rewritten(path, text, renames, **choices):
    """Return the new text, and the findings as (marker, line, column, old name)."""
    done = codemod(**renames).rewrite(SUFFIXES.get(path, path), text, Choices(**choices))
    return replaced(text, done.edits), [(each.marker, each.line, each.column, each.old) for each in done.findings]


def markers(findings):
    return [each[0] for each in findings]
