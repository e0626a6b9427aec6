"""Token files: DTCG 2025.10 and its resolver document, to and from a ``TokenGraph``.

In: the texts of a folder, or a graph. Out: a graph with problems (``reading``: ``document``, ``assembly``,
``families``), or texts (``writing``; ``preservation`` keeps what people wrote). ``folder`` does both for the files of a
design file. Begin with ``folder.read_folder`` and ``folder.outputs_of``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokensync.dtcg.folder import (
        Outputs,
        Reading,
        changed_files,
        finish_writing,
        foreign_files,
        half_written,
        outputs_of,
        present_files,
        read_folder,
        refuse_foreign,
        strays_in,
        unlisted_in,
        write_edited_colors,
        write_folder,
    )
    from tokensync.dtcg.formatting import format_bytes
    from tokensync.dtcg.preservation import Previous
    from tokensync.dtcg.reading import read
    from tokensync.dtcg.strays import near_files, strays_beside, strays_elsewhere
    from tokensync.dtcg.writing import OutputText, write

__all__ = [
    "OutputText",
    "Outputs",
    "Previous",
    "Reading",
    "changed_files",
    "finish_writing",
    "foreign_files",
    "format_bytes",
    "half_written",
    "near_files",
    "outputs_of",
    "present_files",
    "read",
    "read_folder",
    "refuse_foreign",
    "strays_beside",
    "strays_elsewhere",
    "strays_in",
    "unlisted_in",
    "write",
    "write_edited_colors",
    "write_folder",
]


def __getattr__(name: str) -> object:
    """Return what the package offers, from its module: a hook that reads the colours of code needs none of it."""
    for module in ("folder", "formatting", "preservation", "reading", "strays", "writing") if name in __all__ else ():
        if hasattr(found := import_module(f"{__name__}.{module}"), name):
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
