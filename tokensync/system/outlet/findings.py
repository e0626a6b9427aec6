"""Findings: problems at positions in files, as code frames, SARIF logs, and annotations of GitHub Actions.

Annotations and masks are the only workflow commands that tokensync prints. They are made here, and nothing else can be
passed to ``streams.write_commands``. Texts of others are visible and escaped in them, so they cannot add a command.
"""

from __future__ import annotations

import hashlib
import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, NewType

from tokensync.system.outlet.characters import broken_anywhere, visible
from tokensync.system.outlet.terminal import Line, cells, line, shown
from tokensync.system.problems import CODES, Problem, Severity
from tokensync.version import SITE, __version__

Command = NewType("Command", str)
"""A line with a workflow command of GitHub Actions; only this module makes it."""


class Finding(NamedTuple):
    """A problem and its position.

    ``path`` is relative to the top of the work tree, with ``/``; it is empty for a problem outside of files. ``line``
    and ``column`` start at 1, or are 0 if they are unknown; columns count characters. ``text`` is the line.
    """

    problem: Problem
    path: str = ""
    line: int = 0
    column: int = 0
    text: str = ""

    @property
    def utf_16_column(self) -> int:
        """Return the column in UTF-16 code units, from 1, or 0."""
        return self.column + bisect_left(_pairs(self.text), max(self.column - 1, 0))


@lru_cache(maxsize=16)
def _pairs(text: str) -> tuple[int, ...]:
    """Return the indices of the characters with two code units. Many findings are in one line of a minified file."""
    return () if text.isascii() else tuple(match.start() for match in _TWO_CODE_UNITS.finditer(text))


_SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
_TWO_CODE_UNITS: Final = re.compile("[\U00010000-\U0010ffff]")
_WIDEST: Final = 100
"""The most characters in a code frame's line."""
_TAB: Final = " " * 4


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Return distinct findings, errors first."""
    return sorted(dict.fromkeys(findings), key=lambda each: _SEVERITIES.index(each.problem.severity))


def of_codes(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """Return distinct findings by code, errors first."""
    found: dict[str, list[Finding]] = {}
    for finding in by_severity(findings):
        found.setdefault(finding.problem.code, []).append(finding)
    return list(found.items())


def frame(finding: Finding) -> tuple[Line, ...]:
    """Return the line of a finding with its number, and a caret below the column; nothing for other findings."""
    if not finding.line or not finding.text.strip():
        return ()
    at = max(finding.column - 1, 0)
    start = max(0, at - _WIDEST // 2)
    before, after = (part.replace("\t", _TAB) for part in (finding.text[start:at], finding.text[at : start + _WIDEST]))
    before = f"\N{HORIZONTAL ELLIPSIS}{before}" if start else before
    after = f"{after}\N{HORIZONTAL ELLIPSIS}" if start + _WIDEST < len(finding.text) else after
    number = f"{finding.line:>6}"
    source = line(f"{number} | {before}{after}")
    if not finding.column:
        return (source,)
    return source, line(f"{' ' * len(number)} | {' ' * cells(shown(before))}^")


# --- GitHub Actions -------------------------------------------------------------------------------------------------

_LEVELS_OF_GITHUB: Final = {"error": "error", "warning": "warning", "note": "notice"}
_MOST_ANNOTATIONS: Final = 10
"""The most annotations of each level that the runner keeps from a step."""
_LONGEST_MESSAGE: Final = 4096
"""The most characters of a message that the runner keeps."""


def workflow_commands(
    findings: Iterable[Finding], reserved: int = 0, listing: str = "with -v, the log lists them"
) -> tuple[Command, ...]:
    """Return the annotations of findings, at most ten of each level, of which the last counts those that are omitted.

    ``reserved`` of the ten are left to other annotations of the same step, and ``listing`` says where to read those
    that are omitted. A finding without a file has its location in the message.
    """
    most = _MOST_ANNOTATIONS - reserved
    commands: list[Command] = []
    distinct = by_severity(findings)
    for severity in _SEVERITIES:
        own = [finding for finding in distinct if finding.problem.severity == severity]
        kept = own if len(own) <= most else own[: most - 1]
        commands += map(_annotation, kept)
        if len(kept) < len(own):
            more = f"{len(own) - len(kept):,} more, of {len(own):,} in total; {listing}"
            commands.append(_command(_LEVELS_OF_GITHUB[severity], {}, more))
    return tuple(commands)


def annotation(level: Literal["error", "warning", "notice"], what: str) -> Command:
    """Return an annotation of a whole run."""
    return _command(level, {}, what)


def masked(secret: str) -> Command:
    """Return the command that hides a secret in the log from now on. Short ones would make the log unreadable."""
    if len(secret) < 8 or not secret.isascii() or not secret.isprintable():
        raise ValueError(f"{len(secret)} characters")
    return Command(f"::add-mask::{secret}")


def _annotation(finding: Finding) -> Command:
    problem = finding.problem
    numbers = {"line": finding.line, "col": finding.utf_16_column}
    position = {"file": finding.path} if finding.path else {}
    position |= {name: str(number) for name, number in numbers.items() if finding.path and number}
    where = f"{problem.where}: " if problem.where and not finding.path else ""
    names = f" ({', '.join(problem.names)})" if problem.names else ""
    text = f"{where}{problem.what}{names}; {problem.what_to_do}"
    return _command(_LEVELS_OF_GITHUB[problem.severity], {**position, "title": problem.code}, text)


def _command(name: str, properties: Mapping[str, str], text: str) -> Command:
    """Return a workflow command. This is the only function that escapes texts for one."""
    text = "\n".join(broken_anywhere(visible(each)) for each in text.split("\n"))
    if len(text) > _LONGEST_MESSAGE:
        text = f"{text[: _LONGEST_MESSAGE - 1]}\N{HORIZONTAL ELLIPSIS}"
    data = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return Command(f"::{name}{' ' if written else ''}{written}::{data}")


def _property(value: str) -> str:
    """Return the value of a property; the runner decodes the escapes, so a path stays as it is."""
    for character in "%\r\n:,":  # the percent sign first
        value = value.replace(character, f"%{ord(character):02X}")
    return broken_anywhere(visible(value))


# --- SARIF 2.1.0 ----------------------------------------------------------------------------------------------------

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST_RESULTS: Final = 5_000
"""The most results that GitHub keeps of a run."""
_ROOT: Final = "%SRCROOT%"


def sarif(findings: Iterable[Finding], default_path: str = "") -> dict[str, Any]:
    """Return a log in SARIF 2.1.0 with at most 5,000 results, the most severe ones; the others are counted.

    ``default_path`` is the file of findings outside of files, because readers want a file for each result.
    """
    distinct = by_severity(findings)
    kept = distinct[:_MOST_RESULTS]
    codes = sorted({finding.problem.code for finding in kept})
    indices = {code: index for index, code in enumerate(codes)}
    seen: dict[str, int] = {}
    results = [_result(finding, indices, default_path, seen) for finding in kept]
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if len(kept) < len(distinct):
        text = f"{len(distinct) - len(kept):,} of {len(distinct):,} results are omitted"
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    driver = {
        "name": "tokensync",
        "version": __version__,
        **({"informationUri": SITE} if SITE else {}),
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "invocations": [invocation],
        "results": results,
        "properties": {"found": len(distinct)},
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    declared = CODES.get(code)
    if declared is None:  # of a plug-in, which has no page
        return {"id": code, "shortDescription": {"text": code}}
    return {
        "id": code,
        "shortDescription": {"text": _message(declared.meaning)},
        "fullDescription": {"text": _message(f"{declared.meaning} {declared.outcome}")},
        **({"helpUri": f"{SITE}problems/#{code}"} if SITE else {}),
        "help": {"text": _message(f"{declared.meaning} {declared.outcome}")},
        "defaultConfiguration": {"level": declared.severity},
    }


def _result(finding: Finding, indices: Mapping[str, int], default_path: str, seen: dict[str, int]) -> dict[str, Any]:
    problem, path = finding.problem, finding.path or default_path
    where = f"{problem.where}: " if problem.where and not finding.path else ""
    names = f" ({', '.join(problem.names)})" if problem.names else ""
    fingerprint = _fingerprint(finding)
    seen[fingerprint] = number = seen.get(fingerprint, 0) + 1
    result = {
        "ruleId": problem.code,
        "ruleIndex": indices[problem.code],
        "level": problem.severity,
        "message": {"text": _message(f"{where}{problem.what}{names}; {problem.what_to_do}")},
        "partialFingerprints": {"tokensync/v1": f"{fingerprint}:{number}"},
    }
    if path:
        region = {"startLine": finding.line or 1}
        if finding.column:
            region["startColumn"] = finding.utf_16_column
        artifact = {"uri": _uri(path), "uriBaseId": _ROOT}
        result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    return result


def _fingerprint(finding: Finding) -> str:
    """Return a hash that neither a new line above nor another value changes: of the rule, the token and the theme."""
    problem = finding.problem
    where = re.sub(r"(?::\d+){1,2}(?= \(|$)", "", problem.where) if not finding.path else finding.path
    pointer = re.search(r"\(([#/].*)\)$", problem.where)
    what = re.sub(r"#[0-9A-Fa-f]{3,8}\b|\d+(?:[.,]\d+)*", "", problem.what)
    parts = (problem.code, where, pointer[1] if pointer else "", what, *problem.names)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _message(text: str) -> str:
    """Return a plain text message: braces are placeholders in it (3.11.5), and brackets are links (3.11.6)."""
    return re.sub(r"[\\\[\]]", r"\\\g<0>", visible(text)).replace("{", "{{").replace("}", "}}")


def _uri(path: str) -> str:
    """Return a relative URI of a path. A colon is encoded: in a first segment, it would end a scheme."""
    from urllib.parse import quote

    return quote(os.fsencode(path))
