"""Apply a plan, or the rest of one, batch by batch, each only if the platform is as expected.

A journal for other machines has, instead of the platform's response, the former state of what its plan touches: a
response holds variables that are not published, and everybody who can read a run can read its artifacts.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import msgspec
from msgspec import Raw, Struct

from tokensync.apply.checking import CheckContext, PlanCheck, invalid_references
from tokensync.apply.journal import (
    BEFORE,
    PLAN,
    TOUCHED,
    Finished,
    Reconciled,
    Resumed,
    Sending,
    Started,
    Stopped,
    Waited,
    sha256_of,
    write_receipt,
)
from tokensync.apply.sending import (
    ApplyContext,
    OtherApply,
    Reading,
    Sender,
    Step,
    Stop,
    identify_created,
    missing_objects,
    outcome_of,
    time_to_settle,
)
from tokensync.extract.wire import fingerprint, whole_characters
from tokensync.plan import plan as plans
from tokensync.plan.batches import Batch, after, batches_of, with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    COLLECTIONS,
    MODES,
    CreateCollection,
    CreateExtension,
    DeleteCollection,
    DeleteMode,
    aspects_of,
    conflicting,
    subjects,
)
from tokensync.plan.plan import Plan, PlanFile
from tokensync.plan.state import FileState, Ref
from tokensync.system.disk import content_of, remove_file, replace_file
from tokensync.system.errors import DECODE_ERRORS, ConflictError, TokensyncError
from tokensync.system.formats import MADE_BY
from tokensync.system.wording import counted, listed_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.apply.journal import Applies, Journal
    from tokensync.apply.sending import Remote
    from tokensync.plan.operations import Aspect, Operation

    _Key = tuple[Ref, Ref]
    """A created object by its id: a collection, twice, or the root collection and a mode."""


def refuse_unfinished(journals: Sequence[Journal], now: float) -> None:
    """Raise ConflictError if an earlier apply of the file was interrupted. Close one that sent nothing, and scripts."""
    for each in journals:
        if each.status == "unsent" or (each.status == "open" and each.started.script):
            each.record(Stopped(at=now, why="nothing was sent"))
        elif each.status == "open":
            raise ConflictError(
                f"{each.folder}: an apply of {each.started.file} was interrupted, and its last request may have been "
                "applied; continue with tokensync apply --resume, or revert it with "
                f"tokensync rollback {each.folder}"
            )


def begin(
    applies: Applies,
    plan: Plan,
    reading: Reading,
    *,
    rebase: bool,
    now: float,
    report: Callable[[str], None],
    context: CheckContext,
    lock: Callable[[], str] = str,
    script: bool = False,
) -> tuple[Journal, ExecutionPlan]:
    """Begin a journal for a plan and return it with the requests. ``reading`` is the platform's present content.

    ``lock`` returns the digest of tokensync.lock, which it may bring up to date first. ``script`` means that a script
    is to carry out the plan.

    Raises ConflictError if the plan was made from other content, unless ``rebase`` is set, the changes do not affect
    the plan's objects and the platform would still accept the plan. Also raises it for an unsafe or edited plan.
    """
    rebased = reading.fingerprint != plan.fingerprint
    content = PlanFile(made_by=MADE_BY, plans=(plan,)).encoded()
    check = PlanCheck(plan, reading, context, rebased=rebased)
    conflicts = conflicting(plan.operations, reading.state)
    if rebased:
        _refuse_outdated(applies, plan, reading, conflicts, sha256_of(content), rebase=rebase)
        report(f"{plan.file}: the design file has changed since the plan was made, but not the objects of the plan")
    check.check_operations(conflicts)
    execution = _execution_from(plan, reading)
    check.check_result(execution.batches, execution.states)
    journal = applies.new(plan.file, content, reading.raw, now)
    journal.record(
        Started(
            at=now,
            file=plan.file,
            key=plan.key,
            plan=sha256_of(content),
            before=sha256_of(reading.raw),
            batches=len(execution.batches),
            rebased=rebased,
            lock=lock(),
            script=script,
        )
    )
    return journal, execution


def _refuse_outdated(
    applies: Applies, plan: Plan, reading: Reading, conflicts: Sequence[Operation], digest: str, *, rebase: bool
) -> None:
    done = [journal for journal in applies.of(plan.file) if journal.carried_out and journal.started.plan == digest]
    if done and done[-1].status == "finished":
        last = done[-1].records[-1]
        found = last.differences if isinstance(last, Finished) else ()  # a killed apply may not have shown them
        what = f", but not as planned: {listed_once(found)}" if found else ""
        raise ConflictError(
            f"{plan.file}: this plan has already been applied ({done[-1].folder}){what}; make a new plan"
        )
    if done and done[-1].status == "stopped":
        part = f"{done[-1].carried_out} of {counted(done[-1].started.batches, 'request')}"
        raise ConflictError(
            f"{plan.file}: this plan has already been applied in part ({part}, {done[-1].folder}); continue with "
            "tokensync apply --resume, or make a new plan"
        )
    if conflicts:
        raise ConflictError(
            f"{plan.file}: since the plan was made, somebody changed the same objects "
            f"({listed_once(subjects(conflicts, reading.state))}); make a new plan"
        )
    if made := _made_already(plan, reading):
        raise ConflictError(
            f"{plan.file}: the plan appears to have been applied: the file has what it creates "
            f"({listed_once(made)}); make a new plan{_sent_twice('collections') if _has_copies(made, reading) else ''}"
        )
    if not rebase:
        copies = _copies(plan, reading)
        raise ConflictError(
            f"{plan.file}: the design file has changed since the plan was made, but not the objects of the plan; "
            f"apply it with --rebase, or make a new plan{_sent_twice(copies) if copies else ''}"
        )


def _sent_twice(objects: str) -> str:
    return f"; a proxy may have sent a request twice: if so, delete one of the two {objects} in the editor first"


def _copies(plan: Plan, reading: Reading) -> str:
    """Return what of a plan's objects exists twice: ``collections``, ``modes`` or nothing."""
    touched = {aspect.ref for operation in plan.operations for aspect in operation.aspects()}
    own = [each for ref, each in reading.state.collections.items() if ref in touched]
    if _has_copies([collection.name for collection in own], reading):
        return "collections"
    names = ([mode.name for mode in collection.modes] for collection in own)
    return "modes" if any(len(set(name)) < len(name) for name in names) else ""


