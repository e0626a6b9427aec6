"""Carries out one batch: sends it when the platform is as expected, journals it, reconciles it when no answer comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.journal import Answered, Reconciled, Refused, Sending, digest_of
from tokensync.apply.reconciling import Outcome, outcome_of, reconcile
from tokensync.errors import ConflictError, NetworkError, PlatformError, RateLimitedError, ServerError
from tokensync.plan.batches.layout import ids_of_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.apply.journal import Journal
    from tokensync.apply.reading import Reading, Remote
    from tokensync.client import Clock
    from tokensync.plan.batches import Batch
    from tokensync.plan.state import FileState, Ref

_FIRST_PAUSE = 1.0
_MEANT = frozenset((400, 401, 403, 404, 413))
"""What the platform answers when it carries out nothing; any other status proves nothing."""


class ApplyTimeouts(NamedTuple):
    """How long an apply waits, in seconds, and how often it sends one batch before it gives up for now.

    ``settling_time`` is how long a request whose answer was lost may still be carried out, ``longest_wait`` the longest
    ``Retry-After`` that is waited out.
    """

    settling_time: float = 90.0
    longest_wait: float = 120.0
    attempts: int = 5


class Stop(ConflictError):
    """An apply that cannot go on, and of which nothing is on its way any more."""


class Step(NamedTuple):
    """One batch, its number from 0, and the states around it, in the plan's refs."""

    number: int
    batch: Batch
    before: FileState
    after: FileState


class _Attempt(NamedTuple):
    """Of one sending: the ids when it is carried out; else why it is not, and the reading that shows it, if any."""

    ids: dict[Ref, str] | None = None
    reading: Reading | None = None
    failure: PlatformError | None = None


