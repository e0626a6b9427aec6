"""Carries out a plan, or what is left of one: batch by batch, each on a platform that is as expected."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.journal import BEFORE, PLAN, Resumed, Started, Stopped, digest_of
from tokensync.apply.reading import Reading
from tokensync.apply.sending import ApplyTimeouts, Sender, Step, Stop
from tokensync.errors import ConflictError, TokensyncError, errors_among
from tokensync.plan import plan as plans
from tokensync.plan.batches import batches_of
from tokensync.plan.batches.elements import DropCollection, DropMode
from tokensync.plan.batches.layout import after, with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import DeleteCollection, DeleteMode, aspects_of, disturbed, subjects
from tokensync.plan.plan import PlanFile
from tokensync.plan.refs import labels_of
from tokensync.plan.safety import findings
from tokensync.plan.validation import faults
from tokensync.wording import listed_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.apply.journal import Applies, Journal
    from tokensync.apply.reading import Remote
    from tokensync.client import Clock
    from tokensync.plan.batches import Batch
    from tokensync.plan.operations import Operation
    from tokensync.plan.plan import Plan
    from tokensync.plan.state import FileState, Ref


def refuse_unsafe(plan: Plan, *, force: bool) -> None:
    """Raises ConflictError for findings that nobody has allowed, unless ``force`` does."""
    if plan.unsafe and not force:
        found = listed_once([f"{each.kind} {each.subject}: {each.what}" for each in plan.unsafe])
        raise ConflictError(
            f"{plan.file}: the plan is unsafe ({found}); carry it out with --force if all of that is meant, "
            "or add [[allow]] entries to the configuration and plan again"
        )


def refuse_unfinished(journals: Sequence[Journal], now: float) -> None:
    """Raises ConflictError when an earlier apply of the file was broken off; one that sent nothing is closed."""
    for each in journals:
        if each.status == "unsent":
            each.record(Stopped(at=now, why="nothing was sent"))
        elif each.status == "open":
            raise ConflictError(
                f"{each.folder}: an apply of {each.started.file} was broken off, and its last request may have been "
                "carried out; go on with tokensync apply --resume, or take it back with "
                f"tokensync rollback {each.folder}"
            )


def begin(
    applies: Applies,
    plan: Plan,
    reading: Reading,
    *,
    made_by: str,
    rebase: bool,
    now: float,
    say: Callable[[str], None],
) -> tuple[Journal, ExecutionPlan]:
    """Begin a journal for a plan and return it. ``reading`` is what the platform holds.

    Raises ConflictError when that is not what the plan was made from, unless ``rebase`` and it does not touch the
    plan's objects, and the platform would still take the plan; and for a plan that was edited since it was made.
    """
    rebased = reading.fingerprint != plan.fingerprint
    content = PlanFile(made_by=made_by, plans=(plan,)).encoded()
    touched = disturbed(plan.operations, reading.state)
    if touched and not rebased:
        raise ConflictError(
            f"{plan.file}: the plan is not as it was made: the file never held what it says of "
            f"{listed_once(subjects(touched, reading.state))}; make a new plan"
        )
    if rebased:
        _refuse_outdated(applies, plan, reading, touched, digest_of(content), rebase=rebase)
        say(f"{plan.file}: the platform has changed since the plan was made, but not what the plan changes")
    execution = execution_from(plan, reading)
    if rebased:
        _refuse_impossible(plan, execution)
    _refuse_unsaid(plan, execution, reading, rebased=rebased)
    journal = applies.new(plan.file, content, reading.raw, now)
    journal.record(
        Started(
            at=now,
            file=plan.file,
            key=plan.key,
            plan=digest_of(content),
            before=digest_of(reading.raw),
            batches=len(execution.batches),
            rebased=rebased,
        )
    )
    return journal, execution


def _refuse_outdated(
    applies: Applies, plan: Plan, reading: Reading, touched: Sequence[Operation], digest: str, *, rebase: bool
) -> None:
    done = [each for each in applies.of(plan.file) if each.status == "finished" and each.started.plan == digest]
    if done:
        raise ConflictError(f"{plan.file}: this plan has already been applied ({done[-1].folder}); make a new plan")
    if touched:
        raise ConflictError(
            f"{plan.file}: since the plan was made, somebody changed what it changes "
            f"({listed_once(subjects(touched, reading.state))}); make a new plan"
        )
    if not rebase:
        raise ConflictError(
            f"{plan.file}: the platform has changed since the plan was made, but not what the plan changes; "
            "carry it out all the same with --rebase, or make a new plan"
        )


def _refuse_impossible(plan: Plan, execution: ExecutionPlan) -> None:
    """What somebody else made may have taken a name, or the last room, that the plan needs."""
    found = errors_among(
        faults(execution.states[0], execution.states[-1], plan.operations, lambda ref, mode: plan.labels.get(ref, ref))
    )
    if found:
        reasons = listed_once([f"{each.where}: {each.what}" for each in found])
        raise ConflictError(
            f"{plan.file}: the plan does not go with what somebody else changed since ({reasons}); make a new plan"
        )


def _refuse_unsaid(plan: Plan, execution: ExecutionPlan, reading: Reading, *, rebased: bool) -> None:
    """What a plan deletes without a finding that says so: nobody who reviewed it, or forces it, has seen that.

    It has come into use since, or the finding was taken out of the file.
    """
    labels = {**labels_of(reading.graph), **plan.labels}
    found = findings(execution.states[0], execution.states[-1], plan.operations, labels=labels, retyped={})
    known = {(each.kind, each.subject) for each in plan.findings}
    unsaid = [each for each in found if each.kind.startswith("delete ") and (each.kind, each.subject) not in known]
    if unsaid:
        reasons = listed_once([f"{each.subject}: {each.what}" for each in unsaid])
        why = "does not go with what somebody else changed since" if rebased else "does not say what it deletes"
        raise ConflictError(f"{plan.file}: the plan {why} ({reasons}); make a new plan")


_LAGS = (1.0, 2.0, 4.0, 8.0)
"""Seconds between readings that show nothing yet of a request that was answered."""


class ExecutionPlan(NamedTuple):
    """A plan as requests: ``states[n]`` is what the file holds when n of them are carried out, in the plan's refs."""

    plan: Plan
    before: Reading
    batches: tuple[Batch, ...]
    states: tuple[FileState, ...]


