"""The registry of targets: one folder each, loaded on use. No other room imports a target's modules."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, get_args

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from tokensync.generate.request import OutputFile, OutputRequest, Render, Target
    from tokensync.generate.resolution import Resolution
    from tokensync.naming import NamingRules
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph

NAMES = ("css", "android", "compose", "ios", "typescript", "json", "scss", "template", "tailwind")
"""All targets: each is a folder here."""

DEFAULTS = ("css", "android", "ios")
"""What a build makes, and whose names are listed, when nothing says otherwise."""

Named = Literal["css", "scss", "typescript", "android", "compose", "ios"]
"""A target with naming rules of its own."""
NAMED: tuple[Named, ...] = get_args(Named)


@cache
def target(name: str) -> Target:
    """Return a target's descriptor. Raises UsageError for an unknown name."""
    if name not in NAMES:
        raise UsageError(f"{name}: no such platform; choose one of {', '.join(sorted(NAMES))}")
    found: Target = import_module(f"tokensync.targets.{name}").TARGET
    return found


def has_names(name: str) -> bool:
    """Return whether tokens have names of one kind in all outputs of a target."""
    found = target(name)
    return bool(found.naming or found.names_of)


def naming_of(name: str) -> NamingRules:
    """Return the naming rules of a target of ``NAMED``, or of the target whose names it takes."""
    found = target(name)
    rules = found.naming or (naming_of(found.names_of) if found.names_of else None)
    if rules is None:
        raise UsageError(f"{name}: it has no names of its own; choose one of {', '.join(NAMED)}")
    return rules


def written_back_as(syntax: str) -> tuple[str, ...]:
    """Return the targets whose names can be written back as a platform's code syntax, in the order of preference."""
    return tuple(each for each in NAMES if target(each).syntax == syntax)


def generate(
    graph: TokenGraph, request: OutputRequest, resolution: Resolution | None = None
) -> tuple[tuple[OutputFile, ...], tuple[Problem, ...]]:
    """Return the files of one output and what is odd about them, each problem once.

    The same input gives the same bytes. What ``normalize.findings`` reports of the graph is not reported again. What
    the target cannot express is reported as the request's ``unsupported`` says: with ``raise``, as errors.

    Hand the same ``resolution`` to every call for one graph, so that what the outputs share is worked out once.
    Raises UsageError for an unknown target and ProblemsError when a template cannot be rendered.
    """
    from tokensync.generate.diagnostics import as_configured
    from tokensync.generate.resolution import Resolution

    name = target(request.platform).name
    render: Render = import_module(f"tokensync.targets.{name}.render").render  # only commands that build load it
    files, problems = render(resolution or Resolution(graph), request)
    return tuple(files), tuple(as_configured(problems, request.unsupported))
