"""Whether other files use the variables that a plan deletes: asked once, where the platform allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.errors import PlatformError
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.client import Client
    from tokensync.commands.merging import MergedFile
    from tokensync.plan.refs import Refs
    from tokensync.plan.state import FileState, Ref


class DeletedUsage(NamedTuple):
    """``used`` says in words how each deleted variable that other files use is used; ``notes`` what is not known."""

    used: Mapping[Ref, str] = {}
    notes: tuple[str, ...] = ()


def deleted_usage(client: Client, merged: MergedFile, refs: Refs, before: FileState, after: FileState) -> DeletedUsage:
    """Ask the platform's analytics about the variables of ``before`` that ``after`` has no more.

    ``refs`` are those of the platform's graph. Nothing is asked where nothing is deleted. A platform that does not
    answer, since the access token, the plan or the account does not allow it, is a note and no failure.
    """
    gone = {ref for ref, each in before.variables.items() if not each.fixed and ref not in after.variables}
    tokens = merged.theirs.tokens
    wanted = {tokens[key].variable_key: ref for key, ref in refs.tokens.items() if ref in gone and key in tokens}
    wanted.pop("", None)
    if not wanted:
        return DeletedUsage()
    used: dict[Ref, str] = {}
    try:
        for row in client.analytics.variable_usages(merged.file.key):
            if row.variable_key in wanted and row.usages:
                used[wanted[row.variable_key]] = _told(row.usages, row.files_using, row.teams_using)
                if len(used) == len(wanted):
                    break
    except PlatformError as refused:
        what = (
            "whether other files use what is deleted is not known" if not used else "what is deleted may be used more"
        )
        return DeletedUsage(used, (f"{what}: {refused}",))
    return DeletedUsage(used)


def _told(usages: int, files: int, teams: int) -> str:
    return f"{counted(usages, 'use')} in {counted(files, 'file')} of {counted(teams, 'team')}"
