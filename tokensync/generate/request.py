"""What is asked of a generator, and what it gives back."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from msgspec import Struct

from tokensync.settings import NamingConfig, Unsupported
from tokensync.tokens import Theme

Options = TypeVar("Options", bound=Struct)


class Selection(Struct, frozen=True):
    """Globs (``*`` crosses ``/``) that pick tokens by collection (handle or name) and by name (``a/b/c``), and themes.

    What is empty has no say.
    """

    collections: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


class OutputRequest(Struct, frozen=True, kw_only=True):
    """One output. ``files`` names the design files to declare (all when empty); ``templates`` is the user's folder.

    ``themes`` are the configured ones; without them they are inferred from the collections' modes. ``options`` is the
    struct of the target's options; None means its defaults.
    """

    platform: str
    files: tuple[str, ...] = ()
    include: Selection = Selection()
    exclude: Selection = Selection()
    include_hidden: bool = True
    only_published: bool = False
    themes: tuple[Theme, ...] = ()
    templates: str | None = None
    naming: NamingConfig = NamingConfig()
    unsupported: Unsupported = "warn"
    options: Struct | None = None


def options_of(request: OutputRequest, type_: type[Options]) -> Options:
    """The request's options, or the defaults. Raises TypeError for another platform's."""
    if request.options is None:
        return type_()
    if not isinstance(request.options, type_):
        raise TypeError(f"{type(request.options).__name__} are no options of {request.platform}")
    return request.options


class OutputFile(NamedTuple):
    """A file's path below the output's own folder, with ``/``, and its whole content."""

    path: str
    content: bytes