def _has_copies(names: Sequence[str], reading: Reading) -> bool:
    present = [collection.name for collection in reading.state.collections.values()]
    return any(present.count(name) > 1 for name in names)


def _made_already(plan: Plan, reading: Reading) -> tuple[str, ...]:
    """Return the names of collections with all that a request of the plan creates in them.

    Only collections and modes may have equal names, and ``validate`` refuses a mode whose name is taken.
    """
    new = {each.ref: each.name for each in plan.operations if isinstance(each, CreateCollection | CreateExtension)}
    if not new or any(invalid_references(plan.operations, reading.state)):
        return ()
    execution, nothing = _execution_from(plan, reading), FileState({}, {})
    found: list[str] = []
    for batch, state in zip(execution.batches, execution.states[1:], strict=True):
        made = identify_created(reading.state, nothing, state, batch.makes)
        found += (*(new[ref] for ref in batch.makes if ref in new and ref in made.ids), *made.ambiguous)
    return tuple(found)


_READ_DELAYS = (1.0, 2.0, 4.0, 8.0)
"""Seconds between readings while a confirmed request is not visible yet."""


class ExecutionPlan(NamedTuple):
    """The requests of a plan. ``states[n]`` is the state after n of them, in the plan's refs."""

    plan: Plan
    before: Reading
    batches: tuple[Batch, ...]
    states: tuple[FileState, ...]


