"""The files of code at paths, and the parts of a file by language.

Not read are what tokensync wrote, saved responses, token files, folders of packages and of version control, links and
binary files.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, NamedTuple

from tokensync.code.lexers import LANGUAGES, language_of
from tokensync.system.disk import open_file
from tokensync.system.errors import UsageError
from tokensync.system.stat_manifest import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.project.configuration import Project

STYLE_SHEETS = ("css", "scss", "sass", "less")
SCRIPTS = ("ts", "tsx")
LARGEST = 4 << 20
"""The size in bytes of the largest file that is searched; larger ones are bundles and data."""
_OMITTED = frozenset(("node_modules", "bower_components", "Pods", "DerivedData", ".git", ".hg", ".svn", FOLDER))
_SECTIONS = (".html", ".htm", ".vue", ".svelte", ".astro")
"""Files with style sheets and scripts in elements."""
_MARK = "\ufeff"
"""A byte order mark."""
_SECTION = re.compile(r"<(style|script)\b([^<>]*)>", re.IGNORECASE)
_LANGUAGE = re.compile(r"""\blang\s*=\s*["']?(\w+)""")
_OTHER_WORDS = {"js": "tsx", "jsx": "tsx", "typescript": "ts", "postcss": "css", "pcss": "css"}


def has_language(path: str) -> bool:
    """Return whether a lexer reads a file, or parts of it."""
    return bool(language_of(path)) or path.lower().endswith(_SECTIONS)


class Part(NamedTuple):
    """A part of a text by offsets. ``language`` is that of a lexer, "html" for markup, or empty without one."""

    language: str
    start: int
    end: int


class Edit(NamedTuple):
    """A replacement of a part of a text, by offsets."""

    start: int
    end: int
    text: str


def parts(path: str, text: str) -> Iterator[Part]:
    """Yield the parts of a file's text in order. Only the end of the path decides about the language."""
    language = language_of(path)
    if language or not has_language(path):
        yield Part(language, len(text) - len(text.removeprefix(_MARK)), len(text))
        return
    at, lowered = 0, text.lower()
    while match := _SECTION.search(text, at):
        kind, named = match[1].lower(), _LANGUAGE.search(match[2])
        end = lowered.find(f"</{kind}", match.end())
        end = len(text) if end < 0 else end
        language = named[1].lower() if named else "css" if kind == "style" else "tsx"
        language = _OTHER_WORDS.get(language, language)
        yield Part("html", at, match.end())
        is_read = language in LANGUAGES and language in (*STYLE_SHEETS, *SCRIPTS)
        yield Part(language if is_read else "html", match.end(), end)
        at = end
    yield Part("html", at, len(text))


def code_files(
    paths: Sequence[str],
    unread: list[str],
    project: Project | None,
    *,
    option: str = "",
    is_wanted: Callable[[str], bool] = lambda path: True,
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each file of code at these paths and below them, once, as the module describes.

    Files that cannot be read are added to ``unread`` with the reason. Raises UsageError for a path that does not exist;
    ``option`` precedes it in the message. ``is_wanted`` selects files by path before they are read.
    """
    for path in filter(is_wanted, _files(project, paths, unread, option)):
        content = _content(path, unread)
        if content is not None:
            yield path, content


def _files(project: Project | None, paths: Sequence[str], unread: list[str], option: str) -> Iterator[str]:
    """Yield the files to search, without duplicates. Links below a path are not followed."""
    omitted = set()
    if project is not None:
        omitted = {os.path.realpath(each) for each in (project.tokens_folder, project.source)} | _listed(project.folder)
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(f"{option}{path}: no such file or folder; name files or folders of code")
        found = [(path, os.path.realpath(path))] if os.path.isfile(path) else _files_below(path, omitted, unread)
        for each, real in found:
            if real not in omitted:
                omitted.add(real)
                yield each


def _files_below(top: str, omitted: set[str], unread: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the files of code below a folder, with the path that has no links; add our outputs to ``omitted``."""
    from tokensync.project.outputs import MANIFEST

    def note(error: OSError) -> None:
        unread.append(f"{error.filename}: {error.strerror}")

    real_top = os.path.realpath(top)
    for folder, folders, files in os.walk(top, onerror=note):
        real = os.path.normpath(os.path.join(real_top, os.path.relpath(folder, top)))
        folders[:] = [
            folder for folder in sorted(folders) if folder not in _OMITTED and os.path.join(real, folder) not in omitted
        ]
        if MANIFEST in files:
            omitted |= _listed(folder)
        for name in sorted(files):
            path = os.path.join(folder, name)
            if not name.startswith("tokensync.") and stat.S_ISREG(os.lstat(path).st_mode):
                yield path, os.path.join(real, name)


def _listed(folder: str) -> set[str]:
    """Return the paths of unchanged outputs by the manifest in a folder, whose other entries prove nothing."""
    from tokensync.project.outputs import digest_of_files, read_manifest

    found: set[str] = set()
    for entry in read_manifest(folder).outputs:
        path = os.path.join(folder, entry.path)
        try:
            with open_file(path) as file:
                content = file.read()
        except OSError:
            continue
        if digest_of_files([(entry.path, content)]) == entry.output:
            found.add(os.path.realpath(path))
    return found


def _content(path: str, unread: list[str]) -> bytes | None:
    """Return the content of a file of code; None for files that are not searched."""
    from tokensync.project.outputs import names_tokensync

    try:
        with open_file(path) as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        unread.append(f"{path}: {error.strerror}")
        return None
    if b"\0" in content[:8192]:
        return None
    if len(content) > LARGEST:
        unread.append(f"{path}: larger than {LARGEST >> 20} MiB")
        return None
    is_response = path.endswith(".json") and b'"variableCollections"' in content
    return None if is_response or names_tokensync(path.replace(os.sep, "/"), content) else content


_IMPORT = re.compile(
    r"""(?:@(?:import|use|forward)\s+(?:url\(\s*)?|\bimport\s*(?:[\w*{}\s,$]{1,500}\bfrom\s*)?)["']~?([^"'\n]{1,300})["']"""
)
_STYLES = (".css", ".scss", ".sass", ".less")


def imported_files(path: str, text: str) -> set[str]:
    """Return the style sheets that a file imports by a path, or from a package in a ``node_modules`` folder above."""
    found: set[str] = set()
    folder = os.path.dirname(os.path.abspath(path))
    for match in _IMPORT.finditer(text):
        name = match[1]
        if text[match.start()] != "@" and not name.endswith(_STYLES):
            continue
        above = [folder]
        while not name.startswith(".") and os.path.dirname(above[-1]) != above[-1]:
            above.append(os.path.dirname(above[-1]))
        places = [os.path.join(folder, name), *(os.path.join(each, "node_modules", name) for each in above)]
        for place in places:
            if place.endswith(_STYLES):
                found |= {place} if os.path.isfile(place) else set()
            elif os.path.isdir(place):  # its package.json may name any of them
                every = (os.path.join(top, each) for top, _, files in os.walk(place) for each in files)
                found |= {each for each in every if each.endswith(_STYLES)}
            else:
                found |= {place + suffix for suffix in _STYLES if os.path.isfile(place + suffix)}
    return found
