"""The formats of a migration's source: each with its reader, recognized by the content of the files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.migrate.readers.source_files import read_source
from tokensync.system import plugins
from tokensync.system.disk import shown_path
from tokensync.system.errors import UsageError
from tokensync.system.wording import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.migrate.readers.documents import Document
    from tokensync.migrate.source import Source


class Format(NamedTuple):
    """A format: its name on the command line, its name in messages, and the module of its reader.

    The module has ``recognized`` and ``read``. Readers of text get the bytes of the files by path, others documents.
    """

    name: str
    label: str
    module: str
    reads_text: bool = False


FORMATS = (
    Format("theo", "Theo", "tokensync.migrate.readers.theo"),
    Format("tokens-studio", "Tokens Studio", "tokensync.migrate.readers.tokens_studio"),
    Format("figma", "Figma's own export of variables", "tokensync.migrate.readers.figma_export"),
    Format("dtcg", "DTCG", "tokensync.migrate.readers.dtcg_files"),
    Format("style-dictionary", "Style Dictionary", "tokensync.migrate.readers.style_dictionary"),
    Format("css", "CSS or SCSS", "tokensync.migrate.readers.css.reader", reads_text=True),
    Format("android", "Android resources", "tokensync.migrate.readers.android", reads_text=True),
    Format("ios", "asset catalogs of Apple platforms", "tokensync.migrate.readers.asset_catalog", reads_text=True),
)
"""In the order in which they are tried: a file with tokens of Tokens Studio is valid DTCG, too, and a list of Theo's
props looks like an old set of Tokens Studio."""


def formats() -> tuple[Format, ...]:
    """Return the formats in the order in which they are tried: first those of plug-ins, which know their own files.

    A plug-in of ``tokensync.readers`` is a module with ``LABEL``, ``recognized`` and ``read``, which get text.
    """
    built_in = {form.name for form in FORMATS}
    plugged = [(name, plugins.load("readers", name)) for name in plugins.entries("readers") if name not in built_in]
    return (*(Format(name, module.LABEL, module.__name__, reads_text=True) for name, module in plugged), *FORMATS)


class Recognized(NamedTuple):
    """A source with its format, and the names of other formats whose files it has, too.

    One file of JSON may be in several formats; only stylesheets and resources beside it, or the reverse, are others,
    and Tokens Studio if nothing tells its sets from files of Style Dictionary.
    """

    source: Source
    format: Format
    others: tuple[str, ...] = ()


def recognize(path: str, name: str | None = None, without: frozenset[str] = frozenset()) -> Recognized:
    """Read a file, a folder or a zip in the format with a name, or else the first one that is recognized.

    ``without`` are absolute paths below the folder that are not read.

    Raises UsageError if no format is, if there is nothing to read, or if a package is missing.
    """
    reading = read_source(path, without)
    if name is not None:
        found = [next(form for form in formats() if form.name == name)]
    else:
        found = [form for form in formats() if _is_recognized(form, reading.documents)]
    if not found:
        to_do = f"choose one with --format: {listed([form.name for form in formats()], 10)}"
        if reading.unread:
            to_do = f"{reading.unread[0].at}: {reading.unread[0].reason}"
        raise UsageError(f"{shown_path(path)}: none of its files has tokens in a known format; {to_do}")
    source = _read(found[0], reading.documents)
    others = [each.name for each in found[1:] if each.reads_text != found[0].reads_text]
    if found[0].name == "style-dictionary" and name is None and _may_be_sets(reading.documents):
        others.insert(0, "tokens-studio")
    missing = tuple(unread for unread in reading.unread if unread not in source.unread)
    return Recognized(
        replace(source, unread=(*missing, *source.unread)),
        found[0],
        tuple(others),
    )


def _may_be_sets(documents: Sequence[Document]) -> bool:
    """Return whether files of Style Dictionary may be sets of Tokens Studio without themes: no content tells."""
    from tokensync.migrate.readers.tokens_studio import may_be

    return may_be(documents)


def _argument(form: Format, documents: Sequence[Document]) -> object:
    return {document.path: document.text.encode() for document in documents} if form.reads_text else documents


def _is_recognized(form: Format, documents: Sequence[Document]) -> bool:
    return bool(import_module(form.module).recognized(_argument(form, documents)))


def _read(form: Format, documents: Sequence[Document]) -> Source:
    source: Source = import_module(form.module).read(_argument(form, documents))
    return source
