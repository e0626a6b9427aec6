"""Make a plan from two states: operations, problems, safety findings, counts and held-back deletions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

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
from tokensync.plan.safety import Referring, findings, overwritten
from tokensync.plan.validation import validate
from tokensync.system.errors import errors_among
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.batches import Batch
    from tokensync.plan.operations import Operation
    from tokensync.plan.pruning import Deletion
    from tokensync.plan.state import FileState, Ref
    from tokensync.settings import AllowConfig
    from tokensync.system.problems import Problem


DELETIONS = (DeleteCollection, DeleteMode, DeleteVariable)
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
    prune: bool | Sequence[Deletion] = False,
    allow: Iterable[AllowConfig] = (),
    retyped: Mapping[Ref, Ref] | None = None,
    used: Mapping[Ref, str] | None = None,
    generated: Mapping[Ref, Iterable[str]] | None = None,
    referring: Callable[[], Referring] = Referring,
    notes: Iterable[str] = (),
    rollback_of: str = "",
    earlier: Sequence[FileState] = (),
) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan that leads from ``before`` to ``after``, and its problems.

    ``where`` returns the location in the token files of an object (ref) or of its value in a mode. A deleted variable
    and a new one of the same name but another type count as a change of type; ``retyped`` adds others, old ref to new.
    ``prune`` are the deletions to carry out, or true for all.
    ``used`` describes how other files use variables, and ``generated`` names the platforms whose code syntax is
    generated, by variable; ``referring`` is called only if something is deleted. ``earlier`` are states that the
    platform held before. A plan with an error among its problems has no batches.
    """
    changed_types = retyped_variables(before, after) | dict(retyped or {})
    after, descriptions, held_problems = held_back(
        before, after, retyped=changed_types, labels=labels, where=where, prune=prune
    )
    problems = [*held_problems]
    operations = differences(before, after)
    # A held-back deletion is reported already: omit the problems that it causes.
    reported = {(_CONSEQUENCES[each.code], each.where) for each in problems}
    invalid = validate(before, after, operations, where, earlier)
    problems += [each for each in invalid if (each.code, each.where) not in reported]
    batches = () if errors_among(problems) else batches_of(operations, before)
    others = referring() if any(isinstance(each, DELETIONS) for each in operations) else Referring()
    # Apply computes the findings again, and then knows only names.
    named = changed_types | retyped_variables(before, after)
    found = findings(
        before, after, operations, allow, file=file, labels=labels, retyped=named, used=used, referring=others
    )
    plan = Plan(
        file=file,
        key=key,
        fingerprint=fingerprint,
        operations=operations,
        counts=counts_of(operations),
        findings=(*found, *overwritten(operations, generated or {}, allow, file=file, labels=labels)),
        batches=planned_batches(batches),
        labels=used_labels(operations, labels),
        held_back=descriptions,
        notes=(*notes, *others.notes, *_notes(before, operations, batches)),
        rollback_of=rollback_of,
    )
    return plan, tuple(problems)


def _notes(before: FileState, operations: Iterable[Operation], batches: Iterable[Batch]) -> Iterator[str]:
    """Yield a note about text in shared fonts, which no response of the API reveals, and the notes of the requests."""
    texts = {
        each.variable
        for each in operations
        if isinstance(each, SetValue) and before.variables[each.variable].type == "STRING"
    }
    if texts:
        yield (
            f"{counted(len(texts), 'text variable')} changed: the platform refuses such a change "
            "if text in a shared font of the organization is bound to the variable"
        )
    yield from (note for each in batches for note in each.notes)


def planned_batches(batches: Iterable[Batch]) -> tuple[PlannedBatch, ...]:
    """Return what a plan says about its requests."""
    return tuple(PlannedBatch(each.largest, each.operations, each.why) for each in batches)


def retyped_variables(before: FileState, after: FileState) -> dict[Ref, Ref]:
    """Return the deleted variables (to new ones) for which there are new ones of the same name and another type."""
    deleted = {
        (each.collection, each.name): each
        for ref, each in before.variables.items()
        if not each.fixed and ref not in after.variables
    }
    if not deleted:
        return {}
    found = {}
    for ref, now in after.variables.items():
        if ref not in before.variables and (was := deleted.get((now.collection, now.name))) and was.type != now.type:
            found[was.ref] = ref
    return found


def counts_of(operations: Sequence[Operation]) -> Counts:
    """Return the counts. The modes of a new collection count as new; those of an extension do not."""
    totals = Counter(each.counted for each in operations)
    totals["modes_created"] += sum(len(each.modes) for each in operations if isinstance(each, CreateCollection))
    updated = {each.ref for each in operations if isinstance(each, UpdateVariable)}
    updated |= {each.variable for each in operations if isinstance(each, SetValue)}
    totals["variables_updated"] = len(updated)
    return Counts(**totals)
