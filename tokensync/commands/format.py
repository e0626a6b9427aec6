"""Write token files in canonical form."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from tokensync.project.sources import chosen_files, other_files, strays
from tokensync.system.boundary import is_within, resolved_file, resolved_folder
from tokensync.system.disk import content_of, open_file, replace_file, spelled
from tokensync.system.errors import ProblemsError, UsageError
from tokensync.system.problems import Problem, problem
from tokensync.system.token_files import files_below, files_of
from tokensync.system.wording import argument, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.dtcg.assembly import LockedValue
    from tokensync.dtcg.formatting import Known
    from tokensync.project.configuration import Project

_RESOLVER = ".resolver.json"
SUFFIXES = (".tokens.json", ".tokens", _RESOLVER)


class Formatted(NamedTuple):
    """The files that were examined, those that were or would be rewritten, and those of other tools, which stay as they
    are. ``problems`` are those of invalid values, which stay as they are, too.
    """

    seen: tuple[str, ...]
    changed: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def format_files(
    paths: Sequence[str],
    *,
    check: bool = False,
    allow_outside: bool = False,
    project: Callable[[], Project | None] = lambda: None,
    before_writing: Callable[[Sequence[str]], None] = lambda _: None,
) -> Formatted:
    """Write token files, and those in folders, in canonical form; with ``check``, write nothing.

    The files of another tool's resolver document in a folder stay as they are. ``project`` returns the project of the
    files, whose lock tells which part of a colour was edited. ``allow_outside`` permits links that lead a path out of
    its git work tree. ``before_writing`` gets the files that change, and may raise an error. Raises ProblemsError with
    the problems of all invalid files before any file is written, and for folders without token files.
    """
    from tokensync.dtcg import format_bytes

    problems: list[Problem] = []
    invalid: list[Problem] = []
    fresh: dict[str, bytes] = {}
    foreign: list[str] = []
    targets = dict(_token_files(paths, foreign, allow_outside=allow_outside))
    if not targets and not foreign:
        raise ProblemsError([_absent(path, project()) for path in paths])
    values_in, known_in = cache(partial(_locked_values, project)), cache(_known_beside)
    for path, target in targets.items():
        with open_file(target) as file:
            content = file.read()
        folder = _folder_of_file(target)
        try:
            formatted = format_bytes(
                content,
                target,
                locked=lambda *where, folder=folder: values_in(folder)(*where),
                known=partial(known_in, folder),
                invalid=invalid,
            )
        except ProblemsError as stop:
            problems += stop.problems
        else:
            if formatted != content.replace(b"\r\n", b"\n"):  # git controls line ends
                fresh[path] = formatted
    if problems:
        raise ProblemsError(problems)
    if not check:
        before_writing(tuple(fresh))
        for path, content in fresh.items():
            replace_file(targets[path], content, text=True)
    return Formatted(tuple(targets), tuple(fresh), tuple(foreign), tuple(invalid))


def _absent(folder: str, project: Project | None) -> Problem:
    to_do = "run tokensync pull to write them, or name a folder that has some"
    is_own = project is not None and is_within(os.path.realpath(folder), os.path.realpath(project.tokens_folder))
    if project is not None and is_own and (others := other_files(project, strays(project))):
        source = others[0] if len(others) == 1 else os.path.commonpath(others) or "."
        to_do = f"run tokensync migrate {argument(source)} to make token files of {listed(others)}, or {to_do[4:]}"
    return problem("token-files-absent", folder, f"there are no files that end with {', '.join(SUFFIXES)}", to_do)


def _locked_values(project: Callable[[], Project | None], folder: str) -> LockedValue:
    """Return the last synchronised values of the tokens of a design file's folder, if it is one of the project's."""
    from tokensync.dtcg.reading import no_lock
    from tokensync.project.lock import locked_values

    of = project()
    if of is None or not is_within(os.path.realpath(folder), os.path.realpath(of.tokens_folder)):
        return no_lock
    return locked_values(of.folder, os.path.basename(folder))


def _folder_of_file(target: str) -> str:
    """Return the folder of the design file that a token file belongs to."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(target)))
    return os.path.dirname(folder) if os.path.basename(folder).startswith(".") else folder


def _known_beside(folder: str) -> Known:
    """Return the types and ids of tokens in the files of all modes, which are in folders of a design file's folder."""
    from tokensync.dtcg.formatting import known_in

    folders = [entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    paths = [os.path.join(folder, name) for folder in sorted(folders) for name in sorted(os.listdir(folder))]
    contents = (content_of(path) for path in paths if path.endswith(SUFFIXES[0]))
    return known_in(content for content in contents if content is not None)


def paths_of(project: Project, files: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the paths of these files' token files; the whole tokens folder without ``files``.

    Raises ProblemsError if the folder of a file is a link, and if the resolver document of one of ``files`` is another
    tool's.
    """
    from tokensync.dtcg import refuse_foreign

    root = project.tokens_folder
    refuse_foreign(root, *files)
    chosen = chosen_files(project, files) if files else project.config.files
    by_file = {file.name: _token_paths(files_of(root, file.name)) for file in chosen}
    if not files:
        return (root,)
    return tuple(os.path.join(root, path) for name, paths in by_file.items() for path in paths or (name,))


def _token_paths(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.endswith(SUFFIXES)]


def _token_files(paths: Sequence[str], foreign: list[str], *, allow_outside: bool) -> Iterator[tuple[str, str]]:
    """Yield token files, and their paths with the links of their folders resolved.

    Files in folders that belong to another tool's resolver document are added to ``foreign`` instead.
    """
    for path in paths:
        real = resolved_folder(path, allow_outside=allow_outside)
        if os.path.isdir(path):
            files = _token_paths(files_below(real))
            kept = _foreign_files(real, files)
            for file in files:
                shown = os.path.join(path, os.path.relpath(file, real))
                if file in kept:
                    foreign.append(shown)
                else:
                    yield shown, file
        elif os.path.isfile(path):
            folder, name = os.path.split(resolved_file(path, allow_outside=allow_outside))
            yield path, os.path.join(folder, spelled(folder, name))
        else:
            raise UsageError(f"{path}: no such file or folder; name token files, or run tokensync pull first")


def _foreign_files(folder: str, files: Iterable[str]) -> set[str]:
    """Return the files of the resolver documents of other tools in a folder; ``files`` are all files below it."""
    from tokensync.dtcg import foreign_files

    kept: set[str] = set()
    for path in files:
        parent, name = os.path.split(path)
        if parent == folder and name.endswith(_RESOLVER):
            for file in foreign_files(folder, name.removesuffix(_RESOLVER)):
                kept.add(os.path.join(folder, *file.split("/")))
    return kept
