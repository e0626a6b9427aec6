"""Templates and Jinja's sandbox: the user's own templates come before the packaged ones.

Rows given to templates are tuples that the loop unpacks: an attribute look-up in the sandbox costs ten times as much.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tokensync import resources
from tokensync.boundary import Flaw, is_within
from tokensync.disk import open_file
from tokensync.errors import ProblemsError
from tokensync.naming import words
from tokensync.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from jinja2.sandbox import SandboxedEnvironment

_SUFFIX = ".j2"
_BATCH = 4_096
"""How many pieces of a large text are joined at a time."""
_LARGEST = 4 << 20
"""Bytes of one template."""
_LARGEST_IN_ALL = 64 << 20
"""Bytes of all templates of a folder."""


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
                    raise ProblemsError([problem("path-refused", folder, what, "move what is no template elsewhere")])
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
        return Flaw(f"it is larger than {_LARGEST >> 20} MiB", "move what is no template elsewhere")
    return None


Own = tuple[tuple[str, bytes], ...]
"""Paths and texts of a user's templates."""


@lru_cache(maxsize=8)
def environment(filters: Filters = (), own: Own = ()) -> SandboxedEnvironment:
    """Return an environment whose templates are the user's ``own`` ones, and else the packaged ones.

    It escapes in pages (``.html.j2``) only: what another template is given is escaped for its target already.
    """
    from jinja2 import ChoiceLoader, FileSystemLoader, FunctionLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    packaged = FileSystemLoader(resources.path("templates"))
    texts = dict(own)

    def load(name: str) -> tuple[str, str, None] | None:
        return (texts[name].decode(), name, None) if name in texts else None

    made = SandboxedEnvironment(
        loader=ChoiceLoader([FunctionLoader(load), packaged]),
        undefined=StrictUndefined,
        autoescape=_is_page,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    del made.globals["lipsum"]  # it makes text without end
    made.filters.update(kebab=words.kebab, snake=words.snake, camel=words.camel, pascal=words.pascal)
    made.filters.update(filters)
    return made


def _is_page(name: str | None) -> bool:
    return name is not None and name.endswith(".html.j2")


def render(own: Own, name: str, filters: Filters, context: Mapping[str, Any], size: int) -> bytes:
    """Render in this process, up to ``size`` bytes. Raises ProblemsError (``template-failed``)."""
    with _blaming(name):
        return _text(environment(filters, own), name, context, size)


def _text(environment: SandboxedEnvironment, name: str, context: Mapping[str, Any], size: int) -> bytes:
    """Encode a text while it grows, so that a large one is never held twice."""
    buffer = BytesIO()
    pieces = environment.get_template(name).generate(**context)
    while batch := "".join(islice(pieces, _BATCH)):
        buffer.write(batch.encode())
        if buffer.tell() > size:
            raise ValueError(f"it writes more than {size >> 20} MiB into one file")
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
    """The template and the line in it: as a fault of syntax has it, else where the traceback was in a template last."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return f"templates/{error.name or name}:{error.lineno}"
    place = name
    step = error.__traceback__
    while step is not None:
        path = step.tb_frame.f_code.co_filename
        if path.endswith(_SUFFIX):
            packaged = os.path.relpath(path, resources.path("templates")).replace(os.sep, "/")
            place = f"{packaged if os.path.isabs(path) else path}:{step.tb_lineno}"
        step = step.tb_next
    return f"templates/{place}"


def _told(error: Exception) -> tuple[str, str]:
    from jinja2 import TemplateNotFound

    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name}", "correct the name, or put the file into the folder of templates"
    return (
        f"the template cannot be rendered ({str(error) or type(error).__name__})",
        "correct the template, or remove it to use the packaged one",
    )