class Result(NamedTuple):
    """What the platform holds when all is carried out: ``ids`` are the real ones of what was made.

    ``differences`` says what is not as planned, since somebody else changed it; ``tolerated`` what of somebody else's
    does not touch the plan's objects.
    """

    reading: Reading
    ids: dict[Ref, str]
    differences: tuple[str, ...]
    tolerated: tuple[str, ...] = ()


def execution_of(journal: Journal) -> ExecutionPlan:
    """Return the requests of a journal's plan, the same ones each time. Raises ConflictError when its files were
    changed.
    """
    started = journal.started
    (plan,) = plans.decoded(journal.content(PLAN, started.plan)).plans
    return execution_from(plan, Reading(started.file, journal.content(BEFORE, started.before)))


def execution_from(plan: Plan, before: Reading) -> ExecutionPlan:
    """Return the requests that carry out a plan on a file that holds ``before``."""
    batches = batches_of(plan.operations, before.state)
    return ExecutionPlan(plan, before, batches, tuple(_states(before.state, batches)))


def _states(state: FileState, batches: Sequence[Batch]) -> Iterator[FileState]:
    yield state
    for each in batches:
        state = after(state, each)
        yield state


def known_ids(journal: Journal) -> dict[Ref, str]:
    """Return the real ids of all that a journal's requests are known to have made."""
    found: dict[Ref, str] = {}
    for index in range(journal.carried_out):
        found |= journal.batch(index).ids or {}
    return found


def apply(
    journal: Journal,
    execution: ExecutionPlan,
    remote: Remote,
    *,
    rebase: bool = False,
    timeouts: ApplyTimeouts,
    clock: Clock,
    say: Callable[[str], None],
    reading: Reading | None = None,
) -> Result:
    """Carry out whatever of a plan is not carried out yet, and read back what came of it.

    ``reading`` is what the platform holds, if that was just read. Raises Stop (a ConflictError) when it must not go on,
    and what the client raises. The journal says "stopped" then, unless a request may still be on its way.
    """
    run = _Run(journal, execution, remote, rebase, timeouts, clock, say)
    try:
        return run.result(reading)
    except TokensyncError as error:
        if isinstance(error, Stop) or not run.in_doubt:
            journal.record(Stopped(at=clock.now(), why=str(error)[:1000]))
        raise


def conclude(
    journal: Journal,
    execution: ExecutionPlan,
    remote: Remote,
    *,
    timeouts: ApplyTimeouts,
    clock: Clock,
    say: Callable[[str], None],
) -> None:
    """End an interrupted apply where it is: reconcile what it sent last, and send nothing more."""
    number, ids = journal.carried_out, known_ids(journal)
    if journal.batch(number).pending:
        sender = Sender(journal, remote, timeouts, clock, say, lambda step, reading: None)
        step = Step(number, execution.batches[number], execution.states[number], execution.states[number + 1])
        with suppress(Stop):  # that it stays unclear is in the journal
            sender.find_out(step, ids)
    journal.record(Stopped(at=clock.now(), why="it is to be taken back"))


