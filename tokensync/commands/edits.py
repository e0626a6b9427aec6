"""Edits of token files in words: which tokens are new, gone or changed, and how what they say differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_Said = dict[str, Any]

_ALWAYS = "type"  # what is said of every token
_NOTHING = object()


def worded(removed: Iterable[str], written: Iterable[str]) -> list[str]:
    """A line a token or collection, from the lock's lines that one side lacks: ``theme / text.muted: in dark: ...``."""
    before, after = _by_subject(removed), _by_subject(written)
    return [
        f"{' / '.join(part for part in subject if part)}: {_change(before.get(subject, {}), after.get(subject, {}))}"
        for subject in sorted({*before, *after})
    ]


def _by_subject(lines: Iterable[str]) -> dict[tuple[str, str, str], _Said]:
    said_of: dict[tuple[str, str, str], _Said] = {}
    for line in lines:
        file, collection, path, said, value = msgspec.json.decode(line)
        said_of.setdefault((file, collection, path), {})[said] = value
    return said_of


def _change(before: _Said, after: _Said) -> str:
    if _ALWAYS in after and not before:
        return "new"
    if _ALWAYS in before and not after:
        return "gone"
    return ", ".join(_differences(before, after))


def _differences(before: _Said, after: _Said) -> Iterator[str]:
    """What differs in words, by deepdiff, which costs time: here it sees the few values that changed."""
    from deepdiff import DeepDiff

    for said in sorted({*before, *after}):
        old, new = before.get(said, _NOTHING), after.get(said, _NOTHING)
        if old is _NOTHING or new is _NOTHING:
            yield f"{said} {'added' if old is _NOTHING else 'taken away'}"
        else:
            text = DeepDiff(old, new, ignore_order=said == "scopes", ignore_numeric_type_changes=True).pretty()
            yield f"{said}: {text.replace(chr(10), ' ').replace('Value of root', 'value').rstrip('.')}"
