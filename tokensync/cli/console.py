"""Terminal output: problems, progress and errors on stderr; results, as text or JSON, on stdout."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.system import outlet
from tokensync.system.disk import relative_paths
from tokensync.system.outlet.terminal import Cell, Line, Styled, labelled, layout, line, table
from tokensync.system.wording import OMITTED, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.system.outlet.documents import Html, Message, Script
    from tokensync.system.outlet.findings import Finding
    from tokensync.system.outlet.markdown import Markdown
    from tokensync.system.problems import Problem, Severity

FEW = 8
"""The most lines of a command that fails, without ``-v``."""
MOST_PATHS = 4
"""The most lines for outdated paths, without ``-v``."""
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}
_SEVERITIES = tuple(_COLOURS)


class Console:
    """Writes messages to stderr and results to stdout, in colour if the stream is a terminal that supports it."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, colour: bool | None = None) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet
        self.colour = outlet.wants_colour(err=True) if colour is None else colour
        self.colour_of_result = outlet.wants_colour() if colour is None else colour

    def problems(self, problems: Iterable[Problem], *, of_design: bool = True, most: int | None = None) -> None:
        """Write problems, equal ones on one line; with ``verbose``, all of them; with ``quiet``, errors only.

        Without ``of_design``, findings about the design file need ``verbose``. ``most`` is that of ``findings``.
        """
        wanted = (problem for problem in problems if of_design or self.verbose or not problem.is_of_design)
        shown = dict.fromkeys(problem.rewritten(relative_paths) for problem in wanted if self._is_shown(problem))
        if most:
            shown = dict.fromkeys(sorted(shown, key=lambda problem: _SEVERITIES.index(problem.severity)))
        lines = lines_of(shown, everything=self.verbose)
        self._write(((each, ()) for each in lines), most, len(shown))

    def _is_shown(self, problem: Problem) -> bool:
        return problem.severity == "error" or not (self.quiet or (problem.is_accepted and not self.verbose))

    def findings(self, findings: Iterable[Finding], most: int | None = None) -> None:
        """Write findings as ``problems`` does, by their codes, and for each line the line of code of its first one.

        ``most`` is the number of lines that may be written without ``verbose``, and one more says how to see the rest.
        """
        from tokensync.system.outlet.findings import frame, of_codes

        lines: list[tuple[ProblemLine, Sequence[Line]]] = []
        number = 0
        for _, own in of_codes(finding for finding in findings if self._is_shown(finding.problem)):
            found = {finding.problem.rewritten(relative_paths): finding for finding in own}
            number += len(found)
            own_lines = lines_of(found, everything=self.verbose)
            lines += [(each, frame(found[each.first]) if each.first else ()) for each in own_lines]
        self._write(lines, most, number)

    def _write(self, lines: Iterable[tuple[ProblemLine, Sequence[Line]]], most: int | None, number: int) -> None:
        """Write lines about a number of problems with their code, and what they say to copy, as far as they fit.

        The first problem is always written.
        """
        remaining = most if most and not self.verbose else sys.maxsize
        is_complete, is_first = True, True
        for problem, code in lines:
            text = self._labelled(problem.severity, problem.text)
            below = (*code, *map(line, filter(None, problem.snippet.split("\n"))))
            fits = len(text) + len(below) <= remaining
            shown = (*text, *below) if fits else text
            if is_first or len(shown) <= remaining:
                self._line(*shown)
                remaining -= len(shown)
            is_complete, is_first = is_complete and problem.is_complete and fits, False
        if not is_complete:
            self.info(f"(-v shows all {f'{number:,}' if most and number > 1 else 'of them'})")

    def paths(self, label: str, paths: Sequence[str]) -> None:
        """Write a labelled line for each path, or without ``verbose`` for the first ones and the number of others."""
        few = paths if self.verbose or len(paths) <= MOST_PATHS else paths[: MOST_PATHS - 1]
        others = [f"{len(paths) - len(few):,} more"] if len(few) < len(paths) else []
        for path in (*few, *others):
            self.info(f"{label}: {path}")

    def summarize(self, problems: Iterable[Problem]) -> None:
        """Write errors and the number of warnings and notes; with ``verbose``, write all problems.

        A conflict of git in the lock is always written, because it makes results uncertain.
        """
        distinct = tuple(dict.fromkeys(problems))
        major = [problem for problem in distinct if problem.severity == "error" or problem.code == "lock-conflicted"]
        minor = [problem.severity for problem in distinct if problem not in major and self._is_shown(problem)]
        self.problems(distinct if self.verbose else major)
        if minor and not self.verbose:
            counts = " and ".join(counted(minor.count(each), each) for each in ("warning", "note") if each in minor)
            self.info(f"({counts}; -v shows {'them' if len(minor) > 1 else 'it'})")

    def failure(self, text: str) -> None:
        """Write an error message."""
        for splitline in text.splitlines() or [""]:
            self._line(*self._labelled("error", splitline))

    def failed(self, form: str, code: int, message: str, problems: Sequence[Problem]) -> None:
        """Write a failure to stdout in the format that a program or a comment expects, as far as that has one."""
        if form == "json":
            text = outlet.in_utf_8(relative_paths(message))
            self.json({"error": {"exit_code": code, "message": text, "problems": problem_documents(problems)}})
        elif form == "markdown":
            self.document(_failure_in_markdown(message, problems))

    def info(self, text: str) -> None:
        """Write a message, unless ``quiet``."""
        if not self.quiet:
            self._line(line(relative_paths(text)))

    def caveat(self, text: str) -> None:
        """Write a limit of the result, without which it would be misread; also with ``quiet``."""
        self._line(line(relative_paths(text)))

    def detail(self, text: str) -> None:
        """Write a message if ``verbose``."""
        if self.verbose:
            self._line(line(relative_paths(text)))

    def usage(self, text: str) -> None:
        """Write the help text of a command that was called without a required argument."""
        for splitline in text.splitlines():
            self._line(line(splitline))

    def result(self, *lines: str | Styled) -> None:
        """Write lines of the result to stdout."""
        outlet.write(*map(line, lines), colour=self.colour_of_result)

    def table(self, *rows: Sequence[Cell], optional: Sequence[str] = ()) -> None:
        """Write a header and rows in aligned columns to stdout, and name the optional columns that do not fit."""
        width = outlet.width()
        outlet.write(*table(rows, width, optional), colour=self.colour_of_result)
        if omitted := layout(rows, width, optional).omitted:
            self.info(f"(not shown in {width} columns: {', '.join(omitted)})")

    def document(self, document: Markdown | Html | Message | Script) -> None:
        """Write Markdown, HTML, a commit message or a script to stdout."""
        outlet.write_document(document)

    def json(self, document: Any) -> None:
        """Write a document as indented JSON to stdout."""
        import json

        import msgspec

        try:
            encoded = msgspec.json.format(msgspec.json.encode(document), indent=2)
        except UnicodeEncodeError:  # bytes of a path that are no UTF-8
            encoded = json.dumps(msgspec.to_builtins(document), indent=2).encode()
        outlet.write_json(encoded)

    def json_line(self, document: Any) -> None:
        """Write a document as one line of JSON to stdout and flush it, for a program that waits for the line."""
        import json

        outlet.write_json(json.dumps(document).encode())

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """Yield a function that displays the current step; it does nothing unless stderr is a terminal."""
        if self.quiet or not outlet.is_terminal(err=True):
            yield lambda text: None
            return
        with outlet.status() as show:
            yield show

    def _labelled(self, severity: Severity, text: str) -> tuple[Line, ...]:
        label = Styled(severity, _COLOURS[severity], bold=True)
        return labelled(label, relative_paths(text), outlet.width(err=True))

    def _line(self, *lines: Line) -> None:
        outlet.write(*lines, err=True, colour=self.colour)


