"""Templates and Jinja's sandbox: the user's own templates come before the packaged ones.

Rows given to templates are tuples that the loop unpacks: an attribute look-up in the sandbox costs ten times as much.
"""

from __future__ import annotations

import os
from functools import lru_cache
from io import BytesIO
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from tokensync import resources
from tokensync.errors import ProblemsError
from tokensync.naming import rules
from tokensync.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from jinja2.sandbox import SandboxedEnvironment

_SUFFIX = ".j2"
_BATCH = 4_096
"""After how many pieces of a text its size is looked at."""


class Limits(NamedTuple):
    """What templates may take: seconds for a file and for all files of a build, bytes of memory, of one file and of
    all files of a build.

    Only ``size`` limits the packaged templates, too.
    """

    seconds: float = 20.0
    seconds_in_all: float = 120.0
    memory: int = 2 << 30
    size: int = 256 << 20
    size_in_all: int = 1 << 30


LIMITS = Limits()

Filters = tuple[tuple[str, "Callable[[Any], Any]"], ...]
"""Names and functions of filters beside those that spell words."""


Own = tuple[tuple[str, bytes], ...]
"""Paths and texts of a user's templates."""


@lru_cache(maxsize=8)
def environment(filters: Filters = (), own: Own = ()) -> SandboxedEnvironment:
    """Return an environment whose templates are the user's ``own`` ones, and else the packaged ones.

    It escapes in pages (``.html.j2``) only: what another template is given is escaped for its target already.
    """
    from jinja2 import BaseLoader, ChoiceLoader, FileSystemLoader, FunctionLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    loader: BaseLoader = FileSystemLoader(resources.path("templates"))
    if own:
        texts = dict(own)

        def load(name: str) -> tuple[str, str, None] | None:
            return (texts[name].decode(), name, None) if name in texts else None

        loader = ChoiceLoader([FunctionLoader(load), loader])
    made = SandboxedEnvironment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=_is_page,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    del made.globals["lipsum"]  # it makes text without end
    made.filters.update(kebab=rules.kebab, snake=rules.snake, camel=rules.camel, pascal=rules.pascal, lines=lines)
    made.filters.update(filters)
    return made


def lines(rows: Iterable[tuple[Any, ...]], form: str, *parts: int, note: str = "") -> str:
    """Return a line for each row: the form with the row's parts in place of each ``%s``, in their order.

    ``parts`` are the indices of the parts that the form takes, when it does not take the row as it is. ``note`` is the
    form of a line before it, for the first part of a row where that is not empty.
    """
    rows = list(rows)
    taken = zip(*[map(itemgetter(each), rows) for each in parts], strict=True) if parts else rows
    written = map(form.__mod__, taken)
    if note and any(map(itemgetter(0), rows)):
        noted = zip(rows, written, strict=True)
        return "\n".join([f"{note % row[0]}\n{line}" if row[0] else line for row, line in noted])
    return "\n".join(written)


def _is_page(name: str | None) -> bool:
    return name is not None and name.endswith(".html.j2")


def render(own: Own, name: str, filters: Filters, context: Mapping[str, Any], size: int) -> bytes:
    """Render in this process, up to ``size`` bytes. Raises ProblemsError (``template-failed``).

    The text is encoded while it grows, so that a large one is never held twice.
    """
    from jinja2 import TemplateError

    buffer = BytesIO()
    try:
        pieces = environment(filters, own).get_template(name).generate(**context)
        while batch := [*islice(pieces, _BATCH)]:
            buffer.writelines(map(str.encode, batch))
            if buffer.tell() > size:
                raise ValueError(f"it writes more than {size >> 20} MiB into one file")  # noqa: TRY301 - as any fault of it
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
        raise ProblemsError((problem("template-failed", _where(name, error), *_why(error)),)) from error
    return buffer.getvalue()


def _where(name: str, error: Exception) -> str:
    """Return the template and the line in it: that of a syntax error, else the last one of the traceback."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return f"templates/{error.name or name}:{error.lineno}"
    location = name
    step = error.__traceback__
    while step is not None:
        path = step.tb_frame.f_code.co_filename
        if path.endswith(_SUFFIX):
            packaged = os.path.relpath(path, resources.path("templates")).replace(os.sep, "/")
            location = f"{packaged if os.path.isabs(path) else path}:{step.tb_lineno}"
        step = step.tb_next
    return f"templates/{location}"


def _why(error: Exception) -> tuple[str, str]:
    """Return what is wrong with the template, and what to do."""
    from jinja2 import TemplateNotFound

    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name}", "correct the name, or put the file into the folder of templates"
    return (
        f"the template cannot be rendered ({str(error) or type(error).__name__})",
        "correct the template, or remove it to use the packaged one",
    )
