"""Search code for the names of tokens: those that the configured outputs generate, and those in code syntax.

``impact`` says how much of the configured code uses tokens that change.

The search prefers a use too many to one too few, because people delete what seems unused. It reads whole identifiers in
the forms of each language, so ``--accent`` is no use of ``--accent-muted``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tokensync.code.files import code_files
from tokensync.code.lexers import language_of
from tokensync.code.token_names import occurrences, token_names
from tokensync.system.errors import UsageError
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from tokensync.project.configuration import Project
    from tokensync.tokens import TokenGraph, TokenKey

_MOST_USES = 100
"""The most uses that are kept for a token."""


class CodeUse(NamedTuple):
    """A use of a token in code: the path and line of the file, and the name as written there."""

    path: str
    line: int
    name: str


class SearchedCode(NamedTuple):
    """The uses of each token in code, the number of searched files, and why others were not searched."""

    uses: Mapping[TokenKey, tuple[CodeUse, ...]]
    files: int
    unread: tuple[str, ...] = ()


def search_code(
    project: Project, graph: TokenGraph, paths: Sequence[str], progress: Callable[[str], None] = lambda text: None
) -> SearchedCode:
    """Return the uses of the graph's local tokens in the files at these paths and below them.

    Raises UsageError for a path that does not exist, and if there is no code in them.
    """
    names = token_names(project, graph)
    uses: dict[TokenKey, list[CodeUse]] = {}
    unread: list[str] = []
    files = 0
    for path, content in code_files(paths, unread, project, option="--code "):
        files += 1
        if files % 500 == 0:
            progress(f"searching code ({counted(files, 'file')})")
        text = content.decode("utf-8", "replace")
        occurring = occurrences(path, text, names)
        lines = [match.start() for match in re.finditer("\n", text)] if occurring else []
        for start, name, keys, _ in occurring:
            use = CodeUse(path, bisect_left(lines, start) + 1, name)
            for key in keys:
                found = uses.setdefault(key, [])
                if use not in found and len(found) < _MOST_USES:
                    found.append(use)
    if not files:
        what = f"--code {' '.join(paths)}: there is no code that tokensync did not write"
        raise UsageError("; ".join((what, "name other files or folders of code", *unread[:1])))
    return SearchedCode({key: tuple(each) for key, each in uses.items()}, files, tuple(unread))


class Impact(NamedTuple):
    """The code that uses some tokens: how many of them, its lines as paths with numbers, and why some was not read."""

    tokens: int
    lines: tuple[tuple[str, int], ...]
    unread: str = ""

    def __str__(self) -> str:
        if self.unread:
            return f"what code uses of these changes is not known: {self.unread}"
        if not self.lines:
            return "the searched code uses none of these tokens"
        files = dict.fromkeys(path for path, _ in self.lines)
        of = Counter(language_of(path) or "other" for path, _ in self.lines)
        languages = listed([f"{language} {count:,}" for language, count in of.most_common()])
        first, number = self.lines[0]
        verb = "is" if self.tokens == 1 else "are"
        places = f"{counted(len(self.lines), 'line')} of {counted(len(files), 'file')} ({languages})"
        return f"{counted(self.tokens, 'token')} {verb} used in code, in {places}, such as {first}:{number}"


def impact(project: Project, changed: Iterable[tuple[TokenGraph, Collection[TokenKey]]]) -> Impact | None:
    """Return the configured code that uses changed tokens, each named as in its graph; None without code or tokens.

    A deleted token is named as in the graph before, and one that stays as in the graph after.
    """
    paths = [project.path(path) for path in project.config.code.paths]
    tokens: set[TokenKey] = set()
    lines: dict[tuple[str, int], None] = {}
    is_known = False
    for graph, keys in changed:
        if not (paths and keys):
            continue
        try:
            uses = search_code(project, graph, paths).uses
        except UsageError as error:
            return Impact(0, (), str(error))
        is_known = True
        tokens |= uses.keys() & set(keys)
        lines |= {(project.shown(use.path), use.line): None for key in keys for use in uses.get(key, ())}
    return Impact(len(tokens), tuple(sorted(lines))) if is_known else None
