"""Aliases in modes that go: they count until the modes are gone, and can close a circle with what a plan makes.

Whether aliases form a cycle is asked of variables, whatever the modes (4.3 rule 8 as the emulator has it), and after
each change. Deletions come last. So where an alias that goes with its mode would be part of a circle meanwhile, the
variable gets another value there: the one that it has in a mode that stays, or the parent's in an extension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.batches.alias_order import alias_order
from tokensync.plan.state import ObjectValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.batches.aim import Aim
    from tokensync.plan.state import Ref, StateValue, VariableState


def bridges(aim: Aim) -> dict[Ref, list[tuple[Ref, StateValue | None, int]]]:
    """Variable -> (mode, value for the meantime, index of the deletion) for each such alias."""
    found: dict[Ref, list[tuple[Ref, StateValue | None, int]]] = {}
    aliases = list(_aliases_that_go(aim))
    if not aliases:
        return found
    going: dict[Ref, list[Ref]] = {}
    for variable, _, targets in aliases:
        going.setdefault(variable.ref, []).extend(targets)

    def meanwhile(ref: Ref) -> Iterator[Ref]:
        """What a variable refers to at any time."""
        yield from aim.final_targets(ref)
        yield from going.get(ref, ())
        variable = aim.before.variables.get(ref)
        if variable is not None and not aim.survives(ref):
            yield from _targets(variable)

    number = alias_order(going, meanwhile)
    for variable, mode, targets in aliases:
        lasting = set(aim.final_targets(variable.ref))
        if any(number[target] == number[variable.ref] and target not in lasting for target in targets):
            deletion = aim.gone_modes[variable.collection, mode]
            found.setdefault(variable.ref, []).append((mode, _value_that_stays(aim, variable, mode), deletion))
    return found


def _aliases_that_go(aim: Aim) -> Iterator[tuple[VariableState, Ref, list[Ref]]]:
    """Of variables that stay: (variable, mode that goes, what it refers to there)."""
    roots = {root for root, _ in aim.gone_modes}
    if not roots:
        return
    for ref, variable in aim.before.variables.items():
        if variable.collection in roots and aim.survives(ref):
            for mode, value in variable.values.items():
                if isinstance(value, ObjectValue) and (variable.collection, mode) in aim.gone_modes:
                    yield variable, mode, list(value.targets())


def _targets(variable: VariableState) -> Iterator[Ref]:
    for value in variable.values.values():
        if isinstance(value, ObjectValue):
            yield from value.targets()


def _value_that_stays(aim: Aim, variable: VariableState, mode: Ref) -> StateValue | None:
    root = aim.before.collections[variable.collection]
    own = [each.ref for each in root.modes]
    if mode not in own:
        return None
    given = aim.values.get(variable.ref, {})
    staying = (each for each in (root.default, *own) if (root.ref, each) not in aim.gone_modes)
    kept = next(staying, None)
    if kept is None:  # every mode is replaced: the first of the new ones stays
        kept = next(iter(aim.new_modes[root.ref]))
        return given[kept].value if kept in given else variable.values[root.default]
    return given[kept].value if kept in given else variable.values[kept]