class Result(NamedTuple):
    """The platform after an apply. ``ids`` are the real ids of created objects.

    ``differences`` describes deviations from the plan, ``tolerated`` changes by others to other objects, ``hint`` the
    likely cause of a difference, if there is a sign of one. ``by_others`` is what others have changed of variables
    meanwhile, and the collections that they have created; None if anything else differs, too, or the name or existence
    of a variable of the plan.
    """

    reading: Reading
    ids: dict[Ref, str]
    differences: tuple[str, ...]
    tolerated: tuple[str, ...] = ()
    hint: str = ""
    by_others: frozenset[Aspect] | None = frozenset()


def execution_of(journal: Journal) -> ExecutionPlan:
    """Return the requests of a journal's plan, always the same. Raises ConflictError if its files were changed."""
    started = journal.started
    (plan,) = plans.decoded(journal.content(PLAN, started.plan)).plans
    return _execution_from(plan, Reading(started.file, journal.before))


def _execution_from(plan: Plan, before: Reading) -> ExecutionPlan:
    """Return the requests that apply a plan to a file with the content ``before``."""
    batches = batches_of(plan.operations, before.state)
    states = [before.state]
    for batch in batches:
        states.append(after(states[-1], batch))
    return ExecutionPlan(plan, before, batches, tuple(states))


def known_ids(journal: Journal) -> dict[Ref, str]:
    """Return the real ids of all objects that a journal's applied requests created."""
    found: dict[Ref, str] = {}
    for index in range(journal.carried_out):
        found |= journal.batch(index).ids or {}
    return found


def ids_shown(journal: Journal, execution: ExecutionPlan, reading: Reading) -> dict[Ref, str]:
    """Return the known ids, but those that ``reading`` shows if the last request was confirmed with wrong ones.

    A response that a proxy damaged may still be valid. The ids of earlier requests were compared before this one.
    """
    number, ids = journal.carried_out, known_ids(journal)
    confirmed = (journal.batch(number - 1).ids or {}) if number and journal.batch(number - 1).answered else {}
    if not confirmed or not differences(with_ids(execution.states[number], ids), reading.state):
        return ids
    earlier = {ref: each for ref, each in ids.items() if ref not in confirmed}
    before, after_it = execution.states[number - 1 : number + 1]
    outcome = outcome_of(reading.state, before, after_it, execution.batches[number - 1], earlier)
    return ids | outcome.ids if outcome.how == "carried out" else ids


def apply(
    journal: Journal,
    execution: ExecutionPlan,
    remote: Remote,
    context: ApplyContext,
    *,
    rebase: bool = False,
    reading: Reading | None = None,
) -> Result:
    """Send the remaining requests of a plan, and verify the result.

    ``reading`` is the platform's content if it was just read. Raises Stop (a ConflictError) if it must not continue,
    and the client's errors. Then the journal ends with "stopped", unless a request may still be in transit.
    """
    run = _Run(journal, execution, remote, rebase, context)
    try:
        return run.result(reading)
    except TokensyncError as error:
        if isinstance(error, Stop) or not journal.batch(journal.carried_out).pending:
            journal.record(Stopped(at=context.clock.now(), why=str(error)[:1000]))
        raise


def conclude(journal: Journal, execution: ExecutionPlan, remote: Remote, context: ApplyContext, *, why: str) -> None:
    """Reconcile the last request of an interrupted or refused apply, send no more, and write its receipt."""
    number, ids = journal.carried_out, known_ids(journal)
    if journal.batch(number).uncertain:
        sender = Sender(journal, remote, context, lambda step, reading: None)
        step = Step(number, execution.batches[number], execution.states[number], execution.states[number + 1])
        with suppress(Stop):  # the journal records an unclear outcome
            sender.reconcile(step, ids, finally_=True)
    journal.record(Stopped(at=context.clock.now(), why=why))
    write_receipt(journal, "stopped", execution.plan.fingerprint)


