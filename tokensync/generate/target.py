"""A target's descriptor: all that the rest of the code may know of a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from msgspec import Struct

    from tokensync.generate.request import OutputFile, OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.naming import NamingRules
    from tokensync.problems import Problem

    Render = Callable[[Resolution, OutputRequest], tuple[Iterable[OutputFile], list[Problem]]]


class Target(NamedTuple):
    """A target's descriptor.

    ``options`` is the struct of ``[outputs.options]``. ``naming`` are the target's own rules for names, None where it
    takes the names of ``names_of``, or of whichever targets its options name. ``render`` gives the files of one output
    and what is odd about them.
    """

    name: str
    options: type[Struct]
    render: Render
    naming: NamingRules | None = None
    names_of: str = ""
