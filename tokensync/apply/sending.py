"""Read a file of the platform, send one batch if it is as expected, and find the outcome without a response."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokensync.apply.journal import Answered, How, Journal, Reconciled, Refused, Sending, sha256_of
from tokensync.extract.client import Clock, FileReference
from tokensync.extract.client.groups import Variables
from tokensync.plan.batches import Batch, ids_of_answer, with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    Aspect,
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    aspects_of,
)
from tokensync.plan.state import GraphState, ObjectValue, Ref, StyleState, refs_of, state_of, style_states
from tokensync.system.errors import (
    DECODE_ERRORS,
    ConflictError,
    NetworkError,
    PlatformError,
    RateLimitedError,
    ServerError,
    TokensyncError,
)
from tokensync.system.wording import counted, listed_once
from tokensync.tokens import Token, TokenGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tokensync.extract.wire import Snapshot
    from tokensync.plan.state import CollectionState, FileState, StateValue, VariableState


class Reading(msgspec.Struct, dict=True, eq=False):
    """The local variables of a file at one moment. ``raw`` is the response.

    ``earlier`` is the previous reading. Both share the tokens and variables that did not change, which makes comparing
    them cheap and saves memory.
    """

    file: str
    raw: bytes
    earlier: Reading | None = None
    _styles: dict[Ref, StyleState] = {}

    @property
    def snapshot(self) -> Snapshot:
        """Return the response as typed data. Raises ProblemsError for an invalid one.

        It is not cached, because it takes more memory than the graph and is seldom needed again.
        """
        from tokensync.extract.wire import snapshot

        return snapshot(self.file, self.raw)

    @cached_property
    def graph(self) -> TokenGraph:
        """Return the complete graph, without the configuration's exclusions: a plan may affect any object."""
        from tokensync.normalize.graph import normalize

        snapshot = self.snapshot
        self._styles = style_states(snapshot.local.styles or {})
        graph, _ = normalize(snapshot)
        if self.earlier is None:
            return graph
        known = self.earlier.graph.tokens
        tokens: list[Token] = []
        for key, token in graph.tokens.items():  # equal tokens are shared
            same = known.get(key)
            tokens.append(same if same is not None and same == token else token)
        return TokenGraph(graph.collections.values(), tokens)

    @cached_property
    def state(self) -> FileState:
        """Return the file's state, with the platform's ids as refs."""
        earlier, graph = self.earlier, self.graph
        similar = None if earlier is None else GraphState(earlier.graph, refs_of(earlier.graph), earlier.state)
        return state_of(graph, similar=similar)._replace(styles=self._styles)

    @cached_property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the canonical form of the local variables, which a plan is bound to."""
        from tokensync.extract.wire import fingerprint

        _ = self.graph  # raises for an invalid response, which has no fingerprint
        return fingerprint(self.file, self.raw)


class Remote(msgspec.Struct, eq=False):
    """A file of the platform. ``file`` is its configured name."""

    _variables: Variables
    file: str
    _reference: FileReference | str
    _last: Reading | None = None

    def read(self) -> Reading:
        """Return its present content. Raises the client's errors."""
        raw = self._variables.local(self._reference)
        if self._last is None or self._last.raw != raw:
            if self._last is not None:
                self._last.earlier = None  # else all readings would stay in memory
            self._last = Reading(self.file, raw, self._last)
        return self._last

    def post(self, body: bytes) -> dict[str, str]:
        """Send a batch once and return the real ids by temporary ones. Raises the client's errors."""
        answer = self._variables.post(self._reference, body)
        try:
            return msgspec.json.decode(answer, type=_Answer).meta.made
        except DECODE_ERRORS:  # the batch is applied, and its objects can be read back
            return {}


class _Meta(msgspec.Struct):
    made: dict[str, str] = msgspec.field(default_factory=dict, name="tempIdToRealId")


class _Answer(msgspec.Struct):
    meta: _Meta


_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0
"""Seconds."""

