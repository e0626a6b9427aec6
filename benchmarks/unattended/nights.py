"""The runs of an unattended repository, and what each of them must and must not do.

A ledger says what both sides must contain after each run, which runs have to fail, and what they must report.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from action.github import LOGINS, Failure, GitHub, git
from unattended.design import DAY, KEY, DesignFile, absent_targets, differences_in_css, files_of, library_of
from unattended.team import Change, Designers, Developers, Fields, Ledger, Names
from unattended.workflows import Run, Workflows

from tokensync.action import branch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BRANCH = "tokensync/pull"
START = 1_798_765_200.0  # 2027-01-01, 01:00 UTC
CONFIGURATION = f"""\
[client]
settling_time = 1

[[files]]
name = "one"
key = "{KEY}"

[[outputs]]
platform = "css"
path = "web"
"""
ADVICE = {
    "conflict": r"both sides changed the same things; .*run tokensync pull in a checkout of main, choose a side",
    "foreign": r"commits that are not from tokensync: .*; merge or close its pull request",
    "expired": r"token.*expired.*; create|expired.*new token",
    "limited": r"429.*; .*try again in 4 days",
    "down": r"50\d.*; .*(try|run).* again|50\d.*(later|status)",
    "approval": r"; review the plan in the summary, and run this workflow by hand with approved: [0-9a-f]{64}",
    "hosting": r"; run the job again|after \d{4}-",
}
"""What people read in the messages of failed runs: the way on of each kind of failure."""


class Violation(Exception):
    """A broken guarantee."""


class Pull(NamedTuple):
    """A developer's pull request."""

    number: int
    branch: str
    change: Change
    due: int
    """The day on which it is merged."""
    insists: bool = False
    """Whether it is merged although its plan failed."""


