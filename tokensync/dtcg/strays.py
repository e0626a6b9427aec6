"""Strays: token files in a tokens folder that no command reads, and where they belong.

A file is read at ``<file>/<handle>/<mode>.tokens.json``, below a folder such as ``.remote``, or where the resolver
document of another tool names it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

from tokensync.dtcg.document import location_of
from tokensync.dtcg.parse import parsed
from tokensync.dtcg.spelling import FOLDERS, RESOLVER_SUFFIX, TOKENS_SUFFIX
from tokensync.normalize.mapping import slug
from tokensync.system.disk import content_of, folded, is_same_file
from tokensync.system.problems import Problem, problem
from tokensync.system.token_files import named_files
from tokensync.system.wording import argument, counted, listed

_TOKENS_SUFFIXES = (TOKENS_SUFFIX, ".tokens.json5", ".tokens.jsonc", ".token.json", ".tokens")
SUFFIXES = (RESOLVER_SUFFIX, *_TOKENS_SUFFIXES, ".json", ".json5", ".jsonc")
"""The ends of the names of files that may hold tokens, in lower case; others before their own ends."""
_NAMES = (RESOLVER_SUFFIX, *_TOKENS_SUFFIXES)
"""Those of files that hold nothing else."""
_UNREAD = "tokensync reads no tokens from this file"
_ORIGIN_FOLDERS = {each.rstrip("/") for each in FOLDERS.values() if each}
_VALUE = re.compile(rb'"\$value"\s*:')
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
    strays = [path for path in paths if path not in read and path.lower().endswith(SUFFIXES) and not _is_hidden(path)]
    if not strays:
        return []
    if is_foreign:
        what = f"it does not name {counted(len(strays), 'file')} of its folder: {listed(strays)}"
        where = os.path.join(root, file + RESOLVER_SUFFIX)
        return [problem("resolver-unused", where, what, "add what you need as a source, or remove it")]
    return [_stray(root, stray, file, read) for stray in strays]


def strays_beside(root: str, files: Sequence[str], *, is_shared: bool = False) -> list[Problem]:
    """Return the problems of the entries of a tokens folder that belong to none of the configured ``files``.

    ``is_shared`` means that the folder also holds other files of the project; then only names of token files count.
    """
    try:
        with os.scandir(root) as scanned:
            entries = sorted(((entry.name, entry.is_dir(follow_symlinks=False)) for entry in scanned), key=_by_name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    own = {*files, *(f"{file}{RESOLVER_SUFFIX}" for file in files)}
    suffixes = _NAMES if is_shared else SUFFIXES
    others = [(name, is_folder) for name, is_folder in entries if name not in own and name[:1] != "."]
    spelled = {folded(each): each for each in own}  # for file systems that ignore case
    others = [other for other in others if not _is_one_of(root, other[0], spelled)]
    others = [(name, is_folder) for name, is_folder in others if name.lower().endswith(suffixes) or is_folder]
    if not others or not files:
        return []
    named = {
        path for file in files for path in named_files(content_of(os.path.join(root, file + RESOLVER_SUFFIX)) or b"")
    }
    in_use = {path.partition("/")[0] for path in named}
    problems: list[Problem] = []
    unknown: set[str] = set()
    for name, is_folder in others:
        if name in in_use:
            continue
        stem = _without(RESOLVER_SUFFIX, name)
        if is_folder and not is_shared and (misplaced := _collection_files(root, name, files)):
            for path, target_file, as_if in misplaced:
                read = [path for path in _paths_below(root, target_file) if location_of(path, target_file) is not None]
                problems.append(_stray(root, path, target_file, read, as_if=as_if))
        elif is_folder or stem != name:
            is_used = not is_folder or (not is_shared and _has_token_files(os.path.join(root, name), suffixes))
            if is_used and stem not in unknown:
                unknown.add(stem)
                problems.append(_unconfigured(root, name, stem, files))
        else:
            read = [path for path in _paths_below(root, files[0]) if location_of(path, files[0]) is not None]
            problems.append(_stray(root, name, files[0], {*read, *named}))
    return problems


def _is_one_of(root: str, name: str, spelled: Mapping[str, str]) -> bool:
    other = spelled.get(folded(name))
    return other is not None and is_same_file(os.path.join(root, name), os.path.join(root, other))


def _without(suffix: str, name: str) -> str:
    return name[: -len(suffix)] if name.lower().endswith(suffix) else name


def _paths_below(root: str, file: str) -> Iterator[str]:
    """Yield the paths of the files of a design file below the tokens folder."""
    for parent, _, names in os.walk(os.path.join(root, file)):
        below = os.path.relpath(parent, root).replace(os.sep, "/")
        yield from (f"{below}/{name}" for name in names)


def _collection_files(root: str, name: str, files: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the files of a folder that is probably a collection's, the design file and the paths they belong at.

    It is one if a design file has a collection of that name, or if it directly contains token files and there is only
    one design file.
    """
    inner = sorted(each for each in os.listdir(os.path.join(root, name)) if each.lower().endswith(SUFFIXES[1:]))
    inner = [each for each in inner if each[:1] != "." and os.path.isfile(os.path.join(root, name, each))]
    owners = [file for file in files if os.path.isdir(os.path.join(root, file, name))] or list(files)
    if len(owners) > 1:
        return []
    return [(f"{name}/{each}", owners[0], f"{owners[0]}/{name}/{each}") for each in inner]


