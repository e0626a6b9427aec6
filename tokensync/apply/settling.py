"""What became of a request whose answer was lost: the platform is read until that is certain.

A batch is atomic, so it is there with all its effects or with none. It may still be on its way when the platform is
read for the first time: that none of it is there yet proves something only once the platform is not going to take it up
any more, or when the platform itself would refuse it a second time (``Batch.guarded``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.recognising import recognised
from tokensync.plan.batches.outcome import with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import Aspect, CreateCollection, CreateExtension, CreateMode, CreateVariable, aspects_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.apply.reading import Reading
    from tokensync.apply.records import How
    from tokensync.client import Clock
    from tokensync.plan.batches import Batch
    from tokensync.plan.state import FileState, Ref

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0
"""Seconds."""

_CREATIONS = (CreateCollection, CreateExtension, CreateMode, CreateVariable)


class Verdict(NamedTuple):
    """What the platform shows: ``ids`` when it is carried out, ``why`` when that is unclear."""

    how: How
    ids: dict[str, str]
    why: str = ""


def verdict(found: FileState, before: FileState, wanted: FileState, batch: Batch, ids: Mapping[Ref, str]) -> Verdict:
    """Return whether ``found`` shows a batch's effects.

    ``before`` and ``wanted`` are the states before and after it in the plan's refs, ``ids`` the real ids so far. What
    somebody else has changed does not matter where it concerns something else, or only some of what the batch made.
    """
    was, will_be = with_ids(before, ids), with_ids(wanted, ids)
    makes = recognised(found, was, will_be, batch.makes)
    if makes.ambiguous:
        names = ", ".join(makes.ambiguous[:3])
        return Verdict("unclear", {}, f"several things that are new could be what it made ({names})")
    will_be = with_ids(will_be, makes.ids)
    effects = differences(was, will_be)
    missing = aspects_of(differences(found, will_be))
    changed = aspects_of(differences(was, found))
    wanted_aspects = aspects_of(effects)
    there = wanted_aspects - missing
    other = wanted_aspects & missing & changed
    made = aspects_of(each for each in effects if isinstance(each, _CREATIONS))
    edited = {aspect for aspect in missing if _is_of(aspect, made)}
    if wanted_aspects == there and not edited:
        return Verdict("carried out", makes.ids)
    if made <= there and wanted_aspects == there | other and _any_intact(made, there, edited):
        return Verdict("carried out", makes.ids)  # and somebody has changed some of it since
    if not there and wanted_aspects != other:
        return Verdict("not carried out", {})
    return Verdict("unclear", {}, f"{len(there)} of its {len(wanted_aspects)} effects are there")


def _is_of(aspect: Aspect, made: frozenset[Aspect]) -> bool:
    """Return whether something that is missing is part of what the batch makes, rather than the whole of it."""
    return aspect not in made and (
        Aspect("variable", aspect.ref) in made or Aspect("collection", aspect.ref) in made or _has_mode(aspect, made)
    )


def _has_mode(aspect: Aspect, made: frozenset[Aspect]) -> bool:
    return aspect.kind == "value" and any(each.kind == "mode" and each.part == aspect.part for each in made)


def _any_intact(made: frozenset[Aspect], there: frozenset[Aspect], edited: set[Aspect]) -> bool:
    """Return whether anything new is just as the batch makes it, which nobody else is likely to have made by chance."""
    other = {each.ref for each in edited}
    valued = {each.part for each in there if each.kind == "value"}
    return any(
        (each.kind == "variable" and each.ref not in other) or (each.kind == "mode" and each.part in valued)
        for each in made
    )


class Settlement(NamedTuple):
    """A verdict, and the reading that shows it."""

    verdict: Verdict
    reading: Reading


def settle(
    read: Callable[[], Reading],
    judge: Callable[[FileState], Verdict],
    since: float,
    *,
    guarded: bool,
    settling_time: float,
    clock: Clock,
    say: Callable[[str], None],
) -> Settlement:
    """Read until the verdict is final.

    Anything but "carried out" is final ``settling_time`` seconds after ``since`` (Unix seconds); "not carried out" is
    at once when the batch is ``guarded``. Raises what reading raises.
    """
    passed = clock.now() - since
    wait = min(settling_time, max(0.0, settling_time - passed))  # a clock that was set back makes no wait longer
    due = clock.elapsed() + wait
    pause = _FIRST_PAUSE
    while True:
        final = clock.elapsed() >= due
        reading = read()
        found = judge(reading.state)
        if final or found.how == "carried out" or (found.how == "not carried out" and guarded):
            return Settlement(found, reading)
        rest = due - clock.elapsed()
        say(f"no answer came, and the platform does not show the request yet; looking again for {max(rest, 0):.0f} s")
        clock.sleep(max(0.0, min(pause, rest)))
        pause = min(2 * pause, _LONGEST_PAUSE)
