"""The groups of names that a format writes in one piece, such as ``color-red-50`` or ``spacing_small``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEAST_SHARED = 3


def grouped(names: Iterable[str], separator: str) -> dict[str, tuple[str, ...]]:
    """Return each name divided into groups at single separators.

    A beginning becomes a group if three or more names share it and none of them is this beginning as a whole:
    ``card`` and ``card-title`` stay as they are.
    """
    border = re.compile(rf"(?<=[^{separator}]){separator}(?=[^{separator}])")
    paths: dict[str, tuple[str, ...]] = {}
    unique = dict.fromkeys(names)
    pending: list[tuple[tuple[str, ...], list[tuple[str, str]]]] = [((), [(each, each) for each in unique])]
    while pending:
        groups, members = pending.pop()
        buckets: dict[str, list[tuple[str, str]]] = {}
        for whole, rest in members:
            found = border.search(rest)
            buckets.setdefault(rest[: found.start()] if found else rest, []).append((whole, rest))
        for word, bucket in buckets.items():
            if len(bucket) >= _LEAST_SHARED and all(rest != word for _, rest in bucket):
                pending.append(((*groups, word), [(whole, rest[len(word) + 1 :]) for whole, rest in bucket]))
            else:
                paths.update((whole, (*groups, rest)) for whole, rest in bucket)
    return paths
