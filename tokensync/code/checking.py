"""Check code: raw values that a token could replace, names that no token has, and deprecated tokens.

A comment with ``tokensync-disable-line``, ``tokensync-disable-next-line`` or ``tokensync-disable-file`` switches
findings off; what follows is the reason.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tokensync.code.files import Edit, code_files, has_language, parts
from tokensync.code.fitting import Fit, Fitting
from tokensync.code.lexers import language_of
from tokensync.code.raw_values import RawValue, raw_values
from tokensync.code.token_names import Form, NameFinding, declared, name_checker, span_at, spans
from tokensync.system.disk import open_file, replace_files
from tokensync.system.positions import replaced
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted, listed, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.project.configuration import Project
    from tokensync.tokens import TokenGraph

_DIRECTIVE = re.compile(r"tokensync-disable-(line|next-line|file)(?![\w-])[ \t:]*([^\n\r]*)")
_END_OF_COMMENT = re.compile(r"\s*(?:\*/|-->).*|\s+\Z")
_REASON = 120
"""Characters."""


class CodeChecked(NamedTuple):
    """The problems of code, the edits by path that correct some of them, and the number of files.

    ``fixed`` is the number of problems that the edits of a path correct, and ``texts`` are their texts.
    """

    problems: tuple[Problem, ...]
    edits: Mapping[str, tuple[Edit, ...]]
    files: int
    fixed: Mapping[str, int] = MappingProxyType({})
    texts: Mapping[str, str] = MappingProxyType({})


class _Found(NamedTuple):
    """A finding in a text: its problem without the place, its offset, and the edit that corrects it for certain."""

    start: int
    problem: Problem
    edit: Edit | None = None
    suspect: tuple[Form, str] | None = None
    """The form and name that is unknown unless other code declares it."""


class _Directive(NamedTuple):
    """A comment that switches findings off in a line, or for 0 in the file."""

    start: int
    line: int
    reason: str


def check_code(
    project: Project,
    graph: TokenGraph,
    paths: Sequence[str],
    *,
    lines: Mapping[str, Container[int]] | None = None,
    others: Sequence[str] = (),
    texts: Mapping[str, str] = MappingProxyType({}),
    corrects: bool = False,
    option: str = "--code ",
    progress: Callable[[str], None] = lambda text: None,
) -> CodeChecked:
    """Return the problems of the code at these paths and below them, with paths as they are given.

    ``lines`` are the lines to judge of each file, by its path without links; other files are not read. ``others`` are
    further paths of code that may declare names, and ``texts`` is code without a file, by a name with the suffix of its
    language. Only with ``corrects``, there are edits. Raises as ``code_files``.
    """
    checker = _Checker(project, graph)
    found: dict[str, tuple[str, list[_Found]]] = {}
    unread: list[str] = []
    files = 0

    def is_wanted(path: str) -> bool:
        return has_language(path) and (lines is None or os.path.realpath(path) in lines)

    contents = code_files(paths, unread, project, option=option, is_wanted=is_wanted)
    read = ((path, content.decode("utf-8", "surrogateescape")) for path, content in contents)
    for path, text in chain(texts.items(), read):
        files += 1
        if files % 200 == 0:
            progress(f"checking code ({counted(files, 'file')})")
        if own := checker.findings(path, text):
            found[path] = text, own
    suspects = {finding.suspect for _, own in found.values() for finding in own if finding.suspect}
    known = declared(suspects, (*paths, *others), project, texts) if suspects else set()
    problems = [problem("code-file-unread", "", text, "the check omits it") for text in unread]
    problems = [*project.levels.applied(problems)]
    edits: dict[str, tuple[Edit, ...]] = {}
    fixed: dict[str, int] = {}
    for path, (text, own) in found.items():
        judged = None if lines is None else lines[os.path.realpath(path)]
        correctable: list[_Found] = []
        for finding in _placed(path, text, [finding for finding in own if finding.suspect not in known], judged):
            for result in project.levels.applied((finding.problem,)):
                problems.append(result)
                if finding.edit and not result.is_accepted:
                    correctable.append(finding)
        if corrects and (certain := checker.verified(path, text, correctable)):
            edits[path] = checker.edits(path, text, certain)
            fixed[path] = len(certain)
    corrected = {path: found[path][0] for path in edits}
    return CodeChecked(tuple(problems), edits, files, fixed, corrected)


def write_fixes(checked: CodeChecked) -> str:
    """Write the edits of all files or of none, except of those that have changed meanwhile. Return what was done."""
    contents: dict[str, bytes] = {}
    changed = []
    fixed = 0
    for path, edits in checked.edits.items():
        text = checked.texts[path]
        with open_file(os.path.realpath(path)) as file:
            is_unchanged = file.read() == text.encode("utf-8", "surrogateescape")
        if is_unchanged:
            contents[os.path.realpath(path)] = replaced(text, edits).encode("utf-8", "surrogateescape")
            fixed += checked.fixed[path]
        else:
            changed.append(path)
    replace_files(contents, os.getcwd())
    kept = f"; changed since they were read: {listed(changed)}" if changed else ""
    return f"fixed {counted(fixed, 'finding')} in {counted(len(contents), 'file')} of code{kept}"


def _placed(path: str, text: str, found: Sequence[_Found], judged: Container[int] | None) -> Iterator[_Found]:
    """Yield the findings that no comment switches off, with their places, and comments without an effect."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    directives = [*_directives(path, text, breaks)]
    hidden = {directive.line: directive for directive in directives}
    used: set[int] = set()
    remarks = []
    for finding in sorted(found, key=lambda finding: finding.start):
        line = bisect_left(breaks, finding.start) + 1
        if off := {line, 0} & hidden.keys():
            used |= off
        else:
            remarks.append((line, finding))
    for line, directive in hidden.items():
        if line not in used or not directive.reason:
            what = "this comment gives no reason" if line in used else "this comment switches no finding off"
            to_do = "add why the value may stay" if line in used else "remove it"
            remark = _Found(directive.start, problem("code-directive-unused", path, what, to_do))
            remarks.append((bisect_left(breaks, directive.start) + 1, remark))
    for line, finding in remarks:
        if judged is None or line in judged:
            column = finding.start - (breaks[line - 2] if line > 1 else -1)
            yield finding._replace(problem=finding.problem._replace(where=f"{path}:{line}:{column}"))


