"""Check what the platform would refuse of values: literals, missing values, aliases, and alias cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.plan.state import ObjectValue, targets_of
from tokensync.plan.validation.collections import shown
from tokensync.plan.validation.variables import is_whole
from tokensync.tokens import float32
from tokensync.tokens.algorithms import closure, ranks
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.state import Ref, StateValue
    from tokensync.plan.validation.collections import Intent
    from tokensync.problems import Problem


_VALUE = "plan-value"
_KINDS: Final = {"BOOLEAN": "true or false", "FLOAT": "a number", "STRING": "a text", "COLOR": "a colour"}
_MOST_OPACITY = 100  # an opacity is a percentage


def literal_faults(intent: Intent) -> Iterator[Problem]:
    """Yield literals that do not fit their variable's type, or that the platform cannot store."""
    for variable, mode, value in intent.written:
        fault = _literal_fault(variable.type, value)
        if fault is not None:
            yield intent.fault(_VALUE, variable.ref, mode, *fault)


def _literal_fault(kind: str, value: StateValue) -> tuple[str, str] | None:
    """Return what is wrong with a value, and what to do."""
    match value:
        case ObjectValue(alias=str()):
            return None
        case bool():
            fits = kind == "BOOLEAN"
        case str():
            fits = kind == "STRING"
            if fits and not is_whole(value):
                return "the text holds half of a surrogate pair, which is no character", "write the whole character"
        case float() | int():
            fits = kind == "FLOAT"
            if fits and not _is_single(value):
                return "the number is beyond what the platform keeps, 32-bit floats", "write one up to 3.4e38"
        case ObjectValue():
            fits = kind == "COLOR"
            if fits:
                return _color_fault(value) if value.color is None else _composed_fault(value)
    return None if fits else (f"the value is not {_KINDS[kind]}, and the variable is a {kind}", "write one of its type")


def _color_fault(value: ObjectValue) -> tuple[str, str] | None:
    channels = (value.r, value.g, value.b, value.a)
    if any(each is None or not 0 <= each <= 1 for each in channels):
        return "a channel of the colour is not from 0 to 1", "write a colour of sRGB"
    return None


def _composed_fault(value: ObjectValue) -> tuple[str, str] | None:
    color, opacity = value.color, value.opacity
    if opacity is None or color is None:
        return "a composed colour has a colour and an opacity", "write both"
    if color.alias is None and not isinstance(opacity, ObjectValue):
        return "neither the colour nor the opacity of a composed colour is a reference", "write a plain colour"
    if color.alias is None and (fault := _color_fault(color)) is not None:
        return fault
    if not isinstance(opacity, ObjectValue) and not 0 <= opacity <= _MOST_OPACITY:
        return "the opacity of a composed colour is not from 0 to 100", "write a percentage"
    return None


def _is_single(number: float) -> bool:
    try:
        single = float32(float(number))
    except OverflowError:
        return False
    return single - single == 0  # neither infinite nor no number


_VALUE_ABSENT = "plan-value-absent"


def gap_faults(intent: Intent) -> Iterator[Problem]:
    """Yield missing values in modes of a variable's own collection, and values in modes that the family lacks.

    Only an override can be removed: a variable has a value in every mode of its own collection.
    """
    yield from _gaps(intent)
    modes: dict[Ref, set[Ref]] = {}
    for each in intent.after.collections.values():
        modes.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    for variable, mode, _ in intent.written:
        if mode not in modes.get(variable.collection, ()) and variable.collection in modes:
            what = f"it has a value in a mode that {intent.called(variable.collection)} does not have"
            yield intent.fault("plan-value", variable.ref, mode, what, "remove it")


def _gaps(intent: Intent) -> Iterator[Problem]:
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
                what = f"it has no value in {shown(mode.name)}"
                yield intent.fault(_VALUE_ABSENT, ref, None, what, "give it one that a variable can hold")
            elif mode.ref in was.values:
                what = f"it has no value in {shown(mode.name)} any more, and the platform cannot take it away"
                yield intent.fault(_VALUE_ABSENT, ref, None, what, "give it one there, or remove the token")


_ALIAS = "plan-alias"


def alias_faults(intent: Intent) -> Iterator[Problem]:
    """Yield aliases to what is not in the file, to what the plan deletes, and to another type.

    The types of a chain need no following: a variable has one type, and its own aliases are held to it.
    """
    known: dict[tuple[Ref, str], tuple[str, str] | None] = {}
    for variable, mode, value in intent.written:
        if not isinstance(value, ObjectValue):
            continue
        for target, kind in _targets_and_types(value, variable.type):
            if (target, kind) not in known:
                known[target, kind] = _alias_fault(intent, target, kind)
            fault = known[target, kind]
            if fault is not None:
                yield intent.fault(_ALIAS, variable.ref, mode, *fault)


