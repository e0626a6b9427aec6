"""Schedules: what goes wrong during one apply, drawn from a pair of dice."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from campaign import foreign
from campaign.proxy import AFTER, BEFORE, KILLS, LATE, MISREADINGS, REPEATED, Fault
from campaign.scenario import meta_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from campaign.foreign import Edit
    from campaign.scenario import Scenario


class Schedule(NamedTuple):
    """``kind`` is its row in the table.

    ``kills`` are the steps at which the apply, its first resumption and so on die; ``torn`` says that what was not on
    disk by then is cut off. ``edit`` is somebody else's, done before the apply (``edit_after`` is -1) or after the
    batch of that index; ``rebase`` lets the apply go on when it does not concern the plan. ``much_later`` resumes when
    all settling is over. ``rolls_back`` takes a finished plan back as well, and that apply dies at the step
    ``kill_back``, and the command that plans it at ``kill_rollback``. ``gives_up`` takes back what the first death left
    instead of resuming. ``rival`` is the number of the request during which another apply of the same plan is tried.
    ``clock_jumps`` are the seconds by which the time of day is set when each command begins and, again, in the middle
    of it; ``reboots`` says that commands do not share a boot. ``damage`` is what becomes of the journal after the first
    death: "lost", "last lost", "doubled", "swapped". ``misread_back`` is what the first read of a rollback meets.
    """

    kind: str
    posts: Mapping[int, Fault] = MappingProxyType({})
    gets: Mapping[int, Fault] = MappingProxyType({})
    kills: tuple[int, ...] = ()
    torn: bool = False
    edit: Edit | None = None
    edit_after: int = -1
    rebase: bool = False
    much_later: bool = False
    rolls_back: bool = False
    kill_back: int = 0
    kill_rollback: int = 0
    clock_jumps: tuple[float, ...] = ()
    reboots: bool = False
    damage: str = ""
    gives_up: bool = False
    rival: int | None = None
    misread_back: str = ""


_POST_FAULTS = (*BEFORE, *AFTER, *LATE, *KILLS, *REPEATED)
_GET_FAULTS = ("429", "503 before", "500 before", "reset before", "truncated", "garbage", "dripping", *MISREADINGS)
_SLOW = ("silent",)


def drawn(dice: Random, scenario: Scenario) -> Schedule:
    """Return a random schedule for a scenario."""
    frame = _frame(dice, scenario)
    if not dice.randrange(4):
        jumps = tuple(dice.choice((-1e7, -3_600.0, -40.0, 40.0, 3_600.0, 1e7)) for _ in range(4))
        frame = frame._replace(clock_jumps=jumps, reboots=not dice.randrange(4))
    way = dice.randrange(24)
    if way == 22:
        kill = dice.randint(1, scenario.steps)
        damage = dice.choice(("lost", "last lost", "doubled", "swapped"))
        return frame._replace(kind="a damaged journal", kills=(kill,), torn=False, damage=damage)
    if way == 23:
        back = frame._replace(rolls_back=True, kill_back=dice.randint(1, scenario.steps))
        return back._replace(kind="kill while rolling back", kill_rollback=dice.randint(1, 12))
    if way == 20:
        return frame._replace(kind="a second apply at once", rival=dice.randrange(scenario.batches))
    if way == 21:
        kill = dice.randint(1, scenario.steps)
        return frame._replace(kind="kill, and roll back at once", kills=(kill,), gives_up=True)
    if way < 5:
        kills = tuple(dice.randint(1, scenario.steps) for _ in range(dice.choice((1, 1, 1, 2, 3))))
        return frame._replace(kind="kill at a step", kills=kills)
    if way < 13:
        return _with_post_faults(dice, scenario, frame)
    if way < 15:
        kind = dice.choice(_GET_FAULTS)
        gets = {dice.randrange(scenario.reads + 1): Fault(kind) for _ in range(dice.choice((1, 1, 2)))}
        return frame._replace(kind=f"read: {kind}", gets=gets)
    return _with_foreign_edit(dice, scenario, frame)


def lying(dice: Random, scenario: Scenario) -> Schedule:
    """Return a random schedule in which reads are answered with another state."""
    kind = dice.choice(MISREADINGS)
    reads = dice.sample(range(scenario.reads + 1), min(scenario.reads + 1, dice.choice((1, 1, 2))))
    frame = _frame(dice, scenario)._replace(gets={read: Fault(kind) for read in reads})
    match dice.randrange(4):
        case 0:
            return frame._replace(kind=f"read: {kind}")
        case 1:
            back = frame._replace(gets={}, rolls_back=True, misread_back=kind)
            return back._replace(kind=f"read of a rollback: {kind}")
        case 2:
            kill = dice.randint(1, scenario.steps)
            return frame._replace(kind=f"kill at a step, read: {kind}", kills=(kill,))
    lost = dice.choice([fault for fault in (*AFTER, *LATE, *KILLS) if fault not in _SLOW])
    post = Fault(lost, dice.choice((1, 2)), then=kind, misreads=1)
    return frame._replace(kind=f"write, then read: {kind}", posts={dice.randrange(scenario.batches): post}, gets={})


def _frame(dice: Random, scenario: Scenario) -> Schedule:
    return Schedule(
        "",
        torn=bool(dice.randrange(2)),
        much_later=not dice.randrange(4),
        rolls_back=not dice.randrange(5),
        kill_back=dice.randint(1, scenario.steps) if dice.randrange(2) else 0,
        misread_back=dice.choice(MISREADINGS) if not dice.randrange(3) else "",
    )


def _with_post_faults(dice: Random, scenario: Scenario, frame: Schedule) -> Schedule:
    """One request or two in a row suffer; at times the process dies later as well, or reads fail too."""
    kind = dice.choice([each for each in _POST_FAULTS if each not in _SLOW or not dice.randrange(3)])
    first = dice.randrange(scenario.batches)
    posts = {first: Fault(kind, dice.choice((1, 1, 2, 3)))}
    if not dice.randrange(3):
        other = dice.choice([each for each in _POST_FAULTS if each not in _SLOW])
        posts[first + dice.choice((1, 1, 2))] = Fault(other, dice.choice((1, 2)))
    gets = {dice.randrange(scenario.reads): Fault("reset before")} if not dice.randrange(6) else {}
    kills = (dice.randint(1, scenario.steps),) if not dice.randrange(6) else ()
    if not dice.randrange(3):
        misreading = dice.choice(MISREADINGS)
        posts[first] = posts[first]._replace(then=misreading, misreads=1)
        return frame._replace(kind=f"write, then read: {misreading}", posts=posts, gets=gets, kills=kills)
    return frame._replace(kind=f"write: {kind}", posts=posts, gets=gets, kills=kills)


def _with_foreign_edit(dice: Random, scenario: Scenario, frame: Schedule) -> Schedule:
    before = meta_of(scenario.states[0])
    edit = foreign.drawn(dice, before, meta_of(scenario.pair.after.response()))
    frame = frame._replace(edit=edit, rebase=bool(dice.randrange(2)))
    if not dice.randrange(3):
        return frame._replace(kind="somebody else writes before the apply")
    after = dice.randrange(scenario.batches)
    frame = frame._replace(kind="somebody else writes between batches", edit_after=after)
    if dice.randrange(2):
        kind = dice.choice(("reset after", "503 after", "kill after commit", "late", "truncated"))
        return frame._replace(kind=f"{frame.kind}, answer lost", posts={after: Fault(kind)})
    return frame
