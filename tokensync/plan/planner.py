"""Two states of a file to a plan: what is done, what is held back, what is unsafe, what cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.counts import counts_of
from tokensync.plan.differ import differences
from tokensync.plan.labels import used_labels
from tokensync.plan.plan import Plan
from tokensync.plan.pruning import held_back
from tokensync.plan.safety import findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.config import AllowConfig
    from tokensync.plan.state import FileState, Ref
    from tokensync.problems import Problem


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
    notes: Iterable[str] = (),
    rollback_of: str = "",
) -> tuple[Plan, tuple[Problem, ...]]:
    """The plan that leads from ``before`` to ``after``, and what is wrong with it.

    ``where`` tells the place of a variable, collection or mode's value (ref, and the mode's, if it is about one) in the
    token files; ``labels`` are those of both sides' graphs. A variable that goes while one of its name but not of its
    type comes is a change of type; ``retyped`` tells of others, old ref to new. A plan with an error among its problems
    must not be carried out; it has no batches.
    """
    changed_types = _retyped(before, after) | dict(retyped or {})
    words: tuple[str, ...] = ()
    problems: list[Problem] = []
    if not prune:
        after, words, held_problems = held_back(before, after, retyped=changed_types, labels=labels, where=where)
        problems += held_problems
    operations = differences(before, after)
    found = findings(before, after, operations, allow, file=file, labels=labels, retyped=changed_types)
    plan = Plan(
        file=file,
        key=key,
        fingerprint=fingerprint,
        operations=operations,
        counts=counts_of(operations),
        findings=found,
        labels=used_labels(operations, labels),
        held_back=words,
        notes=tuple(notes),
        rollback_of=rollback_of,
    )
    return plan, tuple(problems)


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
