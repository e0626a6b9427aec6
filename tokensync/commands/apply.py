"""Apply plans to the platform, and resume interrupted applies."""

from __future__ import annotations

import os
import re
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.applying import (
    ExecutionPlan,
    Result,
    apply,
    begin,
    complete,
    conclude,
    execution_of,
    refuse_unfinished,
    wait_for_copies,
)
from tokensync.apply.checking import CheckContext, Confirmed, refuse_emptied, refuse_unsafe
from tokensync.apply.journal import Applies, Finished, Journal, RolledBack, open_journal, write_receipt
from tokensync.apply.locking import locked
from tokensync.apply.receipts import PortableReceipt, portable
from tokensync.apply.rollback import ReversalContext, plan_without_copies, rollback_plan, write_rollback
from tokensync.apply.scripts import read_receipt, record_claim, script_of
from tokensync.apply.sending import ApplyContext, OtherApply, Reading, Remote
from tokensync.commands.usage import ProjectFiles, deleted_usage
from tokensync.extract.client import Client, Clock, parse_file
from tokensync.plan.review import summary_of
from tokensync.project.applied_lock import lock_applied, lock_effects, record_applied
from tokensync.project.connection import SNAPSHOT, state_folder, state_path, writes_motion
from tokensync.project.lock import LOCK, Lock, conflicts_of_lock
from tokensync.project.merging import refuse_half_written
from tokensync.project.plan_files import location_of, plan_path, read_plans, sources_digest
from tokensync.project.sources import chosen_files, read_file, read_tokens, write_edited_colors
from tokensync.system.disk import replace_file, shown_path
from tokensync.system.errors import ConflictError, UsageError, errors_among, stop_on_errors
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.plan import Plan
    from tokensync.plan.safety import Referring
    from tokensync.plan.state import FileState, Ref
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenGraph


class AppliedFile(NamedTuple):
    """What an apply did to one file.

    ``receipt`` and ``rollback`` are paths; ``rollback`` is empty if edits of others prevent a rollback. ``differences``
    are deviations from the plan, ``tolerated`` are other changes that others made meanwhile. ``token_files`` is true if
    a pull has to revert the token files.
    """

    file: str
    requests: int
    receipt: str
    rollback: str
    differences: tuple[str, ...]
    tolerated: tuple[str, ...]
    token_files: bool = False


