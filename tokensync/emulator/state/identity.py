"""Keys, ids and secrets of what the emulator makes: the same ones in every run of the same requests.

Nothing here draws on chance. A key is a digest of the emulator's seed and of what it names, so that it is the same
after a restart and never the same for two things.
"""

from __future__ import annotations

import hashlib


class Identities:
    """Makes keys and secrets from ``seed``, a text that tells one emulator from another."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def key(self, *what: str) -> str:
        """40 hexadecimal digits, as the platform's keys have."""
        return hashlib.sha1("\0".join((self._seed, *what)).encode(), usedforsecurity=False).hexdigest()

    def secret(self, *what: str) -> str:
        """Return an access token's text. It opens an emulator only, so it may be foreseeable."""
        return "figd_emulator_" + hashlib.sha256("\0".join((self._seed, *what)).encode()).hexdigest()[:32]
