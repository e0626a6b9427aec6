"""Digests that tell whether inputs or outputs are what they were."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def digest_of(parts: Iterable[bytes]) -> str:
    """Return the SHA-256, in hexadecimal, of these parts one after the other, each with its length before it."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d\n" % len(part))
        digest.update(part)
    return digest.hexdigest()
