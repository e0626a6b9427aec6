"""The conflicts file, tokensync.conflicts.toml, in which users resolve merge conflicts.

A merge with conflicts writes it and stops. The user adds ``take = "ours"`` or ``take = "theirs"`` to an entry, which
resolves the conflict in the next merge if both sides still have the recorded values. A successful pull removes its
entries.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.plan.conflicts import EXISTENCE, ConflictKey
from tokensync.project.configuration import locator, toml_document
from tokensync.system.disk import content_of, remove_file, replace_file
from tokensync.system.errors import stop_on_errors
from tokensync.system.problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.plan.conflicts import Conflict, SideName
    from tokensync.system.problems import Problem


CONFLICTS = "tokensync.conflicts.toml"

_HEADER = """\
# Changes since the last pull that the token files (ours) and the platform (theirs) made differently.
# Choose a side in each entry, and run the command again:  take = "ours"  or  take = "theirs"
"""
_LONGEST = 300  # characters of a value; a digest identifies a longer one
_PROSE = frozenset({"description", "name"})
_NO_TEXT = frozenset({"empty", "unknown"})
_WRITE_AGAIN = "correct it, or delete it and run the command again"
_SIDES: tuple[SideName, ...] = ("ours", "theirs")


class ShownConflict(NamedTuple):
    """A conflict as text: its key, its location in the token files, and the values of base, ours and theirs."""

    key: ConflictKey
    location: str
    base: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.location}: {self.what}"

    @property
    def what(self) -> str:
        """Return the conflict without its location."""
        member = "" if self.key.member == EXISTENCE else f"{self.key.member} "
        base, ours, theirs = (self._shown(each) for each in (self.base, self.ours, self.theirs))
        return f"{member}was {base}, is {ours} in the token files and {theirs} on the platform"

    def _shown(self, text: str) -> str:
        """Quote names and descriptions, which would otherwise read as part of the sentence."""
        return json.dumps(text, ensure_ascii=False) if self.key.member in _PROSE and text not in _NO_TEXT else text


def shown_conflict(conflict: Conflict, location: str) -> ShownConflict:
    """Return the conflict as text."""
    for exact in (False, True):
        bases = list(dict.fromkeys(_text(conflict.key.member, each, exact=exact) for each in conflict.bases))
        ours, theirs = (_text(conflict.key.member, each, exact=exact) for each in (conflict.ours, conflict.theirs))
        if ours != theirs and ours not in bases and theirs not in bases:
            break
    return ShownConflict(conflict.key, location, " or ".join(bases) or "unknown", ours, theirs)


def answers(folder: str) -> tuple[Mapping[ConflictKey, tuple[SideName, str, str]], tuple[dict[str, Any], ...]]:
    """Return the sides that the user has chosen, with the values of ours and theirs, and all entries.

    Raises ProblemsError for an invalid conflicts file.
    """
    path = os.path.join(folder, CONFLICTS)
    content = content_of(path)
    if content is None:
        return {}, ()
    document = toml_document(content, path, "conflicts-unreadable", _WRITE_AGAIN)
    where = locator(content, path)
    tables = document.get("conflict", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        what = "these are no [[conflict]] tables"
        stop_on_errors([problem("conflicts-unreadable", where(("conflict",)), what, _WRITE_AGAIN)])
    chosen: dict[ConflictKey, tuple[SideName, str, str]] = {}
    problems: list[Problem] = []
    for index, each in enumerate(tables):
        problems += (
            problem("conflicts-unreadable", where(("conflict", index, name)), f"{name} is not a text", _WRITE_AGAIN)
            for name, value in each.items()
            if not isinstance(value, str)
        )
        key = ConflictKey(*(str(each.get(name, "")) for name in ("file", "collection", "token", "member")))
        take = each.get("take")
        if take in _SIDES:
            chosen[key] = (take, str(each.get("ours")), str(each.get("theirs")))
        elif isinstance(take, str):
            what = f"the side {take[:60]!r} is unknown"
            to_do = 'write take = "ours" or take = "theirs"'
            problems.append(problem("conflicts-unreadable", where(("conflict", index, "take")), what, to_do))
    stop_on_errors(problems)
    return chosen, tuple(tables)


def write_conflicts(folder: str, files: Iterable[str], conflicts: Iterable[ShownConflict]) -> str:
    """Replace the entries of these design files with these conflicts, and return the path of the conflicts file.

    A chosen side is preserved if the values of both sides are unchanged. Without entries the file is deleted.
    """
    path = os.path.join(folder, CONFLICTS)
    chosen, entries = answers(folder)
    names = set(files)
    texts = [_entry(each) for each in entries if each.get("file") not in names]
    for each in conflicts:
        members = {
            "file": each.key.file,
            "collection": each.key.collection,
            **({"token": each.key.path} if each.key.path else {}),
            "member": each.key.member,
            "place": each.location,
            "base": each.base,
            "ours": each.ours,
            "theirs": each.theirs,
        }
        take = chosen.get(each.key)
        if take is not None and take[1:] == (plain(each.ours), plain(each.theirs)):
            members["take"] = take[0]
        texts.append(_entry(members))
    if texts:
        content = "\n".join((_HEADER, *texts)).encode()
        if content_of(path) != content:
            replace_file(path, content, text=True)
    elif os.path.lexists(path):
        remove_file(path)
    return path


def plain(text: str) -> str:
    """Replace the characters of a text that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def _entry(members: Mapping[str, Any]) -> str:
    lines = (f"{name} = {_toml(str(value))}\n" for name, value in members.items())
    return f"[[conflict]]\n{''.join(lines)}"


def _toml(text: str) -> str:
    """Return a basic string: like JSON, but TOML also requires U+007F to be escaped."""
    return json.dumps(plain(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _text(member: str, value: object, *, exact: bool) -> str:
    from tokensync.tokens import value_text
    from tokensync.tokens.paths import names

    if member == EXISTENCE or member.startswith("mode "):
        return "present" if value else "deleted"
    match value:
        case frozenset():
            text = ", ".join(sorted(value)) or "empty"
        case str() if member == "name":
            text = "/".join(names(value)) if " / " not in value else value
        case str() if not member.startswith("in "):
            text = value or "empty"
        case _:
            text = value_text(value, exact=exact)  # type: ignore[arg-type]
    if len(text) > _LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
        text = f"{text[:_LONGEST]}… ({len(text)} characters, {digest})"
    return text
