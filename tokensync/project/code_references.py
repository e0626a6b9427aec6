"""The texts with which code refers to tokens: those for Dev Mode, those that no output declares, and whose they are."""

from __future__ import annotations

import json
import re
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from tokensync.generate.targets import DEFAULTS, NAMED, code_references, naming_of, written_back_as
from tokensync.project.configuration import Project, typed_options
from tokensync.project.configured_outputs import Names, names_on_platforms, naming_by_platform, patterns_of, request_of
from tokensync.settings import OutputConfig
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, TokenGraph, TokenKey
from tokensync.tokens.resolver import TokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.naming import CodeReferences
    from tokensync.generate.output import Resolution


def outputs_written_back(project: Project | None, syntax: str) -> list[OutputConfig]:
    """Return the outputs whose names and references are written as a platform's code syntax."""
    return _outputs_of(project, *written_back_as(syntax))


def _outputs_of(project: Project | None, *platforms: str) -> list[OutputConfig]:
    """Return the outputs of the first platform that has any; without any, the default output of the first one."""
    outputs = project.config.outputs if project else ()
    of_platforms = ([output for output in outputs if output.platform == platform] for platform in platforms)
    return next(filter(None, of_platforms), [OutputConfig(platform=platforms[0], path=platforms[0])])


def references_of_outputs(
    resolution: Resolution, outputs: Iterable[OutputConfig], project: Project | None
) -> CodeReferences:
    """Return the texts that refer to each token with a value; the first output that declares it provides them."""
    references: CodeReferences = {}
    for output in outputs:
        request = request_of(output, resolution.graph, project)
        references = {**code_references(resolution, request, exact=True), **references}
    return references


