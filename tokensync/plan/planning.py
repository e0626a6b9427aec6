"""Make a plan of two states: operations, problems, safety findings, counts, and what is held back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tokensync.errors import errors_among
from tokensync.plan.batches import batches_of
from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    CreateCollection,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    SetValue,
    UpdateVariable,
)
from tokensync.plan.plan import Counts, Plan, PlannedBatch
from tokensync.plan.pruning import held_back
from tokensync.plan.refs import used_labels
from tokensync.plan.safety import Referring, findings
from tokensync.plan.validation import faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref
    from tokensync.problems import Problem
    from tokensync.settings import AllowConfig


_DELETIONS = (DeleteCollection, DeleteMode, DeleteVariable)
_CONSEQUENCES = {"plan-name-held": "plan-name-taken", "plan-target-held": "plan-alias"}


def planned(
    before: FileState,
    after: FileState,
    *,
    file: str,
    key: str,
    fingerprint: str,
    labels: Mapping[Ref, str],
    where: Callable[[Ref, Ref | None], str],
    prune: bool = False,
    allow: Iterable[AllowConfig] = (),
    retyped: Mapping[Ref, Ref] | None = None,
    used: Mapping[Ref, str] | None = None,
    referring: Callable[[], Referring] = Referring,
    notes: Iterable[str] = (),
    rollback_of: str = "",
    earlier: Sequence[FileState] = (),
) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan that leads from ``before`` to ``after``, and what is wrong with it.

    ``where`` tells the place of a variable, collection or mode's value (ref, and the mode's, if it is about one) in the
    token files; ``labels`` are those of both sides' graphs. A variable that goes while one of its name but not of its
    type comes is a change of type; ``retyped`` tells of others, old ref to new. ``used`` says in words how other files
    use variables; ``referring`` is asked, where something is deleted, who in the project's other files needs it.
    ``earlier`` are states that the platform has held before. A plan with an error among its problems must not be
    carried out; it has no batches.
    """
    changed_types = _retyped(before, after) | dict(retyped or {})
    words: tuple[str, ...] = ()
    problems: list[Problem] = []
    if not prune:
        after, words, held_problems = held_back(before, after, retyped=changed_types, labels=labels, where=where)
        problems += held_problems
    operations = differences(before, after)
    problems += _without_consequences(faults(before, after, operations, where, earlier), problems)
    batches = () if errors_among(problems) else batches_of(operations, before)
    others = referring() if any(isinstance(each, _DELETIONS) for each in operations) else Referring()
    found = findings(
        before, after, operations, allow, file=file, labels=labels, retyped=changed_types, used=used, referring=others
    )
    plan = Plan(
        file=file,
        key=key,
        fingerprint=fingerprint,
        operations=operations,
        counts=counts_of(operations),
        findings=found,
        batches=tuple(PlannedBatch(each.largest, each.operations, each.why) for each in batches),
        labels=used_labels(operations, labels),
        held_back=words,
        notes=(
            *notes,
            *others.notes,
            *_unknowable(before, operations),
            *(note for each in batches for note in each.notes),
        ),
        rollback_of=rollback_of,
    )
    return plan, tuple(problems)


def _without_consequences(found: Iterable[Problem], known: Iterable[Problem]) -> list[Problem]:
    """Return the problems that no held-back deletion causes: those are reported already."""
    places = {(_CONSEQUENCES[each.code], each.where) for each in known}
    return [each for each in found if (each.code, each.where) not in places]


def _unknowable(before: FileState, operations: Iterable[Operation]) -> Iterator[str]:
    """Yield what only the platform knows: a text in a shared organization's font, which no answer of the API shows."""
    texts = {
        each.variable
        for each in operations
        if isinstance(each, SetValue) and before.variables[each.variable].type == "STRING"
    }
    if texts:
        subject = f"{len(texts)} text variables change" if len(texts) > 1 else "a text variable changes"
        yield f"{subject}: the platform refuses that where text in a shared font of the organization is bound to one"


def _retyped(before: FileState, after: FileState) -> dict[Ref, Ref]:
    gone = {
        (each.collection, each.name): each
        for ref, each in before.variables.items()
        if not each.fixed and ref not in after.variables
    }
    if not gone:
        return {}
    found = {}
    for ref, now in after.variables.items():
        if ref not in before.variables and (was := gone.get((now.collection, now.name))) and was.type != now.type:
            found[was.ref] = ref
    return found


def counts_of(operations: Sequence[Operation]) -> Counts:
    """Return the counts. The modes of a new collection are new modes; those of an extension come with their parents."""
    totals = Counter(each.counted for each in operations)
    totals["modes_created"] += sum(len(each.modes) for each in operations if isinstance(each, CreateCollection))
    updated = {each.ref for each in operations if isinstance(each, UpdateVariable)}
    updated |= {each.variable for each in operations if isinstance(each, SetValue)}
    totals["variables_updated"] = len(updated)
    return Counts(**totals)
