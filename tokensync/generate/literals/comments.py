"""Descriptions as comments: what all languages have in common."""

from __future__ import annotations


def lines(text: str) -> list[str]:
    """The lines of a text, with a blank for each character that does not print; none for a blank text."""
    return ["".join(each if each.isprintable() else " " for each in line).strip() for line in text.strip().splitlines()]