def wait_for_copies(journal: Journal, context: ApplyContext) -> None:
    """Wait until no copy of an apply's requests is in transit any more."""
    copies = journal.in_transit
    if copies:
        rest = max(time_to_settle(copy_, context.settling_time, context.clock) for copy_ in copies)
        if rest > 0:
            context.tell(f"a copy of a request that got no response may still be in transit; waiting {rest:.0f} s")
            context.clock.sleep(rest)
        journal.record(Waited(at=context.clock.now()))


class _Run:
    def __init__(
        self, journal: Journal, execution: ExecutionPlan, remote: Remote, rebase: bool, context: ApplyContext
    ) -> None:
        self.journal = journal
        self.execution = execution
        self.remote = remote
        self.rebase = rebase
        self.context = context
        self.clock = context.clock
        self.ids = known_ids(journal)
        self.sender = Sender(journal, remote, context, self.check)
        self.is_resumed = journal.status != "unsent" or len(journal.records) > 1
        if self.is_resumed:
            journal.record(Resumed(at=self.clock.now()))

    def result(self, reading: Reading | None) -> Result:
        batches, states = self.execution.batches, self.execution.states
        if self.journal.carried_out:
            reading = reading or self.remote.read()
            self.correct_ids(reading)
            if self.is_resumed:
                self.adopt(reading)
        for index in range(self.journal.carried_out, len(batches)):
            self.context.report(f"sending request {index + 1} of {len(batches)}")
            step = Step(index, batches[index], states[index], states[index + 1])
            if step.batch.makes and index == 0:  # checking a plan takes time in which another apply may create the same
                reading = None
            self.ids |= self.sender.carry_out(step, self.ids, reading)
            reading = self.read_after(index + 1)
            self.correct_ids(reading)
        if not all(batches[sending.batch].guarded for sending in self.journal.in_transit):
            wait_for_copies(self.journal, self.context)
            reading = None
        self.context.report("reading back")
        reading = reading or self.remote.read()
        self.refuse_other_apply(len(batches), reading)
        result = self.verify(reading)
        # A proxy or a replica may have given an old or empty response: one reading is no proof of a difference.
        return self.verify(self.remote.read()) if result.differences else result

    def correct_ids(self, reading: Reading) -> None:
        """Record the ids that the platform shows if it confirmed the last request with others."""
        shown = ids_shown(self.journal, self.execution, reading)
        if shown != self.ids:
            last = self.journal.carried_out - 1
            made = {ref: shown[ref] for ref in self.execution.batches[last].makes if ref in shown}
            self.journal.record(Reconciled(at=self.clock.now(), batch=last, how="carried out", ids=made))
            self.ids = shown

    def read_after(self, number: int) -> Reading:
        """Return the platform's content after ``number`` requests, the last of which may become visible late."""
        states = self.execution.states
        reading = self.remote.read()
        for pause in _READ_DELAYS:
            made = [self.ids[ref] for ref in self.execution.batches[number - 1].makes if ref in self.ids]
            visible = any(each in reading.state.variables or each in reading.state.collections for each in made)
            if visible or differences(with_ids(states[number - 1], self.ids), reading.state):
                break
            if not differences(with_ids(states[number], self.ids), reading.state):
                break  # a request without visible changes
            self.context.report("Figma does not show the last request yet; reading again")
            self.clock.sleep(pause)
            reading = self.remote.read()
        return reading

    def verify(self, reading: Reading) -> Result:
        """Compare the platform's content with the plan's result."""
        desired = with_ids(self.execution.states[-1], self.ids)
        found = differences(desired, reading.state)
        hint = self._hint(len(self.execution.batches), reading).removeprefix("; ") if found else ""
        is_rebased = (self.rebase or self.journal.started.rebased) and not hint
        own, others = self._split(found) if found else ((), ())
        ours, theirs = (own, others) if is_rebased else (found, ())
        aspects = aspects_of(found)
        can_be_left_out = (
            not hint
            and all(_is_of_variable_or_new(aspect, desired) for aspect in aspects)
            and all(aspect.part not in ("", "name") for aspect in aspects_of(own))
        )
        return Result(
            reading,
            dict(self.ids),
            subjects(ours, desired, reading.state),
            subjects(theirs, desired, reading.state),
            hint,
            aspects if can_be_left_out else None,
        )

    def check(self, step: Step, reading: Reading) -> None:
        """Raise Stop if the platform differs from the state after the previous batches in objects of the plan."""
        expected = with_ids(step.before, self.ids)
        found = differences(expected, reading.state)
        if found:  # one reading is no proof of a difference
            reading = self.remote.read()
            found = differences(expected, reading.state)
        if expected.opaque or reading.state.opaque:
            self._check_opaque(step.number, expected, reading)
        if not found:
            return
        self.refuse_other_apply(step.number, reading)
        changes = listed_once(subjects(found, expected, reading.state))
        done = f"{step.number} of {counted(len(self.execution.batches), 'request')} applied"
        otherwise = self._way_back(step.number)
        if not self.rebase:
            raise Stop(
                f"{self.remote.file}: somebody changed the file during the apply ({changes}; {done}); "
                f"continue with tokensync apply --resume --rebase to keep those changes, or {otherwise}"
                f"{self._hint(step.number, reading)}"
            )
        ours, _ = self._split(found)
        rest = differences(expected, with_ids(self.execution.states[-1], self.ids))
        conflicts = (*ours, *conflicting(rest, reading.state))
        if conflicts:
            raise Stop(
                f"{self.remote.file}: somebody changed objects of the plan "
                f"({listed_once(subjects(conflicts, expected, reading.state))}; {done}); {otherwise}"
                f"{self._hint(step.number, reading)}"
            )
        self.context.report(f"keeping changes made by somebody else ({changes})")

    def refuse_other_apply(self, number: int, reading: Reading) -> None:
        """Raise OtherApply if somebody has created objects of the plan, too, or is ahead of its ``number`` requests."""
        now, before = reading.state, self.execution.before.state
        last = with_ids(self.execution.states[-1], self.ids)
        if missing_objects(now, before, last):  # an empty or foreign response
            return
        copies = dict(_copied(before, last, now))
        names = listed_once([f"{name} ({other})" for (_, name), other in copies.items()])
        own = {key: other for (key, _), other in copies.items() if key[1] in self.ids.values()}
        since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.clock.now()))
        by_whom = f"another apply, or a proxy that repeated a request, has created the same by {since}: {names}"
        where, total = self.remote.file, len(self.execution.batches)
        if own:
            raise OtherApply(f"{where}: {by_whom}", reading, own)
        if copies:
            raise OtherApply(f"{where}: {by_whom}; wait until it has ended, then make a new plan", reading, {})
        done, _ = self._ahead(number, reading)
        if done > number:
            then = "continue with tokensync apply --resume" if number else "make a new plan"
            raise OtherApply(
                f"{where}: another apply carries out the same plan: {done} of {counted(total, 'request')} by {since}, "
                f"{number} by this one; wait until it has ended, then {then}",
                reading,
                {},
            )

    def _ahead(self, number: int, reading: Reading) -> tuple[int, dict[Ref, str]]:
        """Return how many requests of the plan the file shows if more than ``number``, and the ids of new objects."""
        for done in range(number + 1, len(self.execution.batches) + 1):
            makes = [ref for batch in self.execution.batches[number:done] for ref in batch.makes]
            before, after_it = (with_ids(self.execution.states[index], self.ids) for index in (number, done))
            made = identify_created(reading.state, before, after_it, makes).ids
            if not differences(with_ids(after_it, made), reading.state):
                return done, made
        return number, {}

    def adopt(self, reading: Reading) -> None:
        """Count requests as carried out that another apply of the same plan has sent before it was given up."""
        number, clock = self.journal.carried_out, self.clock
        if number == len(self.execution.batches) or self.journal.batch(number).uncertain:
            return
        if not differences(with_ids(self.execution.states[number], self.ids), reading.state):
            return
        done, made = self._ahead(number, reading)
        self.ids |= made
        for index, batch in enumerate(self.execution.batches[number:done], number):
            body, ids = batch.body(self.ids), {ref: made[ref] for ref in batch.makes if ref in made}
            self.journal.record(Sending(at=clock.now(), batch=index, digest=sha256_of(body), bytes=len(body)))
            self.journal.record(Reconciled(at=clock.now(), batch=index, how="carried out", ids=ids))

    def _hint(self, number: int, reading: Reading) -> str:
        """Return a hint at a proxy that withheld the last of ``number`` requests, if it looks like that."""
        if number and not differences(with_ids(self.execution.states[number - 1], self.ids), reading.state):
            return f"; a proxy may have confirmed request {number} without forwarding it"
        return ""

    def _check_opaque(self, number: int, expected: FileState, reading: Reading) -> None:
        """Raise Stop if somebody changed a variable of an unknown type that the plan deletes with others.

        No operation changes such a variable, so ``differences`` does not show it.
        """
        elements = [element for batch in self.execution.batches[number:] for element in batch.elements]
        if not any(element.action == "DELETE" and element.array in (COLLECTIONS, MODES) for element in elements):
            return
        rest = differences(expected, with_ids(self.execution.states[-1], self.ids))
        conflicts = conflicting(
            [operation for operation in rest if isinstance(operation, DeleteCollection | DeleteMode)], reading.state
        )
        if conflicts:
            raise Stop(
                f"{self.remote.file}: somebody changed objects that the plan deletes "
                f"({listed_once(subjects(conflicts, expected, reading.state))}); {self._way_back(number)}"
            )

    def _way_back(self, number: int) -> str:
        """Return what to do if the plan cannot be continued after ``number`` requests."""
        # A new plan would take temporary names and values for edits of designers.
        return f"reverse it with tokensync rollback {self.journal.folder}" if number else "make a new plan"

    def _split(self, found: Sequence[Operation]) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
        """Return the differences that concern the plan's objects, and the others."""
        before, last = self.execution.states[0], self.execution.states[-1]
        conflicts = aspects_of(differences(with_ids(before, self.ids), with_ids(last, self.ids)))
        made = {
            conflict.ref
            for conflict in conflicts
            if conflict.kind in ("variable", "collection", "style") and not conflict.part
        }
        ours: list[Operation] = []
        others: list[Operation] = []
        for operation in found:
            is_ours = any(aspect in conflicts or aspect.ref in made for aspect in aspects_of((operation,)))
            (ours if is_ours else others).append(operation)
        return tuple(ours), tuple(others)


