"""Templates in Jinja's sandbox. The user's templates take precedence over the packaged ones.

The contexts of templates are types, from which docs/templates.md is generated. A context is a Struct whose fields are
the template's variables. A row is a NamedTuple; at run time it may be any tuple of that shape, since the template's
loop unpacks it: in the sandbox, an attribute look-up takes ten times as long.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import compress, count, islice, repeat
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct

from tokensync.generate.naming import rules
from tokensync.system import resources
from tokensync.system.errors import ProblemsError
from tokensync.system.problems import problem

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment


NAMES = "names"
"""The platform of name templates."""


class Template(NamedTuple):
    """A packaged template: its path below ``templates/``, its platform, a description and its context.

    ``platform`` is a platform of ``[[outputs]]`` or another user of templates; ``renders`` is a Markdown sentence.
    """

    path: str
    platform: str
    renders: str
    context: type[Struct]


def doc(meaning: str, example: Any = None) -> Meta:
    """Return the description of a field, with an example unless it is a list of rows."""
    return Meta(description=meaning, examples=None if example is None else [example])


class NameRow(NamedTuple):
    """A token to name."""

    words: Annotated[
        tuple[str, ...],
        doc(
            "the words of the path, in lower case, after those of the collection if the name is not unique",
            ("accent", "base"),
        ),
    ]
    collection: Annotated[tuple[str, ...], doc("the words of the collection's handle", ("theme",))]
    type: Annotated[str, doc("the type", "color")]


class NamedToken(NamedTuple):
    """A token to name, with everything that a name can consist of."""

    path: Annotated[
        tuple[str, ...],
        doc(
            "the names of its groups and its own as they are written, after the collection's handle if the name is not"
            " unique, and between the configured prefix and suffix",
            ("bgColor", "base"),
        ),
    ]
    words: Annotated[tuple[str, ...], doc("the words of that path, in lower case", ("bg", "color", "base"))]
    leaf: Annotated[str, doc("its own name", "base")]
    group: Annotated[
        tuple[str, ...], doc("the names of its groups, after the handle if the name is not unique", ("bgColor",))
    ]
    collection: Annotated[str, doc("the name of the collection", "Color modes")]
    handle: Annotated[str, doc("the handle of the collection", "color-modes")]
    mode: Annotated[str, doc("the name of the default mode", "Light")]
    type: Annotated[str, doc("the type", "color")]
    scopes: Annotated[tuple[str, ...], doc("the scopes in the design file", ("FRAME_FILL",))]


LINE = "{% for " + ", ".join(NamedToken._fields) + " in tokens %}<line>{{ '\n' }}{% endfor %}"
"""The template around a line for one name. As plain text, a line break after a statement would be trimmed."""


class Names(Struct, frozen=True):
    """The context of a name template, which renders one line for each row in order."""

    rows: Annotated[list[NameRow], doc("the tokens without code syntax, and those whose name is not unique")]
    tokens: Annotated[list[NamedToken], doc("the same tokens with more facts")]
    platform: Annotated[str, doc("the platform of the names, such as `css`", "css")]


def names_template(platform: str, where: str) -> Template:
    """Return the name template of a target; ``where`` completes the description of its names."""
    return Template(f"codesyntax/{platform}.j2", NAMES, f"The names of tokens on {where}, one per line.", Names)


_SUFFIX = ".j2"
_BATCH = 4_096
"""The number of pieces of text between checks of the size."""


class Limits(NamedTuple):
    """The limits of templates: seconds per file and per build, bytes of memory, bytes per file and per build.

    Only ``size`` applies to packaged templates too.
    """

    seconds: float = 20.0
    seconds_in_all: float = 120.0
    memory: int = 2 << 30
    size: int = 256 << 20
    size_in_all: int = 1 << 30


LIMITS = Limits()

Filters = tuple[tuple[str, "Callable[[Any], Any]"], ...]
"""The names and functions of additional filters."""

Own = tuple[tuple[str, bytes], ...]
"""The paths and texts of a user's templates."""


@lru_cache(maxsize=8)
def environment(filters: Filters = (), own: Own = ()) -> SandboxedEnvironment:
    """Return the environment of the user's ``own`` templates and the packaged ones.

    It escapes only HTML pages (``.html.j2``): the values for other templates are already escaped for their target.
    """
    from jinja2 import BaseLoader, ChoiceLoader, FileSystemLoader, FunctionLoader, StrictUndefined, select_autoescape
    from jinja2.sandbox import SandboxedEnvironment

    loader: BaseLoader = FileSystemLoader(resources.path("templates"))
    if own:
        texts = dict(own)

        def load(name: str) -> tuple[str, str, None] | None:
            return (texts[name].decode(), name, None) if name in texts else None

        loader = ChoiceLoader([FunctionLoader(load), loader])
    result = SandboxedEnvironment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=select_autoescape(("html.j2",), default_for_string=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        optimized=False,  # finding constants takes an eighth of a template's compilation, and templates have few
        finalize=_printed if own else None,
    )
    del result.globals["lipsum"]  # it generates unlimited text
    result.filters.update(SPELLINGS, lines=lines)
    result.filters.update(filters)
    return result


def _printed(value: object) -> object:
    """Return a value that a template prints. Raises TypeError for what Python prints with brackets or an address."""
    if isinstance(value, str):
        return value
    from jinja2 import Undefined

    if isinstance(value, list | tuple | dict | Iterator):
        raise TypeError("it prints a list or a row; print its parts in a loop, or join them")
    if callable(value) and not isinstance(value, Undefined):
        raise TypeError("it prints a function; call it")
    return value