_CREATIONS = (CreateCollection, CreateExtension, CreateMode, CreateVariable, CreateStyle)


class Outcome(NamedTuple):
    """The outcome of a batch: ``ids`` are set if it was applied, ``why`` if that is unclear."""

    how: How
    ids: dict[str, str]
    why: str = ""


def outcome_of(
    current: FileState, before: FileState, desired: FileState, batch: Batch, ids: Mapping[Ref, str]
) -> Outcome:
    """Return whether the state ``current`` shows the effects of a batch.

    ``before`` and ``desired`` are the states before and after it in the plan's refs, ``ids`` the real ids so far.
    Changes by others to other objects, or to some of the created objects, are ignored, but not deletions: an empty
    response, or that of another file, lacks the same objects.
    """
    was, will_be = with_ids(before, ids), with_ids(desired, ids)
    if missing := missing_objects(current, was, will_be):
        return Outcome("unclear", {}, f"the file lacks objects that the request does not delete ({missing})")
    objects = identify_created(current, was, will_be, batch.makes)
    if objects.ambiguous:
        names = ", ".join(objects.ambiguous[:3])
        return Outcome("unclear", {}, f"several new objects match the ones that it creates ({names})")
    will_be = with_ids(will_be, objects.ids)
    effects = differences(was, will_be)
    lacking = aspects_of(differences(current, will_be))
    changed = aspects_of(differences(was, current))
    desired_aspects = aspects_of(effects)
    present = desired_aspects - lacking
    other = desired_aspects & lacking & changed
    created = aspects_of(effect for effect in effects if isinstance(effect, _CREATIONS))
    edited = {aspect for aspect in lacking if _is_part_of(aspect, created)}
    if desired_aspects == present and not edited:
        return Outcome("carried out", objects.ids)
    if created <= present and desired_aspects == present | other and _any_unedited(created, present, edited):
        return Outcome("carried out", objects.ids)  # and somebody has changed part of it since
    if not present and desired_aspects != other:
        return Outcome("not carried out", {})
    return Outcome("unclear", {}, f"{len(present)} of its {counted(len(desired_aspects), 'effect')} found")


def missing_objects(current: FileState, was: FileState, will_be: FileState) -> str:
    """Return the names of objects that both other states hold and ``current`` lacks, as a text."""
    both = was.collections.keys() & will_be.collections.keys()
    names = [was.collections[ref].name for ref in both - current.collections.keys()]
    for ref in both & current.collections.keys():
        present = current.collections[ref].modes
        gone = {mode.ref for mode in will_be.collections[ref].modes} - {mode.ref for mode in present}
        names += [mode.name for mode in was.collections[ref].modes if mode.ref in gone]
    variables = was.variables.keys() & will_be.variables.keys()
    names += [was.variables[ref].name for ref in variables - current.variables.keys()]
    styles = was.styles.keys() & will_be.styles.keys()
    names += [was.styles[ref].name for ref in styles - current.styles.keys()]
    return listed_once(sorted(names))


def _is_part_of(aspect: Aspect, created: frozenset[Aspect]) -> bool:
    """Return whether a missing aspect is a part of a created object and not the whole object."""
    return aspect not in created and (
        Aspect("variable", aspect.ref) in created
        or Aspect("style", aspect.ref) in created
        or Aspect("collection", aspect.ref) in created
        or (aspect.kind == "value" and any(each.kind == "mode" and each.part == aspect.part for each in created))
    )


def _any_unedited(created: frozenset[Aspect], present: frozenset[Aspect], edited: set[Aspect]) -> bool:
    """Return whether a created object is exactly as in the batch, which is hardly a coincidence."""
    other = {operation.ref for operation in edited}
    valued = {operation.part for operation in present if operation.kind == "value"}
    return any(
        (each.kind in ("variable", "style") and each.ref not in other) or (each.kind == "mode" and each.part in valued)
        for each in created
    )