class Applier:
    """Applies plans to the files of a project.

    ``say`` gets progress, ``tell`` gets messages worth keeping, ``warn`` gets problems. ``clock`` is time as tests set
    it. Without ``writes_rollback``, there is no rollback plan: a rehearsal needs none. ``receipts`` is a folder for
    receipts that work in every checkout; none are written without it.
    """

    def __init__(
        self,
        project: Project,
        client: Client,
        *,
        clock: Clock | None = None,
        say: Callable[[str], None] = lambda text: None,
        tell: Callable[[str], None] = lambda text: None,
        warn: Callable[[Iterable[Problem]], None] = lambda problems: None,
        writes_rollback: bool = True,
        receipts: str = "",
    ) -> None:
        config = project.config.client
        self.project = project
        self.client = client
        self.clock = clock or Clock()
        self.tell = tell
        self.warn = warn
        self._writes_rollback = writes_rollback
        self._receipts = receipts
        self.planned: frozenset[str] = frozenset()
        """The files of the plans that are applied together."""
        self.context = ApplyContext(config.settling_time, config.longest_wait, config.attempts, self.clock, say, tell)
        self.reversal = ReversalContext(project.config.allow, self.referring, writes_motion(project))
        self.applies = Applies(shown_path(state_path(project)))
        self._journal: Journal | None = None
        self._edited: set[str] = set()
        """The files with colours that the lock decides about."""

    @property
    def way_on(self) -> str:
        """Return how to continue after an error, as a message; empty if nothing has to be done."""
        journal = self._journal
        if journal is None or journal.status not in ("open", "stopped"):
            return ""
        folder, file, done = journal.folder, journal.started.file, journal.carried_out
        if journal.status == "open":
            return (
                f"{file}: the last request may have been applied; run tokensync apply --resume to find out and continue"
            )
        if not done:
            return ""
        return (
            f"{file}: {done} of {counted(journal.started.batches, 'request')} {'is' if done == 1 else 'are'} carried "
            f"out; tokensync apply --resume goes on, tokensync rollback {folder} takes back"
        )

    def apply(
        self,
        plan: Plan,
        *,
        force: bool = False,
        overwrite: bool = False,
        rebase: bool = False,
        where: Callable[..., str] | None = None,
    ) -> AppliedFile | None:
        """Carry out one plan; None when there is nothing to do in it.

        ``where`` returns the location of a part of the plan, for messages. ``force`` and ``overwrite`` confirm its
        safety findings, as ``Confirmed`` describes.

        Raises ConflictError for one that is unsafe or outdated and for a conflict of git in the lock, and whatever
        stops it on the way.
        """
        if not plan.operations:
            self._remote_of(plan)
            self.tell(f"{plan.file}: {summary_of(plan)}")
            return None
        with self._begun(plan, force=force, overwrite=overwrite, rebase=rebase, where=where) as begun:
            journal, execution, remote, reading = begun
            return self._carried_out(journal, execution, remote, rebase=rebase, reading=reading)

    def script(self, plan: Plan, *, force: bool = False, overwrite: bool = False) -> str:
        """Return the script that carries out a plan with operations. Its journal waits for the script's receipt.

        Raises what ``apply`` raises before it sends something.
        """
        with self._begun(plan, force=force, overwrite=overwrite, script=True) as (journal, execution, _, _):
            return script_of(journal, execution)

    @contextmanager
    def _begun(
        self,
        plan: Plan,
        *,
        force: bool,
        overwrite: bool,
        rebase: bool = False,
        where: Callable[..., str] | None = None,
        script: bool = False,
    ) -> Iterator[tuple[Journal, ExecutionPlan, Remote, Reading]]:
        """Yield a new journal for a plan, with its requests and the present content of its file, which is locked.

        Raises UsageError if the plan is to be sent to a capture.
        """
        saved = self.project.config.base_url.removeprefix(SNAPSHOT)
        if saved != self.project.config.base_url and not script:
            what = "a capture cannot be changed; write a script for Figma with tokensync plan --script FILE"
            raise UsageError(f"base_url: {saved}: {what}")
        remote = self._remote_of(plan)
        allow, confirmed = self.project.config.allow, Confirmed(force, overwrite)
        refuse_unsafe(plan, allow, confirmed=confirmed)
        state_folder(self.project)
        with self.locked(plan.file):
            self._refuse_unreadable(plan.file, remote)
            earlier = self.applies.of(plan.file)
            refuse_unfinished(earlier, self.clock.now())
            for each in earlier:  # a refused request must not be applied while or after this plan is
                if each.status == "stopped" and each.batch(each.carried_out).refused and each.started.key == plan.key:
                    why = "another plan is to be applied"
                    conclude(each, execution_of(each), remote, self.context, why=why)
                if each.started.key == plan.key:
                    wait_for_copies(each, self.context)
            reading = remote.read()
            journal, execution = begin(
                self.applies,
                plan,
                reading,
                rebase=rebase,
                now=self.clock.now(),
                report=self.tell,
                context=CheckContext(
                    where or (lambda *pointer: plan.file),
                    allow,
                    confirmed,
                    self._used,
                    self.referring,
                    partial(self._graphs, plan.file),
                ),
                lock=partial(self._updated_lock, plan, reading),
                script=script,
            )
            yield journal, execution, remote, reading

    def _remote_of(self, plan: Plan) -> Remote:
        """Return the file of a plan. Raises ConflictError for a conflict of git in the lock."""
        remote = self.remote(plan.file, plan.key)
        for conflict in conflicts_of_lock(self.project.folder):  # which the end of the apply would overwrite
            what = "git has left a conflict here"
            raise ConflictError(
                f"{conflict.where}: {what}; run tokensync pull, which merges both sides, and apply again"
            )
        return remote

    def _updated_lock(self, plan: Plan, reading: Reading) -> str:
        """Return the digest of the lock, after adding what an apply has done whose rest the plan replaces."""
        journal = None if plan.rollback_of else self.applies.in_part(plan.file)
        if journal is not None and journal.started.key == plan.key:
            lock_effects(self.project, journal, reading)
        return Lock(self.project.folder).digest

    def resume(self, file: str, *, rebase: bool = False) -> AppliedFile | None:
        """Resume the last apply of a file; return None if it is finished or there is none.

        Raises ConflictError if a rollback plan exists for it, and the errors of the requests.
        """
        with self.locked(file):
            journal = next(iter(reversed(self.applies.of(file))), None)
            if journal is None or journal.status in ("finished", "rolled back") or journal.started.script:
                return None
            if journal.is_given_up:
                raise ConflictError(
                    f"{journal.folder}: tokensync rollback has given it up; apply the rollback plan, or make a new plan"
                )
            remote = self.remote(file, journal.started.key)
            self._refuse_unreadable(file, remote)
            complete(journal, remote, now=self.clock.now(), rebase=rebase)
            return self._carried_out(journal, execution_of(journal), remote, rebase=rebase)

    def remote(self, file: str, key: str) -> Remote:
        """Return the file on the platform. Raises ConflictError if the configuration has another key for this name."""
        configured = {file.name: file for file in self.project.config.files}
        if file not in configured:
            raise UsageError(
                f"{self.project.source}: the plan is for the file {file}, which is not configured; configure it again"
            )
        reference = parse_file(configured[file].key, f"{self.project.source} (file {file})")
        if str(reference) != key:
            raise ConflictError(
                f"{self.project.source}: {file} now has the key {reference}, but the plan is for {key}; make a new plan"
            )
        return Remote(self.client.variables, file, reference)

    def referring(self, reading: Reading) -> Referring:
        """Return who refers to what a file holds, by the token files of the project's other files."""
        return ProjectFiles(self.project, planned=self.planned).referring(reading.file, reading.graph)

    def _used(self, reading: Reading, before: FileState, after: FileState) -> Mapping[Ref, str]:
        key = next(file.key for file in self.project.config.files if file.name == reading.file)
        return deleted_usage(self.client, key, reading.graph, before, after).used

    def _refuse_unreadable(self, file: str, remote: Remote) -> None:
        """Raise an error for token files that cannot be read, and report damage of the lock, which is updated.

        A pull in the middle of an apply may write temporary names. If it was interrupted, the lock lacks them, so the
        pull after the apply would take them for new tokens.
        """
        refuse_half_written(self.project, file, or_wholly=True)
        problems = read_tokens(self.project, file).problems
        if errors_among(problems):  # they may refer to library tokens that only the next pull writes
            problems = read_tokens(self.project, file, like=remote.read().graph).problems
        stop_on_errors(problems)
        if any(problem.code == "color-edited" for problem in problems):
            self._edited.add(file)
        problems = self.project.levels.applied(Lock(self.project.folder).problems)
        stop_on_errors(problems)
        self.warn(problems)

    def _graphs(self, file: str) -> Iterator[TokenGraph]:
        """Yield the graphs of the token files and of the lock of a file."""
        yield read_tokens(self.project, file).graph
        yield from Lock(self.project.folder).graphs(file)

    def locked(self, file: str) -> AbstractContextManager[None]:
        """Return the lock of a file, as a context."""
        return locked(self.applies.lock_path(file), file, now=self.clock.now)

    def _carried_out(
        self,
        journal: Journal,
        execution: ExecutionPlan,
        remote: Remote,
        *,
        rebase: bool,
        reading: Reading | None = None,
    ) -> AppliedFile:
        self._journal = journal
        try:
            result = apply(journal, execution, remote, self.context, rebase=rebase, reading=reading)
        except Exception as error:
            if journal.status == "stopped" and journal.carried_out:
                write_receipt(journal, "stopped", execution.plan.fingerprint)
            if isinstance(error, OtherApply):
                self._journal = None  # neither resuming nor a whole rollback is the way on beside another apply
                if error.copies:
                    raise ConflictError(f"{error}; {self._way_apart(journal, execution, error)}") from None
            raise
        return self._finished(journal, execution, result)

    def _finished(self, journal: Journal, execution: ExecutionPlan, result: Result) -> AppliedFile:
        """Write the receipt and the rollback plan, update the lock, and close the journal.

        Until the journal is closed, each step can be repeated after a crash.
        """
        receipt = write_receipt(
            journal, "finished", execution.before.fingerprint, result.reading.fingerprint, result.differences
        )
        rollback = ""
        with suppress(ConflictError):  # later edits of others prevent a rollback
            if self._writes_rollback:
                plan, problems = rollback_plan(journal, execution, result.reading, self.reversal)
                rollback = "" if errors_among(problems) else write_rollback(journal, plan)
        is_rollback, token_files = bool(execution.plan.rollback_of), execution.plan.token_files
        if result.by_others is not None and not token_files:  # otherwise the next pull updates the lock
            if (edited := execution.plan.file) in self._edited:  # before the lock changes
                write_edited_colors(self.project, edited)
            lock_applied(
                self.project,
                execution.before,
                result.reading,
                by_others=result.by_others,
                is_rollback=is_rollback,
                lock_at_start=journal.started.lock,
            )
        if not result.differences:
            self._close_original(execution.plan, journal)
        journal.record(Finished(at=self.clock.now(), differences=result.differences))
        file, requests = journal.started.file, len(execution.batches)
        if result.hint:
            self.tell(f"{file}: {result.hint}")
        self.tell(f"{file}: applied in {counted(requests, 'request')}; the receipt is {receipt}")
        if self._receipts:
            self.tell(f"{file}: {self._keep(journal, portable(journal, execution, result))}")
        return AppliedFile(file, requests, receipt, rollback, result.differences, result.tolerated, token_files)

    def _keep(self, journal: Journal, content: bytes | None) -> str:
        """Write a receipt for other checkouts, and return what became of it."""
        if content is None:
            return "no receipt for other checkouts, since others changed the same objects meanwhile"
        path = os.path.join(self._receipts, f"{os.path.basename(journal.folder)}.json")
        replace_file(path, content)
        return f"the receipt for other checkouts is {shown_path(path)}"

    def _way_apart(self, journal: Journal, execution: ExecutionPlan, meeting: OtherApply) -> str:
        """Write the plan that takes back what another apply has created, too; return what to do."""
        plan, problems = plan_without_copies(journal, execution, meeting.reading, meeting.copies, self.reversal)
        if errors_among(problems):
            return "delete one of the two in the editor, then make a new plan"
        path = write_rollback(journal, plan)
        command = f"take this apply's copy back with tokensync apply {path} --force --rebase, then make a new plan"
        # Both may read this, and only one is to take its copy back: the one whose id is later.
        if min(_order(own) for _, own in meeting.copies) > min(map(_order, meeting.copies.values())):
            return command
        return (
            "the other apply has to take its copy back; when it has, continue with tokensync apply --resume; if it has "
            f"ended without noticing, {command}"
        )

    def _close_original(self, plan: Plan, journal: Journal) -> None:
        """Close the apply that a plan has reverted, unless it is unclear whether its last request was applied."""
        if not plan.rollback_of:
            return
        name = os.path.basename(os.path.dirname(plan.rollback_of))
        original = open_journal(os.path.join(self.applies.root, name))
        if (
            original.records
            and original.status != "rolled back"
            and original.started.key == plan.key
            and not original.batch(original.carried_out).uncertain
        ):
            original.record(RolledBack(at=self.clock.now(), by=os.path.basename(journal.folder)))


