"""Synchronize design tokens between Figma variables and code.

The commands that programs need are available as functions:

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
    from tokensync.commands.apply import AppliedFile
    from tokensync.commands.build import Built, build_project, build_snapshot
    from tokensync.commands.check import Checked, check_project, lint_project
    from tokensync.commands.format import Formatted, format_files
    from tokensync.commands.library import apply_plan, load_graph, resolve, rollback_plan, themes_of
    from tokensync.commands.plan import Planned, make_plan
    from tokensync.commands.pull import IncompletePull, Pulled, pull
    from tokensync.commands.rollback import RolledBackPlan
    from tokensync.emulator import Emulator
    from tokensync.extract.client import Client, Credential
    from tokensync.generate.target import OutputFile, OutputRequest, Target, declared_themes, declared_tokens
    from tokensync.lint import Subject
    from tokensync.migrate.migrating import Migrated, migrate_tokens
    from tokensync.migrate.source import Location, Source, SourceTheme, SourceToken, TokenSet
    from tokensync.project.configuration import Project, load_project
    from tokensync.project.connection import connect
    from tokensync.system.errors import ProblemsError, TokensyncError
    from tokensync.system.problems import Problem
    from tokensync.tokens import Alias, Color, Composite, Quantity, Theme, Token, TokenGraph, TokenKey, Unresolved

__all__ = [
    "Alias",
    "AppliedFile",
    "Built",
    "Checked",
    "Client",
    "Color",
    "Composite",
    "Credential",
    "Emulator",
    "Formatted",
    "IncompletePull",
    "Location",
    "Migrated",
    "OutputFile",
    "OutputRequest",
    "Planned",
    "Problem",
    "ProblemsError",
    "Project",
    "Pulled",
    "Quantity",
    "RolledBackPlan",
    "Source",
    "SourceTheme",
    "SourceToken",
    "Subject",
    "Target",
    "Theme",
    "Token",
    "TokenGraph",
    "TokenKey",
    "TokenSet",
    "TokensyncError",
    "Unresolved",
    "__version__",
    "apply_plan",
    "build_project",
    "build_snapshot",
    "check_project",
    "connect",
    "declared_themes",
    "declared_tokens",
    "format_files",
    "lint_project",
    "load_graph",
    "load_project",
    "make_plan",
    "migrate_tokens",
    "pull",
    "resolve",
    "rollback_plan",
    "themes_of",
]

_HOMES = {
    name: module
    for module, names in {
        "commands.apply": "AppliedFile",
        "commands.build": "Built build_project build_snapshot",
        "commands.check": "Checked check_project lint_project",
        "commands.format": "Formatted format_files",
        "commands.library": "apply_plan load_graph resolve rollback_plan themes_of",
        "commands.plan": "Planned make_plan",
        "commands.pull": "IncompletePull Pulled pull",
        "commands.rollback": "RolledBackPlan",
        "emulator": "Emulator",
        "extract.client": "Client Credential",
        "generate.target": "OutputFile OutputRequest Target declared_themes declared_tokens",
        "lint": "Subject",
        "migrate.migrating": "Migrated migrate_tokens",
        "migrate.source": "Location Source SourceTheme SourceToken TokenSet",
        "project.configuration": "Project load_project",
        "project.connection": "connect",
        "system.errors": "ProblemsError TokensyncError",
        "system.problems": "Problem",
        "tokens": "Alias Color Composite Quantity Theme Token TokenGraph TokenKey Unresolved",
    }.items()
    for name in names.split()
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
