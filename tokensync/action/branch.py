"""The one branch and the one pull request of the bot, which propose files of a work tree.

Each of our commits names its kind, its tree and the fingerprint of its changes in trailers. A commit is ours if its
tree is the one that it names, or, after a rebase by the server, if its changes have the fingerprint that it names. A
merge is nobody's work if git makes the same tree of its parents. Everything else is somebody's work, and is never
replaced.
"""

from __future__ import annotations

import base64
import hashlib
import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.action import texts
from tokensync.system.errors import ConflictError, TokensyncError, UsageError
from tokensync.system.git import Author, Commit, Repository, Server, first_failure, remedy_of
from tokensync.system.outlet.documents import Message, message, trailers_of, with_trailers
from tokensync.system.outlet.markdown import Block, marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.action.hosting import Hosting, Pull


Kind = Literal["lock", "pull"]
"""What a commit contains: the lock after an apply, or what a pull has written."""

KIND, TREE, FINGERPRINT = "Tokensync-Kind", "Tokensync-Tree", "Tokensync-Fingerprint"
CONFIG = "Tokensync-Config"
"""The trailer with the digest of the path of the configuration."""
_DEPTHS = (50, 500, 0)
"""How many commits to fetch of a shallow clone, until it is known whose commits they are; 0 means all."""