def _order(identity: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]+", identity)]


def apply_plans(
    applier: Applier, path: str | None = None, *, force: bool = False, overwrite: bool = False, rebase: bool = False
) -> tuple[AppliedFile, ...]:
    """Apply the plans in a file, by default ``.tokensync/plan.json``; skip plans without operations.

    Raises what ``Applier.apply`` raises, before anything is sent when one of the plans is unsafe. Raises ConflictError
    for a default plan of other token files: only the path of a file says that the user means that plan.
    """
    default = plan_path(applier.project)
    if path is None and not os.path.isfile(default):
        raise UsageError(f"{default}: there is no plan; make one with tokensync plan")
    plan_file = read_plans(path or default)
    if path is None:
        # An apply that was interrupted at its end has changed the lock, too: a new plan would not complete it.
        planned = {plan.file for plan in plan_file.plans}
        for file in applier.project.config.files:
            if file.name in planned:
                with applier.locked(file.name):
                    refuse_unfinished(applier.applies.of(file.name), applier.clock.now())
        if plan_file.made_from != sources_digest(applier.project):
            what = f"the token files, {LOCK} or the settings are not those that this plan was made from"
            raise ConflictError(f"{default}: {what}; make a new plan with tokensync plan")
    path = path or default
    wanted = plan_file.plans
    applier.planned = frozenset(plan.file for plan in wanted)
    for number, each in enumerate(wanted):
        refuse_emptied(each, partial(location_of, path, "plans", number))
        refuse_unsafe(each, applier.project.config.allow, confirmed=Confirmed(force, overwrite))
    done = (
        applier.apply(
            each, force=force, overwrite=overwrite, rebase=rebase, where=partial(location_of, path, "plans", number)
        )
        for number, each in enumerate(wanted)
    )
    return tuple(file for file in done if file is not None)


