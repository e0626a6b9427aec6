"""Whether a plan may be begun: safe, still made from what the platform holds, and nothing else under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.apply.applying import course_from
from tokensync.apply.journal import digest_of
from tokensync.apply.listing import listed
from tokensync.apply.records import Started, Stopped
from tokensync.errors import ConflictError, errors_among
from tokensync.plan.operations import disturbed, subjects
from tokensync.plan.plan import PlanFile
from tokensync.plan.refs import labels_of
from tokensync.plan.safety import findings
from tokensync.plan.validation import faults

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.apply.applying import Course
    from tokensync.apply.folders import Applies
    from tokensync.apply.journal import Journal
    from tokensync.apply.reading import Reading
    from tokensync.plan.operations import Operation
    from tokensync.plan.plan import Plan


def refuse_unsafe(plan: Plan, *, force: bool) -> None:
    """Raises ConflictError for findings that nobody has allowed, unless ``force`` does."""
    if plan.unsafe and not force:
        found = listed([f"{each.kind} {each.subject}: {each.what}" for each in plan.unsafe])
        raise ConflictError(
            f"{plan.file}: the plan is unsafe ({found}); carry it out with --force if all of that is meant, "
            "or add [[allow]] entries to the configuration and plan again"
        )


def refuse_unfinished(journals: Sequence[Journal], now: float) -> None:
    """Raises ConflictError when an earlier apply of the file was broken off; one that sent nothing is closed."""
    for each in journals:
        if each.status == "unsent":
            each.record(Stopped(at=now, why="nothing was sent"))
        elif each.status == "open":
            raise ConflictError(
                f"{each.folder}: an apply of {each.started.file} was broken off, and its last request may have been "
                "carried out; go on with tokensync apply --resume, or take it back with "
                f"tokensync rollback {each.folder}"
            )


def begin(
    applies: Applies,
    plan: Plan,
    reading: Reading,
    *,
    made_by: str,
    rebase: bool,
    now: float,
    say: Callable[[str], None],
) -> tuple[Journal, Course]:
    """Begin a journal for a plan and return it. ``reading`` is what the platform holds.

    Raises ConflictError when that is not what the plan was made from, unless ``rebase`` and it does not touch the
    plan's objects, and the platform would still take the plan; and for a plan that was edited since it was made.
    """
    rebased = reading.fingerprint != plan.fingerprint
    content = PlanFile(made_by=made_by, plans=(plan,)).encoded()
    touched = disturbed(plan.operations, reading.state)
    if touched and not rebased:
        raise ConflictError(
            f"{plan.file}: the plan is not as it was made: the file never held what it says of "
            f"{listed(subjects(touched, reading.state))}; make a new plan"
        )
    if rebased:
        _refuse_outdated(applies, plan, reading, touched, digest_of(content), rebase=rebase)
        say(f"{plan.file}: the platform has changed since the plan was made, but not what the plan changes")
    course = course_from(plan, reading)
    if rebased:
        _refuse_impossible(plan, course)
    _refuse_unsaid(plan, course, reading, rebased=rebased)
    journal = applies.new(plan.file, content, reading.raw, now)
    journal.record(
        Started(
            at=now,
            file=plan.file,
            key=plan.key,
            plan=digest_of(content),
            before=digest_of(reading.raw),
            batches=len(course.batches),
            rebased=rebased,
        )
    )
    return journal, course


def _refuse_outdated(
    applies: Applies, plan: Plan, reading: Reading, touched: Sequence[Operation], digest: str, *, rebase: bool
) -> None:
    done = [each for each in applies.of(plan.file) if each.status == "finished" and each.started.plan == digest]
    if done:
        raise ConflictError(f"{plan.file}: this plan has already been applied ({done[-1].folder}); make a new plan")
    if touched:
        raise ConflictError(
            f"{plan.file}: since the plan was made, somebody changed what it changes "
            f"({listed(subjects(touched, reading.state))}); make a new plan"
        )
    if not rebase:
        raise ConflictError(
            f"{plan.file}: the platform has changed since the plan was made, but not what the plan changes; "
            "carry it out all the same with --rebase, or make a new plan"
        )


def _refuse_impossible(plan: Plan, course: Course) -> None:
    """What somebody else made may have taken a name, or the last room, that the plan needs."""
    found = errors_among(
        faults(course.states[0], course.states[-1], plan.operations, lambda ref, mode: plan.labels.get(ref, ref))
    )
    if found:
        told = listed([f"{each.where}: {each.what}" for each in found])
        raise ConflictError(
            f"{plan.file}: the plan does not go with what somebody else changed since ({told}); make a new plan"
        )


def _refuse_unsaid(plan: Plan, course: Course, reading: Reading, *, rebased: bool) -> None:
    """What a plan deletes without a finding that says so: nobody who reviewed it, or forces it, has seen that.

    It has come into use since, or the finding was taken out of the file.
    """
    labels = {**labels_of(reading.graph), **plan.labels}
    found = findings(course.states[0], course.states[-1], plan.operations, labels=labels, retyped={})
    known = {(each.kind, each.subject) for each in plan.findings}
    unsaid = [each for each in found if each.kind.startswith("delete ") and (each.kind, each.subject) not in known]
    if unsaid:
        told = listed([f"{each.subject}: {each.what}" for each in unsaid])
        why = "does not go with what somebody else changed since" if rebased else "does not say what it deletes"
        raise ConflictError(f"{plan.file}: the plan {why} ({told}); make a new plan")
