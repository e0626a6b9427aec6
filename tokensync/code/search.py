"""Search code for the names of tokens: those that the configured outputs generate, and those in code syntax.

The search prefers a use too many to one too few, because people delete what seems unused. It reads whole identifiers in
the forms of each language, so ``--accent`` is no use of ``--accent-muted``.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple, cast

from tokensync.code.files import code_files
from tokensync.generate.targets import DEFAULTS, code_references, has_names, naming_of, target
from tokensync.normalize.mapping import name_of_path
from tokensync.project.configuration import typed_options
from tokensync.settings import OutputConfig
from tokensync.system.errors import UsageError
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.targets.template import TemplateOptions
    from tokensync.project.configuration import Project
    from tokensync.tokens import TokenGraph, TokenKey

_MOST_USES = 100
"""The most uses that are kept for a token."""
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


class _Names(NamedTuple):
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


def search_code(
    project: Project, graph: TokenGraph, paths: Sequence[str], progress: Callable[[str], None] = lambda text: None
) -> SearchedCode:
    """Return the uses of the graph's local tokens in the files at these paths and below them.

    Raises UsageError for a path that does not exist, and if there is no code in them.
    """
    names = _names(project, graph)
    uses: dict[TokenKey, list[CodeUse]] = {}
    unread: list[str] = []
    files = 0
    for path, content in code_files(paths, unread, project, option="--code "):
        files += 1
        if files % 500 == 0:
            progress(f"searching code ({counted(files, 'file')})")
        for key, use in _uses(path, content.decode("utf-8", "replace"), names):
            found = uses.setdefault(key, [])
            if use not in found and len(found) < _MOST_USES:
                found.append(use)
    if not files:
        what = f"--code {' '.join(paths)}: there is no code that tokensync did not write"
        raise UsageError("; ".join((what, "name other files or folders of code", *unread[:1])))
    return SearchedCode({key: tuple(each) for key, each in uses.items()}, files, tuple(unread))


def _names(project: Project, graph: TokenGraph) -> _Names:
    """Return the names of all local tokens: in every configured output, or by default, and in code syntax."""
    from tokensync.generate.naming import names_for
    from tokensync.generate.output import Resolution
    from tokensync.generate.target import declared_tokens
    from tokensync.project.configured_outputs import request_of

    names = _Names({}, {}, {}, {}, {}, {})
    outputs = project.config.outputs or [OutputConfig(platform=each, path=each) for each in DEFAULTS]
    project.check_paths("templates")
    for config in outputs:
        request = request_of(config, graph, project)
        declared = tuple(declared_tokens(graph, request))
        for platform in _naming_platforms(config):
            found, _ = names_for(graph, declared, naming_of(platform), request.templates, request.naming)
            _add(names, target(config.platform).names_of or config.platform, found)
        if config.platform == "ios" and config.options.get("nested") == "path":
            for key, texts in code_references(Resolution(graph), request).items():
                constant = max(texts, key=lambda text: text.count("."))
                names.literals.setdefault(_WORD.findall(constant)[-1], []).append((constant, key))
        if config.platform == "tailwind":
            _add_utilities(names, graph, config, project)
        if config.platform in ("json", "template"):
            for token in declared:
                name = name_of_path(token.key.path)
                for text in (name, name.replace("/", "."), re.sub(r"[\W_]+", "-", name)):
                    _keys(names.texts, text).append(token.key)
    for token in graph.tokens.values():
        if token.origin == "local" and token.code_syntax:
            _add_code_syntax(names, token.key, token.code_syntax)
    return names


def _naming_platforms(config: OutputConfig) -> list[str]:
    """Return the platforms whose names an output uses: its own, or those of the files of a template output."""
    if config.platform == "template":
        return sorted({file.names for file in cast("TemplateOptions", typed_options("template", config.options)).files})
    return [config.platform] if has_names(config.platform) else []


def _keys(table: dict[str, list[TokenKey]], name: str) -> list[TokenKey]:
    return table.setdefault(name, [])


def _add(names: _Names, platform: str, found: Mapping[TokenKey, str]) -> None:
    for key, name in found.items():
        if name.startswith("--"):
            _keys(names.properties, name).append(key)
        elif name.startswith("$"):
            _keys(names.variables, name[1:]).append(key)
            _keys(names.texts, name[1:]).append(key)
        else:
            _keys(names.words.setdefault(platform, {}), name).append(key)


def _add_code_syntax(names: _Names, key: TokenKey, code_syntax: Iterable[tuple[str, str]]) -> None:
    """Add the identifiers in a token's code syntax, also if no output takes its names from it, and its texts."""
    from tokensync.generate.naming import names_read

    texts = dict(code_syntax)
    for platform, syntax in (("css", "WEB"), ("android", "ANDROID"), ("ios", "iOS")):
        text = texts.get(syntax, "").strip()
        name = names_read(naming_of(platform), {key: text})[key] if text else None
        if name is not None:
            _add(names, platform, {key: name})
        words = _WORD.findall(text)
        if len(words) > 1 and not text.startswith(("var(", "--", "$", "@", "R.")):
            names.literals.setdefault(words[-1], []).append((text, key))