def _copied(before: FileState, desired: FileState, now: FileState) -> Iterator[tuple[tuple[_Key, str], Ref]]:
    """Yield what a plan creates and ``now`` has of somebody else, with its name and the other one's id.

    Names of variables are unique in their collection, so only collections and modes can be created twice.
    """
    new = [each for ref, each in now.collections.items() if ref not in {*before.collections, *desired.collections}]
    for ref, own in desired.collections.items():
        was, present = before.collections.get(ref), now.collections.get(ref)
        if was is None:
            other = next((each for each in new if (each.name, each.parent) == (own.name, own.parent)), None)
            if other is not None:
                new.remove(other)
                yield ((ref, ref), own.name), other.ref
        elif present is not None and own.parent is None:
            known = {mode.ref for mode in (*was.modes, *own.modes)}
            others = {mode.name: mode.ref for mode in present.modes if mode.ref not in known}
            for mode in own.modes:
                if mode.name in others and mode not in was.modes:
                    yield ((ref, mode.ref), f"{own.name}, {mode.name}"), others[mode.name]


def _is_of_variable_or_new(aspect: Aspect, desired: FileState) -> bool:
    """Return whether an aspect is that of a variable, or a collection that the desired state does not have."""
    is_new = aspect.kind == "collection" and not aspect.part and aspect.ref not in desired.collections
    return is_new or aspect.kind in ("variable", "value")


