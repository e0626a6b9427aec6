"""Find the files of a tokens folder, and decide which links there are followed: none.

Links below a tokens folder come with a checkout, from whoever opens a pull request. The tokens folder itself may be a
link; ``tokensync.boundary`` judges where it leads.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NoReturn

from tokensync.disk import content_of
from tokensync.errors import ProblemsError
from tokensync.problems import problem

if TYPE_CHECKING:
    from tokensync.problems import Problem


def files_of(root: str, file: str) -> list[str]:
    """Return the regular files of a design file, as paths below the tokens folder ``root``, sorted.

    Whether they are token files is for their format to say. Raises ProblemsError for links, as ``files_below`` does.
    """
    folder = os.path.join(root, file)
    resolver = f"{folder}.resolver.json"
    if os.path.islink(resolver):
        raise ProblemsError([_linked(resolver)])
    found = [*([resolver] if _is_regular(resolver) else ()), *files_below(folder)]
    return sorted(os.path.relpath(path, root).replace(os.sep, "/") for path in found)


def texts_of(root: str, file: str) -> dict[str, bytes]:
    """Return the contents of a design file's JSON files, by their paths below the tokens folder ``root``, sorted.

    Line ends that git changed on checkout do not count (a JSON string holds none). Raises as ``files_of``.
    """
    paths = (path for path in files_of(root, file) if path.endswith(".json"))
    found = ((path, content_of(os.path.join(root, path))) for path in paths)
    return {path: content for path, content in found if content is not None}


def files_below(folder: str) -> list[str]:
    """Return the regular files below a folder, a folder's in order.

    Raises ProblemsError for links, which are not followed: of the folder, and in it of folders and token files. What is
    behind them would otherwise be missing without a word.
    """
    if os.path.islink(folder):
        raise ProblemsError([_linked(folder)])
    found: list[str] = []
    links: list[str] = []
    if os.path.isdir(folder):
        for parent, folders, names in os.walk(folder, onerror=_stop):
            folders.sort()
            paths = [os.path.join(parent, name) for name in sorted(names)]
            found += filter(_is_regular, paths)
            links += (each for each in paths if each.endswith(".tokens.json") and os.path.islink(each))
            links += filter(os.path.islink, (os.path.join(parent, name) for name in folders))
    if links:
        raise ProblemsError([_linked(path) for path in links])
    return found


def _linked(path: str) -> Problem:
    what = "this is a link, and token files are neither read nor written through links"
    return problem("path-refused", path, what, "put what it refers to in its place")


def link_on_the_way(root: str, path: str) -> str | None:
    """Return the first link among the steps of a path below the tokens folder ``root``; None without one."""
    place = root
    for step in path.split("/"):
        place = os.path.join(place, step)
        if os.path.islink(place):
            return place
    return None


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _stop(fault: OSError) -> NoReturn:
    """Have a folder that cannot be listed stop the step; by itself, ``os.walk`` takes it for an empty one."""
    raise fault
