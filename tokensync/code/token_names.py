"""The names that code has for tokens, where texts have them, and names in the same namespaces that no token has.

A name is unknown only if it is certainly meant to be that of a token. It is one slip away from one, has its words in
another order, or has the prefix of all custom properties. No code that is given declares it, and no output or import.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from functools import cached_property
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.code.files import LARGEST, STYLE_SHEETS, code_files, imported_files, parts
from tokensync.code.lexers import LANGUAGES, WORD_IN_TEXT, tokens
from tokensync.tokens import Alias, TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.project.configuration import Project

_WORD = re.compile(r"\w+")
_PROPERTY = re.compile(r"(--[\w-]+)")
_VARIABLE = re.compile(r"\$([^\W\d][\w-]*)")
_CLASS = re.compile(r"([a-z]\w*-[\w-]+)")
_TEXT = re.compile(r"""["'`]([^"'`\n]{1,200})(?=["'`])""")
_DYNAMIC = re.compile(r"""(--[\w-]*-)(?=[$#]\{|\{\{|["'`]\s*\+)""")
"""The beginning of a custom property whose name is built when the code runs."""
_RESOURCE = re.compile(r"(?:\bR\.\w+\.|[@?]\+?(?:[\w.]+:)?(?:\w+/)?|\.)\Z")
"""What precedes the name of an Android resource; the dot is that of an imported R class or a member."""
_QUOTES = "\"'`"
_KOTLIN, _SWIFT = (".kt", ".kts"), (".swift", ".m", ".mm", ".h", ".xib", ".storyboard")
_ANDROID = (*_KOTLIN, ".java", ".xml", ".gradle")
_SCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro", ".html", ".mdx")
_SUFFIXES = {"android": _ANDROID, "compose": _KOTLIN, "flutter": (".dart",), "ios": _SWIFT, "typescript": _SCRIPT}
"""The files in which the names of a platform can be; those of other platforms can be in any file."""


Form = Literal["word", "property", "variable", "text", "class", "literal", "dynamic", "resource", "member"]


class Occurrence(NamedTuple):
    """A name of tokens in a text: its offset, how it is written there, its tokens, and its form."""

    start: int
    name: str
    keys: Iterable[TokenKey]
    form: Form


class TokenNames(NamedTuple):
    """The names to search, each with its tokens.

    ``words`` are identifiers by platform, ``properties`` are custom properties, ``variables`` those of Sass, ``texts``
    whole strings, ``endings`` the ends of Tailwind's classes, and ``literals`` texts of code syntax by their last word.
    """

    words: dict[str, dict[str, list[TokenKey]]]
    properties: dict[str, list[TokenKey]]
    variables: dict[str, list[TokenKey]]
    texts: dict[str, list[TokenKey]]
    endings: dict[str, list[TokenKey]]
    literals: dict[str, list[tuple[str, TokenKey]]]


def token_names(project: Project, graph: TokenGraph) -> TokenNames:
    """Return the names of all local tokens: in every configured output, or by default, and in code syntax."""
    from tokensync.generate.naming import names_for
    from tokensync.generate.output import Resolution
    from tokensync.generate.target import declared_tokens
    from tokensync.generate.targets import DEFAULTS, code_references, has_names, naming_of, target
    from tokensync.generate.targets.tailwind.render import theme_names
    from tokensync.normalize.mapping import name_of_path
    from tokensync.project.configured_outputs import request_of
    from tokensync.settings import OutputConfig

    names = TokenNames({}, {}, {}, {}, {}, {})
    outputs = project.config.outputs or [OutputConfig(platform=platform, path=platform) for platform in DEFAULTS]
    project.check_paths("templates")
    for config in outputs:
        request = request_of(config, graph, project)
        declared = tuple(declared_tokens(graph, request))
        own = [config.platform] if has_names(config.platform) else []
        of_files = sorted({file.names for file in getattr(request.options, "files", ())})
        for platform in of_files if config.platform == "template" else own:
            found, _ = names_for(graph, declared, naming_of(platform), request.templates, request.naming)
            _add(names, target(config.platform).names_of or config.platform, found)
        if config.platform == "ios" and config.options.get("nested") == "path":
            for key, texts in code_references(Resolution(graph), request).items():
                constant = max(texts, key=lambda text: text.count("."))
                names.literals.setdefault(_WORD.findall(constant)[-1], []).append((constant, key))
        if config.platform == "tailwind":
            for key, variable, ending in theme_names(Resolution(graph), request):
                names.properties.setdefault(f"--{variable}", []).append(key)
                names.endings.setdefault(ending, []).append(key)
        if config.platform in ("json", "template"):
            for token in declared:
                name = name_of_path(token.key.path)
                for text in (name, name.replace("/", "."), re.sub(r"[\W_]+", "-", name)):
                    names.texts.setdefault(text, []).append(token.key)
    for token in graph.tokens.values():
        if token.origin == "local" and token.code_syntax:
            _add_code_syntax(names, token.key, token.code_syntax)
    return names


def _add(names: TokenNames, platform: str, found: Mapping[TokenKey, str]) -> None:
    for key, name in found.items():
        if name.startswith("--"):
            names.properties.setdefault(name, []).append(key)
        elif name.startswith("$"):
            names.variables.setdefault(name[1:], []).append(key)
            names.texts.setdefault(name[1:], []).append(key)
        else:
            names.words.setdefault(platform, {}).setdefault(name, []).append(key)


def _add_code_syntax(names: TokenNames, key: TokenKey, code_syntax: Iterable[tuple[str, str]]) -> None:
    """Add the identifiers in a token's code syntax, also if no output takes its names from it, and its texts."""
    from tokensync.generate.naming import names_read
    from tokensync.generate.targets import naming_of

    texts = dict(code_syntax)
    for platform, syntax in (("css", "WEB"), ("android", "ANDROID"), ("ios", "iOS")):
        text = texts.get(syntax, "").strip()
        name = names_read(naming_of(platform), {key: text})[key] if text else None
        if name is not None:
            _add(names, platform, {key: name})
        words = _WORD.findall(text)
        if len(words) > 1 and not text.startswith(("var(", "--", "$", "@", "R.")):
            names.literals.setdefault(words[-1], []).append((text, key))


