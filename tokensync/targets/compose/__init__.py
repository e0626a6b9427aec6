"""Kotlin for Jetpack Compose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.request import Target
from tokensync.targets.compose.naming import NAMING
from tokensync.targets.compose.options import ComposeOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem


def _render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    from tokensync.targets.compose.render import render  # loaded by commands that build

    return render(resolution, request)


TARGET = Target("compose", ComposeOptions, _render, naming=NAMING)
