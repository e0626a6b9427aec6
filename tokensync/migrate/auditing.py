"""Compare the tokens that code has by hand with those of the design file: values in every mode, and names.

The readers of migrations read the code, path by path and platform by platform. A name in code is that of a token if an
output would generate it, if code syntax has it, or if it has the same words; else a token with the same values in all
modes and a similar name was renamed. A value that only follows another one, which differs, is not reported.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cached_property
from math import isclose
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tokensync.code.files import code_files
from tokensync.code.lexers import language_of
from tokensync.commands.init import Choices, examine, output_for, set_up
from tokensync.commands.pull import pull
from tokensync.dtcg import Previous, outputs_of, write_folder
from tokensync.generate.naming.rules import path_words, words
from tokensync.generate.output import Resolution
from tokensync.generate.targets import target
from tokensync.generate.themes import DARK, LIGHT
from tokensync.migrate.evaluation.literals import literal as read_literal
from tokensync.migrate.evaluation.themes import themes_of
from tokensync.migrate.evaluation.values import Refused
from tokensync.migrate.migrating import own_files
from tokensync.migrate.readers import programs
from tokensync.migrate.readers.source_files import recognize_all
from tokensync.migrate.source import SourceTheme, TokenSet, references_in
from tokensync.normalize.mapping import name_of_path
from tokensync.plan.comparing import Change, Difference
from tokensync.project.code_references import CodeNames
from tokensync.project.configuration import load_project
from tokensync.project.connection import connect
from tokensync.project.sources import read_tokens
from tokensync.report.differences import in_words
from tokensync.system.errors import UsageError, stop_on_errors
from tokensync.system.problems import problem
from tokensync.tokens import Color, Composite, Quantity, Theme, Unresolved, targets
from tokensync.tokens.composites import font_list
from tokensync.tokens.paths import names as names_of_path
from tokensync.tokens.values import json_value, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.migrate.evaluation.themes import ThemeTokens
    from tokensync.migrate.source import Location, Source, SourceToken
    from tokensync.plan.comparing import Kind
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, Literal, Resolved, TokenGraph, TokenKey
    from tokensync.tokens.collection import FamilyKey

Outcome = str
_GENERIC = frozenset(
    "bool boolean color colors colour colours dimen dimension integer mode modes number scheme string theme themes"
    " token tokens value values palette default base".split()
)
"""Words that say nothing about which token or mode a name means."""
_LIFTED = "modes by name"
_LOST = re.compile(r"replaces it in the same mode: '(.*)' by '(.*)'")
_CLOSEST = 0.6 / 255  # a code has channels of 8 bits
_LEAST_SIMILAR = 0.6
_COMPARED = ("color", "dimension", "number", "fontWeight", "string", "fontFamily", "boolean", "duration", "cubicBezier")


class Row(NamedTuple):
    """What became of a token: its outcome, its location in code, its reference in code, and its changes by mode."""

    outcome: Outcome
    key: TokenKey | None
    at: str = ""
    name: str = ""
    changes: tuple[Change, ...] = ()


class Audited(NamedTuple):
    """The rows of the code at a path in the languages of some platforms.

    ``without`` are modes that the design file does not have, and ``texts`` the references that outputs generate.
    """

    path: str
    platforms: tuple[str, ...]
    rows: tuple[Row, ...]
    without: tuple[str, ...]
    texts: Mapping[TokenKey, tuple[str, ...]]

    def differences(self) -> Iterator[Difference]:
        """Yield the rows that differ as differences from the design file to code."""
        for row in self.rows:
            if row.outcome in _KINDS:
                kind, _ = _KINDS[row.outcome]
                collection = "" if row.key is None else row.key.collection
                name = row.name if row.key is None else name_of_path(row.key.path)
                yield Difference(self.path, collection, f"{name} ({row.at})" if row.at else name, kind, row.changes)

    def problems(self) -> Iterator[Problem]:
        """Yield the rows that differ as problems at their locations in code."""
        for row in self.rows:
            if row.outcome in _KINDS:
                _, code = _KINDS[row.outcome]
                changes = "; ".join(f"{change.member} {in_words(change)}" for change in row.changes)
                name = row.name if row.key is None else f"{row.name} ({row.key})"
                what = f"{name} is {row.outcome}: {changes}"
                yield problem(code, row.at or self.path, what, "correct the code, or change the design file")

    def document(self) -> dict[str, Any]:
        """Return the audit as JSON."""
        rows = [
            {"outcome": row.outcome, "token": row.key and str(row.key), "name": row.name, "at": row.at or None}
            | {"changes": [change._asdict() for change in row.changes]}
            for row in self.rows
        ]
        counts = Counter(row.outcome for row in self.rows)
        head = {"path": self.path, "platforms": self.platforms, "modes_only_in_code": self.without}
        return {**head, "counts": {outcome: counts[outcome] for outcome in OUTCOMES}, "tokens": rows}


EQUAL, DIFFERENT, DESIGN, CODE, RENAMED = "equal", "different", "only in the design file", "only in code", "renamed"
UNCOMPARED = "not compared"
OUTCOMES = (EQUAL, DIFFERENT, RENAMED, DESIGN, CODE, UNCOMPARED)
_KINDS: dict[Outcome, tuple[Kind, str]] = {
    DIFFERENT: ("changed", "audit-value"),
    RENAMED: ("changed", "audit-name"),
    DESIGN: ("gone", "audit-absent"),
    CODE: ("new", "audit-extra"),
}


def audit(
    graph: TokenGraph,
    project: Project | None,
    paths: Sequence[str],
    progress: Callable[[str], None] = lambda text: None,
) -> tuple[Audited, ...]:
    """Return what the tokens of the code at each path are in a graph, by platform.

    What tokensync writes in the project is not read. Raises UsageError for a path without tokens.
    """
    audited = []
    omitted = frozenset(own_files(project)) if project else frozenset()
    for path in paths:
        progress(f"reading {path}")
        sources = [*_sources(path, project, omitted)]
        if not sources:
            what = f"{path}: it has no tokens in a language that audit reads"
            raise UsageError(f"{what}; give a folder or file of CSS, SCSS, Kotlin, Swift, TypeScript, XML or JSON")
        by_platforms: dict[tuple[str, ...], list[Source]] = {}
        for platforms, source in sources:
            by_platforms.setdefault(platforms, []).append(source)
        audited += [_Audit(graph, project, path, *of_platforms).result() for of_platforms in by_platforms.items()]
    return tuple(audited)


def _sources(path: str, project: Project | None, omitted: frozenset[str]) -> Iterator[tuple[tuple[str, ...], Source]]:
    """Yield what the readers find at a path, each with the platforms whose names it can have."""
    for source, documents in recognize_all(path, omitted):
        names = "".join(syntax[0] for _, token in source.tokens() for _, syntax in token.code_syntax)
        web = ("tailwind",) if any("@theme" in document.text for document in documents) else ("css",)
        web = (*(web if "v" in names or "$" not in names else ()), *(("scss",) if "$" in names else ()))
        platforms = {"css": web, "android": ("android",), "asset-catalog": ("ios",)}
        yield platforms.get(source.format, ()), source
    top = path if os.path.isdir(path) else os.path.dirname(path)
    by_platform: dict[str, dict[str, bytes]] = {}
    of_language = {"kotlin": "compose", "swift": "ios", "ts": "typescript", "tsx": "typescript"}
    for file, content in code_files((path,), [], project):
        if platform := of_language.get(language_of(file)):
            by_platform.setdefault(platform, {})[os.path.relpath(file, top).replace(os.sep, "/")] = content
    for platform, files in by_platform.items():
        yield (platform,), programs.read(files)


class _Modes:
    """The modes of a graph by the words of their names."""

    def __init__(self, graph: TokenGraph) -> None:
        self._families = {key: family for key, family in graph.collections.items() if len(family.modes) > 1}
        self._words = {
            key: [_mode_words(family, at) for at in range(len(family.modes))] for key, family in self._families.items()
        }

    def is_mode(self, name: str) -> bool:
        """Return whether a name has all words of a mode."""
        found = _plain(words(name))
        return any(own and own <= found for labels in self._words.values() for own in labels)

    def theme(self, name: str, *, is_whole: bool) -> Theme | None:
        """Return the theme that a name means; with ``is_whole``, None if the name has words of no mode."""
        found = _plain(words(name)) - _GENERIC
        chosen, explained = list[tuple["FamilyKey", int]](), set[str]()
        for key, labels in self._words.items():
            family = self._families[key]
            default = labels[family.default_mode]
            fitting = [
                at
                for at, own in enumerate(labels)
                if at == family.default_mode or (own - default and own - default <= found)
            ]
            best = max(fitting, key=lambda at: (len(labels[at] & found), at == family.default_mode))
            if family.origin == "local":
                others = (word for each in family.extensions for word in words(each.name))
                explained |= labels[best] | {*words(family.name), *others}
            if best != family.default_mode:
                chosen.append((key, best))
        return None if is_whole and found - explained else Theme("", tuple(chosen))

    def label(self, family: Collection, theme: Theme) -> str:
        """Return the name of a collection's mode in a theme; empty if it has only one."""
        at = dict(theme.modes).get(family.key, family.default_mode)
        mode = family.modes[at]
        extension = next((each.name for each in family.extensions if each.handle == mode.collection), "")
        return " / ".join(filter(None, (extension, mode.name))) if len(family.modes) > 1 else ""