def _failure_in_markdown(message: str, problems: Iterable[Problem]) -> Markdown:
    """Return a failure as a comment: a table of its problems, or its message."""
    from tokensync.system.outlet.markdown import Block, code, document, header, plain, row, text

    title = Block((text("## tokensync stopped"), text("")))
    distinct = tuple(dict.fromkeys(problem.rewritten(relative_paths) for problem in problems))
    if not distinct:
        return document([title, Block(rows=tuple(map(plain, relative_paths(message).splitlines())))])
    rows = tuple(row(code(each.where), plain(each.what), plain(each.what_to_do)) for each in distinct)
    return document([title, Block(header("where", "what", "what to do"), rows)])


def problem_documents(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return distinct problems as JSON objects, with paths relative to the working folder as in messages."""
    documents = [problem._asdict() for problem in dict.fromkeys(each.rewritten(relative_paths) for each in problems)]
    for document in documents:
        del document["brief"]
        for name in ("is_accepted", "outputs"):
            if not document[name]:
                del document[name]
    return documents


class ProblemLine(NamedTuple):
    """A line about equal problems; ``is_complete`` is false if it omits some of their names or places.

    ``first`` is the first of the problems, or None for those that have no lines of their own.
    """

    severity: Severity
    text: str
    is_complete: bool = True
    first: Problem | None = None

    @property
    def snippet(self) -> str:
        """Return the text to copy, if any, and only the first of its parts unless the line is complete."""
        text = self.first.snippet if self.first else ""
        return text if self.is_complete else text.partition(_PART)[0]


_PART = "\n\n"
"""What separates the parts of a text to copy."""
_NAMES = 3
"""The most names, or places, in a line."""
_LINES = 10
"""The most lines with different problems of one code."""
_IN_FILE = re.compile(r"(.+?)((?::[0-9]+){1,2}(?: \(.*\))?| \([#/].*\))", re.DOTALL)
"""The path of a location in a file, and the position with its JSON pointer."""


def lines_of(problems: Iterable[Problem], *, everything: bool = False) -> Iterator[ProblemLine]:
    """Yield lines about distinct problems, for people.

    Equal problems in one collection, or in files, share a line with their number and first places, and so do those with
    an equal ``brief``. Of one code, the problems after the first lines are counted. With ``everything``, each problem
    has a line of its own with all its names.
    """
    distinct = tuple(dict.fromkeys(problems))
    if everything:
        yield from (ProblemLine(problem.severity, str(problem), first=problem) for problem in distinct)
        return
    equal: dict[tuple[Problem, str], list[Problem]] = {}
    for each in distinct:
        shared = each._replace(where="", what=each.brief or each.what, outputs=())
        equal.setdefault((shared, _collection_of(each.where)), []).append(each)
    lines: dict[tuple[Severity, str], int] = {}
    omitted: dict[tuple[Severity, str], int] = {}
    for (each, _), found in equal.items():
        kind = (each.severity, each.code)
        is_few = len(found) <= _NAMES and all(_is_whole(problem.where) for problem in found)
        for part in [[problem] for problem in found] if is_few else [found]:
            lines[kind] = lines.get(kind, 0) + 1
            if lines[kind] <= _LINES:
                yield _line(part)
            else:
                omitted[kind] = omitted.get(kind, 0) + len(part)
    for (severity, code), number in omitted.items():
        yield ProblemLine(severity, _more(number, code), is_complete=False)


def _more(number: int, code: str) -> str:
    """Return the line about problems of a code that have no lines of their own."""
    return f"{number:,} more {'problem' if number == 1 else 'problems'} of this kind [{code}]"


def _line(problems: Sequence[Problem]) -> ProblemLine:
    """Return the line about problems that differ only in their places, or in what their ``brief`` does not contain."""
    first = problems[0]
    places = tuple(dict.fromkeys(problem.where for problem in problems))
    is_example = OMITTED in first.brief and any(problem.what != first.what for problem in problems)
    details = f" ({_some(first.names, _NAMES)})" if first.names else ""
    where = places[0]
    if len(places) > 1:
        shared, ends = _shared(places)
        others = _some(ends, _NAMES) if shared else f"also {_some(places[1:], _NAMES - 1)}"
        where = shared or where
        details += f" ({len(places):,} {'similar ones' if is_example else 'times'}: {others})"
    what = first.what if len(problems) == 1 or is_example else first.brief or first.what
    if first.brief.startswith("tokens "):
        what = f"{len(places):,} {first.brief}" if len(places) > 1 else first.what
        details = f": {_some(ends, _NAMES)}" if len(places) > 1 else ""
    is_whole = len(first.names) <= _NAMES and len(places) <= _NAMES and _PART not in first.snippet
    is_complete = is_whole and all(problem.what == what for problem in problems)
    return ProblemLine(first.severity, first._replace(where=where, what=what).text(details), is_complete, first)


def _is_whole(where: str) -> bool:
    """Return whether a place is a whole collection or file."""
    return " / " not in where and not _IN_FILE.fullmatch(where)


def _collection_of(where: str) -> str:
    """Return the collection of a place in one; an empty text for places in files, and for a whole collection."""
    return "" if _is_whole(where) or _IN_FILE.fullmatch(where) else where.partition(" / ")[0]


def _shared(places: Sequence[str]) -> tuple[str, list[str]]:
    """Return the file or collection that all places share, if any, and the rest of each place."""
    in_files = [match.groups() for place in places if (match := _IN_FILE.fullmatch(place))]
    if len(in_files) == len(places):
        paths = {path for path, _ in in_files}
        if len(paths) == 1:
            return in_files[0][0], [end.removeprefix(":") for _, end in in_files]
    collection = _collection_of(places[0])
    return collection, [place.removeprefix(f"{collection} / ") if collection else place for place in places]


def _some(names: Sequence[str], most: int) -> str:
    more = f", ... and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
