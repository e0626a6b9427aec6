"""Plan for a review, and apply exactly what was reviewed.

The review is bound to the operations by their fingerprint, which is in a status of the commit that was reviewed: only
those with write access can set one. Texts of comments decide about nothing, and an artifact only if a run of the same
workflow on the default branch made it.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.action import texts
from tokensync.action.job import (
    Job,
    Result,
    annotate_problems,
    base_name,
    from_top,
    has_token,
    hosting_of,
    refuse_without_token,
    server_of,
    shown,
    target_of,
)
from tokensync.action.pulling import conflict_advice, returned_lock, take_waiting_lock
from tokensync.apply.applying import touched
from tokensync.apply.journal import APPLIES, BEFORE, PLAN, TOUCHED, Applies
from tokensync.extract.client.endpoints import within
from tokensync.plan.plan import Plan, PlanFile, decoded
from tokensync.project.connection import connect, state_path
from tokensync.system import outlet
from tokensync.system.boundary import flaw_of
from tokensync.system.disk import content_of, make_folder, remove_file, replace_file
from tokensync.system.errors import ConflictError, ProblemsError, UsageError
from tokensync.system.outlet.findings import annotation
from tokensync.system.outlet.markdown import marker
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.action.branch import Target
    from tokensync.action.hosting import Hosting
    from tokensync.action.runner import Runner
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem

_WAITS_FOR_PULL = (5.0, 10.0, 20.0, 30.0)
"""Seconds between attempts to find the pull request of a merge, which the server knows only after a while."""
_FROM_ELSEWHERE = "runs for forks and for Dependabot use no token, so only the files are checked"


def fingerprint_of_plans(plans: Sequence[Plan]) -> str:
    """Return the digest of the operations of plans, which binds an apply to a review."""
    read = decoded(PlanFile(plans=tuple(plans)).encoded()).plans  # an integer is a float after it was in a file
    parts = [(plan.file, plan.key, plan.operations) for plan in read if plan.operations]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def plan_mode(job: Job, check: Callable[[Job], Result]) -> Result:
    """Plan, and write the comment and the status of the review; ``check`` is run without a token."""
    if not has_token(job):
        if not job.runner.is_without_secrets():
            refuse_without_token(job)
        outlet.write_commands([annotation("notice", _FROM_ELSEWHERE)])
        return check(job)
    event = job.runner.event()
    if job.runner.event_name == "workflow_run":
        return _plan_for_fork(job, event)
    number = int(within(event, "pull_request", "number") or 0)
    return _planned(job, event, number, str(within(event, "pull_request", "head", "sha") or ""))


def _plan_for_fork(job: Job, event: dict[str, Any]) -> Result:
    """Plan the token files of a pull request from a fork. Nothing else of it is used, least of all its settings.

    The pull request is found by the commit that the event names: artifacts and texts of its run are the stranger's.
    """
    head = str(within(event, "workflow_run", "head_sha") or "")
    branch = str(within(event, "workflow_run", "head_branch") or "")
    owner = str(within(event, "workflow_run", "head_repository", "owner", "login") or "")
    with job.hosting() as hosting:
        numbers = [pull.number for pull in hosting.pulls_from(owner, branch) if pull.is_open and pull.head == head]
    if not numbers:
        job.say("there is no open pull request for this commit; nothing to do")
        return Result(0, {}, [texts.lines("There is no open pull request for this commit.")])
    job.repository.fetch(server_of(job), (f"+refs/pull/{numbers[0]}/head:refs/tokensync/pull",))
    if job.repository.commit_id("refs/tokensync/pull") != head:
        job.say("the pull request has newer commits; their own run plans them")
        return Result(0, {}, [texts.lines("The pull request has newer commits.")])
    _take_token_files(job, head)
    return _planned(job, event, numbers[0], head)


def _take_token_files(job: Job, revision: str) -> None:
    """Replace the token files by those of a commit."""
    files = job.repository.files(revision, job.project.tokens_folder)
    for path in files:
        if flaw := flaw_of(path):
            raise UsageError(f"{path}: {flaw.what}; {flaw.what_to_do}")
    present = job.repository.files("HEAD", job.project.tokens_folder)
    for path in present.keys() - files.keys():
        remove_file(os.path.join(job.project.tokens_folder, *path.split("/")))
    for path, content in files.items():
        replace_file(os.path.join(job.project.tokens_folder, *path.split("/")), content)


def _planned(job: Job, event: dict[str, Any], number: int, head: str) -> Result:
    mark = marker("plan", job.label)
    group = str(within(event, "merge_group", "base_ref") or "").removeprefix("refs/heads/")
    take_waiting_lock(job, job.variables.get("GITHUB_BASE_REF") or group or base_name(job))
    try:
        plans, path, problems = _made_plans(job)
    except (ConflictError, ProblemsError) as error:
        if number:
            with job.hosting() as hosting:
                reasons = [splitline for splitline in shown(str(error), job.top).splitlines() if splitline.strip()]
                comment = texts.refusal(mark, "There is no plan for these changes:", reasons)
                hosting.put_comment(number, mark, comment)
                hosting.set_status(head, _context(job), "failure", "there is no plan; see the comment")
        raise
    operations = sum(len(plan.operations) for plan in plans)
    fingerprint = fingerprint_of_plans(plans)
    unsafe, differs = any(plan.unsafe for plan in plans), any(plan.differs for plan in plans)
    if number:
        with job.hosting() as hosting:
            comment = texts.plan_comment(mark, plans, fingerprint, operations)
            hosting.put_comment(number, mark, comment, creates=unsafe or differs)
            state = "failure" if unsafe else "success"
            hosting.set_status(head, _context(job), state, f"{fingerprint} {_in_words(plans)}")
    code = ConflictError.exit_code if unsafe and number else 0
    if job.runner.event_name == "merge_group":
        with job.hosting() as hosting:
            _refuse_other_than_reviewed(job, hosting, _number_of_group(event), fingerprint, operations)
    annotate_problems(problems, job.top)
    outputs = {"changed": str(differs).lower(), "plan": path, "fingerprint": fingerprint, "operations": str(operations)}
    summary = [texts.title("tokensync plan", job.label), *texts.reviews(plans)]
    return Result(code, outputs, [*summary, *texts.problems(from_top(problems, job.top))])


def _made_plans(job: Job) -> tuple[tuple[Plan, ...], str, tuple[Problem, ...]]:
    from tokensync.commands.plan import make_plan

    make_folder(job.runner.results)
    path = os.path.join(job.runner.results, "plan.json")
    with conflict_advice(job), connect(job.project, on_wait=job.say) as client:
        planned = make_plan(job.project, client, job.files, path=path, progress=job.say)
    return planned.file.plans, path, planned.problems


def _context(job: Job) -> str:
    """Return the context of the commit status that holds the fingerprint of a reviewed plan."""
    return f"tokensync plan ({job.label})"[:200]


def _in_words(plans: Sequence[Plan]) -> str:
    """Return the number of operations, first, and that of edits that no apply carries out."""
    waiting = sum(len(plan.held_back) for plan in plans)
    operations = counted(sum(len(plan.operations) for plan in plans), "operation")
    return f"{operations}; {counted(waiting, 'edit')} held back" if waiting else operations


def _reviewed(job: Job, hosting: Hosting, head: str) -> tuple[str, int] | None:
    """Return the fingerprint and number of the operations that were reviewed for a commit.

    Only those with write access can set a status, and only ours counts, by the token of the job or of the App.
    """
    for status in hosting.statuses(head):
        if status.context == _context(job) and status.author in hosting.logins:
            fingerprint, _, count = status.description.partition(" ")
            digits = count.split(" ")[0].replace(",", "")
            if len(fingerprint) == 64 and digits.isdigit():
                return fingerprint, int(digits)
            return None
    return None


def _number_of_group(event: dict[str, Any]) -> int:
    ref = str(within(event, "merge_group", "head_ref") or "")
    digits = ref.rpartition("/pr-")[2].partition("-")[0]
    if not digits.isdigit():
        raise UsageError(f"{ref}: this branch of the merge queue names no pull request; run the plan for pull requests")
    return int(digits)


def _refuse_other_than_reviewed(job: Job, hosting: Hosting, number: int, fingerprint: str, operations: int) -> None:
    """Raise ConflictError unless the operations are those that were reviewed for a pull request."""
    reviewed = _reviewed(job, hosting, hosting.pull(number).head)
    if reviewed is None:
        if operations:
            raise ConflictError(
                f"#{number}: no plan was reviewed for its last commit; run the workflow of the plan again"
            )
        return
    if reviewed[0] != fingerprint:
        what = f"the plan now has {counted(operations, 'operation')}, which are not the {reviewed[1]:,} reviewed ones"
        raise ConflictError(f"#{number}: {what}; update the branch, and review the new plan")


# --- apply ----------------------------------------------------------------------------------------------------------


def apply_mode(job: Job) -> Result:
    """Apply the operations that were reviewed, and bring the lock back."""
    from tokensync.commands.apply import Applier, apply_plans, resume_applies

    refuse_without_token(job)
    with job.hosting() as hosting:
        target = target_of(job, hosting)
        _take_journals(job, hosting, target)
        take_waiting_lock(job, target.base)
        if os.path.isdir(state_path(job.project, "applies")):
            _refuse_foreign_commits(target)
        receipts = os.path.join(job.runner.results, "receipts")
        try:
            with connect(job.project, on_wait=job.say) as client:
                resumed = resume_applies(Applier(job.project, client, tell=job.say, receipts=receipts))
            plans, path, problems = _made_plans(job)
            operations = sum(len(plan.operations) for plan in plans)
            approval = _refuse_unreviewed(job, hosting, target, plans)
            done = resumed
            if operations:
                _refuse_foreign_commits(target)
                with connect(job.project, on_wait=job.say) as client:
                    done = (*done, *apply_plans(Applier(job.project, client, tell=job.say, receipts=receipts), path))
        finally:
            keep_journals(job.project, job.runner)
        different = [difference for file in done for difference in file.differences]
        returned = returned_lock(job, target) if done else ""
    annotate_problems(problems, job.top)
    outcome = f"applied {_in_words(plans)}" if any(plan.differs for plan in plans) else "nothing to apply"
    sentences = [f"Result: {outcome}. {approval}", *([returned] if returned else [])]
    result = texts.linked(job.runner.repository_url, *sentences)
    others = texts.lines(*(f"Not as planned, because it was changed meanwhile: {each}" for each in different))
    job.say(outcome)
    outputs = {"changed": str(bool(done)).lower(), "plan": path, "fingerprint": fingerprint_of_plans(plans)}
    summary = [texts.title("tokensync apply", job.label), result, others, *texts.reviews(plans)]
    summary += texts.problems(from_top(problems, job.top))
    return Result(1 if different else 0, outputs, summary)


def _refuse_foreign_commits(target: Target) -> None:
    """Raise ConflictError while the bot's branch has commits of others, because the lock could not go back then."""
    try:
        target.read()
    except ConflictError as error:
        raise ConflictError(f"{error}, then run this workflow again; nothing was applied") from None