def _plain(found: Iterable[str]) -> frozenset[str]:
    """Return words with one word for all names of an appearance."""
    return frozenset("dark" if word in DARK else "light" if word in LIGHT else word for word in found)


def _mode_words(family: Collection, at: int) -> frozenset[str]:
    mode = family.modes[at]
    extension = next((each.name for each in family.extensions if each.handle == mode.collection), "")
    return (
        _plain((*words(mode.name), *(word for word in words(extension) if word not in words(family.name)))) - _GENERIC
    )


def _lifted(source: Source, modes: _Modes) -> Source:
    """Return a source whose names tell modes (``themes.dark.accent``, ``DarkColors.accent``) with a theme for each."""
    steps = {step: modes.is_mode(step) for _, token in source.tokens() for step in token.name[:-1]}
    if not any(steps.values()):
        return source
    base: dict[str, tuple[str, ...]] = {}
    lifted: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
    unmoded: list[tuple[str, ...]] = []
    for _, token in source.tokens():
        at = next((at for at, step in enumerate(token.name[:-1]) if steps[step] and not token.code_syntax), None)
        if at is not None:
            lifted.append((token.name[at], token.name[:at], token.name[at + 1 :]))
        else:
            unmoded.append(token.name)
    for start in range(max(map(len, unmoded), default=0)):  # whole names first
        for name in unmoded:
            base.setdefault(_joined(name[start:]), name)
    new = {
        ".".join((*before, step, *after)): base.get(_joined((*before, *after)))
        or base.get(_joined(after))
        or (*before, *after)
        for step, before, after in lifted
    }
    of_mode: dict[str, list[SourceToken]] = {step: [] for step, _, _ in lifted}
    sets = []
    for token_set in source.sets:
        kept: list[SourceToken] = []
        for token in token_set.tokens:
            step = next((step for step in token.name[:-1] if steps[step]), "") if token.path in new else ""
            value = token.value
            if isinstance(value, str) and not token.is_text:
                value = re.sub(r"\{([^{}]+)\}", lambda name: f"{{{'.'.join(new.get(name[1], (name[1],)))}}}", value)
            named = replace(token, name=new.get(token.path, token.name), value=value)
            (of_mode[step] if step else kept).append(named)
        sets.append(TokenSet(token_set.name, tuple(kept)))
    sets += (TokenSet(step, tuple(tokens)) for step, tokens in of_mode.items())
    default = {name: role for theme in source.themes if theme.is_default for name, role in theme.sets.items()}
    themes = [*source.themes]
    for step in of_mode:
        inherited = [other for other in of_mode if {*words(other)} <= {*words(step)}]
        in_order = sorted(inherited, key=lambda other: (len(words(other)), other == step))
        themes.append(SourceTheme(step, {**default, **dict.fromkeys(in_order, "enabled")}, _LIFTED))
    return replace(source, sets=tuple(sets), themes=tuple(themes))


