"""Read the index of a git repository, which has the files of the next commit.

git has no part in it: it may be absent, or refuse a work tree of another user, and a process takes longer than most
indexes. Only indexes in rare formats need git. This module imports only modules that Python itself has already loaded.
"""

import os

TYPE_CHECKING = False  # typing itself takes several milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

LINK, SUBMODULE = 0o120000, 0o160000
REGULAR = (0o100644, 0o100755)
"""The modes of entries."""

Entry = tuple[bytes, int, bytes, int]
"""The path from the top of the work tree, the mode, the id of the blob, and the stage: 0, or 1 to 3 in a conflict."""

_EXTENDED, _LONG, _INTENT_TO_ADD = 0x40, 0xFFF, 0x20
_CHECKSUM = 20


def path_of(name: bytes) -> str:
    """Return a path of git as a text. git's need not be UTF-8, and os.fsdecode refuses such ones on Windows."""
    return name.decode("utf-8", "surrogateescape") if os.name == "nt" else os.fsdecode(name)


def git_folder(top: str) -> str:
    """Return git's own folder of a work tree, which a ``.git`` file names in a linked one and in a submodule."""
    git = os.path.join(top, ".git")
    if os.path.isdir(git):
        return git
    with open(git, "rb") as file:
        return os.path.join(top, os.fsdecode(file.read().removeprefix(b"gitdir: ").rstrip(b"\r\n")))


def index_path(top: str, variables: "Mapping[str, str] | None" = None) -> str:
    """Return the index of a work tree, or that which git names to a hook, as for ``git commit -a``.

    ``variables`` are the environment. The variables of a hook of another repository are ignored.
    """
    own = git_folder(top)
    variables = variables or {}
    named = os.path.join(top, variables.get("GIT_INDEX_FILE", ""))  # git itself runs at the top
    folder = os.path.join(top, variables.get("GIT_DIR", "") or own)
    if variables.get("GIT_INDEX_FILE") and os.path.isfile(named) and _is_same(folder, own):
        above = os.path.dirname(named)
        if not os.path.lexists(os.path.join(above, "HEAD")) or _is_same(above, own):
            return named
    return os.path.join(own, "index")


def _is_same(folder: str, other: str) -> bool:
    return os.path.realpath(folder) == os.path.realpath(other)


def entries_of(content: bytes, *, announced: bool = False) -> "list[Entry] | None":
    """Return the entries of an index; None for one that only git can read.

    Files that are only announced (``git add -N``) are omitted unless ``announced`` is set: git tracks them, but they
    are not in the next commit.
    """
    if content[:4] != b"DIRC" or content[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        return None
    found: list[Entry] = []
    at = 12
    try:
        for _ in range(int.from_bytes(content[8:12], "big")):
            flags = content[at + 60]
            start = at + (64 if flags & _EXTENDED else 62)
            end = start + ((flags << 8 | content[at + 61]) & _LONG)
            if end - start == _LONG:
                end = content.index(0, start)
            if content[end]:  # ids of another length, as with SHA-256
                return None
            if announced or not (flags & _EXTENDED and content[at + 62] & _INTENT_TO_ADD):
                mode = int.from_bytes(content[at + 24 : at + 28], "big")
                found.append((content[start:end], mode, content[at + 40 : at + 60], flags >> 4 & 3))
            at += (end - at + 8) & ~7  # one to eight zeros
        while at < len(content) - _CHECKSUM:
            if content[at : at + 4] in (b"link", b"sdir"):  # a split or a sparse index
                return None
            at += 8 + int.from_bytes(content[at + 4 : at + 8], "big")
    except (IndexError, ValueError):
        return None
    return found if at == len(content) - _CHECKSUM else None


def blob_id(content: bytes, like: bytes) -> bytes:
    """Return the id of content as a blob, with the hash of another id: SHA-1, or SHA-256 in some repositories."""
    import hashlib

    digest = hashlib.new(
        "sha1" if len(like) == _CHECKSUM else "sha256", b"blob %d\0" % len(content), usedforsecurity=False
    )
    digest.update(content)
    return digest.digest()


def selected(entries: "Iterable[Entry]", paths: "Collection[bytes]", folders: tuple[bytes, ...]) -> "list[Entry]":
    """Return the entries with one of these paths, and those below these folders, which end with a slash."""
    return [entry for entry in entries if entry[0] in paths or entry[0].startswith(folders)]


def packed(entries: "Iterable[Entry]") -> bytes:
    """Return entries as bytes that differ if any of them does."""
    return b"".join(b"%b\0%d %b %d\n" % (path, mode, id_.hex().encode(), stage) for path, mode, id_, stage in entries)