def texts_to_write(
    project: Project | None, graph: TokenGraph, syntax: str, names: Mapping[TokenKey, str], references: CodeReferences
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
    written_back = {outputs_written_back(project, syntax)[0].platform: syntax for syntax in CODE_SYNTAX_PLATFORMS}
    of_tokens: dict[TokenKey, dict[str, str]] = {}
    for platform, identifiers in names.identifiers.items():
        references = references_of_outputs(resolution, _outputs_of(project, platform), project)
        texts = {key: of_token[0] for key, of_token in references.items()}
        if platform in written_back:
            texts |= texts_to_write(project, graph, written_back[platform], identifiers, references)
        for key, text in texts.items():
            of_tokens.setdefault(key, {})[platform] = text
    return of_tokens


def names_in_outputs(graph: TokenGraph, project: Project | None) -> Names:
    """Return the name of each token as the code of each output has it; without outputs, of those by default.

    An output has the name of its platform, with its path if that has several; one of templates, that of their folder.
    """
    from tokensync.generate.naming import names_for
    from tokensync.generate.output import Resolution
    from tokensync.generate.target import declared_tokens

    outputs = (project and project.config.outputs) or [OutputConfig(platform=name, path=name) for name in DEFAULTS]
    platforms = [output.platform for output in outputs]
    resolution = Resolution(graph)
    by_output: dict[str, Mapping[TokenKey, str]] = {}
    for output in outputs:
        label = output.platform if platforms.count(output.platform) == 1 else f"{output.platform} ({output.path})"
        request = request_of(output, graph, project)
        if output.platform in ("json", "template"):  # their code is not ours, and has the names alone
            files = getattr(request.options, "files", ())
            label = files[0].template.partition("/")[0].removesuffix(".j2") if files else label
            rules = naming_of(files[0].names if files else "css")
            tokens = declared_tokens(graph, request)
            names, _ = names_for(graph, tokens, rules, request.templates, request.naming, request.patterns)
            by_output[label] = {key: name.removeprefix("" if files else "--") for key, name in names.items()}
        elif references := code_references(resolution, request):
            # Of web code, the custom property; Tailwind's own name comes after that of CSS.
            by_output[label] = {
                key: next((text for text in reversed(texts) if text.startswith("--")), texts[0])
                for key, texts in references.items()
            }
    naming = naming_by_platform(project) if project else {}
    of_names = names_on_platforms(graph, naming, [name for name in naming if name in NAMED] or DEFAULTS).problems
    return Names(by_output, of_names)


class CodeNames:
    """The tokens of a graph by the names that code has for them: in the project's outputs, or in those by default.

    With ``platforms``, only the names on these count.
    """

    def __init__(self, graph: TokenGraph, project: Project | None, platforms: Sequence[str] = ()) -> None:
        self._graph = graph
        self._project = project
        self._platforms = platforms
        self.declared: dict[TokenKey, tuple[str, ...]] = {}
        """The references of each token that an output declares; known once a name was looked up."""

    @cached_property
    def _references(self) -> dict[str, dict[TokenKey, None]]:
        """The tokens by reference; those of outputs that the project does not have come last."""
        from tokensync.generate.naming import references_in
        from tokensync.generate.output import Resolution

        resolution = Resolution(self._graph)
        outputs = list(self._project.config.outputs) if self._project else []
        present = {output.platform for output in outputs}
        platforms = self._platforms or (*NAMED, "tailwind")
        outputs += [OutputConfig(platform=name, path=name) for name in platforms if name not in present]
        if self._platforms:
            outputs = [output for output in outputs if output.platform in self._platforms]
        by_reference: dict[str, dict[TokenKey, None]] = {}
        for output in outputs:
            request = request_of(output, self._graph, self._project)
            for key, texts in code_references(resolution, request).items():
                self.declared[key] = (*self.declared.get(key, ()), *texts)
                for text in texts:
                    by_reference.setdefault(text.replace("`", ""), {})[key] = None
        for key, token in self._graph.tokens.items():
            for _, syntax in token.code_syntax if token.origin == "local" else ():
                # The first one is not the "var" of var(--accent).
                first = next((text for text in references_in(syntax) if not text.isidentifier()), "")
                for text in filter(None, (syntax.strip(), first)):
                    by_reference.setdefault(text, {key: None})
        return by_reference

    @cached_property
    def _by_end(self) -> dict[str, dict[TokenKey, None]]:
        by_end: dict[str, dict[TokenKey, None]] = {}
        for text, keys in self._references.items():
            by_end.setdefault(_last(text), {}).update(keys)
        return by_end

    def keys(self, text: str) -> list[TokenKey]:
        """Return the tokens that a text of code refers to; without any, those whose names in code end like the text."""
        from tokensync.generate.naming import references_in

        for candidate in (text.strip(), *references_in(text)):
            if candidate in self._references:
                return [*self._references[candidate]]
        return [*self._by_end.get(_last(text.strip()), ())]

    def nearest(self, text: str) -> str:
        """Return the reference that is most like a text that begins like one, or nothing."""
        from difflib import get_close_matches

        text = next(iter(re.findall(r"--[\w-]+", text)), text.strip())[:_LONGEST_COMPARED]
        start = re.match(r"--|[$@?\"]|\w*\.", text)
        similar = [name for name in self._references if start and name.startswith(start[0])]
        return next(iter(get_close_matches(text, similar, n=1)), "")


def _last(text: str) -> str:
    """Return the name of a token in a reference: ``accent`` for ``Color.accent``."""
    return next(iter(re.findall(r"[\w-]+", text)[-1:]), "")


_TARGETS = {"WEB": ("css", "tailwind", "scss", "typescript"), "ANDROID": ("android", "compose"), "iOS": ("ios",)}
"""The targets whose declarations a platform's code syntax can refer to."""
_LONGEST_COMPARED = 200
"""The most characters of a text that are compared with names."""


def undeclared(graph: TokenGraph, outputs: Sequence[OutputConfig], project: Project | None) -> Iterator[Problem]:
    """Yield a problem for all code syntax that none of these outputs declares, for each way to change that.

    Platforms without outputs are not judged. What patterns of the configuration read is declared by the project's own
    code. Only the form of a text is judged, since its name is that of the token.
    """
    from tokensync.generate.naming import code_syntax

    column, types, origins = graph.table.code_syntax, graph.table.types, graph.table.origins
    if not any(column):
        return
    of_syntax = {syntax: [out for out in outputs if out.platform in targets] for syntax, targets in _TARGETS.items()}
    usual = {syntax: tuple(chain.from_iterable(map(_usual, several))) for syntax, several in of_syntax.items()}
    suspects: dict[str, dict[TokenIndex, str]] = {syntax: {} for syntax, several in of_syntax.items() if several}
    for index, texts in enumerate(column):
        for syntax, text in texts:
            is_usual = text.startswith(usual.get(syntax, ())) and (syntax != "iOS" or types[index] == "color")
            if not is_usual and syntax in suspects and origins[index] == "local":
                suspects[syntax][TokenIndex(index)] = text.strip()
    for syntax, of_tokens in suspects.items():
        if not of_tokens:
            continue
        reader = code_syntax(naming_of(written_back_as(syntax)[0]), patterns_of(project) if project else {})
        options = {output.platform: typed_options(output.platform, output.options) for output in of_syntax[syntax]}
        by_remedy: dict[str, list[TokenIndex]] = {}
        for (index, text), name in zip(of_tokens.items(), reader.names([*of_tokens.values()]), strict=True):
            if name is None or (reader.configured and reader.read_by_configuration(text)):
                continue
            remedy = _remedy(syntax, reader.without_comments(text), options, is_color=types[index] == "color")
            if remedy:
                by_remedy.setdefault(remedy, []).append(index)
        for to_do, several in by_remedy.items():
            yield _problem(graph, syntax, [(index, of_tokens[index]) for index in several], to_do)


def _usual(output: OutputConfig) -> tuple[str, ...]:
    """Return the beginnings of code syntax that an output always declares."""
    match output.platform:
        case "css":
            return ("var(--", "--")
        case "android":
            return ("R.color.", "R.dimen.", "@")
        case "ios" if "swiftui" in output.options.get("also", ["swiftui"]):
            return ("Color.", ".")
    return ()


def _remedy(syntax: str, text: str, options: Mapping[str, Any], *, is_color: bool) -> str:
    """Return what makes a code syntax true: an option of an output, another output, another text; or nothing."""
    if syntax == "WEB":
        wanted = _declared_on_the_web(text, options)
    elif syntax == "ANDROID" and re.search(r"\bR\.|@|^\?", text):
        wanted = _declared_as_resource(text, options)
    elif syntax == "iOS" and is_color and (text.startswith((".", "Color.", "UIColor.")) or '"' in text):
        wanted = _declared_as_color(text, options)
    else:
        wanted = _declared_as_member(text, options)
    if wanted is None:
        table = f"[code_syntax.{syntax.lower()}]"
        return f"write a text that is declared, or add the form to read in {table} if your own code declares it"
    platform, option = wanted
    if platform not in options:
        return f'add an output with platform = "{platform}"'
    return f"set the option {option} of the {platform} output" if option else ""


def _declared_on_the_web(text: str, options: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the platform that declares a text, and the option for it if it is not set."""
    if "--" in text:
        return "tailwind" if "css" not in options and "tailwind" in options else "css", ""
    if "$" in text:
        return "scss", ""
    return ("typescript", "") if text.startswith("tokens.") else None


def _declared_as_resource(text: str, options: Mapping[str, Any]) -> tuple[str, str]:
    is_attribute = re.search(r"\bR\.attr\.|^\?", text) and "android" in options
    return "android", 'brands = "styles"' if is_attribute and options["android"].brands != "styles" else ""


def _declared_as_color(text: str, options: Mapping[str, Any]) -> tuple[str, str]:
    kind, also = "uikit" if text.startswith("UIColor.") else "swiftui", options["ios"].also
    is_declared = '"' in text or kind in also
    return "ios", "" if is_declared else f"also = [{', '.join(map(json.dumps, (*also, kind)))}]"


def _declared_as_member(text: str, options: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the output whose object or enum has the name that precedes the member, or could have it."""
    platform = next(filter(options.__contains__, ("ios", "compose")), "")
    match = re.fullmatch(r"([A-Z][A-Za-z0-9]*)\.((?:\w+\.)*)`?\w+`?", text)
    if not platform or not match or match[1] in ("Color", "UIColor", "MaterialTheme"):
        return None
    nested = "collection" if platform == "compose" else options[platform].nested
    if nested != "path" and match[2].count(".") != (nested == "collection"):
        return None
    return platform, "" if match[1] == options[platform].name else f'name = "{match[1]}"'


def _problem(graph: TokenGraph, syntax: str, texts: Sequence[tuple[TokenIndex, str]], to_do: str) -> Problem:
    from tokensync.generate.naming import token_label
    from tokensync.system.outlet import readable

    labels = [token_label(graph, graph.table.keys[index]) for index, _ in texts]
    about = "its" if len(texts) == 1 else "the"
    of_tokens = "" if len(texts) == 1 else f" of {counted(len(texts), 'token')}, such as"
    what = f"no output declares {about} {syntax} code syntax{of_tokens} {readable(texts[0][1])!r:.80}"
    return problem("code-syntax-undeclared", labels[0], what, to_do, labels if len(labels) > 1 else ())