def occurrences(path: str, text: str, names: TokenNames) -> list[Occurrence]:
    """Return the names in a text, in order. Most texts have none, which sets of their words show fast."""
    suffix = os.path.splitext(path)[1].lower()
    tables = {name: table for name, table in names.words.items() if suffix in _SUFFIXES.get(name, (suffix,))}
    words = set(_WORD.findall(text)) if tables or names.literals else set()
    found: list[Occurrence] = []
    for platform, table in tables.items():
        if hits := table.keys() & words:
            found += (
                Occurrence(match.start(), match[0], table[match[0]], "word")
                for match in _WORD.finditer(text)
                if match[0] in hits and _is_reference(platform, text, match)
            )
    if names.properties and "--" in text:
        found += _matches(_PROPERTY, text, names.properties, "property")
        for match in _DYNAMIC.finditer(text):
            begun = [key for name, of in names.properties.items() if name.startswith(match[1]) for key in of]
            found.append(Occurrence(match.start(), f"{match[1]}…", begun, "dynamic"))
    if names.variables and "$" in text:
        found += _matches(_VARIABLE, text, names.variables, "variable")
    if names.texts:
        found += _matches(_TEXT, text, names.texts, "text")
    if names.endings:
        classes = set(_CLASS.findall(text))
        utilities = {class_: own for class_ in classes if (own := _endings(class_, names))}
        found += _matches(_CLASS, text, utilities, "class")
    for word in names.literals.keys() & words:
        for literal, key in names.literals[word]:
            bounded = re.compile(rf"(?<![\w$-]){re.escape(literal)}(?![\w-])")
            found += (Occurrence(match.start(), literal, (key,), "literal") for match in bounded.finditer(text))
    return sorted(found, key=lambda use: use.start)