def _directives(path: str, text: str, breaks: Sequence[int]) -> Iterator[_Directive]:
    matches = [*_DIRECTIVE.finditer(text)] if "tokensync-disable-" in text else ()
    comments = spans(path, text, ("comment",)) if matches else ()
    for match in matches:
        if comment := span_at(match.start(), comments):
            offset = {"line": match.start(), "next-line": max(match.end(), comment[1] - 1), "file": -1}[match[1]]
            line = bisect_left(breaks, offset) + (2 if match[1] == "next-line" else 1)
            yield _Directive(match.start(), 0 if offset < 0 else line, _END_OF_COMMENT.sub("", match[2]))


class _Checker:
    def __init__(self, project: Project, graph: TokenGraph) -> None:
        self._project = project
        self._fitting = Fitting(project, graph)
        self._names = name_checker(project, graph)

    def findings(self, path: str, text: str) -> list[_Found]:
        """Return all findings of a file's text, those of unknown names as suspects."""
        found = [self._raw(path, text, raw) for part in parts(path, text) for raw in raw_values(part, text)]
        return [*filter(None, found), *(_named(path, finding) for finding in self._names.findings(path, text))]

    def _raw(self, path: str, text: str, raw: RawValue) -> _Found | None:
        fits = self._fitting.fits(raw)
        if not fits and raw.type != "color":  # there is no token for it, and lengths are what the layout needs
            return None
        certain = self._fitting.unambiguous(raw, text)
        what = f"raw {raw.type}{f' in {raw.use}' if raw.use else ''}"
        found = problem("code-raw-value", path, what, _remedy(raw, fits, certain), (shortened(raw.text),))
        return _Found(raw.start, found, Edit(raw.start, raw.end, certain.reference) if certain else None)

    def edits(self, path: str, text: str, found: Iterable[_Found]) -> tuple[Edit, ...]:
        """Return the edits of findings in a text, and those that import what they name."""
        own = tuple(dict.fromkeys(finding.edit for finding in found if finding.edit))
        language = language_of(path)
        if language not in ("kotlin", "swift"):
            return own
        from tokensync.code.native_values import imports

        needed = imports(self._project, path, text, language, [edit.text for edit in own])
        return (*(Edit(*edit) for edit in needed), *own)

    def verified(self, path: str, text: str, found: Iterable[_Found]) -> list[_Found]:
        """Return the findings whose edits leave all others of the file as they are, if the new text is read again."""
        certain: list[_Found] = []
        for finding in sorted((finding for finding in found if finding.edit), key=lambda finding: finding.start):
            if finding.edit and (not certain or (certain[-1].edit or finding.edit).end <= finding.edit.start):
                certain.append(finding)
        if not certain:
            return []
        new = replaced(text, self.edits(path, text, certain))
        before = Counter(finding.problem._replace(where="") for finding in self.findings(path, text))
        after = Counter(finding.problem._replace(where="") for finding in self.findings(path, new))
        expected = before - Counter(finding.problem._replace(where="") for finding in certain)
        return certain if after == expected else []


def _remedy(raw: RawValue, fits: Sequence[Fit], certain: Fit | None) -> str:
    """Return what to write instead of a raw value."""
    if certain:
        return f"write {certain.reference}"
    equal = [fit.reference for fit in fits if not fit.distance and not fit.differs]
    if equal:
        has, it = ("has", "it if it is") if len(equal) == 1 else ("have", "the one that is")
        return f"{listed(equal)} {has} this value; write {it} meant for this"
    if not fits:
        return "no token has a similar value: add one, or write tokensync-disable-line and the reason in a comment"
    nearest = fits[0]
    if not nearest.distance:
        return f"{nearest.reference} is equal, except in {listed(nearest.differs)}; write it if that is meant"
    unit = {"color": "ΔE 2000", "duration": "ms", "dimension": "px"}.get(raw.type, "")
    apart = f"{nearest.distance:.3g}{f' {unit}' if unit else ''} apart"
    return f"the nearest token is {nearest.reference}, {apart}; write it, or add a token"


def _named(path: str, finding: NameFinding) -> _Found:
    start, end, text, kind, _, suggestion, is_equal, reason, _ = finding
    written = shortened(text)
    if kind == "unknown":
        to_do = f"write {suggestion}" if suggestion else "write the name of a token, or declare it"
        found = problem("code-unknown-token", path, "no token has this name", to_do, (written,))
        return _Found(start, found, None, finding.suspect)
    said = f" (its deprecation says: {shortened(reason, _REASON)})" if reason else ""
    to_do = f"{f'write {suggestion}' if suggestion else 'use another token'}{said}"
    found = problem("code-deprecated-token", path, "this token is deprecated", to_do, (written,))
    return _Found(start, found, Edit(start, end, suggestion) if is_equal else None)
