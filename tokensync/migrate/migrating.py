"""Migrate tokens of other formats to variables: token files, a plan that is rehearsed first, and a ledger.

A rehearsal writes, plans, applies and plans again in a temporary project on the embedded emulator, and compares.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.code.renaming.renames import RENAMES, Form, Platform, Rename, renames_document
from tokensync.commands.apply import Applier, apply_plans
from tokensync.commands.init import Choices, Surroundings, configuration_text, examine, free_folder, set_up
from tokensync.commands.plan import Planned, PlannedFile, make_plan
from tokensync.commands.pull import pull, unusual_in
from tokensync.dtcg import Outputs, Previous, Reading, outputs_of, write_folder
from tokensync.generate.targets import written_back_as
from tokensync.migrate.conversion.edits import History
from tokensync.migrate.conversion.graph import Converted, Renamed, convert
from tokensync.migrate.conversion.mapping_file import limits_text, mapping_of, mapping_text, propose, theme_keys
from tokensync.migrate.readers.source_files import Format, Recognized, recognize
from tokensync.migrate.record import read_record, write_record
from tokensync.normalize.graph import referenced
from tokensync.normalize.mapping import RESOLVED_TYPES, slug
from tokensync.project.configuration import (
    FILE_NAME,
    PYPROJECT,
    NoConfiguration,
    Project,
    load_project,
    locator,
    outside_is_allowed,
    parse_config,
    toml_document,
)
from tokensync.project.configured_outputs import names_on_platforms, naming_by_platform
from tokensync.project.connection import EMULATOR, configured, connect, embedded_emulator, file_reference
from tokensync.project.lock import LOCK
from tokensync.project.merging import locations
from tokensync.project.outputs import digest_of, read_manifest
from tokensync.project.sources import read_file, read_tokens
from tokensync.project.toml_text import with_table
from tokensync.system.disk import content_of, replace_file, temporary_folder
from tokensync.system.errors import ConflictError, NotFoundError, ProblemsError, UsageError, stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.system.token_files import texts_of
from tokensync.system.wording import argument, counted, listed, quoted
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, value_text
from tokensync.tokens.paths import names as names_of_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.extract.client import Client
    from tokensync.migrate.conversion.mapping_file import MigrationMapping
    from tokensync.migrate.source import Source
    from tokensync.plan.plan import Plan
    from tokensync.tokens import Token, TokenGraph, TokenKey


_PLATFORMS: dict[str, tuple[Platform, Form, str]] = {
    "css": ("css", "property", "WEB"),
    "android": ("android", "resource", "ANDROID"),
    "ios": ("ios", "member", "iOS"),
    "typescript": ("ts", "member", ""),
    "react-native": ("ts", "member", ""),
}
"""The outputs with identifiers: the platform and the form of a rename, and the code syntax that has old names."""

_OF_SYNTAX = {
    "WEB": re.compile(r"(?:var\(\s*)?(--[^\s,()]+)\)?"),
    "ANDROID": re.compile(r"(?:@|R\.)?([a-z]+[./]\w+)"),
    "iOS": re.compile(r"\.?((?:\w+\.)*\w+)"),
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


def _renames_of(project: Project, converted: Converted) -> tuple[Rename, ...]:
    """Return the renames for the platforms of a project's outputs.

    The old identifier is that of the source's code syntax, else the one that Style Dictionary gives the path. One that
    several tokens had is left to people. A custom property whose value was the parts of a colour is there even if it
    keeps its name, because its uses in ``hsl()`` have to change.
    """
    naming = {name: each for name, each in naming_by_platform(project).items() if name in _PLATFORMS}
    if "typescript" in naming:
        naming.pop("react-native", None)
    names = names_on_platforms(converted.graph, naming, naming).identifiers if naming else {}
    resources = _resources(converted) if "android" in names else {}
    found: list[Rename] = []
    for output, identifiers in names.items():
        platform, form, syntax = _PLATFORMS[output]
        by_old: dict[str, dict[str, Renamed]] = {}
        for each in converted.renamed:
            new = identifiers.get(each.new)
            kind = resources.get(each.new, "")
            if new is None or (form == "resource" and not kind):
                continue
            if old := _old_name(each, syntax, form, kind):
                by_old.setdefault(old, {})[f"{kind}/{new}" if form == "resource" else new] = each
        for old, news in by_old.items():
            (new, renamed), *others = news.items()
            if others:
                note = f"it was the name of several tokens, which are now {listed([*news])}"
                found.append(Rename(platform, form, old, "", "manual", note))
            else:
                is_whole = form == "property" and renamed.is_whole_color
                if old != new or is_whole:
                    alias = is_whole or not renamed.is_changed
                    found.append(Rename(platform, form, old, new, whole_color=is_whole, alias=alias))
    return tuple(found)


def _resources(converted: Converted) -> Mapping[TokenKey, str]:
    from tokensync.generate.output import Resolution
    from tokensync.generate.target import OutputRequest
    from tokensync.generate.targets.android.render import resource_types

    return resource_types(Resolution(converted.graph), OutputRequest(platform="android"))


def _old_name(renamed: Renamed, syntax: str, form: Form, resource: str) -> str:
    text = dict(renamed.code_syntax).get(syntax, "")
    if text:
        match = _OF_SYNTAX[syntax].fullmatch(text.strip())
        return match[1].replace(".", "/", 1) if match and form == "resource" else match[1] if match else ""
    words = [word for name in renamed.names for word in _words(name)]
    if not words:
        return ""
    match form:
        case "property":
            return f"--{'-'.join(words)}"
        case "resource":
            return f"{resource}/{'_'.join(words)}"
        case _:
            return words[0] + "".join(map(str.capitalize, words[1:]))


@lru_cache(maxsize=4096)  # the names of groups are those of many tokens
def _words(name: str) -> tuple[str, ...]:
    return tuple(each.lower() for each in _NOT_IN_NAMES.split(_HUMP.sub("-", name)) if each)


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

    Raises ProblemsError if the tokens that a pull would then return are not those that were migrated, if a second plan
    is not empty, or for anything that the platform would refuse.
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
            again = make_plan(copy, client, (name,), code_syntax=code_syntax, fills_only=True)
            stop_on_errors(_after(copy, again, converted))
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


def _after(copy: Project, again: Planned, converted: Converted) -> Iterator[Problem]:
    """Yield what is not as it should be after the apply: other tokens in a pull, or a second plan with changes."""
    merged, plan = again.files[0].merged, again.file.plans[0]  # merged as a pull does, which would write the graph
    graph = referenced(merged.graph)
    stop_on_errors(copy.levels.applied(unusual_in(copy, graph)))
    yield from _deviations(converted.graph, graph, "a pull after the apply")
    if number := len(plan.operations):
        yield problem("migrate-rehearsal", plan.file, f"a second plan still has {counted(number, 'change')}", _REPORT)


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


FIGMA = "figma:"
"""The start of a source that is a design file."""
_STYLES = "#styles"
_PLAIN_KEY = re.compile("[A-Za-z0-9]{20,}")


class Destination(NamedTuple):
    """A design file to migrate to: the project that has it, and its name there.

    ``text`` is the configuration to write if the present one lacks the file, or None. ``set_up`` are the surroundings
    and choices of a new project without a configuration.
    """

    project: Project
    name: str
    text: str | None = None
    set_up: tuple[Surroundings, Choices] | None = None


class Migrated(NamedTuple):
    """The result of a migration into a design file, and whether it was rehearsed. ``plan`` is None if none was made."""

    name: str
    recognized: Recognized
    mapping: MigrationMapping
    converted: Converted
    plan: Plan | None
    problems: tuple[Problem, ...]
    written: tuple[str, ...]
    is_rehearsed: bool


def destination(to: str | None, config: str | None, *, allow_outside: bool = False) -> Destination:
    """Return the design file with a configured name, a key or a URL; without ``to``, the only configured one.

    A file that is not configured, or a project without a configuration, gets one, which is not written yet.
    """
    try:
        project = load_project(config, allow_outside=allow_outside)
    except NoConfiguration:
        if config is not None or to is None:
            raise UsageError("migrate: name the design file to migrate to with --to NAME, KEY or URL") from None
        return _new_project(to, allow_outside=allow_outside)
    files = project.config.files
    if to is None:
        if len(files) != 1:
            names = ", ".join(file.name for file in files) or "a key or URL"
            raise UsageError(f"migrate: name the design file to migrate to with --to: {names}")
        return Destination(project, files[0].name)
    found = next((file.name for file in files if to in (file.name, file.key)), None)
    if found is not None:
        return Destination(project, found)
    from tokensync.extract.client import parse_file

    reference = str(parse_file(to, "--to"))
    by_reference = next((file.name for file in files if str(parse_file(file.key)) == reference), None)
    if by_reference is not None:
        return Destination(project, by_reference)
    name = _free_name(to, [file.name for file in files])
    header = ("tool", "tokensync", "files") if os.path.basename(project.source) == PYPROJECT else ("files",)
    text = with_table(project.text.decode("utf-8-sig"), header, {"name": name, "key": to})
    extended = parse_config(text.encode(), project.source)
    return Destination(
        replace(project, config=replace(project.config, files=extended.files), text=text.encode()), name, text
    )


def present_project(config: str | None) -> Project | None:
    """Return the project of a configuration, or of the nearest one; None without any."""
    try:
        return load_project(config, checks_paths=False)
    except NoConfiguration:
        if config is not None:
            raise
        return None


def _free_name(to: str, used: Sequence[str]) -> str:
    from tokensync.normalize.mapping import unique

    steps = [each for each in to.partition("?")[0].split("/") if each]
    named = steps[-1] if len(steps) > 3 and "://" in to else "design" if _PLAIN_KEY.fullmatch(to) else to
    text = re.sub(r"[^a-z0-9]+", "-", slug(named, "design").encode("ascii", "ignore").decode()).strip("-")
    return unique(text[:40].strip("-") or "design", {*used})


def _new_project(to: str, *, allow_outside: bool) -> Destination:
    """Return a project in the working folder; a name that is no key of Figma's is for the embedded emulator."""
    surroundings = examine(".")
    name = _free_name(to, ())
    is_key = "://" in to or _PLAIN_KEY.fullmatch(to) is not None
    if surroundings.names:  # the folder has resolver documents of others, which can be the source
        surroundings = surroundings._replace(tokens=free_folder(surroundings.folder, "tokens"))
    surroundings = surroundings._replace(names=(name,))
    choices = Choices(to if is_key else "", surroundings.outputs, hook=False)
    text = configuration_text(surroundings, choices, name)
    source = os.path.join(surroundings.folder, FILE_NAME)
    settings = parse_config(text.encode(), source)
    if base_url := os.environ.get("TOKENSYNC_BASE_URL"):
        settings = replace(settings, base_url=base_url)
    tokens = os.path.join(surroundings.folder, settings.tokens)
    allow = allow_outside or outside_is_allowed()
    project = Project(surroundings.folder, source, settings, allow, text.encode(), tokens)
    return Destination(project, name, set_up=(surroundings, choices))


