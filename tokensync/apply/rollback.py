"""Make a plan that reverts an apply, from the platform's present content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tokensync.apply.applying import execution_of, known_ids
from tokensync.apply.journal import RECEIPT, ROLLBACK
from tokensync.apply.reconciling import identify_created
from tokensync.disk import replace_file
from tokensync.errors import ConflictError
from tokensync.plan.batches import batches_of
from tokensync.plan.batches.layout import after, with_ids
from tokensync.plan.operations import DeleteCollection, DeleteVariable
from tokensync.plan.plan import PlanFile
from tokensync.plan.planning import planned
from tokensync.plan.refs import labels_of, mode_label
from tokensync.plan.rollback import inverse
from tokensync.plan.safety import Referring
from tokensync.wording import listed_once, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.apply.applying import ExecutionPlan
    from tokensync.apply.journal import Journal
    from tokensync.apply.reading import Reading
    from tokensync.plan.plan import Plan
    from tokensync.plan.rollback import Inverse
    from tokensync.plan.state import FileState, Ref
    from tokensync.problems import Problem
    from tokensync.settings import AllowConfig


def rollback_plan(
    journal: Journal,
    reading: Reading,
    *,
    allow: Iterable[AllowConfig] = (),
    execution: ExecutionPlan | None = None,
    referring: Callable[[Reading], Referring] = lambda reading: Referring(),
) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan that reverts a journal's requests, and its problems. No request may still be in transit.

    ``referring`` returns users of the file's objects in the project's other files. Later changes by others stay.
    Raises ConflictError if they concern the same objects.
    """
    execution = execution or execution_of(journal)
    back = inverse(execution.before.state, tuple(_left(journal, execution, reading)), reading.state)
    if back.conflicts:
        raise ConflictError(
            f"{journal.folder}: somebody has changed the same objects since ({listed_once(back.conflicts)}); "
            "revert those changes in the editor and try again, or edit the token files and make a new plan"
        )
    desired = reading.state
    for each in batches_of(back.operations, reading.state):
        desired = after(desired, each)
    labels = _labels(execution.before, reading, back)
    started = journal.started
    return planned(
        reading.state,
        desired,
        file=started.file,
        key=started.key,
        fingerprint=reading.fingerprint,
        labels=labels,
        where=lambda ref, mode: labels.get(ref, ref),
        prune=True,
        allow=allow,
        referring=lambda: referring(reading),
        notes=(*_uncertainties(journal, execution), *_notes(execution.before.state, desired, back, labels)),
        rollback_of=os.path.join(journal.folder, RECEIPT),
        earlier=(back.recreation.state,),
    )


def write_rollback(journal: Journal, plan: Plan, made_by: str) -> str:
    """Write a rollback plan beside the receipt and return its path."""
    path = os.path.join(journal.folder, ROLLBACK)
    replace_file(path, PlanFile(made_by=made_by, plans=(plan,)).encoded())
    return path


def _left(journal: Journal, execution: ExecutionPlan, reading: Reading) -> Iterator[FileState]:
    """Yield the state after the apply, and a second one if the outcome of the last request is unknown."""
    number, ids = journal.carried_out, known_ids(journal)
    left = with_ids(execution.states[number], ids)
    yield left
    if number < len(execution.batches) and journal.batch(number).uncertain:
        desired = with_ids(execution.states[number + 1], ids)
        made = identify_created(reading.state, left, desired, execution.batches[number].makes)
        yield with_ids(desired, made.ids)


def _labels(before: Reading, now: Reading, back: Inverse) -> dict[Ref, str]:
    """Return the labels of both sides; a recreated object has its former label."""
    former, labels = labels_of(before.graph), labels_of(now.graph)
    for new, old in back.recreation.objects.items():
        labels[new] = former.get(old, old)
    for (root, new), old in back.recreation.modes.items():
        handle = labels.get(root, root)
        labels[f"{handle}/{new}"] = mode_label(former, former.get(root, handle), old)
    return labels


def _uncertainties(journal: Journal, execution: ExecutionPlan) -> Iterator[str]:
    number = journal.carried_out
    if number < len(execution.batches) and journal.batch(number).uncertain:
        yield (
            f"it is unknown whether request {number + 1} was applied: check the file for objects "
            "that it created and this plan does not delete"
        )


def _notes(before: FileState, desired: FileState, back: Inverse, labels: dict[Ref, str]) -> Iterator[str]:
    """Yield notes about what the rollback cannot restore."""
    variables = [labels.get(each, each) for each in back.recreation.objects if each in desired.variables]
    if variables:
        yield (
            f"deleted variables are recreated ({listed_once(variables)}) with new ids and keys: "
            "layers bound to the old ones stay unbound, and files that use the published ones keep the old ones"
        )
    opaque = [
        f"{labels.get(new, new)} / {shortened(each.name)}"
        for new, old in back.recreation.objects.items()
        for each in before.opaque_of(old)
    ]
    if opaque:
        yield f"variables of unknown types are not recreated ({listed_once(opaque)})"
    values = [
        f"{labels.get(root, root)} / {shortened(each.name)}"
        for (root, _), old in back.recreation.modes.items()
        for each in before.opaque_of(root)
        if any(mode == old for mode, _ in each.values)
    ]
    if values:
        yield (
            f"values of unknown types are not restored ({listed_once(values)}): "
            "recreated modes and extensions have the platform's initial values"
        )
    collections = [labels.get(each, each) for each in back.recreation.objects if each in desired.collections]
    if collections:
        yield (
            f"deleted collections are recreated ({listed_once(collections)}) with new ids and keys: "
            "layers lose the modes that were set on them"
        )
    if back.recreation.modes:
        yield "deleted modes are recreated with new ids, as the last modes of their collection"
    if back.lost:
        names = listed_once([labels.get(each, each) for each in back.lost])
        yield (
            f"{names} referred to variables that were already deleted or of unknown types: "
            "such values cannot be restored, and other values remain"
        )
    for ref, each in desired.collections.items():
        was = before.collections.get(ref)
        if was is not None and was.default != each.default and each.parent is None:
            yield f"the default mode of {labels.get(ref, ref)} is not restored: no request can set it"
    if any(isinstance(each, DeleteVariable | DeleteCollection) for each in back.operations):
        yield "layers that were bound since to deleted variables lose their bindings"
