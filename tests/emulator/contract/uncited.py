"""Sentences that no row cites, each with the reason; test_contract.py holds that the list is exact."""

from __future__ import annotations

from typing import Final

UNCITED: Final[dict[str, str]] = {}
