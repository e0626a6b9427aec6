"""Refuse places that the user named and that links of a checkout lead elsewhere."""

from __future__ import annotations

import os

from tokensync.boundary import flaw_of_link
from tokensync.errors import ProblemsError
from tokensync.problems import problem


def refuse_linked_folder(folder: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> None:
    """Raise ProblemsError for a folder that a link leads elsewhere; ``tokens`` are the folders of token files."""
    _refuse(folder, folder, tokens, allow_outside=allow_outside)


def refuse_linked_file(path: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> None:
    """Do the same for a file's folder. A link in place of the file is replaced, never written through.

    The path stays as it was typed: made absolute, ``link/..`` would be another folder than the system writes into.
    """
    _refuse(path, os.path.dirname(path) or ".", tokens, allow_outside=allow_outside)


def _refuse(named: str, folder: str, tokens: tuple[str, ...], *, allow_outside: bool) -> None:
    if flaw := flaw_of_link(folder, tokens, allow_outside=allow_outside):
        raise ProblemsError([problem("path-refused", named, *flaw)])
