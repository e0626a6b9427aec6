"""The one organization of an emulator: its plan, and whether it has Governance+ (platform-api.md 4.7b to 4.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.endpoints.refusal import Refusal
from tokensync.emulator.filing import files
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.state.store import Store

_PLAN: Final = "organization plan"
_GOVERNANCE: Final = "organization governance"


class Organization:
    """Changes the organization, which starts on the Enterprise plan with Governance+."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set_plan(self, plan: str) -> None:
        """The plan of the organization itself: starter, professional, organization or enterprise."""
        if plan not in files.PLANS:
            raise UsageError(f"organization: no plan {plan!r}; use one of {', '.join(files.PLANS)}")
        self._set(_PLAN, plan)

    def set_governance(self, governance: bool) -> None:
        """Whether the organization has the add-on Governance+."""
        self._set(_GOVERNANCE, "yes" if governance else "no")

    def _set(self, name: str, value: str) -> None:
        with self._store.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


def check(call: Call, *, governance: bool = False) -> None:
    """Refuse what needs an Enterprise organization, or one with Governance+ besides."""
    enterprise = _setting(call.connection, _PLAN, files.PLAN_WITH_VARIABLES) == files.PLAN_WITH_VARIABLES
    if not enterprise or (governance and _setting(call.connection, _GOVERNANCE, "yes") != "yes"):
        raise Refusal(403, "Limited by Figma plan")


def _setting(connection: sqlite3.Connection, name: str, default: str) -> str:
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return default if row is None else str(row[0])