def _joined(names: Iterable[str]) -> str:
    return " ".join(word for name in names for word in words(name))


class _Value(NamedTuple):
    """The value of a token of code in a theme: its literal and type, the paths that it refers to, and its location."""

    literal: Literal | Refused
    type: str
    references: frozenset[str]
    at: Location


class _CodeToken(NamedTuple):
    """A token of code: its number among the sources, its path there, its name in code, and its values by theme."""

    source: int
    path: str
    name: str
    words: tuple[str, ...]
    values: dict[Theme, _Value]
    scope: tuple[str, ...] | None


class _Audit:
    """The audit of the code at a path for some platforms."""

    def __init__(
        self,
        graph: TokenGraph,
        project: Project | None,
        path: str,
        platforms: tuple[str, ...],
        sources: Sequence[Source],
    ) -> None:
        self._graph = graph
        self._names = CodeNames(graph, project, platforms)
        self._modes = _Modes(graph)
        self._kinds = Resolution(graph).kinds
        self._design: dict[Theme, Callable[[TokenKey], Resolved]] = {}
        self._path, self._platforms = path, platforms
        self._top = path if os.path.isdir(path) else os.path.dirname(path)
        self._without: dict[str, None] = {}
        self._sources = [_lifted(source, self._modes) for source in sources]
        self._code = [token for at, source in enumerate(self._sources) for token in self._tokens(at, source)]
        self._keys: dict[tuple[int, str], TokenKey] = {}
        self._match()

    def _tokens(self, number: int, source: Source) -> Iterator[_CodeToken]:
        """Yield the tokens of a source with their values in the themes that the design file has, too."""
        found: dict[str, _CodeToken] = {}
        for theme in themes_of(source, 16.0):
            is_sure = theme.theme.is_default or theme.theme.group == _LIFTED
            design = self._modes.theme(theme.theme.name, is_whole=not is_sure)
            if design is None:
                self._without[theme.theme.name] = None
                continue
            for path in theme.own:
                code = found.get(path)
                if code is None:
                    found[path] = code = _code_token(number, path, theme, source.format)
                if design not in code.values:
                    reading, token = theme.reading(path), theme.definition(path)
                    names = frozenset(reference.name for reference in references_in(token.value) if not token.is_text)
                    code.values[design] = _Value(reading.literal, reading.type, names, token.at)
        return iter(found.values())

    @cached_property
    def _expected(self) -> dict[TokenKey, tuple[str, ...]]:
        """The tokens that the code should have, with their references in it."""
        self._names.keys("")  # looks the names up
        tokens = self._graph.tokens
        declared = (
            self._names.declared
            if self._platforms
            else {key: ("/".join(names_of_path(key.path)),) for key, token in tokens.items() if token.origin == "local"}
        )
        return {key: texts for key, texts in declared.items() if tokens[key].public_type in _COMPARED}

    def _resolved(self, key: TokenKey, theme: Theme) -> Resolved:
        if theme not in self._design:
            self._design[theme] = self._graph.resolver(theme)
        return self._design[theme](key)

    def _match(self) -> None:
        """Find the token of each name, by the name as a whole, else by its words."""
        by_words: dict[tuple[str, ...], set[TokenKey]] = {}
        for key in self._expected:
            own = path_words(key.path)
            for variant in (own, (*words(key.collection), *own)):
                for each in (variant, _telling(variant)):
                    by_words.setdefault(each, set()).add(key)
        first = Counter(code.words[0] for code in self._code if code.words)
        for code in self._code:
            keys = self._names.keys(code.name) if self._platforms else []
            if len(keys) != 1:
                is_prefixed = code.words and first[code.words[0]] * 2 >= len(self._code)
                variants = (code.words, code.words[1:] if is_prefixed else ())
                found = (by_words.get(each, ()) for own in variants for each in (own, _telling(own)))
                keys = next(([*each] for each in found if len(each) == 1), [])
            if len(keys) == 1:
                self._keys[code.source, code.path] = keys[0]

    def _same(self, code: _CodeToken, key: TokenKey, theme: Theme) -> bool | None:
        kind = self._kinds[self._graph.table.indices[key]]
        return _are_equal(code.values[theme], self._resolved(key, theme), kind)

    def _renamed(self) -> dict[tuple[int, str], TokenKey]:
        """Return the tokens without a name in code whose values in all modes one similar name without a token has."""
        free = self._expected.keys() - {*self._keys.values()}
        rated: list[tuple[float, _CodeToken, TokenKey]] = []
        for code in self._code:
            if (code.source, code.path) in self._keys or not code.values:
                continue
            for key in free:
                similarity = _similarity(code.words, path_words(key.path))
                if similarity >= _LEAST_SIMILAR and all(self._same(code, key, theme) for theme in code.values):
                    rated.append((similarity, code, key))
        rated.sort(key=lambda each: (-each[0], each[1].path, each[2]))
        best: dict[tuple[int, str], TokenKey] = {}
        for similarity, code, key in rated:
            rivals = [each for each in rated if each[0] == similarity and (each[1] is code) != (each[2] == key)]
            if not rivals and (code.source, code.path) not in best and key not in best.values():
                best[code.source, code.path] = key
        return best

    def _differing(self) -> dict[tuple[int, str], list[Theme]]:
        """Return the themes in which tokens of code have other values, but not because of what they refer to."""
        found = {
            (code.source, code.path): [theme for theme in code.values if self._same(code, key, theme) is False]
            for code in self._code
            if (key := self._keys.get((code.source, code.path)))
        }
        return {
            (code.source, code.path): [
                theme for theme in found[code.source, code.path] if not self._follows(code, theme, found)
            ]
            for code in self._code
            if (code.source, code.path) in found
        }

    def _follows(self, code: _CodeToken, theme: Theme, found: Mapping[tuple[int, str], Sequence[Theme]]) -> bool:
        """Return whether a value differs because it refers to the same tokens as in the design file, which differ."""
        token = self._graph.tokens[self._keys[code.source, code.path]]
        family = self._graph.collections[token.key[:2]]
        wanted = targets(self._graph.value(token, dict(theme.modes).get(family.key, family.default_mode)))
        references = [(code.source, path) for path in code.values[theme].references]
        is_same = {self._keys.get(each) for each in references} in ({*wanted}, {token.key})
        return is_same and any(theme in found.get(each, ()) for each in references)

    def result(self) -> Audited:
        """Return the rows in the order of the code, then those of the design file alone."""
        renamed = self._renamed()
        self._keys |= renamed
        differing = self._differing()
        rows = []
        scopes = Counter((code.scope, (code.source, code.path) in self._keys) for code in self._code)
        for code in self._code:
            identity = code.source, code.path
            key = self._keys.get(identity)
            if not code.values:
                continue
            at = self._shown(next(iter(code.values.values())).at)
            if key is None:
                is_own = code.scope is None or scopes[code.scope, True] >= scopes[code.scope, False]
                if is_own and not self._is_part(code):
                    rows.append(Row(CODE, None, at, code.name, tuple(self._values(code))))
            elif differing[identity]:
                at = self._shown(code.values[differing[identity][0]].at)
                rows.append(Row(DIFFERENT, key, at, code.name, tuple(self._changes(code, key, differing[identity]))))
            elif identity in renamed:
                rows.append(
                    Row(
                        RENAMED,
                        key,
                        at,
                        code.name,
                        (Change("name in code", _reference(self._expected[key]), code.name),),
                    )
                )
            else:
                is_compared = any(self._same(code, key, theme) is not None for theme in code.values)
                rows.append(Row(EQUAL if is_compared else UNCOMPARED, key, at, code.name))
        matched = {*self._keys.values()}
        for unread in (unread for source in self._sources for unread in source.unread if unread.is_token):
            keys, at = self._names.keys(unread.name), self._shown(unread.at)
            if len(keys) == 1 and (lost := _LOST.search(unread.reason)):
                change = Change("another value in the same mode", lost[2], lost[1])
                rows.append(Row(DIFFERENT, keys[0], at, unread.name, (change,)))
            elif len(keys) == 1 and keys[0] not in matched:
                matched.add(keys[0])
                rows.append(Row(UNCOMPARED, keys[0], at, unread.name))
        for key, texts in self._expected.items():
            if key not in matched and not isinstance(self._resolved(key, Theme("")), Unresolved):
                name = _reference(texts)
                rows.append(Row(DESIGN, key, "", name, (Change("name in code", name, None),)))
        return Audited(self._path, self._platforms, tuple(rows), tuple(self._without), self._names.declared)

    def _shown(self, at: Location) -> str:
        return os.path.join(self._top, str(at)).replace(os.sep, "/")

    def _is_part(self, code: _CodeToken) -> bool:
        """Return whether a name without a token is private, has no value, or is that of a part of a composite."""
        is_private = code.name.startswith(("--_", "$_", "$-")) or "--" in code.name[2:]
        literals = [value.literal for value in code.values.values()]
        if is_private or all(isinstance(literal, Refused) or literal == "()" for literal in literals):
            return True
        own = f" {' '.join(code.words)} "
        return any(f" {composite} " in own for composite in self._composites)

    @cached_property
    def _composites(self) -> list[str]:
        """The words of tokens that are declared with a name for each part."""
        tokens = self._graph.tokens.values()
        return [" ".join(path_words(token.key.path)) for token in tokens if token.public_type not in _COMPARED]

    def _values(self, code: _CodeToken) -> Iterator[Change]:
        literal = next(iter(code.values.values())).literal
        if not isinstance(literal, Refused):
            yield Change("value", None, json_value(literal))

    def _changes(self, code: _CodeToken, key: TokenKey, themes: Sequence[Theme]) -> Iterator[Change]:
        """Yield the values in the design file and in code for each mode in which they differ."""
        family = self._graph.collections[key[:2]]
        seen: set[str] = set()
        for theme in themes:
            value, wanted = code.values[theme], self._resolved(key, theme)
            label = self._modes.label(family, theme)
            if label not in seen and not isinstance(value.literal, Refused) and not isinstance(wanted, Unresolved):
                seen.add(label)
                yield Change(f"in {label}" if label else "value", json_value(wanted), json_value(value.literal))


