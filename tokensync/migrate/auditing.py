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
from functools import cache
from math import isclose
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from msgspec import Struct
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
from tokensync.migrate.source import Location, Source, SourceTheme, SourceToken, TokenSet, Unread, references_in
from tokensync.normalize.mapping import name_of_path
from tokensync.plan.comparing import Change, Difference, Kind
from tokensync.project.code_references import CodeNames
from tokensync.project.configuration import Project, load_project
from tokensync.project.connection import connect
from tokensync.project.sources import read_tokens
from tokensync.report.differences import in_words
from tokensync.system.errors import UsageError, stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Color, Composite, Quantity, Theme, TokenKey, Unresolved, hexadecimal, targets
from tokensync.tokens.composites import font_list
from tokensync.tokens.values import json_value, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.tokens import Collection, Resolved, TokenGraph
    from tokensync.tokens import Literal as Value
    from tokensync.tokens.collection import FamilyKey

Outcome = Literal["equal", "different", "renamed", "only in the design file", "only in code", "not compared"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_KINDS: dict[Outcome, tuple[Kind, str]] = {
    "different": ("changed", "audit-value"),
    "renamed": ("changed", "audit-name"),
    "only in the design file": ("gone", "audit-absent"),
    "only in code": ("new", "audit-extra"),
}
"""The kind of difference from the design file to code, and the code of the problem."""
_Identity = tuple[int, str]
"""A token of code: the number of its source, and its path there."""
_GENERIC = frozenset(
    "bool boolean color colors colour colours dimen dimension integer mode modes number scheme string theme themes"
    " token tokens value values palette default base".split()
)
"""Words that say nothing about which token or mode a name means."""
_LIFTED = "modes by name"
_LOST = re.compile(r"replaces it in the same mode: '(.*)' by '(.*)'")
_CLOSEST = 0.6 / 255  # a code has channels of 8 bits
_LEAST_SIMILAR = 0.6
_LEAST_SHARE = 3
"""A third of the constants of a type or object have to be tokens; else names that are equal mean something else."""
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

    @property
    def counts(self) -> dict[Outcome, int]:
        """Return the number of rows with each outcome."""
        found = Counter(row.outcome for row in self.rows)
        return {outcome: found[outcome] for outcome in OUTCOMES}

    def differences(self) -> Iterator[Difference]:
        """Yield the rows that differ as differences from the design file to code."""
        for row in self.rows:
            if row.outcome in _KINDS:
                collection, name = (row.key.collection, name_of_path(row.key.path)) if row.key else ("", row.name)
                at = f" ({row.at})" if row.at else ""
                yield Difference(self.path, collection, f"{name}{at}", _KINDS[row.outcome][0], row.changes)

    def problems(self) -> Iterator[Problem]:
        """Yield the rows that differ as problems at their locations in code."""
        for row in self.rows:
            if row.outcome in _KINDS:
                changes = "; ".join(f"{change.member} {in_words(change)}" for change in row.changes)
                what = f"{row.name}{(row.key and f' ({row.key})') or ''} is {row.outcome}{changes and f': {changes}'}"
                advice = "correct the code, or change the design file"
                yield problem(_KINDS[row.outcome][1], row.at or self.path, what, advice)

    def document(self) -> dict[str, Any]:
        """Return the audit as JSON."""
        rows = [
            {"outcome": row.outcome, "token": row.key and str(row.key), "name": row.name, "at": row.at or None}
            | {"changes": [change._asdict() for change in row.changes]}
            for row in self.rows
        ]
        head = {"path": self.path, "platforms": self.platforms, "modes_only_in_code": self.without}
        return {**head, "counts": self.counts, "tokens": rows}


def audit(
    graph: TokenGraph,
    project: Project | None,
    paths: Sequence[str],
    progress: Callable[[str], None] = lambda text: None,
    *,
    snapshot: str | None = None,
    unread: list[str],
) -> tuple[Audited, ...]:
    """Return what the tokens of the code at each path are in a graph, by platform.

    Neither the saved response ``snapshot`` is read nor what tokensync writes in the project. What cannot be read is
    added to ``unread`` with the reason. Raises UsageError for a path without tokens.
    """
    audited = []
    omitted = frozenset((*(own_files(project) if project else ()), os.path.realpath(snapshot or "")))
    for path in paths:
        progress(f"reading {path}")
        by_platforms: dict[tuple[str, ...], list[Source]] = {}
        for platforms, source in _sources(path, project, omitted, unread):
            by_platforms.setdefault(platforms, []).append(source)
        for platforms, own in by_platforms.items():
            names = CodeNames(graph, project, platforms or ("json",))
            found = _Audit(graph, names, path, own)
            rows = tuple(found.rows())
            if any(row.at for row in rows):
                audited.append(Audited(path, platforms, rows, tuple(found.without), names.declared))
        if not any(audit.path == path for audit in audited):
            what = f"{path}: it has no tokens in a language that audit reads"
            raise UsageError(f"{what}; give a folder or file of CSS, SCSS, Kotlin, Swift, TypeScript, XML or JSON")
    return tuple(audited)


def _sources(
    path: str, project: Project | None, omitted: frozenset[str], unread: list[str]
) -> Iterator[tuple[tuple[str, ...], Source]]:
    """Yield what the readers find at a path, each with the platforms whose names it can have."""
    parts: list[Unread] = []
    for source, documents in recognize_all(path, omitted, parts):
        names = "".join(syntax[0] for _, token in source.tokens() for _, syntax in token.code_syntax)
        web = ("tailwind",) if any("@theme" in document.text for document in documents) else ("css",)
        web = (*(web if "v" in names or "$" not in names else ()), *(("scss",) if "$" in names else ()))
        platforms = {"css": web, "android": ("android",), "asset-catalog": ("ios",)}
        yield platforms.get(source.format, ()), source
    top = path if os.path.isdir(path) else os.path.dirname(path)
    unread += (f"{os.path.join(top, str(part.at))}: {part.reason.removeprefix('not read: ')}" for part in parts)
    by_platform: dict[str, dict[str, bytes]] = {}
    of_language = {"kotlin": "compose", "swift": "ios", "ts": "typescript", "tsx": "typescript"}
    for file, content in code_files((path,), unread, project):
        if platform := of_language.get(language_of(file)):
            by_platform.setdefault(platform, {})[os.path.relpath(file, top).replace(os.sep, "/")] = content
    for platform, files in by_platform.items():
        yield (platform,), programs.read(files)


class _Modes:
    """The modes of a graph by the words of their names."""

    def __init__(self, graph: TokenGraph) -> None:
        self._families = [family for family in graph.collections.values() if len(family.modes) > 1]
        self._words = [[_words_of(family, at) for at in range(len(family.modes))] for family in self._families]

    def is_mode(self, name: str) -> bool:
        """Return whether a name has all words of a mode."""
        found = _plain(words(name))
        return any(own and own <= found for labels in self._words for own in labels)

    def theme(self, name: str, *, is_whole: bool) -> Theme | None:
        """Return the theme that a name means; with ``is_whole``, None if the name has words of no mode."""
        found = _plain(words(name))
        chosen, unknown = list[tuple["FamilyKey", int]](), set(found)
        for family, labels in zip(self._families, self._words, strict=True):
            best, default = family.default_mode, labels[family.default_mode]
            for at, own in enumerate(labels):
                if own - default and own - default <= found and len(own & found) > len(labels[best] & found):
                    best = at
            if family.origin == "local":
                unknown -= labels[best].union(
                    words(" ".join((family.name, *(extension.name for extension in family.extensions))))
                )
            if best != family.default_mode:
                chosen.append((family.key, best))
        return None if is_whole and unknown else Theme("", tuple(chosen))


def _plain(found: Iterable[str]) -> frozenset[str]:
    """Return the words that tell modes, with one word for all names of an appearance."""
    plain = ("dark" if word in DARK else "light" if word in LIGHT else word for word in found)
    return frozenset(plain) - _GENERIC


def _extension(family: Collection, at: int) -> str:
    """Return the name of the extension that has a mode, or nothing."""
    handle = family.modes[at].collection
    return next((extension.name for extension in family.extensions if extension.handle == handle), "")


def _words_of(family: Collection, at: int) -> frozenset[str]:
    own = {*words(_extension(family, at))}.difference(words(family.name))
    return _plain((*words(family.modes[at].name), *own))


def _label(family: Collection, theme: Theme) -> str:
    """Return the name of a collection's mode in a theme, for a change; that of the value if it has only one mode."""
    at = dict(theme.modes).get(family.key, family.default_mode)
    names = filter(None, (_extension(family, at), family.modes[at].name))
    return f"in {' / '.join(names)}" if len(family.modes) > 1 else "value"


def _lifted(source: Source, modes: _Modes) -> Source:
    """Return a source whose names tell modes (``themes.dark.accent``, ``DarkColors.accent``) with a theme for each."""
    steps = {step: modes.is_mode(step) for _, token in source.tokens() for step in token.name[:-1]}

    def mode_of(token: SourceToken) -> int | None:
        return next((at for at, step in enumerate(token.name[:-1]) if steps[step] and not token.code_syntax), None)

    found = [(token.name, mode_of(token)) for _, token in source.tokens()]
    plain = [name for name, at in found if at is None]
    ends = ((name[start:], name) for start in range(max(map(len, plain), default=0)) for name in plain)
    base = dict(reversed([(_joined(end), name) for end, name in ends]))  # whole names are preferred
    new: dict[str, tuple[str, ...]] = {}
    for name, at in found:
        if at is not None:
            rests = name[:at] + name[at + 1 :], name[at + 1 :]
            new[".".join(name)] = next((base[rest] for rest in map(_joined, rests) if rest in base), rests[0])
    sets: dict[str, list[SourceToken]] = {}
    for token_set, token in source.tokens():
        value, at = token.value, mode_of(token)
        if isinstance(value, str) and not token.is_text:
            value = re.sub(r"\{([^{}]+)\}", lambda name: f"{{{'.'.join(new.get(name[1], (name[1],)))}}}", value)
        named = replace(token, name=new.get(token.path, token.name), value=value)
        sets.setdefault(token_set.name if at is None else token.name[at], []).append(named)
    default = {name: role for theme in source.themes if theme.is_default for name, role in theme.sets.items()}
    themes = [*source.themes]
    of_mode = {name[at]: {*words(name[at])} for name, at in found if at is not None}
    for step, own in of_mode.items():
        inherited = sorted((other for other in of_mode if of_mode[other] <= own), key=lambda other: len(of_mode[other]))
        themes.append(SourceTheme(step, {**default, **dict.fromkeys([*inherited, step], "enabled")}, _LIFTED))
    return replace(source, sets=tuple(TokenSet(name, tuple(own)) for name, own in sets.items()), themes=tuple(themes))


def _joined(names: Iterable[str]) -> str:
    return " ".join(word for name in names for word in words(name))


class _Value(NamedTuple):
    """The value of a token of code in a theme: its literal and type, the tokens that it refers to, and its location."""

    literal: Value | Refused
    type: str
    references: frozenset[_Identity]
    at: str


class _CodeToken(Struct):
    """A token of code: its name and the words of it, the type or object around it, its values, and the token it is."""

    name: str
    words: tuple[str, ...]
    scope: tuple[str, ...] | None
    values: dict[Theme, _Value]
    key: TokenKey | None = None
    is_renamed: bool = False


class _Audit:
    """The audit of the code at a path for some platforms."""

    def __init__(self, graph: TokenGraph, names: CodeNames, path: str, sources: Sequence[Source]) -> None:
        self._graph, self._names = graph, names
        self._kinds = Resolution(graph).kinds
        self._resolver = cache(graph.resolver)
        self._top = path if os.path.isdir(path) else os.path.dirname(path)
        self.without: dict[str, None] = {}
        names.keys("")  # looks the declared ones up
        tokens = graph.tokens
        local = (key for key, token in tokens.items() if token.origin == "local")
        texts = names.declared or {key: (name_of_path(key.path),) for key in local}
        self._expected = {key: own for key, own in texts.items() if tokens[key].public_type in _COMPARED}
        parted = (token for token in tokens.values() if token.public_type not in _COMPARED)
        self._composites = [" ".join(path_words(token.key.path)) for token in parted]
        self._code: dict[_Identity, _CodeToken] = {}
        self._unread = [unread for source in sources for unread in source.unread if unread.is_token]
        modes = _Modes(graph)
        for number, source in enumerate(sources):
            self._add(number, _lifted(source, modes), modes)

    def _add(self, number: int, source: Source, modes: _Modes) -> None:
        """Add the tokens of a source with their values in the themes that the design file has, too."""
        for theme in themes_of(source, 16.0):
            is_sure = theme.theme.is_default or theme.theme.group == _LIFTED
            design = modes.theme(theme.theme.name, is_whole=not is_sure)
            if design is None:
                self.without[theme.theme.name] = None
                continue
            for path in theme.own:
                token, reading = theme.definition(path), theme.reading(path)
                code = self._code.get((number, path))
                if code is None:
                    name = _declared(token.code_syntax[0][1] if token.code_syntax else token.path)
                    own = words(name) if token.code_syntax else _joined(token.name).split()
                    scope = (str(number), token.at.file, *token.name[:-1]) if source.format == "programs" else None
                    code = self._code[number, path] = _CodeToken(name, tuple(own), scope, {})
                if design not in code.values:
                    names = (reference.name for reference in references_in(token.value) if not token.is_text)
                    references = frozenset((number, name) for name in names)
                    code.values[design] = _Value(reading.literal, reading.type, references, self._shown(token.at))

    def _shown(self, at: Location) -> str:
        return os.path.normpath(os.path.join(self._top, str(at))).replace(os.sep, "/")

    def _match(self) -> None:
        """Find the token of each name, by the name as a whole, else by its words."""
        by_words: dict[tuple[str, ...], set[TokenKey]] = {}
        for key in self._expected:
            own = path_words(key.path)
            for variant in (own, (*words(key.collection), *own)):
                for name in (variant, _telling(variant)):
                    by_words.setdefault(name, set()).add(key)
        first = Counter(code.words[:1] for code in self._code.values())
        for code in self._code.values():
            keys = self._names.keys(code.name) if self._names.declared else []
            if len(keys) != 1:
                is_prefixed = first[code.words[:1]] * 2 >= len(self._code)
                variants = (code.words, code.words[1:] if is_prefixed else ())
                found = (by_words.get(each, ()) for own in variants for each in (own, _telling(own)))
                keys = next(([*each] for each in found if len(each) == 1), [])
            code.key = keys[0] if len(keys) == 1 else None
        self._match_values(self._expected.keys() - {code.key for code in self._code.values()})
        all_of, matched = (Counter(code.scope for code in self._code.values() if code.key or each) for each in (1, 0))
        self._code = {
            identity: code
            for identity, code in self._code.items()
            if code.scope is None or matched[code.scope] * _LEAST_SHARE >= all_of[code.scope]
        }

    def _match_values(self, free: AbstractSet[TokenKey]) -> None:
        """Find the tokens whose values in all modes one similar name has; if two are as similar, neither is it."""
        rated: list[tuple[float, TokenKey, _CodeToken]] = []
        alike: dict[tuple[Theme, str], list[TokenKey]] = {}  # so that few are compared
        for theme in {next(iter(code.values)) for code in self._code.values() if code.key is None}:
            for key in free:
                alike.setdefault((theme, _hexadecimal(self._resolver(theme)(key))), []).append(key)
        for code in self._code.values():
            first, value = next(iter(code.values.items()))
            for key in alike.get((first, _hexadecimal(value.literal)), ()) if code.key is None else ():
                if all(self._same(code, key, theme) for theme in code.values):
                    words_of_key = " ".join(path_words(key.path))
                    spelled = (" ".join(code.words), " ".join(code.words[1:]))  # the first word may be a prefix
                    ratio = max(SequenceMatcher(None, own, words_of_key).ratio() for own in spelled)
                    rated += [(ratio, key, code)] if ratio >= _LEAST_SIMILAR else []
        matched: set[TokenKey] = set()
        for ratio, key, code in sorted(rated, key=lambda each: (-each[0], each[1], each[2].name)):
            rivals = (each for each in rated if each[0] == ratio and (each[1] == key) != (each[2] is code))
            if code.key is None and key not in matched and not any(rivals):
                code.key, code.is_renamed = key, True
                matched.add(key)

    def _same(self, code: _CodeToken, key: TokenKey, theme: Theme) -> bool | None:
        kind = self._kinds[self._graph.table.indices[key]]
        return _are_equal(code.values[theme], self._resolver(theme)(key), kind)

    def _follows(
        self, code: _CodeToken, key: TokenKey, theme: Theme, found: Mapping[_Identity, Sequence[Theme]]
    ) -> bool:
        """Return whether a value differs because it refers to the same tokens as in the design file, which differ."""
        family = self._graph.collections[key[:2]]
        mode = dict(theme.modes).get(family.key, family.default_mode)
        wanted = targets(self._graph.value(self._graph.tokens[key], mode))
        references = code.values[theme].references
        keys = {self._code[reference].key for reference in references if reference in self._code}
        return keys in ({*wanted}, {key}) and any(theme in found.get(reference, ()) for reference in references)

    def rows(self) -> Iterator[Row]:
        """Yield the rows in the order of the code, then those of the design file alone."""
        self._match()
        found = {
            identity: [theme for theme in code.values if self._same(code, code.key, theme) is False]
            for identity, code in self._code.items()
            if code.key
        }
        for identity, code in self._code.items():
            at, key = next(iter(code.values.values())).at, code.key
            if key is None:
                if self._is_token(code):
                    yield Row("only in code", None, at, code.name)
                continue
            differing = [theme for theme in found[identity] if not self._follows(code, key, theme, found)]
            if differing:
                yield Row(
                    "different", key, code.values[differing[0]].at, code.name, self._changes(code, key, differing)
                )
            elif code.is_renamed:
                change = Change("name in code", _declared(self._expected[key][0]), code.name)
                yield Row("renamed", key, at, code.name, (change,))
            else:
                has_all = not any(isinstance(self._resolver(theme)(key), Unresolved) for theme in code.values)
                is_compared = has_all and any(self._same(code, key, theme) is not None for theme in code.values)
                yield Row("equal" if is_compared else "not compared", key, at, code.name)
        yield from self._others({code.key for code in self._code.values()})

    def _others(self, matched: set[TokenKey | None]) -> Iterator[Row]:
        """Yield what the readers could not read, and the tokens of the design file alone."""
        for unread in self._unread:
            keys, at = self._names.keys(unread.name), self._shown(unread.at)
            if len(keys) == 1 and (lost := _LOST.search(unread.reason)):
                change = Change("another value in the same mode", lost[2], lost[1])
                yield Row("different", keys[0], at, unread.name, (change,))
            elif len(keys) == 1 and keys[0] not in matched:
                matched.add(keys[0])
                yield Row("not compared", keys[0], at, unread.name)
        for key, texts in self._expected.items():
            if key not in matched and not isinstance(self._resolver(Theme(""))(key), Unresolved):
                yield Row("only in the design file", key, "", _declared(texts[0]))

    def _is_token(self, code: _CodeToken) -> bool:
        """Return whether a name without a token is public, has a value, and is no part of a composite."""
        is_private = code.name.startswith(("--_", "$_", "$-")) or "--" in code.name[2:]
        literals = [value.literal for value in code.values.values()]
        is_without = all(isinstance(literal, Refused) or literal == "()" for literal in literals)
        is_part = any(f" {composite} " in f" {' '.join(code.words)} " for composite in self._composites)
        return not (is_private or is_without or is_part)

    def _changes(self, code: _CodeToken, key: TokenKey, themes: Sequence[Theme]) -> tuple[Change, ...]:
        """Return the values in the design file and in code for each mode in which they differ."""
        changes: dict[str, Change] = {}
        for theme in themes:
            value, wanted = code.values[theme].literal, self._resolver(theme)(key)
            label = _label(self._graph.collections[key[:2]], theme)
            if not isinstance(value, Refused) and not isinstance(wanted, Unresolved):
                changes.setdefault(label, Change(label, json_value(wanted), json_value(value)))
        return tuple(changes.values())


def adopt(project: Project, audited: Sequence[Audited]) -> list[str]:
    """Write the names that tokens have in code into the token files as code syntax, and return the written paths."""
    syntaxes: dict[TokenKey, dict[str, str]] = {}
    for audit in audited:
        syntax = target(audit.platforms[0]).syntax if audit.platforms else ""
        for row in audit.rows if syntax else ():
            if row.key is not None and _last(row.name) not in map(_last, audit.texts.get(row.key, (row.name,))):
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
    platforms = dict.fromkeys(audit.platforms[0] for audit in audited if audit.platforms)
    outputs = tuple(output_for(platform, surroundings) for platform in platforms)
    set_up(surroundings, Choices("", outputs, hook=False, base_url=f"snapshot:{os.path.relpath(snapshot)}"))
    project = load_project(".", allow_outside=allow_outside)
    with connect(project) as client:
        pull(project, client)
    return project


def _declared(text: str) -> str:
    """Return the name that a reference in code syntax refers to."""
    return text[4:-1] if text.startswith("var(") else text


def _hexadecimal(value: Resolved | Refused) -> str:
    return hexadecimal(value) if isinstance(value, Color) else ""


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


def _number(value: Value) -> float | None:
    """Return a number, a length in pixels, or a duration in milliseconds."""
    if isinstance(value, Quantity):
        return value.number * {"rem": 16.0, "s": 1000.0}.get(value.unit, 1.0)
    return value if isinstance(value, float) else None
