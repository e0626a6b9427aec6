"""Read and write plan files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tokensync.boundary import refuse_linked_file
from tokensync.disk import content_of, replace_file, shown_path
from tokensync.errors import DECODE_ERRORS, UsageError
from tokensync.plan.plan import VERSION, PlanFile, decoded
from tokensync.project.connection import state_path
from tokensync.project.sources import read_file
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.plan.plan import Plan
    from tokensync.project.configuration import Project


MADE_BY = f"tokensync {__version__}"


def plan_path(project: Project) -> str:
    """Return the default path of a project's plan, ``.tokensync/plan.json``."""
    return shown_path(state_path(project, "plan.json"))


def read_plans(path: str) -> PlanFile:
    """Return the content of a plan file. Raises UsageError for a file that is unreadable or not a plan."""
    content = read_file(path)
    try:
        plan_file = decoded(content)
    except DECODE_ERRORS as error:
        raise UsageError(f"{path}: this is not a plan ({str(error)[:200]}); create one with tokensync plan") from None
    if plan_file.version != VERSION:
        raise UsageError(f"{path}: this plan has the format of another tokensync version; create a new one")
    return plan_file


def write_plans(path: str, plans: Iterable[Plan]) -> PlanFile:
    """Write plans to a file, replace an existing one, and create its folder if necessary."""
    plan_file = PlanFile(made_by=MADE_BY, plans=tuple(plans))
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    replace_file(path, plan_file.encoded())
    return plan_file


def check_plan_path(project: Project, path: str) -> None:
    """Check that a plan can be written to a path: it is free, or has an earlier plan of any version.

    Raises UsageError for other files, folders and devices, and ProblemsError for a folder that a link redirects.
    """
    refuse_linked_file(path, project.boundary.tokens, allow_outside=project.allow_outside)
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path}: this is not a file; select another path with -o")
    content = content_of(path)
    if content is None:
        return
    try:
        decoded(content)
    except DECODE_ERRORS:
        raise UsageError(f"{path}: this file is not a plan; select another path with -o") from None
