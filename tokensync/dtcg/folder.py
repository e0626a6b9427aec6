"""The tokens folder on disk. Only this module of the package reads and writes token files.

It handles ``<file>/<handle>/*.tokens.json``, the same files below ``.remote`` and the like, and
``<file>.resolver.json``. Links are not followed (``system.token_files``), and a file whose content does not change
is not written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.dtcg import cache
from tokensync.dtcg.formatting import format_bytes, in_present_layout, known_in
from tokensync.dtcg.parse import parsed
from tokensync.dtcg.reading import is_token_file, no_lock, read, unlisted_advice, unlisted_modes
from tokensync.dtcg.resolver import is_foreign
from tokensync.dtcg.spelling import RESOLVER_SUFFIX
from tokensync.dtcg.strays import strays_of
from tokensync.dtcg.writing import OutputText, Written, write, write_edits
from tokensync.system.disk import (
    Folders,
    content_of,
    folded,
    is_same_file,
    open_file,
    remove_file,
    replace_file,
    respell,
)
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.problems import Problem, problem
from tokensync.system.token_files import files_below, files_of, link_on_the_way, named_files

if TYPE_CHECKING:
    from tokensync.dtcg.assembly import LockedValue
    from tokensync.dtcg.preservation import Previous
    from tokensync.tokens import TokenGraph, Value


class Reading(NamedTuple):
    """The content of a tokens folder for one file.

    ``files`` maps the paths below the folder to contents. It is empty if there are no token files. ``is_foreign`` means
    that they belong to a resolver document of another tool.
    """

    graph: TokenGraph
    problems: tuple[Problem, ...]
    files: Mapping[str, bytes]
    is_foreign: bool = False


def read_folder(
    root: str,
    file: str,
    texts: Mapping[str, bytes] | None = None,
    *,
    like: TokenGraph | None = None,
    locked: LockedValue = no_lock,
) -> Reading:
    """Read the token files of ``file`` below the tokens folder ``root``. Problems name the paths with ``root``.

    ``texts`` are the contents of the files, as ``texts_of`` returns them, if they were already read. The graph shares
    equal tokens and values with the graph ``like``, which saves memory. ``locked`` is that of ``read``. Raises
    ProblemsError if the folder of ``file`` is a link.
    """
    files, foreign, strays = _listed(root, file, texts)
    below = f"{root.rstrip('/')}/"
    contents = _contents_of(files)
    digests = _digests_of(contents)
    entry = cache.entry_of(root, file, digests) if digests else None
    if entry is not None and os.path.exists(entry):
        del contents  # they take more memory than the graph
        if cached := cache.load(entry, file, like, shown_below=below):
            return Reading(cached[0], (*cached[1], *strays), files, foreign)
        contents = _contents_of(files)
        entry = entry if digests == _digests_of(contents) else None
    asked = False

    def watched(*where: Any) -> Value | None:
        nonlocal asked
        asked = True
        return locked(*where)

    graph, problems = read(contents, file, shown_below=below, locked=watched)
    is_of_files = not (asked or any(problem.severity == "error" for problem in problems))
    is_root_known = not problems or os.path.isabs(root)  # a relative one, such as e, occurs in other words, too
    if entry is not None and is_of_files and is_root_known:
        cache.store(entry, file, graph, problems, shown_below=below)
    return Reading(graph, (*problems, *strays), contents, foreign)


class _Listing(NamedTuple):
    """The token files of a design file, whether they are those of another tool, and the problems of other files."""

    files: Mapping[str, bytes]
    is_foreign: bool
    strays: tuple[Problem, ...]


def _listed(root: str, file: str, texts: Mapping[str, bytes] | None) -> _Listing:
    present = _Texts(root, files_of(root, file)) if texts is None else texts
    resolver = present.get(file + RESOLVER_SUFFIX)
    named = named_files(resolver or b"")
    own = [path for path in present if path in named or is_token_file(path, file)]
    foreign = resolver is not None and is_foreign(parsed(resolver)[0], file, present.get)
    strays = strays_of(root, file, present, set(own), is_foreign=foreign)
    files = _Texts(root, own) if texts is None else {path: texts[path] for path in own}
    return _Listing(files, foreign, tuple(strays))


def strays_in(root: str, file: str, texts: Mapping[str, bytes]) -> tuple[Problem, ...]:
    """Return the problems of the files of ``file`` that ``read_folder`` does not read; ``texts`` are its arguments."""
    return _listed(root, file, texts).strays


def unlisted_in(root: str, file: str, texts: Mapping[str, bytes]) -> tuple[Problem, ...]:
    """Return the problems of the modes that the resolver document does not list, as ``read_folder`` reports them."""
    if foreign_files(root, file):
        return ()
    about = unlisted_advice(_joined(root, file + RESOLVER_SUFFIX))
    return tuple(
        problem("mode-unregistered", f"{_joined(root, mode)}:1:1 (#)", *about) for mode in unlisted_modes(texts, file)
    )


def foreign_files(root: str, file: str) -> tuple[str, ...]:
    """Return the paths of the resolver document of ``file`` and of the files that it names, if it is another tool's."""
    path = file + RESOLVER_SUFFIX
    content = None if link_on_the_way(root, path) else content_of(_joined(root, path))
    if content is None:
        return ()
    paths = (path, *sorted(named_files(content)))
    return paths if is_foreign(parsed(content)[0], file, _Texts(root, paths).get) else ()


