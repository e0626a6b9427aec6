"""Apply plans to the platform, resume interrupted applies, and update the lock."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.apply.applying import (
    ExecutionPlan,
    Result,
    apply,
    begin,
    conclude,
    execution_of,
    refuse_unfinished,
    wait_for_copies,
)
from tokensync.apply.checking import CheckContext, refuse_emptied, refuse_unsafe
from tokensync.apply.journal import Applies, Finished, Journal, RolledBack, open_journal
from tokensync.apply.locking import locked
from tokensync.apply.reading import Remote
from tokensync.apply.receipt import receipt_of, write_receipt
from tokensync.apply.rollback import rollback_plan, write_rollback
from tokensync.apply.sending import ApplyTimeouts
from tokensync.client import Clock, parse_file
from tokensync.commands.usage import ProjectFiles, deleted_usage
from tokensync.disk import shown_path
from tokensync.errors import ConflictError, UsageError, errors_among, stop_on_errors
from tokensync.plan.identities import IdentityMap, Moves
from tokensync.project.connection import state_folder, state_path
from tokensync.project.facts import facts, with_facts
from tokensync.project.lock import Lock, cache_states, is_written, read_lock, replace_lines, write_lock
from tokensync.project.plan_files import MADE_BY, location_of, plan_path, read_plans, refuse_other_sources
from tokensync.project.sources import chosen_files, read_tokens, write_edited_colors
from tokensync.project.type_rules import rules_of
from tokensync.tokens import TokenGraph
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from tokensync.apply.reading import Reading
    from tokensync.client import Client
    from tokensync.plan.plan import Plan
    from tokensync.plan.safety import Referring
    from tokensync.plan.state import FileState, Ref
    from tokensync.problems import Problem
    from tokensync.project.configuration import Project
    from tokensync.settings import FileConfig
    from tokensync.tokens import Token


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
    it.
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
    ) -> None:
        config = project.config.client
        self.project = project
        self.client = client
        self.clock = clock or Clock()
        self.say = say
        self.tell = tell
        self.warn = warn
        self.timeouts = ApplyTimeouts(config.settling_time, config.longest_wait, config.attempts)
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
        rebase: bool = False,
        where: Callable[..., str] | None = None,
    ) -> AppliedFile | None:
        """Carry out one plan; None when there is nothing to do in it.

        ``where`` returns the location of a part of the plan, for messages.

        Raises ConflictError for one that is unsafe or outdated, and whatever stops it on the way.
        """
        remote = self.remote(plan.file, plan.key)
        if not plan.operations:
            return None
        allow = self.project.config.allow
        refuse_unsafe(plan, allow, force=force)
        state_folder(self.project)
        with self.locked(plan.file):
            self._refuse_unreadable(plan.file)
            earlier = self.applies.of(plan.file)
            refuse_unfinished(earlier, self.clock.now())
            for each in earlier:  # a refused request must not be applied while or after this plan is
                if each.status == "stopped" and each.batch(each.carried_out).refused and each.started.key == plan.key:
                    self.conclude(each, execution_of(each), remote, "another plan is to be applied")
                if each.started.key == plan.key:
                    wait_for_copies(each, timeouts=self.timeouts, clock=self.clock, report=self.say)
            reading = remote.read()
            journal, execution = begin(
                self.applies,
                plan,
                reading,
                made_by=MADE_BY,
                rebase=rebase,
                now=self.clock.now(),
                report=self.tell,
                context=CheckContext(
                    where or (lambda *pointer: plan.file),
                    allow,
                    force,
                    self._used,
                    self.referring,
                    self._graphs(plan.file),
                ),
            )
            return self._carried_out(journal, execution, remote, rebase=rebase, reading=reading)

    def refuse_unfinished(self, file: str) -> None:
        """Raise ConflictError if an earlier apply of a file was interrupted."""
        with self.locked(file):
            refuse_unfinished(self.applies.of(file), self.clock.now())

    def resume(self, file: str, *, rebase: bool = False) -> AppliedFile | None:
        """Resume the last apply of a file; return None if it is finished or there is none.

        Raises ConflictError if a rollback plan exists for it, and the errors of the requests.
        """
        with self.locked(file):
            journal = next(iter(reversed(self.applies.of(file))), None)
            if journal is None or journal.status in ("finished", "rolled back"):
                return None
            if journal.is_given_up:
                raise ConflictError(
                    f"{journal.folder}: tokensync rollback has given it up; apply the rollback plan, or make a new plan"
                )
            self._refuse_unreadable(file)
            remote = self.remote(file, journal.started.key)
            return self._carried_out(journal, execution_of(journal), remote, rebase=rebase)

    def conclude(self, journal: Journal, execution: ExecutionPlan, remote: Remote, why: str) -> None:
        """Find the outcome of the last request of an apply that is not continued, and write its receipt."""
        conclude(journal, execution, remote, why=why, timeouts=self.timeouts, clock=self.clock, report=self.say)
        write_receipt(journal, receipt_of(journal, "stopped", execution.plan.fingerprint))

    def remote(self, file: str, key: str) -> Remote:
        """Return the file on the platform. Raises ConflictError if the configuration has another key for this name."""
        configured = {each.name: each for each in self.project.config.files}
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
        return ProjectFiles(self.project).referring(reading.file, reading.graph)

    def _used(self, reading: Reading, before: FileState, after: FileState) -> Mapping[Ref, str]:
        key = next(each.key for each in self.project.config.files if each.name == reading.file)
        return deleted_usage(self.client, key, reading.graph, before, after).used

    def _refuse_unreadable(self, file: str) -> None:
        """Raise ProblemsError for token files that cannot be read, and report damage of the lock, which is updated."""
        problems = read_tokens(self.project, file).problems
        stop_on_errors(problems)
        if any(each.code == "color-edited" for each in problems):
            self._edited.add(file)
        lock = Lock(self.project.folder)
        if not lock.has_written((file,)):
            problems = self.project.levels.applied(lock.problems)
            stop_on_errors(problems)
            self.warn(problems)

    def _graphs(self, file: str) -> Callable[[], Iterator[TokenGraph]]:
        """Return a function that reads the token files and the lock of a file."""

        def graphs() -> Iterator[TokenGraph]:

            yield read_tokens(self.project, file).graph
            yield from Lock(self.project.folder).graphs(file)

        return graphs

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
            result = apply(
                journal,
                execution,
                remote,
                rebase=rebase,
                timeouts=self.timeouts,
                clock=self.clock,
                report=self.say,
                reading=reading,
            )
        except Exception:
            if journal.status == "stopped" and journal.carried_out:
                write_receipt(journal, receipt_of(journal, "stopped", execution.plan.fingerprint))
            raise
        return self._finished(journal, execution, result)

    def _finished(self, journal: Journal, execution: ExecutionPlan, result: Result) -> AppliedFile:
        """Write the receipt and the rollback plan, update the lock, and close the journal.

        Until the journal is closed, each step can be repeated after a crash.
        """
        receipt = write_receipt(
            journal,
            receipt_of(
                journal, "finished", execution.before.fingerprint, result.reading.fingerprint, result.differences
            ),
        )
        rollback = self._rollback(journal, execution, result)
        is_rollback, token_files = bool(execution.plan.rollback_of), execution.plan.token_files
        if not (result.differences or result.tolerated or token_files):  # otherwise the next pull updates the lock
            if (edited := execution.plan.file) in self._edited:  # before the lock changes
                write_edited_colors(self.project, edited)
            lock_applied(self.project, execution.before, result.reading, is_rollback=is_rollback)
        if not result.differences:
            self._close_original(execution.plan, journal)
        journal.record(Finished(at=self.clock.now(), differences=result.differences))
        file, requests = journal.started.file, len(execution.batches)
        if result.hint:
            self.tell(f"{file}: {result.hint}")
        self.tell(f"{file}: applied in {counted(requests, 'request')}; the receipt is {receipt}")
        return AppliedFile(file, requests, receipt, rollback, result.differences, result.tolerated, token_files)

    def _rollback(self, journal: Journal, execution: ExecutionPlan, result: Result) -> str:
        """Write the rollback plan and return its path; empty if later edits of others prevent a rollback."""
        try:
            plan, problems = rollback_plan(
                journal,
                result.reading,
                allow=self.project.config.allow,
                execution=execution,
                referring=self.referring,
            )
        except ConflictError:
            return ""
        return "" if errors_among(problems) else write_rollback(journal, plan, MADE_BY)

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


def apply_plans(
    applier: Applier, path: str | None = None, *, force: bool = False, rebase: bool = False
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
        planned = {each.file for each in plan_file.plans}
        for file in applier.project.config.files:
            if file.name in planned:
                applier.refuse_unfinished(file.name)
        refuse_other_sources(applier.project, default, plan_file)
    path = path or default
    wanted = plan_file.plans
    for number, each in enumerate(wanted):
        refuse_emptied(each, partial(location_of, path, "plans", number))
        refuse_unsafe(each, applier.project.config.allow, force=force)
    done = (
        applier.apply(each, force=force, rebase=rebase, where=partial(location_of, path, "plans", number))
        for number, each in enumerate(wanted)
    )
    return tuple(each for each in done if each is not None)


def resume_applies(applier: Applier, names: Sequence[str] = (), *, rebase: bool = False) -> tuple[AppliedFile, ...]:
    """Resume the interrupted or stopped applies of these files, or of all files."""
    done = (applier.resume(each.name, rebase=rebase) for each in chosen_files(applier.project, names))
    return tuple(each for each in done if each is not None)


_Subject = tuple[str, str, str]
"""The subject of a fact: the collection's handle, the token's path, and the property."""


def lock_applied(project: Project, before: Reading, now: Reading, *, is_rollback: bool = False) -> None:
    """Update the facts of one file in the lock with the differences between two readings.

    A lock with a git conflict is not changed; the next pull resolves it. After an interrupted apply, the lock is older
    than ``before``.
    """
    file = next(each for each in project.config.files if each.name == before.file)
    was, is_now = _graph(project, before), _graph(project, now)
    configured = {each.name for each in project.config.files}
    lock = Lock(project.folder)

    def unstated() -> _Unstated:
        ours = read_tokens(project, file.name, like=is_now).graph
        return _Unstated(ours, was, is_now, Moves(project.config.moved), is_rollback=is_rollback)

    if _update_lines(lock, configured, file, was, is_now, unstated):
        return
    locked = read_lock(project.folder)
    own = locked.get(file.name)
    if own is not None and own.any_side != own.every_side:
        return
    others = {name: each.every_side for name, each in locked.items() if name in configured}
    held = own.every_side if own is not None else frozenset()
    graphs = lock.graphs(file.name)
    fresh = _updated_facts(file, held, graphs[0] if graphs else was, was, is_now, unstated())
    write_lock(project.folder, {**others, file.name: fresh}.values())


def _update_lines(
    lock: Lock,
    configured: Container[str],
    file: FileConfig,
    was: TokenGraph,
    is_now: TokenGraph,
    unstated: Callable[[], _Unstated],
) -> bool:
    """Replace the facts of changed tokens in a lock that tokensync wrote; return False if the lock must be rewritten.

    The facts of other tokens do not change, because ``_updated_facts`` processes each token independently.
    """
    key = str(parse_file(file.key))
    if not is_written(lock, configured, file.name, key) or was.collections != is_now.collections:
        return False
    locked = lock.written(file.name)
    if locked is None:
        return False
    changed = [each for each in {**was.tokens, **is_now.tokens} if was.tokens.get(each) != is_now.tokens.get(each)]

    def part(graph: TokenGraph) -> TokenGraph:
        return TokenGraph(graph.collections.values(), (graph.tokens[each] for each in changed if each in graph.tokens))

    previous = facts(part(locked), file.name, key)
    updated = _updated_facts(file, previous, part(locked), part(was), part(is_now), unstated())
    if not replace_lines(lock, set(previous), set(updated)):
        return False
    cache_states(lock, {file.name: with_facts(locked, changed, updated)})
    return True


def _graph(project: Project, reading: Reading) -> TokenGraph:
    """Return the graph as a pull stores it, without the publication state, which an apply does not change."""
    from tokensync.extract import withhold
    from tokensync.normalize import normalize, referenced

    if project.config.extract.include_hidden and not project.config.types:
        return referenced(reading.graph)
    snapshot, _ = withhold(reading.snapshot, include_hidden=project.config.extract.include_hidden)
    return referenced(normalize(snapshot, rules_of(project))[0])


def _updated_facts(
    file: FileConfig,
    held: frozenset[str],
    locked: TokenGraph,
    was: TokenGraph,
    is_now: TokenGraph,
    unstated: _Unstated,
) -> frozenset[str]:
    """Return the facts ``held`` of the lock, whose graph is ``locked``, with what changed between two graphs."""
    key = str(parse_file(file.key))
    were, are = facts(was, file.name, key), facts(is_now, file.name, key)
    same = frozenset(_with_same_objects(held & were & are, was, is_now))
    old = _Renamed(locked, was, is_now).values_by_subject(held - same)
    earlier = _Renamed(was, was, is_now).values_by_subject(were - same)
    later = dict(_values_by_subject(are - same))
    # Facts that the plan did not change stay as the lock has them, whatever the platform has.
    changed = {
        subject: stated
        for subject, value in later.items()
        if (previous := earlier.get(subject, ...)) != value
        and (stated := unstated.stated_part(subject, value, previous)) is not ...
    }
    unchanged = {each: value for each, value in old.items() if earlier.get(each, ...) == later.get(each, ...)}
    lines = {
        msgspec.json.encode([file.name, *subject, value]).decode() for subject, value in (unchanged | changed).items()
    }
    lines.add(msgspec.json.encode([file.name, "", "", "key", key]).decode())
    return frozenset(_without_partial({*same, *lines}))


def _with_same_objects(lines: Iterable[str], was: TokenGraph, is_now: TokenGraph) -> Iterable[str]:
    """Omit facts about a name that another variable or collection has now: the facts of the two are equal by chance."""
    reused = {
        (key.collection, key.path)
        for key, each in was.tokens.items()
        if (now := is_now.tokens.get(key)) is not None and now.id != each.id
    }
    handles = {
        family.handle
        for key, family in was.collections.items()
        if (new := is_now.collections.get(key)) is not None and new.id != family.id
    }
    if not reused and not handles:
        return lines
    decoded = ((line, *msgspec.json.decode(line)[1:3]) for line in lines)
    return (line for line, handle, path in decoded if handle not in handles and (handle, path) not in reused)


def _values_by_subject(lines: Iterable[str]) -> Iterable[tuple[_Subject, Any]]:
    for line in lines:
        _, handle, path, name, value = msgspec.json.decode(line)
        yield (handle, path, name), value


def _without_partial(lines: Iterable[str]) -> Iterable[str]:
    """Return the facts about objects that the lock contains completely. An incomplete object is no base for a merge."""
    decoded = [(line, *msgspec.json.decode(line)[1:4]) for line in lines]
    complete = {(handle, path) for _, handle, path, name in decoded if name == ("type" if path else "name")}
    return (line for line, handle, path, _ in decoded if not handle or (handle, path) in complete)


class _Unstated:
    """The members that token files omit from tokens that they contain."""

    def __init__(
        self, ours: TokenGraph, was: TokenGraph, is_now: TokenGraph, moves: Moves, *, is_rollback: bool
    ) -> None:
        identity_map = IdentityMap(moves)
        identity_map.add(is_now)
        names = identity_map.add(ours, is_last=True)
        self._modes = names.modes
        self._ours = {(known.collection, known.path): ours.tokens[key] for key, known in names.tokens.items()}
        remaining = {each.id for each in is_now.tokens.values()}
        self._gone = {each.id: each for each in was.tokens.values() if each.id and each.id not in remaining}
        self._is_rollback = is_rollback

    def stated_part(self, subject: _Subject, value: Any, earlier: Any) -> Any:
        """Return the part of a fact's value that the token files state, or ``...`` if they state none of it.

        The rest was never in the lock, and must not be added, except what a rollback restores: the lock had what the
        apply removed from a variable, or with it. Without it, the next plan would not contain the removal again.
        """
        handle, path, name = subject
        ours = self._ours.get((handle, path))
        if ours is None:
            return value
        if self._is_rollback:
            if name != "code syntax":
                return value
            known, was = dict(ours.code_syntax), {} if earlier is ... else earlier
            return {each: text for each, text in value.items() if each in known or was.get(each) != text} or ...
        match name:
            case "scopes" if ours.scopes and self._is_replaced(ours):
                return sorted(ours.scopes)  # no edit of ours: the next merge takes those of the new variable
            case "description" | "scopes":
                return value if getattr(ours, name) else ...
            case "code syntax":
                known = dict(ours.code_syntax)
                return {platform: text for platform, text in value.items() if platform in known} or ...
        return value if not name.startswith("in ") or self._has_value(ours, name.removeprefix("in ")) else ...

    def _is_replaced(self, token: Token) -> bool:
        """Return whether a token's files still have the scopes of a variable that one of another type replaced."""
        was = self._gone.get(token.id)
        return was is not None and was.type != token.type and set(was.scopes) == set(token.scopes)

    def _has_value(self, token: Token, context: str) -> bool:
        """Return whether the token files give a token a value in a mode, or do not know the mode at all."""
        pairs = zip(self._modes[token.key[:2]], token.values, strict=True)
        return all(value is not None for mode, value in pairs if mode == context)