def _targets_and_types(value: ObjectValue, kind: str) -> Iterator[tuple[Ref, str]]:
    """Yield the refs that a value refers to, and the type that each has to have."""
    if value.alias is not None:
        yield value.alias, kind
    if value.color is not None and value.color.alias is not None:
        yield value.color.alias, "COLOR"
    if isinstance(value.opacity, ObjectValue) and value.opacity.alias is not None:
        yield value.opacity.alias, "FLOAT"


def _alias_fault(intent: Intent, target: Ref, kind: str) -> tuple[str, str] | None:
    found = intent.after.variables.get(target)
    name = intent.called(target)
    if found is None:
        if target in intent.before.variables:
            return f"it refers to {name}, which is deleted", "refer to something else, or keep that token"
        if target in intent.opaque:
            what = f"it refers to {name}, which is no token: its type is {shortened(intent.opaque[target].type)}"
            return what, f"refer to a token that is a {kind}"
        return f"it refers to {name}, which is not in the file", "refer to a token of this file"
    if found.fixed and target not in intent.before.variables:
        # Only remote variables that are in use in the file can be alias targets.
        what = f"it refers to {name} of another file, which this file does not use yet"
        return what, "use it once in the design file and pull, or refer to a token of this file"
    if found.type != kind:
        return f"it refers to {name}, which is a {found.type}, where a {kind} is needed", "refer to one of that type"
    return None


_CYCLE = "plan-circle"
_SHOWN = 5  # variables of a cycle that a message names


def cycle_faults(intent: Intent) -> Iterator[Problem]:
    """Yield written values that lie on a cycle; one that was there before and is left alone is no fault.

    An alias leads to a variable, whose mode is chosen where the value is used: so a chain that comes back in any
    mixture of modes and overrides is a cycle, in the state that a plan leads to.
    """
    aliasing = [each for each in intent.written if isinstance(each.value, ObjectValue)]
    if not aliasing:
        return
    edges: dict[Ref, tuple[Ref, ...]] = {}

    def ends(ref: Ref) -> tuple[Ref, ...]:
        if ref not in edges:
            edges[ref] = _targets(intent, ref)
        return edges[ref]

    rank = ranks(dict.fromkeys(each.variable.ref for each in aliasing), ends)
    ways: dict[int, str] = {}  # to find the way anew for each value of a large cycle would cost its square
    places: set[str] = set()
    for variable, mode, value in aliasing:
        what = _cycle_fault(intent, edges, rank, ways, variable.ref, value)
        if what is not None and (place := intent.where(variable.ref, mode)) not in places:
            places.add(place)  # modes that take their value from another one have its place
            yield intent.fault(_CYCLE, variable.ref, mode, what, "give it a value of its own")


def _cycle_fault(
    intent: Intent,
    edges: Mapping[Ref, Sequence[Ref]],
    rank: Mapping[Ref, int],
    ways: dict[int, str],
    ref: Ref,
    value: StateValue,
) -> str | None:
    """Return what is wrong with a variable's value; ``ways`` are the cycles reported so far, by rank."""
    own = rank[ref]
    for target in targets_of(value):
        if target == ref:
            return "it refers to itself"
        if rank.get(target) == own:
            if own not in ways:
                way = [ref, *_chain(lambda each: (end for end in edges[each] if rank[end] == own), target, ref)]
                named = [intent.called(each) for each in way[:_SHOWN]] + ["…"] * (len(way) > _SHOWN)
                ways[own] = " > ".join(named)
            return f"its references come back to it ({ways[own]})"
    return None


def _targets(intent: Intent, ref: Ref) -> tuple[Ref, ...]:
    """Return what a variable refers to in any mode, each once."""
    variable = intent.after.variables.get(ref)
    if variable is None:
        opaque = intent.opaque.get(ref)
        return () if opaque is None else opaque.targets
    return tuple(dict.fromkeys(targets_of(*variable.values.values())))


def _chain(edges: Callable[[Ref], Iterable[Ref]], start: Ref, end: Ref) -> list[Ref]:
    """Return a shortest chain of aliases from one variable to another."""
    found_through = closure([start], edges)
    way = [end]
    while way[-1] != start:
        way.append(found_through[way[-1]])
    return way[::-1]
