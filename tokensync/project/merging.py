"""The two sides of a file: what the platform holds, what its token files hold, and the merge of both."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.dtcg import OutputText, Previous, Reading, present_files, refuse_foreign
from tokensync.dtcg.cache import LEAST
from tokensync.extract.client import Client, parse_file
from tokensync.plan.conflicts import EXISTENCE, Conflict, ConflictKey, Difference, SideName
from tokensync.plan.state import FileState, Ref, Refs, split_label
from tokensync.project.applied_lock import unfinished_apply, without_effects
from tokensync.project.configuration import Project, locator, toml_document
from tokensync.project.connection import EMULATOR, STATE_FOLDER, writes_motion
from tokensync.project.lock import LOCK, Lock
from tokensync.project.outputs import digest_of
from tokensync.project.sources import STRAYS, graph_of, is_in_display_p3, read_tokens, rules_of, strays, with_defaults
from tokensync.project.toml_text import string_text
from tokensync.settings import ClientConfig, FileConfig
from tokensync.system import errors
from tokensync.system.boundary import work_tree
from tokensync.system.disk import content_of, remove_file, replace_file, shown_path
from tokensync.system.errors import ConflictError, NotFoundError, errors_among, stop_on_errors
from tokensync.system.formats import MADE_BY
from tokensync.system.problems import Problem, problem
from tokensync.system.stat_manifest import IGNORE
from tokensync.system.wording import counted
from tokensync.tokens import Alias, DanglingAlias, Token, TokenGraph, TokenKey, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.apply.journal import Journal
    from tokensync.extract.wire import Snapshot
    from tokensync.plan.desired import Desired
    from tokensync.plan.merging import Merged


CONFLICTS = "tokensync.conflicts.toml"

_HEADER = """\
# Changes since the last pull that the token files (ours) and Figma (theirs) made differently.
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
        return f"{member}was {base}, is {ours} in the token files and {theirs} in Figma"

    def _shown(self, text: str) -> str:
        """Quote names and descriptions, which would otherwise read as part of the sentence."""
        return json.dumps(text, ensure_ascii=False) if self.key.member in _PROSE and text not in _NO_TEXT else text


def _shown_conflict(conflict: Conflict, location: str) -> ShownConflict:
    for exact in (False, True):
        bases = list(dict.fromkeys(_text(conflict.key.member, base, exact=exact) for base in conflict.bases))
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
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
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


def _write_conflicts(folder: str, files: Iterable[str], conflicts: Iterable[ShownConflict]) -> str:
    """Replace the entries of these design files with these conflicts, and return the path of the conflicts file.

    A chosen side is preserved if the values of both sides are unchanged. Without entries the file is deleted.
    """
    path = os.path.join(folder, CONFLICTS)
    chosen, entries = answers(folder)
    names = set(files)
    texts = [_entry(entry) for entry in entries if entry.get("file") not in names]
    for conflict in conflicts:
        members = {
            "file": conflict.key.file,
            "collection": conflict.key.collection,
            **({"token": conflict.key.path} if conflict.key.path else {}),
            "member": conflict.key.member,
            "place": conflict.location,
            "base": conflict.base,
            "ours": conflict.ours,
            "theirs": conflict.theirs,
        }
        take = chosen.get(conflict.key)
        if take is not None and take[1:] == (_plain(conflict.ours), _plain(conflict.theirs)):
            members["take"] = take[0]
        texts.append(_entry(members))
    if texts:
        content = "\n".join((_HEADER, *texts)).encode()
        if content_of(path) != content:
            replace_file(path, content, text=True)
    elif os.path.lexists(path):
        remove_file(path)
    return path


