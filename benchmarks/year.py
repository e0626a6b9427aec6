"""A year of unattended nights in miniature: the workflows of examples/github-action, day after day, on the emulator.

Designers edit the design file, developers merge pull requests, and what goes wrong in a year goes wrong. A day's events
come of a seed, and each kind happens at least once. People react only to what tokensync reports. A ledger that shares
no code with tokensync says what both sides must contain after each step, which runs may fail, and what they must
report. Prints the counts; the end is that the design file and code are equal, with all edits of everybody.

    python benchmarks/year.py                            365 nights
    python benchmarks/year.py --nights 40 --seed 7
    python benchmarks/year.py --seed 7 --verbose         the same, with what happens each day
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(CHECKOUT, "tests")]

from action.github import git, served  # noqa: E402
from unattended.design import DAY, KEY, DesignFile, differences_in_css, files_of, library_of  # noqa: E402
from unattended.nights import BRANCH, START, Nights, Violation, difference  # noqa: E402
from unattended.team import Change, of_token  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from unattended.team import Fields

IN_MEMORY = "/dev/shm"  # noqa: S108  # a folder of one's own is made in it
PROTECTION = "#!/bin/sh\ncase $1 in */main) echo 'error: GH013: Repository rule violations' >&2; exit 1;; esac\n"
LONGEST_SETTLEMENT = 25  # nights


class Year(Nights):
    """All that people do in a year, and what goes wrong."""

    # --- the calendar ---

    def live(self) -> None:
        """Live through all nights, and then until everything has settled. Raises Violation."""
        kinds: dict[str, Callable[[], bool]] = {
            name.removeprefix("_on_").replace("_", " "): getattr(self, name)
            for name in sorted(dir(self))
            if name.startswith("_on_")
        }
        diary: dict[int, list[str]] = {}
        for name in kinds:
            for at in self.dice.sample(range(1, self.nights - 5), max(1, self.nights // RARITY.get(name, 25))):
                diary.setdefault(at, []).append(name)
        waiting: list[str] = []
        for day in range(self.nights):
            self.day = day
            waiting += diary.get(day, [])
            self.dice.shuffle(waiting)
            waiting = [name for name in waiting if not self._happened(name, kinds[name])]
            self._end_of_day()
            self._night()
        self._settle(waiting, kinds)

    def _happened(self, name: str, event: Callable[[], bool]) -> bool:
        if not event():
            return False
        self.counts[name] += 1
        self.tell(f"day {self.day}: {name}")
        return True

    def _end_of_day(self) -> None:
        """React to what was reported, and merge what is due."""
        self.design.now = START + self.day * DAY + 3600 * 12
        self._react()
        for each in [each for each in self.pulls if each.due <= self.day]:
            self._merge_developers(each)
        if not self.foreign and self.dice.random() < (0.05 if self.is_protected else 0.3):
            self._merge_bot()

    def _settle(self, waiting: list[str], kinds: dict[str, Callable[[], bool]]) -> None:
        """Finish all pull requests and conflicts, and live on until a night has nothing to do."""
        for _ in range(LONGEST_SETTLEMENT):
            self.day += 1
            waiting = [name for name in waiting if not self._happened(name, kinds[name])]
            self.design.now = START + self.day * DAY + 3600 * 12
            self._react(patience=1.0)
            for each in list(self.pulls):
                self._merge_developers(each)
            if self.kill and not self.pulls:
                self._on_value_in_code()
            if self.together and not self.is_new:
                self._on_value_by_a_designer()
            closed = not self._open() and self.ledger.to_code() and not self.is_new
            if closed:
                self._on_value_by_a_designer()
            self._merge_bot()
            was_new = self.is_new
            run = self._night()
            pending = (was_new, waiting, self.kill, self.together, self.pulls, self._open())
            if not any((*pending, self.ledger.to_code(), self.ledger.to_design())) and not run.code:
                break
        else:
            raise Violation(f"both sides have not settled after {LONGEST_SETTLEMENT} nights")
        self._compare_both()
        if self.published is not None:
            self._on_publication()
        self._drift()
        if waiting:
            raise Violation(f"these never became possible: {', '.join(waiting)}")
        for each in self.github.issues.values():
            if each["state"] == "open" and "apply fails" not in each["title"] and ("fails" in each["title"]):
                raise Violation(f"an issue is still open: {each['title']}")
        self.counts["conflicts reported"] = len(self.conflicts_reported)

    def _compare_both(self) -> None:
        """Compare the platform's raw answer, the token files and the built CSS."""
        files = files_of(self.github.bare, "main")
        code = library_of(files)
        if (design := self.design.library()) != code:
            raise Violation(f"the design file and code differ: {difference(design, code)}")
        if design != self.ledger.library(self.ledger.design):
            raise Violation("an edit of somebody is lost")
        if wrong := differences_in_css(files):
            raise Violation(f"the built CSS differs: {wrong[:5]}")

    # --- what people do about failures ---

    def _react(self, patience: float = 0.5) -> None:
        expiry = [each for each in self.github.issues.values() if "token expires on" in each["title"]]
        for each in expiry:
            if each["state"] == "open" and self.dice.random() < patience / 3:
                each["state"] = "closed"
                self.counts["tokens replaced in time"] += self.design.now < self.rotation
                if self.workflows.expires in each["title"]:
                    self._rotate(90.0)
        if self.design.now >= self.rotation and "pull" in self.failing and self.dice.random() < patience:
            self.counts["tokens replaced after their end"] += 1
            self._rotate(90.0)
        if self.foreign and self.dice.random() < patience:
            self._deal_with_foreign()
        if self.ledger.conflicts() and "pull" in self.failing and self.dice.random() < patience:
            self._solve_conflicts()
        if self.ledger.to_design() and not self.ledger.conflicts() and self.design.now < self.rotation:
            waiting = self.ledger.to_design()
            if "apply" in self.failing and waiting and self.dice.random() < patience:
                main = self.github.tip("main")
                number = self.github.pulls_of.get(main, [0])[0]
                self._apply(main, git(self.github.bare, "rev-parse", "main^"), number)

    def _deal_with_foreign(self) -> None:
        """Merge the bot's pull request with the colleague's commit, or take that commit away."""
        if self.dice.random() < 0.5 and self._merge_bot():
            self.counts["foreign commits merged"] += 1
        else:
            git(self.github.bare, "update-ref", f"refs/heads/{BRANCH}", f"{self.foreign}^")
            self.counts["foreign commits removed"] += 1
        self.foreign = ""
        self.is_new = True

    def _solve_conflicts(self) -> None:
        """Choose a side for all conflicts: by an edit of the design file or of code, or by a pull by hand."""
        conflicts = self.ledger.conflicts()
        self.counts["conflicts solved"] += len(conflicts)
        self.is_new = True
        is_gone = any(each[0] != "mode" and ("there", each[1]) not in self.ledger.design for each in conflicts)
        way = "--theirs" if is_gone else self.dice.choice(["designer", "developer", "--ours", "--theirs"])
        self.tell(f"day {self.day}: {conflicts} solved by {way}")
        if way == "designer":
            self.designers.edit({each: self.ledger.code[each] for each in conflicts})
        elif way == "developer":
            edits = {each: self.ledger.design[each] for each in conflicts}
            self._propose_edits(edits, "solve")
        elif self.design.now < self.rotation:
            if self.ledger.base != self.ledger.base_in_main and not self._merge_first():
                return
            branch = self._branch("pull")
            self.developers.check_out(branch)
            self.workflows.command(self.developers.folder, "-q", "pull", way)
            self.workflows.command(self.developers.folder, "-q", "build")
            self.developers.push(branch, "Pull")
            pulled = self.ledger.proposal()
            if way == "--theirs":
                pulled = pulled._replace(pulled={**pulled.pulled, **{e: self.ledger.design.get(e) for e in conflicts}})
            self._propose(pulled, branch)

    def _merge_first(self) -> bool:
        """Merge the bot's pull request, which has a lock that is missing in main, as the message says."""
        pull = self._open()
        if pull is None or self._test_merge(BRANCH) is None:
            return False
        self._merged(pull["number"], self.proposal)
        return bool(self.ledger.conflicts())

    # --- events ---

    def _token(self, collections: tuple[str, ...] = ("Palette", "Theme", "Ratio")) -> str | None:
        """Return a token that both sides have, and that nobody is changing."""
        busy = {each[1] for pull in self.pulls for each in pull.change.edits}
        pending = {each[1] for each in (*self.ledger.to_code(), *self.ledger.to_design(), *self.ledger.conflicts())}
        found = [
            each
            for each in self.ledger.living()
            if each not in busy | pending and self.ledger.collections[each] in collections
        ]
        return self.dice.choice(found) if found else None

    def _value_edit(self, token: str) -> Fields:
        collection = self.ledger.collections[token]
        fields = [each for each in self.ledger.design if each[0] == "value" and each[1] == token]
        return {self.dice.choice(fields): self.names.value(collection)}

    def _design(self, fields: Fields | None) -> bool:
        if fields is None:
            return False
        self.designers.edit(fields)
        self.is_new = True
        return True

    def _branch(self, name: str) -> str:
        return f"{name}-{self.day}-{self.dice.randrange(10**6)}"

    def _propose_edits(self, fields: Fields | None, name: str, *, insists: bool = False) -> bool:
        if fields is None:
            return False
        branch = self._branch(name)
        self.developers.edit(branch, fields)
        self._propose(Change(fields, {}, {}), branch, insists=insists)
        return True

    def _on_value_by_a_designer(self) -> bool:
        token = self._token()
        return self._design(token and self._value_edit(token))

    def _on_new_token_by_a_designer(self) -> bool:
        return self._design(self.names.token(self.dice.choice(["Theme", "Ratio"])))

    def _on_rename_by_a_designer(self) -> bool:
        token = self._token()
        return self._design(token and {("name", token): self.names.name(self.ledger.collections[token])})

    def _on_mode_rename_by_a_designer(self) -> bool:
        mode = self.dice.choice(["light", "dark", "base"])
        return self._free_mode(mode) and self._design({("mode", mode): self.names.mode()})

    def _on_description_by_a_designer(self) -> bool:
        token = self._token()
        return self._design(token and {("description", token): self.names.sentence()})

    def _on_deletion_by_a_designer(self) -> bool:
        token = self._token(("Theme", "Ratio"))
        return self._design(token and of_token(self.ledger.design, token))

    def _on_publication(self) -> bool:
        self.design.emulator.publish(KEY)
        self.published = self.design.library()
        self.is_new = True
        return True

    def _on_value_in_code(self) -> bool:
        token = self._token()
        return self._propose_edits(token and self._value_edit(token), "value")

    def _on_new_token_in_code(self) -> bool:
        return self._propose_edits(self.names.token(self.dice.choice(["Theme", "Ratio"])), "new")

    def _on_rename_in_code(self) -> bool:
        token = self._token()
        return self._propose_edits(token and {("name", token): self.names.name(self.ledger.collections[token])}, "name")

    def _on_mode_rename_in_code(self) -> bool:
        mode = self.dice.choice(["light", "dark", "base"])
        return self._free_mode(mode) and self._propose_edits({("mode", mode): self.names.mode()}, "mode")

    def _on_description_in_code(self) -> bool:
        token = self._token()
        return self._propose_edits(token and {("description", token): self.names.sentence()}, "words")

    def _free_mode(self, mode: str) -> bool:
        busy = {each for pull in self.pulls for each in pull.change.edits}
        values = {("mode", mode), *(each for each in busy if each[0] in ("value", "there"))}
        return not values & {*busy, *self.ledger.to_code(), *self.ledger.to_design(), *self.ledger.conflicts()}

    def _on_conflict(self) -> bool:
        """Change something in code that is reviewed, and in the design file before it is merged."""
        token = self._token()
        if token is None:
            return False
        fields = self._value_edit(token)
        if self.dice.random() < 0.2:
            fields = {("name", token): self.names.name(self.ledger.collections[token])}
        self._propose_edits(fields, "conflict", insists=True)
        (field,) = fields
        other = self.names.name if field[0] == "name" else self.names.value
        return self._design({field: other(self.ledger.collections[token])})

    def _on_same_edit_on_both_sides(self) -> bool:
        token = self._token(("Palette", "Ratio"))
        if token is None:
            return False
        fields = self._value_edit(token)
        self._propose_edits(fields, "same")
        return self._design(fields)

    def _on_commit_of_a_colleague_on_the_branch(self) -> bool:
        if self._open() is None or self.foreign:
            return False
        self.developers.check_out("foreign", BRANCH)
        (self.developers.folder / "NOTES.md").write_text(f"Day {self.day}\n", encoding="utf-8")
        self.developers.push(BRANCH, "Add notes")
        self.foreign = self.github.tip(BRANCH)
        self.is_new = True
        return True

    def _on_update_branch(self) -> bool:
        if self._open() is None or self.foreign:
            return False
        git(self.developers.folder, "fetch", "-q", str(self.github.bare), BRANCH)
        git(self.developers.folder, "checkout", "-q", "-f", "--detach", "FETCH_HEAD")
        git(self.developers.folder, "fetch", "-q", str(self.github.bare), "main")
        try:
            git(self.developers.folder, "merge", "-q", "--no-ff", "-m", "Merge branch 'main'", "FETCH_HEAD")
        except Exception:  # noqa: BLE001 - they conflict
            git(self.developers.folder, "merge", "--abort")
            return False
        git(self.developers.folder, "push", "-q", str(self.github.bare), f"HEAD:refs/heads/{BRANCH}")
        self.is_new = True
        return True

    def _on_close_by_a_person(self) -> bool:
        pull = self._open()
        if pull is None or self.foreign or self.is_new:
            return False
        self.github.close(pull["number"])
        before = len(self.github.pulls)
        self._night()
        if len(self.github.pulls) != before or self._open():
            raise Violation("what a person has closed was proposed again")
        self.is_new = True
        return True

    def _on_commit_to_main(self) -> bool:
        self.developers.check_out("readme")
        (self.developers.folder / "README.md").write_text(f"# Harbor, day {self.day}\n", encoding="utf-8")
        self.developers.push("readme", "Edit the readme")
        git(self.github.bare, "update-ref", "refs/heads/main", self.github.tip("readme"))
        return True

    def _on_day_of_errors(self) -> bool:
        return self._sky("down")

    def _on_long_rate_limit(self) -> bool:
        return self._sky("limited")

    def _on_short_rate_limit(self) -> bool:
        return self._sky("short limit")

    def _on_errors_of_the_hosting_service(self) -> bool:
        return self._sky("hosting")

    def _sky(self, weather: str) -> bool:
        if self.weather:
            return False
        self.weather = weather
        return True

    def _on_two_runs_at_once(self) -> bool:
        self.together = True
        return True

    def _on_protection_of_main(self) -> bool:
        hook = self.github.bare / "hooks" / "update"
        self.is_protected = not self.is_protected
        if self.is_protected:
            hook.write_text(PROTECTION, encoding="utf-8")
            hook.chmod(0o755)
        else:
            hook.unlink()
        return True

    def _on_adoption_of_an_app(self) -> bool:
        self.workflows.has_app = True
        return True

    def _on_killed_apply(self) -> bool:
        if self.kill:
            return False
        self.kill = self.dice.choice(["before", "after"])
        return True


