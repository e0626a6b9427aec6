"""Code syntax to write back: the names that the project's outputs emit, so that developers read names that compile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.config import OutputConfig
from tokensync.mapping import RESOLVED_TYPES
from tokensync.problems import problem
from tokensync.targets import has_names, naming_of, written_back_as

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.config import Project
    from tokensync.problems import Problem
    from tokensync.tokens import Token, TokenGraph, TokenKey


class CodeSyntaxes(NamedTuple):
    """The code syntax that tokens should have, by the design tool's platform names; only where it is not so already."""

    wanted: Mapping[TokenKey, Mapping[str, str]]
    problems: tuple[Problem, ...]


class _Source(NamedTuple):
    """An output that names come from, and its place in the configuration."""

    config: OutputConfig
    where: str


def code_syntaxes(project: Project, graph: TokenGraph, asked: Sequence[str]) -> CodeSyntaxes:
    """Return what ``asked`` (of ``CODE_SYNTAX_PLATFORMS``) should say in a graph of all of the project's files.

    A text that names the very identifier stays as somebody wrote it, comments and all; of several outputs of one
    platform the first that declares a token names it. What would not be read back as the same name is told and left as
    it is. So is told which output's names would change, since all outputs of one kind read the same code syntax.
    """
    wanted: dict[TokenKey, dict[str, str]] = {}
    problems: list[Problem] = []
    used: set[str] = set()
    for syntax in asked:
        identifiers: dict[TokenKey, str] = {}
        for source in _sources(project, written_back_as(syntax)):
            used.add(source.where)
            identifiers = {**_identifiers(project, graph, source.config), **identifiers}
            platform = source.config.platform
        for key, text in _texts(graph, identifiers, platform, syntax, problems):
            wanted.setdefault(key, {})[syntax] = text
    problems += _changed_names(project, graph, _with(graph, wanted), used)
    return CodeSyntaxes(wanted, tuple(dict.fromkeys(problems)))


def _sources(project: Project, platforms: Sequence[str]) -> list[_Source]:
    """Return the project's outputs of the first of these platforms that it has one of; the default one when it has
    none.
    """
    every = [_Source(each, _where(project, at)) for at, each in enumerate(project.config.outputs)]
    for platform in platforms:
        if found := [each for each in every if each.config.platform == platform]:
            return found
    return [_Source(OutputConfig(platform=platforms[0], path=platforms[0]), project.source)]


def _where(project: Project, output: int) -> str:
    return f"{project.source} (/outputs/{output})"


def _identifiers(project: Project, graph: TokenGraph, config: OutputConfig) -> dict[TokenKey, str]:
    from tokensync.commands.targets import request_of
    from tokensync.generate import declared_tokens
    from tokensync.naming import names_for

    project.refuse_strays("templates")
    request = request_of(config, graph, project)
    declared = declared_tokens(graph, request)
    return names_for(graph, declared, naming_of(config.platform), request.templates, request.naming)[0]


def _texts(
    graph: TokenGraph, identifiers: Mapping[TokenKey, str], platform: str, syntax: str, problems: list[Problem]
) -> Iterator[tuple[TokenKey, str]]:
    """Yield each token's new text; a token that has a fitting one, or can have none, is not among them."""
    from tokensync.naming import names_read, readable, references_for, token_label

    tokens = {key: graph.tokens[key] for key in identifiers if graph.tokens[key].type in RESOLVED_TYPES}
    rules = naming_of(platform)
    has = names_read(rules, {key: dict(token.code_syntax).get(syntax, "") for key, token in tokens.items()})
    lacking = {key: name for key, name in identifiers.items() if key in tokens and has[key] != name}
    bare = {key: _without_syntax(tokens[key], syntax) for key in lacking}
    texts = references_for(_replaced(graph, bare), lacking, rules)
    read_back = names_read(rules, texts)
    for key, name in lacking.items():
        if read_back[key] == name:
            yield key, texts[key]
            continue
        what = f"its {platform} name {readable(name)} would not be read back from code syntax"
        to_do = "rename it, or give it a code syntax by hand"
        problems.append(problem("code-syntax-unwritable", token_label(graph, key), what, to_do))


def _changed_names(project: Project, before: TokenGraph, after: TokenGraph, used: set[str]) -> Iterator[Problem]:
    """Outputs whose names would differ once the code syntax is there; ``used`` are the places of those it is from."""
    from tokensync.naming import readable, token_label

    for at, config in enumerate(project.config.outputs):
        if not has_names(config.platform):
            continue
        names, then = (_identifiers(project, graph, config) for graph in (before, after))
        changed = [key for key, name in names.items() if then[key] != name]
        if changed:
            first = changed[0]
            example = f"{token_label(before, first)}: {readable(names[first])} becomes {readable(then[first])}"
            what = f"{len(changed)} names of this {config.platform} output change with the new code syntax ({example})"
            if (where := _where(project, at)) in used:
                to_do = 'set naming = { code_syntax = "keep" }, so that what is written is the whole name'
                yield problem("code-syntax-unstable", where, what, to_do)
            else:
                to_do = "give the outputs that read one code syntax the same naming, or expect the new names"
                yield problem("code-syntax-renames", where, what, to_do)


def _with(graph: TokenGraph, wanted: Mapping[TokenKey, Mapping[str, str]]) -> TokenGraph:
    """Return the graph with that code syntax."""
    return _replaced(
        graph,
        {
            key: replace(token, code_syntax=tuple(sorted({**dict(token.code_syntax), **texts}.items())))
            for key, texts in wanted.items()
            for token in (graph.tokens[key],)
        },
    )


def _without_syntax(token: Token, syntax: str) -> Token:
    return replace(token, code_syntax=tuple(each for each in token.code_syntax if each[0] != syntax))


def _replaced(graph: TokenGraph, tokens: Mapping[TokenKey, Token]) -> TokenGraph:
    from tokensync.tokens import TokenGraph as Graph

    every: Iterable[Token] = (tokens.get(key, token) for key, token in graph.tokens.items())
    return Graph(graph.collections.values(), every)
