"""What was written, and what may therefore be there: the judge of a load."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import NamedTuple


class Thing(NamedTuple):
    """Something that one thread alone writes: ``kind`` of it, the file it is in, and its name there."""

    kind: str
    file: str
    name: str


class Ledger:
    """The states that each thing may be in: one once its last write was answered, more while that is not known.

    A state is a text, or None for what is not there.
    """

    def __init__(self) -> None:
        self._possible: dict[Thing, set[str | None]] = defaultdict(lambda: {None})
        self._lock = threading.Lock()

    def begin(self, thing: Thing, state: str | None) -> None:
        """A write is about to be sent; from now on it may have been carried out."""
        with self._lock:
            self._possible[thing].add(state)

    def answered(self, thing: Thing, state: str | None) -> None:
        """It was carried out, and said so."""
        with self._lock:
            self._possible[thing] = {state}

    def refused(self, thing: Thing, state: str | None) -> None:
        """It was not, and said so."""
        with self._lock:
            self._possible[thing].discard(state)

    def faults(self, found: dict[Thing, str]) -> list[str]:
        """What is lost, changed or there without having been asked for."""
        faults = []
        with self._lock:
            for thing in self._possible.keys() | found.keys():
                state, possible = found.get(thing), self._possible.get(thing, {None})
                if state not in possible:
                    faults.append(f"{thing}: is {state!r}, and may be {sorted(possible, key=str)}")
        return faults

    def __len__(self) -> int:
        return len(self._possible)
