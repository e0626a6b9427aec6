"""tokensync keeps design tokens the same in Figma variables and in code.

What the command line does is here as functions, for a program of your own:

    import tokensync

    project = tokensync.load_project("tokensync.toml")
    with tokensync.connect(project) as client:
        tokensync.pull(project, client)
    tokensync.build_project(project)

Every failure is a ``TokensyncError`` whose text says where, what and what to do. Names are loaded when they are used.
"""

from tokensync.version import __version__

TYPE_CHECKING = False  # typing itself takes several milliseconds to import
if TYPE_CHECKING:
    from tokensync.client import Client, Credential
    from tokensync.commands.build import Built, build_project, build_snapshot
    from tokensync.commands.format import Formatted, format_files
    from tokensync.commands.pull import Pulled, pull
    from tokensync.emulator import Emulator
    from tokensync.errors import ProblemsError, TokensyncError
    from tokensync.problems import Problem
    from tokensync.project.configuration import Project, load_project
    from tokensync.project.connection import connect

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
    "Client": "client",
    "Credential": "client",
    "Emulator": "emulator",
    "Formatted": "commands.format",
    "Problem": "problems",
    "ProblemsError": "errors",
    "Project": "project.configuration",
    "Pulled": "commands.pull",
    "TokensyncError": "errors",
    "build_project": "commands.build",
    "build_snapshot": "commands.build",
    "connect": "project.connection",
    "format_files": "commands.format",
    "load_project": "project.configuration",
    "pull": "commands.pull",
}
"""The module that has a public name."""


def __getattr__(name: str) -> object:
    """Return a public name, loaded now (PEP 562): importing tokensync itself costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
