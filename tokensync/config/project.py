"""Which configuration counts, and the folder that it belongs to."""

from __future__ import annotations

import os
import re

import msgspec
from msgspec import Struct

from tokensync.config.parsing import PYPROJECT, parse_config
from tokensync.config.settings import Config
from tokensync.errors import UsageError

FILE_NAME = "tokensync.toml"


class Project(Struct, frozen=True):
    """A configuration and the folder that its paths are relative to."""

    folder: str
    source: str
    config: Config

    def path(self, *parts: str) -> str:
        """A path of the project's, made absolute."""
        return os.path.normpath(os.path.join(self.folder, *parts))

    def shown(self, text: str) -> str:
        """A place without the project's folder before it: the same on every machine."""
        return text.removeprefix(os.path.join(self.folder, ""))

    @property
    def tokens_folder(self) -> str:
        """Where the token files are."""
        return self.path(self.config.tokens)


def load_project(wanted: str | None = None) -> Project:
    """The configuration that ``wanted`` names, or that ``TOKENSYNC_CONFIG`` names, or that stands here or above.

    Raises UsageError when there is none and ProblemsError with everything that is wrong in it.
    """
    path = wanted or os.environ.get("TOKENSYNC_CONFIG") or _found_above(os.getcwd())
    if path is None:
        raise UsageError(f"{FILE_NAME}: there is none here or in a folder above; make one, or name it with --config")
    if os.path.isdir(path):
        path = _found_in(path) or os.path.join(path, FILE_NAME)
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as fault:
        raise UsageError(
            f"{path}: it cannot be read ({fault.strerror}); name the configuration with --config"
        ) from None
    folder = os.path.dirname(os.path.abspath(path))
    return Project(folder, path, _with_environment(parse_config(raw, path)))


def _with_environment(config: Config) -> Config:
    base_url = os.environ.get("TOKENSYNC_BASE_URL")
    return msgspec.structs.replace(config, base_url=base_url) if base_url else config


def _found_above(folder: str) -> str | None:
    while (path := _found_in(folder)) is None:
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return path


def _found_in(folder: str) -> str | None:
    path = os.path.join(folder, FILE_NAME)
    if os.path.isfile(path):
        return path
    pyproject = os.path.join(folder, PYPROJECT)
    return pyproject if os.path.isfile(pyproject) and _has_table(pyproject) else None


def _has_table(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return re.search(rb"^\s*\[+\s*tool\s*\.\s*tokensync\b", file.read(), re.MULTILINE) is not None
    except OSError:
        return False
