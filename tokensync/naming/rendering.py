"""Render templates: packaged ones in this process, those of a user's folder in a sandbox process.

The targets and ``report`` use this module too.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from tokensync.boundary import Flaw, is_within
from tokensync.disk import open_file
from tokensync.errors import ProblemsError
from tokensync.naming.templates import LIMITS, render
from tokensync.problems import problem

if TYPE_CHECKING:
    from tokensync.naming.templates import Filters, Own
    from tokensync.problems import Problem

_LARGEST = 4 << 20
"""The most bytes of a template."""
_LARGEST_IN_ALL = 64 << 20
"""The most bytes of all templates of a folder."""


def rendered_bytes(name: str, folder: str | None, filters: Filters = (), /, **context: object) -> bytes:
    """Render a template as UTF-8. Raises ProblemsError (``template-failed``) for errors of the template.

    With a user's ``folder``, render in a sandbox process (``tokensync.naming.sandbox``).
    """
    if folder is None:
        return render((), name, filters, context, LIMITS.size)
    from tokensync.naming import sandbox

    own = template_files(folder)
    try:
        return sandbox.render(own, name, filters, context, LIMITS)
    except ProblemsError as stop:
        raise ProblemsError([_located(each, folder, own) for each in stop.problems]) from None


def _located(problem: Problem, folder: str, own: Own) -> Problem:
    """Return a problem with the path of a user's template, which the sandbox does not know."""
    name, colon, line = problem.where.removeprefix("templates/").partition(":")
    is_own = any(path == name for path, _ in own)
    return problem._replace(where=f"{os.path.join(folder, name)}{colon}{line}") if is_own else problem


def template_files(folder: str) -> Own:
    """Read the templates of a user's folder, sorted by their paths in it. Ignore broken links and special files.

    Raises ProblemsError for a link out of the folder: through it, a checkout could publish private files.
    """
    top = os.path.realpath(folder)
    templates: list[tuple[str, bytes]] = []
    problems = []
    size = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for each in sorted(names) + [each for each in folders if os.path.islink(os.path.join(parent, each))]:
            path = os.path.join(parent, each)
            flaw = _flaw_of_template(path, top)
            if flaw:
                problems.append(problem("path-refused", path, *flaw))
            elif os.path.isfile(path):
                with open_file(os.path.realpath(path)) as file:
                    text = file.read(_LARGEST)
                templates.append((os.path.relpath(path, folder).replace(os.sep, "/"), text))
                size += len(text)
                if size > _LARGEST_IN_ALL:
                    what = f"its files are larger than {_LARGEST_IN_ALL >> 20} MiB together"
                    raise ProblemsError(
                        [problem("path-refused", folder, what, "move files that are not templates elsewhere")]
                    )
    if problems:
        raise ProblemsError(problems)
    return tuple(sorted(templates))


def _flaw_of_template(path: str, top: str) -> Flaw | None:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        real = os.path.realpath(path)
        if not is_within(real, top):
            return Flaw(f"a link leads out of the templates, to {real}", "put the file itself there")
        if os.path.isdir(path):
            return Flaw("a link leads to a folder, and is not followed", "put the folder itself there")
    if os.path.isfile(path) and os.path.getsize(path) > _LARGEST:
        return Flaw(f"it is larger than {_LARGEST >> 20} MiB", "move files that are not templates elsewhere")
    return None
