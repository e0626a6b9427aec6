"""Which configuration counts, and the folder that it belongs to."""

from __future__ import annotations

import os
import re

import msgspec
from msgspec import Struct

from tokensync.boundary import Boundary, is_within, work_tree
from tokensync.config.parsing import PYPROJECT, Fault, located, parse_config, paths_in
from tokensync.disk import open_file
from tokensync.errors import ProblemsError, UsageError
from tokensync.settings import Config

FILE_NAME = "tokensync.toml"
ALLOW_OUTSIDE_VARIABLE = "TOKENSYNC_ALLOW_OUTSIDE"


class Project(Struct, frozen=True):
    """A configuration and the folder that its paths are relative to.

    ``allow_outside`` is the user's word that these may lead out of the git work tree; ``text`` is the file as read.
    """

    folder: str
    source: str
    config: Config
    allow_outside: bool = False
    text: bytes = b""

    def path(self, *parts: str) -> str:
        """Return a path of the project's, made absolute."""
        return os.path.normpath(os.path.join(self.folder, *parts))

    def shown(self, text: str) -> str:
        """Return a place without the project's folder before it: the same on every machine."""
        return text.removeprefix(os.path.join(self.folder, ""))

    @property
    def tokens_folder(self) -> str:
        """Return where the token files are."""
        return self.path(self.config.tokens)

    @property
    def boundary(self) -> Boundary:
        """Return where outputs and templates may be."""
        top = work_tree(self.folder)
        name = "the git work tree" if top else "the project"
        project = os.path.realpath(self.folder)
        tokens = os.path.realpath(self.tokens_folder)
        if is_within(project, tokens):  # then only the token files themselves are not for outputs
            names = [end for each in self.config.files for end in (each.name, f"{each.name}.resolver.json")]
            folders = tuple(os.path.join(tokens, name) for name in names)
        else:
            folders = (tokens,)
        return Boundary(top or project, name, folders, self.allow_outside)

    def refuse_strays(self, *settings: str) -> None:
        """Raise ProblemsError for paths that a checkout may not choose: of ``tokens``, or the ``path`` of outputs and
        their ``templates``, all of these settings at once.
        """
        boundary = self.boundary
        faults: list[Fault] = []
        for steps, path in paths_in(self.config):
            if steps[-1] in settings:
                bounds = boundary._replace(tokens=()) if steps == ("tokens",) else boundary
                if flaw := bounds.flaw(self.path(path)):
                    faults.append(Fault(steps, f"{path!r:.200}: {flaw.what}", flaw.what_to_do))
        if faults:
            raise ProblemsError(located(faults, self.text, self.source, "path-refused"))


def load_project(wanted: str | None = None, *, allow_outside: bool = False) -> Project:
    """Return the configuration that ``wanted`` names, or that ``TOKENSYNC_CONFIG`` names, or that stands here or above.

    ``allow_outside``, or ``TOKENSYNC_ALLOW_OUTSIDE=1``, lets its paths lead out of the git work tree. Raises UsageError
    when there is none and ProblemsError with everything that is wrong in it.
    """
    path = wanted or os.environ.get("TOKENSYNC_CONFIG") or _found_above(os.getcwd())
    if path is None:
        raise UsageError(f"{FILE_NAME}: there is none here or in a folder above; make one, or name it with --config")
    if os.path.isdir(path):
        path = _found_in(path) or os.path.join(path, FILE_NAME)
    try:
        with open_file(path) as file:
            raw = file.read()
    except OSError as fault:
        raise UsageError(
            f"{path}: it cannot be read ({fault.strerror}); name the configuration with --config"
        ) from None
    folder = os.path.realpath(os.path.dirname(path))  # so that "..", in the text and for the system, is one place
    config = _with_environment(parse_config(raw, path))
    project = Project(folder, path, config, allow_outside or outside_is_allowed(), raw)
    project.refuse_strays("tokens")
    return project


def outside_is_allowed() -> bool:
    """Return whether the user's environment allows paths of a checkout to lead out of its git work tree.

    Raises UsageError for a value that is neither 1 nor 0: whoever set it would wait for its effect in vain.
    """
    value = os.environ.get(ALLOW_OUTSIDE_VARIABLE, "")
    if value not in ("", "0", "1"):
        raise UsageError(f"{ALLOW_OUTSIDE_VARIABLE}: {value!r:.80} is neither 1 nor 0; set it to 1 to allow that")
    return value == "1"


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
        with open_file(path) as file:
            return re.search(rb"^\s*\[+\s*tool\s*\.\s*tokensync\b", file.read(), re.MULTILINE) is not None
    except OSError:
        return False
