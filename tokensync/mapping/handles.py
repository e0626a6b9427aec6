"""Handles and slugs: file-system-safe, case-folded names for collections and modes."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_SEPARATORS = re.compile(r"[\W_]+")
_LONGEST = 64
_WINDOWS_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)


def slug(name: str, otherwise: str) -> str:
    """A name of letters, digits and single hyphens, safe as a file name everywhere; ``otherwise`` when none is left.

    Over-long names are cut and told apart by a digest; names that Windows keeps for devices get ``otherwise`` appended.
    """
    plain = name.encode("utf-8", "replace").decode("utf-8")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    text = _SEPARATORS.sub("-", folded).strip("-") or otherwise
    if len(text.encode()) > _LONGEST:
        digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
        text = f"{text.encode()[: _LONGEST - 9].decode('utf-8', 'ignore').strip('-')}-{digest}"
    if text in _WINDOWS_DEVICES:
        text = f"{text}-{otherwise}"
    return text


def unique(wanted: str, taken: set[str]) -> str:
    """``wanted``, or the first of ``wanted-2``, ``wanted-3`` ... after one that is taken; it is taken afterwards.

    The number is found by doubling and halving, so that a thousand equal names cost no more than a few each.
    """
    name = wanted
    if name in taken:
        last, free = 1, 2
        while f"{wanted}-{free}" in taken:
            last, free = free, free * 2
        while free - last > 1:
            middle = (last + free) // 2
            if f"{wanted}-{middle}" in taken:
                last = middle
            else:
                free = middle
        name = f"{wanted}-{free}"
    taken.add(name)
    return name