def mapping_for(source: Source, path: str | None) -> MigrationMapping:
    """Return the mapping in a file, or else the proposed one. Raises ProblemsError for an invalid file."""
    if path is None:
        return propose(source)
    raw = read_file(path)
    document = toml_document(raw, path, "migrate-mapping", "correct the syntax")
    mapping, invalid = mapping_of(document, source)
    where = locator(raw, path)
    stop_on_errors([problem("migrate-mapping", where(entry.steps), entry.what, entry.what_to_do) for entry in invalid])
    return mapping


def proposal(source: Source) -> str:
    """Return the proposed mapping as text, with the number of tokens that each collection would get."""
    mapping = propose(source)
    sizes = convert(source, mapping, "design").sizes
    filled = tuple(collection for collection in mapping.collections if sizes[collection.name] or collection.modes)
    return mapping_text(replace(mapping, collections=filled), source, sizes)


def read(path: str, form: str | None, project: Project | None = None) -> Recognized:
    """Read the files of a source, but not the token files and outputs of a project in it. Raises as ``recognize``."""
    return recognize(path, form, frozenset() if project is None else frozenset(own_files(project)))


def own_files(project: Project) -> Iterator[str]:
    """Yield the folders and files that tokensync writes in a project, without links."""
    for file in project.config.files:
        for name in (file.name, f"{file.name}.resolver.json"):
            yield os.path.realpath(os.path.join(project.tokens_folder, name))
    for entry in read_manifest(project.folder).outputs:
        yield os.path.realpath(os.path.join(project.folder, entry.path))


