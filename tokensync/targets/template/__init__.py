"""Whatever a team's own templates render."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.request import Target
from tokensync.targets.template.options import TemplateOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem


def _render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    from tokensync.targets.template.render import render  # loaded by commands that build

    return render(resolution, request)


TARGET = Target("template", TemplateOptions, _render)
