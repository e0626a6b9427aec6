"""CSS custom properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.request import Target
from tokensync.targets.css.naming import NAMING
from tokensync.targets.css.options import CssOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem


def _render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    from tokensync.targets.css.render import render  # loaded by commands that build

    return render(resolution, request)


TARGET = Target("css", CssOptions, _render, naming=NAMING)
