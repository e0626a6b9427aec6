"""tokensync.accepted.toml: the findings that a project accepts, which later runs only count."""

from __future__ import annotations

import datetime as dt
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from tokensync.system.disk import content_of, replace_file
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.outlet import in_utf_8
from tokensync.system.outlet.documents import in_toml
from tokensync.system.positions import CONFLICT, RESOLVE, conflict_in

if TYPE_CHECKING:
    from tokensync.system.problems import Problem

ACCEPTED = "tokensync.accepted.toml"
_HEAD = """\
# Findings that this project accepts: later runs only count them. `tokensync check --accept REASON` and
# `tokensync pull --accept REASON` add those of today. Remove a line to see its finding again.
"""
_OF_CODE = ("code-raw-value", "code-unknown-token", "code-deprecated-token")
"""The codes of findings about code, which a project accepts as errors, too: they stop no command but a check."""
_POSITION = re.compile(r"(.+?)(?::[0-9]+)+((?: \(.*\))?)", re.DOTALL)
"""A location in a file: its path, and its JSON pointer after line and column, which change with every edit."""


class Acceptance(Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A finding that is accepted: the code and place of the problem, its output if it has one, and when and why."""

    code: str
    subject: str
    date: dt.date
    reason: str
    output: str = ""


Accepted = Mapping[tuple[str, str, str], Acceptance]
"""The accepted findings by code, subject and output, and also without the output, as some commands know none."""


class _Document(Struct, frozen=True, forbid_unknown_fields=True):
    accepted: tuple[Acceptance, ...] = ()


def read_accepted(folder: str) -> Accepted:
    """Return the accepted findings of the project in a folder. Raises UsageError for an unreadable file."""
    path = os.path.join(folder, ACCEPTED)
    content = content_of(path)
    if content is None:
        return {}
    try:
        rows = msgspec.toml.decode(content.removeprefix(BOM_UTF8), type=_Document).accepted
    except DECODE_ERRORS as error:
        if conflict_in(content) is not None:
            raise UsageError(f"{path}: {CONFLICT}; {RESOLVE.format('lines')}") from None
        raise UsageError(f"{path}: {str(error)[:200]}; correct it, or restore it from git") from None
    return {(row.code, row.subject, output): row for row in rows for output in ("", row.output)}


def keys_of(problem: Problem, folder: str) -> set[tuple[str, str, str]]:
    """Return code, subject and output of a problem. A subject is its place, or a name there; ``folder`` prefixes paths.

    A problem about several names or outputs is accepted if each of them is, so that another one shows it again.
    """
    place = problem.where.removeprefix(folder)
    if " / " not in place and (match := _POSITION.fullmatch(place)):
        place = "".join(match.groups())
    if problem.code in _OF_CODE and os.path.isabs(place):  # beside the project, and so the same on every machine
        place = os.path.relpath(place, folder)
    place = place.replace(os.sep, "/")
    # TOML cannot have the bytes of paths that are not UTF-8.
    subjects = [in_utf_8(f"{place} / {name}") for name in problem.names] or [in_utf_8(place)]
    return {(problem.code, subject, in_utf_8(output)) for subject in subjects for output in problem.outputs or ("",)}


def can_be_accepted(problem: Problem) -> bool:
    """Return whether a project can accept a problem: other errors stop a command."""
    return problem.severity != "error" or problem.code in _OF_CODE


def accept(folder: str, problems: Iterable[Problem], reason: str, today: dt.date) -> int:
    """Add problems to the accepted findings of the project in a folder, and return how many were new.

    Errors can only be accepted if they are about code. Raises UsageError for an unreadable file.
    """
    rows = dict(read_accepted(folder))
    added = 0
    for problem in dict.fromkeys(problems):
        if can_be_accepted(problem) and not problem.is_accepted:
            added += 1
            for code, subject, output in keys_of(problem, os.path.join(folder, "")) - rows.keys():
                rows[code, subject, output] = Acceptance(code, subject, today, in_utf_8(reason), output)
    if added:
        lines = "".join(f"    {_row(acceptance)},\n" for acceptance in sorted(set(rows.values())))
        replace_file(os.path.join(folder, ACCEPTED), f"{_HEAD}accepted = [\n{lines}]\n".encode())
    return added


def _row(acceptance: Acceptance) -> str:
    code, subject, reason = map(in_toml, (acceptance.code, acceptance.subject, acceptance.reason))
    output = f"output = {in_toml(acceptance.output)}, " if acceptance.output else ""
    return f"{{ code = {code}, subject = {subject}, {output}date = {acceptance.date.isoformat()}, reason = {reason} }}"
