"""Plan files: where a plan is written, and what it must not overwrite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from tokensync.boundary import refuse_linked_file
from tokensync.disk import content_of, replace_file, shown_path
from tokensync.errors import UsageError
from tokensync.plan.plan import VERSION, PlanFile, decoded
from tokensync.project.connection import state_path
from tokensync.project.sources import read_file
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.plan.plan import Plan
    from tokensync.project.configuration import Project


MADE_BY = f"tokensync {__version__}"
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a file raises that is no plan."""


def plan_path(project: Project) -> str:
    """Return where a project's plan is unless another place is named: ``.tokensync/plan.json``."""
    return shown_path(state_path(project, "plan.json"))


def read_plans(path: str) -> PlanFile:
    """Return the plans of a file. Raises UsageError when it cannot be read or is none."""
    content = read_file(path)
    try:
        found = decoded(content)
    except _UNREADABLE as fault:
        raise UsageError(f"{path}: this is not a plan ({str(fault)[:200]}); write one with tokensync plan") from None
    if found.version != VERSION:
        raise UsageError(f"{path}: another version of tokensync wrote it; make a new plan")
    return found


def write_plans(path: str, plans: Iterable[Plan]) -> PlanFile:
    """Put plans at ``path``, in the place of what is there, and make the folder for them."""
    written = PlanFile(made_by=MADE_BY, plans=tuple(plans))
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    replace_file(path, written.encoded())
    return written


def refuse_no_plan(project: Project, path: str) -> None:
    """A plan takes the place of an earlier one, of any version, and of nothing else.

    Raises UsageError for another file, which is somebody's, a folder, and a device, whose content may not end; and
    ProblemsError for a folder that a link leads elsewhere.
    """
    refuse_linked_file(path, project.boundary.tokens, allow_outside=project.allow_outside)
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path}: a plan cannot be written there; name a file")
    content = content_of(path)
    if content is None:
        return
    try:
        decoded(content)
    except _UNREADABLE:
        raise UsageError(f"{path}: a file is there that is no plan; name another one") from None
