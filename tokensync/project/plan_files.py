"""Read and write plan files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from tokensync.plan.plan import VERSION, Plan, PlanFile, decoded
from tokensync.project.connection import state_path
from tokensync.project.lock import LOCK
from tokensync.project.merging import CONFLICTS
from tokensync.project.outputs import digest_of
from tokensync.project.sources import read_file
from tokensync.settings import ClientConfig
from tokensync.system.boundary import resolved_file
from tokensync.system.disk import content_of, replace_file, shown_path
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.formats import MADE_BY, refuse_newer_document
from tokensync.system.positions import line_and_column, line_of_error, offsets, pointer_text
from tokensync.system.token_files import texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.project.configuration import Project


def plan_path(project: Project) -> str:
    """Return the default path of a project's plan, ``.tokensync/plan.json``."""
    return shown_path(state_path(project, "plan.json"))


def read_plans(path: str) -> PlanFile:
    """Return the content of a plan file. Raises UsageError for a file that is unreadable or not a plan."""
    plan_file = _decoded(read_file(path), path, "create one with tokensync plan")
    if plan_file.version != VERSION:
        raise UsageError(f"{path}: this plan has the format of an earlier tokensync version; create a new one")
    files = [plan.file for plan in plan_file.plans]
    for number, file in enumerate(files):
        if file in files[:number]:  # the first one would be applied, and the second one refused afterwards
            where = location_of(path, "plans", number)
            raise UsageError(f"{where}: this is a second plan for the file {file}; create one with tokensync plan")
    return plan_file


def sources_digest(project: Project) -> str:
    """Return the digest of the contents of all files that a plan is made from, and of the settings.

    It omits the address of the server and the client's timeouts, which do not change a plan.
    """
    settings = msgspec.structs.replace(project.config, base_url="figma", client=ClientConfig())
    parts = [msgspec.json.encode(settings)]
    for name in (LOCK, CONFLICTS):
        parts += (os.fsencode(name), content_of(project.path(name)) or b"")
    for file in project.config.files:
        for path, text in texts_of(project.tokens_folder, file.name).items():
            parts += (os.fsencode(path), text)
    return f"sha256:{digest_of(parts)}"


def location_of(path: str, *pointer: str | int) -> str:
    """Return the location of a value of a plan file: line, column and pointer; only the pointer if it is gone."""
    content = content_of(path) if os.path.isfile(path) else None
    if content is None:
        return f"{path} ({pointer_text(pointer)})"
    line, column = line_and_column(content, offsets(content, [pointer])[pointer])
    return f"{path}:{line}:{column} ({pointer_text(pointer)})"


def write_plans(path: str, plans: Iterable[Plan], made_from: str) -> PlanFile:
    """Write plans to a file, replace an existing one, and create its folder if necessary. The path has no links.

    ``made_from`` is the ``sources_digest`` before the plans were made. Nothing is written without a path.
    """
    plan_file = PlanFile(made_by=MADE_BY, made_from=made_from, plans=tuple(plans))
    if path:
        replace_file(path, plan_file.encoded())
    return plan_file


def check_plan_path(project: Project, path: str) -> str:
    """Return a path with links resolved if a plan can be written to it: it is free, or has an earlier plan.

    Raises UsageError for other files, folders and devices, and ProblemsError for a folder that a link redirects.
    """
    target = resolved_file(path, project.boundary.tokens, allow_outside=project.allow_outside)
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path}: this is not a file; select another path with -o")
    content = content_of(target)
    if content is None:
        return target
    _decoded(content, path, "select another path with -o, or remove a damaged plan")
    return target


def _decoded(content: bytes, path: str, what_to_do: str) -> PlanFile:
    refuse_newer_document(path, content, VERSION)
    try:
        return decoded(content)
    except DECODE_ERRORS as error:
        where = f"{path}:{line_of_error(content, error)}"
        raise UsageError(f"{where}: this is not a plan ({str(error)[:200]}); {what_to_do}") from None
