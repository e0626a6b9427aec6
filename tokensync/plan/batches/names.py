"""Names that are taken over, swapped or rotated: in which order, and through which names in between (4.3 rule 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.mapping import unique

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.plan.state import Ref


class Renaming(NamedTuple):
    """One step: a variable gets a name, its last one or (``between``) one for the meantime."""

    ref: Ref
    name: str
    between: bool = False


def renamings(
    held: Mapping[Ref, str], wanted: Mapping[Ref, str], made: Iterable[str], going: Iterable[Ref]
) -> list[tuple[Renaming, ...]]:
    """The renamings of one collection that have to come in an order, in it; those of a circle of names together.

    ``held`` are the names that variables have, ``wanted`` the new ones of those that are renamed, ``made`` the names of
    new variables. Of ``going`` variables, which are there till the end, those whose names are wanted get others. What
    is not in the answer can be renamed at any time.
    """
    names = _Names(held, wanted, made)
    groups: list[tuple[Renaming, ...]] = [(step,) for ref in going if (step := names.out_of_the_way(ref)) is not None]
    pending = {name: ref for ref, name in wanted.items() if names.depends(ref)}
    for name in [*pending]:
        groups += [(step,) for step in names.carried_out(pending, name)]
    while pending:  # circles are left, and what waits for them
        ref = next(iter(pending.values()))
        steps = [names.set_aside(ref)]
        steps += names.carried_out(pending, held[ref])
        if wanted[ref] in pending:  # a name that somebody else keeps: the platform has the last word
            steps += names.carried_out(pending, wanted[ref], at_once=True)
        groups.append(tuple(steps))
    return groups


class _Names:
    """How many variables have each name, as the steps are carried out."""

    def __init__(self, held: Mapping[Ref, str], wanted: Mapping[Ref, str], made: Iterable[str]) -> None:
        self._held = dict(held)
        self._wanted = wanted
        self._count: dict[str, int] = {}
        for name in held.values():
            self._count[name] = self._count.get(name, 0) + 1
        self._sought = {*wanted.values(), *made}
        self._had = set(self._count)
        self._taken = self._had | self._sought

    def depends(self, ref: Ref) -> bool:
        """Whether a renaming waits for another one, or lets something else have its name."""
        return self._wanted[ref] in self._had or self._held[ref] in self._sought

    def out_of_the_way(self, ref: Ref) -> Renaming | None:
        """A variable that goes gives its name up, if something is going to have it."""
        return self.set_aside(ref) if self._held[ref] in self._sought else None

    def set_aside(self, ref: Ref) -> Renaming:
        """A name for the meantime, which nothing has had or is going to have."""
        name = self._held[ref].translate(_NOT_IN_NAMES) + " (replaced)"
        return self._step(Renaming(ref, unique(name, self._taken), between=True))

    def carried_out(self, pending: dict[str, Ref], name: str, *, at_once: bool = False) -> Iterable[Renaming]:
        """The renaming to a name, if the name is free, and then those that it makes possible."""
        while name in pending and (at_once or not self._count.get(name)):
            ref = pending.pop(name)
            left = self._held[ref]
            yield self._step(Renaming(ref, name))
            name, at_once = left, False

    def _step(self, step: Renaming) -> Renaming:
        self._count[self._held[step.ref]] -= 1
        self._held[step.ref] = step.name
        self._count[step.name] = self._count.get(step.name, 0) + 1
        return step


_NOT_IN_NAMES = str.maketrans(dict.fromkeys(".{}", "-"))
