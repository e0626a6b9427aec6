"""Merge files of tokensync as git's merge driver: token files, resolver documents and the lock."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tokensync.project.lock import LOCK, facts_of_lines
from tokensync.system.boundary import resolved_file
from tokensync.system.disk import open_file, replace_file
from tokensync.system.errors import ProblemsError
from tokensync.system.problems import problem

if TYPE_CHECKING:
    from tokensync.system.problems import Problem


def merge_file(base: str, ours: str, theirs: str, path: str, *, allow_outside: bool) -> None:
    """Replace the file ``ours`` with the merge of three versions. ``path`` is that of the file in the work tree.

    Raises ProblemsError for conflicts, and for a version that is invalid. The file then has git's marks: around each
    conflict, or around each difference.
    """
    from tokensync.dtcg.three_way import merged_text, with_marks

    contents = []
    for version in (base, ours, theirs):
        with open_file(version) as file:
            contents.append(file.read())
    target = resolved_file(ours, allow_outside=allow_outside)
    try:
        is_lock = os.path.basename(path) == LOCK
        content, problems = (_merged_lock if is_lock else merged_text)(path, *contents)
    except ProblemsError as stop:
        content, problems = with_marks(*contents[1:]), stop.problems
    replace_file(target, content, text=True)
    if problems:
        raise ProblemsError(problems)


def _merged_lock(path: str, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, tuple[Problem, ...]]:
    """Return the merge of a lock by fact. If there is a conflict, the versions are whole between the marks.

    A lock of marks has two bases, which a part of a version would not be.
    """
    from tokensync.dtcg.three_way import ThreeWay, with_marks

    versions: list[dict[tuple[str, ...], str]] = []
    for content in (base, ours, theirs):
        lines = content.decode("utf-8", "replace").removesuffix("\n").split("\n") if content else []
        facts = facts_of_lines(content)
        if len(facts) == len(lines):
            versions.append({fact[:4]: line for fact, line in zip(facts, lines, strict=True)})
    merge = ThreeWay("ours")
    merged = merge.members((), *versions) if len(versions) == 3 else {}
    if not merged or merge.conflicts:
        what, to_do = "both branches changed the same facts", "tokensync pull merges both sides, and removes the marks"
        return with_marks(ours, theirs), (problem("conflict-marks", path, what, to_do),)
    return "".join(f"{line}\n" for line in sorted(merged.values())).encode(), ()
