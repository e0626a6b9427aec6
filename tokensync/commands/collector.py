"""Python's search for cycles among objects, held off while there are many and none of them is to go."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without_collector() -> Iterator[None]:
    """Hold off the search: a graph has no cycles, and looking cost 13 % of a build of 20,000 x 4 values (2.65 s to
    2.30 s of processor time, for 2 MB of 89), and half of a merge of 50,000 x 4. Fit to decorate a function, too.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
