"""The texts with which code refers to tokens: those for Dev Mode, those that no output declares, and whose they are."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.targets import NAMED, code_references, naming_of, written_back_as
from tokensync.project.configuration import typed_options
from tokensync.project.configured_outputs import patterns_of, request_of
from tokensync.settings import OutputConfig
from tokensync.system.problems import problem
from tokensync.system.wording import counted
from tokensync.tokens import CODE_SYNTAX_PLATFORMS
from tokensync.tokens.resolver import TokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.naming import CodeReferences
    from tokensync.generate.output import Resolution
    from tokensync.project.configuration import Project
    from tokensync.project.configured_outputs import Names
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenGraph, TokenKey


def outputs_written_back(project: Project | None, syntax: str) -> list[OutputConfig]:
    """Return the outputs whose names and references are written as a platform's code syntax.

    They are those of the first target that has any; without any, the default output of the first target.
    """
    platforms = written_back_as(syntax)
    return next(filter(None, (_outputs_of(project, each) for each in platforms)), _default_outputs(platforms[0]))


def _outputs_of(project: Project | None, platform: str) -> list[OutputConfig]:
    return [output for output in project.config.outputs if output.platform == platform] if project else []


def _default_outputs(platform: str) -> list[OutputConfig]:
    return [OutputConfig(platform=platform, path=platform)]


def references_of_outputs(
    resolution: Resolution, outputs: Iterable[OutputConfig], project: Project | None
) -> CodeReferences:
    """Return the texts that refer to each token in code; the first output that declares a token provides them.

    A token without a value has none, since the outputs omit it.
    """
    references: CodeReferences = {}
    for output in outputs:
        request = request_of(output, resolution.graph, project)
        references = {**code_references(resolution, request, exact=True), **references}
    return references


def texts_to_write(
    project: Project | None,
    graph: TokenGraph,
    syntax: str,
    names: Mapping[TokenKey, str],
    references: CodeReferences,
) -> dict[TokenKey, str]:
    """Return the code syntax of tokens with these names: the configuration's form, or the reference of the output."""
    from tokensync.generate.naming import RESOURCE, texts_for
    from tokensync.generate.output import Resolution
    from tokensync.generate.target import OutputRequest

    form = project.config.code_syntax.by_platform()[syntax].write if project else ""
    if not form:
        return {key: references[key][0] for key in names if key in references}
    resources = {}
    if RESOURCE in form:
        from tokensync.generate.targets.android.render import resource_types

        resources = resource_types(Resolution(graph), OutputRequest(platform="android"))
    return texts_for(form, names, naming_of(outputs_written_back(project, syntax)[0].platform), resources)


def references_on_platforms(graph: TokenGraph, names: Names, project: Project | None) -> dict[TokenKey, dict[str, str]]:
    """Return the text that refers to each token in code, by platform, as ``plan --code-syntax`` writes it."""
    from tokensync.generate.output import Resolution

    resolution = Resolution(graph)
    written_back = {outputs_written_back(project, each)[0].platform: each for each in CODE_SYNTAX_PLATFORMS}
    of_tokens: dict[TokenKey, dict[str, str]] = {}
    for platform, identifiers in names.identifiers.items():
        outputs = _outputs_of(project, platform) or _default_outputs(platform)
        references = references_of_outputs(resolution, outputs, project)
        texts = {key: several[0] for key, several in references.items()}
        if platform in written_back:
            texts |= texts_to_write(project, graph, written_back[platform], identifiers, references)
        for key, text in texts.items():
            of_tokens.setdefault(key, {})[platform] = text
    return of_tokens


