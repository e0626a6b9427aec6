"""Synchronize design tokens between Figma variables and code.

The commands of the command line are available as functions:

    import tokensync

    project = tokensync.load_project("tokensync.toml")
    with tokensync.connect(project) as client:
        tokensync.pull(project, client)
    tokensync.build_project(project)

Every failure is a ``TokensyncError`` with a message of the form *where: what; what to do*. Names are imported on first
use.
"""

from tokensync.version import __version__

TYPE_CHECKING = False  # typing itself takes several milliseconds to import
if TYPE_CHECKING:
    from tokensync.commands.build import Built, build_project, build_snapshot
    from tokensync.commands.format import Formatted, format_files
    from tokensync.commands.pull import Pulled, pull
    from tokensync.emulator import Emulator
    from tokensync.extract.client import Client, Credential
    from tokensync.project.configuration import Project, load_project
    from tokensync.project.connection import connect
    from tokensync.system.errors import ProblemsError, TokensyncError
    from tokensync.system.problems import Problem

__all__ = [
    "Built",
    "Client",
    "Credential",
    "Emulator",
    "Formatted",
    "Problem",
    "ProblemsError",
    "Project",
    "Pulled",
    "TokensyncError",
    "__version__",
    "build_project",
    "build_snapshot",
    "connect",
    "format_files",
    "load_project",
    "pull",
]

_HOMES = {
    "Built": "commands.build",
    "Client": "extract.client",
    "Credential": "extract.client",
    "Emulator": "emulator",
    "Formatted": "commands.format",
    "Problem": "system.problems",
    "ProblemsError": "system.errors",
    "Project": "project.configuration",
    "Pulled": "commands.pull",
    "TokensyncError": "system.errors",
    "build_project": "commands.build",
    "build_snapshot": "commands.build",
    "connect": "project.connection",
    "format_files": "commands.format",
    "load_project": "project.configuration",
    "pull": "commands.pull",
}
"""The module of each public name."""


def __getattr__(name: str) -> object:
    """Import a public name on first use (PEP 562), so that importing tokensync itself is cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