def _matches(
    pattern: re.Pattern[str], text: str, table: Mapping[str, Iterable[TokenKey]], form: Form
) -> Iterator[Occurrence]:
    """Yield the matches of a pattern whose only group is a name."""
    hits = table.keys() & set(pattern.findall(text))
    for match in pattern.finditer(text) if hits else ():
        if match[1] in hits:
            yield Occurrence(match.start(1), match[1], table[match[1]], form)


def _endings(run: str, names: TokenNames) -> list[TokenKey]:
    """Return the tokens of all classes of Tailwind that a class may be, such as ``slate-500`` in ``bg-slate-500``."""
    keys: list[TokenKey] = []
    at = run.find("-")
    while at >= 0:
        keys += names.endings.get(run[at + 1 :], ())
        at = run.find("-", at + 1)
    return keys


def _is_reference(platform: str, text: str, match: re.Match[str]) -> bool:
    """Return whether a word is in a form in which code of the platform refers to a token.

    A plain word such as ``primary`` counts as a member, a resource or a whole string; one that no language would
    contain by chance, such as ``colorPrimary`` or ``color_primary``, counts everywhere.
    """
    name, start = match[0], match.start()
    before, after = text[start - 1 : start], text[match.end() : match.end() + 1]
    if platform == "typescript" or WORD_IN_TEXT.search(name) or (before == after != "" and before in _QUOTES):
        return True
    if platform == "android":
        return _RESOURCE.search(text, max(0, start - 80), start) is not None
    return before == "." or text[start - 2 : start] == "::"


# --- unknown and deprecated names -----------------------------------------------------------------------------------

_SHORTEST, _LONGEST = 5, 200
"""The lengths of names, without their sigils, that are compared with those of tokens."""
_USED_PROPERTY = re.compile(
    r"""(?:\bvar\(|\btheme\(|-\()\s*(--[\w-]++)(?!\\|[$#]\{|\{\{|["'`]\s*\+)(?=\s*(?P<fallback>,)?)"""
)
_FALLBACK = re.compile(r"\bvar\(\s*(--[\w-]+)\s*,\s*\Z")
_USED_VARIABLE = re.compile(r"(?<![\w$-])\$([^\W\d][\w-]*+)(?!\s*:(?!:))")
_DECLARES_VARIABLES = re.compile(r"@(?:mixin|function|include|each|for|use|forward)\b[^\n;{]*\Z|\$[\w-]+\s*,[^;{]*\Z")
_USED_RESOURCE = re.compile(r"(?<![\w.])R\.(\w+)\.(\w+)|[\"'>\s]@(\w+)/(\w++)(?!\.)")
_UTILITY = re.compile(
    r"(?<=[\s\"'`:!])(?:bg|text|border(?:-[trblxyse])?|ring(?:-offset)?|fill|stroke|outline|divide|placeholder|caret"
    r"|accent|decoration|shadow|from|via|to)-([a-z][\w-]*+)(?=[\s\"'`;/!])"
)
_UTILITIES_OF_TAILWIND = frozenset(
    "center right left justify start end wrap nowrap balance pretty ellipsis clip dashed dotted double hidden solid"
    " collapse separate fixed local scroll cover contain auto bottom top repeat none inset current inherit black white"
    " transparent base gradient linear radial conic blend opacity offset spacing underline inner".split()
)
"""The first words of Tailwind's own utilities in these namespaces that are no colours."""
_PALETTE = re.compile(r"[a-z]+-(?:50|[1-9]00|950)")
_BEFORE_REFERENCE: dict[Form, re.Pattern[str]] = {
    "property": re.compile(r"(?:\bvar\(|\btheme\(|-\()\s*\Z"),
    "resource": re.compile(r"(?:\bR\.\w+\.|@\w+/)\Z"),
    "member": re.compile(r"\.\Z"),
}
"""What precedes a name that is referred to. With anything else before it, the text may declare the name."""


