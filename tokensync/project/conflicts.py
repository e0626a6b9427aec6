"""tokensync.conflicts.toml: what both sides changed, for somebody to say which side to take.

A merge that stops writes it. An entry that says ``take = "ours"`` or ``"theirs"`` settles its conflict the next time,
as long as both sides still say what the entry tells of them. A pull that gets through takes its entries out.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.disk import content_of, replace_file
from tokensync.errors import stop_on_errors
from tokensync.plan.merging import EXISTENCE, ConflictKey
from tokensync.problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.plan.merging import Conflict, SideName


CONFLICTS = "tokensync.conflicts.toml"

_HEADER = """\
# Changes since the last pull that the token files (ours) and the platform (theirs) made differently.
# Choose a side in each entry, and run the command again:  take = "ours"  or  take = "theirs"
"""
_LONGEST = 300  # characters of a value; a longer one is recognised by its digest
_PROSE = frozenset({"description", "name"})
_NO_TEXT = frozenset({"nothing", "not known"})
_SIDES: tuple[SideName, ...] = ("ours", "theirs")


class ShownConflict(NamedTuple):
    """A conflict in words: its key, where it stands in the token files, and what base, ours and theirs say."""

    key: ConflictKey
    place: str
    base: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        member = "" if self.key.member == EXISTENCE else f" {self.key.member}"
        base, ours, theirs = (self._shown(each) for each in (self.base, self.ours, self.theirs))
        return f"{self.place}:{member} was {base}, is {ours} in the token files and {theirs} on the platform"

    def _shown(self, text: str) -> str:
        """Prose in quotes and on one line, so that it stands apart from the sentence around it."""
        return json.dumps(text, ensure_ascii=False) if self.key.member in _PROSE and text not in _NO_TEXT else text


def shown_conflict(conflict: Conflict, location: str) -> ShownConflict:
    """Return the conflict in words."""
    bases = list(dict.fromkeys(_text(conflict.key.member, each) for each in conflict.bases))
    ours, theirs = (_text(conflict.key.member, each) for each in (conflict.ours, conflict.theirs))
    return ShownConflict(conflict.key, location, " or ".join(bases) or "not known", ours, theirs)


def answers(folder: str) -> tuple[Mapping[ConflictKey, tuple[SideName, str, str]], tuple[dict[str, Any], ...]]:
    """Return the entries of the conflicts file that take a side, with what they tell of ours and theirs; and all
    entries.

    Raises ProblemsError for a file that is not as ``write_conflicts`` makes it.
    """
    import tomllib

    path = os.path.join(folder, CONFLICTS)
    content = content_of(path)
    if content is None:
        return {}, ()
    try:
        entries = tomllib.loads(content.decode()).get("conflict", [])
    except ValueError as fault:  # no TOML, or no UTF-8
        what = f"this is not TOML ({fault})"
        stop_on_errors([problem("conflicts-unreadable", path, what, "correct it, or remove it and merge again")])
        raise
    known = tuple(each for each in entries if isinstance(each, dict)) if isinstance(entries, list) else ()
    found: dict[ConflictKey, tuple[SideName, str, str]] = {}
    problems = []
    for number, each in enumerate(known, 1):
        key = ConflictKey(*(str(each.get(name, "")) for name in ("file", "collection", "token", "member")))
        take = each.get("take")
        if take in _SIDES:
            found[key] = (take, str(each.get("ours")), str(each.get("theirs")))
        elif take is not None:
            what = f"entry {number} takes {str(take)[:60]!r}"
            problems.append(problem("conflicts-unreadable", path, what, 'write take = "ours" or take = "theirs"'))
    stop_on_errors(problems)
    return found, known


def write_conflicts(folder: str, files: Iterable[str], conflicts: Iterable[ShownConflict]) -> str:
    """Bring the entries about these files to these conflicts; those of other files stay. Returns the file's path.

    An entry that took a side before keeps it when both sides say the same still. Without any entry the file goes.
    """
    path = os.path.join(folder, CONFLICTS)
    taken, entries = answers(folder)
    names = set(files)
    texts = [_entry(each) for each in entries if each.get("file") not in names]
    for each in conflicts:
        members = {
            "file": each.key.file,
            "collection": each.key.collection,
            **({"token": each.key.path} if each.key.path else {}),
            "member": each.key.member,
            "place": each.place,
            "base": each.base,
            "ours": each.ours,
            "theirs": each.theirs,
        }
        take = taken.get(each.key)
        if take is not None and take[1:] == (plain(each.ours), plain(each.theirs)):
            members["take"] = take[0]
        texts.append(_entry(members))
    if texts:
        content = "\n".join((_HEADER, *texts)).encode()
        if content_of(path) != content:
            replace_file(path, content)
    elif os.path.lexists(path):
        os.unlink(path)
    return path


def plain(text: str) -> str:
    """Return the text as UTF-8 can hold it."""
    return text.encode("utf-8", "replace").decode()


def _entry(members: Mapping[str, Any]) -> str:
    lines = (f"{name} = {_toml(str(value))}\n" for name, value in members.items())
    return f"[[conflict]]\n{''.join(lines)}"


def _toml(text: str) -> str:
    """Return a basic string: JSON's, and TOML wants one character more escaped."""
    return json.dumps(plain(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _text(member: str, value: object) -> str:
    from tokensync.tokens import value_text
    from tokensync.tokens.paths import names

    if member == EXISTENCE or member.startswith("mode "):
        return "there" if value else "deleted"
    match value:
        case frozenset():
            text = ", ".join(sorted(value)) or "nothing"
        case str() if member == "name":
            text = "/".join(names(value)) if " / " not in value else value
        case str() if not member.startswith("in "):
            text = value or "nothing"
        case _:
            text = value_text(value)  # type: ignore[arg-type]
    if len(text) > _LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
        text = f"{text[:_LONGEST]}… ({len(text)} characters, {digest})"
    return text