def resume_applies(applier: Applier, names: Sequence[str] = (), *, rebase: bool = False) -> tuple[AppliedFile, ...]:
    """Resume the interrupted or stopped applies of these files, or of all files."""
    done = (applier.resume(file.name, rebase=rebase) for file in chosen_files(applier.project, names))
    return tuple(file for file in done if file is not None)


def record_receipt(applier: Applier, receipt: PortableReceipt) -> bool:
    """Record in the lock what an apply elsewhere has changed; return whether the lock did not have it.

    Raises ConflictError for a lock that is not as before that apply.
    """
    remote = applier.remote(receipt.file, receipt.key)
    with applier.locked(receipt.file):
        return record_applied(applier.project, *receipt.readings(remote.read()))


def claim_receipt(project: Project, path: str) -> Journal:
    """Record what a script has returned, and return the journal of its plan.

    Raises what ``read_receipt`` and ``record_claim`` raise, and ConflictError for the receipt of another plan.
    """
    receipt = read_receipt(read_file(path), path)
    applies, clock = Applies(shown_path(state_path(project))), Clock()
    for file in project.config.files:
        key = str(parse_file(file.key))
        with locked(applies.lock_path(file.name), file.name, now=clock.now):
            for journal in reversed(applies.of(file.name)):
                started = journal.started
                if started.script and (started.plan, started.key) == (receipt.plan, key):
                    record_claim(journal, receipt, path, clock.now())
                    return journal
    what = f"it is for the plan {receipt.plan[:12]!r}, of which no script was made here"
    raise ConflictError(f"{path}: {what}; use it where tokensync plan --script was run, or only pull the next capture")