_IMPORTED = re.compile(r"""\bimport\b([^;'"]{1,1000})["']""")
_NAME = re.compile(r"[\w-]+")


class NameFinding(NamedTuple):
    """A name of code that no token has, or that a deprecated token has; ``whole`` is the class of Tailwind it is in.

    ``suggestion`` is the name to write instead, if there is one; ``is_equal`` says that its value is the same in every
    theme. ``reason`` is what the token files say about the deprecation.
    """

    start: int
    end: int
    text: str
    kind: Literal["unknown", "deprecated"]
    form: Form
    suggestion: str = ""
    is_equal: bool = False
    reason: str = ""
    whole: str = ""

    @property
    def suspect(self) -> tuple[Form, str]:
        """Return what code must declare, so that the name is not unknown."""
        return self.form, self.whole or self.text


class NameTables(NamedTuple):
    """The names of tokens, those of deprecated ones, and the references to tokens by platform with an output."""

    names: TokenNames
    deprecated: TokenNames | None
    references: dict[str, tuple[str, ...]]


class NameChecker:
    """The names of a project's tokens, and which of them are deprecated.

    ``references`` returns those to tokens in the outputs of a platform. ``graph`` has the successors.
    """

    def __init__(
        self,
        tables: NameTables,
        references: Callable[[str], Iterable[str]] | None = None,
        graph: TokenGraph | None = None,
    ) -> None:
        self._names, self._deprecated, self._platforms = tables
        self._references = references or tables.references.__getitem__
        self._graph = graph
        self._prefix = _shared_prefix(self._names.properties)
        self._properties = _Known(self._names.properties)
        self._variables = _Known(name.replace("_", "-") for name in self._names.variables)

    def saved(self) -> NameTables:
        """Return tables with the references that code can need, for a checker without a graph."""
        platforms = {name: tuple(self._references(name)) if name in _REFERRED else () for name in self._platforms}
        return NameTables(self._names, self._deprecated, platforms)

    def findings(self, path: str, text: str) -> Iterator[NameFinding]:
        """Yield the deprecated names in a file, and those that may be unknown, unless ``declared`` has them."""
        suffix = os.path.splitext(path)[1].lower()
        found = [*self._suspects_of_web(suffix, text), *self._suspects_of_native(suffix, text)]
        if self._deprecated is not None:
            found += self._outdated(path, text, self._deprecated)
        if found:
            comments, strings = spans(path, text, ("comment",)), spans(path, text, ("string", "text"))
            for finding in sorted(found):
                is_code = finding.form in ("member", "variable", "word") and text[finding.start - 1] != "/"
                if not (span_at(finding.start, comments) or (is_code and span_at(finding.start, strings))):
                    yield finding

    # --- names that no token has ---

    def _suspects_of_web(self, suffix: str, text: str) -> Iterator[NameFinding]:
        if self._names.properties and "--" in text:
            for match in _USED_PROPERTY.finditer(text):
                nested = _FALLBACK.search(text, max(0, match.start() - 100), match.start())
                is_fallback = nested is not None and nested[1] in self._names.properties
                if match[1] not in self._names.properties and not is_fallback:
                    is_ours = match[1].startswith(self._prefix) and not match["fallback"]
                    yield from self._suspect("property", match, 1, self._properties, is_ours=is_ours)
        if self._names.variables and (suffix in (".scss", ".sass") or 'lang="scss"' in text):
            for match in _USED_VARIABLE.finditer(text):
                name = match[1].replace("_", "-")
                if name not in self._variables.names:
                    yield from self._suspect("variable", match, 1, self._variables)
        if self._classes.names and suffix in (*_SCRIPT, ".css", ".scss"):
            for match in _UTILITY.finditer(text):
                ending = match[1]
                is_tailwind = ending.partition("-")[0] in _UTILITIES_OF_TAILWIND or _PALETTE.fullmatch(ending)
                if ending not in self._names.endings and not is_tailwind:
                    yield from self._suspect("class", match, 1, self._classes)

    def _suspects_of_native(self, suffix: str, text: str) -> Iterator[NameFinding]:
        if suffix in (".kt", ".java", ".xml") and "android" in self._platforms:
            for match in _USED_RESOURCE.finditer(text):
                group = 2 if match[2] else 4
                known = self._resources.get(match[group - 1])
                if known and match[group].replace(".", "_") not in known.names:
                    yield from self._suspect("resource", match, group, known)
        for match in self._owned(suffix, text):
            known = self._members[1][match[1]]
            if match[2] not in known.names:
                yield from self._suspect("member", match, 2, known)

    def _suspect(
        self, form: Form, match: re.Match[str], group: int, known: _Known, *, is_ours: bool = False
    ) -> Iterator[NameFinding]:
        suggestion = known.near(match[group])
        if suggestion or is_ours:
            whole = match[0] if form == "class" else ""
            start, end = match.span(group)
            yield NameFinding(start, end, match[group], "unknown", form, suggestion, whole=whole)

    def _owned(self, suffix: str, text: str) -> Iterator[re.Match[str]]:
        """Yield the members of objects that an output declares, as far as the text can mean these."""
        if not any(suffix in _SUFFIXES[owner] for owner in _OWNERS if owner in self._platforms):
            return
        pattern, members, scripts = self._members
        imported = {word for match in _IMPORTED.finditer(text) for word in _WORD.findall(match[1])} if scripts else ()
        for match in pattern.finditer(text) if members else ():
            is_imported = match[1] not in scripts or match[1].split(".")[0] in imported
            if is_imported and (suffix in _SCRIPT) == (match[1] in scripts):
                yield match

    @cached_property
    def _classes(self) -> _Known:
        """The ends of Tailwind's classes of colours."""
        if "tailwind" not in self._platforms:
            return _Known(())
        colors = {name.partition("color-")[2] for name in self._names.properties if "color-" in name}
        return _Known(colors & self._names.endings.keys())

    @cached_property
    def _resources(self) -> dict[str, _Known]:
        """The names of Android resources by type."""
        by_type: dict[str, set[str]] = {}
        for text in self._references("android"):
            if text.startswith("R."):
                _, type_, name = text.split(".", 2)
                by_type.setdefault(type_, set()).add(name)
        return {type_: _Known(names) for type_, names in by_type.items()}

    @cached_property
    def _members(self) -> tuple[re.Pattern[str], dict[str, _Known], set[str]]:
        """The pattern of members of objects that outputs declare, the members by object, and the objects of scripts."""
        owners: dict[str, set[str]] = {}
        scripts: set[str] = set()
        for platform in _OWNERS:
            for text in self._references(platform) if platform in self._platforms else ():
                owner, _, member = text.replace("`", "").rpartition(".")
                if owner and owner not in ("Color", "UIColor"):
                    owners.setdefault(owner, set()).add(member)
                    scripts |= {owner} if platform == "typescript" else set()
        for owner in tuple(owners):  # an object of objects has these as members, too
            outer, _, inner = owner.rpartition(".")
            if outer in owners:
                owners[outer].add(inner)
        names = "|".join(map(re.escape, sorted(owners, key=len, reverse=True)))
        pattern = re.compile(rf"(?<![\w.$])({names})\.([^\W\d]\w*+)(?![\w(])")
        return pattern, {owner: _Known(members) for owner, members in owners.items()}, scripts

    # --- names of deprecated tokens ---

    def _outdated(self, path: str, text: str, names: TokenNames) -> Iterator[NameFinding]:
        for start, name, keys, form in occurrences(path, text, names):
            before = text[start - 1 : start]
            preceding = {"word": "./", "class": " \t\n\"'`:!"}.get(form, before)
            if before in preceding and form not in ("text", "dynamic"):
                key = next(iter(keys))
                successor, is_equal = _successor(self._graph, key) if self._graph else (None, False)
                reason = self._graph.tokens[key].deprecated if self._graph else ""
                said = reason if isinstance(reason, str) else ""
                new = self._name_of(successor, form, name) if successor else ""
                yield NameFinding(start, start + len(name), name, "deprecated", form, new, is_equal and bool(new), said)

    def _name_of(self, key: TokenKey, form: Form, name: str) -> str:
        """Return the name of a token in place of another one; an empty text if it has none in this form."""
        own = [table for table in self._names.words.values() if name in table]
        tables = {"property": [self._names.properties], "variable": [self._names.variables], "word": own}.get(form, [])
        return next((other for table in tables for other, keys in table.items() if key in keys), "")


