"""Decide which paths a checkout may name.

tokensync.toml, tokensync.outputs.json and every link of a repository are written by whoever opens a pull request, and
the machine that reads them may hold an access token. A path from such a file is used only if its text is a path on
every system (``flaw_of``), and if the place that it refers to is one that a checkout may choose (``Boundary``).
docs/configuration.md has the same rules in the users' words.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, NamedTuple

from tokensync.errors import ProblemsError
from tokensync.problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


RESERVED = {
    ".git": "git's own folder",
    ".github": "where CI reads its workflows",
    ".tokensync": "tokensync's state",
}
"""Names of folders that a checkout may not choose, and why: somebody runs or trusts what is in them."""

_REFUSED = re.compile(r'[\0-\x1f\x7f<>:"|?*\ud800-\udfff]')
"""What Windows takes for a drive, a stream or a pattern, and what no system encodes."""
_DEEPEST = 100
"""Steps of a path; no system takes many more."""
_SHORT_NAMES = {
    ".git": re.compile(r"(git|gi[0-9a-f]{4})~[0-9]+"),
    ".github": re.compile(r"(github|gi[0-9a-f]{4})~[0-9]+"),
    ".tokensync": re.compile(r"(tokens|to[0-9a-f]{4})~[0-9]+"),
}
"""What Windows may call these too: ``GITHUB~1``, or ``GI1A2B~1`` with a digest where the first few are taken."""
_DRIVE = re.compile(r"[A-Za-z]:")
_RELATIVE = "write a path relative to the configuration's folder"
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")


class Flaw(NamedTuple):
    """Why a path is not used, and what to write instead."""

    what: str
    what_to_do: str


def flaw_of(path: str, *, climbs: bool = False) -> Flaw | None:
    """Return what is wrong with the text of a relative path; the same rules apply on every system.

    ``path`` has ``/`` between its steps; ``climbs`` allows ``..`` as its first steps.
    """
    if path.startswith(("/", "\\")) or _DRIVE.match(path):
        return Flaw("absolute paths differ between machines", _RELATIVE)
    if path.startswith("~"):
        return Flaw("~ is not expanded", _RELATIVE)
    if "\\" in path:
        plain = re.sub(r"[\\/]+", "/", path)
        return Flaw("a backslash separates folders on Windows only", f"write {plain}")
    if refused := _REFUSED.search(path):
        return Flaw(f"not every system takes the character {refused[0]!a} in a path", "leave it out")
    steps = path.split("/")
    if len(steps) > _DEEPEST:
        return Flaw(f"the path has more than {_DEEPEST} steps", "choose a shorter one")
    while climbs and steps[:1] == [".."]:
        del steps[0]
    for step in steps:
        if step in ("", ".", ".."):
            return Flaw(f"the path contains {step!r}" if step else "the path has an empty step", "leave it out")
        if step.endswith(".") or step != step.strip(" "):
            return Flaw(f"Windows drops a part of {step!r}", f"write {step.strip(' .') or 'another name'}")
        if _DEVICE.fullmatch(step):
            return Flaw(f"{step!r} is a device on Windows", "choose another name")
        if flaw := _reserved(step):
            return flaw
    return None


def work_tree(folder: str) -> str | None:
    """Return the top of the git work tree that a folder is in, links resolved; None outside of any."""
    place = os.path.realpath(folder)
    while not _is_top(place):
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above
    return place


def _is_top(folder: str) -> bool:
    """Return whether git takes a folder for the top of a work tree: an empty ``.git`` makes none."""
    git = os.path.join(folder, ".git")
    if not os.path.isfile(git):
        return os.path.lexists(os.path.join(git, "HEAD"))
    try:
        with open(git, "rb") as file:
            return file.read(8) == b"gitdir: "
    except OSError:
        return False


def flaw_of_link(path: str, tokens: tuple[str, ...] = (), *, allow_outside: bool = False) -> Flaw | None:
    """Return why a path that the user named is not used: links of a git work tree lead it to another place.

    The user has the say over where a path leads, but a checkout can bring links. So where a link leads, the same rules
    apply as for the paths of a configuration.
    """
    real = os.path.realpath(path)
    for top in _tops_of_links(path):
        if not allow_outside and not is_within(real, top):
            what = f"a link leads it to {real}, out of the git work tree {top}"
            return Flaw(what, "name that place itself, or pass --allow-outside")
        if flaw := Boundary(top, "", tokens, allow_outside).flaw(real):
            return Flaw(f"a link leads it to {real}, and {flaw.what}", "remove the link")
    return None


def _tops_of_links(path: str) -> Iterator[str]:
    """Find the links on the way to a path, as the system goes it, and the work trees that they are in."""
    drive, below = os.path.splitdrive(os.path.join(os.getcwd(), path))
    place = drive + os.sep
    for step in filter(None, re.split(r"[\\/]" if os.name == "nt" else "/", below)):
        way = os.path.join(place, step)
        if os.path.islink(way) and (top := work_tree(place)):
            yield top
        place = os.path.realpath(way)


class Boundary(NamedTuple):
    """Where a project's outputs, templates and token files may be.

    ``top`` is the git work tree, or the project's folder without one; ``name`` is what messages call it. ``tokens``
    are the folders of token files, and such files, which nothing else is written into. All paths are absolute, links
    resolved. ``is_open`` is the user's word that paths may lead out of ``top``.
    """

    top: str
    name: str
    tokens: tuple[str, ...] = ()
    is_open: bool = False

    def flaw(self, path: str) -> Flaw | None:
        """Return why a path is out of bounds, once every link on the way is followed."""
        real = os.path.realpath(path)
        if not self.is_open and not is_within(real, self.top):
            return Flaw(
                f"it refers to {real}, outside of {self.name} {self.top}",
                "choose a folder inside, or pass --allow-outside",
            )
        return self._flaw_inside(real)

    def contains(self, path: str) -> bool:
        """Return whether a path is below the top, once every link on the way is followed."""
        return is_within(os.path.realpath(path), self.top)

    def misled(self, root: str, paths: Iterable[str]) -> Iterator[tuple[str, Flaw]]:
        """Find the files that would not be read or written where their paths below ``root`` say.

        Each folder is looked at once, and links are resolved only where there are some: an asset catalog has as many
        folders as colours.
        """
        known: dict[str, _Folder] = {}
        for path in paths:
            above, _, name = path.rpartition("/")
            folder = known.get(above) or self._folder(root, above, known)
            flaw = folder.flaw or _reserved(name) or self._flaw_among_tokens(os.path.join(folder.real, name))
            if flaw := flaw or (self._flaw_of_file(folder, name) if folder.exists else None):
                yield path, flaw

    def _folder(self, root: str, path: str, known: dict[str, _Folder]) -> _Folder:
        """Look at a folder below ``root``, and at those above it that are not known yet."""
        unknown = [path]
        while path and (path := path.rpartition("/")[0]) not in known:
            unknown.append(path)
        for each in reversed(unknown):
            known[each] = self._looked_at(root, each, known)
        return known[unknown[0]]

    def _looked_at(self, root: str, path: str, known: dict[str, _Folder]) -> _Folder:
        above, _, name = path.rpartition("/")
        if name in ("", ".."):
            real = os.path.realpath(os.path.join(root, path))
            return _Folder(real, os.path.isdir(real), self.flaw(real))
        parent = known[above]
        real = os.path.join(parent.real, name)
        mode = _mode(real) if parent.exists else 0
        if stat.S_ISLNK(mode):
            return _Folder(os.path.realpath(real), os.path.isdir(real), parent.flaw or self.flaw(real))
        return _Folder(real, stat.S_ISDIR(mode), parent.flaw or _reserved(name) or self._flaw_among_tokens(real))

    def _flaw_of_file(self, folder: _Folder, name: str) -> Flaw | None:
        path = os.path.join(folder.real, name)
        mode = _mode(path)
        if stat.S_ISLNK(mode):
            if flaw := self.flaw(path):
                return flaw
            mode = _mode(os.path.realpath(path))
        if mode and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return Flaw("a device or a pipe is there", "remove it")
        return None

    def _flaw_inside(self, real: str) -> Flaw | None:
        steps = os.path.splitdrive(real)[1].split(os.sep)
        own = os.path.splitdrive(self.top)[1].split(os.sep)
        below = steps[len(own) :] if steps[: len(own)] == own else steps
        return next(filter(None, map(_reserved, below)), None) or self._flaw_among_tokens(real)

    def _flaw_among_tokens(self, real: str) -> Flaw | None:
        if not self.tokens:
            return None
        folded = real.casefold()
        if any(is_within(folded, folder.casefold()) for folder in self.tokens):
            return Flaw("the place is for token files", "choose another place")
        return None


class _Folder(NamedTuple):
    """Where a folder really is, whether it exists, and why nothing in it is used."""

    real: str
    exists: bool
    flaw: Flaw | None


def _reserved(step: str) -> Flaw | None:
    """Compare a name as file systems do: case, composition, invisible characters and short forms do not count."""
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
    """Return whether a path is a folder or below it; both are absolute, links resolved."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def _mode(path: str) -> int:
    """Return the mode of what is there, links not followed; 0 for nothing."""
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def refuse_linked_folder(folder: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> None:
    """Raise ProblemsError for a folder that a link leads elsewhere; ``tokens`` are the folders of token files."""
    _refuse(folder, folder, tokens, allow_outside=allow_outside)


def refuse_linked_file(path: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> None:
    """Do the same for a file's folder. A link in place of the file is replaced, never written through.

    The path stays as it was typed: made absolute, ``link/..`` would be another folder than the system writes into.
    """
    _refuse(path, os.path.dirname(path) or ".", tokens, allow_outside=allow_outside)


def _refuse(named: str, folder: str, tokens: tuple[str, ...], *, allow_outside: bool) -> None:
    if flaw := flaw_of_link(folder, tokens, allow_outside=allow_outside):
        raise ProblemsError([problem("path-refused", named, *flaw)])
