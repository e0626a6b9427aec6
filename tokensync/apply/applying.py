"""Carries out a plan, or what is left of one: batch by batch, each on a platform that is as expected."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.journal import BEFORE, PLAN
from tokensync.apply.listing import listed
from tokensync.apply.reading import Reading
from tokensync.apply.records import Resumed, Stopped
from tokensync.apply.sending import Patience, Sender, Step, Stop
from tokensync.errors import TokensyncError
from tokensync.plan import plan as plans
from tokensync.plan.batches import batches_of
from tokensync.plan.batches.elements import DropCollection, DropMode
from tokensync.plan.batches.outcome import after, with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import DeleteCollection, DeleteMode, aspects_of, disturbed, subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.apply.journal import Journal
    from tokensync.apply.reading import Remote
    from tokensync.client import Clock
    from tokensync.plan.batches import Batch
    from tokensync.plan.operations import Operation
    from tokensync.plan.plan import Plan
    from tokensync.plan.state import FileState, Ref


_LAGS = (1.0, 2.0, 4.0, 8.0)
"""Seconds between readings that show nothing yet of a request that was answered."""


class Course(NamedTuple):
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


def course_of(journal: Journal) -> Course:
    """Return the requests of a journal's plan, the same ones each time. Raises ConflictError when its files were
    changed.
    """
    started = journal.started
    (plan,) = plans.decoded(journal.content(PLAN, started.plan)).plans
    return course_from(plan, Reading(started.file, journal.content(BEFORE, started.before)))


def course_from(plan: Plan, before: Reading) -> Course:
    """Return the requests that carry out a plan on a file that holds ``before``."""
    batches = batches_of(plan.operations, before.state)
    return Course(plan, before, batches, tuple(_states(before.state, batches)))


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
    course: Course,
    remote: Remote,
    *,
    rebase: bool = False,
    patience: Patience,
    clock: Clock,
    say: Callable[[str], None],
    reading: Reading | None = None,
) -> Result:
    """Carry out whatever of a plan is not carried out yet, and read back what came of it.

    ``reading`` is what the platform holds, if that was just read. Raises Stop (a ConflictError) when it must not go on,
    and what the client raises. The journal says "stopped" then, unless a request may still be on its way.
    """
    run = _Run(journal, course, remote, rebase, patience, clock, say)
    try:
        return run.result(reading)
    except TokensyncError as error:
        if isinstance(error, Stop) or not run.in_doubt:
            journal.record(Stopped(at=clock.now(), why=str(error)[:1000]))
        raise


def conclude(
    journal: Journal,
    course: Course,
    remote: Remote,
    *,
    patience: Patience,
    clock: Clock,
    say: Callable[[str], None],
) -> None:
    """Bring an apply that was broken off to its end where it is: what it sent last is settled, nothing more is sent."""
    number, ids = journal.carried_out, known_ids(journal)
    if journal.batch(number).pending:
        sender = Sender(journal, remote, patience, clock, say, lambda step, reading: None)
        step = Step(number, course.batches[number], course.states[number], course.states[number + 1])
        with suppress(Stop):  # that it stays unclear is in the journal
            sender.find_out(step, ids)
    journal.record(Stopped(at=clock.now(), why="it is to be taken back"))


class _Run:
    def __init__(
        self,
        journal: Journal,
        course: Course,
        remote: Remote,
        rebase: bool,
        patience: Patience,
        clock: Clock,
        say: Callable[[str], None],
    ) -> None:
        self.journal = journal
        self.course = course
        self.remote = remote
        self.rebase = rebase
        self.say = say
        self.ids = known_ids(journal)
        self.clock = clock
        self.sender = Sender(journal, remote, patience, clock, say, self.check)
        if journal.status != "unsent" or len(journal.records) > 1:
            journal.record(Resumed(at=clock.now()))

    @property
    def in_doubt(self) -> bool:
        """Return whether a request may still be on its way."""
        index = self.journal.carried_out
        return bool(self.journal.batch(index).pending)

    def result(self, reading: Reading | None) -> Result:
        batches, states = self.course.batches, self.course.states
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
        states = self.course.states
        reading = self.remote.read()
        for pause in _LAGS:
            made = [self.ids[ref] for ref in self.course.batches[number - 1].makes if ref in self.ids]
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
        wanted = with_ids(self.course.states[-1], self.ids)
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
        names = listed(subjects(found, expected, reading.state))
        done = f"{step.number} of its {len(self.course.batches)} requests are carried out"
        if not self.rebase:
            raise Stop(
                f"{self.remote.file}: somebody changed the file while the plan is applied ({names}), and {done}; "
                "go on with tokensync apply --resume --rebase if that is right, or make a new plan"
            )
        ours, _ = self._apart(found)
        rest = differences(expected, with_ids(self.course.states[-1], self.ids))
        touched = (*ours, *disturbed(rest, reading.state))
        if touched:
            raise Stop(
                f"{self.remote.file}: somebody changed what the plan changes "
                f"({listed(subjects(touched, expected, reading.state))}), and {done}; make a new plan"
            )
        self.say(f"leaving alone what somebody else changed ({names})")

    def _check_opaque(self, number: int, expected: FileState, reading: Reading) -> None:
        """Stop where somebody changed a variable of an unknown type that a deletion is going to take along.

        No operation can change such a variable, so that no difference shows it.
        """
        is_any = expected.opaque or reading.state.opaque
        if not is_any or not any(_takes_opaque_along(each) for each in self.course.batches[number:]):
            return
        rest = differences(expected, with_ids(self.course.states[-1], self.ids))
        lost = disturbed([each for each in rest if isinstance(each, DeleteCollection | DeleteMode)], reading.state)
        if lost:
            raise Stop(
                f"{self.remote.file}: somebody changed what the plan deletes "
                f"({listed(subjects(lost, expected, reading.state))}); make a new plan"
            )

    def _apart(self, found: Sequence[Operation]) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
        """Return what of the differences concerns the plan's objects, and what does not."""
        before, last = self.course.states[0], self.course.states[-1]
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