def _successor(graph: TokenGraph, key: TokenKey) -> tuple[TokenKey | None, bool]:
    """Return the token to use instead, and whether it has the same value everywhere: the target of all aliases.

    Else it is the token that the deprecation names.
    """
    token = graph.tokens[key]
    values = {value for value in token.values if value is not None}
    target = next(iter(values)) if len(values) == 1 else None
    if isinstance(target, Alias) and not graph.tokens[target.target].deprecated:
        return target.target, True
    words = re.findall(r"[\w$][\w./ -]*[\w]", token.deprecated) if isinstance(token.deprecated, str) else ()
    written = {part.replace("/", ".") for text in words for part in (text, *text.split())}
    named = (other for other in graph.tokens if other.path in written and other.file == key.file)
    return next((other for other in named if not graph.tokens[other].deprecated), None), False


def name_checker(project: Project, graph: TokenGraph) -> NameChecker:
    """Return the checker of names in a project's code; references are only made if code needs them."""
    from tokensync.generate.output import Resolution
    from tokensync.generate.targets import code_references
    from tokensync.project.configured_outputs import request_of

    def references(platform: str) -> Iterator[str]:
        for config in project.config.outputs:
            if config.platform == platform:
                of_output = code_references(Resolution(graph), request_of(config, graph, project))
                yield from chain.from_iterable(of_output.values())

    names = token_names(project, graph)
    deprecated = {key for key, token in graph.tokens.items() if token.deprecated}
    platforms: dict[str, tuple[str, ...]] = {output.platform: () for output in project.config.outputs}
    tables = NameTables(names, _only(names, deprecated) if deprecated else None, platforms)
    return NameChecker(tables, references, graph)


