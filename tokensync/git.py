"""Read the git repository of a project without running commands that the repository configures.

A clone can contain configuration: a folder with ``HEAD``, ``config``, ``objects`` and ``refs`` is a bare repository,
and git started in it uses that ``config``, whose values can be commands. No other module starts git.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tokensync import child
from tokensync.boundary import work_tree
from tokensync.disk import open_file
from tokensync.errors import UsageError
from tokensync.git_index import REGULAR, entries_of, index_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.git_index import Entry

_CONFIGURATION = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "protocol.ext.allow=never",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # never fetch: a partial clone would run a command of its choice
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",  # the same, on recent versions of git
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_PASSED_ON = re.compile(
    r"PATH|PATHEXT|HOME|HOMEDRIVE|HOMEPATH|USERPROFILE|USER|USERNAME|LOGNAME|SUDO_UID"
    r"|XDG_CONFIG_HOME|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|WINDIR|COMSPEC|MSYSTEM"
    r"|TEMP|TMP|TMPDIR|LANG|LANGUAGE|LC_.*|LD_LIBRARY_PATH|DYLD_.*|DEVELOPER_DIR|GIT_EXEC_PATH"
    r"|GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|PARAMETERS|(KEY|VALUE)_[0-9]+)"
    r"|GIT_CEILING_DIRECTORIES|GIT_DISCOVERY_ACROSS_FILESYSTEM",
    re.IGNORECASE,
)
"""The environment variables of git: those that it needs to start, and to find and trust the user's configuration.

