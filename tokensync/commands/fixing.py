"""Change token files where lint has found something whose remedy is certain.

These are scopes that a type cannot have, beside others, and colours that one token of the lowest layer has: the value
in every theme stays. Nothing is deleted or renamed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.commands.check import subject_of
from tokensync.dtcg import Previous, changed_files, outputs_of, read
from tokensync.lint import Subject, lint
from tokensync.lint.aliases import repeated
from tokensync.lint.metadata import unfit_scopes
from tokensync.project.sources import chosen_files, from_project, project_texts, read_tokens
from tokensync.system.disk import replace_files
from tokensync.system.errors import UsageError
from tokensync.system.git import uncommitted
from tokensync.tokens import DEFAULT_THEME, Alias, Theme, Token, TokenGraph, TokenKey, inferred_themes, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.project.configuration import Project


class Fixed(NamedTuple):
    """The changes, with their locations, the files that they are in, and those that had changes without a commit."""

    fixes: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()


def fix_project(project: Project, files: Sequence[str] = ()) -> Fixed:
    """Write all fixes of what is reported, or none. Raises ProblemsError for token files with errors."""
    texts = project_texts(project, files)
    source = from_project(project, files, texts=texts)
    subject = subject_of(project, source, texts)
    found = project.levels.applied(lint(subject))
    reported = {(finding.code, finding.where) for finding in found if not finding.is_accepted}
    themes = [DEFAULT_THEME, *subject.themes, *inferred_themes(source.graph.collections.values())]
    fixes: list[str] = []
    contents: dict[str, bytes] = {}
    for file in chosen_files(project, files):
        reading = read_tokens(project, file.name, texts[file.name])
        changed: dict[TokenKey, Token] = {}
        for fix, token in _fixes(subject, reading.graph, changed, reported):
            changed[token.key] = token
            fixes.append(fix)
        if not changed:
            continue
        graph = reading.graph.replaced(changed)
        previous = Previous(reading.graph, reading.files, {key: key for key in graph.tokens}.copy)
        written = outputs_of(project.tokens_folder, file.name, graph, previous)
        again = read({output.path: output.content for output in written.files}, file.name)[0]
        if written.problems or again != graph or not _are_equal(reading.graph, graph, themes):
            raise UsageError(f"{file.name}: a fix would change more than it should; correct the tokens by hand")
        paths = changed_files(project.tokens_folder, file.name, written.files)
        contents |= {output.path: output.content for output in written.files if output.path in paths}
    targets = {os.path.join(project.tokens_folder, path): content for path, content in contents.items()}
    try:
        edited = uncommitted(targets, "--fix", "commit the token files first")
    except UsageError:  # there is no git, or no commit
        edited = [*targets]
    replace_files(targets, project.tokens_folder)
    shown = (tuple(map(project.shown, paths)) for paths in (targets, edited))
    return Fixed(tuple(fixes), *shown)


def _fixes(
    subject: Subject, graph: TokenGraph, changed: Mapping[TokenKey, Token], reported: set[tuple[str, str]]
) -> Iterator[tuple[str, Token]]:
    """Yield the fixes of a file's graph in words, each with the token that has it, and those in ``changed``."""
    for token, column, primitives in repeated(subject):
        context = subject.graph.collection_of(token).modes[column].context
        where = subject.location_of(token.key, context)
        is_reported = not reported.isdisjoint({("literal-repeated", where), ("literal-in-layer", where)})
        own = changed.get(token.key) or graph.tokens.get(token.key)
        if own and is_reported and len(primitives) == 1:
            before, after = own.values[column], Alias(primitives[0])
            values = (*own.values[:column], after, *own.values[column + 1 :])
            notations = tuple(notation for notation in own.notations if notation.context != context)
            fixed = replace(own, values=values, notations=notations)
            yield f"{where}: {value_text(before)} is now {value_text(after)}", fixed
    for token in graph.tokens.values():
        where = subject.location_of(token.key, None)
        left = tuple(scope for scope in token.scopes if scope not in unfit_scopes(token))
        if left and left != token.scopes and ("scopes-unfit", where) in reported:
            own = changed.get(token.key, token)
            yield f"{where}: the scopes are now {', '.join(left)}", replace(own, scopes=left)


def _are_equal(graph: TokenGraph, other: TokenGraph, themes: Sequence[Theme]) -> bool:
    """Return whether all tokens have the same values in all themes, which may have modes of other files."""
    for theme in themes:
        own = Theme(theme.name, tuple(pair for pair in theme.modes if pair[0] in graph.collections))
        before, after = graph.resolver(own), other.resolver(own)
        if any(before(key) != after(key) for key in graph.tokens):
            return False
    return True