def read_design_file(
    project: Project, client: Client, source: str, progress: Callable[[str], None] = lambda text: None
) -> Recognized:
    """Read ``figma:KEY``, the variables of another design file, or ``figma:KEY#styles``, its styles of solid paints.

    ``KEY`` can also be a URL or a configured name. Raises the client's errors.
    """
    from tokensync.migrate.readers.figma_export import of_styles, of_variables

    name = source.removeprefix(FIGMA).removesuffix(_STYLES)
    label = f"{FIGMA}{name[:80]}"
    if source.endswith(_STYLES):
        from tokensync.commands.files import styles

        published = styles(project, client, name, progress=progress)
        return Recognized(of_styles(published, label), Format("figma-styles", "Styles of a design file", ""))
    from tokensync.extract.wire import extract
    from tokensync.normalize.graph import normalize

    progress(f"reading {name}")
    snapshot = extract(client, "source", file_reference(project, name, "SOURCE"))
    graph, problems = normalize(snapshot)
    stop_on_errors(problems)
    return Recognized(of_variables(graph, label), Format("figma-file", "Variables of a design file", ""))


def migrate_tokens(
    source: str,
    to: str | None = None,
    *,
    config: str | None = None,
    format: str | None = None,  # noqa: A002 - the option's name
    mapping: str | None = None,
    rehearses: bool = True,
    overwrites: bool = False,
    is_offline: bool = False,
    fills_code_syntax: bool = False,
    allow_outside: bool = False,
    say: Callable[[str], None] = lambda text: None,
    progress: Callable[[str], None] = lambda text: None,
) -> Migrated:
    """Migrate the tokens of a file, a folder, a zip or ``figma:KEY`` to the design file ``to``, as the command does.

    ``to`` is a configured name, a key or a URL, and ``mapping`` the path of a mapping file. ``say`` gets messages about
    waiting. Raises UsageError for a source or design file that cannot be used, and as ``migrate``.
    """
    target = destination(to, config, allow_outside=allow_outside)
    with nullcontext(None) if is_offline else connect(target.project, on_wait=say) as client:
        if source.startswith(FIGMA) and client is not None:
            recognized = read_design_file(target.project, client, source, progress)
        else:
            recognized = read(source, format, target.project)
        return migrate(
            target,
            client,
            recognized,
            mapping_for(recognized.source, mapping),
            mapping_path=mapping,
            rehearses=rehearses,
            overwrites=overwrites,
            code_syntax=platforms_of(target.project) if fills_code_syntax else (),
            progress=progress,
        )