def _refuse_unreviewed(job: Job, hosting: Hosting, target: Target, plans: Sequence[Plan]) -> str:
    """Return how the operations were approved. Raises ConflictError for operations that nobody has reviewed."""
    operations = sum(len(plan.operations) for plan in plans)
    fingerprint = fingerprint_of_plans(plans)
    if job.inputs.approved:
        if job.inputs.approved != fingerprint and operations:
            raise ConflictError(f"approved: the plan now has the fingerprint {fingerprint}; review it in the summary")
        return "Approved by the input of this run."
    number, reviewed = _found_review(job, hosting, target)
    where = f"#{number}" if number else target.base_commit[:12]
    if reviewed is None:
        if operations:
            what = f"{counted(operations, 'operation')}, but no reviewed plan was found for this commit"
            to_do = f"review the plan in the summary, and run this workflow by hand with approved: {fingerprint}"
            raise Unreviewed(f"{where}: {what}; {to_do}", plans)
        return "No plan was reviewed, and none is needed."
    if reviewed[0] == fingerprint:
        return f"Reviewed in {where}."
    if not operations:
        if _is_already_so(job):
            return f"The design files already have the changes of {where}."
        what = f"the reviewed plan had {counted(reviewed[1], 'operation')}, but now there is nothing to apply"
        to_do = "compare the token files and tokensync.lock of the merge with those of the pull request"
        raise Unreviewed(f"{where}: {what}, and the design files differ from the token files; {to_do}", plans)
    what = f"the plan has {counted(operations, 'operation')}, which are not the {reviewed[1]:,} reviewed ones"
    to_do = f"review the plan in the summary, and run this workflow by hand with approved: {fingerprint}"
    raise Unreviewed(f"{where}: {what}; {to_do}", plans)


