"""Use the git repository of a project without running commands that the repository configures.

A clone can contain configuration: a folder with ``HEAD``, ``config``, ``objects`` and ``refs`` is a bare repository,
and git started in it uses that ``config``, whose values can be commands. No other module starts git.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from tokensync.system import child
from tokensync.system.boundary import work_tree
from tokensync.system.disk import open_file, spelled
from tokensync.system.errors import TokensyncError, UsageError
from tokensync.system.git_index import REGULAR, Entry, blob_id, entries_of, index_path, path_of
from tokensync.system.wording import argument, arguments

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
_FOR_SERVERS = re.compile(
    r"(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|GIT_SSL_(CAINFO|CAPATH)|GIT_HTTP_PROXY_AUTHMETHOD",
    re.IGNORECASE,
)
"""The variables that git needs to reach a server."""
_SECONDS = 300
"""The most seconds of a command of git."""
_WAITS = (1.0, 4.0)
"""Seconds before a server is asked again that could not answer."""
_PASSING = re.compile(
    r"returned error: (429|5[0-9][0-9])|Could not resolve host|Failed to connect|timed out|reset by peer|early EOF"
    r"|hung up|Empty reply"
)
"""What git says of failures that may be over a moment later."""
_REFUSED = re.compile(r"returned error: 40[13]|denied|Authentication failed|could not read Username|not found")
"""What git says if a server does not accept its token; after a 401, git would ask for a name."""
_LARGEST = 256 << 20
"""The most bytes of all files in a read. A token file has a few hundred thousand."""


class Author(NamedTuple):
    """The author and committer of a commit."""

    name: str
    email: str


class Commit(NamedTuple):
    """A commit: its id, the id of its tree, its parents and its message."""

    id: str
    tree: str
    parents: tuple[str, ...]
    message: str


class TreeChange(NamedTuple):
    """A file that differs between two trees: its path, and its mode and blob in the second; no blob if it is gone."""

    path: str
    mode: str
    blob: str


class Server(NamedTuple):
    """A repository on a server, and the token for it.

    Only the environment may name it: a checkout's remotes are ignored. git gets the token as a variable, not as an
    argument, which every user can list. Other configured headers and helpers have no effect, since servers refuse two
    headers.
    """

    url: str
    token: str = ""

    def variables(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables of git for this server, in addition to ``inherited`` ones."""
        scheme, _, rest = self.url.partition("://")
        host = f"{scheme}://{rest.partition('/')[0]}/"
        headers = ("http.extraHeader", f"http.{host}.extraHeader", f"http.{self.url}.extraHeader")
        settings = [("credential.helper", ""), ("http.followRedirects", "false"), *((key, "") for key in headers)]
        if self.token and scheme != "file":
            settings.append((f"http.{self.url}.extraHeader", f"Authorization: Basic {self.basic}"))
        count = inherited.get("GIT_CONFIG_COUNT", "")
        first = int(count) if count.isdigit() else 0
        variables = {"GIT_CONFIG_COUNT": str(first + len(settings)), "GIT_ALLOW_PROTOCOL": scheme}
        for number, (key, value) in enumerate(settings, first):
            variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return variables

    @property
    def basic(self) -> str:
        """Return the token as the credentials of HTTP's basic authentication."""
        return base64.b64encode(f"x-access-token:{self.token}".encode()).decode("ascii")

    def hidden(self, text: str) -> str:
        """Return a text without the token."""
        return text.replace(self.basic, "***").replace(self.token, "***") if self.token else text


class Added(NamedTuple):
    """What a file has that it had not: its mode and blob, if git has it, and the numbers of its new lines."""

    mode: int
    blob: bytes
    lines: Container[int]


ATTRIBUTES = ".gitattributes"
"""The file in which a folder sets the line ends and merges of its files."""
_ABSENT_REVISION = ("Not a valid object name", "Needed a single revision", "unknown revision", "bad revision")
"""What git says of a revision that does not exist, or that a shallow clone does not have."""


def pathspecs(paths: Iterable[str]) -> str:
    """Return relative paths as arguments of a git command in a shell; it takes some first characters for syntax."""
    return arguments(f"./{path}" if path[:1] in ("-", ":") else path for path in paths)


