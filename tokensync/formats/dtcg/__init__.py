"""DTCG 2025.10 token files and their resolver document."""

from __future__ import annotations

from tokensync.formats.dtcg.reading import read
from tokensync.formats.dtcg.writing import OutputText, write

__all__ = ["OutputText", "read", "write"]