def strays_elsewhere(folder: str, place: str, others: Collection[str], marks: Collection[str]) -> list[Problem]:
    """Return a problem for each folder of a project with files, except ``others``, that are named like token files.

    ``place`` is the folder that they belong into. Folders of installed packages are skipped, and those of other
    projects, which contain one of the ``marks``.
    """
    problems: list[Problem] = []
    for path, names in searched_folders(folder, others, marks):
        own = sorted(name for name in names if name[:1] != "." and name.lower().endswith(SUFFIXES[:2]))
        own = [name for name in own if os.path.join(path, name) not in others]
        if own:
            more = (
                f", nor from {counted(len(own) - 1, 'other file')} of this folder: {listed(own[1:])}" if own[1:] else ""
            )
            to_do = f"move {'them' if more else 'it'} to {place}/COLLECTION/MODE{TOKENS_SUFFIX}"
            below = os.path.relpath(path, folder).replace(os.sep, "/")
            glob = own[0] if below == "." else f"{below}/*"
            ignored = f'[problems.token-file-unread]\n"{glob}" = "ignore"'
            to_do = f"{to_do}, or ignore {'them' if more else 'it'} with this setting"
            found = problem("token-file-unread", os.path.join(path, own[0]), f"{_UNREAD}{more}", to_do)
            problems.append(found._replace(snippet=ignored))
    return problems


