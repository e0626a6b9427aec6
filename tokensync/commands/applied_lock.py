"""The lock after an apply: what the plan changed is what both sides say now; all else stays as it was.

The platform may hold edits that nobody has pulled yet. Were they in the lock, the token files, which do not have them,
would seem to have taken them back, and the next plan would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tokensync.client import parse_file
from tokensync.commands.lock import facts, read_lock, write_lock
from tokensync.commands.sources import rules_of

if TYPE_CHECKING:
    from tokensync.apply.reading import Reading
    from tokensync.config import FileConfig, Project


def lock_applied(project: Project, before: Reading, now: Reading, *, clean: bool) -> None:
    """Bring the lock's facts about one file from ``before`` to ``now``, as far as they differ.

    Where somebody else's edits lie between the two (not ``clean``) the lock stays as it is: the next pull sees to it.
    """
    if not clean:
        return
    file = next(each for each in project.config.files if each.name == before.file)
    were, are = _facts(project, file, before), _facts(project, file, now)
    locked = read_lock(project.folder)
    own = locked[file.name].every_side if file.name in locked else frozenset()
    gone = {_subject(each) for each in were - are}
    kept = (each for each in own if _subject(each) not in gone)
    fresh = frozenset((*kept, *(are - were)))
    configured = {each.name for each in project.config.files}
    others = {name: each.every_side for name, each in locked.items() if name in configured}
    write_lock(project.folder, {**others, file.name: fresh}.values())


def _facts(project: Project, file: FileConfig, reading: Reading) -> frozenset[str]:
    from tokensync.extract import withhold
    from tokensync.normalize import normalize, referenced

    snapshot, _ = withhold(reading.snapshot, include_hidden=project.config.extract.include_hidden)
    graph, _ = normalize(snapshot, rules_of(project))
    return facts(referenced(graph), file.name, str(parse_file(file.key)))


def _subject(line: str) -> tuple[str, ...]:
    """What a fact is about: all of it but the value."""
    return tuple(msgspec.json.decode(line)[:4])
