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
    """Return the tokens that need a hint to come back in the wanted order, each with the token that it comes after.

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


def ordered(count: int, hinted: Mapping[int, int | None]) -> list[int]:
    """Return the tokens, numbered as in the files, in the order that the hints tell. In a circle, a hint counts as
    none.
    """
    if not hinted:
        return list(range(count))
    attached: dict[int | None, list[int]] = {}  # the tokens with a hint, by what they come after
    for number in sorted(hinted):
        attached.setdefault(hinted[number], []).append(number)
    done: dict[int, None] = {}
    starts = [*attached.get(None, ()), *([] if 0 in hinted else range(min(count, 1)))]
    for start in (starts, *([number] for number in sorted(hinted))):
        pending = [number for number in reversed(start) if number not in done]
        while pending:
            number = pending.pop()
            if number + 1 < count and number + 1 not in hinted:
                pending.append(number + 1)
            if number not in done:
                done[number] = None
                if number in attached:
                    pending += reversed(attached[number])
    return list(done)