def _plain(text: str) -> str:
    """Replace the characters of a text that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def _entry(members: Mapping[str, Any]) -> str:
    lines = (f"{name} = {string_text(_plain(str(value)))}\n" for name, value in members.items())
    return f"[[conflict]]\n{''.join(lines)}"


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


# --- merges ----------------------------------------------------------------------------------------------------------


class Taken(NamedTuple):
    """A file of the platform: its key (or its branch's), responses, graph, their digest, and its styles' digest."""

    file: FileConfig
    key: str
    snapshot: Snapshot
    graph: TokenGraph
    problems: tuple[Problem, ...]
    digest: Callable[[], str]
    styles: str = ""


def take(
    project: Project, client: Client, file: FileConfig, *, reads_styles: bool = False, lock: Lock | None = None
) -> Taken:
    """Fetch a file from the platform. Raises the client's errors, and ProblemsError for an invalid response.

    The styles that the configuration wants are those of the lock, unless ``reads_styles`` is set. ``lock`` is that of
    the project, if the caller has already opened it.
    """
    from tokensync.extract.wire import extract, withhold

    options = project.config.extract
    reference = parse_file(file.key, f"{project.source} (file {file.name})")
    try:
        answered = extract(client, file.name, reference)
    except NotFoundError:
        if project.config.base_url != EMULATOR:
            raise
        what = f"{file.name}: the embedded emulator has no file {reference}"
        to_do = "fill it with tokensync emulator seed RESPONSE.json"
        if os.environ.get("CI"):  # the emulator's files stay on the machine where they are made
            name = os.path.basename(project.source)
            to_do = f'set base_url = "figma" in {name}, and the key of {file.name} to the URL of the design file'
        raise NotFoundError(f"{what}; {to_do}", 404) from None
    snapshot, left_out = withhold(
        answered, only_published=options.only_published, include_hidden=options.include_hidden
    )
    graph, oddities = graph_of(project, snapshot)
    if snapshot.is_export and (agreed := (lock or Lock(project.folder)).graphs(file.name)):
        from tokensync.plan.completion import completed

        graph = completed(graph, agreed[0], read_tokens(project, file.name).graph)
    styles = ""
    if file.styles:
        from tokensync.project.styles import with_wanted_styles, with_writable_styles

        known = (lock or Lock(project.folder)).styles(file.name)
        if snapshot.local.styles is None:
            reader = client if reads_styles and not snapshot.is_export else None
            graph, styles, notes = with_wanted_styles(known, file, reference, graph, reader)
        else:
            graph, styles, notes = with_writable_styles(known, file, snapshot, graph)
        oddities = (*oddities, *notes)
    digest = cache(partial(_digest_of_responses, snapshot, styles))
    return Taken(file, str(reference), snapshot, graph, (*left_out, *oddities), digest, styles)


def take_all(
    project: Project,
    client: Client,
    files: Sequence[FileConfig],
    progress: Callable[[str], None] = lambda text: None,
    *,
    reads_styles: bool = False,
    lock: Lock | None = None,
    failures: dict[str, errors.TokensyncError] | None = None,
) -> list[Taken]:
    """Fetch files from the platform; a number that refers to another file's token gets its type. Raises as ``take``.

    Other files of the project have the state of their token files. With ``failures``, a failure that concerns one file
    is added there by its name, and the other files are fetched. If there is no other one, it is raised.
    """
    from tokensync.dtcg import read_folder
    from tokensync.normalize.graph import linked
    from tokensync.normalize.numbers import with_rules, with_types

    taken: list[Taken] = []
    for number, file in enumerate(files):
        progress(f"reading {file.name}")
        try:
            taken.append(take(project, client, file, reads_styles=reads_styles, lock=lock))
        except (errors.PlatformError, errors.ProblemsError) as error:
            if failures is None or _concerns_all(error, follows_failure=files[number - 1].name in failures):
                raise
            failures[file.name] = error
    if failures and not taken:
        raise next(iter(failures.values()))
    graphs = [each.graph for each in taken]
    if len(project.config.files) == 1 or not any(map(_has_foreign_numbers, graphs)):
        return taken
    present = {file.name for file in files}
    absent = [file.name for file in project.config.files if file.name not in present]
    in_files = [read_folder(project.tokens_folder, name).graph for name in absent]
    rules = rules_of(project, [*graphs, *in_files])
    typed = with_types(graphs, linked([*graphs, *(with_rules(file, rules) for file in in_files)]), rules)
    return [each._replace(graph=graph) for each, graph in zip(taken, typed, strict=True)]


def _concerns_all(error: errors.TokensyncError, *, follows_failure: bool) -> bool:
    """Return whether other files would fail like this, too. One file may be too large for the server or the network."""
    match error:
        case errors.AccessError():
            return error.token_known or error.token_refused
        case errors.NetworkError() | errors.ServerError():
            return follows_failure and error.status != 200  # each file would need all attempts
    return isinstance(error, errors.RateLimitedError)


def _has_foreign_numbers(graph: TokenGraph) -> bool:
    """Return whether a number refers to a variable of another file."""
    tokens = graph.tokens
    return any(
        token.type == "number"
        and any(
            type(value) is DanglingAlias or (type(value) is Alias and tokens[value.target].origin == "remote")
            for value in token.values
        )
        for token in tokens.values()
    )


_SHOWN = 20


class MergedFile(NamedTuple):
    """A merge of one file. ``graph`` is the result, with the platform's ids and keys.

    ``theirs`` is the platform's content with the handles of ``graph``, ``taken`` the same with its own handles, and
    ``ours`` the content of the token files, which ``previous`` describes for a pull, or is None. If there are
    ``conflicts``, the graph must not be used. ``settled`` are the
    conflicts that the conflicts file resolves. ``location_of`` returns the location of a token of ``graph`` in token
    files, or of its value in the mode of a context; for a key without a path, the location of the mode's name.
    ``our_keys`` returns the keys in the token files by those in ``graph``.
    """

    file: FileConfig
    key: str
    snapshot: Snapshot
    taken: TokenGraph
    theirs: TokenGraph
    graph: TokenGraph
    ours: Reading
    previous: Previous | None
    conflicts: tuple[ShownConflict, ...]
    settled: tuple[ShownConflict, ...]
    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]
    location_of: Callable[[TokenKey, str | None], str]
    our_keys: Callable[[], Mapping[TokenKey, TokenKey]]

    def our_token(self, key: TokenKey) -> Token | None:
        """Return the token of the token files with a key of ``graph``."""
        return self.ours.graph.tokens.get(self.our_keys().get(key, key))


def pull_log(project: Project, name: str) -> str:
    """Return the path of the file that holds the changes of a pull while it writes the token files of a design file."""
    return project.path(STATE_FOLDER, f"pull-{name}.json")


def merged_file(
    project: Project,
    source: Client | Taken,
    file: FileConfig,
    *,
    always: SideName | None = None,
    lock: Lock | None = None,
    unfinished: Journal | None = None,
) -> MergedFile:
    """Merge a file's token files with the platform. ``source`` is a client, or the file if it was already fetched.

    Choices in the conflicts file apply to their conflicts, ``always`` to all others. If there are no token files, or if
    they are invalid and ``always`` is "theirs", the result is the platform's side. The problems include those of token
    files, even errors. ``lock`` is the lock of the project, if the caller has already opened it. What an
    ``unfinished`` apply has done is no change of the platform. Raises ProblemsError for a resolver document of another
    tool, and ConflictError if a pull has written only some of the token files.
    """
    from tokensync.normalize.numbers import with_rules, with_weights
    from tokensync.plan.merging import merge

    refuse_foreign(project.tokens_folder, file.name)
    refuse_half_written(project, file.name)
    taken = source if isinstance(source, Taken) else take(project, source, file)
    reading = read_tokens(project, file.name, like=taken.graph)
    found = (*reading.problems, *strays(project))
    problems = [problem for problem in found if problem.code != "token-id-repeated"]  # the merge says which one it is
    bases, keys, rules = tuple[TokenGraph, ...](), frozenset[str](), rules_of(project, [reading.graph])
    moved = [entry for entry in project.config.moved if entry.file in ("", file.name)]
    is_replaced = bool(reading.files) and always == "theirs" and bool(errors_among(problems))
    if not reading.files or is_replaced:
        ours, problems = TokenGraph((), ()), [problem for problem in problems if problem.code in STRAYS]
        problems += [_replaced(project, file)] * is_replaced
    else:
        lock = lock or Lock(project.folder)
        bases, keys = lock.graphs(file.name), lock.keys(file.name)
        ours = with_rules(with_defaults(project, reading.graph, lock), rules)
        problems += lock.problems
    bases, theirs = without_effects(project, unfinished, taken.snapshot.raw_local, bases, ours, taken.graph)
    merge_with = partial(merge, bases, ours, moved=moved, ids_count=taken.key in keys)
    location = locations(project, reading)
    result, conflicts, settled, kept = _settled(project, partial(merge_with, theirs), (ours, theirs), location, always)
    graph, our_keys = with_weights(result.graph, rules), cache(result.our_keys)
    # A graph that replaces the token files entirely has their tokens at the same paths.
    keys_before = (lambda: {key: key for key in graph.tokens}) if is_replaced else result.our_keys
    return MergedFile(
        file,
        taken.key,
        taken.snapshot,
        taken.graph,
        result.theirs if theirs is taken.graph else merge_with(taken.graph, always="theirs").theirs,
        graph,
        reading,
        Previous(reading.graph, reading.files, keys_before) if reading.files else None,
        conflicts,
        settled,
        result.differences,
        (*taken.problems, *problems, *kept, *result.problems),
        lambda key, context: location(our_keys().get(key, key), context),
        our_keys,
    )


# --- what the last pull has left -------------------------------------------------------------------------------------

_MARK = ".pulled-"
_VARIABLES = 1000
"""The number of variables that are encoded at once."""


def unchanged_files(project: Project, taken: Sequence[Taken]) -> list[MergedFile]:
    """Return the merges of files if platform, token files, lock and settings are as a pull has left them, and equal.

    Then nothing has to be read or merged. Otherwise, or if that is not known, return no merges. A pull leaves a mark in
    the tokens folder: an empty file whose name has the digests of all of them. Git merges such files without a
    conflict, and none of them has the digests of what it merges from two branches.
    """
    marks = _marks(project)
    if not marks or os.path.lexists(os.path.join(project.folder, CONFLICTS)):
        return []
    start = f"{_MARK}{_digest_of_platform(taken)}-"
    if not any(mark.startswith(start) for mark in marks):
        return []
    for file in taken:
        if os.path.lexists(pull_log(project, file.file.name)) or unfinished_apply(project, file.file) is not None:
            return []
    return [_unchanged(project, file) for file in taken] if mark_of(project, taken) in marks else []


def _unchanged(project: Project, taken: Taken) -> MergedFile:
    """Return the merge of a file whose sides are equal; nothing is read before somebody asks for a text."""
    file, key, snapshot, graph, problems, *_ = taken
    ours = Reading(graph, (), present_files(project.tokens_folder, file.name))
    problems = (*problems, *strays(project))
    location = locations(project, ours)
    same = cache(lambda: {key: key for key in graph.tokens})
    return MergedFile(file, key, snapshot, graph, graph, graph, ours, None, (), (), (), problems, location, same)


def mark_of(
    project: Project,
    taken: Sequence[Taken],
    written: Mapping[str, Sequence[OutputText]] = MappingProxyType({}),
    lock: bytes | None = None,
) -> str:
    """Return the name of the mark of a pull of these files; empty if reading the token files takes no time.

    ``written`` and ``lock`` are the token files by design file, and the lock, as the pull has written them. The default
    is what is on disk.
    """
    settings = msgspec.structs.replace(project.config, base_url="figma", client=ClientConfig())
    size = 0

    def sources() -> Iterator[bytes]:
        nonlocal size
        yield msgspec.json.encode([MADE_BY, [file.file.name for file in taken], settings])
        yield (content_of(project.path(LOCK)) or b"") if lock is None else lock
        for file in project.config.files:
            texts = dict(written.get(file.name, ())) or present_files(project.tokens_folder, file.name)
            for path in sorted(texts):
                text = texts.get(path, b"").replace(b"\r\n", b"\n")
                size += len(text)
                yield from (os.fsencode(path), text)

    digest = digest_of(sources())
    return "" if size < LEAST else f"{_MARK}{_digest_of_platform(taken)}-{digest[:32]}"


def _digest_of_platform(taken: Iterable[Taken]) -> str:
    """Return the digest of responses, and of the types of their tokens, which other files and rules decide."""
    types = (" ".join(file.graph.table.types) for file in taken)
    parts = ((file.key, file.digest(), text) for file, text in zip(taken, types, strict=True))
    return digest_of(part.encode() for of_file in parts for part in of_file)[:32]


def _digest_of_responses(snapshot: Snapshot, styles: str) -> str:
    """Return the digest of what tokensync reads in the responses about a file, and of the list of its styles."""
    variables = [*snapshot.local.variables.values()]
    keys = None if snapshot.published is None else sorted(snapshot.published_by_key())
    # The whole would take as much memory as the response.
    starts = range(0, len(variables), _VARIABLES)
    chunks = (msgspec.json.encode(variables[start : start + _VARIABLES]) for start in starts)
    head = (msgspec.json.encode([keys, snapshot.local.variable_collections]), *([styles.encode()] if styles else []))
    return digest_of(chain(head, chunks))


def replace_mark(project: Project, mark: str) -> None:
    """Replace the marks of former pulls; an empty ``mark`` is none."""
    marks = _marks(project)
    for former in marks - {mark}:
        remove_file(os.path.join(project.tokens_folder, former))
    if mark and mark not in marks:
        replace_file(os.path.join(project.tokens_folder, mark), b"")


def _marks(project: Project) -> set[str]:
    with suppress(OSError), os.scandir(project.tokens_folder) as entries:
        return {mark.name for mark in entries if mark.name.startswith(_MARK) and mark.is_file(follow_symlinks=False)}
    return set()


def refuse_half_written(project: Project, name: str, *, or_wholly: bool = False) -> None:
    """Raise ConflictError if a pull was interrupted while it wrote the token files of a design file.

    With ``or_wholly``, also raise it if the pull wrote all files, but not the lock.
    """
    from tokensync.dtcg import half_written

    if half_written(project.tokens_folder, name, pull_log(project, name), or_wholly=or_wholly):
        where = shown_path(os.path.join(project.tokens_folder, name))
        what = f"a pull was interrupted while it wrote these files{' or the lock' if or_wholly else ''}"
        raise ConflictError(f"{where}: {what}; run tokensync pull, which completes it, or restore them from git")


def _replaced(project: Project, file: FileConfig) -> Problem:
    where = os.path.join(project.tokens_folder, file.name)
    what = "its token files have errors, so --theirs replaces all of them by the state in Figma"
    to_do = "restore edits that you need from git"
    return problem("token-files-replaced", where, what, to_do)


def refuse_conflicts(project: Project, merged: Sequence[MergedFile], *, write: bool = True) -> None:
    """Raise ConflictError that lists all conflicts; write them to the conflicts file if ``write`` is set.

    Answers stay in it until ``finish_pull``: a plan changes no token file, and the next merge needs them again.
    """
    conflicts = [conflict for file in merged for conflict in file.conflicts]
    settled = [conflict for file in merged for conflict in file.settled]
    path = CONFLICTS
    if write and (conflicts or settled):
        path = _write_conflicts(project.folder, [file.file.name for file in merged], [*settled, *conflicts])
    if conflicts:
        damages = [str(problem) for file in merged for problem in file.problems if problem.code == "lock-unreadable"]
        lines = [*dict.fromkeys(damages), *map(str, conflicts[:_SHOWN])]
        if len(conflicts) > _SHOWN:
            lines.append(f"and {len(conflicts) - _SHOWN} more conflicts")
        to_do = f"choose a side for each in {path}, or for all with --ours or --theirs"
        if write and not _is_ignored(project.folder):
            to_do += f"; add {CONFLICTS} to {IGNORE}, so that nobody commits it"
        found = (problem("merge-conflict", conflict.location, conflict.what, to_do) for conflict in conflicts)
        raise MergeConflictError(lines, to_do, tuple(found))


def _is_ignored(folder: str) -> bool:
    """Return whether a list of git at the top or in the folder names the conflicts file, or there is no work tree."""
    top = work_tree(folder)
    lists = () if top is None else (os.path.join(each, IGNORE) for each in (folder, top))
    return top is None or any(CONFLICTS.encode() in (content_of(path) or b"") for path in lists)


class MergeConflictError(ConflictError):
    """Both sides changed the same things. ``lines`` list them, and the message ends with what to do.

    ``problems`` are all conflicts, at their locations from the project's folder.
    """

    def __init__(self, lines: Sequence[str], to_do: str, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join((*lines, f"both sides changed the same things; {to_do}")))
        self.lines = lines
        self.problems = problems


def finish_pull(project: Project, names: Sequence[str]) -> None:
    """Take the entries of these files out of the conflicts file, and remove the logs of the pull.

    The token files contain what was decided, and the lock is written.
    """
    _write_conflicts(project.folder, names, ())
    for name in names:
        with suppress(FileNotFoundError):
            remove_file(pull_log(project, name))


def _settled(
    project: Project,
    merged: Callable[..., Merged],
    sides: tuple[TokenGraph, TokenGraph],
    location: Callable[[TokenKey, str | None], str],
    always: SideName | None,
) -> tuple[Merged, tuple[ShownConflict, ...], tuple[ShownConflict, ...], tuple[Problem, ...]]:
    """Return the merge with the answers of the conflicts file, what it leaves open, and what it has answered.

    One answer may bring up the next conflict. A token that somebody wrote with the name of a style that is new keeps
    its members, with a problem, so that a style never keeps variables back. ``sides`` are ours and theirs.
    """
    result = merged()
    if not result.conflicts:
        return result, (), (), ()
    known, _ = answers(project.folder)
    ours, theirs = sides
    of_styles = {family.handle for family in theirs.collections.values() if family.is_of_styles}
    kept = [
        conflict
        for conflict in result.conflicts
        if conflict.key.collection in of_styles
        and not conflict.bases
        and (conflict.token is None or not ours.tokens[conflict.token].id)
    ]
    settled: dict[ConflictKey, SideName] = dict.fromkeys((conflict.key for conflict in kept), "ours")
    result = merged(answers=settled) if kept else result
    answered: dict[ConflictKey, ShownConflict] = {}
    while True:
        open_ones = tuple(
            _shown_conflict(each, project.shown(_location_of_conflict(each, location))) for each in result.conflicts
        )
        fresh = {
            conflict.key: conflict
            for conflict in open_ones
            if conflict.key in known and known[conflict.key][1:] == (_plain(conflict.ours), _plain(conflict.theirs))
        }
        if not fresh:
            break
        answered |= fresh
        settled |= {key: known[key][0] for key in fresh}
        result = merged(answers=settled)
    if open_ones and always is not None:
        result, open_ones = merged(answers=settled, always=always), ()
    return result, open_ones, tuple(answered.values()), tuple(_name_taken(location, conflict) for conflict in kept)


def _name_taken(location: Callable[[TokenKey, str | None], str], conflict: Conflict) -> Problem:
    where = location(conflict.token or TokenKey(*conflict.key[:3]), None)
    what = "a style of the design file has the name of this token, which keeps its value"
    return problem("style-name-taken", where, what, "rename or remove the token to use the style's value")


def _location_of_conflict(conflict: Conflict, location: Callable[[TokenKey, str | None], str]) -> str:
    if conflict.token is not None:
        return location(conflict.token, conflict.context)
    file, collection, path, _ = conflict.key
    return f"{file} / {TokenKey(file, collection, path)}" if path else f"{file} / {collection}"


def edited_styles(merged: MergedFile) -> tuple[Problem, ...]:
    """Return a note about the styles that the token files have changed and that the connection cannot write, if any.

    It is about all of them.
    """
    if not merged.differences or merged.snapshot.local.styles is not None:
        return ()
    graphs = (merged.taken, merged.graph, merged.ours.graph)
    handles = {family.handle for graph in graphs for family in graph.collections.values() if family.is_of_styles}
    keys = (difference.key for difference in merged.differences if difference.side == "ours")
    edited = [*dict.fromkeys(TokenKey(*key[:3]) for key in keys if key.collection in handles)]
    if not edited:
        return ()
    others = f", and {counted(len(edited) - 1, 'more style')}" if len(edited) > 1 else ""
    what = f"the token files have changed this style{others}, and this connection cannot write styles"
    to_do = 'plan with base_url = "bridge:", which writes text and effect styles, or make the edit in Figma, too'
    return (problem("style-edited", merged.location_of(edited[0], None), what, to_do),)


def locations(project: Project, reading: Reading) -> Callable[[TokenKey, str | None], str]:
    """Return a function that locates a token or mode in the token files; it returns the name of one that is missing."""

    @cache
    def finder() -> Callable[[TokenKey, str | None], str | None]:
        from tokensync.dtcg.reading import Finder

        return Finder(reading.graph, reading.files, f"{project.tokens_folder.rstrip('/')}/").place

    def location(key: TokenKey, context: str | None) -> str:
        name = str(key) if key.path else f"{key.collection} / {context}"
        return finder()(key, context) or f"{key.file} / {name}"

    return location


class DesiredStates(NamedTuple):
    """The states of a file before and after a plan, and the conversion of the merged graph to what variables can hold.

    ``refs`` are those of the platform's graph, and of the desired one. ``labels`` are those of both states, and
    ``problems`` those of the conversion.
    """

    desired: Desired
    refs: tuple[Refs, Refs]
    labels: dict[Ref, str]
    before: FileState
    after: FileState
    problems: tuple[Problem, ...]


def desired_states(
    project: Project, merged: MergedFile, code_syntax: Mapping[TokenKey, Mapping[str, str]] = MappingProxyType({})
) -> DesiredStates:
    """Return the states before and after a plan of a merged file, as far as the connection can write.

    ``code_syntax`` is what tokens, of any file, should say. Tokens of other files that are referred to have the
    variable keys of their token files.
    """
    from tokensync.plan.desired import desired, desired_styles
    from tokensync.plan.state import GraphState, labels_of, refs_of, state_of, style_states, without_motion_changes

    motion = writes_motion(project)
    values = (value for token in merged.graph.tokens.values() for value in token.values)
    referred = {target.file for value in values for target in targets(value)}
    keys_elsewhere: dict[TokenKey, str] = {}
    for name in sorted(file.name for file in project.config.files if file.name in referred - {merged.file.name}):
        tokens = read_tokens(project, name).graph.tokens
        keys_elsewhere |= {key: token.variable_key for key, token in tokens.items()}
    converted = desired(
        merged.graph,
        merged.theirs,
        location_of=merged.location_of,
        code_syntax={key: texts for key, texts in code_syntax.items() if key in merged.graph.tokens},
        keys_elsewhere=keys_elsewhere,
        rules=rules_of(project, [merged.graph]),
        display_p3=is_in_display_p3(project, merged.file.name),
        motion=motion,
    )
    problems, refs = converted.problems, (refs_of(merged.theirs), refs_of(converted.graph))
    labels = {**labels_of(merged.theirs, refs[0]), **labels_of(converted.graph, refs[1])}
    before = state_of(merged.theirs, refs[0])
    after = state_of(converted.graph, refs[1], GraphState(merged.theirs, refs[0], before))
    if merged.snapshot.local.styles is not None:
        theirs, wanted = (merged.theirs, refs[0]), (converted.graph, refs[1])
        before = before._replace(styles=style_states(merged.snapshot.local.styles))
        styles, own_labels, found = desired_styles(before.styles, theirs, merged.graph, wanted, merged.location_of)
        after, labels, problems = after._replace(styles=styles), {**labels, **own_labels}, problems + found
    if not motion:
        after, kept = without_motion_changes(before, after)
        if names := ["/".join(split_label(labels[ref])) for ref in kept]:
            what = f"{counted(len(names), 'motion variable')} would change, and Figma's REST API writes none"
            way = 'plan and apply with base_url = "bridge:"'
            to_do = f"the plan leaves them as they are; {way}, or change them in the editor"
            problems += (problem("motion-not-written", merged.file.name, what, to_do, names),)
    return DesiredStates(converted, refs, labels, before, after, problems)