def adopt(project: Project, audited: Sequence[Audited]) -> list[str]:
    """Write the names that tokens have in code into the token files as code syntax, and return the written paths."""
    syntaxes: dict[TokenKey, dict[str, str]] = {}
    for each in audited:
        syntax = target(each.platforms[0]).syntax if each.platforms else ""
        for row in each.rows if syntax else ():
            if row.key is not None and _last(row.name) not in map(_last, each.texts.get(row.key, (row.name,))):
                text = f"var({row.name})" if row.name.startswith("--") else row.name
                syntaxes.setdefault(row.key, {}).setdefault(syntax, text)
    written: list[str] = []
    for file in project.config.files:
        reading = read_tokens(project, file.name)
        stop_on_errors(reading.problems)
        changed = {
            key: replace(token, code_syntax=tuple(sorted({**dict(token.code_syntax), **syntaxes[key]}.items())))
            for key, token in reading.graph.tokens.items()
            if key in syntaxes and token.origin == "local"
        }
        if changed:
            previous = Previous(reading.graph, reading.files, {key: key for key in reading.graph.tokens}.copy)
            outputs = outputs_of(project.tokens_folder, file.name, reading.graph.replaced(changed), previous)
            stop_on_errors(outputs.problems)
            write_folder(project.tokens_folder, file.name, outputs.files)
            written.append(os.path.join(project.config.tokens, file.name))
    return written


