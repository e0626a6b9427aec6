"""The emulator's organization: its plan and its Governance+ add-on."""

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
    """The settings of the organization, which starts on the Enterprise plan with Governance+."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set_plan(self, plan: str) -> None:
        """Set the organization's plan: starter, professional, organization or enterprise."""
        people.check_plan("organization", plan)
        self._set(_PLAN, plan)

    def set_governance(self, governance: bool) -> None:
        """Set whether the organization has the Governance+ add-on."""
        self._set(_GOVERNANCE, "yes" if governance else "no")

    def _set(self, name: str, value: str) -> None:
        with self._store.writing() as connection:
            store.set_value(connection, name, value)


def check(call: Call, *, governance: bool = False) -> None:
    """Refuse the call unless the organization is on the Enterprise plan, and with ``governance`` has Governance+."""
    enterprise = store.value_of(call.connection, _PLAN) in (None, people.ENTERPRISE)
    if not enterprise or (governance and store.value_of(call.connection, _GOVERNANCE) == "no"):
        raise Refusal(403, "Limited by Figma plan")