Member = Literal["variableCollections", "variables", "styles"]


class Response(Struct):
    """A response of the platform. In touched.json, ``fingerprint`` is that of all of it, and other objects are null."""

    meta: dict[str, Raw]
    fingerprint: str = ""

    def members(self) -> Iterator[Member]:
        """Yield the members that have objects."""
        return (name for name in get_args(Member) if name in self.meta)

    def objects(self, member: str) -> dict[str, Raw | None]:
        """Return the objects of a member by id."""
        objects = msgspec.json.decode(self.meta[member], type=dict[str, Raw])
        return {ref: None if bytes(each) == b"null" else each for ref, each in objects.items()}


def touched(journal: Journal) -> bytes:
    """Return the response of a journal with null for each object that the plan does not touch."""
    execution = execution_of(journal)
    changed = changed_objects(execution)
    response = response_of(execution.before.raw)
    meta: dict[str, Raw] = {}
    for name in response.members():
        objects = response.objects(name)
        meta[name] = Raw(msgspec.json.encode({ref: objects[ref] if ref in changed else None for ref in objects}))
    return msgspec.json.encode(Response(meta, execution.before.fingerprint))


def complete(journal: Journal, remote: Remote, *, now: float, rebase: bool) -> None:
    """Read from the platform what a journal of another machine lacks of the response. Other journals lack nothing.

    Raises ConflictError if something else than the plan touches has changed since, unless ``rebase`` is set.
    """
    path = os.path.join(journal.folder, TOUCHED)
    if (content := content_of(path)) is None:
        return
    reading = remote.read()
    _ = reading.graph  # raises for an invalid response
    try:
        former, response = response_of(content), response_of(reading.raw)
        for name in response.members():
            present = response.objects(name)
            known = {ref: each or present.get(ref) for ref, each in former.objects(name).items()}
            response.meta[name] = Raw(msgspec.json.encode({ref: each for ref, each in known.items() if each}))
    except (*DECODE_ERRORS, KeyError):
        raise ConflictError(f"{path}: damaged; restore it from the artifact of the run") from None
    raw = msgspec.json.encode(response)
    if fingerprint(reading.file, raw) != former.fingerprint and not rebase:
        raise ConflictError(
            f"{journal.folder}: since this apply began, somebody changed objects that its plan does not touch; go on "
            "with tokensync apply --resume --rebase to keep those changes, or reverse it with "
            f"tokensync rollback {journal.folder}"
        )
    replace_file(os.path.join(journal.folder, BEFORE), raw)
    journal.record(Resumed(at=now, before=sha256_of(raw)))
    remove_file(path)


def response_of(raw: bytes) -> Response:
    """Return a response with its objects as they are. Raises ``DECODE_ERRORS`` for one that has none."""
    return msgspec.json.decode(whole_characters(raw, "")[0], type=Response)


def changed_objects(execution: ExecutionPlan) -> set[Ref]:
    """Return the objects whose JSON any of the requests changes."""
    before, *later = execution.states
    changed: set[Ref] = set()
    modes: set[Ref] = set()
    for state in later:
        changed |= {ref for ref, each in before.collections.items() if state.collections.get(ref) != each}
        changed |= {ref for ref, style in before.styles.items() if state.styles.get(ref) != style}
        for ref in before.variables.keys() | state.variables.keys():
            if (was := before.variables.get(ref)) != (now := state.variables.get(ref)):
                for variable in filter(None, (was, now)):
                    changed |= {ref, variable.collection}
                    modes |= variable.values.keys()
    changed |= {variable.id for ref in before.collections.keys() & changed for variable in before.opaque_of(ref)}
    # The values of an extension are a member of the extension.
    extensions = (collection for collection in before.collections.values() if collection.parent is not None)
    return changed | {each.ref for each in extensions if not modes.isdisjoint(mode.ref for mode in each.modes)}
