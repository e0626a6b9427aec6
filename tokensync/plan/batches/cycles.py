"""Aliases in modes that a plan deletes: they count until then, and can close a cycle with what the plan makes.

Whether aliases form a cycle is asked of variables, whatever the modes (4.3 rule 8 as the emulator has it), and after
each change, while deletions come last. So a mode of a root collection that would be part of a cycle meanwhile goes
before values change. Of an extension that goes, the overrides in question are taken away first. Where a collection has
no mode left without those that go, the variable has its new mode's value in the old one, too, until that goes. All
other aliases in such modes stay meanwhile, and the order in which values are given has to reckon with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.operations import DeleteMode
from tokensync.plan.state import ObjectValue, targets_of
from tokensync.tokens.algorithms import ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.plan.batches.aim import Aim
    from tokensync.plan.state import Ref, StateValue, VariableState


class _Alias(NamedTuple):
    """What a variable refers to in a mode that goes."""

    variable: VariableState
    mode: Ref
    targets: list[Ref]


class Bridge(NamedTuple):
    """The value of a variable in a mode until a deletion, whose operation's index this is, takes the mode away."""

    mode: Ref
    value: StateValue | None
    deletion: int


class CycleBreaks(NamedTuple):
    """What keeps cycles from being closed: deletions of modes that come first, and bridges by their variables.

    ``meanwhile`` is what variables refer to until a deletion, besides what they refer to at the end.
    """

    modes: dict[int, DeleteMode]
    bridges: dict[Ref, list[Bridge]]
    meanwhile: dict[Ref, list[Ref]]


def cycle_breaks(aim: Aim) -> CycleBreaks:
    """Return what has to be done about aliases in modes that the plan deletes."""
    aliases = list(_aliases_that_go(aim))
    if not aliases:
        return CycleBreaks({}, {}, {})
    gone = _aliases_of_what_goes(aim)
    going = _together(gone, aliases)
    rank = ranks(going, lambda ref: (*aim.final_targets(ref), *going.get(ref, ())))
    staying: list[_Alias] = []
    found = CycleBreaks({}, {}, gone)
    for alias in aliases:
        variable, mode, targets = alias
        lasting = set(aim.final_targets(variable.ref))
        if all(rank[target] != rank[variable.ref] or target in lasting for target in targets):
            staying.append(alias)
        else:
            index = aim.gone_modes[variable.collection, mode]
            deletion = aim.operations[index]
            if isinstance(deletion, DeleteMode) and _has_others(aim, variable.collection):
                found.modes[index] = deletion
            else:
                bridge = Bridge(mode, _value_to_come(aim, variable, mode), index)
                found.bridges.setdefault(variable.ref, []).append(bridge)
    return found._replace(meanwhile=_together(gone, staying))


def _together(gone: dict[Ref, list[Ref]], aliases: Iterable[_Alias]) -> dict[Ref, list[Ref]]:
    found = {**gone}  # one of them goes, the other stays: nothing is in both
    for variable, _, targets in aliases:
        found.setdefault(variable.ref, []).extend(targets)
    return found


def _aliases_of_what_goes(aim: Aim) -> dict[Ref, list[Ref]]:
    """What variables that go refer to, until they do."""
    gone = (variable for ref, variable in aim.before.variables.items() if not aim.survives(ref))
    return {variable.ref: list(targets_of(*variable.values.values())) for variable in gone}


def _aliases_that_go(aim: Aim) -> Iterator[_Alias]:
    """Those of variables that stay."""
    roots = {root for root, _ in aim.gone_modes}
    if not roots:
        return
    for ref, variable in aim.before.variables.items():
        if variable.collection in roots and aim.survives(ref):
            for mode, value in variable.values.items():
                if isinstance(value, ObjectValue) and (variable.collection, mode) in aim.gone_modes:
                    yield _Alias(variable, mode, list(value.targets()))


def _has_others(aim: Aim, root: Ref) -> bool:
    """Whether a collection has a mode that stays."""
    return any((root, mode.ref) not in aim.gone_modes for mode in aim.before.collections[root].modes)


def _value_to_come(aim: Aim, variable: VariableState, mode: Ref) -> StateValue | None:
    """For a root's mode the value in the first of those that replace it, for an extension's that of its parent."""
    root = aim.before.collections[variable.collection]
    if all(each.ref != mode for each in root.modes):
        return None
    new = next(iter(aim.new_modes[root.ref]))
    given = aim.values.get(variable.ref, {})
    return given[new].value if new in given else variable.values[root.default]