class Nights:
    """The repository, its design file and the jobs of both, with the ledger."""

    def __init__(self, scratch: Path, github: GitHub, design: DesignFile, seed: int, nights: int, talk: Any) -> None:
        self.github, self.design = github, design
        self.dice = Random(seed)
        self.nights = nights
        self.day = 0
        self.counts: Counter[str] = Counter()
        self.tell = talk
        self.ledger = Ledger()
        self.names = Names(self.dice, self.ledger)
        self.designers = Designers(design, self.ledger)
        self.workflows = Workflows(scratch, github, design)
        self.developers = Developers(scratch / "kim", github, self.workflows, self.ledger)
        self.pulls: list[Pull] = []
        self.proposal = Change({}, {}, {})
        """What the bot's open pull request brings into main."""
        self.reviewed: dict[int, Fields] = {}
        self.is_new = True
        """Whether anything has happened since the last successful night."""
        self.foreign = ""
        self.weather: str = ""
        self.failing: dict[str, int] = {}
        """The comments of the open issue of each mode that fails."""
        self.conflicts_reported: dict[tuple[str, str], set[int]] = {}
        self.rotation = 0
        self.announced = ""
        self.was_as_programs = False
        self.is_protected = False
        self.kill = ""
        self.is_unrecorded = False
        self.published: dict[Any, Any] | None = None
        """The library at its last publication."""
        """Whether an apply has created tokens whose ids and scopes the token files do not have yet."""
        self.is_complete = True
        """Whether the bot's pull request knows them."""
        self.together = False
        self._start(scratch)

    def _start(self, scratch: Path) -> None:
        self.designers.start(self.names)
        self._rotate(min(40.0, self.nights / 2.5))
        folder = self.developers.folder
        git(scratch, "init", "-q", str(folder))
        (folder / "tokensync.toml").write_text(CONFIGURATION, encoding="utf-8")
        (folder / "README.md").write_text("# Harbor\n", encoding="utf-8")
        self.workflows.command(folder, "-q", "pull")
        self.workflows.command(folder, "-q", "build")
        self.developers.push("main", "Start")
        self.ledger.merge(self.ledger.proposal())

    def _rotate(self, days: float) -> None:
        self.workflows.secret = self.design.token(days)
        self.rotation = int(self.design.now + days * DAY)
        self.workflows.expires = time.strftime("%Y-%m-%d", time.gmtime(self.rotation))

    # --- the nights ---

    def _night(self) -> Run:
        """Run the nightly pull, and check everything that it must and must not have done."""
        self.design.now = START + (self.day + 1) * DAY
        reasons = self._trouble()
        before, tip, was_failing = self._conversations(), self.github.tip(BRANCH), self.failing.get("pull")
        self._set_weather()
        with self._second_run():
            run = self._nightly()
        self.design.disturb()
        self.github.failures.clear()
        self.counts["nights"] += 1
        self._judge(run, reasons)
        announced = self._check_announcement(run)
        if run.code == 0:
            was_quiet = not self.is_new and not announced and was_failing is None
            if was_quiet:
                self.counts["quiet nights"] += 1
                sent = [each for each in run.requests if not each.startswith(("GET", "POST /graphql"))]
                if sent or tip != self.github.tip(BRANCH) or before != self._conversations():
                    raise Violation(f"a night without anything new was not quiet: {sent}")
            self.is_new = False
            self._check_proposal(run)
        self.weather = ""
        if self.day % 7 == 6:
            self._drift()
        return run

    def _nightly(self) -> Run:
        as_programs = self.day % 60 == 5 and not self.weather
        main = self.github.tip("main")
        run = self.workflows.run("nightly-pull", main, as_programs=as_programs, GITHUB_EVENT_NAME="schedule")
        self.was_as_programs = as_programs
        self.counts["runs of all steps as programs"] += as_programs
        return run

    def _trouble(self) -> dict[str, str]:
        """Return why the next night has to fail, with the advice that it has to give; nothing if it must not."""
        reasons = []
        if self.design.now >= self.rotation:
            reasons.append("expired")
        if self.weather in ("down", "limited", "hosting"):
            reasons.append(self.weather)
        if self.foreign:
            reasons.append("foreign")
        if self.ledger.conflicts():
            reasons.append("conflict")
        return {each: ADVICE[each] for each in reasons}

    def _set_weather(self) -> None:
        match self.weather:
            case "down":
                self.design.disturb({"status": 503, "message": "Service unavailable"})
            case "limited":
                headers = {"Retry-After": str(4 * DAY)}
                self.design.disturb({"status": 429, "headers": headers, "message": "Rate limit exceeded"})
            case "short limit":
                headers = {"Retry-After": "20"}
                self.design.disturb({"nth": [1, 2], "status": 429, "headers": headers, "message": "Rate limit"})
            case "hosting":
                answer = {"message": "Server Error"}
                self.github.failures += [Failure("GET", "/pulls$", 502, answer) for _ in range(9)]

    @contextmanager
    def _second_run(self) -> Iterator[None]:
        """Let a second nightly run happen when the first one is about to push."""
        if not self.together:
            yield
            return
        original = branch.push
        others = []

        def push(*arguments: Any) -> None:
            if not others:
                others.append(None)
                others[0] = self._nightly()
            original(*arguments)

        with patch("tokensync.action.branch.push", push):
            yield
        if others:
            self.together = False
            self.counts["nights with two runs at once"] += 1
            if others[0].code not in (0, 4):
                raise Violation(f"one of two runs at once ended with {others[0].code}: {others[0].error}")

    def _judge(self, run: Run, reasons: dict[str, str], *, by_hand: bool = False) -> None:
        """Compare the end of a run with what has to happen, and its reports with its end."""
        self.tell(f"day {self.day}: {run.mode} {run.code} {sorted(reasons)} {run.error[:300]}")
        if "internal error" in run.log or "Traceback" in run.log:
            raise Violation(f"{run.mode} has an error of its own: {run.log[-3000:]}")
        if bool(reasons) != bool(run.code):
            raise Violation(
                f"{run.mode} ended with {run.code} although there was {sorted(reasons) or 'no trouble'}: {run.log}"
            )
        if run.code:
            self.counts[f"failed runs of {run.mode}"] += 1
            if not any(re.search(each, run.error, re.DOTALL) for each in reasons.values()):
                raise Violation(f"no advice for {sorted(reasons)}: {run.error}")
            if f"tokensync {run.mode} failed" not in run.summary:
                raise Violation(f"the summary does not report {run.error}")
        if "both sides changed" in run.error:
            self._check_conflicts(run)
        self._check_issue(run, by_hand=by_hand)

    def _check_issue(self, run: Run, *, by_hand: bool = False) -> None:
        """A failure opens an issue, a repetition comments on it, and a success closes it, also one by hand."""
        title = f"tokensync: {run.mode} fails (tokensync.toml{', one' * (run.mode == 'drift')})"
        opened = [each for each in self.github.issues.values() if each["title"] == title and each["state"] == "open"]
        if run.code == 0:
            if opened:
                raise Violation(f"{title}: still open after a success")
            if self.failing.pop(run.mode, None) is not None:
                self.counts["issues closed"] += 1
            return
        if by_hand:
            return
        if len(opened) != 1:
            raise Violation(f"{title}: {len(opened)} open issues after a failure")
        (issue,) = opened
        texts = [issue["body"], *(each["body"] for each in self.github.comments.get(issue["number"], []))]
        known = self.failing.get(run.mode)
        self.counts["issues opened" if known is None else "comments on issues"] += 1
        if len(texts) != (1 if known is None else known + 1):
            raise Violation(f"{title}: {len(texts)} texts instead of {(known or 0) + 1}")
        self.failing[run.mode] = len(texts)

    def _check_announcement(self, run: Run) -> bool:
        """From 14 days before the end of the token on, one issue has its day. Return whether it is new."""
        day = f"tokensync: the Figma token expires on {self.workflows.expires}"
        found = [each for each in self.github.issues.values() if each["title"] == day]
        due = (self.rotation // DAY) - int(self.design.now // DAY) <= 14
        if len(found) > 1:
            raise Violation(f"{day}: announced {len(found)} times")
        if due != bool(found) and not self.was_as_programs:
            raise Violation(
                f"{day}: {'not ' if due else ''}announced {(self.rotation - self.design.now) / DAY} days before"
            )
        is_new = bool(found) and self.announced != day
        self.announced = day if found else self.announced
        self.counts["announcements of a token's end"] += is_new
        return is_new

    def _check_conflicts(self, run: Run) -> None:
        """Each conflict is reported, once in the run, and by one issue only."""
        expected = self.ledger.conflicts()
        lines = [each for each in run.error.splitlines() if " in the token files and " in each and " was " in each]
        if len(lines) != len(expected) or run.outputs["conflicts"] != str(len(expected)):
            raise Violation(f"{run.outputs['conflicts']} conflicts reported, {expected} expected: {lines}")
        for field in expected:
            key = (repr(field), f"{self.ledger.design.get(field)} {self.ledger.code.get(field)}")
            self.conflicts_reported.setdefault(key, set())
            if run.mode == "pull":
                numbers = [
                    number
                    for number, each in self.github.issues.items()
                    if each["state"] == "open" and "pull fails" in each["title"]
                ]
                self.conflicts_reported[key].update(numbers)
                if len(self.conflicts_reported[key]) > 1:
                    raise Violation(f"{field} is reported by two issues")

    def _check_proposal(self, run: Run) -> None:
        """The open pull request brings exactly the missing changes into main."""
        self.proposal = self.ledger.proposal()
        self.is_complete = True
        pulls = [each for each in self.github.open_pulls() if each["branch"] == BRANCH]
        if len(pulls) > 1:
            raise Violation("the bot has two open pull requests")
        changes = bool(self.ledger.to_code())
        if changes and not pulls and "somebody has closed" not in run.summary:
            raise Violation(f"no pull request brings {self.ledger.to_code()} into code: {run.log}")
        if pulls:
            after = self.ledger.copy()
            after.merge(self.proposal)
            merged = self._test_merge(BRANCH)
            if merged is None:
                raise Violation(f"the pull request conflicts with main: {run.log}")
            files = files_of(self.github.bare, merged)
            expected = after.library(after.code)
            if (found := library_of(files)) != expected:
                raise Violation(f"the pull request does not bring the design into code: {difference(expected, found)}")

    def _drift(self) -> None:
        """Run the weekly comparison, whose exit code the ledger knows."""
        if self.design.now >= self.rotation:
            return
        ledger = self.ledger
        is_published = self.published in (None, self.design.library())
        differs = ledger.to_code() or ledger.to_design() or not is_published
        expected = 4 if ledger.conflicts() else 3 if differs else 0
        run = self.workflows.run("drift-matrix", self.github.tip("main"), GITHUB_EVENT_NAME="schedule")
        self.counts["weekly comparisons"] += 1
        if run.code != expected and (run.code, expected, self.is_unrecorded) != (3, 0, True):
            raise Violation(f"drift ended with {run.code} instead of {expected}: {run.summary}\n{run.log}")
        self._check_issue(run)

    def _conversations(self) -> str:
        parts = (self.github.issues, self.github.comments, self.github.pulls)
        return json.dumps(parts, sort_keys=True)

    # --- plans, merges and applies ---

    def _open(self) -> dict[str, Any] | None:
        found = [each for each in self.github.open_pulls() if each["branch"] == BRANCH]
        return found[0] if found else None

    def _propose(self, change: Change, branch: str, *, insists: bool = False) -> None:
        """Open a pull request of a developer's branch, and plan it."""
        pull = self.github.add_pull(branch)
        own = Pull(pull["number"], branch, change, self.day + self.dice.randrange(4), insists)
        self.pulls.append(own)
        self._plan(own.number, branch, change)

    def _plan(self, number: int, branch: str, change: Change) -> bool:
        """Run the plan of a pull request, as its required check. Return whether it can be merged."""
        self.github.open_pulls()
        merge = self._test_merge(branch)
        if merge is None:
            return False
        if self.design.now >= self.rotation:
            return False  # the plan needs the token, too: the pull request waits
        after = self.ledger.copy()
        after.merge(change)
        conflicts = after.conflicts()
        run = self._run_plan(number, branch, merge)
        self.tell(f"day {self.day}: plan of #{number} {run.code} {run.error[:200]}")
        if bool(conflicts) != (run.code == 4) or run.code not in (0, 4):
            raise Violation(f"the plan of #{number} ended with {run.code}, with the conflicts {conflicts}: {run.log}")
        comments = [each for each in self.github.comments.get(number, []) if each["user"]["login"] in LOGINS.values()]
        is_wanted = bool(conflicts or after.to_design())  # without operations, a former comment is only updated
        if len([each for each in comments if "lan" in each["body"]]) not in ({1} if is_wanted else {0, 1}):
            raise Violation(f"#{number} has {len(comments)} comments of the bot")
        if run.code == 0:
            self.reviewed[number] = after.to_design()
        return run.code == 0

    def _run_plan(self, number: int, branch: str, merge: str) -> Run:
        event = {"pull_request": {"number": number, "head": {"sha": self.github.tip(branch)}}}
        more = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF_NAME": f"{number}/merge"} | {
            "GITHUB_BASE_REF": "main",
            "GITHUB_HEAD_REF": branch,
        }
        self.counts["plans"] += 1
        return self.workflows.run("plan", merge, event=event, **more)

    def _is_current(self, pull: Pull) -> bool:
        """Return whether main and a branch merge without conflicts, and each alias of the result has its token.

        Git merges an alias and a rename of its token, which are in different lines. The plan must report the alias.
        """
        merge = self._test_merge(pull.branch)
        if merge is None:
            return False
        absent = absent_targets(library_of(files_of(self.github.bare, merge)))
        if not absent:
            return True
        self.counts["aliases of tokens renamed meanwhile"] += 1
        if self.design.now < self.rotation:
            run = self._run_plan(pull.number, pull.branch, merge)
            if run.code != 1 or "no such token" not in run.error:
                raise Violation(f"the plan of #{pull.number} does not report {absent}: {run.code} {run.log}")
        return False

    def _test_merge(self, branch: str) -> str | None:
        """Return the commit that merges a branch into main, as the server makes it; None if they conflict."""
        bare = self.github.bare
        try:
            tree = git(bare, "merge-tree", "--write-tree", "main", branch)
        except Exception:  # noqa: BLE001 - git's exit code 1
            return None
        commit = git(bare, "commit-tree", tree, "-p", "main", "-p", branch, "-m", f"Merge {branch} into main")
        git(bare, "update-ref", f"refs/pull-merges/{branch}", commit)
        return commit

    def _merge_developers(self, pull: Pull) -> None:
        """Merge a developer's pull request, after bringing it up to date if that is necessary."""
        dead = {each[1] for each in pull.change.edits if each[0] != "mode" and each[1] not in self.ledger.living()}
        dead -= {each[1] for each in pull.change.edits if each[0] == "there"}
        edits = {field: value for field, value in pull.change.edits.items() if field[1] not in dead}
        if not edits and not pull.change.lock:
            self.github.close(pull.number)
            self.pulls.remove(pull)
            return
        change = pull.change._replace(edits=edits)
        if not self._is_current(pull) or dead or (pull.number not in self.reviewed and not pull.insists):
            if pull.change.lock:  # a pull by hand is made again by those who still need it
                self.github.close(pull.number)
                self.pulls.remove(pull)
                return
            after = self.ledger.copy()
            after.merge(change)
            new = {each: edits[each] for each in edits if pull.insists or each not in after.conflicts()}
            if not new:
                self.github.close(pull.number)
                self.pulls.remove(pull)
                return
            change = change._replace(edits=new)
            self.developers.edit(pull.branch, new)
            self.pulls[self.pulls.index(pull)] = pull = pull._replace(change=change)
            if not self._plan(pull.number, pull.branch, change) and not pull.insists:
                return
        self.pulls.remove(pull)
        self._merged(pull.number, change)
        self.counts["pull requests of developers merged"] += 1

    def _merge_bot(self) -> bool:
        """Merge the bot's pull request if its plan succeeds, and now and then delete its branch."""
        pull = self._open()
        if pull is None or not self._plan(pull["number"], BRANCH, self.proposal):
            return False
        self.counts["pull requests of the bot merged"] += 1
        deletes = self.dice.random() < 0.6
        self._merged(pull["number"], self.proposal, deletes=deletes)
        return True

    def _merged(self, number: int, change: Change, *, deletes: bool = False) -> None:
        before = self.github.tip("main")
        self.tell(f"day {self.day}: merging #{number} with {change}")
        commit = self.github.merge_squashed(number)
        if deletes:
            git(self.github.bare, "update-ref", "-d", f"refs/heads/{BRANCH}")
        self.ledger.merge(change)
        if change is self.proposal:
            self.foreign = ""
            self.ledger.base = dict(self.ledger.base_in_main)
            self.is_unrecorded = self.is_unrecorded and not self.is_complete
        self.is_new = True
        self._check_main()
        paths = git(self.github.bare, "diff", "--name-only", before, commit).split("\n")
        if any(each.endswith((".tokens.json", ".resolver.json")) for each in paths):
            self._apply(commit, before, number)

    def _check_main(self) -> None:
        files = files_of(self.github.bare, "main")
        found, expected = library_of(files), self.ledger.library(self.ledger.code)
        if found != expected:
            raise Violation(f"main is not what was merged: {difference(expected, found)}")
        if wrong := differences_in_css(files):
            raise Violation(f"the CSS of main is not that of its token files: {wrong[:5]}")

    def _apply(self, commit: str, before: str, number: int, approved: str = "", results: Any = None) -> None:
        """Run apply after a merge, or by hand, and follow what it says."""
        conflicts, operations = self.ledger.conflicts(), self.ledger.to_design()
        reasons: dict[str, str] = {}
        if self.design.now >= self.rotation:
            reasons["expired"] = ADVICE["expired"]
        elif conflicts:
            reasons["conflict"] = ADVICE["conflict"]
        elif operations and not approved and self.reviewed.get(number) != operations:
            reasons["approval"] = ADVICE["approval"]
        elif operations and self.foreign:
            reasons["foreign"] = ADVICE["foreign"]
        event = {"before": before, "after": commit}
        name = "workflow_dispatch" if approved or results else "push"
        kills = bool(self.kill and operations and not reasons and not approved)
        started = (lambda process: self.design.kill_at_request(self.kill, process)) if kills else (lambda process: None)
        run = self.workflows.run(
            "apply",
            commit,
            event=event,
            as_programs=kills,
            started=started,
            approved=approved,
            results=results,
            GITHUB_EVENT_NAME=name,
        )
        self.counts["applies"] += 1
        if kills and not self.design.forget_kill():
            self._killed(run, commit, before, number)
            return
        self._judge(run, reasons, by_hand=name != "push")
        if run.code == 0 and operations:
            self.counts["applies with operations"] += 1
            self.counts["operations"] += len(operations)
            in_main = self.github.tip("main") != commit
            self.ledger.apply()
            is_reversed = self.ledger.base == self.ledger.base_in_main
            if in_main != (self.workflows.has_app and not self.is_protected and not is_reversed):
                raise Violation(f"the lock is {'' if in_main else 'not '}in main: {run.summary}")
            if in_main:
                self.ledger.base_in_main = dict(self.ledger.base)
            self._note_new(operations)
            unchanged = "locks that main has already" if is_reversed else "locks that wait in a pull request"
            self.counts["locks committed to main" if in_main else unchanged] += 1
            self.is_new = True
            if not in_main:
                self._check_proposal(run)
        self._check_design()
        if found := re.search(r"approved: ([0-9a-f]{64})", run.error):
            self.counts["plans approved by hand"] += 1
            self._apply(commit, before, number, found[1])

    def _note_new(self, operations: Fields) -> None:
        if any(each[0] == "there" for each in operations):
            self.is_unrecorded, self.is_complete = True, False

    def _check_design(self, ledger: Ledger | None = None) -> None:
        ledger = ledger or self.ledger
        found, expected = self.design.library(), ledger.library(ledger.design)
        if found != expected:
            raise Violation(f"the design file is not what was edited and applied: {difference(expected, found)}")

    def _killed(self, run: Run, commit: str, before: str, number: int) -> None:
        """Run a killed apply again, by hand, with its journals, which the last step of the action has kept."""
        self.counts[f"applies killed {self.kill} the request"] += 1
        self.tell(f"day {self.day}: killed with {run.code}; {sorted(run.results)}")
        if not any(each.startswith("applies/") for each in run.results) or "with journals: " not in run.log:
            raise Violation(f"a killed apply has kept {sorted(run.results)}: {run.log}")
        if self.kill == "after":
            after = self.ledger.copy()
            after.apply()
            self._check_design(after)
        self.kill = ""
        self.is_new = True
        self._apply(commit, before, number, results=run.results)


def difference(expected: dict[Any, Any], found: dict[Any, Any]) -> str:
    every = dict.fromkeys((*expected, *found))
    rows = [
        f"{each}: {expected.get(each)} / {found.get(each)}" for each in every if expected.get(each) != found.get(each)
    ]
    return "; ".join(rows[:5])
