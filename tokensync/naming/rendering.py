"""Render a template: a packaged one here, those of a user's folder in a process of their own.

It stands in this room because naming is the lowest one that renders; the targets and ``report`` use it too.
"""

from __future__ import annotations

from tokensync.naming.templates import LIMITS, Filters, render, template_files


def rendered(name: str, folder: str | None, **context: object) -> str:
    """Return the template's text. Raises ProblemsError (``template-failed``) when the template is at fault."""
    return rendered_bytes(name, folder, **context).decode()


def rendered_bytes(name: str, folder: str | None, filters: Filters = (), /, **context: object) -> bytes:
    """Return the template's text in UTF-8. Raises ProblemsError (``template-failed``) when the template is at fault.

    With a user's ``folder`` it is rendered in the sandbox's process (``tokensync.naming.sandbox``).
    """
    if folder is None:
        return render((), name, filters, context, LIMITS.size)
    from tokensync.naming import sandbox

    return sandbox.render(template_files(folder), name, filters, context, LIMITS)
