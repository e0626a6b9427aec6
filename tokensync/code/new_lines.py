"""Answer the check of a commit at once if its tokens are those of the last one, and its new lines have no finding.

The manifest of ``check --staged`` has the names of the tokens, so that no token file is read. If a new line has a raw
value, an unknown name or a deprecated token, the ordinary check says what about it.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from tokensync.system import stat_manifest
from tokensync.system.errors import TokensyncError
from tokensync.system.git import Added, Repository
from tokensync.system.git_index import REGULAR
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.project.configuration import Project
    from tokensync.tokens import TokenGraph

_DIRECTIVE = "tokensync-disable-"


class _Remembered(Struct, frozen=True):
    """What a check said, with so many files of code, the paths of code from the top, and the names of tokens."""

    text: str
    files: int
    paths: tuple[str, ...]
    tables: msgspec.Raw


def remembered(project: Project, graph: TokenGraph, text: str, files: int, paths: Sequence[str]) -> bytes:
    """Return what ``unremarkable`` needs."""
    from tokensync.code.token_names import name_checker

    tables = msgspec.Raw(msgspec.json.encode(name_checker(project, graph).saved()))
    return msgspec.json.encode(_Remembered(text, files, tuple(paths), tables))


def unremarkable(config: str | None) -> str | None:
    """Return what ``check --staged`` says, or None if the ordinary check has to judge the commit."""
    if any(map(os.environ.get, stat_manifest.PUSHED)):
        return None
    manifest = stat_manifest.current("check --staged", config or "")
    if manifest is None or not manifest.result:
        return None
    saved = msgspec.json.decode(manifest.result, type=_Remembered)
    try:
        repository = Repository(os.getcwd(), "--staged")
        added = {
            path: own
            for path, own in repository.added_lines(cached=True).items()
            if any(each in (".", path) or path.startswith(f"{each}/") for each in saved.paths)
        }
        contents = repository.contents({path: own.blob for path, own in added.items()})
    except TokensyncError:  # the ordinary check says what is wrong
        return None
    if not _are_clean(added, contents, saved.tables):
        return None
    before = f"{counted(saved.files, 'file')} of code"
    return saved.text.replace(before, f"{counted(len(_read(contents)), 'file')} of code")


def _read(contents: dict[str, bytes]) -> list[str]:
    from tokensync.code.files import has_language

    return [path for path in contents if has_language(path)]


def _are_clean(added: dict[str, Added], contents: dict[str, bytes], tables: msgspec.Raw) -> bool:
    from tokensync.code.files import parts
    from tokensync.code.raw_values import raw_values
    from tokensync.code.token_names import NameChecker, NameTables

    checker = NameChecker(msgspec.json.decode(tables, type=NameTables))
    for path in _read(contents):
        text = contents[path].decode("utf-8", "surrogateescape")
        if added[path].mode not in REGULAR or _DIRECTIVE in text or len(text) > 1 << 20:
            return False
        starts = [raw.start for part in parts(path, text) for raw in raw_values(part, text)]
        starts += (finding.start for finding in checker.findings(path, text))
        breaks = [match.start() for match in re.finditer("\n", text)]
        if any(bisect_left(breaks, start) + 1 in added[path].lines for start in starts):
            return False
    return True
