"""The configuration: tokensync.toml, or ``[tool.tokensync]`` of pyproject.toml.

Precedence: flag, ``TOKENSYNC_*`` variable, file, default. Credentials never come from here.
"""

from tokensync.config.options import options_type, typed_options
from tokensync.config.parsing import parse_config
from tokensync.config.platforms import DEFAULT_PLATFORMS, PLATFORMS, Platform
from tokensync.config.project import FILE_NAME, Project, load_project
from tokensync.config.settings import (
    AllowConfig,
    Config,
    FileConfig,
    MovedConfig,
    NamingConfig,
    OutputConfig,
    Selection,
)

__all__ = [
    "DEFAULT_PLATFORMS",
    "FILE_NAME",
    "PLATFORMS",
    "AllowConfig",
    "Config",
    "FileConfig",
    "MovedConfig",
    "NamingConfig",
    "OutputConfig",
    "Platform",
    "Project",
    "Selection",
    "load_project",
    "options_type",
    "parse_config",
    "typed_options",
]