def time_to_settle(sending: Sending, settling_time: float, clock: Clock) -> float:
    """Return the seconds until a request that was sent by this process or an earlier one cannot be applied any more.

    Clocks of different boots or machines cannot be compared, and the time of day may have been set since. Then it is
    the whole ``settling_time``.
    """
    same_boot = sending.boot != "" and sending.boot == clock.boot()
    passed = clock.elapsed() - sending.elapsed if same_boot else 0.0
    return settling_time - min(max(0.0, passed), settling_time)


class _CreatedObjects(NamedTuple):
    """Real ids of created objects by temporary ones, and the names of objects with several candidates."""

    ids: dict[Ref, str]
    ambiguous: tuple[str, ...] = ()


def identify_created(
    current: FileState, before: FileState, desired: FileState, created_refs: Collection[Ref]
) -> _CreatedObjects:
    """Return the ids in ``current`` of the objects of ``desired`` with ``created_refs``, which ``before`` lacks."""
    if not created_refs:
        return _CreatedObjects({})
    search = _Identification(current, before, desired, frozenset(created_refs))
    search.collections()
    search.modes()
    search.variables()
    search.styles()
    return _CreatedObjects(search.ids, tuple(search.ambiguous))


class _Identification:
    def __init__(self, current: FileState, before: FileState, desired: FileState, created_refs: frozenset[Ref]) -> None:
        self.current = current
        self.before = before
        self.desired = desired
        self.created_refs = created_refs
        self.ids: dict[Ref, str] = {}
        self.ambiguous: list[str] = []
        self.new_variables = {
            (each.collection, each.name): each for ref, each in current.variables.items() if ref not in before.variables
        }
        self.desired_in: dict[Ref, list[VariableState]] = {}
        for ref, variable in desired.variables.items():
            if ref in created_refs:
                self.desired_in.setdefault(variable.collection, []).append(variable)

    def collections(self) -> None:
        # A parent comes before its extensions, so its id is known by then.
        new_collections = [each for ref, each in self.current.collections.items() if ref not in self.before.collections]
        groups: dict[object, list[CollectionState]] = {}
        for ref, each in self.desired.collections.items():
            if ref in self.created_refs:
                groups.setdefault(self._signature(each), []).append(each)
        for group in groups.values():
            candidates = [collection for collection in new_collections if self._fits(group[0], collection)]
            if len(candidates) > len(group) or len(group) > 1:
                self._distinguish(group, candidates)
            elif candidates:
                self._assign(group[0], candidates[0])

    def modes(self) -> None:
        """Identify new modes of existing collections and of their extensions."""
        for ref, desired in self.desired.collections.items():
            current = self.current.collections.get(ref)
            if ref in self.created_refs or current is None:
                continue
            known = {mode.ref for mode in desired.modes}
            unassigned = [mode for mode in current.modes if mode.ref not in known]
            for mode in desired.modes:
                if mode.ref not in self.created_refs:
                    continue
                if desired.parent is None:
                    fitting = [each for each in unassigned if each.name == mode.name]
                else:
                    parent = self._real(mode.parent)
                    fitting = [mode for mode in unassigned if mode.parent == parent]
                if len(fitting) > 1:
                    self.ambiguous.append(f"{desired.name}, {mode.name}")
                elif fitting:
                    self.ids[mode.ref] = fitting[0].ref

    def variables(self) -> None:
        for collection, variables in self.desired_in.items():
            owner = self._real(collection)
            for variable in variables:
                current = self.new_variables.get((owner or "", variable.name))
                if current is not None and current.type == variable.type:
                    self.ids[variable.ref] = current.ref

    def styles(self) -> None:
        new = [style for ref, style in self.current.styles.items() if ref not in self.before.styles]
        for style in (style for ref, style in self.desired.styles.items() if ref in self.created_refs):
            fitting = [candidate for candidate in new if (candidate.type, candidate.name) == (style.type, style.name)]
            if len(fitting) > 1:
                self.ambiguous.append(style.name)
            elif fitting:
                self.ids[style.ref] = fitting[0].ref

    def _signature(self, collection: CollectionState) -> object:
        """Return what collections have in common if only their values may differ."""
        variables = frozenset((variable.name, variable.type) for variable in self.desired_in.get(collection.ref, ()))
        modes = tuple(mode.name for mode in collection.modes)
        return collection.name, collection.hidden, collection.parent, modes, variables

    def _fits(self, desired: CollectionState, current: CollectionState) -> bool:
        if (desired.name, desired.hidden, current.fixed) != (current.name, current.hidden, False):
            return False
        if desired.parent is not None:
            own = {self._real(mode.parent) for mode in desired.modes}
            return self._real(desired.parent) == current.parent and own <= {mode.parent for mode in current.modes}
        if current.parent is not None or [mode.name for mode in desired.modes] != [
            mode.name for mode in current.modes[: len(desired.modes)]
        ]:
            return False
        return all(
            (present := self.new_variables.get((current.ref, each.name))) is not None and present.type == each.type
            for each in self.desired_in.get(desired.ref, ())
        )

    def _distinguish(self, group: list[CollectionState], candidates: list[CollectionState]) -> None:
        """Assign collections by their content. Equal ones are interchangeable if there are not more than desired."""
        rest = list(candidates)
        undecided: list[tuple[CollectionState, list[CollectionState]]] = []
        for desired in group:
            matching = [candidate for candidate in candidates if self._has_content(desired, candidate)]
            if len(matching) > len(group):
                self.ambiguous.append(desired.name)
                return
            undecided.append((desired, matching))
        for desired, matching in sorted(undecided, key=lambda pair: len(pair[1])):
            free = [collection for collection in matching if collection in rest]
            if free:
                rest.remove(free[0])
                self._assign(desired, free[0])

    def _assign(self, desired: CollectionState, current: CollectionState) -> None:
        # A new extension has a mode for each of its parent's, even for one that a later request deletes.
        self.ids.update((ref, id_) for ref, id_ in self._ids(desired, current).items() if ref in self.created_refs)

    def _ids(self, desired: CollectionState, current: CollectionState) -> dict[Ref, str]:
        ids = {desired.ref: current.ref}
        if desired.parent is None:
            ids.update((mode.ref, present.ref) for mode, present in zip(desired.modes, current.modes, strict=False))
        else:
            by_parent = {mode.parent: mode.ref for mode in current.modes}
            ids.update(
                (mode.ref, by_parent[parent])
                for mode in desired.modes
                if (parent := self._real(mode.parent)) in by_parent
            )
        return ids

    def _has_content(self, desired: CollectionState, current: CollectionState) -> bool:
        """Return whether a collection has all the content that the batch puts into the desired one."""
        ids = {**self.ids, **self._ids(desired, current)}
        own = {mode.ref for mode in desired.modes}
        if desired.parent is None:
            pairs = [
                (each, self.new_variables[current.ref, each.name]) for each in self.desired_in.get(desired.ref, ())
            ]
            ids.update((each.ref, present.ref) for each, present in pairs)
            return all(self._same_variable(each, present, ids) for each, present in pairs)
        overridden = (variable for variable in self.desired.variables.values() if not own.isdisjoint(variable.values))
        for variable in overridden:
            present = self.current.variables.get(self._real(variable.ref) or "")
            if present is None or not self._same_values(variable, present, ids, own):
                return False
        return True

    def _same_variable(self, desired: VariableState, current: VariableState, ids: Mapping[Ref, str]) -> bool:
        members = ("description", "hidden", "code_syntax")
        own = {mode for mode in desired.values if mode in ids}
        return all(getattr(desired, member) == getattr(current, member) for member in members) and self._same_values(
            desired, current, ids, own
        )

    def _same_values(
        self, desired: VariableState, current: VariableState, ids: Mapping[Ref, str], modes: Iterable[Ref]
    ) -> bool:
        return all(
            self._same(desired.values[mode], current.values.get(ids.get(mode, mode)), ids)
            for mode in modes
            if mode in desired.values
        )

    def _same(self, desired: StateValue | None, current: object, ids: Mapping[Ref, str]) -> bool:
        """Return whether two values are equal, as far as the ids of their targets are known."""
        if not isinstance(desired, ObjectValue) or not isinstance(current, ObjectValue):
            return desired == current
        if desired.alias is not None:
            known = ids.get(desired.alias, desired.alias)
            return known == current.alias or (known in self.created_refs and current.alias is not None)
        if desired.color is not None:
            return self._same(desired.color, current.color, ids) and self._same(desired.opacity, current.opacity, ids)
        return desired == current

    def _real(self, ref: Ref | None) -> str | None:
        """Return the real id of a ref, or the ref if the id is not known yet."""
        return None if ref is None else self.ids.get(ref, ref)


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
# (https://developers.figma.com/docs/rest-api/rate-limits/): after the wait that it asks for, two readings that agree
# decide. A 429 without that body is of a proxy, which may have forwarded the request: it is treated like a lost
# response.
#
# The platform refuses the first copy of a guarded batch only as long as the objects of the second one exist. So another
# plan, which may rename or delete them, waits too (``Journal.in_transit``). A proxy may also have sent a request twice
# and returned no response. After such a request, an apply verifies its result only when no copy is in transit any more,
# unless the batch is guarded.