def new_project(graph: TokenGraph, audited: Sequence[Audited], snapshot: str, *, allow_outside: bool) -> Project:
    """Write a configuration for a saved response and for the platforms of code, and pull the response.

    Raises UsageError for a response outside of the working folder, which the configuration could not name.
    """
    if os.path.relpath(snapshot).startswith(".."):
        raise UsageError(f"--adopt: {snapshot} is outside of this folder; copy it here, and name the copy")
    surroundings = examine(".")._replace(names=tuple(dict.fromkeys(key.file for key in graph.tokens)))
    platforms = dict.fromkeys(each.platforms[0] for each in audited if each.platforms)
    outputs = tuple(output_for(platform, surroundings) for platform in platforms)
    set_up(surroundings, Choices("", outputs, hook=False, base_url=f"snapshot:{os.path.relpath(snapshot)}"))
    project = load_project(".", allow_outside=allow_outside)
    with connect(project) as client:
        pull(project, client)
    return project


def _code_token(number: int, path: str, theme: ThemeTokens, form: str) -> _CodeToken:
    token = theme.definition(path)
    name = token.code_syntax[0][1] if token.code_syntax else ".".join(token.name)
    name = _reference((name,))
    is_program = form == "programs"
    of_words = words(name) if token.code_syntax else tuple(word for step in token.name for word in words(step))
    scope = (str(number), token.at.file, *token.name[:-1]) if is_program else None
    return _CodeToken(number, path, name, of_words, {}, scope)