class _Renamed:
    """Translates names of a state to the present ones, if the plan has changed them. Objects are identified by id.

    Names that others have changed and nobody has pulled yet stay as they are.
    """

    def __init__(self, graph: TokenGraph, was: TokenGraph, is_now: TokenGraph) -> None:
        self._handles: dict[str, str] = {}
        self._contexts: dict[str, Mapping[str, str]] = {}
        earlier = {each.id: each for each in was.collections.values() if each.id}
        families = {each.id: each for each in is_now.collections.values() if each.id}
        for each in graph.collections.values():
            before, now = earlier.get(each.id), families.get(each.id)
            if before is None or now is None:
                continue
            if before.handle != now.handle:
                self._handles[each.handle] = now.handle
            contexts = _changed(
                {mode.id: mode.context for mode in before.modes}, {mode.id: mode.context for mode in now.modes}
            )
            handles = _changed(
                {own.id: own.handle for own in before.extensions}, {own.id: own.handle for own in now.extensions}
            )
            self._contexts[each.handle] = {
                **{f"in {mode.context}": f"in {contexts[mode.id]}" for mode in each.modes if mode.id in contexts},
                **{f"mode {mode.context}": f"mode {contexts[mode.id]}" for mode in each.modes if mode.id in contexts},
                **{
                    f"extension {own.handle}": f"extension {handles[own.id]}"
                    for own in each.extensions
                    if own.id in handles
                },
            }
        paths = _changed(
            {each.id: each.key.path for each in was.tokens.values()},
            {each.id: each.key.path for each in is_now.tokens.values() if each.id},
        )
        self._paths = {
            (each.key.collection, each.key.path): paths[each.id] for each in graph.tokens.values() if each.id in paths
        }

    def values_by_subject(self, lines: Iterable[str]) -> dict[_Subject, Any]:
        """Return the values of facts by subject, with the present names."""
        return {self._subject(subject): value for subject, value in _values_by_subject(lines)}

    def _subject(self, subject: _Subject) -> _Subject:
        """Return the subject of a fact with its current names."""
        handle, path, said = subject
        spelled = self._contexts.get(handle, {}).get(said, said)
        return self._handles.get(handle, handle), self._paths.get((handle, path), path), spelled


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return the present names that differ from the earlier ones, by id."""
    return {id_: name for id_, name in now.items() if before.get(id_, name) != name}
