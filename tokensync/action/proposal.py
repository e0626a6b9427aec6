"""Propose the files of a work tree as the one branch and the one pull request of the bot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.action import texts
from tokensync.action.branch import (
    Part,
    Signer,
    State,
    fingerprint_in,
    fingerprint_of,
    is_for,
    push,
    read_branch,
    written,
)
from tokensync.system.errors import ConflictError
from tokensync.system.git import Author
from tokensync.system.outlet.documents import message
from tokensync.system.outlet.markdown import marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.action.hosting import Hosting, Pull
    from tokensync.system.git import Repository, Server
    from tokensync.system.outlet.documents import Message
    from tokensync.system.outlet.markdown import Block

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
