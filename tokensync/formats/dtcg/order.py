"""The order of tokens, which nesting cannot always show: a group's tokens stand together in a file, and need not in the
collection.

A token without a hint comes after the one before it in the files. A hint, ``"after"`` in our extension, puts a token
elsewhere, and takes along those that follow it without a hint. So one token more is one hint at most beside its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

Key = TypeVar("Key", bound="Hashable")


def hints(in_files: Sequence[Key], wanted: Iterable[Key]) -> dict[Key, Key | None]:
    """The tokens that need a hint to come back in the wanted order, each with the token that it comes after.

    None is the place before all others. Both arguments hold the same keys.
    """
    next_in_files: dict[Key | None, Key] = dict(zip((None, *in_files), in_files, strict=False))
    suspended: list[Key | None] = [None]
    found: dict[Key, Key | None] = {}
    waiting: dict[Key, int] = {next_in_files[None]: 0} if in_files else {}  # what would continue which run
    for key in wanted:
        level = waiting.pop(key, None)
        if level is None or level >= len(suspended) or next_in_files.get(suspended[level]) != key:
            found[key] = suspended[-1]
            suspended.append(key)
        else:
            del suspended[level + 1 :]
            suspended[level] = key
        follower = next_in_files.get(key)
        if follower is not None:
            waiting[follower] = len(suspended) - 1
    return found


def ordered(in_files: Sequence[Key], hinted: Mapping[Key, Key | None]) -> list[Key]:
    """The keys in the order that the hints tell. A hint that leads nowhere, or in a circle, counts as none."""
    runs: list[list[Key]] = []
    first: list[int] = []
    attached: dict[Key | None, list[int]] = {}
    known = {None, *in_files}
    for key in in_files:
        if key in hinted and hinted[key] in known:
            attached.setdefault(hinted[key], []).append(len(runs))
            runs.append([key])
        elif runs:
            runs[-1].append(key)
        else:
            first.append(0)
            runs.append([key])
    done: dict[Key, None] = {}
    _emit([*attached.get(None, ()), *first], runs, attached, done)
    for number, run in enumerate(runs):
        if run[0] not in done:
            _emit([number], runs, attached, done)
    return list(done)


def _emit(
    numbers: list[int], runs: list[list[Key]], attached: Mapping[Key | None, list[int]], done: dict[Key, None]
) -> None:
    """Put runs out, each token followed by the runs that are attached to it."""
    pending = [iter(runs[number]) for number in reversed(numbers)]
    while pending:
        key = next(pending[-1], None)
        if key is None:
            pending.pop()
        elif key not in done:
            done[key] = None
            pending.extend(iter(runs[number]) for number in reversed(attached.get(key, ())))
