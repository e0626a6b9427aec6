"""Token files against the platform: merges the two, and writes the plan that brings the platform to what they say."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.connecting import state_folder
from tokensync.commands.deleted_usage import DeletedUsage, ProjectFiles, deleted_usage
from tokensync.commands.desired_file import desired_file
from tokensync.commands.garbage import gc_disabled
from tokensync.commands.merging import merged_file, refuse_conflicts
from tokensync.commands.plan_files import plan_path, refuse_no_plan, write_plans
from tokensync.commands.sources import chosen_files
from tokensync.commands.type_rules import idle_rules
from tokensync.errors import stop_on_errors
from tokensync.plan.planning import planned
from tokensync.plan.refs import labels_of, refs_of
from tokensync.plan.state_of import state_of
from tokensync.tokens import TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal

    from tokensync.client import Client
    from tokensync.commands.merging import MergedFile
    from tokensync.config import Project
    from tokensync.plan.desired import Desired
    from tokensync.plan.plan import Plan, PlanFile
    from tokensync.plan.refs import Refs
    from tokensync.plan.state import Ref
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph


_NOTHING_TO_READ = "there are no token files to plan from; tokensync pull writes them"


class Planned(NamedTuple):
    """The plans, the path that they were written to, and what was noticed on the way."""

    file: PlanFile
    path: str
    problems: tuple[Problem, ...]

    @property
    def changes(self) -> bool:
        """Return whether any of the plans does something."""
        return any(each.operations for each in self.file.plans)


@gc_disabled()
def plan(
    project: Project,
    client: Client,
    names: Sequence[str] = (),
    *,
    path: str | None = None,
    prune: bool = False,
    code_syntax: Sequence[str] = (),
    always: Literal["ours", "theirs"] | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Planned:
    """Write the plan that makes the platform hold what the token files say, to ``.tokensync/plan.json`` or ``path``.

    ``code_syntax`` names some of ``CODE_SYNTAX_PLATFORMS``; ``always`` lets one side win where
    both changed the same thing. Everything is checked before anything is written. Raises ConflictError for conflicts
    that nobody has settled and ProblemsError for what the platform would refuse.
    """
    if path is None:
        state_folder(project)
        path = plan_path(project)
    refuse_no_plan(project, path)
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)  # it must not be taken for one that cannot be made now
    problems: list[Problem] = []
    merged: list[MergedFile] = []
    for file in chosen_files(project, names):
        progress(f"reading {file.name}")
        merged.append(merged_file(project, client, file, always=always))
        problems += merged[-1].problems
    problems += idle_rules(project, [each.taken for each in merged])
    stop_on_errors(problems)
    # Answers of the conflicts file hold until a pull has put them into the token files.
    refuse_conflicts(project, merged, write=any(each.conflicts for each in merged))
    wanted: Mapping[TokenKey, Mapping[str, str]] = {}
    if code_syntax:
        wanted, found = _code_syntax(project, [each.graph for each in merged], code_syntax)
        problems += found
    plans = []
    files = ProjectFiles(project, merged)
    for each in merged:
        progress(f"planning {each.file.name}")
        made, found = _planned(project, client, each, files, wanted, prune=prune)
        plans.append(made)
        problems += found
    stop_on_errors(problems)
    return Planned(write_plans(path, plans), path, tuple(dict.fromkeys(problems)))


def _code_syntax(
    project: Project, graphs: Sequence[TokenGraph], asked: Sequence[str]
) -> tuple[Mapping[TokenKey, Mapping[str, str]], tuple[Problem, ...]]:
    """Names are told apart among the tokens of all files: those that are not planned are as their token files are."""
    from tokensync.commands.code_syntax import code_syntaxes
    from tokensync.formats.dtcg import read_folder
    from tokensync.normalize import linked

    planned_files = {key[0] for graph in graphs for key in graph.collections}
    others = [
        read_folder(project.tokens_folder, each.name).graph
        for each in project.config.files
        if each.name not in planned_files
    ]
    return code_syntaxes(project, linked([*graphs, *others]), asked)


def _planned(
    project: Project,
    client: Client,
    merged: MergedFile,
    files: ProjectFiles,
    wanted: Mapping[TokenKey, Mapping[str, str]],
    *,
    prune: bool,
) -> tuple[Plan, tuple[Problem, ...]]:
    aim = desired_file(project, merged, wanted)
    before_refs, after_refs = refs_of(merged.theirs), refs_of(aim.graph)
    labels = {**labels_of(merged.theirs, before_refs), **labels_of(aim.graph, after_refs)}
    before, after = state_of(merged.theirs, before_refs), state_of(aim.graph, after_refs)
    usage = deleted_usage(client, merged, before_refs, before, after) if prune else DeletedUsage()
    made, problems = planned(
        before,
        after,
        file=merged.file.name,
        key=merged.key,
        fingerprint=merged.snapshot.fingerprint(),
        labels=labels,
        where=_Places(aim, merged, before_refs, after_refs, labels),
        prune=prune,
        allow=project.config.allow,
        retyped=aim.retyped,
        used=usage.used,
        referring=lambda: files.referring(merged.file.name, merged.theirs),
        notes=(*aim.notes, *usage.notes, *(() if merged.ours.files else (_NOTHING_TO_READ,))),
    )
    return made, (*aim.problems, *problems)


class _Places:
    """Where a ref of a plan stands in the token files; what only the platform has goes by its name."""

    def __init__(self, aim: Desired, merged: MergedFile, before: Refs, after: Refs, labels: Mapping[Ref, str]) -> None:
        self._aim = aim
        self._merged = merged
        self._before = before
        self._after = after
        self._labels = labels
        self._keys: dict[Ref, TokenKey] | None = None

    def __call__(self, ref: Ref, mode: Ref | None) -> str:
        """Return the place of a variable, of its value in a mode, or of a collection's mode."""
        if self._keys is None:  # asked for only when something is wrong
            self._keys = {
                **{each: TokenKey(*key, "") for key, each in self._after.families.items()},
                **{each: TokenKey(*key, "") for (key, _), each in self._after.extensions.items()},
                **{each: key for key, each in self._before.tokens.items()},
                **{each: key for key, each in self._after.tokens.items()},
            }
        key = self._keys.get(ref)
        context = None if key is None else self._context(key, mode)
        if key is None or (context is None and not key.path):
            return self._labels.get(ref, ref)
        return self._merged.place_of(key, context)

    def _context(self, key: TokenKey, mode: Ref | None) -> str | None:
        family = self._aim.graph.collections.get(key[:2])
        refs = self._after.modes.get(key[:2], ())
        if family is None or mode not in refs:
            return None
        return family.modes[refs.index(mode)].context
