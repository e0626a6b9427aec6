"""Write the plan that reverses an applied plan, to be reviewed and applied like any other."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.apply.applying import complete, conclude, execution_of
from tokensync.apply.journal import BEFORE, JOURNAL, Journal, Stopped, open_journal
from tokensync.apply.receipts import PortableReceipt, read_portable
from tokensync.apply.rollback import Applied, left_by, not_reversed, reversing_plan, rollback_plan
from tokensync.project.plan_files import check_plan_path, plan_path, sources_digest, write_plans
from tokensync.project.sources import read_file
from tokensync.system.errors import ConflictError, UsageError, stop_on_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.apply.sending import Reading, Remote
    from tokensync.commands.apply import Applier
    from tokensync.plan.plan import Plan
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem


_READ_AGAIN = 2.0
"""Seconds until another reading has to agree that nothing is left to reverse."""

_MOST_READINGS = 5


class RolledBackPlan(NamedTuple):
    """A plan that reverses another one, and its path, which is empty if there is nothing to reverse."""

    plan: Plan
    problems: tuple[Problem, ...]
    path: str


def rollback(applier: Applier, receipt: str, *, out: str | None = None, token_files: bool = False) -> RolledBackPlan:
    """Write the plan that reverses the apply of ``receipt``, the path of a receipt or of its folder.

    With ``token_files``, an apply of the plan does not update the lock. So the lock still has the edit as the state
    that both sides agreed on, and the next pull merges its reversal into the token files.

    ``receipt`` may also be a receipt for other checkouts, of an apply that another machine has finished. Nothing else
    of that apply is here, so it is not closed.

    Concludes an interrupted apply first, without sending more of it. Raises ConflictError if the same objects have
    changed on the platform since, and UsageError if there is no such apply.
    """
    beside = os.path.join(os.path.dirname(receipt), JOURNAL)
    is_alone = os.path.isfile(receipt) and not os.path.exists(beside)
    if is_alone and (kept := read_portable(read_file(receipt), receipt)) is not None:
        return _rollback_from_elsewhere(applier, kept, receipt, out=out, token_files=token_files)
    journal = _journal(receipt)
    project = applier.project
    remote = applier.remote(journal.started.file, journal.started.key)
    with applier.locked(journal.started.file):
        if journal.status == "rolled back":
            raise ConflictError(f"{journal.folder}: already rolled back; nothing is left to reverse")
        if token_files and journal.status != "finished":
            what = "--token-files: this apply was not finished, so tokensync.lock does not have the edit"
            raise ConflictError(f"{journal.folder}: {what}; remove the option, and revert the edit with git")
        complete(journal, remote, now=applier.clock.now(), rebase=True)
        execution = execution_of(journal)
        if journal.status in ("unsent", "open") or journal.batch(journal.carried_out).uncertain:
            conclude(journal, execution, remote, applier.context, why="it is to be rolled back")
        before = execution.before.state
        reading = _agreed_reading(remote, 0.0, applier)
        if not not_reversed(before, [*left_by(journal, execution, reading)], reading.state):
            reading = _agreed_reading(remote, _READ_AGAIN, applier)
        plan, problems = rollback_plan(journal, execution, reading, applier.reversal)
        rest = not_reversed(before, [*left_by(journal, execution, reading)], reading.state)
        done = _written(project, journal.folder, replace(plan, token_files=token_files), problems, rest, out)
        # Only an applied rollback plan closes the journal: the platform may show the last request late, and then
        # another rollback finds its effects.
        if journal.status == "stopped" and not journal.is_given_up:
            journal.record(Stopped(at=applier.clock.now(), why="it was given up for a rollback", for_good=True))
        return done


def _rollback_from_elsewhere(
    applier: Applier, kept: PortableReceipt, path: str, *, out: str | None, token_files: bool
) -> RolledBackPlan:
    remote = applier.remote(kept.file, kept.key)
    with applier.locked(kept.file):
        reading = _agreed_reading(remote, 0.0, applier)
        before, after = kept.readings(reading)
        applied = Applied(kept.key, path, path, before)
        plan, problems = reversing_plan(applied, [after.state], reading, applier.reversal)
        rest = not_reversed(before.state, [after.state], reading.state)
        return _written(applier.project, path, replace(plan, token_files=token_files), problems, rest, out)


def _written(
    project: Project, where: str, plan: Plan, problems: Sequence[Problem], rest: str, out: str | None
) -> RolledBackPlan:
    """Write a plan with operations. Raises ConflictError if one without operations leaves a ``rest`` to reverse."""
    reported = project.levels.applied(problems)
    stop_on_errors(reported)
    if not plan.operations and rest:
        what = "; ".join((f"not as before the apply, but nothing that a plan can reverse: {rest}", *plan.notes))
        raise ConflictError(f"{where}: {what}; try again, or compare the file in the editor with {BEFORE}")
    path = ""
    if plan.operations:
        path = out or plan_path(project)
        write_plans(check_plan_path(project, path), (plan,), sources_digest(project))
    return RolledBackPlan(plan, reported, path)


def _agreed_reading(remote: Remote, pause: float, applier: Applier) -> Reading:
    """Return the content that two readings in a row show: a single one may be empty, old or of another file."""
    reading = remote.read()
    for _ in range(_MOST_READINGS):
        applier.clock.sleep(pause)
        again = remote.read()
        if again is reading:
            break
        reading = again
    return reading


def _journal(receipt: str) -> Journal:
    folder = receipt if os.path.isdir(receipt) else os.path.dirname(receipt)
    journal = open_journal(folder or ".")
    if journal.status == "empty":
        raise UsageError(f"{receipt}: no receipt of an apply; name a receipt.json or its folder in .tokensync/applies")
    return journal