class CodeNames:
    """The tokens of a graph by the names that code has for them: in the project's outputs, or in those by default."""

    def __init__(self, graph: TokenGraph, project: Project | None) -> None:
        self._graph = graph
        self._project = project

    @cached_property
    def _references(self) -> dict[str, dict[TokenKey, None]]:
        """The tokens by reference; those of outputs that the project does not have come last."""
        from tokensync.generate.naming import references_in
        from tokensync.generate.output import Resolution

        resolution = Resolution(self._graph)
        outputs = list(self._project.config.outputs) if self._project else []
        present = {output.platform for output in outputs}
        outputs += [each for name in (*NAMED, "tailwind") if name not in present for each in _default_outputs(name)]
        by_reference: dict[str, dict[TokenKey, None]] = {}
        for output in outputs:
            request = request_of(output, self._graph, self._project)
            for key, texts in code_references(resolution, request).items():
                for text in texts:
                    by_reference.setdefault(text.replace("`", ""), {})[key] = None
        for key, token in self._graph.tokens.items():
            for _, syntax in token.code_syntax if token.origin == "local" else ():
                for text in (syntax.strip(), *islice(references_in(syntax), 1)):
                    if text not in by_reference:
                        by_reference[text] = {key: None}
        return by_reference

    def keys(self, text: str) -> list[TokenKey]:
        """Return the tokens that a text of code refers to; without any, those whose names in code end like the text."""
        from tokensync.generate.naming import references_in

        for candidate in (text.strip(), *references_in(text)):
            if candidate in self._references:
                return [*self._references[candidate]]
        last = _last(text.strip())
        return [*dict.fromkeys(key for each, keys in self._references.items() if _last(each) == last for key in keys)]

    def nearest(self, text: str) -> str:
        """Return the reference that is most like a text that begins like one, or nothing."""
        from difflib import get_close_matches

        text = next(iter(re.findall(r"--[\w-]+", text)), text.strip())[:_LONGEST_COMPARED]
        start = re.match(r"--|[$@?\"]|\w*\.", text)
        similar = [each for each in self._references if start and each.startswith(start[0])]
        return next(iter(get_close_matches(text, similar, n=1)), "")


def _last(text: str) -> str:
    """Return the name of a token in a reference: ``accent`` for ``Color.accent``."""
    return next(iter(re.findall(r"[\w-]+", text)[-1:]), "")


_TARGETS = {"WEB": ("css", "tailwind", "scss", "typescript"), "ANDROID": ("android", "compose"), "iOS": ("ios",)}
"""The targets whose declarations a platform's code syntax can refer to."""


_LONGEST_COMPARED = 200
"""The most characters of a text that are compared with names."""


class _Undeclared(NamedTuple):
    """A code syntax that no output declares, and the reference that one of them declares for its token."""

    key: TokenKey
    text: str
    reference: str


def undeclared(graph: TokenGraph, outputs: Sequence[OutputConfig], project: Project | None) -> Iterator[Problem]:
    """Yield a problem for all code syntax that none of these outputs declares, for each way to change that.

    Platforms without outputs are not judged, and neither are tokens that no output declares. What patterns of the
    configuration read is declared by the project's own code.
    """
    column, types = graph.table.code_syntax, graph.table.types
    if not any(column):
        return
    of_syntax = {syntax: [each for each in outputs if each.platform in targets] for syntax, targets in _TARGETS.items()}
    usual = {syntax: tuple(text for each in several for text in _usual(each)) for syntax, several in of_syntax.items()}
    suspects: dict[str, dict[TokenIndex, str]] = {syntax: {} for syntax, several in of_syntax.items() if several}
    for index, texts in enumerate(column):
        for syntax, text in texts:
            is_usual = text.startswith(usual.get(syntax, ())) and (syntax != "iOS" or types[index] == "color")
            if not is_usual and syntax in suspects:
                suspects[syntax][TokenIndex(index)] = text
    for syntax, of_tokens in suspects.items():
        by_advice: dict[str, list[_Undeclared]] = {}
        for each in _undeclared(graph, of_syntax[syntax], project, syntax, of_tokens) if of_tokens else ():
            by_advice.setdefault(_advice(graph, syntax, each, of_syntax[syntax]), []).append(each)
        for to_do, several in by_advice.items():
            yield _problem(graph, syntax, several, to_do)


