"""Fills the emulator from saved responses."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.sources import read_file
from tokensync.errors import ProblemsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.emulator import Emulator


class Seed(NamedTuple):
    """A design file for the emulator: its key, its name, the saved responses, and where the first of them was."""

    key: str
    name: str
    local: bytes
    published: bytes | None
    source: str = ""


def read_seeds(paths: Sequence[str], keys: Sequence[str] = (), *, spare_keys: bool = False) -> tuple[Seed, ...]:
    """Return the design files in these saved responses.

    A response of published variables belongs to the local one before it. ``keys`` are the files' keys, in order, all
    of them used unless some may be spare; else a file is called after its response: ``harbor.local.json`` is
    ``harbor``. Raises UsageError for two files of one key.
    """
    seeds: list[Seed] = []
    for path in paths:
        content = read_file(path)
        if _is_published(content):
            if not seeds or seeds[-1].published is not None:
                raise UsageError(f"{path}: it holds published variables; name the local response of its file before it")
            seeds[-1] = seeds[-1]._replace(published=content)
        else:
            name = os.path.basename(path).partition(".")[0]
            key = keys[len(seeds)] if len(seeds) < len(keys) else re.sub(r"[^A-Za-z0-9_-]+", "-", name) or "file"
            if any(each.key == key for each in seeds):
                raise UsageError(f"{path}: another response has the file key {key} already; give each one with --key")
            seeds.append(Seed(key, name, content, None, path))
    if len(keys) > len(seeds) and not spare_keys:
        raise UsageError(f"--key {keys[len(seeds)]}: there is no response for it; give as many keys as local responses")
    return tuple(seeds)


def seed(emulator: Emulator, seeds: Sequence[Seed]) -> None:
    """Put design files into the emulator; one that it has under the same key is replaced.

    Raises ProblemsError for the first that is no response; those before it are in.
    """
    for each in seeds:
        try:
            emulator.seed(each.key, each.local, each.published, name=each.name)
        except ProblemsError as stop:
            places = (f"{each.source}, {found.where}" if each.source else found.where for found in stop.problems)
            raise ProblemsError(
                [found._replace(where=place) for found, place in zip(stop.problems, places, strict=True)]
            ) from None


def furnish(emulator: Emulator, seeds: Sequence[Seed]) -> None:
    """Give seeded files a published sample library, where they have no components or styles.

    A saved response holds variables alone, and clients that read the styles of a file first expect some.
    """
    for each in seeds:
        if not emulator.libraries.keys(each.key):
            emulator.libraries.sample(each.key, published=True)


def _is_published(content: bytes) -> bool:
    """Return whether a response is of published variables: they have a subscribed_id and no values."""
    import msgspec

    try:
        document = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError):
        return False
    meta = document.get("meta", document) if isinstance(document, dict) else None
    if not isinstance(meta, dict):
        return False
    members = [each for kind in ("variables", "variableCollections") for each in _entries(meta.get(kind))]
    return bool(members) and all(
        isinstance(each, dict) and "subscribed_id" in each and "valuesByMode" not in each for each in members
    )


def _entries(mapping: object) -> list[object]:
    return list(mapping.values()) if isinstance(mapping, dict) else []