def searched_folders(folder: str, others: Collection[str], marks: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the folders that ``strays_elsewhere`` looks into, with the names of their files; none in other projects."""
    for number, (path, folders, names) in enumerate(os.walk(folder)):
        is_own = path == folder or not any(each in marks for each in (*folders, *names))
        is_deep = path.count(os.sep) - folder.count(os.sep) >= _DEEPEST_FOLDER
        is_searched = path not in others and is_own and number < _MOST_FOLDERS
        folders[:] = sorted(
            each for each in folders if is_searched and each[:1] != "." and each not in _PACKAGES and not is_deep
        )
        if path not in others:
            yield path, names if is_searched else []


def files_of_project(top: str) -> Iterator[str]:
    """Yield the files below a folder, without hidden folders, installed packages and other projects."""
    for folder, folders, names in os.walk(top):
        is_own = folder == top or not {"tokensync.toml", ".git"} & {*folders, *names}
        folders[:] = sorted(name for name in folders if is_own and name[:1] != "." and name not in _PACKAGES)
        yield from (os.path.join(folder, name) for name in sorted(names) if is_own)


def _by_name(entry: tuple[str, bool]) -> tuple[str, bool]:
    return entry[0].removesuffix(RESOLVER_SUFFIX), entry[1]


def _is_hidden(path: str) -> bool:
    steps = path.split("/")
    return any(step[:1] == "." and step not in _ORIGIN_FOLDERS for step in steps)


def _has_token_files(folder: str, suffixes: tuple[str, ...]) -> bool:
    for _, folders, names in os.walk(folder):
        folders[:] = [folder for folder in folders if folder[:1] != "."]
        if any(name.lower().endswith(suffixes) for name in names):
            return True
    return False


def _unconfigured(root: str, name: str, stem: str, files: Sequence[str]) -> Problem:
    what = f"no file is called {stem} in the configuration, so its token files are not read"
    to_do = f'add a [[files]] table with name = "{slug(stem, "file")}" and the key of its design file, or remove it'
    suffix = name[len(stem) :]
    free = [file for file in files if not os.path.lexists(os.path.join(root, f"{file}{suffix}"))]
    if near := get_close_matches(slug(stem, "file"), free, 1):
        to_do = f"rename it to {os.path.join(root, near[0])}{suffix}, or {to_do}"
    return problem("token-files-forgotten", os.path.join(root, name), what, to_do)


def _stray(root: str, path: str, file: str, read: Collection[str], *, as_if: str = "") -> Problem:
    """Return the problem of a file that is not read; ``as_if`` is the path from which its place is found."""
    where = os.path.join(root, *path.split("/"))
    groups, kind = _content_of(where)
    target = f"{file}{RESOLVER_SUFFIX}" if kind == "resolver" else _place(as_if or path, file, groups)
    folder, _, name = target.rpartition("/")
    place = os.path.join(root, *target.split("/"))
    exists = target in read or (os.path.lexists(place) and not os.path.samefile(place, where))
    modes = sorted(os.path.join(root, *each.split("/")) for each in read if each.rpartition("/")[0] == folder)
    if kind == "response":
        to_do = f"build from it with --snapshot {where}, and move it out of the tokens folder"
    elif target == f"{file}{RESOLVER_SUFFIX}":
        to_do = f"remove it, because {place} exists" if exists else f"move it to {place}, or remove it"
    elif kind == "other":
        to_do = f"import it with tokensync migrate {argument(where)} --to {file}, or move it out of the tokens folder"
    elif exists:
        to_do = f"move its tokens to {place}, or remove it"
    elif modes and name == f"value{TOKENS_SUFFIX}":
        to_do = f"move its tokens to the {'file' if len(modes) == 1 else 'files'} of the collection, {listed(modes)}"
        to_do += ", or remove it"
    else:
        to_do = f"move it to {place}, or remove it"
    return problem("token-file-unread", where, _UNREAD, to_do)


def _place(path: str, file: str, groups: Sequence[str]) -> str:
    """Return the path at which a file with these outermost groups would be read."""
    steps = path.split("/")
    suffix = next(each for each in SUFFIXES if path.lower().endswith(each))
    if suffix == RESOLVER_SUFFIX:
        return f"{file}{RESOLVER_SUFFIX}"
    stem, folders = _without(TOKENS_SUFFIX, _without(suffix, steps[-1])), steps[1:-1]
    origin = f"{folders.pop(0)}/" if folders and folders[0] in _ORIGIN_FOLDERS else ""
    (handle, *_) = (*folders, *groups, slug(stem, "tokens"))
    mode = "value" if stem in ("tokens", "index", handle, file) else stem
    return f"{file}/{origin}{handle}/{mode}{TOKENS_SUFFIX}"


def _content_of(path: str) -> tuple[list[str], Literal["tokens", "resolver", "response", "other"]]:
    """Return the names of a file's outermost groups, and what it contains."""
    content = _small_content(path)
    if content is None:
        return ["?"], "tokens"
    tree, _ = parsed(content)
    if isinstance(tree, dict) and ("resolutionOrder" in tree or ("sets" in tree and "modifiers" in tree)):
        return [], "resolver"
    if not isinstance(tree, dict) or b'"$' not in content:
        meta = tree.get("meta") if isinstance(tree, dict) else None
        return [], "response" if isinstance(meta, dict) and "variables" in meta else "other"
    groups = [name for name, each in tree.items() if isinstance(each, dict) and name[:1] != "$"]
    return [group for group in groups if "$value" not in tree[group]], "tokens"


def near_files(folder: str) -> Iterator[str]:
    """Yield the names of the files in a folder that look like token files, sorted."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        folded = name.lower()
        path = os.path.join(folder, name)
        if name.startswith(("tokensync.", ".")) or not os.path.isfile(path):
            continue
        is_json = folded.endswith(".json")
        if folded.endswith(_NAMES) or (
            is_json and ("token" in folded or _VALUE.search(_small_content(path) or b"") is not None)
        ):
            yield name


def _small_content(path: str) -> bytes | None:
    try:
        return content_of(path) if os.path.getsize(path) <= _LARGEST else None
    except OSError:
        return None