_JOINS = {
    "camel": rules.camel,
    "snake": rules.snake,
    "kebab": rules.kebab,
    "pascal": rules.pascal,
    "constant": rules.constant,
}
"""The functions that join words."""


def _spelling(join: Callable[[Sequence[str]], str]) -> Callable[..., str]:
    """Return the filter that spells a text or several, such as a path, with a function that joins words."""

    def spelled(names: str | Iterable[str], numbers: Literal["", "apart", "joined"] = "") -> str:
        if numbers not in ("", "apart", "joined"):
            raise TypeError(f"{numbers!r:.40} is no spelling of numbers; write 'joined' or 'apart'")
        texts = (names,) if isinstance(names, str) else names
        return join(rules.numbered([word for text in texts for word in rules.words(text)], numbers))

    return spelled


SPELLINGS = {name: _spelling(join) for name, join in _JOINS.items()}
"""The filters that spell texts."""


def lines(
    rows: Iterable[tuple[Any, ...]] | str,
    form: str = "",
    *parts: int,
    note: str = "",
    words: str = "",
    comments: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """Return a line for each row: ``form`` with the row's parts in place of each ``%s``.

    ``parts`` are the indices of the parts for the form; the default is the whole row. ``note`` is the form of a line
    before it with the row's first part, omitted if that part is empty. ``words`` is the filter that joins those of the
    row's first part, which is the only one in the form then. ``comments`` are texts by the first part of a row, which
    are written before its line, each after an empty line.
    """
    if isinstance(rows, str):
        raise TypeError("lines writes rows; use comment_lines for the lines of a text")
    rows = list(rows)
    if not (note or words or parts or all(issubclass(type_, tuple) for type_ in set(map(type, rows)))):
        return "\n".join(map(form.__mod__, rows))
    columns: list[Sequence[Any]] = [[*map(itemgetter(part), rows)] for part in parts] or [*zip(*rows, strict=True)]
    if words:
        columns = [[*map(_JOINS[words], map(itemgetter(0), rows))]]
    leads = dict[int, str]()
    if note:
        leads = {at: f"{note}\n" % (row[0],) for at, row in enumerate(rows) if row[0]}
    if comments:
        line = "\n" + form[: len(form) - len(form.lstrip())]
        for at in compress(count(), map(comments.__contains__, map(itemgetter(0), rows))):
            leads[at] = "".join([line + text.replace("\n", line) + "\n" for text in comments[rows[at][0]]])
    before, texts, after = _filled(form, columns)
    if leads:
        texts = [*map("".join, zip(repeat(before), texts, repeat(after)))]
        for at, lead in leads.items():
            texts[at] = lead + texts[at]
        before = after = ""
    return before + f"{after}\n{before}".join(texts) + after if texts else ""


def _filled(form: str, columns: Sequence[Sequence[Any]]) -> tuple[str, list[str], str]:
    """Return a form with a value of each column in place of each ``%s``: what all begin and end with, and the rest."""
    pieces = form.split("%s")
    is_plain = len(pieces) == len(columns) + 1 and not any("%" in piece for piece in pieces)
    try:
        joined = [*map("".join, columns)] if is_plain else []
    except TypeError:  # not only texts; looking at each type takes longer
        joined = []
    if not joined:
        return "", [*map(form.__mod__, zip(*columns, strict=True))], ""
    # Joining columns takes a quarter of the time of formatting rows; most of the last ones are empty.
    texts, between = [*columns[0]], ""
    for piece, column, has_text in zip(pieces[1:], columns[1:], joined[1:], strict=False):
        between += piece
        if has_text:
            texts, between = [*map(between.join, zip(texts, column, strict=True))], ""
    return pieces[0], texts, between + pieces[-1]


def render(own: Own, name: str, filters: Filters, context: Mapping[str, Any], size: int) -> bytes:
    """Render in this process, up to ``size`` bytes. Raises ProblemsError (``template-failed``).

    The text is encoded in pieces, so that a large one is never in memory twice.
    """
    from jinja2 import TemplateError

    buffer = BytesIO()
    try:
        pieces = environment(filters, own).get_template(name).generate(**context)
        while batch := [*islice(pieces, _BATCH)]:
            buffer.writelines(map(str.encode, batch))
            if buffer.tell() > size:
                raise ValueError(f"it writes more than {size >> 20} MiB into one file")  # noqa: TRY301 - like any template error
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
    """Return the template and line of a syntax error, or of the last template in the traceback."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return f"templates/{error.name or name}:{error.lineno}"
    location = name
    step = error.__traceback__
    while step is not None:
        path = step.tb_frame.f_code.co_filename
        if path.endswith(_SUFFIX):
            if os.path.isabs(path):  # one of the package, which may be on another drive than the working folder
                path = os.path.relpath(path, resources.path("templates")).replace(os.sep, "/")
            location = f"{path}:{step.tb_lineno}"
        step = step.tb_next
    return f"templates/{location}"


def _why(error: Exception) -> tuple[str, str]:
    from jinja2 import TemplateNotFound

    if isinstance(error, TemplateNotFound):
        return f"no template {error.name}", "correct the name, or add the file to the templates folder"
    return (
        f"the template cannot be rendered ({str(error)[:400] or type(error).__name__})",
        "correct the template, or remove it to use the packaged one",
    )