class State(NamedTuple):
    """The branch on the server: its last commit (empty if there is none), its own commits and those of others."""

    tip: str = ""
    own: tuple[Commit, ...] = ()
    foreign: tuple[Commit, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of all changes of the branch; empty without commits, or with those of others."""
        return fingerprint_in(self.own[0].message) if self.own and not self.foreign else ""

    def of_kind(self, kind: Kind) -> Commit | None:
        """Return our latest commit of a kind."""
        return next((commit for commit in self.own if trailers_of(commit.message).get(KIND) == kind), None)


def is_for(commit: Commit, config: str) -> bool:
    """Return whether a commit of ours is for a configuration, by its path from the top of the work tree."""
    own = _digest(config)
    return trailers_of(commit.message).get(CONFIG, own) == own  # earlier versions wrote no such trailer


def _digest(config: str) -> str:
    return hashlib.sha256(config.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def fingerprint_in(message: str) -> str:
    """Return the fingerprint that a commit message of ours names; empty in other messages."""
    trailers = trailers_of(message)
    return trailers.get(FINGERPRINT, "") if KIND in trailers else ""


def fingerprint_of(repository: Repository, before: str, after: str) -> str:
    """Return the digest of the changes between two trees: paths and contents, so it is the same on another base."""
    digest = hashlib.sha256()
    for each in repository.changes(before, after):
        digest.update(
            b"%s\0%s\0%s\n" % (each.path.encode("utf-8", "surrogateescape"), each.mode.encode(), each.blob.encode())
        )
    return digest.hexdigest()


def read_branch(repository: Repository, server: Server, name: str, base: str, base_commit: str) -> State:
    """Fetch the branch and return its state. ``base`` is the branch that it is merged into, from ``base_commit`` on."""
    tip = repository.branch_tip(server, name)
    if not tip:
        return State()
    refs = (f"+refs/heads/{name}:refs/tokensync/branch", f"+refs/heads/{base}:refs/tokensync/base")
    repository.fetch(server, refs)
    tip = repository.commit_id("refs/tokensync/branch")
    for depth in (None, *_DEPTHS):
        boundary = repository.boundary_commits()
        if depth is not None:
            if not boundary:
                break
            repository.fetch(server, refs, depth)
            boundary = repository.boundary_commits()
        state = _judged(repository, tip, base_commit)
        is_cut = any(commit.id in boundary for commit in (*state.own, *state.foreign))
        if not boundary or (not is_cut and not state.foreign):
            return state
    return _judged(repository, tip, base_commit)


def _judged(repository: Repository, tip: str, base_commit: str) -> State:
    own, foreign = [], []
    for commit in repository.commits(tip, (base_commit, "refs/tokensync/base")):
        if _is_ours(repository, commit):
            own.append(commit)
        elif len(commit.parents) != 2 or repository.merged_tree(*commit.parents) != commit.tree:
            foreign.append(commit)
    return State(tip, tuple(own), tuple(foreign))


def _is_ours(repository: Repository, commit: Commit) -> bool:
    trailers = trailers_of(commit.message)
    if KIND not in trailers or len(commit.parents) != 1:
        return False
    if trailers.get(TREE) == commit.tree:
        return True
    try:
        changes = fingerprint_of(repository, commit.parents[0], commit.tree)
    except TokensyncError:  # a shallow clone does not have the parent
        return False
    return trailers.get(FINGERPRINT) == changes


class Part(NamedTuple):
    """A commit to write: its kind, tree and message without trailers."""

    kind: Kind
    tree: str
    message: Message


def written(
    repository: Repository,
    base_commit: str,
    parts: Sequence[Part],
    author: Author,
    config: str,
    signer: Signer | None = None,
) -> str:
    """Write a commit for each part, one on the other, and return the last one.

    Each names the configuration, and the fingerprint of all changes since the base.
    """
    parent = base_commit
    config = _digest(config)
    for part in parts:
        fingerprint = fingerprint_of(repository, base_commit, part.tree)
        trailers = {KIND: part.kind, TREE: part.tree, FINGERPRINT: fingerprint, CONFIG: config}
        message = with_trailers(part.message, trailers)
        parent = (
            repository.commit(part.tree, (parent,), message, author)
            if signer is None
            else signer.commit(parent, part.tree, message)
        )
    return parent


class Signer:
    """Lets the server write and sign commits, on a branch of its own that is deleted afterwards.

    The server signs only commits that it writes itself, and only on top of a branch. So they are written beside the
    bot's branch, fetched, compared, and then pushed under a lease as any other commit.
    """

    def __init__(self, repository: Repository, server: Server, hosting: Hosting, branch: str) -> None:
        self._repository = repository
        self._server = server
        self._hosting = hosting
        self._branch = f"{branch}-signing"

    def commit(self, parent: str, tree: str, message: str) -> str:
        """Write a commit with this tree and return its id. Raises ConflictError if the server makes another tree."""
        changes = self._repository.changes(parent, tree)
        added = {}
        for change in changes:
            content = self._repository.blob(tree, change.path) if change.blob else None
            if content is not None:
                added[change.path] = base64.b64encode(content).decode("ascii")
        self._hosting.set_branch(self._branch, parent)
        try:
            deleted = [change.path for change in changes if not change.blob]
            made = self._hosting.signed_commit(self._branch, parent, message, added, deleted)
            self._repository.fetch(self._server, (f"+refs/heads/{self._branch}:refs/tokensync/signed",))
        finally:
            self._hosting.delete_branch(self._branch)
        if self._repository.commit_id("refs/tokensync/signed") != made or self._repository.tree_id(made) != tree:
            what = "the signed commit does not have the files that were to be committed"
            raise ConflictError(f"{self._branch}: {what}; run the job again, or remove sign from its inputs")
        return made


def push(repository: Repository, server: Server, name: str, commit: str, expected: str) -> None:
    """Set a branch to a commit, or delete it, if it still is at ``expected``.

    Raises ConflictError if somebody has pushed meanwhile, and TokensyncError if the server refuses it.
    """
    reason = repository.push(server, name, commit, expected)
    if not reason:
        return
    if "invalid refspec" in reason:
        raise UsageError(f"branch: git accepts no branch named {name!r:.80}; correct the input")
    tip = repository.branch_tip(server, name)
    if tip == commit:
        return  # an equal run has pushed the same commit, or deleted the branch, too
    if tip != expected or "stale info" in reason:
        raise ConflictError(f"{name}: somebody has pushed to this branch meanwhile; nothing is lost, run the job again")
    if "verified signature" in reason or "must be signed" in reason:
        raise TokensyncError(f"{name}: this branch accepts only signed commits (GH013); set sign: true")
    if "GH006" in reason or "GH013" in reason:
        code = "GH006" if "GH006" in reason else "GH013"
        to_do = "pass the token of a GitHub App that may bypass the rule as app-token, or except this branch from it"
        raise Protected(f"{name}: a rule of the repository protects this branch ({code}); {to_do}")
    raise TokensyncError(f"{name}: the server refused the push ({_said(reason)}); {remedy_of(reason, 'write')}")


class Protected(TokensyncError):
    """A rule of the repository does not permit a push."""


def _said(reason: str) -> str:
    """Return what the server said of a push, or else git."""
    lines = reason.splitlines()
    said = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
    refused = [line.rpartition("\t")[2] for line in lines if line.startswith("!")]
    return " ".join([*filter(None, said), *refused][:2] or [first_failure(reason)])[:300]


_MOST_CLOSED = 20
"""The most closed pull requests whose fingerprints are compared."""
_BOT = Author("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")


class Target(NamedTuple):
    """Where to propose: the repository with its server and hosting service, the bot's branch, and the base.

    ``config`` is the path of the configuration from the top of the work tree, and ``source`` names the selected file,
    too.
    """

    repository: Repository
    server: Server
    hosting: Hosting
    branch: str
    base: str
    base_commit: str
    source: str
    config: str
    has_app: bool = False
    sign: bool = False

    def read(self) -> State:
        """Return the state of the branch. Raises ConflictError for commits of others, after one comment about them.

        It also raises ConflictError if the branch has a pull request into another base, or commits of ours for another
        configuration, which it would replace.
        They are not in the way if somebody has merged or closed a pull request that has all of them: its commits stay
        on the server, and nobody works on the branch any more.
        """
        state = read_branch(self.repository, self.server, self.branch, self.base, self.base_commit)
        if not state.tip:
            return state
        pulls = self.hosting.pulls(self.branch)
        opened = [pull for pull in pulls if pull.is_open]
        pulls = [pull for pull in pulls if pull.base == self.base]
        if opened and not any(pull.is_open for pull in pulls):
            what = f"it has an open pull request into {opened[0].base} (#{opened[0].number}), not into {self.base}"
            to_do = f"run this for {opened[0].base}, or set the input branch to another name"
            raise ConflictError(f"{self.branch}: {what}; {to_do}")
        if not all(is_for(commit, self.config) for commit in state.own):
            what = f"it has changes of another configuration than {self.config}"
            raise ConflictError(f"{self.branch}: {what}; set the input branch of one of the two jobs to another name")
        if not state.foreign:
            return state
        if not opened and any(pull.head == state.tip for pull in pulls):
            return state
        commits = [(commit.id, commit.message.split("\n", 1)[0]) for commit in state.foreign]
        mark = marker("foreign", self.source)
        for pull in pulls:
            if pull.is_open:
                comment = texts.foreign_comment(mark, self.branch, commits)
                self.hosting.put_comment(pull.number, mark, comment, once=True)
        named = ", ".join(f"{commit[:12]} ({subject})" for commit, subject in commits[:3])
        what = f"it has commits that are not from tokensync: {named}{', ...' if len(commits) > 3 else ''}"
        raise ConflictError(f"{self.branch}: {what}; merge or close its pull request, or remove these commits")

    @property
    def author(self) -> Author:
        """Return the author of commits: the account of the token."""
        viewer = self.hosting.viewer
        if viewer.login == _BOT.name or not viewer.id:
            return _BOT
        return Author(viewer.login, f"{viewer.id}+{viewer.login}@users.noreply.github.com")


class Proposed(NamedTuple):
    """What was proposed: whether there are changes, what happened, and the pull request, if there is one."""

    changed: bool
    outcome: str
    fingerprint: str = ""
    url: str = ""


class Proposal(NamedTuple):
    """What to propose: the trees after the lock commit (the base's without one) and at the end, and their texts."""

    lock_tree: str
    tree: str
    message: Message
    title: str
    blocks: Sequence[Block]
    has_changes: bool = False
    """Whether tokens change, and not only the lock or generated files."""


def propose(target: Target, state: State, proposal: Proposal) -> Proposed:
    """Bring the branch and its pull request to a proposal, and change nothing if nothing is new."""
    base_tree = target.repository.tree_id(target.base_commit)
    fingerprint = fingerprint_of(target.repository, base_tree, proposal.tree)
    pulls = target.hosting.pulls(target.branch, target.base)
    current = next((pull for pull in pulls if pull.is_open), None)
    if proposal.tree == base_tree:
        return _withdrawn(target, state, current)
    if current is None and (refused := _refused(target, pulls, fingerprint)):
        return Proposed(True, f"somebody has closed #{refused.number} with the same changes", fingerprint, refused.url)
    is_new = state.fingerprint != fingerprint
    wants_rebase = current is not None and texts.wants_rebase(current.body)
    conflicts = bool(state.tip) and target.repository.merged_tree(target.base_commit, state.tip) is None
    if not is_new and current is not None and not wants_rebase and not conflicts:
        return Proposed(True, f"#{current.number} has these changes already", fingerprint, current.url)
    if is_new or wants_rebase or conflicts:
        _push(target, state, proposal, base_tree)
    body = texts.pull_body(
        target.source,
        proposal.blocks,
        fingerprint=fingerprint,
        branch=target.branch,
        has_app=target.has_app,
        has_lock=proposal.lock_tree != base_tree,
        has_changes=proposal.has_changes,
    )
    if current is None:
        made = target.hosting.open_pull(target.branch, target.base, proposal.title, body)
        return Proposed(True, f"opened #{made.number}", fingerprint, made.url)
    target.hosting.update_pull(current.number, proposal.title, body)
    return Proposed(True, f"updated #{current.number}", fingerprint, current.url)


def _push(target: Target, state: State, proposal: Proposal, base_tree: str) -> None:
    parts = []
    if proposal.lock_tree != base_tree:
        parts.append(Part("lock", proposal.lock_tree, message("record an apply in the lock", ())))
    if proposal.tree != proposal.lock_tree:
        parts.append(Part("pull", proposal.tree, proposal.message))
    signer = Signer(target.repository, target.server, target.hosting, target.branch) if target.sign else None
    commit = written(target.repository, target.base_commit, parts, target.author, target.config, signer)
    if commit != state.tip:
        push(target.repository, target.server, target.branch, commit, state.tip)


def _withdrawn(target: Target, state: State, current: Pull | None) -> Proposed:
    """Close the pull request and delete the branch, because nothing of it is left to merge."""
    if current is not None:
        what = "This pull request is no longer needed, so tokensync closes it."
        comment = texts.note(f"{what} If the design files still differ, the next pull opens another.")
        target.hosting.add_comment(current.number, comment)
        target.hosting.close_pull(current.number)
    if state.tip:
        push(target.repository, target.server, target.branch, "", state.tip)
    return Proposed(False, f"closed #{current.number}" if current else "nothing to do")


def _refused(target: Target, pulls: Sequence[Pull], fingerprint: str) -> Pull | None:
    """Return the latest pull request if a person closed it unmerged with the same changes."""
    for pull in pulls[:_MOST_CLOSED]:
        if pull.is_open or pull.is_merged:
            continue
        if fingerprint_in(target.hosting.message_below_merges(pull.head)) == fingerprint:
            return pull if target.hosting.closer(pull.number) not in target.hosting.logins else None
    return None


def committed_paths(folder: str, top: str, tokens: str, files: Sequence[str]) -> list[str]:
    """Return the paths that tokensync writes, from the top of the work tree; ``files`` are relative to ``folder``."""
    paths = (tokens, *(os.path.join(folder, *file.split("/")) for file in files))
    return [os.path.relpath(path, top).replace(os.sep, "/") for path in dict.fromkeys(paths)]
