"""What an output's ``options`` may hold: one module a platform, loaded on use.

Each has one struct, which config/schemas/options/<platform>.schema.json says again for people; a test holds both
together.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from msgspec import Struct

    from tokensync.config.platforms import Platform

OPTIONS: dict[Platform, tuple[str, str]] = {
    "android": ("tokensync.config.options.android", "AndroidOptions"),
    "compose": ("tokensync.config.options.compose", "ComposeOptions"),
    "css": ("tokensync.config.options.css", "CssOptions"),
    "ios": ("tokensync.config.options.ios", "IosOptions"),
    "typescript": ("tokensync.config.options.typescript", "TypescriptOptions"),
    "json": ("tokensync.config.options.json", "JsonOptions"),
    "scss": ("tokensync.config.options.scss", "ScssOptions"),
    "template": ("tokensync.config.options.template", "TemplateOptions"),
    "tailwind": ("tokensync.config.options.tailwind", "TailwindOptions"),
}
"""By platform, the module and the name of its struct."""


def options_type(platform: Platform) -> type[Struct]:
    """The struct of a platform's options."""
    module, name = OPTIONS[platform]
    struct: type[Struct] = getattr(import_module(module), name)
    return struct


def typed_options(platform: Platform, table: Mapping[str, Any]) -> Struct:
    """The options as the platform's struct. Raises msgspec.ValidationError for what does not fit."""
    return msgspec.convert(table, options_type(platform))


def faults_of(options: Struct) -> tuple[tuple[tuple[str | int, ...], str], ...]:
    """What no schema can tell to be wrong in options, each with the names that lead to it: their ``faults()``."""
    found = getattr(options, "faults", None)
    return () if found is None else tuple(found())
