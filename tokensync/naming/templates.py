"""Jinja's sandbox over two folders: the user's own templates come before the packaged ones.

It stands here because naming is the lowest room that renders; ``generate`` and ``report`` use it too. Rows given to
templates are tuples that the loop unpacks: an attribute look-up in the sandbox costs ten times as much.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING

from tokensync import resources
from tokensync.errors import ProblemsError
from tokensync.naming import words
from tokensync.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from jinja2.sandbox import SandboxedEnvironment

_SUFFIX = ".j2"
_BATCH = 4_096
"""How many pieces of a large text are joined at a time."""
_MOST = 256 << 20
"""Bytes of one file: a loop that does not end is stopped while there is memory left."""


Filters = tuple[tuple[str, "Callable[[Any], Any]"], ...]
"""Names and functions of filters beside those that spell words."""


def environment(folder: str | None, filters: Filters = ()) -> SandboxedEnvironment:
    """The environment whose templates come from the user's ``folder``, when it has them, else from the package.

    It escapes in pages (``.html.j2``) only: what another template is given is escaped for its target already. A folder
    that changed since the last time, as it may under ``build --watch``, gets a new one.
    """
    return _environment(folder, filters, _state(folder) if folder else ())


@lru_cache(maxsize=8)
def _environment(folder: str | None, filters: Filters, _: tuple[tuple[str, int, int], ...]) -> SandboxedEnvironment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    folders = [each for each in (folder, resources.path("templates")) if each]
    made = SandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        autoescape=_is_page,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    made.filters.update(kebab=words.kebab, snake=words.snake, camel=words.camel, pascal=words.pascal)
    made.filters.update(filters)
    return made


def _is_page(name: str | None) -> bool:
    return name is not None and name.endswith(".html.j2")


def _state(folder: str) -> tuple[tuple[str, int, int], ...]:
    """Path, size and time of every file below the folder."""
    paths = [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names]
    return tuple((path, found.st_size, found.st_mtime_ns) for path in sorted(paths) if (found := _stat(path)))


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:  # gone meanwhile, or a link to nothing
        return None


def rendered(name: str, folder: str | None, **context: object) -> str:
    """The template's text. Raises ProblemsError (``template-failed``) when the template is at fault."""
    with _blaming(name):
        return environment(folder).get_template(name).render(**context)


def rendered_bytes(name: str, folder: str | None, filters: Filters = (), /, **context: object) -> bytes:
    """The template's text in UTF-8, for outputs that may be large: encoded while it grows, it is never held twice."""
    buffer = BytesIO()
    with _blaming(name):
        pieces = environment(folder, filters).get_template(name).generate(**context)
        while batch := "".join(islice(pieces, _BATCH)):
            buffer.write(batch.encode())
            if buffer.tell() > _MOST:
                raise ValueError(f"it writes more than {_MOST >> 20} MiB into one file")
    return buffer.getvalue()


@contextmanager
def _blaming(name: str) -> Iterator[None]:
    """Turn what a template does wrong into a problem with its place."""
    from jinja2 import TemplateError

    try:
        yield
    except (
        TemplateError,
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        OSError,
        RuntimeError,
        SyntaxError,
        TypeError,
        ValueError,
    ) as error:
        raise ProblemsError((problem("template-failed", _where(name, error), *_told(error)),)) from error


def _where(name: str, error: Exception) -> str:
    """The template and the line in it: as a fault of syntax tells it, else where the traceback was in a template."""
    place = getattr(error, "name", None)
    # A SyntaxError is of the Python that the template became, whose lines are not the template's.
    line = None if isinstance(error, SyntaxError) else getattr(error, "lineno", None)
    step = error.__traceback__
    while step is not None and line is None:
        path = step.tb_frame.f_code.co_filename
        if step.tb_next is None or not step.tb_next.tb_frame.f_code.co_filename.endswith(_SUFFIX):
            line = step.tb_lineno if path.endswith(_SUFFIX) else None
        step = step.tb_next
    return f"templates/{place if isinstance(place, str) else name}{f':{line}' if line else ''}"


def _told(error: Exception) -> tuple[str, str]:
    return (
        f"the template cannot be rendered ({str(error) or type(error).__name__})",
        "correct the template, or remove it to use the packaged one",
    )
