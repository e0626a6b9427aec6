"""Takes back what an apply has done: a plan like any other, from what the platform holds now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tokensync.apply.applying import execution_of, known_ids
from tokensync.apply.journal import RECEIPT, ROLLBACK
from tokensync.apply.reconciling import recognised
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
    """Return the plan that takes back what a journal's requests did, and what is wrong with it; ``reading`` is the
    platform.

    ``referring`` tells who in the project's other files needs what the file holds. No request of the journal may be on
    its way any more. What others changed since stays; where they changed the same objects it is a ConflictError that
    names them.
    """
    execution = execution or execution_of(journal)
    back = inverse(execution.before.state, tuple(_left(journal, execution, reading)), reading.state)
    if back.disturbed:
        raise ConflictError(
            f"{journal.folder}: since then somebody changed what the plan had changed ({listed_once(back.disturbed)}); "
            "to take the rest back, change these in the editor to what they were, or edit the tokens and plan again"
        )
    wanted = reading.state
    for each in batches_of(back.operations, reading.state):
        wanted = after(wanted, each)
    labels = _labels(execution.before, reading, back)
    started = journal.started
    return planned(
        reading.state,
        wanted,
        file=started.file,
        key=started.key,
        fingerprint=reading.fingerprint,
        labels=labels,
        where=lambda ref, mode: labels.get(ref, ref),
        prune=True,
        allow=allow,
        referring=lambda: referring(reading),
        notes=(*_doubts(journal, execution), *_notes(execution.before.state, wanted, back, labels)),
        rollback_of=os.path.join(journal.folder, RECEIPT),
        earlier=(back.renewal.state,),
    )


def write_rollback(journal: Journal, plan: Plan, made_by: str) -> str:
    """Put the inverse plan beside the receipt; its path."""
    path = os.path.join(journal.folder, ROLLBACK)
    replace_file(path, PlanFile(made_by=made_by, plans=(plan,)).encoded())
    return path


def _left(journal: Journal, execution: ExecutionPlan, reading: Reading) -> Iterator[FileState]:
    """Yield what the plan left behind: one state, or two where nobody knows whether the last request was
    carried out.
    """
    number, ids = journal.carried_out, known_ids(journal)
    left = with_ids(execution.states[number], ids)
    yield left
    if number < len(execution.batches) and journal.batch(number).pending:
        wanted = with_ids(execution.states[number + 1], ids)
        made = recognised(reading.state, left, wanted, execution.batches[number].makes)
        yield with_ids(wanted, made.ids)


def _labels(before: Reading, now: Reading, back: Inverse) -> dict[Ref, str]:
    """Return those of both sides; what is made anew is called as it was called."""
    were, labels = labels_of(before.graph), labels_of(now.graph)
    for new, old in back.renewal.things.items():
        labels[new] = were.get(old, old)
    for (root, new), old in back.renewal.modes.items():
        handle = labels.get(root, root)
        labels[f"{handle}/{new}"] = mode_label(were, handle, old)
    return labels


def _doubts(journal: Journal, execution: ExecutionPlan) -> Iterator[str]:
    number = journal.carried_out
    if number < len(execution.batches) and journal.batch(number).pending:
        yield (
            f"nobody knows whether request {number + 1} was carried out: look whether the file holds something "
            "that it made and this plan does not take back"
        )


def _notes(before: FileState, wanted: FileState, back: Inverse, labels: dict[Ref, str]) -> Iterator[str]:
    """Yield what does not come back."""
    variables = [labels.get(each, each) for each in back.renewal.things if each in wanted.variables]
    if variables:
        yield (
            f"deleted variables are made anew ({listed_once(variables)}): they get other ids and keys, "
            "layers that were bound to them stay unbound, and files that use the published ones keep the old ones"
        )
    opaque = [
        f"{labels.get(new, new)} / {shortened(each.name)}"
        for new, old in back.renewal.things.items()
        for each in before.opaque_of(old)
    ]
    if opaque:
        yield f"variables of types that tokensync does not know are not made anew ({listed_once(opaque)})"
    values = [
        f"{labels.get(root, root)} / {shortened(each.name)}"
        for (root, _), old in back.renewal.modes.items()
        for each in before.opaque_of(root)
        if any(mode == old for mode, _ in each.values)
    ]
    if values:
        yield (
            f"values of types that tokensync does not know do not come back ({listed_once([*dict.fromkeys(values)])}): "
            "modes and extensions that are made anew have what the platform gives them"
        )
    collections = [labels.get(each, each) for each in back.renewal.things if each in wanted.collections]
    if collections:
        yield (
            f"deleted collections are made anew ({listed_once(collections)}), with other ids and keys: "
            "the modes that layers were set to are lost"
        )
    if back.renewal.modes:
        yield "deleted modes are made anew, with other ids, and stand last in their collection"
    if back.lost:
        names = listed_once([labels.get(each, each) for each in back.lost])
        yield (
            f"{names} referred to variables that were gone even then, "
            "or of types that tokensync does not know: such a value cannot be set, and another one stands there"
        )
    for ref, each in wanted.collections.items():
        was = before.collections.get(ref)
        if was is not None and was.default != each.default and each.parent is None:
            yield f"the default mode of {labels.get(ref, ref)} stays what it is now: no request can set it"
    if any(isinstance(each, DeleteVariable | DeleteCollection) for each in back.operations):
        yield "what was bound since to the variables that this deletes loses its binding"
