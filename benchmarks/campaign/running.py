"""Carries one schedule out, and judges what the library has come to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from campaign.proxy import Fault
from campaign.scenario import SETTLING_TIME, Violation, meta_of, project, reset
from plan.readings import differences_of, ids_in, reading_of

if TYPE_CHECKING:
    from campaign.children import Done
    from campaign.foreign import Edit
    from campaign.scenario import Scenario, World
    from campaign.schedules import Schedule

_MOST_RUNS = 12
_SAME_TWICE = 2
_WAY_BACK = "back.json"


class Outcome(NamedTuple):
    """How a schedule ended.

    ``end`` is "plan carried out", "untouched" or "a part, taken back". ``edited`` is true if another user wrote,
    ``rolled_back`` if a complete plan was rolled back. ``resumptions`` counts the resumptions of the apply.
    """

    end: str
    edited: bool
    resumptions: int
    rolled_back: str = ""


class Trial:
    """One schedule in one world."""

    def __init__(self, world: World, scenario: Scenario, schedule: Schedule) -> None:
        self.world = world
        self.scenario = scenario
        self.schedule = schedule
        self.edited = False
        self.rival: Done | None = None
        self.log: list[str] = []

    def run(self) -> Outcome:
        """Run the schedule; raise Violation if a change is lost, doubled or incomplete."""
        reset(self.world, self.scenario)
        self.world.nursery.set_clock(0.0)
        proxy, schedule = self.world.proxy, self.schedule
        proxy.arm(schedule.posts, schedule.gets, before_post=self._before_post, after_post=self._after_post)
        if schedule.edit is not None and schedule.edit_after < 0:
            self._edit(schedule.edit)
        if schedule.gives_up:
            return self._given_up()
        if schedule.damage:
            return self._damaged()
        resumptions, last = self._apply()
        self._check_requests()
        if self.rival is not None and self.rival.code != 4:
            raise Violation(f"a second apply at the same time ended with {self.rival.code}: {self.rival.output[-500:]}")
        at = self._stage(exact=last.code == 0)
        end = "plan carried out" if at == self.scenario.batches else "untouched" if at == 0 else "a part, taken back"
        rolled_back = ""
        if end == "a part, taken back" or (at and schedule.rolls_back):
            rolled_back = self._roll_back()
        return Outcome(end, self.edited, resumptions, rolled_back)

    def _given_up(self) -> Outcome:
        """Roll back the changes made before the process died, instead of resuming."""
        self._tokensync("-q", "apply", "--force", kill_at=self.schedule.kills[0])
        self._check_requests()
        begun = self.world.proxy.seen and self._receipt()
        rolled_back = self._roll_back() if begun else ""
        if not rolled_back and self._stage(exact=False):
            raise Violation("the apply died, and there is nothing to take back what it did")
        return Outcome("untouched" if not rolled_back else "a part, taken back", False, 0, rolled_back)

    def _damaged(self) -> Outcome:
        """Damage the journal of an apply that died. Every command that reads it then stops and sends nothing."""
        self._tokensync("-q", "apply", "--force", kill_at=self.schedule.kills[0])
        path = os.path.join(project(self.world), self._receipt() or ".", "journal.jsonl")
        lines = Path(path).read_bytes().splitlines(keepends=True) if os.path.exists(path) else []
        whole = [each for each in lines if each.endswith(b"\n")]
        if len(whole) < 3 or b'"finished"' in whole[-1]:
            return Outcome("untouched", False, 0)
        number = int(self.schedule.kills[0]) % (len(whole) - 1)
        match self.schedule.damage:
            case "lost":
                del whole[number]
            case "last lost":
                # A kill between a line and its head leaves a line that the head does not count yet.
                head = json.loads(Path(path).with_name("journal.head").read_bytes())
                del whole[head["number"] - 1 :]
            case "doubled":
                whole.insert(number, whole[number])
            case _:
                whole[number : number + 2] = reversed(whole[number : number + 2])
        Path(path).write_bytes(b"".join(whole))
        sent = len(self.world.proxy.seen)
        self.world.nursery.pass_time(SETTLING_TIME * 2)
        for arguments in (("apply", "--resume"), ("apply", "--force"), ("rollback", self._receipt(), "-o", _WAY_BACK)):
            done = self._tokensync("-q", *arguments)
            if done.code != 4 or "journal.jsonl:" not in done.output:
                raise Violation(f"a damaged journal did not stop {arguments[0]}: {done.output[-500:]}")
        if any(each.method == "POST" for each in self.world.proxy.seen[sent:]):
            raise Violation("a request was sent in spite of a damaged journal")
        self._check_requests()
        self._stage(exact=False)
        return Outcome("untouched", False, 0)

    def _before_post(self, number: int) -> None:
        if number == self.schedule.rival:
            self.rival = self.world.rivals.run(project(self.world), "-q", "apply", "--force")

    def _after_post(self, number: int) -> None:
        if self.schedule.edit is not None and number == self.schedule.edit_after:
            self._edit(self.schedule.edit)

    def _edit(self, edit: Edit) -> None:
        """Apply a concurrent edit; one without an effect does not count."""
        before = self.world.file.read()
        self.edited = edit.do(self.world.file) and self.world.file.read() != before

    def _tokensync(self, *arguments: str, kill_at: int = 0) -> Done:
        def born(pid: int) -> None:
            self.world.proxy.client = pid

        boot = f"boot {len(self.log)}" if self.schedule.reboots else ""
        if jumps := self.schedule.clock_jumps:
            self.world.nursery.set_clock(jumps[len(self.log) % len(jumps)], jumps[(len(self.log) + 1) % len(jumps)])
        done = self.world.nursery.run(
            project(self.world), *arguments, kill_at=kill_at, torn=self.schedule.torn, boot=boot, born=born
        )
        self.world.proxy.client = None
        self.log.append(f"$ tokensync {' '.join(arguments)}  -> {done.code} {done.step}\n{done.output}")
        if "Traceback" in done.output or done.code not in (0, 1, 4, -9):
            raise Violation(f"tokensync {' '.join(arguments)} ended with {done.code}: {done.output[-1500:]}")
        return done

    def _apply(self) -> tuple[int, Done]:
        """Apply, and resume until the apply succeeds or is refused permanently."""
        rebase = ("--rebase",) if self.schedule.rebase else ()
        kills = [*self.schedule.kills]
        fresh = ("-q", "apply", "--force", *rebase)
        again = ("-q", "apply", "--resume", *rebase)
        done = self._tokensync(*fresh, kill_at=kills.pop(0) if kills else 0)
        refusals = 0
        for resumption in range(_MOST_RUNS):
            if done.code == 0 or refusals > _SAME_TWICE:
                return resumption, done
            if self.schedule.much_later:
                self.world.nursery.pass_time(SETTLING_TIME * 2)
            done = self._tokensync(*again, kill_at=kills.pop(0) if kills else 0)
            if done.code == 0 and not any(each.method == "POST" for each in self.world.proxy.seen):
                done = self._tokensync(*fresh)  # it died before there was anything to resume
            refusals = refusals + 1 if done.code in (1, 4) else 0
        raise Violation(f"the apply was resumed {_MOST_RUNS} times and did not end")

    def _check_requests(self) -> None:
        """Raise Violation if a body was carried out twice, or refused without having been sent before."""
        carried_out: set[bytes] = set()
        sent: set[bytes] = set()
        for each in self.world.proxy.seen:
            if each.method == "POST":
                if each.status == 200 and each.body in carried_out:
                    raise Violation(f"a request was carried out twice: {each.body[:300]!r}")
                if each.status != 200 and each.body not in sent and not self.edited:
                    raise Violation(f"a request was refused ({each.status}): {each.body[:300]!r}")
                sent.add(each.body)
                carried_out |= {each.body} if each.status == 200 else set()

    def _stage(self, *, exact: bool) -> int:
        """Return the number of complete batches in the library; ``exact`` requires all of them."""
        known = ids_in(self.scenario.states[0])
        document = self.world.file.read()
        shown = reading_of(self._without_edit(document), known)
        nearest: list[str] | None = None
        stages = [*enumerate(self.scenario.states)]
        for number, state in reversed(stages[-1:] if exact else stages):
            differences = differences_of(shown, reading_of(self._with_edit(state), known))
            if not differences:
                return number
            if nearest is None or len(differences) < len(nearest):
                nearest = differences
        raise Violation(f"the library is none that may be: {'; '.join((nearest or [])[:6])}")

    def _without_edit(self, response: bytes) -> bytes:
        """Return the document without the new objects of the concurrent edit, which must exist."""
        meta = meta_of(response)
        if self.edited and self.schedule.edit is not None and not self.schedule.edit.take_out(meta):
            raise Violation(f"what somebody else made is gone, changed or doubled: {self.schedule.edit}")
        return json.dumps({"meta": meta}).encode()

    def _with_edit(self, response: bytes) -> bytes:
        meta = meta_of(response)
        if self.edited and self.schedule.edit is not None:
            self.schedule.edit.on(meta)
        return json.dumps({"meta": meta}).encode()

    def _roll_back(self) -> str:
        """Take back what was applied; the library then says what it said before, somebody else's edit apart."""
        misreading = self.schedule.misread_back
        self.world.proxy.arm({}, {0: Fault(misreading)} if misreading else {})
        receipt = self._receipt()
        done = self._tokensync("-q", "rollback", receipt, "-o", _WAY_BACK, kill_at=self.schedule.kill_rollback)
        if done.code == -9 or (done.code == 4 and misreading):
            done = self._tokensync("-q", "rollback", receipt, "-o", _WAY_BACK)
        if done.code == 0 and os.path.exists(os.path.join(project(self.world), _WAY_BACK)):
            done = self._tokensync("-q", "apply", _WAY_BACK, "--force", kill_at=self.schedule.kill_back)
            if done.code == -9:
                done = self._tokensync("-q", "apply", "--resume")
                if not any(each.method == "POST" for each in self.world.proxy.seen):
                    done = self._tokensync("-q", "apply", _WAY_BACK, "--force")
        if done.code == 4 and self.edited:
            self._stage(exact=False)
            return "refused for somebody else's edit"
        if done.code != 0:
            raise Violation(f"what was applied cannot be taken back: {done.output[-1500:]}")
        reading = reading_of(self._without_edit(self.world.file.read()))
        wanted = reading_of(self._with_edit(self.scenario.states[0]))
        for each in (*reading["collections"].values(), *wanted["collections"].values()):
            del each["default"]  # a default mode that was deleted comes back as the last one
        if differences := differences_of(reading, wanted):
            raise Violation(f"after the rollback, the library differs: {'; '.join(differences[:6])}")
        return "taken back"

    def _receipt(self) -> str:
        """Return the folder of the last apply that may have sent a request, or an empty string."""
        folder = os.path.join(project(self.world), ".tokensync", "applies")
        applies = sorted(os.listdir(folder)) if os.path.isdir(folder) else ()
        journals = [os.path.join(folder, each, "journal.jsonl") for each in applies]
        begun = [os.path.dirname(each) for each in journals if os.path.exists(each) and _has_a_line(each)]
        return os.path.relpath(begun[-1], project(self.world)) if begun else ""


def _has_a_line(path: str) -> bool:
    """Return whether a journal was begun: a line that a crash cut off was never written."""
    return b"\n" in Path(path).read_bytes()