class Unreviewed(ConflictError):
    """A plan that differs from the reviewed one; ``plans`` is the fresh one."""

    def __init__(self, text: str, plans: Sequence[Plan]) -> None:
        super().__init__(text)
        self.plans = plans


def _found_review(job: Job, hosting: Hosting, target: Target) -> tuple[int, tuple[str, int] | None]:
    """Return the merged pull request of this commit, and what was reviewed in it; 0 and None without one."""
    for wait in (*_WAITS_FOR_PULL, None):
        found = hosting.pulls_of_commit(target.base_commit)
        merged = [pull_request for pull_request in found if pull_request.is_merged and pull_request.base == target.base]
        if merged:
            return merged[0].number, _reviewed(job, hosting, merged[0].head)
        if wait is not None:
            job.sleep(wait)
    return 0, None


def _is_already_so(job: Job) -> bool:
    """Return whether the design files have what the merge changed in the token files, apart from other changes.

    The plan has no operations, so edits of the token files can only be held back.
    """
    from tokensync.commands.diff import diff
    from tokensync.commands.status import status

    with connect(job.project, on_wait=job.say) as client:
        files = status(job.project, client, job.files).files
    behind = [change for file in files for change in file.behind]
    if not behind:
        return True
    try:
        before = job.repository.commit_id(str(job.runner.event().get("before") or "HEAD^"))
        merged = diff(job.project, f"git:{before}", job.project.tokens_folder).differences
    except UsageError:  # a shallow clone does not have the commit before
        return False
    changed = {(each.collection, each.token, change.member) for each in merged for change in each.changes}
    tokens = {each[:2] for each in changed}
    return not any(
        (each.collection, each.token) in tokens
        and (each.kind != "changed" or any((each.collection, each.token, member) in changed for member in each.what))
        for each in behind
    )


