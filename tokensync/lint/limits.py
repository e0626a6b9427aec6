"""Collections that are about to reach a limit of the platform."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tokensync.system.wording import counted
from tokensync.tokens import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, TokenKey
from tokensync.tokens.composites import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem

_SHARE = 0.9
"""The part of a limit that is reported."""


def limits(subject: Subject) -> Iterator[Problem]:
    """Yield the local collections with more than 90 % of the modes or variables that the platform allows."""
    table = subject.graph.table
    rows = zip(table.families, table.types, table.origins, strict=True)
    # The parts of an assembled token are variables, and the token is none.
    sizes = Counter(family for family, type_, origin in rows if type_ not in TYPES and origin in ("local", "withheld"))
    for family, collection in subject.graph.collections.items():
        if collection.origin != "local":
            continue
        modes = sum(mode.parent is None for mode in collection.modes)
        counts = (
            (modes, MODES_PER_COLLECTION, "mode"),
            (sizes[family] + len(collection.opaque), VARIABLES_PER_COLLECTION, "variable"),
        )
        for count, limit, noun in counts:
            if count > limit * _SHARE:
                left = f"{limit - count:,} more" if count < limit else "no more"
                context = collection.modes[collection.default_mode].context
                what = f"{collection.handle} has {counted(count, noun)}, and Figma allows {left}"
                to_do = "split the collection before it is full"
                yield subject.problem("limit-near", TokenKey(*family, ""), what, to_do, context=context)
