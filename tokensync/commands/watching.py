"""Runs something again whenever files change: a look at names, sizes and times every moment, which works everywhere."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

INTERVAL = 0.3
"""Seconds between two looks."""


def watch(
    paths: Sequence[str],
    run: Callable[[], None],
    *,
    again: Callable[[], bool] = lambda: True,
    interval: float = INTERVAL,
) -> None:
    """Call ``run`` now and after each change of the files, or of files in the folders; until ``again`` says no."""
    seen: tuple[tuple[str, int, int], ...] | None = None
    while True:
        now = tuple(_states(paths))
        if now != seen:
            seen = now
            run()
        if not again():
            return
        time.sleep(interval)


def _states(paths: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    for path in paths:
        if os.path.isdir(path):
            for parent, folders, names in os.walk(path):
                folders.sort()
                for name in sorted(names):
                    yield from _state(os.path.join(parent, name))
        else:
            yield from _state(path)


def _state(path: str) -> Iterator[tuple[str, int, int]]:
    try:
        found = os.stat(path)
    except FileNotFoundError:  # gone between listing and looking, or not there yet
        return
    yield path, found.st_size, found.st_mtime_ns