def _take_journals(job: Job, hosting: Hosting, target: Target) -> None:
    """Put journals of an earlier run, which a step has downloaded, where apply looks for them.

    Raises ConflictError for an apply that would be resumed although nobody has reviewed it.
    """
    own, downloaded = Applies(state_path(job.project)), Applies(job.runner.journals)
    for applies in (own,) if _is_of_this_workflow(job) else (own, downloaded):
        for journal in (journal for file in job.project.config.files for journal in applies.of(file.name)):
            if journal.status in ("unsent", "open", "stopped"):
                plans = decoded(journal.content(PLAN, journal.started.plan)).plans
                _refuse_unreviewed(job, hosting, target, plans)
    _copy_files(downloaded.root, own.root, replaces=False)


def _is_of_this_workflow(job: Job) -> bool:
    """Return whether the artifact is of a run of this workflow on the default branch, which compared the review."""
    workflow = job.variables.get("GITHUB_WORKFLOW_REF", "").partition("@")[0]
    default = str(within(job.runner.event(), "repository", "default_branch") or "")
    with hosting_of(job.inputs._replace(app_token=""), job.variables) as hosting:  # an App may not read runs
        return bool(job.inputs.journals) and hosting.is_run_of(job.inputs.journals, workflow, default)


def keep_journals(project: Project, runner: Runner) -> tuple[str, ...]:
    """Copy the journals of applies to the results of the run, and return the files whose apply is unfinished."""
    applies = Applies(state_path(project))
    kept = os.path.join(runner.results, APPLIES)
    # Everybody who can read the run can read its artifact, and a response has variables that are not published.
    _copy_files(applies.root, kept, replaces=True, omitted=BEFORE)
    unfinished: list[str] = []
    for file in project.config.files:
        journals = applies.of(file.name)
        for journal in journals:
            if os.path.exists(os.path.join(journal.folder, BEFORE)):
                replace_file(os.path.join(kept, os.path.basename(journal.folder), TOUCHED), touched(journal))
        unfinished += [file.name for journal in journals[-1:] if journal.status in ("open", "stopped")]
    return tuple(unfinished)


def _copy_files(source: str, target: str, *, replaces: bool, omitted: str = "") -> None:
    for parent, _, names in os.walk(source):
        for name in names:
            path = os.path.join(parent, name)
            copy = os.path.join(target, os.path.relpath(path, source))
            content = content_of(path)
            if content is not None and name != omitted and (replaces or not os.path.exists(copy)):
                replace_file(copy, content)
