"""One element of a POST's arrays, and how its members are read: a member of the wrong kind is 400 and says where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator.endpoints.refusal import Refusal, invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"
ACTIONS: Final = (CREATE, UPDATE, DELETE)


class Change(NamedTuple):
    """``place`` is where it stands in the body, such as ``variables[3]``. Members it does not ask for are ignored."""

    place: str
    members: dict[str, Any]

    def refusal(self, member: str, why: str) -> Refusal:
        """400 with the place of a member and what is wrong with it."""
        return invalid(f"{self.place}.{member}: {why}")

    def action(self) -> str:
        """CREATE, UPDATE or DELETE."""
        action = self.required_text("action")
        if action not in ACTIONS:
            raise self.refusal("action", f"must be one of {', '.join(ACTIONS)}")
        return action

    def text(self, member: str) -> str | None:
        """Return a string; None when the member is absent."""
        if member not in self.members:
            return None
        value = self.members[member]
        if not isinstance(value, str):
            raise self.refusal(member, "must be a string")
        return value

    def required_text(self, member: str) -> str:
        """Return a string of at least one character."""
        value = self.text(member)
        if not value:
            raise self.refusal(member, "is required" if value is None else "must not be empty")
        return value

    def flag(self, member: str) -> bool | None:
        """Return a boolean; None when the member is absent."""
        value = self.members.get(member)
        if member in self.members and not isinstance(value, bool):
            raise self.refusal(member, "must be a boolean")
        return value

    def only_on_create(self, *members: str) -> None:
        """Refuse members that mean something in a CREATE alone."""
        for member in members:
            if member in self.members:
                raise self.refusal(member, "can only be set when the action is CREATE")


def changes(body: dict[str, Any], array: str) -> Iterator[Change]:
    """Yield the elements of one of the body's arrays; none when it is absent."""
    elements = body.get(array, [])
    if not isinstance(elements, list):
        raise invalid(f"{array}: must be an array")
    for index, element in enumerate(elements):
        place = f"{array}[{index}]"
        if not isinstance(element, dict):
            raise invalid(f"{place}: must be an object")
        yield Change(place, element)
