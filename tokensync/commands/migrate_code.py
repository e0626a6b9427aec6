"""Rewrite code to new identifiers of tokens: read renames and files, and write or show what changes."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.migrate.code.aliases import SUFFIXES, aliased, aliases
from tokensync.migrate.code.codemod import Choices, Codemod, Edit, patch
from tokensync.migrate.code.renames import read_renames
from tokensync.project.code_search import code_files
from tokensync.project.configuration import error_location, locator, toml_document
from tokensync.project.outputs import names_tokensync
from tokensync.project.sources import read_file
from tokensync.system.boundary import work_tree
from tokensync.system.disk import content_of, open_file, relative_path, replace_files
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.git import Repository
from tokensync.system.positions import lines_and_columns, offsets, pointer_text, replaced
from tokensync.system.problems import problem
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.migrate.code.codemod import Finding, Rewritten
    from tokensync.migrate.code.renames import InvalidRename, Rename, Renames
    from tokensync.migrate.code.style_uses import Declared
    from tokensync.project.configuration import Project

_FIX = "correct the renames file"


class ChangedFile(NamedTuple):
    """A file that changes: its path, the number of changed identifiers, and in a dry run the lines of its patch."""

    path: str
    edits: int
    patch: tuple[str, ...]


class CodeMigration(NamedTuple):
    """The result of a run: the number of files read, those that change, and the findings by path.

    ``new_files`` are files of aliases with their number of aliases, and ``without_alias`` the renames that have none.
    ``unread`` are files that could not be read, with the reason.
    """

    files: int
    changed: tuple[ChangedFile, ...]
    findings: tuple[tuple[str, Finding], ...]
    new_files: tuple[ChangedFile, ...]
    without_alias: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def has_changes(self) -> bool:
        """Return whether a file changes."""
        return bool(self.changed or self.new_files)


class CodeChoices(NamedTuple):
    """What to change: in strings, in comments, and the files in which old names stay for a release."""

    write: bool = False
    strings: bool = False
    comments: bool = False
    keep_old: tuple[str, ...] = ()
    force: bool = False


class _Applied(Struct, frozen=True, forbid_unknown_fields=True):
    """The guarded renames that have been made in a file, ``earlier`` ones before the last run.

    ``before`` and ``after`` are digests of the contents that the last run read and wrote.
    """

    before: str
    after: str
    renames: tuple[str, ...]
    earlier: tuple[str, ...] = ()


class _Runs(Struct, frozen=True, forbid_unknown_fields=True):
    """The guarded renames of earlier runs, by the paths that they were called with, and by files that they changed."""

    paths: dict[str, tuple[str, ...]] = {}
    files: dict[str, _Applied] = {}


def migrate_code(
    paths: Sequence[str],
    renames_path: str,
    choices: CodeChoices = CodeChoices(),  # noqa: B008 - it is immutable
    project: Project | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> CodeMigration:
    """Rewrite the code at these paths and below them by a renames file, or only show what would change.

    Links are not followed. Raises ProblemsError for an invalid renames file, and UsageError for an unknown path and,
    when it writes, for files with changes that are not committed.
    """
    renames = _renames(renames_path)
    suffixes = _alias_suffixes(choices.keep_old)
    kept = aliased(suffixes, renames)
    record = _Record(renames_path, renames)
    codemod = Codemod(renames, Choices(choices.strings, choices.comments, frozenset(kept)))
    special = {os.path.realpath(each) for each in (renames_path, record.path, *choices.keep_old)}
    contents: dict[str, bytes] = {}
    changed: list[ChangedFile] = []
    findings: list[tuple[str, Finding]] = []
    declared: list[Declared] = []
    unread: list[str] = []
    files = 0
    for path, content in code_files(paths, unread, project):
        if os.path.realpath(path) in special:
            continue
        files += 1
        if files % 200 == 0:
            progress(f"reading code ({counted(files, 'file')})")
        text = content.decode("utf-8", "surrogateescape")
        done = codemod.rewrite(path, text, record.choices(path, content, codemod.choices))
        declared += done.declared
        findings += ((path, each) for each in done.findings)
        if done.edits:
            contents[path] = replaced(text, done.edits).encode("utf-8", "surrogateescape")
            lines = () if choices.write else tuple(patch(path, text, done.edits))
            changed.append(ChangedFile(path, len(done.edits), lines))
            record.add(path, content, contents[path], done)
    if not files:
        what = f"{' '.join(paths)}: there is no code that tokensync did not write"
        raise UsageError("; ".join((what, "name other files or folders of code", *unread[:1])))
    new_files = list(_alias_files(choices, kept, declared, contents))
    renamed = [each for each in renames.all if each.role != "manual" and each.old != each.new]
    without = [each.old for each in renamed if suffixes and each not in kept]
    if choices.write:
        _write(contents, record.path, record.content(paths), [each.path for each in changed], force=choices.force)
    return CodeMigration(files, tuple(changed), tuple(findings), tuple(new_files), tuple(without), tuple(unread))


# --- the renames file -----------------------------------------------------------------------------------------------


def _renames(path: str) -> Renames:
    raw = read_file(path)
    is_json = path.lower().endswith(".json")
    document = _json(raw, path) if is_json else toml_document(raw, path, "renames-invalid", _FIX)
    renames, invalid = read_renames(document)
    if invalid:
        locate = _json_locator(raw, path, invalid) if is_json else locator(raw, path)
        raise ProblemsError(
            [problem("renames-invalid", locate(each.steps), each.what, each.what_to_do) for each in invalid]
        )
    if not renames.all:
        what = "there are no renames in it"
        raise ProblemsError(
            [problem("renames-invalid", path, what, 'add a table such as [css] with "--old" = "--new"')]
        )
    return renames


def _json(raw: bytes, path: str) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            repeated = next(name for name in names if names.count(name) > 1)
            what = f"{repeated!r} occurs more than once in an object"
            raise ProblemsError([problem("renames-invalid", path, what, "remove one of them")])
        return found

    try:
        return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=members)
    except json.JSONDecodeError as error:
        where, reason = f"{path}:{error.lineno}:{error.colno}", error.msg
    except DECODE_ERRORS as error:
        where, reason = error_location(raw, path, error)
    raise ProblemsError([problem("renames-invalid", where, f"this is not valid JSON ({reason})", _FIX)])


def _json_locator(raw: bytes, path: str, invalid: Iterable[InvalidRename]) -> Callable[[tuple[str, ...]], str]:
    found = offsets(raw, [each.steps for each in invalid])
    positions = lines_and_columns(raw, found.values())

    def locate(steps: tuple[str, ...]) -> str:
        line, column = positions[found[steps]]
        return f"{path}:{line}:{column} ({pointer_text(steps)})"

    return locate


# --- files of aliases -----------------------------------------------------------------------------------------------


def _alias_suffixes(paths: Sequence[str]) -> frozenset[str]:
    for path in paths:
        if os.path.splitext(path)[1].lower() not in SUFFIXES:
            what = f"--keep-old {path}: there are no aliases in this language"
            raise UsageError(f"{what}; name a file that ends in {', '.join(SUFFIXES)}")
    return frozenset(os.path.splitext(each)[1].lower() for each in paths)


def _alias_files(
    choices: CodeChoices, kept: Sequence[Rename], declared: Sequence[Declared], contents: dict[str, bytes]
) -> Iterator[ChangedFile]:
    """Yield the files of aliases that change, and add their contents. Raises UsageError for a file of someone else."""
    for path in choices.keep_old:
        text = aliases(os.path.splitext(path)[1].lower(), kept, declared)
        former = content_of(path)
        if former == text.encode() or (former is None and not kept):
            continue
        if former is not None and not choices.force and not names_tokensync(path, former):
            raise UsageError(f"--keep-old {path}: tokensync did not write this file; name another, or pass --force")
        contents[path] = text.encode()
        old = (former or b"").decode("utf-8", "replace")
        yield ChangedFile(path, len(kept), tuple(patch(path, old, [Edit(0, len(old), text)])))


# --- what earlier runs did ------------------------------------------------------------------------------------------


class _Record:
    """The record of the guarded renames that earlier runs made: without it, the next run would undo a swap.

    It is beside the renames file, and exists only if there are such renames. A guarded name is renamed once in a file.
    Where that has been done and somebody has edited the file since, nobody knows whether it is the old or the new name.
    """

    def __init__(self, renames_path: str, renames: Renames) -> None:
        self.path = f"{os.path.splitext(renames_path)[0]}.applied.json"
        self._guarded = {f"{each.platform} {each.old} -> {each.new}": each for each in renames.guarded}
        self._chained = renames.guarded | renames.guarding
        content = content_of(self.path) if self._guarded else None
        try:
            self._runs = _Runs() if content is None else msgspec.json.decode(content, type=_Runs)
        except DECODE_ERRORS as error:
            what = f"{self.path}: this is no record of renames ({error})"
            raise UsageError(f"{what}; restore it from git, or delete it if no file has been renamed") from None
        self._files = dict(self._runs.files)

    def _name(self, path: str) -> str:
        folder = os.path.dirname(os.path.abspath(self.path))
        return relative_path(os.path.abspath(path), folder).replace(os.sep, "/")

    def _made_in(self, name: str) -> tuple[str, ...]:
        """Return the renames of earlier runs that included a file."""
        made = (names for path, names in self._runs.paths.items() if path in (".", name) or name.startswith(f"{path}/"))
        return tuple(dict.fromkeys(each for names in made for each in names))

    def choices(self, path: str, content: bytes, choices: Choices) -> Choices:
        """Return the choices for a file, with the renames that have been made in it."""
        if not self._runs.paths:
            return choices
        name = self._name(path)
        entry, made, digest = self._runs.files.get(name), self._made_in(name), _digest(content)
        is_known = entry is not None and digest in (entry.before, entry.after)
        if entry is not None:
            made = entry.earlier if digest == entry.before else _joined(entry.renames, made)
        repeated = frozenset(self._guarded[each] for each in made if each in self._guarded)
        return msgspec.structs.replace(choices, repeated=repeated, is_unchanged=is_known)

    def add(self, path: str, before: bytes, after: bytes, done: Rewritten) -> None:
        """Record what is about to be written in a file."""
        if self._chained.isdisjoint(done.written):
            return
        name, digest, every = self._name(path), _digest(before), tuple(sorted(self._guarded))
        former = self._runs.files.get(name)
        if former is None:
            self._files[name] = _Applied(digest, _digest(after), every, self._made_in(name))
        elif digest in (former.before, former.after):
            earlier = former.earlier if digest == former.before else former.renames
            self._files[name] = _Applied(digest, _digest(after), _joined(earlier, every), earlier)
        else:  # edited since, so its names stay uncertain
            self._files[name] = msgspec.structs.replace(former, renames=_joined(former.renames, every))

    def content(self, paths: Iterable[str]) -> bytes | None:
        """Return the new content of the record after a run with these paths; None if it stays as it is."""
        if not self._guarded:
            return None
        of_paths = dict(self._runs.paths)
        for each in map(self._name, paths):
            of_paths[each] = _joined(of_paths.get(each, ()), tuple(sorted(self._guarded)))
        runs = _Runs(dict(sorted(of_paths.items())), dict(sorted(self._files.items())))
        return None if runs == self._runs else msgspec.json.format(msgspec.json.encode(runs), indent=2) + b"\n"


def _joined(names: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*names, *more)))


def _digest(content: bytes) -> str:
    """Return the digest of a text with LF line ends, since git may convert them."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


