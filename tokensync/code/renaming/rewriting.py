"""Rewrite code to new identifiers of tokens: read renames and files, and write or show what changes.

``rewrite`` is pure: by tokens of the language, only identifiers change, by their positions. What is no code for
certain, such as a name in a string, is a finding and stays as it is. So does the use of a ``manual`` rename.

In a release in which old names stay, a file of aliases has each new name, which reads the old one, so that overrides
of the old one work.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.code.files import STYLE_SHEETS, Edit, code_files, parts
from tokensync.code.lexers import LANGUAGES, tokens
from tokensync.code.renaming.renames import Rename, as_variable, bare, escaped, read_renames
from tokensync.code.renaming.uses import Declared, Markup, Mentions, Program, StyleSheet, Use, UseKind
from tokensync.project.configuration import Project, error_location, locator, toml_document
from tokensync.project.outputs import names_tokensync
from tokensync.project.sources import read_file
from tokensync.system.disk import content_of, relative_path, replace_files
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.git import uncommitted
from tokensync.system.positions import lines_and_columns, offsets, pointer_text, replaced
from tokensync.system.problems import problem
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from tokensync.code.renaming.renames import InvalidRename, Platform, Renames


Marker = Literal["warn", "manual", "string", "comment", "built", "tools", "file", "text"]
"""What a finding is: ``warn`` has been rewritten, the others have not."""

_PLATFORMS: dict[str, Platform] = {"kotlin": "android", "java": "android", "swift": "ios", "ts": "ts", "tsx": "ts"}
_CODE_OF: dict[str, tuple[Platform, ...]] = {
    **dict.fromkeys((".m", ".mm", ".h"), ("ios",)), ".gradle": ("android",), ".mdx": ("ts",)
}  # fmt: skip
"""The platforms whose names of code are looked for in languages without a lexer."""


class Finding(NamedTuple):
    """A use to look at: its marker, its line and column from 1, the old and the new name, and what to do."""

    marker: Marker
    line: int
    column: int
    old: str
    new: str
    what: str


class Choices(Struct, frozen=True):
    """What to rewrite. The declarations of ``kept`` renames stay, because the new names read the old ones.

    ``repeated`` are renames that a former run has made in the same text. They are not made again, and are listed
    unless the text ``is_unchanged`` since.
    """

    strings: bool = False
    comments: bool = False
    kept: frozenset[Rename] = frozenset()
    repeated: frozenset[Rename] = frozenset()
    is_unchanged: bool = False


class Rewritten(NamedTuple):
    """The edits of a text in order, the findings, the declared old names, and the renames that were written."""

    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]
    declared: tuple[Declared, ...]
    written: frozenset[Rename]


class Codemod:
    """Renames, prepared for many texts."""

    def __init__(self, renames: Renames) -> None:
        self.renames = renames
        self._mentions = Mentions(renames)
        names = [rename.old for rename in renames.all if rename.form != "property"]
        names += (name for _, name in renames.resources)
        self._words = frozenset(re.findall(r"[\w-]+", as_variable(name))[-1] for name in names)
        self._has_properties = any(rename.form == "property" for rename in renames.all)

    def rewrite(self, path: str, text: str, choices: Choices = Choices()) -> Rewritten:  # noqa: B008 - it is frozen
        """Return the edits and findings of a file's text. Only the end of the path decides about the language."""
        uses = [*_uses_of_path(path, self.renames)]
        sheets: list[StyleSheet] = []
        if self._may_have_uses(text):
            uses += self._uses(path, text, sheets)
        declared = tuple(declared for sheet in sheets for declared in sheet.declared)
        old = {declaration.rename for declaration in declared} - choices.kept
        what = "the file declares the new name already; remove one of the two declarations"
        new = (declaration for sheet in sheets for declaration in sheet.new if declaration[2] in old)
        uses += (Use(start, end, rename, "present", (), what, rename.new) for start, end, rename in new)
        return _decided(text, uses, declared, choices)

    def _may_have_uses(self, text: str) -> bool:
        """Return whether a text may have an old or new name, as a cheap check before it is read."""
        has_property = self._has_properties and ("--" in text or "\\" in text)
        return has_property or not self._words.isdisjoint(re.findall(r"[\w-]+", as_variable(text)))

    def _uses(self, path: str, text: str, sheets: list[StyleSheet]) -> Iterator[Use]:
        suffix = os.path.splitext(path)[1].lower()
        for language, start, end in parts(path, text):
            if language not in LANGUAGES:
                platforms = ("ts",) if language == "html" else _CODE_OF.get(suffix, ())
                yield from self._mentions.properties(text, start, end, "text")
                yield from self._mentions.resources(text, start, end, "text")
                yield from self._mentions.members(text, start, end, "text", platforms)
                continue
            found = tokens(text, language, start, end)
            if language in STYLE_SHEETS:
                sheets.append(StyleSheet(text, language, self._mentions))
                yield from sheets[-1].uses(found)
            elif language == "xml":
                yield from Markup(text, self._mentions).uses(found)
            else:
                yield from Program(text, _PLATFORMS[language], self._mentions).uses(found)


