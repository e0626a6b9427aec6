"""The platforms that an output can be for: the one list that the configuration and the command line share."""

from __future__ import annotations

from typing import Literal, get_args

Platform = Literal["css", "android", "compose", "ios", "typescript", "json", "scss", "template", "tailwind"]

PLATFORMS: tuple[Platform, ...] = get_args(Platform)

DEFAULT_PLATFORMS: tuple[Platform, ...] = ("css", "android", "ios")
"""What a build makes when nothing says otherwise."""
