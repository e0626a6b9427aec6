"""What is asked of a generator, and what it gives back."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from tokensync.tokens import Theme


class Selection(Struct, frozen=True):
    """Globs (``*`` crosses ``/``) that pick tokens by collection (handle or name) and by name (``a/b/c``), and themes.

    What is empty has no say.
    """

    collections: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


class OutputRequest(Struct, frozen=True, kw_only=True):
    """One output. ``files`` names the design files to declare (all when empty); ``templates`` is the user's folder.

    ``themes`` are the configured ones; without them they are inferred from the collections' modes.
    """

    platform: str
    files: tuple[str, ...] = ()
    include: Selection = Selection()
    exclude: Selection = Selection()
    include_hidden: bool = True
    only_published: bool = False
    themes: tuple[Theme, ...] = ()
    templates: str | None = None


class OutputFile(NamedTuple):
    """A file's path below the output's own folder, with ``/``, and its whole content."""

    path: str
    content: bytes