They include no secrets, and no variables of a repository that runs tokensync in a hook, which may be another one.
"""
_SECONDS = 300
"""The most seconds of a command of git."""
_LARGEST = 256 << 20
"""The most bytes of all files in a read. A token file has a few hundred thousand."""


class Repository:
    """The repository of a folder. Messages begin with ``argument``, the user's, and end with ``advice``."""

    def __init__(self, folder: str, argument: str, advice: str = "name another revision or state") -> None:
        self._argument = argument
        self._advice = advice
        self.top = work_tree(folder) or ""
        if not self.top:
            raise UsageError(f"{argument}: {folder} is not in a git work tree; {advice}")
        program = child.program("git", self.top)
        if program is None:
            raise UsageError(f"{argument}: git is not on the path; install it, or {advice}")
        self._program = program
        top = os.fsdecode(self._run("rev-parse", "--show-toplevel").rstrip(b"\n"))
        if not os.path.isdir(top) or not os.path.samefile(top, self.top):
            raise UsageError(f"{argument}: git uses {top} as the work tree of {self.top}; repair the repository")

    def files(self, revision: str, folder: str, suffix: str = ".json") -> dict[str, bytes]:
        """Return the regular files with this suffix below a folder at a revision, by their paths in the folder.

        Raises UsageError for an invalid revision, a folder of another repository, and files too large for tokens.
        """
        if not revision or revision.startswith("-"):
            raise UsageError(f"{self._argument}: no revision; write git:HEAD or git:main")
        real = os.path.realpath(folder)
        if work_tree(real) != self.top:
            raise UsageError(
                f"{self._argument}: {folder} belongs to another repository than {self.top}; {self._advice}"
            )
        prefix = os.path.relpath(real, self.top).replace(os.sep, "/")
        below = "" if prefix == "." else f"{prefix}/"
        listed = self._run("ls-tree", "-r", "-z", revision, "--", below or ".")
        lines = [line.partition(b"\t") for line in listed.split(b"\0") if line.endswith(suffix.encode())]
        entries = {os.fsdecode(path)[len(below) :]: about.split() for about, _, path in lines}
        ids = {name: id_ for name, (mode, _, id_) in entries.items() if int(mode, 8) in REGULAR}
        self._refuse_large(ids)
        return dict(zip(ids, self._contents(list(ids.values())), strict=True))

    def tracked(self) -> list[bytes]:
        """Return the paths in the index, from the top of the work tree."""
        return self._run("ls-files", "-z").split(b"\0")[:-1]

    def staged(self) -> list[Entry]:
        """Return the entries of the index, in a hook those of the commit that is made."""
        index = index_path(self.top, os.environ)
        try:
            with open_file(os.path.realpath(index)) as file:
                content = file.read()
        except FileNotFoundError:
            return []
        found = entries_of(content) if is_intact(content) or content[-20:] == bytes(20) else None
        return list(self._staged_by_git(index)) if found is None else found

    def _staged_by_git(self, index: str) -> Iterator[Entry]:
        for line in self._run("ls-files", "--stage", "-z", index=index).split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            mode, id_, stage = about.split()
            yield path, int(mode, 8), bytes.fromhex(id_.decode()), int(stage)

    def contents(self, ids: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the contents of blobs by the names of their ids. Raises UsageError for too much content."""
        wanted = {name: id_.hex().encode() for name, id_ in ids.items()}
        self._refuse_large(wanted)
        return dict(zip(wanted, self._contents(list(wanted.values())), strict=True))

    def hooks(self) -> tuple[str, bool]:
        """Return the folder of the hooks, and whether ``core.hooksPath`` names it."""
        values = self._run("config", "--show-scope", "--null", "--get-all", "core.hooksPath").split(b"\0")
        named = [value for scope, value in zip(values[::2], values[1::2], strict=False) if scope != b"command"]
        if named and named[-1]:
            return os.path.join(self.top, os.path.expanduser(os.fsdecode(named[-1]))), True
        common = os.fsdecode(self._run("rev-parse", "--git-common-dir").rstrip(b"\n"))
        return os.path.join(self.top, common, "hooks"), False

    def _refuse_large(self, ids: Mapping[str, bytes]) -> None:
        listed = self._run(
            "cat-file", "--batch-check=%(objectsize)", stdin=b"".join(b"%s\n" % id_ for id_ in ids.values())
        )
        sizes = dict(zip(ids, (int(size) if size.isdigit() else 0 for size in listed.splitlines()), strict=True))
        if sum(sizes.values()) > _LARGEST:
            largest = max(sizes, key=lambda name: sizes[name])
            what = f"its files have {sum(sizes.values()) >> 20} MiB ({largest} is the largest)"
            raise UsageError(f"{self._argument}: {what}, more than {_LARGEST >> 20} MiB; {self._advice}")

    def _contents(self, ids: list[bytes]) -> Iterator[bytes]:
        answer = self._run("cat-file", "--batch", stdin=b"".join(each + b"\n" for each in ids))
        at = 0
        for each in ids:
            head, _, _ = answer[at : at + 200].partition(b"\n")
            size = head.rpartition(b" ")[2]
            if not size.isdigit():
                what = f"git does not have the content of {each.decode()}"
                raise UsageError(f"{self._argument}: {what}; fetch it with git show {each.decode()}")
            start = at + len(head) + 1
            at = start + int(size) + 1
            yield answer[start : at - 1]

    def _run(self, *arguments: str, stdin: bytes = b"", index: str = "") -> bytes:
        settings = [part for each in _CONFIGURATION for part in ("-c", each)]
        command = [self._program, *settings, "--no-pager", "-C", self.top, *arguments]
        try:
            variables = child.environment(_PASSED_ON) | _ENVIRONMENT | ({"GIT_INDEX_FILE": index} if index else {})
            done = child.run(command, variables, stdin, seconds=_SECONDS)
        except child.TimedOut:
            raise UsageError(f"{self._argument}: git takes more than {_SECONDS} s; {self._advice}") from None
        except OSError as error:
            raise UsageError(f"{self._argument}: git cannot be run ({error.strerror}); {self._advice}") from None
        if done.returncode:
            raise UsageError(f"{self._argument}: {self._refusal(done.stderr.decode('utf-8', 'replace'))}")
        return done.stdout

    def _refusal(self, message: str) -> str:
        if "dubious ownership" in message:
            trusting = f"git config --global --add safe.directory {self.top}"
            return f"{self.top} belongs to another user; if you trust it, run {trusting}"
        if "promisor remote" in message:
            what = "this clone does not have the content of that revision (it was made with git clone --filter)"
            return f"{what}; get all of it with git fetch --refetch --no-filter"
        lines = message.strip().splitlines() or ["unknown error"]
        first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
        return f"git: {first}; {self._advice}"


def tracks(folder: str, name: str) -> bool:
    """Return whether git tracks the file or folder ``name`` of a folder, or files in it.

    Raises UsageError if only git can read the index, and git cannot be run.
    """
    top = work_tree(folder)
    if top is None:
        return False
    prefix = os.path.relpath(os.path.realpath(folder), top).replace(os.sep, "/")
    start = b"" if prefix == "." else os.fsencode(prefix) + b"/"
    paths = _tracked_paths(top, name)
    below = {path[len(start) :].partition(b"/")[0] for path in paths if path.startswith(start)}
    own = os.path.join(folder, name)
    return any(_is_same(os.path.join(folder, os.fsdecode(each)), own) for each in below)


def _is_same(path: str, own: str) -> bool:
    """Return whether two paths are the same file: file systems ignore case, composition or invisible letters."""
    if path == own:
        return True
    step = os.path.basename(path)
    is_plain = step.isascii() and "~" not in step and step.lower() != os.path.basename(own).lower()
    return not is_plain and os.path.lexists(path) and os.path.lexists(own) and os.path.samefile(path, own)


def _tracked_paths(top: str, name: str) -> list[bytes]:
    """Return the paths in the index of a work tree, or none if no folder in it can be called ``name``.

    The index is an ordinary file in nearly all repositories. git may be absent, or refuse a work tree of another user,
    as in containers of CI, so it reads only other indexes.
    """
    index = os.path.realpath(index_path(top))
    try:
        status = os.stat(index)
    except FileNotFoundError:
        return []
    return _paths_in_index(top, index, name, (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


@lru_cache(maxsize=1)
def _paths_in_index(top: str, index: str, name: str, _status: tuple[int, ...]) -> list[bytes]:
    """Return ``_tracked_paths`` of an index file; another status of the file invalidates the cached result."""
    with open_file(index) as file:
        content = file.read()
    is_plain = content[4:8] in (b"\0\0\0\2", b"\0\0\0\3") and b"link\0" not in content  # that of a split index
    if is_plain and is_intact(content) and not _may_name(content, name):
        return []
    found = entries_of(content) if is_intact(content) else None
    return _listed(top, index) if found is None else [each[0] for each in found]


def is_intact(index: bytes) -> bool:
    """Return whether the checksum of an index is that of its content."""
    return hashlib.sha1(index[:-20], usedforsecurity=False).digest() == index[-20:]


def _may_name(index: bytes, name: str) -> bool:
    """Return whether bytes contain a name; if it begins with a dot, in any spelling of ``_is_same``.

    Reading all paths of 100,000 files takes ten times as long. Each character of a spelling is a letter of the name or
    is not ASCII. Short names on Windows, such as ``TOKENS~1``, begin with two letters of the name.
    """
    if not name.startswith("."):
        return os.fsencode(name) in index
    letters = re.escape(name[1:].encode())
    spelled = rb"(?i)\.(?:[%b]|[\xc2-\xf4][\x80-\xbf]{1,3}){%d,}+[/\0]" % (letters, len(name) - 1)
    short = rb"(?i)~(?:(?<=%b[0-9a-z]{4}~)|(?<=%b[0-9a-z]{3}~))[0-9]" % (letters[:2], letters[:2])
    return re.search(spelled, index) is not None or re.search(short, index) is not None


def _listed(top: str, index: str) -> list[bytes]:
    """Return the paths in the index of a work tree, read by git."""
    if child.program("git", top) is None:
        raise UsageError(f"{top}: only git can read its index, and git is not on the path; install it")
    advice = "if the index is damaged, remove it, and restore it with git reset"
    return Repository(top, index, advice=advice).tracked()
