"""Strays: token files in a tokens folder that no command reads, and where they belong.

A file is read at ``<file>/<handle>/<mode>.tokens.json``, below a folder such as ``.remote``, or where the resolver
document of another tool names it.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from tokensync.disk import content_of
from tokensync.dtcg.document import location_of
from tokensync.dtcg.parse import parsed
from tokensync.dtcg.spelling import FOLDERS, RESOLVER_SUFFIX, TOKENS_SUFFIX
from tokensync.mapping import slug
from tokensync.problems import problem
from tokensync.token_files import named_files
from tokensync.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tokensync.problems import Problem

SUFFIXES = (RESOLVER_SUFFIX, TOKENS_SUFFIX, ".tokens", ".json")
"""The names of files that may hold tokens, longest first."""
_UNREAD = "tokensync does not read this file"
_ORIGIN_FOLDERS = {each.rstrip("/") for each in FOLDERS.values() if each}
_PACKAGES = ("node_modules", "bower_components", "site-packages", "Pods")
_MOST_FOLDERS = 500
_DEEPEST_FOLDER = 4
"""The limits of the search in folders that have nothing to do with tokens."""
_LARGEST = 1 << 20
"""The size in bytes of the largest file that is read for advice."""


def strays_of(root: str, file: str, paths: Iterable[str], read: Collection[str], *, is_foreign: bool) -> list[Problem]:
    """Return the problems of the files in the folder of ``file`` that are not among those that were ``read``.

    ``paths`` are all files of the design file, below the tokens folder ``root``. ``is_foreign`` means that they belong
    to the resolver document of another tool.
    """
    strays = [each for each in paths if each not in read and each.endswith(SUFFIXES) and not _is_hidden(each)]
    if not strays:
        return []
    if is_foreign:
        what = f"it does not name {counted(len(strays), 'file')} of its folder: {listed(strays)}"
        where = os.path.join(root, file + RESOLVER_SUFFIX)
        return [problem("resolver-unused", where, what, "add what you need as a source, or remove it")]
    handles = {location.handle for each in read if (location := location_of(each, file)) is not None}
    return [_stray(root, each, file, handles, read) for each in strays]


def strays_beside(root: str, files: Sequence[str], *, is_shared: bool = False) -> list[Problem]:
    """Return the problems of the entries of a tokens folder that belong to none of the configured ``files``.

    ``is_shared`` means that the folder also holds other files of the project; then only names of token files count.
    """
    try:
        with os.scandir(root) as scanned:
            entries = sorted(((each.name, each.is_dir(follow_symlinks=False)) for each in scanned), key=_by_name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    own = {*files, *(f"{each}{RESOLVER_SUFFIX}" for each in files)}
    suffixes = SUFFIXES[:-1] if is_shared else SUFFIXES
    others = [(name, is_folder) for name, is_folder in entries if name not in own and name[:1] != "."]
    others = [(name, is_folder) for name, is_folder in others if name.endswith(suffixes) or is_folder]
    if not others or not files:
        return []
    named = {
        path for each in files for path in named_files(content_of(os.path.join(root, each + RESOLVER_SUFFIX)) or b"")
    }
    in_use = {path.partition("/")[0] for path in named}
    problems: list[Problem] = []
    unknown: set[str] = set()
    for name, is_folder in others:
        if name in in_use:
            continue
        stem = name.removesuffix(RESOLVER_SUFFIX)
        if is_folder or stem != name:
            is_used = not is_folder or (not is_shared and _has_token_files(os.path.join(root, name), suffixes))
            if is_used and stem not in unknown:
                unknown.add(stem)
                problems.append(_unconfigured(root, name, stem, files))
        else:
            problems.append(_stray(root, name, files[0], (), named))
    return problems


def strays_elsewhere(folder: str, place: str, others: Collection[str], marks: Collection[str]) -> list[Problem]:
    """Return a problem for each folder of a project, except ``others``, with files that are named like token files.

    ``place`` is the folder that they belong into. Folders of installed packages are skipped, and those of other
    projects, which contain one of the ``marks``.
    """
    problems: list[Problem] = []
    for number, (path, folders, names) in enumerate(os.walk(folder)):
        is_own = path not in others and (path == folder or not any(each in marks for each in (*folders, *names)))
        is_deep = path.count(os.sep) - folder.count(os.sep) >= _DEEPEST_FOLDER
        folders[:] = sorted(each for each in folders if each[:1] != "." and each not in _PACKAGES and not is_deep)
        if number >= _MOST_FOLDERS or not is_own:
            folders.clear()
            continue
        own = sorted(each for each in names if each[:1] != "." and each.endswith(SUFFIXES[:2]))
        if own:
            more = f", nor {counted(len(own) - 1, 'other file')} of this folder: {listed(own[1:])}" if own[1:] else ""
            to_do = f"move {'them' if more else 'it'} to {place}/COLLECTION/MODE{TOKENS_SUFFIX}"
            below = os.path.relpath(path, folder).replace(os.sep, "/")
            glob = own[0] if below == "." else f"{below}/*"
            ignored = f'[problems.token-file-unread]\n"{glob}" = "ignore"'
            to_do = f"{to_do}, or ignore {'them' if more else 'it'} with this setting"
            found = problem("token-file-unread", os.path.join(path, own[0]), f"{_UNREAD}{more}", to_do)
            problems.append(found._replace(snippet=ignored))
    return problems


def _by_name(entry: tuple[str, bool]) -> tuple[str, bool]:
    return entry[0].removesuffix(RESOLVER_SUFFIX), entry[1]


def _is_hidden(path: str) -> bool:
    steps = path.split("/")
    return any(each[:1] == "." and each not in _ORIGIN_FOLDERS for each in steps)


def _has_token_files(folder: str, suffixes: tuple[str, ...]) -> bool:
    for _, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each[:1] != "."]
        if any(each.endswith(suffixes) for each in names):
            return True
    return False


def _unconfigured(root: str, name: str, stem: str, files: Sequence[str]) -> Problem:
    what = f"no file is called {stem} in the configuration, so its token files are not read"
    to_do = f'add a [[files]] table with name = "{stem}", or remove it'
    free = [each for each in files if not os.path.lexists(os.path.join(root, f"{each}{name[len(stem) :]}"))]
    if near := get_close_matches(stem, free, 1):
        to_do = f"rename it to {os.path.join(root, near[0])}{name[len(stem) :]}, or {to_do}"
    return problem("token-files-forgotten", os.path.join(root, name), what, to_do)


def _stray(root: str, path: str, file: str, handles: Collection[str], read: Collection[str]) -> Problem:
    where = os.path.join(root, *path.split("/"))
    groups, kind = _content_of(where)
    target = _place(path, file, handles, groups)
    place = os.path.join(root, *target.split("/"))
    if kind == "response":
        to_do = f"build from it with --snapshot {where}, and move it out of the tokens folder"
    elif kind == "other":
        to_do = f"write its tokens as DTCG 2025.10 in {place}, or move it out of the tokens folder"
    elif target in read or os.path.lexists(place):
        to_do = f"move its tokens to {place}, or remove it"
    elif len(groups) > 1 and "/" not in path.removeprefix(f"{file}/"):
        to_do = f"move each of its {len(groups)} groups to a file of its own, such as {place}, or remove it"
    else:
        is_renamed = target.rpartition("/")[0] == path.rpartition("/")[0]
        to_do = f"{'rename' if is_renamed else 'move'} it to {place}, or remove it"
    return problem("token-file-unread", where, _UNREAD, to_do)


def _place(path: str, file: str, handles: Collection[str], groups: Sequence[str]) -> str:
    """Return the path at which a file with these outermost groups would be read."""
    steps = path.split("/")
    suffix = next(each for each in SUFFIXES if path.endswith(each))
    if suffix == RESOLVER_SUFFIX:
        return f"{file}{RESOLVER_SUFFIX}"
    stem = steps[-1].removesuffix(suffix)
    folders = steps[1:-1]
    origin = f"{folders.pop(0)}/" if folders and folders[0] in _ORIGIN_FOLDERS else ""
    near = get_close_matches(stem, handles, 1)
    fitting = [*folders, *(each for each in groups if each in handles), *groups, *near, slug(stem, "tokens")]
    mode = "value" if stem in ("tokens", "index", fitting[0], file) else stem
    return f"{file}/{origin}{fitting[0]}/{mode}{TOKENS_SUFFIX}"


def _content_of(path: str) -> tuple[list[str], Literal["tokens", "response", "other"]]:
    """Return the names of a file's outermost groups, and what it contains."""
    try:
        content = content_of(path) if os.path.getsize(path) <= _LARGEST else None
    except OSError:
        content = None
    if content is None:
        return [], "tokens"
    tree, _ = parsed(content)
    if not isinstance(tree, dict) or b'"$' not in content:
        meta = tree.get("meta") if isinstance(tree, dict) else None
        return [], "response" if isinstance(meta, dict) and "variables" in meta else "other"
    groups = [name for name, each in tree.items() if isinstance(each, dict) and name[:1] != "$"]
    return [each for each in groups if "$value" not in tree[each]], "tokens"


def near_files(folder: str) -> Iterator[str]:
    """Yield the names of the files in a folder that look like token files, sorted."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        likely = name.endswith(SUFFIXES[:-1]) or (name.endswith(".json") and "token" in name.lower())
        if likely and not name.startswith(("tokensync.", ".")) and os.path.isfile(os.path.join(folder, name)):
            yield name
