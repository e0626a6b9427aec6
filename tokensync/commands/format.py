"""Write token files in canonical form."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.boundary import resolved_file, resolved_folder
from tokensync.disk import open_file, replace_file
from tokensync.errors import ProblemsError, UsageError
from tokensync.project.sources import chosen_files
from tokensync.token_files import files_below, files_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.problems import Problem
    from tokensync.project.configuration import Project

SUFFIXES = (".tokens.json", ".tokens", ".resolver.json")


class Formatted(NamedTuple):
    """The files that were examined, and those that were or would be rewritten."""

    seen: tuple[str, ...]
    changed: tuple[str, ...]


def format_files(paths: Sequence[str], *, check: bool = False, allow_outside: bool = False) -> Formatted:
    """Write token files, and those in folders, in canonical form; with ``check``, write nothing.

    ``allow_outside`` permits links that lead a path out of its git work tree. Raises ProblemsError with the problems of
    all invalid files before any file is written.
    """
    from tokensync.dtcg import format_bytes

    problems: list[Problem] = []
    fresh: dict[str, bytes] = {}
    targets = dict(_token_files(paths, allow_outside=allow_outside))
    for path, target in targets.items():
        with open_file(target) as file:
            content = file.read()
        try:
            formatted = format_bytes(content, path)
        except ProblemsError as stop:
            problems += stop.problems
        else:
            if formatted != content.replace(b"\r\n", b"\n"):  # git controls line ends
                fresh[path] = formatted
    if problems:
        raise ProblemsError(problems)
    if not check:
        for path, content in fresh.items():
            replace_file(targets[path], content)
    return Formatted(tuple(targets), tuple(fresh))


def paths_of(project: Project, files: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the paths of these files' token files; the whole tokens folder without ``files``.

    Raises ProblemsError if the folder of a file is a link.
    """
    root = project.tokens_folder
    chosen = chosen_files(project, files) if files else project.config.files
    by_file = {each.name: _token_paths(files_of(root, each.name)) for each in chosen}
    if not files:
        return (root,)
    return tuple(os.path.join(root, path) for name, paths in by_file.items() for path in paths or (name,))


def _token_paths(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.endswith(SUFFIXES)]


def _token_files(paths: Sequence[str], *, allow_outside: bool) -> Iterator[tuple[str, str]]:
    """Yield token files, and their paths with the links of their folders resolved."""
    for path in paths:
        real = resolved_folder(path, allow_outside=allow_outside)
        if os.path.isdir(path):
            for each in _token_paths(files_below(real)):
                yield os.path.join(path, os.path.relpath(each, real)), each
        elif os.path.isfile(path):
            yield path, resolved_file(path, allow_outside=allow_outside)
        else:
            raise UsageError(f"{path}: no such file or folder; name token files, or run tokensync pull first")
