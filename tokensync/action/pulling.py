"""Pull the design files into the bot's branch, and bring the lock of an apply back."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokensync.action import texts
from tokensync.action.branch import (
    Part,
    Proposal,
    Proposed,
    Protected,
    Target,
    committed_paths,
    propose,
    push,
    read_branch,
    written,
)
from tokensync.action.job import Job, Result, annotate_problems, from_top, refuse_without_token, server_of, target_of
from tokensync.action.runner import default_branch
from tokensync.project.connection import connect
from tokensync.project.lock import LOCK, with_changes
from tokensync.project.merging import MergeConflictError
from tokensync.project.outputs import MANIFEST, read_manifest
from tokensync.system.disk import content_of, replace_file
from tokensync.system.errors import ConflictError, ProblemsError, TokensyncError
from tokensync.system.outlet.documents import Message, message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.action.branch import State
    from tokensync.commands.tokens import Row
    from tokensync.extract.client import Client
    from tokensync.plan.comparing import Difference
    from tokensync.system.outlet.markdown import Block
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenGraph

_IN_QUEUE = re.compile(r"^gh-readonly-queue/(.+)/pr-([0-9]+)-")
"""A branch that GitHub makes for the merge queue, with its base and the number of its last pull request."""


def pull_mode(job: Job) -> Result:
    """Pull, build, and propose the result."""
    refuse_without_token(job)
    with job.hosting() as hosting, connect(job.project, on_wait=job.say) as client:
        return _proposed_pull(job, target_of(job, hosting), client)


def _proposed_pull(job: Job, target: Target, client: Client, lock: bytes | None = None) -> Result:
    """Pull, build and propose. ``lock`` is that after an apply, which is proposed alone if the pull fails."""
    from tokensync.commands.build import build_project
    from tokensync.commands.pull import pull
    from tokensync.plan.comparing import compare

    state = target.read()
    before, rows = _graphs(job), _rows(job)
    paths = set(_own_paths(job))
    is_applied = lock is not None
    if lock is None:
        lock = waiting_lock(job, state, target.base_commit)
    lock_tree = job.repository.tree_id(target.base_commit)
    if lock is not None:
        replace_file(job.project.path(LOCK), lock)
        lock_tree = job.repository.tree_with(target.base_commit, [lock_path(job)])
    try:
        with conflict_advice(job):
            problems = pull(job.project, client, job.files, progress=job.say).problems
        if job.project.config.outputs:
            problems = (*problems, *build_project(job.project).problems)
    except TokensyncError as error:
        if not is_applied:
            raise
        job.say(f"only {LOCK} is proposed; the next pull brings the rest, because this one failed: {error}")
        alone = Proposal(lock_tree, lock_tree, message("record an apply in the lock", ()), _title(job, ()), ())
        return _pull_result(job, _with_second_try(target, state, alone), (), ())
    paths |= set(_own_paths(job))
    tree = job.repository.tree_with(target.base_commit, sorted(paths))
    after = _graphs(job)
    differences = [each for name in after for each in compare(before[name], after[name])[0]]
    reach = _with_code(job, texts.impact(rows, _rows(job)), before, after)
    blocks = texts.changes(differences, reach, rebuilds=tree != lock_tree)
    has_changes = bool(differences)
    flaws = (problem for problem in from_top(problems, job.top) if problem.is_of_design)
    parts = (*blocks, *texts.problems(problem for problem in flaws if problem.severity == "warning"))
    proposal = Proposal(lock_tree, tree, _message(differences), _title(job, differences), parts, has_changes)
    proposed = _with_second_try(target, state, proposal)
    job.say(proposed.outcome)
    return _pull_result(job, proposed, blocks, problems)


def _with_second_try(target: Target, state: State, proposal: Proposal) -> Proposed:
    """Propose; if somebody pushed meanwhile, read the branch once more and try again."""
    try:
        return propose(target, state, proposal)
    except ConflictError:
        return propose(target, target.read(), proposal)


def _pull_result(job: Job, proposed: Proposed, blocks: Sequence[Block], problems: Sequence[Problem]) -> Result:
    outputs = {
        "changed": str(proposed.changed).lower(),
        "pull-request": proposed.url,
        "fingerprint": proposed.fingerprint,
    }
    annotate_problems(problems, job.top)
    result = texts.linked(job.runner.repository_url, f"Result: {proposed.outcome}")
    summary = [texts.title("tokensync pull", job.label), result, *blocks]
    return Result(0, outputs, [*summary, *texts.problems(from_top(problems, job.top))])


def _own_paths(job: Job) -> list[str]:
    project = job.project
    entries = [output.path for output in read_manifest(project.folder).outputs]
    return committed_paths(project.folder, job.top, project.tokens_folder, (LOCK, MANIFEST, *entries))


def _graphs(job: Job) -> dict[str, TokenGraph]:
    from tokensync.project.sources import read_tokens

    return {file.name: read_tokens(job.project, file.name).graph for file in job.project.config.files}


def _rows(job: Job) -> tuple[Row, ...]:
    """Return all tokens with their values in every theme; nothing if there are no token files yet."""
    from tokensync.commands.tokens import list_tokens, themes_of
    from tokensync.generate.targets import has_names
    from tokensync.project.configured_outputs import configured_themes, names_on_platforms, naming_by_platform
    from tokensync.project.sources import from_project

    try:
        graph = from_project(job.project).graph
        naming = naming_by_platform(job.project)
        names = names_on_platforms(graph, naming, [each for each in naming if has_names(each)]).identifiers
    except ProblemsError:
        return ()
    themes = themes_of(graph, configured_themes(graph, job.project))
    return tuple(token for token in list_tokens(graph, names, themes) if token.token.origin == "local")


def _with_code(
    job: Job, reach: texts.Impact, before: Mapping[str, TokenGraph], after: Mapping[str, TokenGraph]
) -> texts.Impact:
    """Return what a change reaches with the code that uses it; removed tokens are named as before."""
    from tokensync.code.search import impact
    from tokensync.normalize.graph import linked

    graphs = (linked([*before.values()]), linked([*after.values()]))
    removed = reach.tokens - graphs[1].tokens.keys()
    used = impact(job.project, zip(graphs, (removed, reach.tokens - removed), strict=True))
    return reach if used is None else reach._replace(code=str(used))


def _message(differences: Sequence[Difference]) -> Message:
    from tokensync.report.differences import message as of_differences

    return of_differences(differences) if differences else message("write generated files again", ())


def _title(job: Job, differences: Sequence[Difference]) -> str:
    """Return the title of the pull request. It has no names of tokens, since forges and bots act on titles."""
    from tokensync.report.differences import in_counts

    count = in_counts(differences) if differences else "generated files"
    where = "" if job.label == "tokensync.toml" else f" ({job.label})"
    plain_where = "".join(each for each in where if each.isascii() and (each.isalnum() or each in " ()/-_."))
    return f"Update design tokens: {count}{plain_where}"


def lock_path(job: Job) -> str:
    """Return the path of the lock from the top of the work tree."""
    return os.path.relpath(job.project.path(LOCK), job.top).replace(os.sep, "/")


def waiting_lock(job: Job, state: State, base_commit: str) -> bytes | None:
    """Return the base's lock with what an apply recorded on the bot's branch; None if the base has all of it."""
    recorded, current = state.of_kind("lock"), _committed_lock(job, base_commit)
    if recorded is None:
        return None
    before, after = (_committed_lock(job, each) or b"" for each in (recorded.parents[0], recorded.id))
    merged = with_changes(current or b"", before, after)
    return merged if merged != current else None


def take_waiting_lock(job: Job, base: str) -> None:
    """Replace the lock by that of an apply that waits to be merged into ``base``.

    Without it, what was applied would count as an edit of the token files, and a later edit of a designer or of code
    as a conflict with it.
    """
    if not base or not job.variables.get("GITHUB_REPOSITORY"):
        return
    head = job.repository.commit_id("HEAD")
    for branch in dict.fromkeys((job.branch, default_branch(job.source, ""))):
        state = read_branch(job.repository, server_of(job), branch, base, head)
        lock = waiting_lock(job, state, head)
        if lock is not None:
            job.say(f"using {LOCK} of the last apply, which waits on {branch}")
            replace_file(job.project.path(LOCK), lock)
            return


@contextmanager
def conflict_advice(job: Job) -> Iterator[None]:
    """Replace the advice of merge conflicts, since nobody can choose a side in the files of a runner."""
    try:
        yield
    except MergeConflictError as error:
        branch = job.variables.get("GITHUB_HEAD_REF") or job.variables.get("GITHUB_REF_NAME") or "this branch"
        if queued := _IN_QUEUE.search(branch):  # nobody can check out a branch of the merge queue
            branch = f"the branch of #{queued[2]}, with {queued[1]} merged into it"
        to_do = f"run tokensync pull in a checkout of {branch}, choose a side for each, and commit the result"
        if content_of(job.project.path(LOCK)) != _committed_lock(job, "HEAD"):
            to_do = f"merge the pull request of {job.branch}, which has the lock of the last apply; then {to_do}"
        tokens = f"{job.project.shown(job.project.tokens_folder)}/"
        below = os.path.dirname(job.source)
        lines = [f"{below}/{line}" if below and line.startswith(tokens) else line for line in error.lines]
        located = (
            os.path.join(job.project.folder, problem.where) if problem.where.startswith(tokens) else problem.where
            for problem in error.problems
        )
        found = (
            each._replace(where=where, what_to_do=to_do) for each, where in zip(error.problems, located, strict=True)
        )
        raise MergeConflictError(lines, to_do, tuple(found)) from None


def _committed_lock(job: Job, commit: str) -> bytes | None:
    return job.repository.blob(commit, lock_path(job))


def returned_lock(job: Job, target: Target) -> str:
    """Bring the lock back: into the base branch with the token of an App, else by the branch of the bot."""
    lock = content_of(job.project.path(LOCK))
    if lock is None:
        return ""
    is_committed = lock == _committed_lock(job, target.base_commit)
    if is_committed and waiting_lock(job, target.read(), target.base_commit) is None:
        return "tokensync.lock has not changed."
    if target.has_app and not is_committed:
        tree = job.repository.tree_with(target.base_commit, [lock_path(job)])
        part = Part("lock", tree, message("record an apply in the lock", ()))
        commit = written(job.repository, target.base_commit, [part], target.author, target.config)
        try:
            push(job.repository, target.server, target.base, commit, target.base_commit)
        except (Protected, ConflictError) as refused:
            job.say(str(refused))
        else:
            return f"tokensync.lock is committed to {target.base}."
    with connect(job.project, on_wait=job.say) as client:
        result = _proposed_pull(job, target, client, lock)
    if is_committed:  # this apply has reversed the one whose lock waited
        return f"tokensync.lock of {target.base} is right again, so the one that waited is dropped."
    return f"tokensync.lock waits in a pull request: {result.outputs['pull-request']}"
