"""A fault campaign against write-back: apply plans while networks, servers, processes and other people interfere.

A schedule is a plan of several batches and what goes wrong while it is applied; both come of a seed, so that a schedule
that fails can be run again by its number. After resuming, the library has to be the plan's result, the untouched
original, or whole batches of the plan that a rollback takes back; other people's edits have to be there, and nothing
twice, lost or half done. That is judged by raw answers of the emulator, which runs in a process of its own, against an
expectation that shares no code with plans. The table that it prints is Markdown. Needs a POSIX system (fork, SIGKILL).

    python benchmarks/faults.py                          1,000 schedules, on every processor
    python benchmarks/faults.py --schedules 20000 --seed 7
    python benchmarks/faults.py --seed 1 --only 417      one schedule, and what its commands said
    python benchmarks/faults.py --clones --schedules 200 two clones apply the same plan at once
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, TextIO

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(CHECKOUT, "tests")]

from campaign import scenario as scenarios  # noqa: E402
from campaign import schedules  # noqa: E402
from campaign.children import Nursery  # noqa: E402
from campaign.clones import CloneTrial  # noqa: E402
from campaign.platform import DesignFile, Platform  # noqa: E402
from campaign.proxy import Proxy  # noqa: E402
from campaign.running import Trial  # noqa: E402
from campaign.scenario import SETTLING_TIME, Violation, World  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

IN_MEMORY = "/dev/shm"  # noqa: S108  # a folder of one's own is made in it
SCHEDULES_PER_PLAN = 20
LARGEST_BODY = 900
"""Bytes: a few operations, so that a small plan is of many batches."""
ENDS = ("plan carried out", "untouched", "a part, taken back")


def main() -> int:
    """Run the campaign and print its results; return 1 if a guarantee was broken."""
    parser = argparse.ArgumentParser(description="A fault campaign against write-back.")
    parser.add_argument("--schedules", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one schedule of the seed, and print its log")
    parser.add_argument("--clones", action="store_true", help="let two clones apply the same plan at once")
    options = parser.parse_args()
    started = time.monotonic()
    memory = IN_MEMORY if os.access(IN_MEMORY, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="tokensync-faults-") as scratch:
        os.environ["PYTHONPATH"] = CHECKOUT
        with Platform(scratch) as platform:
            os.environ["FIGMA_ACCESS_TOKEN"] = platform.token
            results = [*_results(options, platform, scratch)]
    _report(results, options, time.monotonic() - started)
    complete = len(results) == (options.schedules if options.only is None else 1)
    return 0 if complete and not any("violation" in each for each in results) else 1


def _results(options: argparse.Namespace, platform: Platform, scratch: str) -> Iterator[dict[str, str]]:
    """Yield the result of each schedule, from all workers at once."""
    reading, writing = os.pipe()
    workers = 1 if options.only is not None else options.workers
    pids = []
    for worker in range(workers):
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _work(
                options,
                platform,
                os.path.join(scratch, f"worker-{worker}"),
                worker,
                os.fdopen(writing, "w", encoding="utf-8"),
            )
        pids.append(pid)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as lines:
        for line in lines:
            result: dict[str, str] = json.loads(line)
            if "violation" in result:
                print(f"schedule {result['number']} ({result['kind']}): {result['violation']}", flush=True)
            yield result
    for pid in pids:
        os.waitpid(pid, 0)


def _work(options: argparse.Namespace, platform: Platform, scratch: str, worker: int, sink: TextIO) -> None:
    """Run one worker's share of the plans, with all their schedules."""
    code = 1
    try:
        os.makedirs(scratch)
        nursery, rivals = (Nursery(os.path.join(scratch, each), largest_body=LARGEST_BODY) for each in "ab")
        proxy = Proxy(platform.address, nursery.now, SETTLING_TIME)
        detour = Proxy(platform.address, rivals.now, SETTLING_TIME)
        world = World(scratch, DesignFile(platform, f"Campaign{worker}"), proxy, nursery, rivals, detour)
        if options.only is not None:
            numbers: list[range] = [range(options.only, options.only + 1)]
        else:
            groups = range(0, options.schedules, SCHEDULES_PER_PLAN)
            numbers = [range(at, min(at + SCHEDULES_PER_PLAN, options.schedules)) for at in groups]
            numbers = numbers[worker :: options.workers]
        for group in numbers:
            for result in _group(world, options, group):
                print(json.dumps(result), file=sink, flush=True)
        code = 0
    except BaseException:  # noqa: BLE001 - reported by the exit code, which a fork must not pass on
        traceback.print_exc()
    os._exit(code)


def _group(world: World, options: argparse.Namespace, numbers: range) -> Iterator[dict[str, str]]:
    """Run the schedules of one plan."""
    plan, seed = numbers[0] // SCHEDULES_PER_PLAN, options.seed
    try:
        scenario = _scenario(world, f"{seed}/{plan}")
    except Violation as violation:
        for number in numbers:
            yield {"number": str(number), "kind": "no fault at all", "violation": str(violation)}
        return
    for number in numbers:
        dice = Random(f"{seed}/{plan}/{number}")
        if options.clones:
            trial: Trial = CloneTrial(world, scenario, dice)
        else:
            trial = Trial(world, scenario, schedules.drawn(dice, scenario))
        result = {"number": str(number), "kind": trial.schedule.kind, "requests": str(scenario.batches)}
        try:
            outcome = trial.run()
            result |= {"end": outcome.end, "resumed": str(outcome.resumptions), "rolled back": outcome.rolled_back}
            result |= {"edited": "yes"} if outcome.edited else {}
        except Violation as violation:
            result["violation"] = str(violation)
        if options.only is not None:
            print(
                f"{trial.schedule}\nedits: {', '.join(scenario.pair.edits)}\n" + "\n".join(trial.log), file=sys.stderr
            )
        yield result


def _scenario(world: World, seed: str) -> scenarios.Scenario:
    """Return the first plan of several batches for a seed."""
    number = 0
    while (scenario := scenarios.new_scenario(world, f"{seed}/{number}")) is None:
        number += 1
    return scenario


def _report(results: list[dict[str, str]], options: argparse.Namespace, seconds: float) -> None:
    """Print a table with a row per fault, and the totals."""
    kinds = sorted({each["kind"] for each in results})
    print("| fault | schedules | " + " | ".join(ENDS) + " | resumptions | rolled back whole | violations |")
    print("| --- |" + " ---: |" * 7)
    for kind in [*kinds, "all"]:
        rows = [each for each in results if kind in (each["kind"], "all")]
        ends = Counter(each.get("end", "") for each in rows)
        cells = [str(len(rows)), *(str(ends[each]) for each in ENDS)]
        cells.append(str(sum(int(each.get("resumed", 0)) for each in rows)))
        cells.append(str(sum(each.get("end") == ENDS[0] and each["rolled back"] != "" for each in rows)))
        cells.append(str(sum("violation" in each for each in rows)))
        print(f"| {kind} | {' | '.join(cells)} |")
    requests = [int(each["requests"]) for each in results if "requests" in each] or [0]
    print(f"\nPlans of {min(requests)} to {max(requests)} requests, {sum(requests) / len(requests):.1f} on average.")
    edits = sum("edited" in each for each in results)
    violations = sum("violation" in each for each in results)
    print(f"{len(results):,} schedules in {seconds:.0f} s (seed {options.seed}); {edits:,} with a concurrent edit.")
    print(
        f"{violations} violations: nothing doubled, lost or half done."
        if not violations
        else f"{violations} violations."
    )


if __name__ == "__main__":
    sys.exit(main())
