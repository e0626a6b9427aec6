"""Read the git repository of a project without running commands that the repository configures.

A clone can contain configuration: a folder with ``HEAD``, ``config``, ``objects`` and ``refs`` is a bare repository,
and git started in it uses that ``config``, whose values can be commands. No other module starts git.
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
_REGULAR = (b"100644", b"100755")
_LARGEST = 256 << 20
"""The most bytes of all files in a read. A token file has a few hundred thousand."""


class Repository:
    """The repository of a folder. ``argument`` is the user's argument, with which messages begin."""

    def __init__(self, folder: str, argument: str) -> None:
        self._argument = argument
        self.top = work_tree(folder) or ""
        if not self.top:
            raise UsageError(f"{argument}: {folder} is not in a git work tree; name another state")
        program = _program(self.top)
        if program is None:
            raise UsageError(f"{argument}: git is not on the path; install it, or name another state")
        self._program = program
        top = os.fsdecode(self._run("rev-parse", "--show-toplevel").rstrip(b"\n"))
        if not os.path.isdir(top) or not os.path.samefile(top, self.top):
            raise UsageError(f"{argument}: git uses {top} as the work tree of {self.top}; repair the repository")

    def files(self, revision: str, folder: str) -> dict[str, bytes]:
        """Return the regular ``.json`` files below a folder at a revision, by their paths in the folder.

        Raises UsageError for an invalid revision, a folder of another repository, and files too large for tokens.
        """
        if not revision or revision.startswith("-"):
            raise UsageError(f"{self._argument}: no revision; write git:HEAD or git:main")
        real = os.path.realpath(folder)
        if work_tree(real) != self.top:
            raise UsageError(
                f"{self._argument}: {folder} belongs to another repository than {self.top}; name another state"
            )
        prefix = os.path.relpath(real, self.top).replace(os.sep, "/")
        below = "" if prefix == "." else f"{prefix}/"
        listed = self._run("ls-tree", "-r", "-z", revision, "--", below or ".")
        lines = [line.partition(b"\t") for line in listed.split(b"\0") if line.endswith(b".json")]
        entries = {os.fsdecode(path)[len(below) :]: about.split() for about, _, path in lines}
        ids = {name: id_ for name, (mode, _, id_) in entries.items() if mode in _REGULAR}
        self._refuse_large(ids)
        return dict(zip(ids, self._contents(list(ids.values())), strict=True))

    def _refuse_large(self, ids: Mapping[str, bytes]) -> None:
        listed = self._run(
            "cat-file", "--batch-check=%(objectsize)", stdin=b"".join(b"%s\n" % id_ for id_ in ids.values())
        )
        sizes = dict(zip(ids, (int(size) if size.isdigit() else 0 for size in listed.splitlines()), strict=True))
        if sum(sizes.values()) > _LARGEST:
            largest = max(sizes, key=lambda name: sizes[name])
            what = f"its files have {sum(sizes.values()) >> 20} MiB ({largest} is the largest)"
            raise UsageError(f"{self._argument}: {what}, more than {_LARGEST >> 20} MiB; name another revision")

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

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        settings = [part for each in _CONFIGURATION for part in ("-c", each)]
        command = [self._program, *settings, "--no-pager", "-C", self.top, *arguments]
        try:
            done = subprocess.run(command, input=stdin, capture_output=True, check=False, env=_environment())  # noqa: S603
        except OSError as error:
            raise UsageError(f"{self._argument}: git cannot be run ({error.strerror}); name another state") from None
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
        return f"git: {first}; name a revision of this repository"


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)} | _ENVIRONMENT


def _program(top: str) -> str | None:
    """Return the path of git, but never one in the checkout or in the working folder, where Windows looks first."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if not os.path.isabs(folder) or is_within(os.path.realpath(folder), top):
            continue
        if found := shutil.which(os.path.join(folder, "git")):
            return found
    return None