_OWNERS = ("compose", "ios", "typescript")
"""The platforms whose outputs declare objects with tokens as members."""
_REFERRED = (*_OWNERS, "android")


class _Known:
    """Names, with all ways to write one wrongly by one slip: a character too many, too few or another, or the order."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)

    @cached_property
    def _by_slip(self) -> dict[str, str]:
        return {slip: name for name in sorted(self.names) for slip in _slips(name)}

    @cached_property
    def _by_words(self) -> dict[tuple[str, ...], str]:
        return {_words(name): name for name in sorted(self.names)}

    def near(self, name: str) -> str:
        """Return the name that a text misspells; an empty text if there is none."""
        if not _SHORTEST <= len(name.lstrip("-")) <= _LONGEST:
            return ""
        slip = next((self._by_slip[slip] for slip in _slips(name) if slip in self._by_slip), "")
        return self._by_words.get(_words(name), "") or slip


def _shared_prefix(names: Collection[str]) -> str:
    """Return the first words of all custom properties, such as ``--acme-``, or a text that no name has."""
    pairs = zip(min(names), max(names), strict=False) if len(names) > 2 else ()
    shared = "".join(first for first, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)).rpartition("-")[0]
    return f"{shared}-" if len(shared) > 2 else "\0"


def _slips(name: str) -> Iterator[str]:
    """Yield a name, and the name without one of its characters, all in lower case."""
    lowered = name.lower()
    yield lowered
    yield from (lowered[:at] + lowered[at + 1 :] for at in range(len(lowered)))


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(word.lower() for word in re.findall(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+|\d+", name)))


def _only(names: TokenNames, keys: Container[TokenKey]) -> TokenNames:
    """Return the names that no other tokens have."""

    def kept(table: Mapping[str, list[TokenKey]]) -> dict[str, list[TokenKey]]:
        return {name: own for name, own in table.items() if all(key in keys for key in own)}

    literals = {word: [each for each in texts if each[1] in keys] for word, texts in names.literals.items()}
    return TokenNames(
        {platform: own for platform, table in names.words.items() if (own := kept(table))},
        kept(names.properties),
        kept(names.variables),
        kept(names.texts),
        kept(names.endings),
        {word: texts for word, texts in literals.items() if texts},
    )


def spans(path: str, text: str, kinds: Collection[str]) -> list[tuple[int, int]]:
    """Return where a text has tokens of these kinds, in order."""
    found: list[tuple[int, int]] = []
    for language, start, end in parts(path, text):
        if language in LANGUAGES:
            found += ((token.start, token.end) for token in tokens(text, language, start, end) if token.kind in kinds)
        elif "comment" in kinds:
            found += (match.span() for match in re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL).finditer(text, start, end))
    return found


def span_at(offset: int, ranges: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return which of the ordered ranges an offset is in."""
    at = bisect_right(ranges, offset, key=lambda each: each[0]) - 1
    return ranges[at] if at >= 0 and offset < ranges[at][1] else None


