"""The registry of targets: a module or a package for each, imported on use. Other rooms do not import these.

Installed packages can add targets (``system.plugins``): a module with ``TARGET`` and ``render``, as each of these has.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec.structs import replace

from tokensync.system import plugins
from tokensync.system.boundary import flaw_of
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.generate.naming import CodeReferences
    from tokensync.generate.naming.rules import NamingRules
    from tokensync.generate.output import Render, Resolution
    from tokensync.generate.target import OutputFile, OutputRequest, Target
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenGraph

NAMES = tuple("css android compose ios typescript json scss template tailwind react-native figma flutter".split())
"""The built-in targets; each is a module or a package, with an underscore for a hyphen."""

DEFAULTS = ("css", "android", "ios")
"""The default targets of builds and of lists of names."""

Named = Literal["css", "scss", "typescript", "android", "compose", "ios", "flutter"]
"""A target with naming rules of its own."""
NAMED: tuple[Named, ...] = get_args(Named)


@cache
def target(name: str) -> Target:
    """Return the descriptor of a target. Raises UsageError for an unknown name."""
    if not is_target(name):
        raise UsageError(f"{name}: no such platform; choose one of {', '.join(sorted((*NAMES, *plugged())))}")
    descriptor: Target
    if name in NAMES:
        descriptor = _module(name).TARGET
        return descriptor
    with plugins.answering("targets", name):
        descriptor = _module(name).TARGET
        if descriptor.name != name:
            raise ValueError(f"its TARGET is named {descriptor.name!r:.80}")
    return descriptor


def is_target(name: str) -> bool:
    """Return whether there is a target, built-in or of a plug-in."""
    return name in NAMES or name in plugged()


def plugged() -> tuple[str, ...]:
    """Return the names of the targets of plug-ins."""
    return tuple(name for name in plugins.entries("targets") if name not in NAMES)


def _module(name: str) -> Any:
    if name in NAMES:
        return import_module(f"tokensync.generate.targets.{name.replace('-', '_')}")
    return plugins.load("targets", name)


def renderer(name: str) -> Any:
    """Return the module with a target's ``render`` and ``TEMPLATES``: of a package, the one that only builds import."""
    module = _module(name)
    return import_module(f"{module.__name__}.render") if name in NAMES and hasattr(module, "__path__") else module


def has_names(name: str) -> bool:
    """Return whether all outputs of a target share the same naming rules."""
    descriptor = target(name)
    return bool(descriptor.naming or descriptor.names_of)


def naming_of(name: str) -> NamingRules:
    """Return the naming rules of a target, or of the target whose names it uses. Raises UsageError without any."""
    descriptor = target(name)
    rules = descriptor.naming or (naming_of(descriptor.names_of) if descriptor.names_of else None)
    if rules is None:
        raise UsageError(f"{name}: this platform has no naming rules; choose one of {', '.join(NAMED)}")
    return rules


def written_back_as(syntax: str) -> tuple[str, ...]:
    """Return the targets whose names can be written back as a platform's code syntax, in order of preference."""
    return tuple(name for name in (*NAMES, *plugged()) if target(name).syntax == syntax)


def code_references(resolution: Resolution, request: OutputRequest, *, exact: bool = False) -> CodeReferences:
    """Return the texts that refer in code to each token that an output declares, such as ``R.color.accent``.

    Unless ``exact``, which takes as long as a build of the output, this includes tokens that the output omits because
    they have no value.
    """
    from tokensync.generate.naming import code_references_for, names_for
    from tokensync.generate.target import declared_tokens
    from tokensync.tokens import Unresolved

    of_target: Callable[..., CodeReferences] | None = getattr(renderer(request.platform), "code_references", None)
    if of_target is not None:
        return of_target(resolution, request, exact=exact)
    if not has_names(request.platform):
        return {}
    graph, rules = resolution.graph, naming_of(request.platform)
    tokens = declared_tokens(graph, request)
    names, _ = names_for(graph, tokens, rules, request.templates, request.naming, request.patterns)
    if exact:
        values, literals, indices = resolution.columns.values, resolution.default.literals, graph.table.indices
        names = {key: name for key, name in names.items() if type(values[literals[indices[key]]]) is not Unresolved}
    return code_references_for(names, rules)


def generate(
    graph: TokenGraph, request: OutputRequest, resolution: Resolution | None = None
) -> tuple[tuple[OutputFile, ...], tuple[Problem, ...]]:
    """Return the files of one output, and its problems without duplicates.

    The output is deterministic. Problems of ``normalize.findings`` are not repeated. Values that the target cannot
    express are reported according to the request's ``unsupported`` (``raise`` makes them errors).

    Pass the same ``resolution`` to every call for a graph to share its computations. Raises UsageError for an unknown
    target, and ProblemsError when a template cannot be rendered.
    """
    from tokensync.generate.output import Resolution, as_configured, colors_converted
    from tokensync.generate.target import declared_tokens

    descriptor = target(request.platform)
    name = request.platform
    render: Render = renderer(name).render
    resolution = resolution or Resolution(graph)
    files, problems = render(resolution, request) if name in NAMES else _plugged(name, render, resolution, request)
    options = request.options or descriptor.options()
    is_exact = any(getattr(options, option) == value for option, value in descriptor.wide_colors)
    if not is_exact and resolution.may_have_wide_colors():
        problems += colors_converted(declared_tokens(graph, request), graph, name, descriptor.wide_colors)
    return tuple(files), tuple(as_configured(problems, request.unsupported))


def _plugged(
    name: str, render: Render, resolution: Resolution, request: OutputRequest
) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return what the target of a plug-in renders. Raises UsageError if it fails, or gives what cannot be written."""
    from tokensync.generate.target import OutputFile

    with plugins.answering("targets", name):
        files, problems = render(resolution, replace(request, options=request.options or target(name).options()))
        rendered = []
        for path, content in files:
            if flaw := flaw_of(path):
                raise ValueError(f"the path {path!r:.80}: {flaw.what}; {flaw.what_to_do}")
            if not isinstance(content, bytes):
                raise TypeError(f"the content of {path} is {type(content).__name__}, not bytes")
            rendered.append(OutputFile(path, content))
        code = f"{name}-"
        return tuple(rendered), list(plugins.checked(problems, lambda text: text.startswith(code), f"{code}..."))