def uncommitted(paths: Iterable[str], argument: str, advice: str) -> list[str]:
    """Return the files whose content git has not committed. Files outside of work trees are omitted.

    ``argument`` and ``advice`` are those of ``Repository``. Raises UsageError without git or a commit.
    """
    by_top: dict[str, list[str]] = {}
    for path in paths:
        if top := work_tree(os.path.dirname(os.path.realpath(path))):
            by_top.setdefault(top, []).append(path)
    found: list[str] = []
    for top, own in by_top.items():
        repository = Repository(top, argument, advice)
        committed = {path: id_ for path, _, id_, _ in repository.committed(repository.commit_id("HEAD"))}
        found += (each for each in own if not _is_committed(each, top, committed))
    return found


def _is_committed(path: str, top: str, committed: Mapping[bytes, bytes]) -> bool:
    name = os.fsencode(os.path.relpath(os.path.realpath(path), top).replace(os.sep, "/"))
    with open_file(os.path.realpath(path)) as file:
        content = file.read()
    wanted = committed.get(name, b"")
    return bool(wanted) and wanted in (blob_id(each, wanted) for each in (content, content.replace(b"\r\n", b"\n")))


class Repository:
    """The repository of a folder. Messages begin with ``argument``, the user's, and end with ``advice``."""

    def __init__(
        self, folder: str, argument: str, advice: str = "name another revision or state", *, is_trusted: bool = False
    ) -> None:
        """Find the repository. ``is_trusted`` accepts one that belongs to another user, as in containers of CI."""
        self._argument = argument
        self._advice = advice
        self._is_trusted = is_trusted
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
        prefix = spelled(self.top, os.path.relpath(real, self.top).replace(os.sep, "/"))
        below = "" if prefix == "." else f"{prefix}/"
        listed = _listed(self._run("ls-tree", "-r", "-z", revision, "--", below or "."))
        files = ((path, id_) for path, (mode, _, id_) in listed if int(mode, 8) in REGULAR)
        ids = {path_of(path)[len(below) :]: id_ for path, id_ in files if path.endswith(suffix.encode())}
        self._refuse_large(ids)
        return dict(zip(ids, self._contents(list(ids.values())), strict=True))

    def tracked(self) -> list[bytes]:
        """Return the paths in the index, from the top of the work tree."""
        return self._run("ls-files", "-z").split(b"\0")[:-1]

    def staged(self) -> list[Entry]:
        """Return the entries of the index, in a hook those of the commit that is made."""
        entries = indexed(self.top, os.environ)
        if entries is None:  # only git can read it
            index = {"GIT_INDEX_FILE": index_path(self.top, os.environ)}
            listed = _listed(self._run("ls-files", "--stage", "-z", more=index))
            entries = [_entry(path, mode, id_, stage) for path, (mode, id_, stage) in listed]
        return entries

    def committed(self, commit: str) -> list[Entry]:
        """Return the entries of a commit, as those of an index into which it is read."""
        listed = _listed(self._run("ls-tree", "-r", "-z", commit))
        return [_entry(path, mode, id_) for path, (mode, _, id_) in listed]

    def contents(self, ids: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the contents of blobs by the names of their ids. Raises UsageError for too much content."""
        wanted = {name: id_.hex().encode() for name, id_ in ids.items()}
        self._refuse_large(wanted)
        return dict(zip(wanted, self._contents(list(wanted.values())), strict=True))

    def ignored(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the paths, from the top of the work tree, that git ignores and does not track, each with its rule.

        A rule is a text such as ``line 3 of /top/.gitignore (*.css)``.
        """
        content = b"".join(b"./%b\0" % os.fsencode(path) for path in paths)
        done = self._done("check-ignore", "-v", "-z", "--stdin", stdin=content, more={"GIT_LITERAL_PATHSPECS": "0"})
        if b"is beyond a symbolic link" in done.stderr:
            return {}
        if done.returncode > 1:  # 1 if it ignores none
            raise UsageError(f"{self._argument}: {self._refusal(done.stderr.decode('utf-8', 'replace'))}")
        parts = [path_of(each) for each in done.stdout.split(b"\0")[:-1]]
        return {
            path.removeprefix("./"): f"line {line} of {os.path.join(self.top, source)} ({pattern})"
            for source, line, pattern, path in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
            if not pattern.startswith("!")
        }

    def hooks(self) -> tuple[str, bool]:
        """Return the folder of the hooks, and whether ``core.hooksPath`` names it."""
        values = self._run("config", "--show-scope", "--null", "--get-all", "core.hooksPath").split(b"\0")
        named = [value for scope, value in zip(values[::2], values[1::2], strict=False) if scope != b"command"]
        if named and named[-1]:
            return os.path.join(self.top, os.path.expanduser(os.fsdecode(named[-1]))), True
        common = os.fsdecode(self._run("rev-parse", "--git-common-dir").rstrip(b"\n"))
        return os.path.join(self.top, common, "hooks"), False

    def merge_driver(self, name: str) -> str:
        """Return the command of a merge driver of the user's configuration; an empty text without one."""
        return path_of(self._done("config", "--get", f"merge.{name}.driver").stdout).strip()

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
        answer = self._run("cat-file", "--batch", stdin=b"".join(id_ + b"\n" for id_ in ids))
        at = 0
        for id_ in ids:
            head, _, _ = answer[at : at + 200].partition(b"\n")
            size = head.rpartition(b" ")[2]
            if not size.isdigit():
                what = f"git does not have the content of {id_.decode()}"
                raise UsageError(f"{self._argument}: {what}; fetch it with git show {id_.decode()}")
            start = at + len(head) + 1
            at = start + int(size) + 1
            yield answer[start : at - 1]

    # --- writing objects and branches -------------------------------------------------------------------------------

    def commit_id(self, revision: str) -> str:
        """Return the id of the commit that a revision names. Raises UsageError for any other revision."""
        return self._text("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")

    def tree_id(self, revision: str) -> str:
        """Return the id of a revision's tree."""
        return self._text("rev-parse", "--verify", "--end-of-options", f"{revision}^{{tree}}")

    def blob(self, revision: str, path: str) -> bytes | None:
        """Return the content of a file, whose path begins at the top of the work tree; None if there is none."""
        listed = self._run("ls-tree", "-z", revision, "--", path).split()
        return next(self._contents([listed[2]])) if listed and int(listed[0], 8) in REGULAR else None

    def tree_with(self, revision: str, paths: Sequence[str]) -> str:
        """Return the id of a revision's tree with the files below these paths as they are on disk.

        Paths begin at the top of the work tree. Ignored files are omitted. The repository's index stays unchanged.
        """
        with child.scratch_folder() as folder:
            index = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
            self._run("read-tree", revision, more=index)
            found = self._run("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths, more=index)
            self._run("update-index", "-z", "--add", "--remove", "--stdin", stdin=found, more=index)
            return os.fsdecode(self._run("write-tree", more=index)).strip()

    def changes(self, before: str, after: str) -> tuple[TreeChange, ...]:
        """Return the files that differ between two trees, in the order of their paths."""
        raw = self._run("diff-tree", "-r", "-z", "--no-renames", before, after).split(b"\0")
        pairs = zip(raw[::2], raw[1::2], strict=False)
        return tuple(
            TreeChange(path_of(path), about[1].decode(), "" if about[4] == b"D" else about[3].decode())
            for about, path in ((about.split(), path) for about, path in pairs)
        )

    def added_lines(self, *revisions: str, cached: bool = False) -> dict[str, Added]:
        """Return what files have and did not have at a revision, by their paths from the top.

        The second state is the index if ``cached``, else that of another revision, or the work tree with its new files.
        """
        more = {"GIT_INDEX_FILE": index_path(self.top, os.environ)}
        options = ("--raw", "-z", "--no-abbrev", "-p", "--no-color", "-U0", "--inter-hunk-context=0", "-M")
        chosen = (
            "--diff-filter=ACMR",
            "--submodule=short",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            *revisions,
        )
        output = self._run("diff", *options, *chosen, *(("--cached",) if cached else ()), "--", more=more)
        listed, _, patch = output.partition(b"\0\0")
        patches = re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]  # lines of files begin with a sign
        fields = iter(listed.removesuffix(b"\0").split(b"\0") if listed else ())
        added: dict[str, Added] = {}
        for about, text in zip(fields, patches, strict=False):
            _, mode, _, blob, status = about.split(b" ")
            path = [next(fields) for _ in range(2 if status[:1] in (b"R", b"C") else 1)][-1]
            hunks = re.findall(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", text, re.MULTILINE)
            lines = (range(int(first), int(first) + int(count or 1)) for first, count in hunks)
            added[path_of(path)] = Added(int(mode, 8), bytes.fromhex(blob.decode()), frozenset(chain(*lines)))
        if len(added) != len(patches) or next(fields, None) is not None:
            raise UsageError(f"{self._argument}: git shows other files than it lists; rename those with line breaks")
        if not cached and len(revisions) == 1:
            others = self._run("ls-files", "-z", "--others", "--exclude-standard", more=more).split(b"\0")[:-1]
            added |= {path_of(path): Added(0, b"", range(1, sys.maxsize)) for path in others}
        return added

    def common_ancestor(self, commit: str) -> str:
        """Return the last commit that a commit and the current branch share; without one, the commit itself."""
        return path_of(self._done("merge-base", commit, "HEAD").stdout).strip() or commit

    def commit(self, tree: str, parents: Sequence[str], message: str, author: Author) -> str:
        """Write a commit and return its id. Its time is that of its first parent, so equal runs write equal commits."""
        time = self._text("show", "-s", "--format=%ct +0000", parents[0])
        who = {
            f"GIT_{role}_{member}": value
            for role in ("AUTHOR", "COMMITTER")
            for member, value in (("NAME", author.name), ("EMAIL", author.email), ("DATE", time))
        }
        arguments = [part for parent in parents for part in ("-p", parent)]
        written = self._run(
            "commit-tree", tree, *arguments, stdin=message.encode("utf-8", "backslashreplace"), more=who
        )
        return os.fsdecode(written).strip()

    def commits(self, tip: str, without: Sequence[str]) -> tuple[Commit, ...]:
        """Return the commits of a branch that are on none of the other ones, the latest first."""
        listed = self._run("log", "-z", "--format=%H%n%T%n%P%n%B", tip, *(f"^{each}" for each in without), "--")
        parts = (each.decode("utf-8", "replace").split("\n", 3) for each in listed.split(b"\0") if each.strip())
        return tuple(Commit(part[0], part[1], tuple(part[2].split()), part[3]) for part in parts)

    def merged_tree(self, first: str, second: str) -> str | None:
        """Return the id of the tree of the merge of two commits; None if they conflict, or have no common commit."""
        done = self._done("merge-tree", "--write-tree", first, second)
        return path_of(done.stdout).split("\n", 1)[0] if done.returncode == 0 else None

    def default_branch(self) -> str:
        """Return the default branch: that of origin if it is known, or else main, master or the current one."""
        of_origin = self._done("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD").stdout
        if of_origin:
            return path_of(of_origin).strip().removeprefix("refs/remotes/origin/")
        names = self._text("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/main", "refs/heads/master")
        current = path_of(self._done("symbolic-ref", "--quiet", "HEAD").stdout).strip().removeprefix("refs/heads/")
        return current if current in names.split() or not names else names.split()[0]

    def boundary_commits(self) -> frozenset[str]:
        """Return the commits whose parents a shallow clone does not have."""
        path = self._text("rev-parse", "--git-path", "shallow")
        try:
            with open_file(os.path.realpath(os.path.join(self.top, path))) as file:
                return frozenset(file.read().decode("ascii").split())
        except FileNotFoundError:
            return frozenset()

    # --- the server --------------------------------------------------------------------------------------------------

    def branch_tip(self, server: Server, branch: str) -> str:
        """Return the commit of a branch on the server; empty if there is no such branch."""
        listed = self._on(server, "ls-remote", "--", server.url, f"refs/heads/{branch}")
        return os.fsdecode(listed).split("\t")[0] if listed else ""

    def fetch(self, server: Server, revisions: Sequence[str], depth: int | None = None) -> None:
        """Fetch commits or refs; ``depth`` deepens a shallow clone, and 0 completes it."""
        deeper = () if depth is None else ("--unshallow",) if depth == 0 else (f"--depth={depth}",)
        options = ("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--force")
        self._on(server, "fetch", "--quiet", *options, *deeper, "--", server.url, *revisions)

    def push(self, server: Server, branch: str, commit: str, expected: str, options: Sequence[str] = ()) -> str:
        """Set a branch on the server to a commit (empty: delete it) if it is still at ``expected`` (empty: missing).

        Return an empty text, or why the server refused it.
        """
        ref = f"refs/heads/{branch}"
        lease = f"--force-with-lease={ref}:{expected}"
        chosen = [part for option in options for part in ("-o", option)]
        done = self._done(
            "push", "--porcelain", "--no-verify", lease, *chosen, "--", server.url, f"{commit}:{ref}", server=server
        )
        if done.returncode == 0:
            return ""
        return server.hidden((done.stdout + done.stderr).decode("utf-8", "replace")).strip() or "unknown error"

    def _on(self, server: Server, *arguments: str) -> bytes:
        """Run a command that only reads from a server, again if the server could not answer."""
        for wait in (*_WAITS, None):
            done = self._done(*arguments, server=server)
            if done.returncode == 0:
                return done.stdout
            message = server.hidden(done.stderr.decode("utf-8", "replace"))
            if wait is None or not _PASSING.search(message):
                break
            time.sleep(wait)
        raise TokensyncError(f"git: {first_failure(message)}; {remedy_of(message, 'read')}")

    def _text(self, *arguments: str) -> str:
        return path_of(self._run(*arguments)).strip()

    def _run(self, *arguments: str, stdin: bytes = b"", more: Mapping[str, str] = MappingProxyType({})) -> bytes:
        done = self._done(*arguments, stdin=stdin, more=more)
        if done.returncode:
            raise UsageError(f"{self._argument}: {self._refusal(done.stderr.decode('utf-8', 'replace'))}")
        return done.stdout

    def _done(
        self,
        *arguments: str,
        stdin: bytes = b"",
        more: Mapping[str, str] = MappingProxyType({}),
        server: Server | None = None,
    ) -> child.Completed[bytes]:
        configuration = (*_CONFIGURATION, f"safe.directory={self.top}") if self._is_trusted else _CONFIGURATION
        settings = [part for each in configuration for part in ("-c", each)]
        command = [self._program, *settings, "--no-pager", "-C", self.top, *arguments]
        variables = child.environment(_PASSED_ON) | _ENVIRONMENT | dict(more)
        if server is not None:
            variables |= child.environment(_FOR_SERVERS) | server.variables(variables)
        try:
            return child.run(command, variables, stdin, seconds=_SECONDS)
        except child.TimedOut:
            if server is not None:
                raise TokensyncError(f"git: the server takes more than {_SECONDS} s; run the job again") from None
            raise UsageError(f"{self._argument}: git takes more than {_SECONDS} s; {self._advice}") from None
        except OSError as error:
            raise UsageError(f"{self._argument}: git cannot be run ({error.strerror}); {self._advice}") from None

    def _refusal(self, message: str) -> str:
        if "dubious ownership" in message:
            trusting = f"git config --global --add safe.directory {argument(self.top)}"
            return f"{self.top} belongs to another user; if you trust it, run {trusting}"
        if "promisor remote" in message:
            what = "this clone does not have the content of that revision (it was made with git clone --filter)"
            return f"{what}; get all of it with git fetch --refetch --no-filter"
        first = first_failure(message)
        is_absent = any(each in message for each in _ABSENT_REVISION)
        if is_absent and self._done("rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
            to_do = "run git fetch --unshallow, or set fetch-depth: 0 for actions/checkout and GIT_DEPTH: 0 in GitLab"
            return f"git: {first}, and this clone is shallow; {to_do}"
        return f"git: {first}; {self._advice}"


def _listed(lines: bytes) -> Iterator[tuple[bytes, list[bytes]]]:
    """Yield the path and the columns before it of each line of ``git ls-tree`` or ``git ls-files --stage``."""
    for line in lines.split(b"\0")[:-1]:
        columns, _, path = line.partition(b"\t")
        yield path, columns.split()


def _entry(path: bytes, mode: bytes, id_: bytes, stage: bytes = b"0") -> Entry:
    return path, int(mode, 8), bytes.fromhex(id_.decode()), int(stage)


def indexed(top: str, variables: Mapping[str, str] | None = None) -> list[Entry] | None:
    """Return the entries of a work tree's index; none without an index, and None for one that only git can read.

    ``variables`` are those of ``index_path``.
    """
    try:
        with open_file(os.path.realpath(index_path(top, variables))) as file:
            content = file.read()
    except FileNotFoundError:
        return []
    # index.skipHash of git leaves out the checksum
    return entries_of(content) if is_intact(content) or content[-20:] == bytes(20) else None


def first_failure(message: str) -> str:
    """Return the line of git's message that says why it failed."""
    lines = message.strip().splitlines() or ["unknown error"]
    return next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])


def remedy_of(message: str, permission: str) -> str:
    """Return what to do if a server refused git a ``permission`` to ``read`` or ``write``, or could not answer."""
    if _REFUSED.search(message):
        return f"check that the token has not expired, and give the job the permission contents: {permission}"
    return "run the job again"


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
    return any(_is_same(os.path.join(folder, path_of(each)), own) for each in below)


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
    entries = entries_of(content, announced=True) if is_intact(content) else None
    if entries is not None:
        return [path for path, *_ in entries]
    if child.program("git", top) is None:
        raise UsageError(f"{top}: only git can read its index, and git is not on the path; install it")
    advice = "if the index is damaged, remove it, and restore it with git reset"
    return Repository(top, index, advice=advice).tracked()


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
