"""Send one batch if the platform is as expected, record it in the journal, and reconcile it without a response."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.journal import Answered, Reconciled, Refused, Sending, sha256_of
from tokensync.apply.reconciling import Outcome, outcome_of, reconcile, time_to_settle
from tokensync.plan.batches import ids_of_answer
from tokensync.system.errors import (
    ConflictError,
    NetworkError,
    PlatformError,
    RateLimitedError,
    ServerError,
    TokensyncError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.apply.journal import Journal
    from tokensync.apply.reading import Reading, Remote
    from tokensync.extract.client import Clock
    from tokensync.plan.batches import Batch
    from tokensync.plan.state import FileState, Ref

_FIRST_PAUSE = 1.0
_RETRIED = frozenset((408, 425, 429))
"""The statuses below 500 after which the same request may succeed."""

# No refusal proves that nothing was applied. A proxy or load balancer may have sent the request twice and returned the
# second response: 400 because the names of the first copy are taken, 404 because its deletions are done, 401, 403 and
# 413 from another server that the second copy reached, 429 because of the first. So every refusal is followed by a
# reading:
#
# - It shows the effects of the request: a copy was applied, as after a lost response.
# - It does not: the refusal is reported at once. One reading does not prove that no copy is still in transit, or that
#   the platform shows its last change already. So the attempt remains uncertain in the journal, and whatever could do
#   harm waits until the settling time after its sending is over: sending it again (unless it is guarded, so that a
#   second copy is refused), rolling back, and applying another plan to the file.
#
# A 429 with the platform's own body is the refusal of its rate limit
# (https://developers.figma.com/docs/rest-api/rate-limits/): after the wait that it asks for, one reading decides. A 429
# without that body is of a proxy, which may have forwarded the request: it is treated like a lost response.
#
# The platform refuses the first copy of a guarded batch only as long as the objects of the second one exist. So another
# plan, which may rename or delete them, waits too (``Journal.in_transit``). A proxy may also have sent a request twice
# and returned no response. After such a request, an apply verifies its result only when no copy is in transit any more,
# unless the batch is guarded.


class ApplyTimeouts(NamedTuple):
    """The times of an apply in seconds, and the number of attempts for one batch.

    ``settling_time`` is how long after its sending a request may still be applied if its outcome is uncertain,
    ``longest_wait`` the longest accepted ``Retry-After``.
    """

    settling_time: float = 90.0
    longest_wait: float = 120.0
    attempts: int = 5


class Stop(ConflictError):
    """An apply that cannot continue and has no request in transit."""


class OtherApply(Stop):
    """An apply that meets another one of the same objects.

    ``copies`` maps the objects that both have created to those of the other one: collections, and modes with their
    root collection. ``reading`` shows both.
    """

    def __init__(self, message: str, reading: Reading, copies: Mapping[tuple[Ref, Ref], Ref]) -> None:
        super().__init__(message)
        self.reading = reading
        self.copies = copies


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
    """Sends the batches of one apply. ``check`` is called before each attempt and raises Stop on unexpected changes.

    ``report`` gets progress, ``tell`` what to say outside a terminal, too, such as long waits.
    """

    def __init__(
        self,
        journal: Journal,
        remote: Remote,
        timeouts: ApplyTimeouts,
        clock: Clock,
        report: Callable[[str], None],
        tell: Callable[[str], None],
        check: Callable[[Step, Reading], None],
    ) -> None:
        self._journal = journal
        self._remote = remote
        self._timeouts = timeouts
        self._clock = clock
        self._report = report
        self._tell = tell
        self._check = check
        self._lost = ("", 0.0)  # when the last response was lost, and the boot whose time that is

    def carry_out(self, step: Step, ids: Mapping[Ref, str], reading: Reading | None) -> dict[Ref, str]:
        """Send the batch until it is applied, and return the real ids of the objects that it creates.

        ``reading`` is the platform's content if it was just read. Raises Stop if the batch must not be sent or its
        outcome stays unclear, and PlatformError if the platform refuses it or cannot be reached.
        """
        body = step.batch.body(ids)
        digest = sha256_of(body)
        batch_log = self._journal.batch(step.number)
        self._lost = ("", 0.0)
        if any(each.digest != digest for each in batch_log.sent):
            raise Stop(
                f"{self._journal.folder}: another version of tokensync sent request {step.number + 1} with different "
                "content; inspect the file, then roll back or make a new plan"
            )
        if batch_log.uncertain:
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
                if self._journal.batch(step.number).uncertain:  # an earlier attempt may still be applied
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
        clock = self._clock
        now = clock.now()
        self._journal.record(
            Sending(at=now, batch=index, digest=digest, bytes=len(body), boot=clock.boot(), elapsed=clock.elapsed())
        )
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
        status = failure.status
        self._lost = self._clock.boot(), self._clock.elapsed()
        if isinstance(failure, NetworkError) and not failure.outcome_unknown:  # it was not sent
            self._record_refusal(step, failure)
            return _Attempt(failure=failure)
        if isinstance(failure, RateLimitedError):
            return self._wait_for_rate_limit(step, ids, failure)
        if (
            failure.token_renewed
            or failure.outcome_unknown
            or status is None
            or not 400 <= status < 500
            or status in _RETRIED
        ):
            return self._reconcile(step, ids, failure)
        return self._refused(step, ids, failure)

    def _refused(self, step: Step, ids: Mapping[Ref, str], failure: PlatformError) -> _Attempt:
        """Return the attempt if the file shows that a copy of it was applied. Otherwise raise its failure."""
        self._record_refusal(step, failure)
        if self._journal.batch(step.number).pending:  # an attempt without a response may be the reason for the refusal
            outcome = self._reconcile(step, ids, failure, finally_=True)
        else:
            try:
                reading = self._remote.read()
                found = self._outcome_of(step, ids, reading.state)
            except TokensyncError:  # a token that was refused may not read either
                raise failure from None
            if found.how != "carried out":
                self._refuse_other_apply(step, reading)
                raise failure
            outcome = self._reconcile(step, ids, failure)
        if outcome.ids is None:
            raise failure
        return outcome

    def _wait_for_rate_limit(self, step: Step, ids: Mapping[Ref, str], failure: RateLimitedError) -> _Attempt:
        """Wait as long as the platform asks, then read whether the batch was applied."""
        attempts = len(self._journal.batch(step.number).sent)
        wait = _FIRST_PAUSE * 2 ** (attempts - 1) if failure.retry_after is None else failure.retry_after
        if wait > self._timeouts.longest_wait:
            return self._refused(step, ids, failure)
        self._record_refusal(step, failure)
        self._tell(f"rate limited; continuing in {wait:g} s")
        self._clock.sleep(wait)
        if failure.from_platform and not self._journal.batch(step.number).pending:
            reading = self._remote.read()
            outcome = self._outcome_of(step, ids, reading.state)
            if outcome.how == "not carried out":
                return self._reconciled(step, outcome, reading, failure)
        return self._reconcile(step, ids, failure, waited=wait)

    def _reconcile(
        self,
        step: Step,
        ids: Mapping[Ref, str],
        failure: PlatformError | None = None,
        *,
        finally_: bool = False,
        waited: float = 0.0,
    ) -> _Attempt:
        """Read until the outcome of all attempts is clear. ``finally_`` is set if no other attempt follows.

        After a ``failure`` the time starts ``waited`` seconds ago, since the platform may have been processing the
        request until then.
        """
        guarded = step.batch.guarded and not finally_
        uncertain = self._journal.batch(step.number).uncertain
        settling_time = self._timeouts.settling_time
        waits = [time_to_settle(each, settling_time, self._clock) for each in uncertain]
        if uncertain and failure is not None:
            waits.append(settling_time - waited)
        outcome, reading = reconcile(
            self._remote.read,
            lambda found: self._outcome_of(step, ids, found),
            max(waits, default=0.0),
            guarded=guarded,
            clock=self._clock,
            report=self._report,
            tell=self._tell,
        )
        # A guarded batch may still be in transit, which does no harm: it stays uncertain in the journal.
        if outcome.how == "not carried out" and (guarded or not uncertain):
            return _Attempt(None, reading, failure)
        return self._reconciled(step, outcome, reading, failure)

    def _reconciled(
        self, step: Step, outcome: Outcome, reading: Reading, failure: PlatformError | None = None
    ) -> _Attempt:
        """Record an outcome and return the attempt. Raises Stop for an unclear one."""
        how, made, why = outcome
        was_refused = not self._journal.batch(step.number).pending
        boot, lost = self._lost
        self._journal.record(
            Reconciled(at=self._clock.now(), batch=step.number, how=how, ids=made, boot=boot, elapsed=lost)
        )
        if how == "unclear":
            if was_refused:
                self._refuse_other_apply(step, reading)
            raise Stop(
                f"{self._remote.file}: it is unclear whether request {step.number + 1}, which got no confirmation, was "
                f"applied ({why}); inspect the file in the editor and make a new plan"
            )
        return _Attempt(made if how == "carried out" else None, reading, failure)

    def _refuse_other_apply(self, step: Step, reading: Reading) -> None:
        """Raise OtherApply if another apply has taken a name, say, or deleted what the request deletes."""
        try:
            self._check(step, reading)
        except OtherApply:
            raise
        except Stop:
            return

    def _outcome_of(self, step: Step, ids: Mapping[Ref, str], found: FileState) -> Outcome:
        return outcome_of(found, step.before, step.after, step.batch, ids)

    def _record_refusal(self, step: Step, failure: PlatformError) -> None:
        record = Refused(at=self._clock.now(), batch=step.number, status=failure.status, message=str(failure)[:1000])
        self._journal.record(record)

    def _pause(self, attempt: int, failure: PlatformError) -> None:
        seconds = _FIRST_PAUSE * 2 ** (attempt - 1)
        self._tell(f"{failure}; retrying in {seconds:.0f} s")
        self._clock.sleep(seconds)