def _uses_of_path(path: str, renames: Renames) -> Iterator[Use]:
    """Yield a use if a file or folder itself has the name: a state list in res/color, a colour of an asset catalog."""
    folder, name = os.path.split(path.replace("\\", "/"))
    parent = folder.rpartition("/")[2]
    if name.endswith(".xml"):
        rename = renames.resources.get((parent.partition("-")[0], name.partition(".")[0]))
    elif name == "Contents.json" and parent.endswith(".colorset"):
        rename = next(iter(renames.members.get("ios", {}).get(parent.rpartition(".")[0], ())), None)
    else:
        return
    if rename is not None:
        yield Use(0, 0, rename, "file")


def _decided(text: str, uses: Sequence[Use], declared: tuple[Declared, ...], choices: Choices) -> Rewritten:
    """Return what becomes of each use."""
    edits: set[Edit] = set()
    written: set[Rename] = set()
    listed: list[tuple[Use, Marker, str]] = []
    for use in sorted(uses, key=lambda use: use[:2]):
        is_written, marker, what = _decision(use, choices)
        if is_written:
            edits.update(Edit(*edit) for edit in use.edits)
            written.add(use.rename)
        if marker is not None:
            listed.append((use, marker, what))
    lines = [match.start() for match in re.finditer("\n", text)] if listed else []
    findings: dict[Finding, None] = {}
    for use, marker, what in listed:
        line = bisect_left(lines, use.start)
        column = use.start - (lines[line - 1] if line else -1)
        findings[Finding(marker, line + 1, column, use.name or use.rename.old, use.rename.new, what)] = None
    return Rewritten(tuple(_apart(edits)), tuple(findings), declared, frozenset(written))