class _Run:
    def __init__(
        self,
        journal: Journal,
        execution: ExecutionPlan,
        remote: Remote,
        rebase: bool,
        timeouts: ApplyTimeouts,
        clock: Clock,
        say: Callable[[str], None],
    ) -> None:
        self.journal = journal
        self.execution = execution
        self.remote = remote
        self.rebase = rebase
        self.say = say
        self.ids = known_ids(journal)
        self.clock = clock
        self.sender = Sender(journal, remote, timeouts, clock, say, self.check)
        if journal.status != "unsent" or len(journal.records) > 1:
            journal.record(Resumed(at=clock.now()))

    @property
    def in_doubt(self) -> bool:
        """Return whether a request may still be on its way."""
        index = self.journal.carried_out
        return bool(self.journal.batch(index).pending)

    def result(self, reading: Reading | None) -> Result:
        batches, states = self.execution.batches, self.execution.states
        for index in range(self.journal.carried_out, len(batches)):
            self.say(f"sending request {index + 1} of {len(batches)}")
            step = Step(index, batches[index], states[index], states[index + 1])
            self.ids |= self.sender.carry_out(step, self.ids, reading)
            reading = self.read_after(index + 1)
        self.say("reading back")
        return self.verified(reading or self.remote.read())

    def read_after(self, number: int) -> Reading:
        """Return what the platform holds after so many requests. It may be a moment before it shows the last
        of them.
        """
        states = self.execution.states
        reading = self.remote.read()
        for pause in _LAGS:
            made = [self.ids[ref] for ref in self.execution.batches[number - 1].makes if ref in self.ids]
            shown = any(each in reading.state.variables or each in reading.state.collections for each in made)
            if shown or differences(with_ids(states[number - 1], self.ids), reading.state):
                break
            if not differences(with_ids(states[number], self.ids), reading.state):
                break  # a request that changes nothing that can be seen
            self.say("the platform does not show the last request yet; looking again")
            self.clock.sleep(pause)
            reading = self.remote.read()
        return reading

    def verified(self, reading: Reading) -> Result:
        """Compares what the platform holds with what the plan was to make of it."""
        wanted = with_ids(self.execution.states[-1], self.ids)
        found = differences(wanted, reading.state)
        ours, theirs = self._apart(found) if self.rebase or self.journal.started.rebased else (found, ())
        return Result(
            reading,
            dict(self.ids),
            subjects(ours, wanted, reading.state),
            subjects(theirs, wanted, reading.state),
        )

    def check(self, step: Step, reading: Reading) -> None:
        """Whether the platform is as the batches so far have left it, or differs where the plan does not look."""
        expected = with_ids(step.before, self.ids)
        self._check_opaque(step.number, expected, reading)
        found = differences(expected, reading.state)
        if not found:
            return
        names = listed_once(subjects(found, expected, reading.state))
        done = f"{step.number} of its {len(self.execution.batches)} requests are carried out"
        if not self.rebase:
            raise Stop(
                f"{self.remote.file}: somebody changed the file while the plan is applied ({names}), and {done}; "
                "go on with tokensync apply --resume --rebase if that is right, or make a new plan"
            )
        ours, _ = self._apart(found)
        rest = differences(expected, with_ids(self.execution.states[-1], self.ids))
        touched = (*ours, *disturbed(rest, reading.state))
        if touched:
            raise Stop(
                f"{self.remote.file}: somebody changed what the plan changes "
                f"({listed_once(subjects(touched, expected, reading.state))}), and {done}; make a new plan"
            )
        self.say(f"leaving alone what somebody else changed ({names})")

    def _check_opaque(self, number: int, expected: FileState, reading: Reading) -> None:
        """Stop where somebody changed a variable of an unknown type that a deletion is going to take along.

        No operation can change such a variable, so that no difference shows it.
        """
        is_any = expected.opaque or reading.state.opaque
        if not is_any or not any(_takes_opaque_along(each) for each in self.execution.batches[number:]):
            return
        rest = differences(expected, with_ids(self.execution.states[-1], self.ids))
        lost = disturbed([each for each in rest if isinstance(each, DeleteCollection | DeleteMode)], reading.state)
        if lost:
            raise Stop(
                f"{self.remote.file}: somebody changed what the plan deletes "
                f"({listed_once(subjects(lost, expected, reading.state))}); make a new plan"
            )

    def _apart(self, found: Sequence[Operation]) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
        """Return what of the differences concerns the plan's objects, and what does not."""
        before, last = self.execution.states[0], self.execution.states[-1]
        touched = aspects_of(differences(with_ids(before, self.ids), with_ids(last, self.ids)))
        made = {each.ref for each in touched if each.kind in ("variable", "collection") and not each.part}
        ours: list[Operation] = []
        others: list[Operation] = []
        for each in found:
            is_ours = any(aspect in touched or aspect.ref in made for aspect in aspects_of((each,)))
            (ours if is_ours else others).append(each)
        return tuple(ours), tuple(others)


def _takes_opaque_along(batch: Batch) -> bool:
    """Return whether a request deletes a collection or a mode, and what there is of opaque variables in it."""
    collections, modes, _, _ = batch.elements
    return any(isinstance(each, DropCollection | DropMode) for each in (*collections, *modes))
