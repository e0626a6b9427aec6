"""How much of the configured code uses tokens that change."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tokensync.code.lexers import language_of
from tokensync.code.search import search_code
from tokensync.system.errors import UsageError
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tokensync.project.configuration import Project
    from tokensync.tokens import TokenGraph, TokenKey


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