# --- writing --------------------------------------------------------------------------------------------------------


def _write(
    contents: Mapping[str, bytes], record: str, recorded: bytes | None, code: Sequence[str], *, force: bool
) -> None:
    """Write all files or none, the record first: what it names and is not written, the next run writes."""
    every = {**({} if recorded is None else {record: recorded}), **contents}
    if not force:
        _refuse_uncommitted(code)
    if every:
        replace_files({os.path.abspath(path): content for path, content in every.items()}, os.getcwd())


def _refuse_uncommitted(paths: Iterable[str]) -> None:
    """Raise UsageError if git could not restore one of the files. Files outside of work trees are not checked."""
    by_top: dict[str, list[str]] = {}
    for path in paths:
        if top := work_tree(os.path.dirname(os.path.realpath(path))):
            by_top.setdefault(top, []).append(path)
    for top, own in by_top.items():
        repository = Repository(top, "--write", "pass --force")
        committed = {path: id_ for path, _, id_, _ in repository.committed(repository.commit_id("HEAD"))}
        differing = [each for each in own if not _is_committed(each, top, committed)]
        if differing:
            more = f" and {counted(len(differing) - 1, 'other file')}" if len(differing) > 1 else ""
            what = f"{differing[0]}{more}: git has not committed all of the content"
            raise UsageError(f"{what}; commit or stash it, so that you can undo the renames, or pass --force")


def _is_committed(path: str, top: str, committed: Mapping[bytes, bytes]) -> bool:
    name = os.fsencode(os.path.relpath(os.path.realpath(path), top).replace(os.sep, "/"))
    with open_file(os.path.realpath(path)) as file:
        content = file.read()
    wanted = committed.get(name, b"")
    kind = "sha256" if len(wanted) == 32 else "sha1"
    return wanted in (_blob(each, kind) for each in (content, content.replace(b"\r\n", b"\n")))


def _blob(content: bytes, kind: str) -> bytes:
    """Return the id of a content as git computes it."""
    return hashlib.new(kind, b"blob %d\0%b" % (len(content), content), usedforsecurity=False).digest()
