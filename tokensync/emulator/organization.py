"""The one organization of an emulator: its plan, and whether it has Governance+."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator import people, store
from tokensync.emulator.endpoints import Refusal

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.store import Store


_PLAN: Final = "organization plan"
_GOVERNANCE: Final = "organization governance"


class Organization:
    """Changes the organization, which starts on the Enterprise plan with Governance+."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set_plan(self, plan: str) -> None:
        """The plan of the organization itself: starter, professional, organization or enterprise."""
        people.check("organization", plan)
        self._set(_PLAN, plan)

    def set_governance(self, governance: bool) -> None:
        """Whether the organization has the add-on Governance+."""
        self._set(_GOVERNANCE, "yes" if governance else "no")

    def _set(self, name: str, value: str) -> None:
        with self._store.writing() as connection:
            store.keep(connection, name, value)


def check(call: Call, *, governance: bool = False) -> None:
    """Refuse what needs an Enterprise organization, or one with Governance+ besides."""
    enterprise = store.value_of(call.connection, _PLAN) in (None, people.ENTERPRISE)
    if not enterprise or (governance and store.value_of(call.connection, _GOVERNANCE) == "no"):
        raise Refusal(403, "Limited by Figma plan")