class ApplyContext(NamedTuple):
    """The times of an apply in seconds, the number of attempts for one batch, the clock, and who gets messages.

    ``settling_time`` is how long after its sending a request may still be applied if its outcome is uncertain,
    ``longest_wait`` the longest accepted ``Retry-After``. ``report`` gets progress, ``tell`` what to say outside a
    terminal, too, such as long waits.
    """

    settling_time: float
    longest_wait: float
    attempts: int
    clock: Clock
    report: Callable[[str], None]
    tell: Callable[[str], None]


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
    """Sends the batches of one apply. ``check`` is called before each attempt and raises Stop on unexpected changes."""

    def __init__(
        self, journal: Journal, remote: Remote, context: ApplyContext, check: Callable[[Step, Reading], None]
    ) -> None:
        self._journal = journal
        self._remote = remote
        self._context = context
        self._clock = context.clock
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
        if any(sending.digest != digest for sending in batch_log.sent):
            raise Stop(
                f"{self._journal.folder}: another version of tokensync sent request {step.number + 1} with different "
                "content; inspect the file, then roll back or make a new plan"
            )
        if batch_log.uncertain:
            outcome = self.reconcile(step, ids)
            if outcome.ids is not None:
                return outcome.ids
            reading = outcome.reading
        failure: PlatformError | None = None
        for attempt in range(self._context.attempts):
            if failure is not None and reading is None:
                seconds = _FIRST_PAUSE * 2 ** (attempt - 1)
                self._context.tell(f"{failure}; retrying in {seconds:.0f} s")
                self._clock.sleep(seconds)
            reading = reading or self._remote.read()
            try:
                self._check(step, reading)
            except Stop:
                if self._journal.batch(step.number).uncertain:  # an earlier attempt may still be applied
                    outcome = self.reconcile(step, ids, finally_=True)
                    if outcome.ids is not None:
                        return outcome.ids
                raise
            outcome = self._send(step, ids, body, digest)
            if outcome.ids is not None:
                return outcome.ids
            reading, failure = outcome.reading, outcome.failure
        raise failure or AssertionError("no attempt")

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
        return self.reconcile(step, ids, ServerError("Figma's response lacks ids of created objects"))

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
            return self.reconcile(step, ids, failure)
        return self._refused(step, ids, failure)

    def _refused(self, step: Step, ids: Mapping[Ref, str], failure: PlatformError) -> _Attempt:
        """Return the attempt if the file shows that a copy of it was applied. Otherwise raise its failure."""
        self._record_refusal(step, failure)
        if self._journal.batch(step.number).pending:  # an attempt without a response may be the reason for the refusal
            outcome = self.reconcile(step, ids, failure, finally_=True)
        else:
            try:
                reading = self._remote.read()
                found = self._outcome_of(step, ids, reading.state)
            except TokensyncError:  # a token that was refused may not read either
                raise failure from None
            if found.how != "carried out":
                self._refuse_other_apply(step, reading)
                raise failure
            outcome = self.reconcile(step, ids, failure)
        if outcome.ids is None:
            raise failure
        return outcome

    def _wait_for_rate_limit(self, step: Step, ids: Mapping[Ref, str], failure: RateLimitedError) -> _Attempt:
        """Wait as long as the platform asks, then read whether the batch was applied."""
        attempts = len(self._journal.batch(step.number).sent)
        wait = _FIRST_PAUSE * 2 ** (attempts - 1) if failure.retry_after is None else failure.retry_after
        if wait > self._context.longest_wait:
            return self._refused(step, ids, failure)
        self._record_refusal(step, failure)
        self._context.tell(f"rate limited; continuing in {wait:g} s")
        self._clock.sleep(wait)
        if failure.from_platform and not self._journal.batch(step.number).pending:
            outcome, reading = self._final_outcome(step, ids, 0.0, guarded=step.batch.guarded)
            if outcome.how == "not carried out":
                return self._reconciled(step, outcome, reading, failure)
        return self.reconcile(step, ids, failure, waited=wait)

    def reconcile(
        self,
        step: Step,
        ids: Mapping[Ref, str],
        failure: PlatformError | None = None,
        *,
        finally_: bool = False,
        waited: float = 0.0,
    ) -> _Attempt:
        """Read until the outcome of all attempts is clear, and record it. ``finally_`` is set if no other one follows.

        After a ``failure`` the time starts ``waited`` seconds ago, since the platform may have been processing the
        request until then.
        """
        guarded = step.batch.guarded and not finally_
        uncertain = self._journal.batch(step.number).uncertain
        settling_time = self._context.settling_time
        waits = [time_to_settle(sending, settling_time, self._clock) for sending in uncertain]
        if uncertain and failure is not None:
            waits.append(settling_time - waited)
        outcome, reading = self._final_outcome(step, ids, max(waits, default=0.0), guarded=guarded)
        # A guarded batch may still be in transit, which does no harm: it stays uncertain in the journal.
        if outcome.how == "not carried out" and (guarded or not uncertain):
            return _Attempt(None, reading, failure)
        return self._reconciled(step, outcome, reading, failure)

    def _final_outcome(
        self, step: Step, ids: Mapping[Ref, str], wait: float, *, guarded: bool
    ) -> tuple[Outcome, Reading]:
        """Read until the outcome is final, and return it with the reading that shows it.

        "carried out" is final at once if it has new ids, and "not carried out" if the batch is ``guarded``. Others are
        final if two readings show them, and after ``wait`` seconds unless they are "carried out".
        """
        due = self._clock.elapsed() + wait
        pause = _FIRST_PAUSE
        last = None
        while True:
            is_due = self._clock.elapsed() >= due
            reading = self._remote.read()
            outcome = self._outcome_of(step, ids, reading.state)
            is_first = bool(outcome.ids) or (outcome.how == "not carried out" and guarded)
            if is_first or (outcome.how == last and (is_due or outcome.how == "carried out")):
                return outcome, reading
            rest = max(_FIRST_PAUSE, due - self._clock.elapsed())
            if outcome.how != "carried out" and not is_due:
                what = "the outcome is uncertain, and the file does not show the request yet"
                (self._context.report if last else self._context.tell)(f"{what}; reading again for {rest:.0f} s")
            self._clock.sleep(min(pause, rest))
            pause = min(2 * pause, _LONGEST_PAUSE)
            last = outcome.how

    def _reconciled(self, step: Step, outcome: Outcome, reading: Reading, failure: PlatformError | None) -> _Attempt:
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