def migrate(
    target: Destination,
    client: Client | None,
    recognized: Recognized,
    mapping: MigrationMapping,
    *,
    mapping_path: str | None = None,
    rehearses: bool = True,
    overwrites: bool = False,
    code_syntax: Sequence[str] = (),
    progress: Callable[[str], None] = lambda text: None,
) -> Migrated:
    """Write token files with the tokens of a source, and a plan for the design file.

    Tokens that were edited since the last migration stay as they are, unless it ``overwrites`` them.

    With ``rehearses``, everything is rehearsed before anything is written. Without a client the design file is not
    read: the rehearsal starts with an empty one, and there is no plan. ``code_syntax`` names the platforms whose code
    syntax the plan sets where it is missing.
    """
    project, name = target.project, target.name
    record = read_record(project, name)

    def converting(reading: Reading) -> Converted:
        history = History(record, locations(project, reading), overwrites)
        converted = convert(recognized.source, mapping, name, reading.graph, history)
        stop_on_errors(_full(converted.graph))
        return converted

    files = MigratedFiles(name, converting)
    responses, is_unknown = (Responses(), False) if client is None else _responses(project, client, name)
    rehearsed: Rehearsed | None = None
    if rehearses:
        rehearsed = rehearse(project, responses, files, code_syntax=code_syntax, progress=progress)
    written = _configured(target)
    if is_unknown:
        with embedded_emulator(project) as emulator:
            emulator.seed(configured(project)[name].working_key, EMPTY, None, name)
    made, problems = None, rehearsed.problems if rehearsed else ()
    if client is not None:
        progress(f"reading {name}")
        pull(project, client, (name,))
    converted = files.write(project)
    written += tuple(filter(None, (write_record(project, name, converted.record),)))
    if client is not None:
        progress(f"planning {name}")
        earlier = rehearsed and rehearsed.plan
        planned = make_plan(project, client, (name,), code_syntax=code_syntax, fills_only=True, earlier=earlier)
        made, problems = planned.file.plans[0], planned.problems
    written += _renamed(project, converted)
    # The ledger has the tokens without a variable already.
    others = (problem for problem in problems if problem.code != "token-without-variable")
    found = (*_problems(recognized.source, converted, mapping, mapping_path), *_left(project, name, converted), *others)
    leveled = project.levels.applied(dict.fromkeys(found))
    return Migrated(name, recognized, mapping, converted, made, leveled, written, rehearses)


def platforms_of(project: Project) -> tuple[str, ...]:
    """Return the platforms of code syntax that a project's outputs have names of; all if it has no outputs."""
    outputs = {output.platform for output in project.config.outputs}
    found = tuple(each for each in CODE_SYNTAX_PLATFORMS if not outputs.isdisjoint(written_back_as(each)))
    return found or CODE_SYNTAX_PLATFORMS


def _responses(project: Project, client: Client, name: str) -> tuple[Responses, bool]:
    """Return the present responses of a design file, and whether the embedded emulator does not know it yet."""
    from tokensync.extract.wire import extract

    try:
        answered = extract(client, name, configured(project)[name])
    except NotFoundError:
        if project.config.base_url != EMULATOR:
            raise
        if read_tokens(project, name).files:  # a pull from an empty file would delete them
            what = f"{name}: there are token files, and the embedded emulator has no file {configured(project)[name]}"
            raise UsageError(f"{what}; fill it with tokensync emulator seed, or migrate with --offline") from None
        return Responses(), True
    return Responses(answered.raw_local, answered.raw_published), False


