"""An asset catalog and Swift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.request import Target
from tokensync.targets.ios.naming import NAMING
from tokensync.targets.ios.options import IosOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem


def _render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    from tokensync.targets.ios.render import render  # loaded by commands that build

    return render(resolution, request)


TARGET = Target("ios", IosOptions, _render, naming=NAMING)
