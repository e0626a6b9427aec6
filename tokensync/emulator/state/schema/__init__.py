"""The tables of the state, one module a part of the platform, and the number that tells one layout from another."""

from __future__ import annotations

import zlib
from typing import Final

from tokensync.emulator.state.schema import (
    accounts,
    analytics,
    dev_resources,
    documents,
    files,
    libraries,
    oauth,
    records,
    sharing,
    variables,
    webhooks,
)

_PARTS: Final = (
    accounts,
    analytics,
    dev_resources,
    documents,
    files,
    libraries,
    oauth,
    records,
    sharing,
    variables,
    webhooks,
)

STATEMENTS: Final = tuple(statement for part in _PARTS for statement in part.TABLES.strip().rstrip(";").split(";\n"))

VERSION: Final = zlib.crc32("\n".join(STATEMENTS).encode()) & 0x7FFFFFFF
"""Of SQLite's ``user_version``: a state of any other layout is refused, so nobody has to count versions."""
