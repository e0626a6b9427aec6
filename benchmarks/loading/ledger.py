"""The record of a load: all writes, and the states that they allow."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import NamedTuple


class Item(NamedTuple):
    """Something that one thread alone writes: ``kind`` of it, the file it is in, and its name there."""

    kind: str
    file: str
    name: str


class Ledger:
    """The states that each thing may be in: one once its last write was answered, more while that is not known.

    A state is a text, or None for what is not there.
    """

    def __init__(self) -> None:
        self._possible: dict[Item, set[str | None]] = defaultdict(lambda: {None})
        self._lock = threading.Lock()

    def begin(self, item: Item, state: str | None) -> None:
        """Record a write before it is sent; from now on it may have been carried out."""
        with self._lock:
            self._possible[item].add(state)

    def answered(self, item: Item, state: str | None) -> None:
        """Record that the write succeeded."""
        with self._lock:
            self._possible[item] = {state}

    def refused(self, item: Item, state: str | None) -> None:
        """Record that the write was refused."""
        with self._lock:
            self._possible[item].discard(state)

    def faults(self, actual_states: dict[Item, str]) -> list[str]:
        """Return a message for each object that is lost, changed or was never written."""
        faults = []
        with self._lock:
            for item in self._possible.keys() | actual_states.keys():
                state, possible = actual_states.get(item), self._possible.get(item, {None})
                if state not in possible:
                    faults.append(f"{item}: is {state!r}, and may be {sorted(possible, key=str)}")
        return faults

    def __len__(self) -> int:
        return len(self._possible)
