"""Find what the platform would refuse in a plan, before anything is sent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from tokensync.plan.state import ObjectValue, targets_of
from tokensync.plan.validation.collections import (
    Intent,
    capacity_problems,
    default_mode_problems,
    extension_problems,
    fixed_problems,
    immutable_problems,
    quoted,
    repeated_collection_problems,
)
from tokensync.plan.validation.variables import is_whole, name_problems, scope_problems, size_problems, text_problems
from tokensync.system.wording import shortened
from tokensync.tokens import float32, normalized, shortest
from tokensync.tokens.algorithms import closure, ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref, StateValue
    from tokensync.system.problems import Problem

__all__ = ["RULES", "validate"]

_VALUE = "plan-value"
_KINDS: Final = {"BOOLEAN": "true or false", "FLOAT": "a number", "STRING": "a text", "COLOR": "a colour"}
_MOST_OPACITY = 100  # an opacity is a percentage


def literal_problems(intent: Intent) -> Iterator[Problem]:
    """Yield literals of another type than their variable, or that the platform cannot store."""
    for variable, mode, value in intent.new_values:
        words = _literal_problem(variable.type, value)
        if words is not None:
            yield intent.problem(_VALUE, variable.ref, mode, *words)


def _literal_problem(kind: str, value: StateValue) -> tuple[str, str] | None:
    """Return the problem with a value, and what to do about it."""
    match value:
        case ObjectValue(alias=str()):
            return None
        case bool():
            fits = kind == "BOOLEAN"
        case str():
            fits = kind == "STRING"
            if fits and not is_whole(value):
                return "the text contains half of a surrogate pair", "write the whole character"
        case float() | int():
            fits = kind == "FLOAT"
            if fits and (words := _number_problem(value)) is not None:
                return words
        case ObjectValue():
            fits = kind == "COLOR"
            if fits:
                return _color_problem(value) if value.color is None else _composed_problem(value)
    return None if fits else (f"the value is not {_KINDS[kind]}, but the variable is a {kind}", f"write {_KINDS[kind]}")


def _color_problem(value: ObjectValue) -> tuple[str, str] | None:
    channels = (value.r, value.g, value.b, value.a)
    if any(each is None or not 0 <= each <= 1 for each in channels):
        return "a channel of the colour is not between 0 and 1", "write a colour within sRGB"
    return None


def _composed_problem(value: ObjectValue) -> tuple[str, str] | None:
    color, opacity = value.color, value.opacity
    if opacity is None or color is None:
        return "a composed colour needs a colour and an opacity", "write both"
    if color.alias is None and not isinstance(opacity, ObjectValue):
        return "neither the colour nor the opacity of the composed colour is a reference", "write a plain colour"
    if color.alias is None and (words := _color_problem(color)) is not None:
        return words
    if not isinstance(opacity, ObjectValue) and not 0 <= opacity <= _MOST_OPACITY:
        return f"the opacity {opacity:g} of the composed colour is not between 0 and 100", "write a percentage"
    return None


def _number_problem(number: float) -> tuple[str, str] | None:
    """Return the problem with a number that the platform would store as another one."""
    try:
        single = float32(float(number))
    except OverflowError:
        single = math.inf
    if not math.isfinite(single):
        nearest = "at least -3.4e38" if number < 0 else "at most 3.4e38"
        return f"{number:g} does not fit into a 32-bit float, which the platform stores", f"write {nearest}"
    if normalized(float(number)) == single:
        return None
    text = shortest(single)
    return f"{number:.17g} would become {text}, since the platform stores 32-bit floats", f"write {text}"


_VALUE_ABSENT = "plan-value-absent"


def missing_value_problems(intent: Intent) -> Iterator[Problem]:
    """Yield missing values in modes of a variable's own collection, and values in modes that do not exist.

    Only overrides can be removed: a variable has a value in every mode of its own collection.
    """
    yield from _missing_values(intent)
    modes: dict[Ref, set[Ref]] = {}
    for each in intent.after.collections.values():
        modes.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    for variable, mode, _ in intent.new_values:
        if mode not in modes.get(variable.collection, (mode,)):
            what = f"it has a value in a mode that {intent.name_of(variable.collection)} does not have"
            yield intent.problem("plan-value", variable.ref, mode, what, "remove it")


def _missing_values(intent: Intent) -> Iterator[Problem]:
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if was is not None and was.values.keys() <= now.values.keys():
            continue
        collection = intent.after.collections.get(now.collection)
        if now.fixed or collection is None:
            continue
        for mode in collection.modes:
            if mode.ref in now.values:
                continue
            if was is None:
                what = f"it has no value in {quoted(mode.name)}"
                yield intent.problem(_VALUE_ABSENT, ref, None, what, "add one that a variable can hold")
            elif mode.ref in was.values:
                what = f"{quoted(now.name)} no longer has a value in this mode, which the platform cannot remove"
                to_do = "add the value, or remove the token"
                yield intent.problem(_VALUE_ABSENT, collection.ref, mode.ref, what, to_do)


_ALIAS = "plan-alias"


def alias_problems(intent: Intent) -> Iterator[Problem]:
    """Yield aliases to a missing or deleted variable, and to one of another type.

    Chains need not be followed: every alias in one is checked against its own variable's type.
    """
    checked: dict[tuple[Ref, str], tuple[str, str] | None] = {}
    for variable, mode, value in intent.new_values:
        if not isinstance(value, ObjectValue):
            continue
        for target, kind in _targets_and_types(value, variable.type):
            if (target, kind) not in checked:
                checked[target, kind] = _alias_problem(intent, target, kind)
            words = checked[target, kind]
            if words is not None:
                yield intent.problem(_ALIAS, variable.ref, mode, *words)


def _targets_and_types(value: ObjectValue, kind: str) -> Iterator[tuple[Ref, str]]:
    """Yield the refs that a value refers to, and the type required of each."""
    if value.alias is not None:
        yield value.alias, kind
    if value.color is not None and value.color.alias is not None:
        yield value.color.alias, "COLOR"
    if isinstance(value.opacity, ObjectValue) and value.opacity.alias is not None:
        yield value.opacity.alias, "FLOAT"


def _alias_problem(intent: Intent, target: Ref, kind: str) -> tuple[str, str] | None:
    found = intent.after.variables.get(target)
    name = intent.name_of(target)
    if found is None:
        if target in intent.before.variables:
            return f"it refers to {name}, which is deleted", f"refer to another token, or keep {name}"
        if target in intent.opaque:
            what = f"it refers to {name}, which is not a token: its type is {shortened(intent.opaque[target].type)}"
            return what, f"refer to a token that is a {kind}"
        return f"it refers to {name}, which is not in the file", "refer to a token of this file"
    if found.fixed and target not in intent.before.variables:
        # Only remote variables that are in use in the file can be alias targets.
        what = f"it refers to {name} of another file, which this file does not use yet"
        return what, "use it in the design file and pull, or refer to a token of this file"
    if found.type != kind:
        return f"it refers to {name}, a {found.type}, where a {kind} is required", f"refer to a {kind}"
    return None


_CYCLE = "plan-circle"
_SHOWN = 5  # variables of a cycle that a message names


def cycle_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new values that are part of an alias cycle in the state after the plan.

    An alias leads to a variable whose mode is chosen where the value is used, so a chain that returns through any
    combination of modes and overrides is a cycle.
    """
    aliasing = [each for each in intent.new_values if isinstance(each[2], ObjectValue)]
    if not aliasing:
        return
    edges: dict[Ref, tuple[Ref, ...]] = {}

    def edges_of(ref: Ref) -> tuple[Ref, ...]:
        if ref not in edges:
            edges[ref] = _targets(intent, ref)
        return edges[ref]

    rank = ranks(dict.fromkeys(variable.ref for variable, _, _ in aliasing), edges_of)
    if len({*rank.values()}) == len(rank) and not any(ref in ends for ref, ends in edges.items()):
        return  # each variable has a rank of its own, and none refers to itself
    cycles: dict[int, str] = {}  # found once each: a search for every value of a large cycle would be quadratic
    locations: set[str] = set()
    for variable, mode, value in aliasing:
        what = _cycle_problem(intent, edges, rank, cycles, variable.ref, value)
        if what is not None and (location := intent.where(variable.ref, mode)) not in locations:
            locations.add(location)  # modes that take their value from another one share its location
            yield intent.problem(_CYCLE, variable.ref, mode, what, "give it a value of its own")


