"""The contract as rows: request, status, body and message; and which sentence of the specification each cites."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest
from emulator import contract
from emulator.contract.rows import Row, hold

GROUPS = {
    found.name: import_module(f"emulator.contract.{found.name}") for found in pkgutil.iter_modules(contract.__path__)
}
ROWS: tuple[Row, ...] = tuple(row for group in GROUPS.values() for row in getattr(group, "ROWS", ()))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row(row):
    hold(row)