def _add_utilities(names: _Names, graph: TokenGraph, config: OutputConfig, project: Project) -> None:
    """Add the variables of a Tailwind theme, and the ends of the classes that Tailwind makes of them."""
    from tokensync.generate.output import Resolution
    from tokensync.generate.targets.tailwind.render import theme_names
    from tokensync.project.configured_outputs import request_of

    for key, variable, ending in theme_names(Resolution(graph), request_of(config, graph, project)):
        _keys(names.properties, f"--{variable}").append(key)
        _keys(names.endings, ending).append(key)


def _uses(path: str, text: str, names: _Names) -> Iterator[tuple[TokenKey, CodeUse]]:
    """Yield the uses in a text, by line. Most texts have none, which sets of their words show fast."""
    suffix = os.path.splitext(path)[1].lower()
    tables = {each: table for each, table in names.words.items() if suffix in _SUFFIXES.get(each, (suffix,))}
    words = set(_WORD.findall(text)) if tables or names.literals else set()
    found: list[tuple[int, str, Iterable[TokenKey]]] = []
    for platform, table in tables.items():
        if hits := table.keys() & words:
            found += (
                (match.start(), match[0], table[match[0]])
                for match in _WORD.finditer(text)
                if match[0] in hits and _is_reference(platform, text, match)
            )
    if names.properties and "--" in text:
        found += _matches(_PROPERTY, text, names.properties)
        for match in _DYNAMIC.finditer(text):
            begun = [key for name, of in names.properties.items() if name.startswith(match[1]) for key in of]
            found.append((match.start(), f"{match[1]}…", begun))
    if names.variables and "$" in text:
        found += _matches(_VARIABLE, text, names.variables)
    if names.texts:
        found += _matches(_TEXT, text, names.texts)
    if names.endings:
        classes = set(_CLASS.findall(text))
        utilities = {class_: own for class_ in classes if (own := _endings(class_, names))}
        found += _matches(_CLASS, text, utilities)
    for word in names.literals.keys() & words:
        for literal, key in names.literals[word]:
            bounded = re.compile(rf"(?<![\w$-]){re.escape(literal)}(?![\w-])")
            found += ((match.start(), literal, (key,)) for match in bounded.finditer(text))
    lines = [match.start() for match in re.finditer("\n", text)] if found else []
    for start, name, keys in sorted(found, key=lambda each: each[0]):
        use = CodeUse(path, bisect_left(lines, start) + 1, name)
        yield from ((key, use) for key in keys)


def _matches(
    pattern: re.Pattern[str], text: str, table: Mapping[str, Iterable[TokenKey]]
) -> list[tuple[int, str, Iterable[TokenKey]]]:
    """Return the matches of a pattern whose only group is a name."""
    hits = table.keys() & set(pattern.findall(text))
    found = (match for match in pattern.finditer(text) if match[1] in hits) if hits else ()
    return [(match.start(1), match[1], table[match[1]]) for match in found]


def _endings(run: str, names: _Names) -> list[TokenKey]:
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
    if (
        platform == "typescript"
        or re.search(r"\d|_|(?<=.)[A-Z]", name)
        or (before == after != "" and before in _QUOTES)
    ):
        return True
    if platform == "android":
        return _RESOURCE.search(text, max(0, start - 80), start) is not None
    return before == "." or text[start - 2 : start] == "::"
