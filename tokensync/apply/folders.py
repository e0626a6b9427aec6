"""The applies of a project: a folder each, named so that they sort by when they began."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from tokensync.apply.journal import Journal, new_journal, open_journal
from tokensync.apply.records import Started

if TYPE_CHECKING:
    from collections.abc import Iterator

APPLIES = "applies"


class Applies:
    """The folders below ``.tokensync/applies``; ``state_folder`` is ``.tokensync``."""

    def __init__(self, state_folder: str) -> None:
        self.root = os.path.join(state_folder, APPLIES)
        self._state_folder = state_folder

    def lock_path(self, file: str) -> str:
        """Return where the lock of a file is."""
        return os.path.join(self._state_folder, f"apply-{file}.lock")

    def of(self, file: str) -> tuple[Journal, ...]:
        """Return the journals of a file, the latest last; folders that nothing was begun in are none."""
        return tuple(each for each in self._all() if each.started.file == file)

    def new(self, file: str, plan: bytes, before: bytes, now: float) -> Journal:
        """Return an empty journal in a new folder. ``now`` is Unix seconds."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        number = 1
        while True:
            folder = os.path.join(self.root, f"{stamp}-{number:02d}-{file}")
            if not os.path.exists(folder):
                return new_journal(folder, plan, before)
            number += 1

    def _all(self) -> Iterator[Journal]:
        try:
            names = sorted(os.listdir(self.root))
        except FileNotFoundError:
            return
        found = [open_journal(os.path.join(self.root, name)) for name in names]
        begun = [each for each in found if each.records and isinstance(each.records[0], Started)]
        yield from sorted(begun, key=lambda each: os.path.basename(each.folder))