RARITY = {
    "value by a designer": 4,
    "value in code": 6,
    "new token by a designer": 20,
    "deletion by a designer": 60,
    "mode rename by a designer": 60,
    "mode rename in code": 60,
    "conflict": 25,
    "day of errors": 50,
    "long rate limit": 90,
    "short rate limit": 30,
    "errors of the hosting service": 60,
    "protection of main": 40,
    "adoption of an app": 10_000,
    "close by a person": 30,
}
"""One event in so many nights; 25 without an entry."""


def main() -> int:
    """Live through a year and print its counts; return 1 if a guarantee was broken."""
    parser = argparse.ArgumentParser(description="A year of unattended nights.")
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()
    memory = IN_MEMORY if os.access(IN_MEMORY, os.W_OK | os.X_OK) else None
    talk: Any = (lambda text: print(text, file=sys.stderr)) if options.verbose else (lambda text: None)
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    with tempfile.TemporaryDirectory(dir=memory, prefix="tokensync-year-") as scratch:
        folder = Path(scratch)
        with served(folder / "server") as github, DesignFile(START) as design:
            year = Year(folder, github, design, options.seed, options.nights, talk)
            try:
                year.live()
                broken = ""
            except Violation as violation:
                broken = f"seed {options.seed}, day {year.day}: {violation}"
            for name, count in sorted(year.counts.items()):
                print(f"{count:6,}  {name}")
            end = json.dumps([*design.library().items()], sort_keys=True)
    print(f"\nend: {hashlib.sha256(end.encode()).hexdigest()[:16]}")
    print(broken or f"0 violations in {year.counts['nights']} nights of seed {options.seed}")
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