def _reference(texts: Sequence[str]) -> str:
    """Return a reference of a token as declarations have it."""
    return texts[0].removeprefix("var(").removesuffix(")") if texts[0].startswith("var(") else texts[0]


def _similarity(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return how similar two names are, from 0 to 1, the first perhaps without a prefix."""
    return max(SequenceMatcher(None, " ".join(each), " ".join(other)).ratio() for each in (one, one[1:]))


def _last(name: str) -> str:
    """Return the name of a token in a reference, without what qualifies it."""
    return str((re.findall(r"[\w-]+", name) or [name])[-1])


def _telling(found: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a name without those that only say its type; all, if there are no others."""
    own = tuple(found)
    return tuple(word for word in own if word not in _GENERIC) or own


def _are_equal(code: _Value, design: Resolved, kind: str) -> bool | None:
    """Return whether values are equal as platforms write them; None if they cannot be compared."""
    literal = code.literal
    if isinstance(literal, Refused) or isinstance(design, Unresolved):
        return None
    match literal, design:
        case Color(), Color():
            pairs = zip(_channels(literal), _channels(design), strict=True)
            return all(abs(one - other) < _CLOSEST for one, other in pairs)
        case _, Composite() if font_list(design) is None:
            return literal == design or None
        case _, bool():
            return float(literal) == float(design) if isinstance(literal, bool | float) else None
    if kind == "weight":
        return weight_of(literal) == weight_of(design)
    one, other = _number(literal), _number(design)
    if one is not None and other is not None:
        is_equal = _is_close(one, other) or (kind == "percentage" and _is_close(one * 100, other))
        return None if not is_equal and kind == "text-length" and code.type == "number" else is_equal
    if isinstance(design, str) and code.type not in ("", "css", "string", "fontFamily"):
        meant = read_literal("", design).literal  # a length or a colour in a variable of text
        return None if isinstance(meant, Refused | str) else _are_equal(code, meant, kind)
    if isinstance(design, str | Composite):
        first = [str(next(iter(font_list(each) or ()), each)).strip("\"' ") for each in (literal, design)]
        if kind == "family":  # whose names CSS compares without case
            first = [name.casefold() for name in first]
        return first[0] == first[1] if isinstance(literal, str | Composite) else False
    return None if code.type in ("css", "string") else False


def _channels(color: Color) -> tuple[float, ...]:
    return color.red, color.green, color.blue, color.alpha


def _is_close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=1e-4, abs_tol=1e-4)


def _number(value: Literal) -> float | None:
    """Return a number, a length in pixels, or a duration in milliseconds."""
    if isinstance(value, Quantity):
        return value.number * {"rem": 16.0, "s": 1000.0}.get(value.unit, 1.0)
    return value if isinstance(value, float) else None
