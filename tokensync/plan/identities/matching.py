"""Matching in passes: a surer sign is tried on everything before a weaker one is tried on anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable

Thing = TypeVar("Thing")
Key = TypeVar("Key", bound="Hashable")
Identity = TypeVar("Identity", bound="Hashable")


def in_passes(
    things: Iterable[Thing],
    passes: Iterable[Callable[[Thing], Identity | None]],
    taken: dict[Identity, Thing],
    found: Callable[[Thing, Identity], None],
) -> list[Thing]:
    """Give each thing the identity that the first pass finds for it; no two get the same. Returns those left over."""
    waiting = list(things)
    for find in passes:
        left: list[Thing] = []
        for thing in waiting:
            identity = find(thing)
            if identity is None or identity in taken:
                left.append(thing)
            else:
                taken[identity] = thing
                found(thing, identity)
        waiting = left
        if not waiting:
            break
    return waiting


class Index(Generic[Key, Identity]):
    """What goes by a key that may not be unique: then it names nothing."""

    def __init__(self) -> None:
        self._known: dict[Key, Identity | None] = {}

    def add(self, key: Key, value: Identity) -> None:
        """Note a value under the key. The same one may be noted again."""
        if key and self._known.setdefault(key, value) != value:
            self._known[key] = None

    def get(self, key: Key) -> Identity | None:
        """The one value of the key, if there is just one."""
        return self._known.get(key)


class Named(Generic[Key, Identity]):
    """What goes by a name that several may have: it names the one of them that nothing else is."""

    def __init__(self) -> None:
        self._known: dict[Key, set[Identity]] = {}

    def add(self, name: Key, identity: Identity) -> None:
        """Note what goes by the name."""
        self._known.setdefault(name, set()).add(identity)

    def free(self, name: Key, taken: Container[Identity]) -> Identity | None:
        """What goes by the name and is not taken, if there is just one."""
        left = [each for each in self._known.get(name, ()) if each not in taken]
        return left[0] if len(left) == 1 else None