def declared(
    names: Collection[tuple[Form, str]], paths: Sequence[str], project: Project, texts: Mapping[str, str]
) -> set[tuple[Form, str]]:
    """Return those of the names that code may declare: texts, the files at these paths, what these import, outputs."""
    forms: dict[str, set[Form]] = {}
    for form, name in names:
        forms.setdefault(name, set()).add(form)
    found: set[tuple[Form, str]] = set()
    imported: set[str] = set()
    given = [path for path in paths if os.path.exists(path)]
    for path, content in code_files(given, [], project):
        text = content.decode("utf-8", "surrogateescape")
        imported |= imported_files(path, text)
        stem = os.path.basename(path).partition(".")[0]
        found |= {(form, stem) for form in forms.get(stem, ()) if form == "resource"}
        found.update(_declared_in(path, text, forms))
    found.update(name for path, text in texts.items() for name in _declared_in(path, text, forms))
    outputs = [project.path(output.path) for output in project.config.outputs]
    for path in {*imported, *(path for output in outputs for path in _files_at(output))}:
        try:
            with open(path, "rb") as file:
                text = file.read(LARGEST).decode("utf-8", "replace")
        except OSError:
            continue
        found.update(_declared_in(path, text, forms))
    return found


def _files_at(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
    for folder, _, files in os.walk(path):
        yield from (os.path.join(folder, name) for name in files)


def _declared_in(path: str, text: str, forms: Mapping[str, Iterable[Form]]) -> Iterator[tuple[Form, str]]:
    names = forms.keys() & set(_NAME.findall(text))
    is_style_sheet = path.endswith(tuple(f".{language}" for language in STYLE_SHEETS))
    for match in _NAME.finditer(text) if names else ():
        if match[0] not in names:
            continue
        before = text[max(0, match.start() - 200) : match.start()]
        for form in forms[match[0]]:
            if form == "variable":
                sets = re.match(r"\s*:(?!:)", text[match.end() : match.end() + 20])
                is_declared = before[-1:] == "$" and bool(sets or _DECLARES_VARIABLES.search(before))
            elif form == "class":
                is_declared = is_style_sheet and bool(re.search(r"(?:\.|@utility\s+)\Z", before))
            else:
                is_declared = not _BEFORE_REFERENCE[form].search(before)
            if is_declared:
                yield form, match[0]
