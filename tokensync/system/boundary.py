"""Validate the paths that a checkout names.

Anyone who opens a pull request writes tokensync.toml, tokensync.outputs.json and the links of a repository, and the
machine that reads them may hold an access token. So a path must be valid on every operating system (``flaw_of``) and
must lead to a permitted location (``Boundary``). docs/configuration.md documents the rules.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from tokensync.system.errors import ProblemsError
from tokensync.system.problems import problem

RESERVED = {".git": "git's own folder", ".github": "where CI reads its workflows", ".tokensync": "tokensync's state"}
"""The folders that a checkout must not write to, with the reason: their content is executed or trusted."""

_REFUSED = r'[\0-\x1f\x7f<>:"|?*\ud800-\udfff]'
"""Characters with a special meaning on Windows (drives, streams, patterns), and unencodable ones."""
_MARKS = frozenset('<>:"|?*')
_MOST_STEPS = 100
"""The most steps of a path. Operating systems accept few more."""
_SHORT_NAMES = {
    ".git": re.compile(r"(git|gi[0-9a-f]{4})~[0-9]+"),
    ".github": re.compile(r"(github|gi[0-9a-f]{4})~[0-9]+"),
    ".tokensync": re.compile(r"(tokens|to[0-9a-f]{4})~[0-9]+"),
}
"""Their short names on Windows: ``GITHUB~1``, or ``GI1A2B~1`` with a digest if the first few exist."""
_DRIVE = re.compile(r"[A-Za-z]:")
_RELATIVE = "write a path relative to the configuration's folder"
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")


class Flaw(NamedTuple):
    """The reason to refuse a path, and what to do instead."""

    what: str
    what_to_do: str


def flaw_of(path: str, *, climbs: bool = False) -> Flaw | None:
    """Return the first flaw of a relative path with ``/`` separators, by the same rules on every operating system.

    ``climbs`` allows leading ``..`` steps.
    """
    if path.startswith(("/", "\\")) or _DRIVE.match(path):
        return Flaw("absolute paths differ between machines", _RELATIVE)
    if path.startswith("~"):
        return Flaw("~ is not expanded", _RELATIVE)
    if "\\" in path:
        plain = re.sub(r"[\\/]+", "/", path)
        return Flaw("a backslash separates folders on Windows only", f"write {plain}")
    # Only if a path may have one of them, because compiling the pattern takes long.
    if not (path.isprintable() and _MARKS.isdisjoint(path)) and (refused := re.search(_REFUSED, path)):
        return Flaw(f"not every system allows the character {refused[0]!a} in a path", "remove it")
    steps = path.split("/")
    if len(steps) > _MOST_STEPS:
        return Flaw(f"the path has more than {_MOST_STEPS} steps", "choose a shorter path")
    while climbs and steps[:1] == [".."]:
        del steps[0]
    for step in steps:
        if step in ("", ".", ".."):
            return Flaw(f"the path contains {step!r}" if step else "the path has an empty step", "remove it")
        if step.endswith(".") or step != step.strip(" "):
            return Flaw(f"Windows drops a part of {step!r}", f"write {step.strip(' .') or 'another name'}")
        if _DEVICE.fullmatch(step):
            return Flaw(f"{step!r} is a device on Windows", "choose another name")
        if flaw := _reserved(step):
            return flaw
    return None


def work_tree(folder: str) -> str | None:
    """Return the top folder of the git work tree that contains a folder, links resolved; None without one."""
    path = os.path.realpath(folder)
    while True:
        git = os.path.join(path, ".git")
        if os.path.lexists(os.path.join(git, "HEAD")):  # an empty ``.git`` does not count for git
            return path
        if os.path.isfile(git):
            with suppress(OSError), open(git, "rb") as file:
                if file.read(8) == b"gitdir: ":
                    return path
        path, below = os.path.dirname(path), path
        if path == below:
            return None


def flaw_of_link(path: str, tokens: tuple[str, ...] = (), *, allow_outside: bool = False) -> Flaw | None:
    """Return why to refuse a path from the command line: links in a git work tree redirect it.

    Users choose their paths freely, but links may come with a checkout. So the target of a link must follow the same
    rules as the paths of a configuration.
    """
    return _followed(path, tokens, allow_outside=allow_outside)[1]


def _followed(path: str, tokens: tuple[str, ...], *, allow_outside: bool) -> tuple[str, Flaw | None]:
    """Return a path with links resolved, and why it is refused: the first link in a work tree whose target is not.

    Each step is looked at once: a link that appears in between is either followed and listed, or neither.
    """
    drive, below = os.path.splitdrive(os.path.join(os.getcwd(), path))
    real = drive + os.sep
    tops = []
    for step in re.split(r"[\\/]" if os.name == "nt" else "/", below):
        if step == os.pardir:
            real = os.path.dirname(real)
        elif step not in ("", os.curdir):
            child = os.path.join(real, step)
            parent, real = real, os.path.realpath(child)
            if real != child and (top := work_tree(parent)):
                tops.append(top)
    for top in tops:
        if not allow_outside and not is_within(real, top):
            what = f"a link leads it to {real}, out of the git work tree {top}"
            return real, Flaw(what, "use that path itself, or pass --allow-outside")
        if flaw := Boundary(top, "", tokens, allow_outside).flaw(real):
            return real, Flaw(f"a link leads it to {real}, and {flaw.what}", "remove the link")
    return real, None


class Boundary(NamedTuple):
    """The permitted locations of a project's outputs, templates and token files.

    ``top`` is the git work tree, or without one the project's folder; ``name`` names it in messages. ``tokens`` are
    the folders and files of tokens, which no output may be written into. All paths are absolute with links resolved.
    ``is_open`` means that the user permits paths outside ``top``.
    """

    top: str
    name: str
    tokens: tuple[str, ...] = ()
    is_open: bool = False

    def flaw(self, path: str, *, is_linked: bool = False) -> Flaw | None:
        """Return why a path is not permitted, after following links; None if it is.

        ``is_linked`` means that the path is already the target of a link.
        """
        if "\0" in path:  # no system call takes it
            return Flaw("it has a NUL character", "remove it")
        real = os.path.realpath(path)
        if not self.is_open and not is_within(real, self.top):
            is_linked = is_linked or real != os.path.normpath(path)
            what = f"a link leads it to {real}," if is_linked else "it is"
            return Flaw(f"{what} outside of {self.name}", "choose a folder inside, or pass --allow-outside")
        steps = os.path.splitdrive(real)[1].split(os.sep)
        own = os.path.splitdrive(self.top)[1].split(os.sep)
        below = steps[len(own) :] if steps[: len(own)] == own else steps
        return next(filter(None, map(_reserved, below)), None) or self._flaw_among_tokens(real)

    def contains(self, path: str) -> bool:
        """Return whether a path is below the top, after following links."""
        return is_within(os.path.realpath(path), self.top)

    def locate(self, root: str, paths: Iterable[str]) -> dict[str, Location]:
        """Return the locations of files below ``root``, after following links.

        Check each folder once and resolve links only where they exist: an asset catalog has as many folders as colours.
        """
        known: dict[str, _Folder] = {}
        located: dict[str, Location] = {}
        new, prefix = "/", ""  # a folder that does not exist, with nothing to look at below it
        for path in paths:
            if path.startswith(new) and _is_usual(path):
                file = prefix + path[len(new) :]
                located[path] = Location(file, file, None, False)
                continue
            parent, _, name = path.rpartition("/")
            unknown: list[str] = []
            above = parent
            while above not in known and above not in unknown:  # the last one is the empty path of the root
                unknown.append(above)
                above = above.rpartition("/")[0]
            for step in reversed(unknown):
                known[step] = checked = self._checked(root, step, known)
                if step and checked.is_apart and not (checked.exists or checked.flaw or checked.obstacle):
                    new, prefix = (new, prefix) if path.startswith(new) else (f"{step}/", checked.prefix)
            folder = known[parent]
            file = folder.prefix + name
            flaw = folder.flaw or _reserved(name) or (None if folder.is_apart else self._flaw_among_tokens(file))
            is_there = folder.exists and not flaw
            located[path] = (
                self._file(file) if is_there else Location(file, file, flaw, exists=False, obstacle=folder.obstacle)
            )
        return located

    def _checked(self, root: str, path: str, known: dict[str, _Folder]) -> _Folder:
        """Return a folder below ``root``, whose parent is known."""
        parent_path, _, name = path.rpartition("/")
        if name in ("", ".."):
            real = os.path.realpath(os.path.join(root, path))
            return _Folder(os.path.join(real, ""), os.path.isdir(real), self.flaw(real))
        parent = known[parent_path]
        real = parent.prefix + name
        status = _status(real) if parent.exists else None
        mode = status.st_mode if status else 0
        if stat.S_ISLNK(mode):
            target = os.path.realpath(real)  # looked at once: the link may change
            return _Folder(
                os.path.join(target, ""), os.path.isdir(target), parent.flaw or self.flaw(target, is_linked=True)
            )
        is_apart = parent.is_apart or not any(
            is_within(folder, real.casefold()) or is_within(real.casefold(), folder)
            for folder in map(str.casefold, self.tokens)
        )
        flaw = parent.flaw or _reserved(name) or (None if is_apart else self._flaw_among_tokens(real))
        is_folder = stat.S_ISDIR(mode)
        return _Folder(real + os.sep, is_folder, flaw, real if mode and not is_folder else parent.obstacle, is_apart)

    def _file(self, path: str) -> Location:
        content, status = path, _status(path)
        if status and stat.S_ISLNK(status.st_mode):
            content = os.path.realpath(path)
            if flaw := self.flaw(content, is_linked=True):
                return Location(path, content, flaw)
            status = _status(content)
        if status is None:
            return Location(path, content, exists=False)
        if stat.S_ISREG(status.st_mode):
            return Location(path, content, status=status)
        if stat.S_ISDIR(status.st_mode):
            return Location(path, content, obstacle=path)
        return Location(path, content, Flaw("it is a device or a pipe", "remove it"))

    def _flaw_among_tokens(self, real: str) -> Flaw | None:
        folded = real.casefold()
        if any(is_within(folded, folder.casefold()) for folder in self.tokens):
            return Flaw("the folder is for token files", "choose another folder")
        return None


class Location(NamedTuple):
    """Where to write and remove a file, where its content is, and why it is refused. No path contains a link.

    ``path`` has the links of its folders resolved. ``content`` differs if the file itself is a link, and ``exists``
    tells whether it was there; that of a refused file is not known. ``obstacle`` is the path of a folder in its place,
    or of a file in place of one of its folders. ``status`` is that of the file itself, or of a link's target.
    """

    path: str
    content: str
    flaw: Flaw | None = None
    exists: bool = True
    obstacle: str = ""
    status: os.stat_result | None = None


class _Folder(NamedTuple):
    """A folder: its path with links resolved and a separator, whether it exists, and why its content is refused.

    ``obstacle`` is the path of a file in its place, or in place of a folder above it. ``is_apart`` means that no tokens
    are below it: an asset catalog has as many folders as colours.
    """

    prefix: str
    exists: bool
    flaw: Flaw | None
    obstacle: str = ""
    is_apart: bool = False


def _is_usual(path: str) -> bool:
    """Return whether no step of a path is empty, leads up or can be reserved, as with nearly all."""
    return path.isascii() and "~" not in path and "/." not in path and "//" not in path and path[-1] != "/"


def _reserved(step: str) -> Flaw | None:
    """Compare a name as file systems do: ignore case, composition, invisible characters and short names."""
    if step.isascii() and step[:1] != "." and "~" not in step:  # nearly every name
        return None
    folded = step
    if not step.isascii():
        import unicodedata

        folded = unicodedata.normalize("NFKC", "".join(each for each in step if unicodedata.category(each) != "Cf"))
    folded = folded.casefold().rstrip(". ")
    for name, why in RESERVED.items():
        if folded == name or ("~" in folded and _SHORT_NAMES[name].fullmatch(folded)):
            return Flaw(f"{step!r} is {why}", "choose another folder")
    return None


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is a folder or below it. Both are absolute with links resolved."""
    path, folder = os.path.normcase(path), os.path.normcase(folder)  # on Windows, c: is C:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _status(path: str) -> os.stat_result | None:
    """Return the status of a path without following links; None if it does not exist."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def resolved_folder(folder: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> str:
    """Return a folder from the command line with links resolved.

    Raises ProblemsError if one redirects it. ``tokens`` are the folders of token files.
    """
    return _resolved(folder, folder, tokens, allow_outside=allow_outside)


def resolved_file(path: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> str:
    """Return a file to write from the command line with the links of its folder resolved; raise as ``resolved_folder``.

    A link in place of the file itself is replaced. The path is used as typed: made absolute, ``link/..`` would differ
    from the folder that the system writes into.
    """
    folder = _resolved(path, os.path.dirname(path) or ".", tokens, allow_outside=allow_outside)
    return os.path.join(folder, os.path.basename(path))


def resolved_source(path: str, *, allow_outside: bool) -> tuple[str, str]:
    """Return the folder of a file to read, and the file, with links resolved; raise as ``resolved_folder``.

    Every link is looked at once, so that one that changes meanwhile is either checked and followed, or neither.
    """
    folder = _resolved(path, os.path.dirname(path) or ".", (), allow_outside=allow_outside)
    return folder, _resolved(path, os.path.join(folder, os.path.basename(path)), (), allow_outside=allow_outside)


def _resolved(named: str, folder: str, tokens: tuple[str, ...], *, allow_outside: bool) -> str:
    real, flaw = _followed(folder, tokens, allow_outside=allow_outside)
    if flaw:
        raise ProblemsError([problem("path-refused", named, *flaw)])
    return real
