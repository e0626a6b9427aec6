"""The configuration: tokensync.toml, or ``[tool.tokensync]`` of pyproject.toml.

Precedence: flag, ``TOKENSYNC_*`` variable, file, default. Credentials never come from here.
"""

from tokensync.config.parsing import parse_config, typed_options
from tokensync.config.project import FILE_NAME, Project, load_project
from tokensync.settings import (
    AllowConfig,
    Config,
    FileConfig,
    MovedConfig,
    NamingConfig,
    OutputConfig,
    Selection,
)

__all__ = [
    "FILE_NAME",
    "AllowConfig",
    "Config",
    "FileConfig",
    "MovedConfig",
    "NamingConfig",
    "OutputConfig",
    "Project",
    "Selection",
    "load_project",
    "parse_config",
    "typed_options",
]
