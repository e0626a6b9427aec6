"""Render a template: a packaged one here, those of a user's folder in a process of their own.

It stands in this room because naming is the lowest one that renders; the targets and ``report`` use it too.
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

_LARGEST = 4 << 20
"""Bytes of one template."""
_LARGEST_IN_ALL = 64 << 20
"""Bytes of all templates of a folder."""


def rendered_bytes(name: str, folder: str | None, filters: Filters = (), /, **context: object) -> bytes:
    """Return the template's text in UTF-8. Raises ProblemsError (``template-failed``) when the template is at fault.

    With a user's ``folder`` it is rendered in the sandbox's process (``tokensync.naming.sandbox``).
    """
    if folder is None:
        return render((), name, filters, context, LIMITS.size)
    from tokensync.naming import sandbox

    return sandbox.render(template_files(folder), name, filters, context, LIMITS)


def template_files(folder: str) -> Own:
    """Read the templates of a user's folder, sorted by their paths in it.

    What is no file, and a link to nothing, are no templates. Raises ProblemsError for a link that leads out of the
    folder: a checkout could have a template read what the user never meant to publish.
    """
    top = os.path.realpath(folder)
    found: list[tuple[str, bytes]] = []
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
                with open_file(path) as file:
                    text = file.read(_LARGEST)
                found.append((os.path.relpath(path, folder).replace(os.sep, "/"), text))
                size += len(text)
                if size > _LARGEST_IN_ALL:
                    what = f"its files are larger than {_LARGEST_IN_ALL >> 20} MiB together"
                    raise ProblemsError(
                        [problem("path-refused", folder, what, "move files that are not templates elsewhere")]
                    )
    if problems:
        raise ProblemsError(problems)
    return tuple(sorted(found))


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
