"""What the things of a graph go by in an atlas."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.tokens import TokenKey
    from tokensync.tokens.collection import FamilyKey


class Names(NamedTuple):
    """The identity of each thing of one graph, keyed by what the graph calls it.

    ``extensions`` is keyed by (family, handle); ``modes`` holds an identity for each of a family's modes, in order.
    """

    families: Mapping[FamilyKey, FamilyKey]
    extensions: Mapping[tuple[FamilyKey, str], str]
    modes: Mapping[FamilyKey, tuple[str, ...]]
    tokens: Mapping[TokenKey, TokenKey]
