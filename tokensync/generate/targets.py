"""The registry of platforms: which module generates for which, loaded on use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tokensync.errors import UsageError
from tokensync.generate.resolution import Resolution
from tokensync.generate.unsupported import as_configured

if TYPE_CHECKING:
    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph

TARGETS = {
    "android": "tokensync.generate.android",
    "compose": "tokensync.generate.compose",
    "css": "tokensync.generate.css",
    "ios": "tokensync.generate.ios",
    "tailwind": "tokensync.generate.tailwind",
    "scss": "tokensync.generate.scss",
    "json": "tokensync.generate.json_tokens",
    "typescript": "tokensync.generate.typescript",
    "template": "tokensync.generate.template_target",
}
"""Each module has ``generate(resolution, request) -> (files, problems)``."""


def generate(
    graph: TokenGraph, request: OutputRequest, resolution: Resolution | None = None
) -> tuple[tuple[OutputFile, ...], tuple[Problem, ...]]:
    """The files of one output and what is odd about them, each problem once; the same input gives the same bytes.

    What ``normalize.findings`` tells of the graph is not told again. What the platform has no form for is told as the
    request's ``unsupported`` has it: with ``raise``, as errors.

    Hand the same ``resolution`` to every call for one graph: what the outputs have in common is then worked out once.
    Raises UsageError for an unknown platform and ProblemsError when a template cannot be rendered.
    """
    module = TARGETS.get(request.platform)
    if module is None:
        raise UsageError(f"{request.platform}: no such platform; choose one of {', '.join(sorted(TARGETS))}")
    files, problems = import_module(module).generate(resolution or Resolution(graph), request)
    return tuple(files), tuple(as_configured(problems, request.unsupported))