def _apart(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield edits in order, without those that overlap one before."""
    at = 0
    for edit in sorted(edits):
        if edit.start >= at:
            at = edit.end
            yield edit


_LISTED: dict[UseKind, tuple[Marker, str]] = {
    "string": ("string", "this is in a string; change it by hand, or pass --strings"),
    "key": ("string", "this string or key has the name; change it by hand if it means the token"),
    "comment": ("comment", "this is in a comment; pass --comments to change it"),
    "tools": ("tools", "only Android Studio reads tools: attributes; change it by hand"),
    "built": ("built", "the code builds the name when it runs; change it by hand"),
    "word": ("manual", "other things have this name, too; name its owner in the renames, such as Tokens.{old}"),
    "owner": ("manual", "the new name has an owner that cannot be added here; change it by hand"),
    "system": ("manual", "SwiftUI or UIKit has a colour of this name, too; change by hand what means the token"),
    "file": ("file", "the file or folder itself has the name; rename it"),
    "text": ("text", "this language is not read; change it by hand"),
}


def _decision(use: Use, choices: Choices) -> tuple[bool, Marker | None, str]:
    """Return whether a use is written, the marker if it is a finding, and what to do."""
    rename, kind = use.rename, use.kind
    if kind == "present":
        return False, "warn", use.remark
    is_manual = rename.role == "manual"
    can_be_written = (
        kind in ("code", "declaration")
        or (kind == "string" and choices.strings)
        or (kind == "comment" and choices.comments)
    )
    if is_manual and kind != "comment":
        return False, "manual", rename.note or "no new name is safe; change it by hand"
    if is_manual or not can_be_written:
        marker, what = _LISTED[kind]
        return False, marker, use.remark or what.format(old=rename.old)
    if rename in choices.repeated:
        what = "an earlier run has renamed to this name here, so it may be the new one; change it by hand"
        return False, None if choices.is_unchanged else "manual", what
    if kind == "declaration" and rename in choices.kept:
        return False, None, ""
    what = use.remark or (rename.note or "check this use" if rename.role == "warn" else "")
    return True, "warn" if what else None, what


_CONTEXT = 3
"""The lines before and after a change in a patch."""


def patch(path: str, text: str, edits: Sequence[Edit]) -> Iterator[str]:
    """Yield the lines of a unified diff, without their ends, in time linear in the text."""
    lines, starts = _lines(text)
    hunks: list[list[_Block]] = []
    for edit in edits:
        first, last = bisect_right(starts, edit.start) - 1, bisect_right(starts, max(edit.start, edit.end - 1)) - 1
        before = hunks[-1][-1] if hunks else None
        if before and first <= before.last + 1:
            before.edits.append(edit)
            hunks[-1][-1] = before._replace(last=max(last, before.last))
        elif before and first - before.last <= 2 * _CONTEXT:
            hunks[-1].append(_Block(first, last, [edit]))
        else:
            hunks.append([_Block(first, last, [edit])])
    yield f"--- {path}" if text else "--- /dev/null"
    yield f"+++ {path}"
    shift = 0
    for hunk in hunks:
        body: list[str] = []
        top = at = max(0, hunk[0].first - _CONTEXT)
        for first, last, made in hunk:
            start, end = starts[first], starts[last + 1] if last + 1 < len(starts) else len(text)
            new = replaced(text[start:end], [(edit.start - start, edit.end - start, edit.text) for edit in made])
            body += (f" {line}" for line in lines[at:first])
            body += (f"-{line}" for line in lines[first : last + 1])
            body += (f"+{line}" for line in _lines(new)[0])
            at = last + 1
        body += (f" {line}" for line in lines[at : at + _CONTEXT])
        old, added = (sum(line[:1] in marks for line in body) for marks in (" -", " +"))
        yield f"@@ -{top + bool(old)},{old} +{top + shift + bool(added)},{added} @@"
        yield from body
        shift += added - old


def _lines(text: str) -> tuple[list[str], list[int]]:
    """Return the lines of a text without their ends, and the offsets where they start."""
    lines = text.split("\n")
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return (lines[:-1], starts[:-1] or [0]) if not lines[-1] else (lines, starts)


class _Block(NamedTuple):
    """A change of neighbouring lines: the first and the last of them, and the edits in them."""

    first: int
    last: int
    edits: list[Edit]


_HEADER = "Generated by tokensync. Do not edit."
_PURPOSE = "The new names read the old ones. Delete this file together with the old names."
_VALUES = frozenset(("bool", "color", "dimen", "drawable", "fraction", "integer", "string"))
"""Types of resources whose element has their name."""
_FRAMEWORKS = {"Color": "SwiftUI", "UIColor": "UIKit", "NSColor": "AppKit"}
"""The types of colours in Swift, and where they are declared."""
_SELECTOR = re.compile(r"[^{};@/]+")


SUFFIXES = (".css", ".scss", ".xml", ".swift")
"""The suffixes of files of aliases."""


def aliased(suffixes: Collection[str], renames: Renames) -> tuple[Rename, ...]:
    """Return the renames that files with these suffixes have aliases for.

    There is none if the units differ, if the new name is the old name of another rename, and in languages that need
    the type of the value for it.
    """
    old = {rename.old for rename in renames.guarded}
    return tuple(
        rename
        for rename in renames.all
        if rename.can_alias and rename not in renames.guarded and rename.new not in old and _suffix(rename) in suffixes
    )


def _suffix(rename: Rename) -> str:
    """Return the suffix of the file that can have an alias for a rename; an empty text if there is none."""
    if rename.form == "member":
        owner, _, _ = bare(rename.new).rpartition(".")
        return ".swift" if rename.owners == (owner,) and owner in _FRAMEWORKS else ""
    return {"property": ".css", "variable": ".scss", "resource": ".xml"}[rename.form]


def aliases(suffix: str, renames: Sequence[Rename], declared: Iterable[Declared]) -> str:
    """Return the file with this suffix of aliases for those of the renames that it can have.

    ``declared`` are the declarations of old names in the code.
    """
    own = [rename for rename in renames if _suffix(rename) == suffix]
    match suffix:
        case ".css":
            lines = _css(own, declared)
        case ".scss":
            lines = [f"// {_HEADER}", f"// {_PURPOSE}", *(f"{rename.new}: {rename.old} !default;" for rename in own)]
        case ".xml":
            lines = _xml(own)
        case _:
            lines = _swift(own)
    return "\n".join((*lines, ""))


def _css(renames: Sequence[Rename], declared: Iterable[Declared]) -> list[str]:
    """Return a rule for each set of selectors that declare old names: an alias is computed where it is declared."""
    selectors: dict[Rename, dict[str, None]] = {}
    for rename, selector in declared:
        if _SELECTOR.fullmatch(selector):
            selectors.setdefault(rename, {})[" ".join(selector.split())] = None
    rules: dict[tuple[str, ...], list[Rename]] = {}
    for rename in renames:
        rules.setdefault(tuple(selectors.get(rename, {":root": None})), []).append(rename)
    lines = [f"/* {_HEADER} */", f"/* {_PURPOSE} */"]
    for names, own in rules.items():
        lines += [",\n".join(names) + " {"]
        lines += (f"  {escaped(rename.new)}: var({escaped(rename.old)});" for rename in own)
        lines += ["}"]
    return lines


def _xml(renames: Sequence[Rename]) -> list[str]:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<!-- {_HEADER} -->", f"<!-- {_PURPOSE} -->", "<resources>"]
    for rename in renames:
        kind, _, new = rename.new.partition("/")
        tag, attributes = (kind, "") if kind in _VALUES else ("item", f'type="{kind}" ')
        lines.append(f'    <{tag} {attributes}name="{new}">@{rename.old}</{tag}>')
    return [*lines, "</resources>"]


def _swift(renames: Sequence[Rename]) -> list[str]:
    owners = dict.fromkeys(rename.owners[0] for rename in renames)
    lines = [f"// {_HEADER}", f"// {_PURPOSE}", *(f"import {_FRAMEWORKS[owner]}" for owner in owners)]
    for owner in owners:
        lines += ["", f"extension {owner} {{"]
        for old, new in ((rename.old, rename.new) for rename in renames if rename.owners == (owner,)):
            lines += [f"    static var {new.rpartition('.')[2]}: {owner} {{ {owner}.{old.rpartition('.')[2]} }}"]
        lines += ["}"]
    return lines


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
    codemod, of_codemod = Codemod(renames), Choices(choices.strings, choices.comments, frozenset(kept))
    special = {os.path.realpath(path) for path in (renames_path, record.path, *choices.keep_old)}
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
        done = codemod.rewrite(path, text, record.choices(path, content, of_codemod))
        declared += done.declared
        findings += ((path, finding) for finding in done.findings)
        if done.edits:
            contents[path] = replaced(text, done.edits).encode("utf-8", "surrogateescape")
            lines = () if choices.write else tuple(patch(path, text, done.edits))
            changed.append(ChangedFile(path, len(done.edits), lines))
            record.add(path, content, contents[path], done)
    if not files:
        what = f"{' '.join(paths)}: there is no code that tokensync did not write"
        raise UsageError("; ".join((what, "name other files or folders of code", *unread[:1])))
    new_files = list(_alias_files(choices, kept, declared, contents))
    renamed = [rename for rename in renames.all if rename.role != "manual" and rename.old != rename.new]
    without = [rename.old for rename in renamed if suffixes and rename not in kept]
    if choices.write:
        _write(contents, record.path, record.content(paths), [file.path for file in changed], force=choices.force)
    return CodeMigration(files, tuple(changed), tuple(findings), tuple(new_files), tuple(without), tuple(unread))


# --- the renames file -----------------------------------------------------------------------------------------------


def _renames(path: str) -> Renames:
    raw = read_file(path)
    is_json = path.lower().endswith(".json")
    document = _json(raw, path) if is_json else toml_document(raw, path, "renames-invalid", _FIX)
    renames, invalid = read_renames(document)
    locate = _json_locator(raw, path, invalid) if is_json else locator(raw, path)
    problems = [problem("renames-invalid", locate(steps), what, what_to_do) for steps, what, what_to_do in invalid]
    if not (problems or renames.all):
        to_do = 'add a table such as [css] with "--old" = "--new"'
        problems = [problem("renames-invalid", path, "there are no renames in it", to_do)]
    if problems:
        raise ProblemsError(problems)
    return renames


def _json(raw: bytes, path: str) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            what = f"{Counter(name for name, _ in pairs).most_common(1)[0][0]!r} occurs more than once in an object"
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
    found = offsets(raw, [rename.steps for rename in invalid])
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
    return frozenset(os.path.splitext(path)[1].lower() for path in paths)


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
        self._guarded = {f"{rename.platform} {rename.old} -> {rename.new}": rename for rename in renames.guarded}
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
        return tuple(dict.fromkeys(name for names in made for name in names))

    def choices(self, path: str, content: bytes, choices: Choices) -> Choices:
        """Return the choices for a file, with the renames that have been made in it."""
        if not self._runs.paths:
            return choices
        name = self._name(path)
        entry, made, digest = self._runs.files.get(name), self._made_in(name), _digest(content)
        is_known = entry is not None and digest in (entry.before, entry.after)
        if entry is not None:
            made = entry.earlier if digest == entry.before else _joined(entry.renames, made)
        repeated = frozenset(self._guarded[name] for name in made if name in self._guarded)
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
        for name in map(self._name, paths):
            of_paths[name] = _joined(of_paths.get(name, ()), tuple(sorted(self._guarded)))
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
    """Write all files or none, the record first: what it names and is not written, the next run writes.

    Raises UsageError if git could not restore one of the files of code. Those outside of work trees are not checked.
    """
    every = {**({} if recorded is None else {record: recorded}), **contents}
    if differing := [] if force else uncommitted(code, "--write", "pass --force"):
        more = f" and {counted(len(differing) - 1, 'other file')}" if len(differing) > 1 else ""
        what = f"{differing[0]}{more}: git has not committed all of the content"
        raise UsageError(f"{what}; commit or stash it, so that you can undo the renames, or pass --force")
    if every:
        replace_files({os.path.abspath(path): content for path, content in every.items()}, os.getcwd())