def _cycle_problem(
    intent: Intent,
    edges: Mapping[Ref, Sequence[Ref]],
    rank: Mapping[Ref, int],
    cycles: dict[int, str],
    ref: Ref,
    value: StateValue,
) -> str | None:
    """Return the problem with a variable's value; ``cycles`` holds the cycles reported so far, by rank."""
    own = rank[ref]
    for target in targets_of(value):
        if target == ref:
            return "it refers to itself"
        if rank.get(target) == own:
            if own not in cycles:
                chain = [
                    ref,
                    *_shortest_chain(lambda each: (end for end in edges[each] if rank[end] == own), target, ref),
                ]
                named = [intent.name_of(each) for each in chain[:_SHOWN]] + ["…"] * (len(chain) > _SHOWN)
                cycles[own] = " > ".join(named)
            return f"its references form a cycle ({cycles[own]})"
    return None


def _targets(intent: Intent, ref: Ref) -> tuple[Ref, ...]:
    """Return the variables that a variable refers to in any mode."""
    variable = intent.after.variables.get(ref)
    if variable is None:
        opaque = intent.opaque.get(ref)
        return () if opaque is None else opaque.targets
    return tuple(dict.fromkeys(targets_of(*variable.values.values())))


def _shortest_chain(edges: Callable[[Ref], Iterable[Ref]], start: Ref, end: Ref) -> list[Ref]:
    """Return a shortest chain of aliases from one variable to another."""
    predecessors = closure([start], edges)
    chain = [end]
    while chain[-1] != start:
        chain.append(predecessors[chain[-1]])
    return chain[::-1]


RULES: Final = (
    name_problems,
    capacity_problems,
    default_mode_problems,
    repeated_collection_problems,
    extension_problems,
    immutable_problems,
    fixed_problems,
    missing_value_problems,
    literal_problems,
    alias_problems,
    cycle_problems,
    scope_problems,
    text_problems,
    size_problems,
)
"""All rules. Every rule runs, so that all problems are reported at once."""


def validate(
    before: FileState,
    after: FileState,
    operations: Sequence[Operation],
    where: Callable[[Ref, Ref | None], str],
    earlier: Sequence[FileState] = (),
) -> tuple[Problem, ...]:
    """Return a problem for each change that the platform would refuse, at the location that ``where`` returns.

    A problem is a warning where only the platform knows. ``operations`` are ``differences(before, after)``; only what
    they change is checked, so existing oddities are no problems. ``earlier`` are states that the platform has held:
    it accepts their scopes, platforms and names again. Text in a shared font of an organization, which the platform
    refuses, cannot be detected.
    """
    intent = Intent(before, after, operations, where, earlier)
    return tuple(problem for rule in RULES for problem in rule(intent))
