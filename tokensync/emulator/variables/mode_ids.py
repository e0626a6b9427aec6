"""Ids of modes: ``<n>:<n>`` for an original one, ``<collection id>/<n>:<n>`` for it in an extended collection."""

from __future__ import annotations


def original(mode: str) -> str:
    """Return the root collection's mode that a mode of any depth of extension stands for."""
    return mode.rpartition("/")[2]


def extended(collection: str, mode: str) -> str:
    """Return the id of a mode, given as the root's or any extension's, in an extended collection."""
    return f"{collection}/{original(mode)}"


def owner(mode: str) -> str | None:
    """Return the extended collection that an extended mode id names; None for an original mode."""
    return mode.rpartition("/")[0] or None