def _usual(output: OutputConfig) -> tuple[str, ...]:
    """Return the beginnings of code syntax that an output always declares; others are looked up."""
    if output.naming.code_syntax != "keep":
        return ()
    match output.platform:
        case "css":
            return ("var(--", "--")
        case "tailwind" if output.options.get("properties") != "none":
            return ("var(--", "--")
        case "scss":
            return ("$",)
        case "android":
            return ("R.color.", "R.dimen.", "@color/", "@dimen/")
        case "ios" if "swiftui" in output.options.get("also", ["swiftui"]):
            return ("Color.", ".")
    return ()


def _undeclared(
    graph: TokenGraph,
    outputs: Sequence[OutputConfig],
    project: Project | None,
    syntax: str,
    texts: Mapping[TokenIndex, str],
) -> Iterator[_Undeclared]:
    from tokensync.generate.naming import code_syntax, references_in
    from tokensync.generate.output import Resolution

    resolution = Resolution(graph)
    declared: dict[TokenKey, list[str]] = {}
    for output in outputs:
        for key, several in code_references(resolution, request_of(output, graph, project)).items():
            declared.setdefault(key, []).extend(several)
    reader = code_syntax(naming_of(written_back_as(syntax)[0]), patterns_of(project) if project else {})
    for index, text in texts.items():
        key, bare = graph.table.keys[index], reader.without_comments(text).strip()
        if key not in declared or not reader.read(text.strip()) or reader.read_by_configuration(text.strip()):
            continue
        if {reference.replace("`", "") for reference in declared[key]}.isdisjoint(references_in(bare)):
            yield _Undeclared(key, bare, declared[key][0])


def _advice(graph: TokenGraph, syntax: str, found: _Undeclared, outputs: Sequence[OutputConfig]) -> str:
    """Return how to make a code syntax true: an option of an output, another output, or another text."""
    text, of_platform = found.text, {output.platform: output for output in outputs}
    head, _, rest = text.partition(".")
    is_color = graph.tokens[found.key].type == "color"
    platform, option = "", ""
    match syntax:
        case "WEB" if "--" in text and "tailwind" in of_platform:
            platform, option = "tailwind", 'properties = "code-syntax"'
        case "WEB" if "--" in text or "$" in text or head == "tokens":
            platform = "css" if "--" in text else "scss" if "$" in text else "typescript"
        case "ANDROID" if text.startswith(("R.", "@", "?")):
            platform, option = "android", 'brands = "styles"' if text.startswith(("?", "R.attr.")) else ""
        case "iOS" if is_color and head in ("", "Color", "UIColor"):
            also = typed_options("ios", of_platform["ios"].options).also  # type: ignore[attr-defined]
            values = ", ".join(f'"{each}"' for each in (*also, "uikit" if head == "UIColor" else "swiftui"))
            platform, option = "ios", f"also = [{values}]"
        case "iOS" | "ANDROID" if head.isalnum() and head[:1].isupper() and rest == found.reference.partition(".")[2]:
            platform, option = outputs[0].platform, f'name = "{head}"'
    if platform and platform not in of_platform:
        return f'add an output with platform = "{platform}"'
    if option:
        return f"set the option {option} of the {platform} output"
    return f"write such a text, or add the form to read in [code_syntax.{syntax.lower()}] if your own code declares it"


def _problem(graph: TokenGraph, syntax: str, several: Sequence[_Undeclared], to_do: str) -> Problem:
    from tokensync.generate.naming import token_label
    from tokensync.system.outlet import readable

    first, labels = several[0], [token_label(graph, each.key) for each in several]
    what = f"no output declares its {syntax} code syntax"
    if len(several) > 1:
        what = f"no output declares the {syntax} code syntax of {counted(len(several), 'token')}, such as"
    what = f"{what} {readable(first.text)!r:.80}, only {readable(first.reference)}"
    return problem("code-syntax-undeclared", labels[0], what, to_do, labels if len(several) > 1 else ())
