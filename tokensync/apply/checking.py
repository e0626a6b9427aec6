"""Check that a plan does what a reviewer reads in it, before anything is sent. Somebody may have edited its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tokensync.errors import ConflictError
from tokensync.plan.differ import differences
from tokensync.plan.operations import aspects_of, subjects
from tokensync.plan.planning import DELETIONS, counts_of, planned_batches, retyped_variables
from tokensync.plan.refs import labels_of
from tokensync.plan.safety import Referring, findings, is_allowed
from tokensync.plan.validation import validate
from tokensync.plan.validation.labels import handles_from, invalid_labels
from tokensync.plan.validation.references import invalid_references
from tokensync.wording import listed_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokensync.apply.reading import Reading
    from tokensync.plan.batches import Batch
    from tokensync.plan.operations import Operation
    from tokensync.plan.plan import Finding, Plan
    from tokensync.plan.state import FileState, Ref
    from tokensync.settings import AllowConfig
    from tokensync.tokens import TokenGraph


_NEW_USES = "delete used"
"""Findings of this kind may appear after the plan was made."""
_EXACT = frozenset({"delete collection", "delete mode", "change type", "change much"})
"""Kinds of findings whose words depend only on the file and the operations."""


def refuse_unsafe(plan: Plan, allow: Sequence[AllowConfig], *, force: bool, more: Iterable[Finding] = ()) -> None:
    """Raise ConflictError for findings that are not allowed, unless ``force`` is set.

    The plan and ``allow``, the configuration's entries, have to agree that a finding is allowed. ``more`` are findings
    that the plan does not have.
    """
    known = [each for each in plan.findings if not (each.allowed and is_allowed(each, plan.file, allow))]
    unsafe = [*known, *(each for each in more if not each.allowed)]
    if unsafe and not force:
        found = listed_once([f"{each.kind} {each.subject}: {each.what}" for each in unsafe])
        raise ConflictError(
            f"{plan.file}: the plan is unsafe ({found}); apply it with --force to allow all of that, "
            "or add [[allow]] entries to the configuration and plan again"
        )


def refuse_emptied(plan: Plan, where: Callable[..., str]) -> None:
    """Raise ConflictError for a plan that has lost its operations: there would seem to be nothing to do."""
    if not plan.operations and (plan.batches or plan.counts != counts_of(())):
        what = "it counts changes, and has no operations"
        raise ConflictError(f"{where('operations')}: the plan was edited: {what}; make a new plan")


class CheckContext(NamedTuple):
    """What a check needs besides the plan and the platform's content.

    ``where`` returns the location of a part of the plan. ``used`` returns how other files use the variables that are
    deleted between two states, ``referring`` the users of the file's objects in the project's other files, and
    ``graphs`` the graphs of the file's token files and lock, whose handles a plan uses.
    """

    where: Callable[..., str]
    allow: Sequence[AllowConfig] = ()
    force: bool = False
    used: Callable[[Reading, FileState, FileState], Mapping[Ref, str]] = lambda reading, before, after: {}
    referring: Callable[[Reading], Referring] = lambda reading: Referring()
    graphs: Callable[[], Iterable[TokenGraph]] = tuple


class PlanCheck:
    """The checks of one plan. ``rebased`` means that the platform has changed since the plan was made."""

    def __init__(self, plan: Plan, reading: Reading, context: CheckContext, *, rebased: bool) -> None:
        self._plan = plan
        self._reading = reading
        self._context = context
        self._rebased = rebased

    def check_operations(self, conflicts: Sequence[Operation]) -> None:
        """Raise ConflictError for operations that refer to nothing, are repeated, or do not fit the file.

        ``conflicts`` are the operations that were made from another state of the file.
        """
        if conflicts:
            what = f"the file does not have the state that it records for {self._subjects(conflicts)}"
            self._refuse(what, "operations", self._plan.operations.index(conflicts[0]))
        for index, what in invalid_references(self._plan.operations, self._reading.state):
            self._refuse(what, "operations", index)

    def check_result(self, batches: Sequence[Batch], states: Sequence[FileState]) -> None:
        """Raise ConflictError if the plan's effect, labels, numbers or findings are not what the operations say.

        ``states`` are those before the first and after each of the ``batches``.
        """
        before, after = states[0], states[-1]
        self._check_effects(before, after)
        # A rollback restores names and scopes that no new plan may have.
        if self._rebased or not self._plan.rollback_of:
            self._check_rules(before, after)
        self._check_labels(before, after)
        self._check_numbers(batches)
        self._check_findings(before, after)

    def _check_effects(self, before: FileState, after: FileState) -> None:
        effects = differences(before, after)
        changed = aspects_of(effects)
        for index, each in enumerate(self._plan.operations):
            if each not in effects and not changed >= aspects_of((each,)):
                self._refuse("this operation has no effect, or another one", "operations", index)

    def _check_rules(self, before: FileState, after: FileState) -> None:
        """Refuse what the platform would refuse: a name that others have taken, or an edit of the plan."""
        labels = self._plan.labels
        found = validate(before, after, self._plan.operations, lambda ref, mode: labels.get(ref, ref))
        unknown = () if self._context.force else ("plan-scope-unknown",)
        if wrong := [each for each in found if each.severity == "error" or each.code in unknown]:
            reasons = listed_once([f"{each.where}: {each.what}" for each in wrong])
            if all(each.severity != "error" for each in wrong):
                to_do = "apply the plan with --force, or correct the scopes and plan again"
                raise ConflictError(f"{self._context.where()}: {reasons}; {to_do}")
            self._refuse_since(f"conflicts with changes made since ({reasons})", f"was edited ({reasons})")

    def _check_labels(self, before: FileState, after: FileState) -> None:
        labels, graph = self._plan.labels, self._reading.graph
        for key, what in invalid_labels(labels, (before, after), graph, self._context.graphs):
            if self._rebased:
                self._refuse_since(f"conflicts with changes made since ({what})", "")
            self._refuse(what, "labels", key)

    def _check_numbers(self, batches: Sequence[Batch]) -> None:
        if self._plan.counts != counts_of(self._plan.operations):
            self._refuse("the operations have other counts", "counts")
        if not self._rebased and self._plan.batches != planned_batches(batches):
            self._refuse("the operations need other requests", "batches")

    def _check_findings(self, before: FileState, after: FileState) -> None:
        """Work out the findings anew: a finding that is missing, or that says something else, was not reviewed."""
        plan, context = self._plan, self._context
        deletes = any(isinstance(each, DELETIONS) for each in plan.operations)
        found = findings(
            before,
            after,
            plan.operations,
            context.allow,
            file=plan.file,
            labels={**labels_of(self._reading.graph), **handles_from(plan.labels, before), **plan.labels},
            retyped=retyped_variables(before, after),
            used=context.used(self._reading, before, after) if deletes else None,
            referring=context.referring(self._reading) if deletes else None,
        )
        reviewed = {(each.kind, each.subject): number for number, each in enumerate(plan.findings)}
        missing = [each for each in found if (each.kind, each.subject) not in reviewed]
        hidden = [
            each
            for each in missing
            if each.kind != _NEW_USES and (each.kind.startswith("delete ") or not self._rebased)
        ]
        if hidden:
            reasons = listed_once([f"{each.subject}: {each.what}" for each in hidden])
            self._refuse_since(f"conflicts with changes made since ({reasons})", f"lacks findings ({reasons})")
        for each in found:
            number = reviewed.get((each.kind, each.subject))
            if number is None or self._rebased or each.kind not in _EXACT:
                continue
            if plan.findings[number].what != each.what:
                self._refuse(f"this finding is: {each.what}", "findings", number)
        refuse_unsafe(plan, context.allow, force=context.force, more=missing)

    def _refuse_since(self, since: str, edited: str) -> NoReturn:
        where = self._plan.file if self._rebased else self._context.where()
        raise ConflictError(f"{where}: the plan {since if self._rebased else edited}; make a new plan")

    def _subjects(self, operations: Sequence[Operation]) -> str:
        return listed_once(subjects(operations, self._reading.state))

    def _refuse(self, what: str, *pointer: str | int) -> NoReturn:
        raise ConflictError(f"{self._context.where(*pointer)}: the plan was edited: {what}; make a new plan")
