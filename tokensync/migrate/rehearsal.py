"""Rehearse a migration on an embedded emulator: write, plan, apply and pull in a temporary project, and compare."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.commands.apply import Applier, apply_plans
from tokensync.commands.plan import make_plan
from tokensync.commands.pull import pull
from tokensync.dtcg import Previous, outputs_of, write_folder
from tokensync.project.connection import EMULATOR, configured, connect, embedded_emulator
from tokensync.project.lock import LOCK
from tokensync.project.outputs import digest_of
from tokensync.project.sources import read_tokens
from tokensync.system.disk import content_of, replace_file, temporary_folder
from tokensync.system.errors import ConflictError, ProblemsError, stop_on_errors
from tokensync.system.problems import problem
from tokensync.system.token_files import texts_of
from tokensync.system.wording import counted, listed
from tokensync.tokens import value_text
from tokensync.tokens.paths import names as names_of_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.commands.plan import Planned, PlannedFile
    from tokensync.dtcg import Outputs, Reading
    from tokensync.extract.client import Client
    from tokensync.migrate.conversion.graph import Converted, Renamed
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token, TokenGraph, TokenKey

EMPTY = b'{"status":200,"error":false,"meta":{"variables":{},"variableCollections":{}}}'
"""The response of a design file without variables."""


class Responses(NamedTuple):
    """What the platform answers about the variables of a design file. ``published`` is None without such an answer."""

    local: bytes = EMPTY
    published: bytes | None = None


class MigratedFiles:
    """The token files of a migration into a design file. The rehearsal and the project convert and write them once."""

    def __init__(self, name: str, convert: Callable[[Reading], Converted]) -> None:
        self.name = name
        self._convert = convert
        self._known: tuple[str, TokenGraph, Converted, Outputs] | None = None

    def write(self, project: Project) -> Converted:
        """Convert with the present token files of the design file, and write the result into them.

        Raises ProblemsError, before anything is written, for token files that cannot be read.
        """
        reading = read_tokens(project, self.name)
        stop_on_errors(reading.problems)
        # Only the texts of the project's files last: those of the rehearsal are removed.
        present = digest_of(part for path, text in sorted(reading.files.items()) for part in (os.fsencode(path), text))
        known = self._known
        if known is None or known[:2] != (present, reading.graph):
            known = self._known = (present, reading.graph, *self._converted(project, reading))
        _, _, converted, outputs = known
        stop_on_errors(outputs.problems)
        write_folder(project.tokens_folder, self.name, outputs.files)
        return converted

    def _converted(self, project: Project, reading: Reading) -> tuple[Converted, Outputs]:
        converted = self._convert(reading)
        former = {key: converted.moved.get(key, key) for key in converted.graph.tokens}
        previous = Previous(reading.graph, reading.files, lambda: former) if reading.files else None
        return converted, outputs_of(project.tokens_folder, self.name, converted.graph, previous)


class Rehearsed(NamedTuple):
    """The plan of a rehearsal for ``plan`` to use again, and its problems."""

    plan: Planned
    problems: tuple[Problem, ...]


def rehearse(
    project: Project,
    responses: Responses,
    files: MigratedFiles,
    *,
    code_syntax: Sequence[str] = (),
    progress: Callable[[str], None] = lambda text: None,
) -> Rehearsed:
    """Migrate into a copy of a design file on an emulator, and return the plan.

    Raises ProblemsError if the tokens that a pull then returns are not those that were migrated, if a second plan is
    not empty, or for anything that the platform would refuse.
    """
    name = files.name
    done: list[Converted] = []
    with temporary_folder() as folder, _named_as_in_the_source(folder, done):
        copy = _copy(project, folder, with_lock=responses.local is not EMPTY)
        with embedded_emulator(copy) as emulator:
            emulator.seed(configured(copy)[name].working_key, responses.local, responses.published, name)
        with connect(copy) as client:
            progress("rehearsing: reading the design file")
            _pulled(copy, client, name)
            converted = files.write(copy)
            done.append(converted)
            stop_on_errors(_deviations(converted.graph, read_tokens(copy, name).graph, "the token files"))
            progress("rehearsing: planning")
            planned = make_plan(copy, client, (name,), code_syntax=code_syntax, fills_only=True)
            progress("rehearsing: applying")
            applied = apply_plans(Applier(copy, client, writes_rollback=False), force=True, overwrite=True)
            stop_on_errors(
                problem(
                    "migrate-rehearsal", file.file, f"the applied plan deviates: {listed(file.differences)}", _REPORT
                )
                for file in applied
                if file.differences
            )
            progress("rehearsing: pulling")
            stop_on_errors(_after(copy, client, name, converted, code_syntax))
        in_project = [_moved(file, copy, project) for file in planned.files]
        problems = tuple(problem.rewritten(_without(folder)) for problem in planned.problems)
        return Rehearsed(planned._replace(files=tuple(in_project)), problems)


_REPORT = "this is an error of tokensync: report it with the source"


@contextmanager
def _named_as_in_the_source(folder: str, done: Sequence[Converted]) -> Iterator[None]:
    """Locate the problems of a rehearsal in the source; files of the copy get their names in the project."""
    try:
        yield
    except ProblemsError as error:
        found = [problem.rewritten(_without(folder)) for problem in error.problems]
        places = {place: each for converted in done for each in converted.renamed for place in _places(each.new)}
        raise type(error)([_in_source(problem, places) for problem in found]) from None


def _places(key: TokenKey) -> tuple[str, str]:
    """Return how problems name a token of the token files: by a JSON pointer, and by its collection."""
    names = [each.replace("~", "~0").replace("/", "~1") for each in names_of_path(key.path)]
    return f"#/{'/'.join((key.collection, *names))}", str(key)


def _in_source(found: Problem, places: Mapping[str, Renamed]) -> Problem:
    """Return a problem with the location of its token in the source; as it is if it is about no token."""
    pointer = _POINTER.search(found.where)
    place = pointer[1] if pointer else " / ".join(found.where.split(" / ")[:2])
    while place and place not in places:
        place = place.rpartition("/")[0] if pointer else ""
    if not place:
        return found
    token = places[place]
    where = f"{token.at} (#/{'/'.join(token.names)})"
    return found._replace(where=where, what=f"{found.what} (it would be {found.where})", brief="")


_POINTER = re.compile(r"\((#/[^)]*)\)")


def _without(folder: str) -> Callable[[str], str]:
    return lambda text: text.replace(os.path.join(folder, ""), "")


def _moved(planned: PlannedFile, copy: Project, project: Project) -> PlannedFile:
    """Return the plan of a copy with the locations that its problems have in the project."""

    def in_project(text: str) -> str:
        text = text.replace(copy.tokens_folder, project.tokens_folder)
        return text.replace(copy.folder, project.folder)

    return planned._replace(problems=tuple(problem.rewritten(in_project) for problem in planned.problems))


def _pulled(copy: Project, client: Client, name: str) -> None:
    """Pull the design file. Raises ConflictError, which does not name the copy, if edits of both sides conflict."""
    try:
        pull(copy, client, (name,))
    except ConflictError:
        what = "the token files and the design file have changed the same things"
        raise ConflictError(f"{name}: {what}; run tokensync pull, choose the sides, and migrate again") from None


def _copy(project: Project, folder: str, *, with_lock: bool) -> Project:
    """Return a copy of a project in a folder, with its token files, on the embedded emulator.

    The lock is about the objects of the design file, so an empty one has none.
    """
    tokens = os.path.join(folder, "tokens")
    config = replace(project.config, base_url=EMULATOR, tokens="tokens")
    for file in config.files:
        for path, text in texts_of(project.tokens_folder, file.name).items():
            replace_file(os.path.join(tokens, *path.split("/")), text)
    lock = content_of(project.path(LOCK)) if with_lock else None
    if lock is not None:
        replace_file(os.path.join(folder, LOCK), lock)
    source = os.path.join(folder, os.path.basename(project.source))
    return replace(project, folder=folder, source=source, config=config, tokens_folder=tokens, base_url_in_file=False)


def _after(
    copy: Project, client: Client, name: str, converted: Converted, code_syntax: Sequence[str]
) -> Iterator[Problem]:
    """Yield what is not as it should be after the apply: other tokens in a pull, or a second plan with changes."""
    pull(copy, client, (name,))
    yield from _deviations(converted.graph, read_tokens(copy, name).graph, "a pull after the apply")
    again = make_plan(copy, client, (name,), code_syntax=code_syntax, fills_only=True)
    for plan in again.file.plans:
        if plan.operations:
            what = f"a second plan still has {counted(len(plan.operations), 'change')}"
            yield problem("migrate-rehearsal", name, what, _REPORT)


def _deviations(wanted: TokenGraph, found: TokenGraph, where: str) -> Iterator[Problem]:
    """Yield the tokens of a graph that another one lacks, or that have other values or another type there."""
    for key, token in wanted.tokens.items():
        other = found.tokens.get(key)
        what = "the token is missing" if other is None else _difference(token, other)
        if what:
            yield problem("migrate-rehearsal", str(key), f"{what} in {where}", _REPORT)
    for key in found.tokens.keys() - wanted.tokens.keys():
        yield problem("migrate-rehearsal", str(key), f"the token is only in {where}", _REPORT)


def _difference(wanted: Token, found: Token) -> str:
    if wanted.type != found.type:
        return f"the type is {found.type} instead of {wanted.type}"
    for one, other in zip(wanted.values, found.values, strict=True):
        if one is not None and one != other:
            return f"the value is {value_text(other, exact=True)} instead of {value_text(one, exact=True)}"
    return ""
