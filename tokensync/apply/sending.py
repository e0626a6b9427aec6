"""Send one batch if the platform is as expected, record it in the journal, and reconcile it without a response."""

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
_REFUSALS = frozenset((400, 401, 403, 404, 413))
"""The statuses that prove that nothing was applied."""


class ApplyTimeouts(NamedTuple):
    """The times of an apply in seconds, and the number of attempts for one batch.

    ``settling_time`` is how long a request without a response may still be applied, ``longest_wait`` the longest
    accepted ``Retry-After``.
    """

    settling_time: float = 90.0
    longest_wait: float = 120.0
    attempts: int = 5


class Stop(ConflictError):
    """An apply that cannot continue and has no request in transit."""


class Step(NamedTuple):
    """One batch, its number from 0, and the states before and after it in the plan's refs."""

    number: int
    batch: Batch
    before: FileState
    after: FileState


class _Attempt(NamedTuple):
    """One attempt: the ids if it was applied; otherwise the failure, and the reading that shows it, if any."""

    ids: dict[Ref, str] | None = None
    reading: Reading | None = None
    failure: PlatformError | None = None


class Sender:
    """Sends the batches of one apply. ``check`` is called before each attempt and raises Stop on unexpected changes."""

    def __init__(
        self,
        journal: Journal,
        remote: Remote,
        timeouts: ApplyTimeouts,
        clock: Clock,
        report: Callable[[str], None],
        check: Callable[[Step, Reading], None],
    ) -> None:
        self._journal = journal
        self._remote = remote
        self._timeouts = timeouts
        self._clock = clock
        self._report = report
        self._check = check

    def carry_out(self, step: Step, ids: Mapping[Ref, str], reading: Reading | None) -> dict[Ref, str]:
        """Send the batch until it is applied, and return the real ids of the objects that it creates.

        ``reading`` is the platform's content if it was just read. Raises Stop if the batch must not be sent or its
        outcome stays unclear, and PlatformError if the platform refuses it or cannot be reached.
        """
        body = step.batch.body(ids)
        digest = digest_of(body)
        batch_log = self._journal.batch(step.number)
        if batch_log.digest not in ("", digest):
            raise Stop(
                f"{self._journal.folder}: another version of tokensync sent request {step.number + 1} with different "
                "content; inspect the file, then roll back or make a new plan"
            )
        if batch_log.pending:
            outcome = self._reconcile(step, ids)
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
                if self._journal.batch(step.number).pending:  # an earlier attempt may still be applied
                    outcome = self._reconcile(step, ids, finally_=True)
                    if outcome.ids is not None:
                        return outcome.ids
                raise
            outcome = self._send(step, ids, body, digest)
            if outcome.ids is not None:
                return outcome.ids
            reading, failure = outcome.reading, outcome.failure
        raise failure or AssertionError("no attempt")

    def resolve(self, step: Step, ids: Mapping[Ref, str]) -> None:
        """Record the outcome of a batch that is not sent again. Raises Stop if it stays unclear."""
        self._reconcile(step, ids, finally_=True)

    def _send(self, step: Step, ids: Mapping[Ref, str], body: bytes, digest: str) -> _Attempt:
        """Send the batch once. Raises an error if another attempt is useless."""
        index = step.number
        self._journal.record(Sending(at=self._clock.now(), batch=index, digest=digest, bytes=len(body)))
        try:
            made = self._remote.post(body)
        except PlatformError as failure:
            return self._handle_failure(step, ids, failure)
        known = ids_of_answer(step.batch, made, ids)
        if all(ref in known for ref in step.batch.makes):
            self._journal.record(Answered(at=self._clock.now(), batch=index, ids=known))
            return _Attempt(known)
        return self._reconcile(step, ids, ServerError("the platform's response lacks ids of created objects"))

    def _handle_failure(self, step: Step, ids: Mapping[Ref, str], failure: PlatformError) -> _Attempt:
        if isinstance(failure, RateLimitedError):
            return self._wait_for_rate_limit(step, ids, failure)
        if isinstance(failure, NetworkError) and not failure.outcome_unknown:  # it was not sent
            self._record_refusal(step, failure)
            return _Attempt(failure=failure)
        if failure.outcome_unknown or failure.status not in _REFUSALS:
            return self._reconcile(step, ids, failure)
        self._record_refusal(step, failure)
        if len(self._journal.batch(step.number).sent) > 1:  # an earlier attempt may be the reason for the refusal
            outcome = self._reconcile(step, ids, failure, finally_=True)
            if outcome.ids is not None:
                return outcome
        raise failure

    def _wait_for_rate_limit(self, step: Step, ids: Mapping[Ref, str], failure: RateLimitedError) -> _Attempt:
        """Wait as long as the platform asks, then check that the batch was not applied.

        Figma's API documentation does not list 429 for this request, so only the file's content proves that.
        """
        wait = _FIRST_PAUSE if failure.retry_after is None else failure.retry_after
        if wait <= self._timeouts.longest_wait:
            self._report(f"rate limited; continuing in {wait:.0f} s")
            self._clock.sleep(wait)
        reading = self._remote.read()
        found = self._outcome_of(step, ids, reading.state)
        if found.how != "not carried out":
            return self._reconcile(step, ids, failure)
        self._record_refusal(step, failure)
        if wait > self._timeouts.longest_wait:
            raise failure
        return _Attempt(reading=reading, failure=failure)

    def _reconcile(
        self, step: Step, ids: Mapping[Ref, str], failure: PlatformError | None = None, *, finally_: bool = False
    ) -> _Attempt:
        """Read until the outcome of all attempts is clear. ``finally_`` is set if no other attempt follows.

        After a ``failure`` the time starts now, since the platform may have been processing the request until then.
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
            report=self._report,
        )
        how, made, why = reconciliation.outcome
        # A guarded batch may still be in transit, which does no harm: it stays pending in the journal.
        if how != "not carried out" or (pending and not guarded):
            self._journal.record(Reconciled(at=self._clock.now(), batch=step.number, how=how, ids=made))
        if how == "unclear":
            raise Stop(
                f"{self._remote.file}: it is unclear whether request {step.number + 1}, which got no response, was "
                f"applied ({why}); inspect the file in the editor and make a new plan"
            )
        return _Attempt(made if how == "carried out" else None, reconciliation.reading, failure)

    def _outcome_of(self, step: Step, ids: Mapping[Ref, str], found: FileState) -> Outcome:
        return outcome_of(found, step.before, step.after, step.batch, ids)

    def _record_refusal(self, step: Step, failure: PlatformError) -> None:
        record = Refused(at=self._clock.now(), batch=step.number, status=failure.status, message=str(failure)[:1000])
        self._journal.record(record)

    def _pause(self, attempt: int, failure: PlatformError) -> None:
        seconds = _FIRST_PAUSE * 2 ** (attempt - 1)
        self._report(f"{failure}; retrying in {seconds:.0f} s")
        self._clock.sleep(seconds)
