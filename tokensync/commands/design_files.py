"""Which design file is meant: a configured name, a key or a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokensync.client import FileReference
    from tokensync.config import Project


def configured(project: Project) -> dict[str, FileReference]:
    """Return the files of the configuration by their names. A key that is none is a UsageError that says whose
    it is.
    """
    from tokensync.client import parse_file

    return {each.name: parse_file(each.key, f"files.{each.name}.key") for each in project.config.files}


def meant(project: Project, given: str, where: str) -> FileReference:
    """Return the file that somebody gave as a configured name, a key or a URL; what is none of them is a UsageError."""
    from tokensync.client import parse_file

    return configured(project).get(given) or parse_file(given, where)


def names_by_key(project: Project) -> dict[str, str]:
    """Return the configured names by key, of main files and of branches."""
    found: dict[str, str] = {}
    for name, reference in configured(project).items():
        found |= {reference.main_key: name, reference.working_key: name}
    return found
