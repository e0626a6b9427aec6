"""Two clones of a project that apply the same plan at once, request by request in a random order."""

from __future__ import annotations

import os
import re
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from campaign.running import Outcome, Trial
from campaign.scenario import CLIENT_WAITS, Violation, project, reset
from campaign.schedules import Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from campaign.children import Done, Nursery
    from campaign.proxy import Proxy
    from campaign.scenario import Scenario, World

_OFFERED = re.compile(r"tokensync (apply \S+rollback\.json --force --rebase)")
_BOTH = 2
KIND = "two clones at once"


class Clone(NamedTuple):
    """A clone: the folder that its commands run in, and what runs them."""

    name: str
    folder: str
    nursery: Nursery
    proxy: Proxy


class Turns:
    """Lets one of several clients go on at a time, drawn from all when each of them waits."""

    def __init__(self, dice: Random, names: tuple[str, ...]) -> None:
        self._dice = dice
        self._waiting = dict.fromkeys(names, False)
        self._turn = ""
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        """Wait for the turn of a client, and hold it in a block."""
        with self._changed:
            self._waiting[name] = True
            self._draw()
            self._changed.wait_for(lambda: self._turn == name)
        try:
            yield
        finally:
            with self._changed:
                self._waiting[name] = False
                self._turn = ""

    def leave(self, name: str) -> None:
        """End the part of a client."""
        with self._changed:
            del self._waiting[name]
            self._draw()

    def _draw(self) -> None:
        if not self._turn and self._waiting and all(self._waiting.values()):
            self._turn = self._dice.choice(sorted(self._waiting))
            self._changed.notify_all()


class CloneTrial(Trial):
    """One schedule of two clones. ``dice`` decides about the order of requests."""

    def __init__(self, world: World, scenario: Scenario, dice: Random) -> None:
        super().__init__(world, scenario, Schedule(KIND))
        self._dice = dice

    def run(self) -> Outcome:
        """Run the schedule; raise Violation if the library is not the plan's result after what the tool offered."""
        reset(self.world, self.scenario)
        clones = self._clones()
        ends = self._applied_at_once(clones)
        if not any(end.code for end in ends.values()):
            self._stage(exact=True)
            return Outcome("plan carried out", False, 0)
        self._follow(clones, ends)
        # Who was refused or has taken a copy back makes a new plan, as the message says.
        for clone in clones:
            if ends[clone.name].code:
                self._expect(clone, (0,), "plan", "--prune")
                self._expect(clone, (0,), "apply", "--force")
        self._stage(exact=True)
        return Outcome("plan carried out", False, sum(end.code == 4 for end in ends.values()))

    def _clones(self) -> tuple[Clone, Clone]:
        folder = os.path.join(self.world.scratch, "clone")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.scenario.template, folder)
        settings = Path(folder, "tokensync.toml")
        text = settings.read_text(encoding="utf-8").replace(f"read_timeout = {CLIENT_WAITS}", "read_timeout = 30")
        Path(project(self.world), "tokensync.toml").write_text(text, encoding="utf-8")  # no answer is lost here
        settings.write_text(text.replace(self.world.proxy.base_url, self.world.detour.base_url), encoding="utf-8")
        return (
            Clone("first", project(self.world), self.world.nursery, self.world.proxy),
            Clone("second", folder, self.world.rivals, self.world.detour),
        )

    def _applied_at_once(self, clones: tuple[Clone, ...]) -> dict[str, Done]:
        turns = Turns(self._dice, tuple(clone.name for clone in clones))
        ends: dict[str, Done] = {}

        def apply(clone: Clone) -> None:
            clone.proxy.arm({}, {}, turn=lambda: turns.turn(clone.name))
            try:
                ends[clone.name] = clone.nursery.run(clone.folder, "-q", "apply", "--force")
            finally:
                turns.leave(clone.name)

        threads = [threading.Thread(target=apply, args=(clone,)) for clone in clones]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for clone in clones:
            clone.proxy.arm({}, {})
            self.log.append(f"{clone.name} $ tokensync apply -> {ends[clone.name].code}\n{ends[clone.name].output}")
            if ends[clone.name].code not in (0, 1, 4) or "Traceback" in ends[clone.name].output:
                raise Violation(f"an apply beside another one ended with {ends[clone.name]}")
        return ends

    def _follow(self, clones: tuple[Clone, ...], ends: dict[str, Done]) -> None:
        """Do what the applies said: one takes its copy back, and the other one goes on if it was stopped, too."""
        offers = {clone: offer[1] for clone in clones if (offer := _OFFERED.search(ends[clone.name].output))}
        asked = [clone for clone in offers if "has to take its copy back" not in ends[clone.name].output]
        if len(offers) == _BOTH and len(asked) != 1:
            raise Violation(f"{len(asked)} of two applies are asked to take back their copy")
        for clone in (asked or [*offers])[:1]:
            self._expect(clone, (0,), *offers.pop(clone).split())
        for clone in offers:
            self._expect(clone, (0,), "apply", "--resume")

    def _expect(self, clone: Clone, codes: tuple[int, ...], *arguments: str) -> None:
        done = clone.nursery.run(clone.folder, "-q", *arguments)
        self.log.append(f"{clone.name} $ tokensync {' '.join(arguments)} -> {done.code}\n{done.output}")
        if done.code not in codes:
            raise Violation(f"tokensync {' '.join(arguments)} ended with {done.code}: {done.output[-1500:]}")