def refuse_foreign(root: str, *files: str) -> None:
    """Raise ProblemsError if resolver documents of ``files`` are another tool's, whose files must stay unchanged."""
    foreign = [file for file in files if foreign_files(root, file)]
    others = " ".join(f"--file {file}" for file in files if file not in foreign)
    problems = []
    for file in foreign:
        where = _joined(root, file + RESOLVER_SUFFIX)
        what = "tokensync did not write this resolver document, so it only reads its files"
        to_do = f"build from it, or move it and its files to use the token files of {file}"
        to_do += f"; to continue with the other files, add {others}" if others else ""
        problems.append(problem("resolver-foreign", where, what, to_do))
    if problems:
        raise ProblemsError(problems)


def _contents_of(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: content for path in files if (content := files.get(path)) is not None}


def _digests_of(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the digest of each file; no digests if nothing is cached, or if the files are too small for it."""
    if not cache.is_on() or sum(map(len, contents.values())) < cache.LEAST:
        return {}
    return {path: sha256(content).digest() for path, content in contents.items()}


class _Texts(Mapping[str, bytes]):
    """The contents of files below a folder by path, read on each access.

    The contents of a large folder take more memory than its graph, and callers with a graph seldom need them.
    """

    def __init__(self, root: str, paths: Sequence[str]) -> None:
        self._root = root
        self._paths = dict.fromkeys(paths)

    def __getitem__(self, path: str) -> bytes:
        content = content_of(_joined(self._root, path)) if path in self._paths else None
        if content is None:
            raise KeyError(path)
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def present_files(root: str, file: str) -> Mapping[str, bytes]:
    """Return the files of a design file, also those that ``read_folder`` does not read. Each access reads the disk."""
    return _Texts(root, files_of(root, file))


class Outputs(NamedTuple):
    """The token files of a graph, and the problems of members that the files cannot keep."""

    files: tuple[OutputText, ...]
    problems: tuple[Problem, ...] = ()


def outputs_of(root: str, file: str, graph: TokenGraph, previous: Previous | None = None) -> Outputs:
    """Return the token files of ``file`` in the graph.

    ``previous`` describes the present token files; their foreign members and their layout are preserved.
    """
    if previous is None:
        return Outputs(write(graph, file))
    written = write_edits(graph, file, previous, f"{root.rstrip('/')}/")
    return Outputs(_in_present_layouts(root, written), written.problems)


def _in_present_layouts(root: str, written: Written) -> tuple[OutputText, ...]:
    """Return the files in the layout, and with the line ends, of those that they replace."""
    kept: list[OutputText] = []
    for output in written.files:
        content = output.content
        with suppress(OSError), open_file(_joined(root, output.path)) as file:
            content = in_present_layout(file.read(), content, output.path, written.former.get(output.path, {}))
        kept.append(OutputText(output.path, content))
    return tuple(kept)


def _with_lf(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _digest_of(root: str, path: str) -> bytes:
    with suppress(OSError):
        content = content_of(_joined(root, path))
        return b"" if content is None else sha256(content).digest()
    return b""


def changed_files(root: str, file: str, outputs: Sequence[OutputText]) -> tuple[str, ...]:
    """Return the paths that ``write_folder`` would write or remove, sorted.

    Raises UsageError for a path that is not a token file of ``file``, or that contains a link, and ProblemsError if
    the files belong to a resolver document of another tool.
    """
    return _changes(root, file, outputs)[0]


def _changes(root: str, file: str, outputs: Sequence[OutputText]) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Return the paths of ``changed_files``, and the files whose paths change in case alone."""
    refuse_foreign(root, file)
    contents = {output.path: output.content for output in outputs}
    for path in contents:
        _refuse_strays(root, file, path)
    respelled = _respelled(root, file, contents)
    present = [path for path in files_of(root, file) if is_token_file(path, file)]
    known = {*present} - {*respelled.values()}
    to_write = (
        path
        for path, text in contents.items()
        if path not in known or content_of(_joined(root, path)) != _with_lf(text)
    )
    to_remove = (path for path in present if path not in contents and path not in respelled)
    return tuple(sorted({*to_write, *to_remove})), respelled


def _respelled(root: str, file: str, kept: Iterable[str]) -> dict[str, str]:
    """Return the files whose paths on disk differ in case alone from ``kept`` paths, with the latter.

    That is possible on file systems that ignore case, where removing one removes the file that was just written.
    """
    by_name = {folded(path): path for path in kept}
    present: list[str] = []
    for name in os.listdir(root) if os.path.isdir(root) else ():
        if is_same_file(os.path.join(root, name), os.path.join(root, file)):
            below = files_below(os.path.join(root, name))
            present += (os.path.relpath(path, root).replace(os.sep, "/") for path in below)
        elif folded(name) == folded(f"{file}{RESOLVER_SUFFIX}"):
            present.append(name)
    pairs = ((path, by_name.get(folded(path), path)) for path in present)
    return {
        path: wanted
        for path, wanted in pairs
        if path != wanted and is_same_file(_joined(root, path), _joined(root, wanted))
    }


def write_folder(root: str, file: str, outputs: Sequence[OutputText], *, log: str = "") -> tuple[str, ...]:
    """Write the token files of ``file``, each atomically, remove all others, and return the changed paths.

    ``log`` is the path of a file that then holds all changes, for ``finish_writing``, until its owner removes it.
    Raises the errors of ``changed_files`` before writing.
    """
    contents = {output.path: output.content for output in outputs}
    paths, respelled = _changes(root, file, outputs)
    changes = {path: contents.get(path) for path in paths}
    for former, path in respelled.items():
        respell(root, former, path)
    if log and changes:
        steps = [
            _Change(path, _digest_of(root, path).hex(), None if text is None else text.decode())
            for path, text in changes.items()
        ]
        replace_file(log, msgspec.json.encode(steps))
    _write(root, file, changes)
    return tuple(changes)


def finish_writing(root: str, file: str, log: str) -> None:
    """Make the changes that a ``write_folder`` with this log has not made because its process died."""
    changes = half_written(root, file, log)
    for path in changes:
        _refuse_strays(root, file, path)
    _write(root, file, changes)


def half_written(root: str, file: str, log: str, *, or_wholly: bool = False) -> dict[str, bytes | None]:
    """Return the changes of a ``write_folder`` with this log, by path, if some of them are made and some are not.

    With ``or_wholly``, also return them if all are made, and only the owner of the log did not finish its work. Return
    no changes if a file has another content now: somebody has taken over.
    """
    with suppress(*DECODE_ERRORS):
        changes = msgspec.json.decode(content_of(log) or b"[]", type=list[_Change])
        contents = {change.path: None if change.after is None else change.after.encode() for change in changes}
        after = {path: "" if text is None else sha256(_with_lf(text)).hexdigest() for path, text in contents.items()}
        now = {path: _digest_of(root, path).hex() for path in contents if is_token_file(path, file)}
        made = {path for path, digest in now.items() if digest == after[path]}
        missing = {change.path for change in changes if now.get(change.path) == change.before} - made
        if made and (missing or or_wholly) and len(made) + len(missing) == len(contents):
            return contents
    return {}


class _Change(msgspec.Struct):
    """A token file that changes: the digest of its content, empty if there is none, and its new content, if any."""

    path: str
    before: str
    after: str | None


def _write(root: str, file: str, changes: Mapping[str, bytes | None]) -> None:
    # The resolver document is written when its sources exist, and before others are removed: if the process dies in
    # between, the folder can still be read.
    with Folders() as folders:
        for path in sorted(changes, key=lambda each: each == f"{file}{RESOLVER_SUFFIX}"):
            content = changes[path]
            if content is not None:
                replace_file(_joined(root, path), content, text=True, folders=folders)
        for path, content in changes.items():
            if content is None:
                with suppress(FileNotFoundError):
                    remove_file(_joined(root, path), root, folders)


def replace_files(root: str, file: str, contents: Mapping[str, bytes], removed: Sequence[str] = ()) -> None:
    """Write some token files of ``file``, each atomically and in this order, then remove others.

    Raises UsageError for an invalid path before anything is written.
    """
    for path in (*contents, *removed):
        _refuse_strays(root, file, path)
    with Folders() as folders:
        for path, content in contents.items():
            replace_file(_joined(root, path), content, text=True, folders=folders)
        for path in removed:
            remove_file(_joined(root, path), root, folders)


def write_edited_colors(root: str, file: str, locked: LockedValue) -> None:
    """Write the token files in which the lock decides about a colour in canonical form.

    After that, the lock may change without changing the colour.
    """
    reading = read_folder(root, file, locked=locked)
    formatted = with_edited_colors(reading.files, reading.problems, root, locked)
    if not formatted:
        return
    with Folders() as folders:
        for path, content in formatted.items():
            replace_file(_joined(root, path), content, text=True, folders=folders)


def with_edited_colors(
    files: Mapping[str, bytes], problems: Iterable[Problem], root: str, locked: LockedValue
) -> dict[str, bytes]:
    """Return the token files in which the lock decides about a colour, in canonical form with their line ends.

    ``problems`` are those of reading the files below ``root``.
    """
    edited = [problem.where for problem in problems if problem.code == "color-edited"]
    found: dict[str, bytes] = {}
    for path, content in files.items() if edited else ():
        if any(each.startswith(f"{root.rstrip('/')}/{path}:") for each in edited):
            formatted = format_bytes(
                content, path, locked=locked, known=lambda: known_in(files.values()), only_edited=True
            )
            found[path] = formatted.replace(b"\n", b"\r\n") if b"\r\n" in content else formatted
    return found


def _joined(root: str, path: str) -> str:
    return os.path.join(root, *path.split("/"))


def _refuse_strays(root: str, file: str, path: str) -> None:
    steps = path.split("/")
    unsafe = any(step in ("", ".", "..") or "\\" in step or "\0" in step or os.path.isabs(step) for step in steps)
    if unsafe or not is_token_file(path, file):
        raise UsageError(f"{path[:200]}: this is not a valid path for a token file of {file}; give it a plain name")
    if link := link_on_the_way(root, path):
        raise UsageError(f"{link}: this is a link, and tokens are not written through links; remove it")
