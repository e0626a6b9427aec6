"""Read from the git repository that a project is in, without running anything that the repository names.

A clone can bring configuration along: a folder with ``HEAD``, ``config``, ``objects`` and ``refs`` is a bare
repository, and git started in it obeys that ``config``, whose values can be commands. No other module starts git.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from tokensync.boundary import is_within, work_tree
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONFIGURATION = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "protocol.ext.allow=never",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # nothing is fetched: a partial clone would ask a remote by a command of its choice
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",  # the same, on a git that knows it
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_KEPT = re.compile(
    r"PATH|PATHEXT|HOME|HOMEDRIVE|HOMEPATH|USERPROFILE|USER|USERNAME|LOGNAME|SUDO_UID"
    r"|XDG_CONFIG_HOME|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|WINDIR|COMSPEC|MSYSTEM"
    r"|TEMP|TMP|TMPDIR|LANG|LANGUAGE|LC_.*|LD_LIBRARY_PATH|DYLD_.*|DEVELOPER_DIR|GIT_EXEC_PATH"
    r"|GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|PARAMETERS|(KEY|VALUE)_[0-9]+)"
    r"|GIT_CEILING_DIRECTORIES|GIT_DISCOVERY_ACROSS_FILESYSTEM",
    re.IGNORECASE,
)
"""Variables that git gets: what it needs to start, to find the user's configuration, and to know whom the user trusts.

No secret is among them, and nothing of the repository that git runs a hook for, which need not be the project's.
"""
_REGULAR = (b"100644", b"100755")
_LARGEST = 256 << 20
"""Bytes of all files that are read at once: a token file has a few hundred thousand."""


class Repository:
    """The repository whose work tree a folder is in. ``asked`` is what the user typed; messages begin with it."""

    def __init__(self, folder: str, asked: str) -> None:
        self._asked = asked
        self.top = work_tree(folder) or ""
        if not self.top:
            raise UsageError(f"{asked}: {folder} is not in a git work tree; name another state")
        program = _program(self.top)
        if program is None:
            raise UsageError(f"{asked}: there is no git on the path; install it, or name another state")
        self._program = program
        found = os.fsdecode(self._run("rev-parse", "--show-toplevel").rstrip(b"\n"))
        if not os.path.isdir(found) or not os.path.samefile(found, self.top):
            raise UsageError(f"{asked}: git takes {found} for the work tree of {self.top}; repair the repository")

    def files(self, revision: str, folder: str) -> dict[str, bytes]:
        """Return the regular ``.json`` files below a folder of the work tree at a revision, by their paths in it.

        Raises UsageError for a revision that is none, for a folder that is of another repository, and for files of a
        size that no token files have.
        """
        if not revision or revision.startswith("-"):
            raise UsageError(f"{self._asked}: it names no revision; write git:HEAD or git:main")
        place = os.path.realpath(folder)
        if work_tree(place) != self.top:
            raise UsageError(
                f"{self._asked}: {folder} belongs to another repository than {self.top}; name another state"
            )
        prefix = os.path.relpath(place, self.top).replace(os.sep, "/")
        below = "" if prefix == "." else f"{prefix}/"
        listed = self._run("ls-tree", "-r", "-z", revision, "--", below or ".")
        found = [line.partition(b"\t") for line in listed.split(b"\0") if line.endswith(b".json")]
        names = {os.fsdecode(path)[len(below) :]: about.split() for about, _, path in found}
        wanted = {name: id_ for name, (mode, _, id_) in names.items() if mode in _REGULAR}
        self._refuse_large(wanted)
        return dict(zip(wanted, self._contents(list(wanted.values())), strict=True))

    def _refuse_large(self, wanted: Mapping[str, bytes]) -> None:
        listed = self._run(
            "cat-file", "--batch-check=%(objectsize)", given=b"".join(b"%s\n" % id_ for id_ in wanted.values())
        )
        sizes = dict(zip(wanted, (int(size) if size.isdigit() else 0 for size in listed.splitlines()), strict=True))
        if sum(sizes.values()) > _LARGEST:
            largest = max(sizes, key=lambda name: sizes[name])
            what = f"its files come to {sum(sizes.values()) >> 20} MiB, {largest} being the largest"
            raise UsageError(f"{self._asked}: {what}; at most {_LARGEST >> 20} MiB are read, so name another revision")

    def _contents(self, ids: list[bytes]) -> Iterator[bytes]:
        answer = self._run("cat-file", "--batch", given=b"".join(each + b"\n" for each in ids))
        at = 0
        for each in ids:
            head, _, _ = answer[at : at + 200].partition(b"\n")
            size = head.rpartition(b" ")[2]
            if not size.isdigit():
                what = f"git does not have the content of {each.decode()}"
                raise UsageError(f"{self._asked}: {what}; fetch it with git show {each.decode()}")
            start = at + len(head) + 1
            at = start + int(size) + 1
            yield answer[start : at - 1]

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        settings = [part for each in _CONFIGURATION for part in ("-c", each)]
        command = [self._program, *settings, "--no-pager", "-C", self.top, *arguments]
        try:
            done = subprocess.run(command, input=given, capture_output=True, check=False, env=_environment())  # noqa: S603
        except OSError as fault:
            raise UsageError(f"{self._asked}: git cannot be run ({fault.strerror}); name another state") from None
        if done.returncode:
            raise UsageError(f"{self._asked}: {self._refusal(done.stderr.decode('utf-8', 'replace'))}")
        return done.stdout

    def _refusal(self, said: str) -> str:
        if "dubious ownership" in said:
            trusting = f"git config --global --add safe.directory {self.top}"
            return f"{self.top} belongs to another user; if you trust it, say so with {trusting}"
        if "promisor remote" in said:
            what = "this clone does not have the content of that revision (it was made with git clone --filter)"
            return f"{what}; get all of it with git fetch --refetch --no-filter"
        lines = said.strip().splitlines() or ["nothing"]
        first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
        return f"git says {first}; name a revision of this repository"


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)} | _ENVIRONMENT


def _program(top: str) -> str | None:
    """Return the path of git: never one of the working folder, where Windows looks first, nor one that the checkout
    brings.
    """
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if not os.path.isabs(folder) or is_within(os.path.realpath(folder), top):
            continue
        if found := shutil.which(os.path.join(folder, "git")):
            return found
    return None
