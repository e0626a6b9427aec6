"""Migrate tokens of other formats to variables: token files, a plan that is rehearsed first, and a ledger."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.commands.init import Choices, configuration_text, examine, free_folder, set_up
from tokensync.commands.plan import make_plan
from tokensync.commands.pull import pull
from tokensync.generate.targets import written_back_as
from tokensync.migrate.code.renames import RENAMES, renames_document, renames_of
from tokensync.migrate.conversion.edits import History
from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import limits_text, mapping_of, mapping_text, propose, theme_keys
from tokensync.migrate.readers.recognition import Format, Recognized, recognize
from tokensync.migrate.record import read_record, write_record
from tokensync.migrate.rehearsal import EMPTY, MigratedFiles, Rehearsed, Responses, rehearse
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
from tokensync.project.connection import EMULATOR, configured, connect, embedded_emulator, file_reference
from tokensync.project.merging import locations
from tokensync.project.outputs import read_manifest
from tokensync.project.sources import read_file, read_tokens
from tokensync.project.toml_text import with_table
from tokensync.system.disk import replace_file
from tokensync.system.errors import NotFoundError, UsageError, stop_on_errors
from tokensync.system.problems import problem
from tokensync.system.wording import argument, listed, quoted
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION
from tokensync.tokens.paths import names as names_of_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.commands.init import Surroundings
    from tokensync.dtcg import Reading
    from tokensync.extract.client import Client
    from tokensync.migrate.conversion.graph import Converted
    from tokensync.migrate.conversion.mapping_file import MigrationMapping
    from tokensync.migrate.source import Source
    from tokensync.plan.plan import Plan
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenGraph

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
    return recognize(path, form, frozenset() if project is None else frozenset(_own_files(project)))


def _own_files(project: Project) -> Iterator[str]:
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
    from tokensync.migrate.readers.design_file import PaintStyle, of_styles, of_variables

    name = source.removeprefix(FIGMA).removesuffix(_STYLES)
    label = f"{FIGMA}{name[:80]}"
    if source.endswith(_STYLES):
        from tokensync.commands.files import styles

        found = styles(project, client, name, progress=progress)
        paints = (PaintStyle(each.item.name, each.item.description, each.item.style_type, each.value) for each in found)
        return Recognized(of_styles(paints, label), Format("figma-styles", "Styles of a design file", ""))
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
    renames = renames_of(project, converted)
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
            what = f"it would have {number:,} variables; the platform allows {VARIABLES_PER_COLLECTION:,}"
            to_do = "give some of its sets a collection of their own in the mapping"
            yield problem("migrate-collection-full", graph.collections[key].name, what, to_do)
    for collection in graph.collections.values():
        number = sum(mode.collection == collection.handle for mode in collection.modes)
        if number > MODES_PER_COLLECTION and collection.origin == "local":
            what = f"it would have {number:,} modes; the platform allows {MODES_PER_COLLECTION}"
            to_do = "remove some of its modes from the mapping, or split the collection there"
            yield problem("migrate-collection-full", collection.name, what, to_do)


def _guesses(source: Source, mapping: MigrationMapping, converted: Converted) -> Iterator[Problem]:
    """Yield the collections whose modes are guessed, with the reason."""
    themes = theme_keys(source)
    for collection in mapping.collections:
        guess = next((reason for mode in collection.modes if (reason := themes[mode.theme].guess)), "")
        if guess and converted.sizes.get(collection.name):
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
