"""Find the files of a tokens folder without following links.

Anyone who opens a pull request can add links below a tokens folder. The tokens folder itself may be a link;
``tokensync.system.boundary`` checks its target.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Set as AbstractSet
from posixpath import normpath
from typing import NoReturn
from urllib.parse import unquote

from tokensync.system.disk import Folders, content_of, folded, is_same_file
from tokensync.system.errors import ProblemsError
from tokensync.system.problems import Problem, problem


def files_of(root: str, file: str) -> list[str]:
    """Return the regular files of a design file as sorted paths below the tokens folder ``root``.

    These are its resolver document, the files that the document names, and all files in its folder, which may include
    other files than token files. Raises ProblemsError for links, as ``files_below``.
    """
    folder = os.path.join(root, file)
    resolver = f"{folder}.resolver.json"
    if os.path.lexists(resolver) and not _is_regular(resolver):
        raise ProblemsError([_unfit(resolver)])
    paths = {os.path.relpath(path, root).replace(os.sep, "/") for path in files_below(folder)}
    if _is_regular(resolver):
        paths.add(f"{file}.resolver.json")
        named = _existing(root, named_files(content_of(resolver) or b"") - paths)
        # On a file system that ignores case, the document may spell a file in another way.
        spelled = {folded(path): os.path.join(root, path) for path in named}
        others = {
            path
            for path in paths
            if (other := spelled.get(folded(path))) and is_same_file(os.path.join(root, path), other)
        }
        paths = (paths - others) | named
    return sorted(paths)


_REFERENCE = re.compile(rb'"\$ref"\s*:\s*("(?!#)(?:[^"\\\x00-\x1f]++|\\.)++")')


def named_files(resolver: bytes) -> set[str]:
    """Return the paths below the tokens folder that the references of a resolver document name."""
    return {path for each in set(_REFERENCE.findall(resolver)) if (path := path_of_reference(each)) is not None}


def _existing(root: str, paths: AbstractSet[str]) -> set[str]:
    """Return the regular files among paths below ``root``. Missing ones are reported when the document is read."""
    named: set[str] = set()
    unfit: list[str] = []
    for path in paths:
        full = os.path.join(root, *path.split("/"))
        if link := link_on_the_way(root, path):
            unfit.append(link)
        elif _is_regular(full):
            named.add(path)
        elif os.path.lexists(full):
            unfit.append(full)
    if unfit:
        raise ProblemsError([_unfit(path) for path in sorted(set(unfit))])
    return named


def path_of_reference(reference: bytes | str) -> str | None:
    """Return the path that a reference in a resolver document names, relative to the folder of the document.

    ``reference`` is a JSON string, or its value. Return None if it names no file below that folder.
    """
    try:
        url = json.loads(reference) if isinstance(reference, bytes) else reference
        url.encode("utf-8")
    except ValueError:
        return None
    path = normpath(unquote(url.partition("#")[0])) if url[:1] != "#" else "."
    is_url = url.startswith("//") or _SCHEME.match(url) is not None
    outside = path.startswith(("/", "../")) or path in (".", "..")
    return None if is_url or outside or "\\" in path or "\0" in path else path


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def json_files_of(root: str, file: str) -> list[str]:
    """Return the paths of ``files_of`` that end with ``.json``, ``.tokens`` or a variant of JSON, in any case."""
    return [path for path in files_of(root, file) if path.lower().endswith(_ENDS)]


def texts_of(root: str, file: str) -> dict[str, bytes]:
    """Return the contents of a design file's JSON files by path below the tokens folder ``root``, sorted.

    These are the files of ``json_files_of``. Line ends become LF, which is safe since JSON strings contain none. Raises
    as ``files_of``.
    """
    with Folders() as folders:
        contents = ((path, content_of(os.path.join(root, path), folders)) for path in json_files_of(root, file))
        return {path: content for path, content in contents if content is not None}


def files_below(folder: str) -> list[str]:
    """Return the regular files below a folder, in order.

    Raises ProblemsError if the folder or a folder in it is a link, or if a token file is no regular file, since its
    content would be missing.
    """
    if os.path.islink(folder):
        raise ProblemsError([_unfit(folder)])
    files: list[str] = []
    unfit: list[str] = []
    if os.path.isdir(folder):
        for parent, folders, names in os.walk(folder, onerror=_stop):
            folders.sort()
            paths = [os.path.join(parent, name) for name in sorted(names)]
            files += filter(_is_regular, paths)
            unfit += (path for path in paths if path.endswith(_SUFFIX) and not _is_regular(path))
            below = [os.path.join(parent, name) for name in folders]
            unfit += (each for each in below if each.endswith(_SUFFIX) or os.path.islink(each))
    if unfit:
        raise ProblemsError([_unfit(path) for path in unfit])
    return files


_SUFFIX = ".tokens.json"
_ENDS = (".json", ".tokens", ".json5", ".jsonc")


def _unfit(path: str) -> Problem:
    if os.path.islink(path):
        what = "this is a link, and token files are neither read nor written through links"
        return problem("path-refused", path, what, "put what it refers to in its place")
    what = f"this is {'a folder' if os.path.isdir(path) else 'a pipe or device'}, not a token file"
    return problem("path-refused", path, what, "restore the file from git, or remove this")


def link_on_the_way(root: str, path: str) -> str | None:
    """Return the first link along a path below the tokens folder ``root``, or None."""
    current = root
    for step in path.split("/"):
        current = os.path.join(current, step)
        if os.path.islink(current):
            return current
    return None


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _stop(error: OSError) -> NoReturn:
    """Raise the error of an unreadable folder, which ``os.walk`` treats as empty by default."""
    raise error
