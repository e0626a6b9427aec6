"""Where colours stand in the asset catalog, and what code calls them there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.naming.words import pascal, words
from tokensync.targets.ios.naming import identifier as ios_identifier
from tokensync.targets.ios.naming import on_disk
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.ios.options import IosOptions

_DEEPEST = 4
_LONGEST = 60
"""Folders around a colour, and characters of a folder's name: the path of a file has its limits too."""


class Folders(NamedTuple):
    """``paths`` are those of the colours from the output's own folder on, ``assets`` what Swift loads them by."""

    paths: dict[int, str]
    assets: dict[int, str]
    folders: tuple[str, ...]
    """The catalog, then the folders in it, each after the one that it is in."""


def folders_of(sheet: Sheet, options: IosOptions, colors: Iterable[int]) -> Folders:
    """The place of each colour in the catalog."""
    catalog = f"{options.catalog}.xcassets"
    paths: dict[int, str] = {}
    assets: dict[int, str] = {}
    found = {catalog: None}
    spelled: dict[str, str] = {}
    for place in colors:
        group = ""
        for each in _groups(sheet, options.groups, place):
            inner = f"{group}/{each}" if group else each
            group = spelled.setdefault(on_disk(inner), inner)  # one that differs by case alone is the same folder
            found[f"{catalog}/{group}"] = None
        name = sheet.names[place]
        assets[place] = f"{group}/{name}" if group and options.namespace else name
        paths[place] = f"{catalog}/{group}/{name}" if group else f"{catalog}/{name}"
    return Folders(paths, assets, tuple(found))


def _groups(sheet: Sheet, by: str, place: int) -> list[str]:
    key = sheet.tokens[place].key
    if by == "none":
        return []
    if by == "collection":
        return [_folder(key.collection)]
    return [_folder(each) for each in names(key.path.rpartition(".")[0])[:_DEEPEST] if key.path.count(".")]


def _folder(name: str) -> str:
    return ios_identifier(pascal(words(name))[:_LONGEST])