class Sender:
    """Carries out batches of one apply, one by one. ``check`` is asked before each sending whether the platform is as
    expected, and raises Stop when it is not.
    """

    def __init__(
        self,
        journal: Journal,
        remote: Remote,
        timeouts: ApplyTimeouts,
        clock: Clock,
        say: Callable[[str], None],
        check: Callable[[Step, Reading], None],
    ) -> None:
        self._journal = journal
        self._remote = remote
        self._timeouts = timeouts
        self._clock = clock
        self._say = say
        self._check = check

    def carry_out(self, step: Step, ids: Mapping[Ref, str], reading: Reading | None) -> dict[Ref, str]:
        """Return the real ids of all that the batch makes, once it is carried out. ``reading`` is what the platform
        holds, if that was just read.

        Raises Stop when it must not be sent or its fate stays unclear, and PlatformError when the platform refuses it
        or cannot be reached; what is known by then is in the journal.
        """
        body = step.batch.body(ids)
        digest = digest_of(body)
        log = self._journal.batch(step.number)
        if log.digest not in ("", digest):
            raise Stop(
                f"{self._journal.folder}: request {step.number + 1} was sent with another content, by another version "
                "of tokensync; look at what the platform holds, then roll back or make a new plan"
            )
        if log.pending:
            outcome = self._reconciled(step, ids)
            if outcome.ids is not None:
                return outcome.ids
            reading = outcome.reading
        failure: PlatformError | None = None
        for attempt in range(self._timeouts.attempts):
            if failure is not None and reading is None:
                self._pause(attempt, failure)
            reading = reading or self._remote.read()
            try:
                self._check(step, reading)
            except Stop:
                if self._journal.batch(step.number).pending:  # an earlier sending may still be carried out
                    outcome = self._reconciled(step, ids, finally_=True)
                    if outcome.ids is not None:
                        return outcome.ids
                raise
            outcome = self._sent(step, ids, body, digest)
            if outcome.ids is not None:
                return outcome.ids
            reading, failure = outcome.reading, outcome.failure
        raise failure or AssertionError("a batch is sent at least once")

    def find_out(self, step: Step, ids: Mapping[Ref, str]) -> None:
        """Put into the journal what became of a batch, of which nothing more is going to be sent.

        Raises Stop when that stays unclear.
        """
        self._reconciled(step, ids, finally_=True)

    def _sent(self, step: Step, ids: Mapping[Ref, str], body: bytes, digest: str) -> _Attempt:
        """Sends the batch once. Raises what makes another sending useless."""
        index = step.number
        self._journal.record(Sending(at=self._clock.now(), batch=index, digest=digest, bytes=len(body)))
        try:
            made = self._remote.post(body)
        except PlatformError as failure:
            return self._failed(step, ids, failure)
        known = ids_of_answer(step.batch, made, ids)
        if all(ref in known for ref in step.batch.makes):
            self._journal.record(Answered(at=self._clock.now(), batch=index, ids=known))
            return _Attempt(known)
        return self._reconciled(step, ids, ServerError("the platform's answer lacks ids of what was made"))

    def _failed(self, step: Step, ids: Mapping[Ref, str], failure: PlatformError) -> _Attempt:
        if isinstance(failure, RateLimitedError):
            return self._limited(step, ids, failure)
        if isinstance(failure, NetworkError) and not failure.outcome_unknown:  # it never left
            self._refused(step, failure)
            return _Attempt(failure=failure)
        if failure.outcome_unknown or failure.status not in _MEANT:
            return self._reconciled(step, ids, failure)
        self._refused(step, failure)
        if len(self._journal.batch(step.number).sent) > 1:  # an earlier sending may be why this one is refused
            outcome = self._reconciled(step, ids, failure, finally_=True)
            if outcome.ids is not None:
                return outcome
        raise failure

    def _limited(self, step: Step, ids: Mapping[Ref, str], failure: RateLimitedError) -> _Attempt:
        """Waits as long as the platform says. The specification has no 429 among the answers to this request, so that
        only the platform's state proves that nothing was carried out.
        """
        wait = _FIRST_PAUSE if failure.retry_after is None else failure.retry_after
        if wait <= self._timeouts.longest_wait:
            self._say(f"rate limited; going on in {wait:.0f} s")
            self._clock.sleep(wait)
        reading = self._remote.read()
        found = self._outcome_of(step, ids, reading.state)
        if found.how != "not carried out":
            return self._reconciled(step, ids, failure)
        self._refused(step, failure)
        if wait > self._timeouts.longest_wait:
            raise failure
        return _Attempt(reading=reading, failure=failure)

    def _reconciled(
        self, step: Step, ids: Mapping[Ref, str], failure: PlatformError | None = None, *, finally_: bool = False
    ) -> _Attempt:
        """Reads back until it is clear what became of all sendings of the batch; ``finally_`` when no other follows.

        After a ``failure`` the time runs from now: until then the platform may have been at it.
        """
        guarded = step.batch.guarded and not finally_
        pending = self._journal.batch(step.number).pending
        since = max(pending, default=0.0) if failure is None else self._clock.now()
        reconciliation = reconcile(
            self._remote.read,
            lambda found: self._outcome_of(step, ids, found),
            since if pending else 0.0,
            guarded=guarded,
            settling_time=self._timeouts.settling_time,
            clock=self._clock,
            say=self._say,
        )
        how, made, why = reconciliation.outcome
        # One that is guarded may still be on its way, which does no harm: in the journal it stays in doubt.
        if how != "not carried out" or (pending and not guarded):
            self._journal.record(Reconciled(at=self._clock.now(), batch=step.number, how=how, ids=made))
        if how == "unclear":
            raise Stop(
                f"{self._remote.file}: it is unclear whether request {step.number + 1}, whose answer was lost, was "
                f"carried out ({why}); look at the file in the editor, and make a new plan from what it holds"
            )
        return _Attempt(made if how == "carried out" else None, reconciliation.reading, failure)

    def _outcome_of(self, step: Step, ids: Mapping[Ref, str], found: FileState) -> Outcome:
        return outcome_of(found, step.before, step.after, step.batch, ids)

    def _refused(self, step: Step, failure: PlatformError) -> None:
        record = Refused(at=self._clock.now(), batch=step.number, status=failure.status, message=str(failure)[:1000])
        self._journal.record(record)

    def _pause(self, attempt: int, failure: PlatformError) -> None:
        seconds = _FIRST_PAUSE * 2 ** (attempt - 1)
        self._say(f"{failure}; trying again in {seconds:.0f} s")
        self._clock.sleep(seconds)