def _configured(target: Destination) -> tuple[str, ...]:
    """Write the configuration if it lacks the design file, and return the written paths."""
    if target.set_up is not None:
        return set_up(*target.set_up).written
    if target.text is None:
        return ()
    replace_file(os.path.realpath(target.project.source), target.text.encode())
    return (target.project.source,)


def _renamed(project: Project, converted: Converted) -> tuple[str, ...]:
    """Write the renames, unless there are none, and return the written path."""
    renames = _renames_of(project, converted)
    if not renames:
        return ()
    path = project.path(RENAMES)
    replace_file(path, renames_document(renames).encode(), text=True)
    return (path,)


def _full(graph: TokenGraph) -> Iterator[Problem]:
    """Yield the collections that would have too many variables or modes."""
    numbers = Counter(key[:2] for key, token in graph.tokens.items() if token.type in RESOLVED_TYPES)
    for key, number in numbers.items():
        if number > VARIABLES_PER_COLLECTION and graph.collections[key].origin == "local":
            what = f"it would have {number:,} variables; Figma allows {VARIABLES_PER_COLLECTION:,}"
            to_do = "give some of its sets a collection of their own in the mapping"
            yield problem("migrate-collection-full", graph.collections[key].name, what, to_do)
    for collection in graph.collections.values():
        number = sum(mode.collection == collection.handle for mode in collection.modes)
        if number > MODES_PER_COLLECTION and collection.origin == "local":
            what = f"it would have {number:,} modes; Figma allows {MODES_PER_COLLECTION}"
            to_do = "remove some of its modes from the mapping, or split the collection there"
            yield problem("migrate-collection-full", collection.name, what, to_do)


def _guesses(source: Source, mapping: MigrationMapping, converted: Converted) -> Iterator[Problem]:
    """Yield the collections whose modes are guessed, with the reason."""
    themes = theme_keys(source)
    for collection in mapping.collections:
        guess = next((reason for mode in collection.modes if (reason := themes[mode.theme].guess)), "")
        if guess and len(collection.modes) > 1 and converted.sizes.get(collection.name):
            what = f"its modes {listed([mode.name for mode in collection.modes], 5)} are a guess: {guess}"
            to_do = "check them; the mapping that --propose prints shows how to change them"
            yield problem("migrate-modes-guessed", collection.name, what, to_do)
        named = next((mode.name for mode in collection.modes if themes[mode.theme].is_name_guessed), "")
        if named and converted.sizes.get(collection.name):
            what = f"the source does not name its default mode; it is called {quoted(named)}, because another is dark"
            yield problem("migrate-modes-guessed", collection.name, what, "if that is wrong, rename it in the mapping")


def _left(project: Project, name: str, converted: Converted) -> Iterator[Problem]:
    """Yield the tokens of former migrations that this one does not write."""
    location = locations(project, read_tokens(project, name)) if converted.left else None
    for token in converted.left:
        label = f"{token.key.collection}/{'/'.join(names_of_path(token.key.path))}"
        what = f"a former migration wrote {label}, and this one does not; it stays as it is"
        rename = f"run tokensync tokens rename {argument(label)} NEW, and migrate again"
        to_do = f"delete it if nothing uses it; if a new token takes its place, {rename}"
        yield problem("migrate-variable-left", location(token.key, None) if location else name, what, to_do)
    for collection, mode in converted.left_modes:
        what = f"a former migration wrote the mode {mode.name}, and this one does not; it stays as it is"
        to_do = "delete it if nothing uses it; if it has a new theme, name that in the mapping and give it this name"
        yield problem("migrate-variable-left", collection.name, what, to_do)


def _problems(source: Source, converted: Converted, mapping: MigrationMapping, path: str | None) -> Iterator[Problem]:
    yield from converted.ledger.problems()
    if path is None:
        yield from _guesses(source, mapping, converted)
    for entry in converted.invalid:
        where = f"{path or 'mapping'} ({'/'.join(map(str, entry.steps))})"
        yield problem("migrate-mapping-unused", where, entry.what, entry.what_to_do)
    for collection in mapping.collections:
        number = len(collection.modes)
        if number > 1 and converted.sizes.get(collection.name):
            what = f"it has {number} modes, {limits_text(number)}"
            yield problem("migrate-modes", collection.name, what, "check the plan of your team before you apply")
