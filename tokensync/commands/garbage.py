"""Python's garbage collection, disabled while many long-lived objects are allocated."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable garbage collection in a block, or in the calls of a decorated function.

    A graph has no reference cycles. Searching for them took 13 % of a build of 20,000 x 4 values and half of a merge of
    50,000 x 4, and freed 2 of 89 MB.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
